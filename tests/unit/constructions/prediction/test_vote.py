"""The vote: exactly epsilon for every number of models, best possible, and its error bound."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from privpac import MemorySample, Schema, SeededCoins, Size, Thresholds
from privpac.checker import functions as checked
from privpac.coins import law
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.unions import intervals
from privpac.concepts.linear.plane import Halfplanes
from privpac.constructions.prediction import vote as voting
from privpac.constructions.prediction.net_relabelled import plan_net_relabelled
from privpac.constructions.prediction.vote import (
    MOST_VOTES,
    Vote,
    default_models,
    exponential_vote_error,
    models_vote,
    vote_error,
)
from privpac.constructions.prediction.vote_law import VoteLaw, vote_wrong
from privpac.constructions.prediction.voters import Classifiers, Concepts, Encoding
from privpac.data.columns import Numeric
from privpac.errors import ParameterError, RuleRefused, SchemaError, SizeError
from privpac.numbers.exact import ratio_for
from privpac.theory.listing import MOST_BLOCK
from tests.statistical.claims import claims, scaled

MODELS = (1, 2, 3, 5, 10, 11, 23)
EPSILONS = ("0.1", "0.5", "1")
SCHEMA = Schema.from_json(
    {
        "label": "y",
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 100, "integer": True},
            {"name": "kind", "kind": "categorical", "categories": ["u", "v", "w"]},
            {"name": "wide", "kind": "numeric", "lower": 0, "upper": 2**70, "integer": True},
            {"name": "on", "kind": "boolean"},
        ],
    }
)


def sample(n: int, seed: int = 0) -> MemorySample:
    generator = np.random.default_rng(seed)
    ages = generator.integers(0, 101, n)
    table = {
        "age": ages.tolist(),
        "kind": generator.choice(["u", "v", "w"], n).tolist(),
        "wide": [int(a) * 2**60 for a in ages],
        "on": generator.integers(0, 2, n).tolist(),
    }
    return MemorySample.of(table, SCHEMA, y=(ages >= 50).astype(int).tolist())


@pytest.mark.parametrize(("models", "epsilon"), list(product(MODELS, EPSILONS)))
def test_the_loss_is_exactly_epsilon_for_every_number_of_models(models: int, epsilon: str) -> None:
    ratio = ratio_for(Fraction(epsilon))
    laws = []
    for votes in range(models + 1):
        counts = np.array([votes], dtype=np.int64)
        laws.append(law(lambda coins, c=counts: int(VoteLaw(models, ratio).draw(c, coins)[0])))
    quotients = [p[a] / q[a] for x, y in pairwise(laws) for p, q in ((x, y), (y, x)) for a in (0, 1)]
    assert max(quotients) == 1 / ratio


@claims({"models": 5}, vote_wrong=scaled(0.99))
@pytest.mark.parametrize("models", MODELS)
def test_no_symmetric_rule_of_that_epsilon_errs_less(models: int) -> None:
    """Going down from the middle, the smallest probabilities that epsilon and symmetry allow."""
    ratio = Fraction(2, 5)
    half, odd = divmod(models, 2)
    least = ratio / (1 + ratio) if odd else Fraction(1, 2)
    for wrong in range(half, -1, -1):
        assert vote_wrong(wrong, models=models, ratio=ratio) == least
        least *= ratio


def test_the_exponential_mechanism_on_votes_wastes_budget_and_errs_twice_as_often() -> None:
    """What Lemma 19 leaves open could be read as this: logit epsilon·(v - r/2)."""
    chances = [1 / (1 + math.exp(-(v - 2.5))) for v in range(6)]
    loss = max(math.log(q / p) for p, q in pairwise(chances))
    assert loss == pytest.approx(0.877, abs=5e-4)
    assert chances[0] / float(vote_wrong(0, models=5, ratio=ratio_for(Fraction(1)))) > 2


def test_the_reference_error_and_numbers_of_models() -> None:
    ratio = ratio_for(Fraction(1))
    assert float(vote_error(0.0549, models=5, ratio=ratio)) == pytest.approx(0.09996, abs=1e-5)
    assert [
        models_vote(a, epsilon=e) for a, e in ((0.1, 1), (0.1, 0.45), (0.1, 0.1), (0.05, 1), (0.01, 1))
    ] == [
        5,
        13,
        55,
        7,
        11,
    ]


@claims({"models": 5, "epsilon": "1"}, vote_error=scaled(0.99))
@pytest.mark.parametrize(("models", "epsilon"), list(product((1, 2, 3, 4, 5, 8, 11), ("0.1", "1", "4"))))
def test_the_error_bound_holds_and_is_attained_by_some_dependence(models: int, epsilon: str) -> None:
    """Two counts of wrong models, mixed to an average error: the worst such mixture is the bound."""
    ratio = ratio_for(Fraction(epsilon))
    wrong = [vote_wrong(w, models=models, ratio=ratio) for w in range(models + 1)]
    average = Fraction(1, 20)
    worst = Fraction(0)
    for low, high in product(range(models + 1), repeat=2):
        mean = average * models
        if low <= mean <= high and low < high:
            share = (mean - low) / (high - low)
            worst = max(worst, (1 - share) * wrong[low] + share * wrong[high])
    bound = vote_error(average, models=models, ratio=ratio)
    assert worst <= bound
    assert models > 20 or float(worst) == pytest.approx(float(bound), rel=1e-9)


@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "1", "4"])
def test_the_checker_finds_the_steepest_chord_without_trying_all(epsilon: str) -> None:
    ratio, average = ratio_for(Fraction(epsilon)), Fraction(1, 97)
    for models in (*range(1, 24), 60, 61):
        for wrong, bound in (
            (checked.answer_wrong, vote_error),
            (checked.weighted_wrong, exponential_vote_error),
        ):
            none = wrong(0, models, ratio)
            steepest = max((wrong(w, models, ratio) - none) / w for w in range(1, models + 1))
            every = none + models * steepest * average
            assert checked.vote_wrong(average, models, ratio, wrong) == every
            assert bound(average, models=models, ratio=ratio) == min(1, every)


def test_no_more_models_vote_than_the_checker_follows() -> None:
    """More were planned for once, and certified: no checker accepted what they would have promised."""
    plan = plan_net_relabelled(576_283_757, epsilon="0.25", failure="0.05", vc=2)
    assert plan is not None
    assert plan.models == MOST_VOTES - 1
    settings = {"ratio": ratio_for(Fraction(1)), "records": 10**9, "vc": 1, "failure": Fraction(1, 20)}
    with pytest.raises(RuleRefused, match="more than 16384 models"):
        voting.vote_accuracy(models=MOST_VOTES + 1, **settings)


def test_thousands_of_votes_take_no_time() -> None:
    """Fractions of 60,000 digits: Python took minutes for them, and a checker that tries all votes takes hours."""
    ratio, average = ratio_for(Fraction(6, 4001)), Fraction(1, 10**5)
    began = time.process_time()
    assert vote_error(average, models=4001, ratio=ratio) == checked.vote_wrong(average, 4001, ratio)
    assert time.process_time() - began < 5


def test_blocks_share_no_record_and_all_records_are_used() -> None:
    seen: list[tuple[int, ...]] = []

    class Spy(Classifiers):
        def train(self, block):
            seen.append(tuple(block.block().cells["age"].tolist()))
            return 0

    n = 40
    table = {"age": list(range(n)), "kind": ["u"] * n, "wide": [0] * n, "on": [0] * n}
    records = MemorySample.of(table, SCHEMA, y=[i % 2 for i in range(n)])
    Vote(Spy(SCHEMA, LogisticRegression()), Fraction(1), 7).prepare(records, SeededCoins(3))
    assert sorted(age for block in seen for age in block) == list(range(n))
    assert {len(block) for block in seen} <= {5, 6}
    assert seen[0] != tuple(sorted(seen[0]))


def test_raw_rows_with_categories_wide_numbers_and_booleans_are_encoded_by_the_schema_alone() -> None:
    encoding = Encoding(SCHEMA)
    block = sample(50).block()
    rows = encoding.matrix(block.cells)
    assert rows.shape == (50, encoding.width) == (50, len(encoding.names)) == (50, 6)
    assert encoding.names == ("age", "kind=u", "kind=v", "kind=w", "wide", "on")
    assert 0 <= rows.min() <= rows.max() <= 1
    assert (rows[:, 1:4].sum(axis=1) == 1).all()
    alone = encoding.matrix({name: cells[:1] for name, cells in block.cells.items()})
    assert (alone == rows[:1]).all()


def test_a_vote_of_classifiers_learns_and_answers() -> None:
    vote = Vote(Classifiers(SCHEMA, LogisticRegression()), Fraction(2), 9)
    prepared = vote.prepare(sample(900), SeededCoins(1))
    block = sample(500, seed=5).block()
    answers = prepared.answer(block.cells, SeededCoins(2))
    assert answers.dtype == np.uint8
    assert (answers == block.labels).mean() > 0.9


class Failing(LogisticRegression):
    """Fails for a reason that depends on records."""

    def fit(self, X, y):
        raise RuntimeError("a private value")


class FailingLater(LogisticRegression):
    def predict(self, X):
        raise RuntimeError("a private value")


@pytest.mark.parametrize("estimator", [Failing(), FailingLater()])
def test_a_classifier_that_fails_becomes_a_constant_and_nothing_is_seen(estimator, recwarn) -> None:
    prepared = Vote(Classifiers(SCHEMA, estimator), Fraction(3), 5).prepare(sample(60), SeededCoins(0))
    assert len(prepared.answer(sample(4).block().cells, SeededCoins(1))) == 4
    assert not recwarn.list


def test_a_block_with_one_class_votes_for_it() -> None:
    one = sample(30)
    block = one.block()
    ones = MemorySample.from_cells(SCHEMA, block.cells, np.ones(30, dtype=np.uint8))
    vote = Vote(Classifiers(SCHEMA, LogisticRegression()), Fraction(30), 3)
    assert vote.prepare(ones, SeededCoins(0)).answer(block.cells, SeededCoins(1)).all()


def test_every_seed_of_a_classifier_is_public_and_the_same() -> None:
    from sklearn.ensemble import BaggingClassifier

    voters = Classifiers(SCHEMA, BaggingClassifier(DecisionTreeClassifier()))
    models = [voters.train(sample(40)) for _ in range(2)]
    assert models[0].model.random_state == models[0].model.estimator.random_state == 0
    rows = sample(300, seed=4).block().cells
    assert (voters.tally(models[:1], rows) == voters.tally(models[1:], rows)).all()


def test_concepts_fit_their_block_best_and_the_certificate_proves_an_error() -> None:
    schema = Schema.from_json({"label": "y", "columns": [SCHEMA.column("age").to_json()]})
    vote = Vote(Concepts(Thresholds(schema, "age")), Fraction(1), 5)
    (accuracy,) = vote.certify(Size(4000)).accuracy
    assert 0.05 < float(accuracy.fact.error) < 0.12
    assert not vote.certify(Size(10)).accuracy
    ages = np.arange(101).repeat(10)
    records = MemorySample.of({"age": ages}, schema, y=(ages >= 33).astype(int))
    models = vote.prepare(records, SeededCoins(0)).models
    assert all(abs(model.cut - 33) <= 1 for model in models)


def test_concepts_without_a_count_by_score_are_listed() -> None:
    """Intervals and stumps: of the labellings of a block the one with the fewest mistakes."""
    ages = np.arange(101).repeat(3)
    labels = ((ages >= 30) & (ages < 70)).astype(int)
    labels[::17] ^= 1
    schema = Schema.from_json({"label": "y", "columns": [SCHEMA.column("age").to_json()]})
    block = MemorySample.of({"age": ages}, schema, y=labels)
    cells, truth = block.block().cells, block.block().labels
    assert truth is not None
    spans = [(cells["age"] >= low) & (cells["age"] < high) for low in range(102) for high in range(low, 102)]
    cuts = [(cells["age"] >= cut) ^ turned for cut in range(102) for turned in (False, True)]
    for concepts, members in ((intervals(schema, "age"), spans), (Stumps(schema), cuts)):
        rule = Concepts(concepts).train(block)
        fewest = min(int((member != truth).sum()) for member in members)
        assert int((rule.predict(cells) != truth).sum()) == fewest
        assert rule == Concepts(concepts).train(block), "a function of the block"


def test_a_block_too_large_to_list_is_refused_by_its_size_alone() -> None:
    """Whether there are too many must not depend on what the records are, and is said before there are any."""
    columns = (Numeric("a", 0, 2**20, integer=True), Numeric("b", 0, 2**20, integer=True))
    vote = Vote(Concepts(Halfplanes(Schema(columns, label="y"), ("a", "b"))), Fraction(1), 3)
    vote.certify(Size(3 * MOST_BLOCK))
    with pytest.raises(SizeError, match="Ask for more models"):
        vote.certify(Size(3 * MOST_BLOCK + 1))


def test_what_a_vote_refuses() -> None:
    schema = Schema(SCHEMA.columns, label="y", classes=("a", "b", "c"))
    with pytest.raises(SchemaError, match="one of two"):
        Vote(Concepts(Thresholds(schema, "age")), Fraction(1), 3)
    good = Classifiers(SCHEMA, LogisticRegression())
    for wishes in ({"epsilon": Fraction(0), "models": 3}, {"epsilon": Fraction(1), "models": 0}):
        with pytest.raises(ParameterError):
            Vote(good, **wishes)
    with pytest.raises(SizeError, match="at least as many records"):
        Vote(good, Fraction(1), 9).certify(Size(8))
    with pytest.raises(ParameterError, match="classifier"):
        Classifiers(SCHEMA, object())


def test_the_default_number_of_models_is_odd_and_leaves_records_for_each() -> None:
    for n, epsilon in product((1, 30, 500, 10_000, 10**6), ("0.001", "0.1", "1", "50")):
        models = default_models(n, Fraction(epsilon))
        assert models % 2 == 1
        assert models == 1 or n // models >= 12


def test_the_default_lets_noise_turn_a_unanimous_vote_round_once_in_200_times() -> None:
    for epsilon in ("0.01", "0.1", "0.5", "1", "3", "50"):
        models = default_models(10**9, Fraction(epsilon))
        ratio = ratio_for(Fraction(epsilon))
        assert float(vote_wrong(0, models=models, ratio=ratio)) <= 1 / 200
        assert models == 1 or float(vote_wrong(0, models=models - 2, ratio=ratio)) > 1 / 200


def test_nothing_private_is_shown() -> None:
    prepared = Vote(Classifiers(SCHEMA, LogisticRegression()), Fraction(1), 3).prepare(
        sample(60), SeededCoins(0)
    )
    assert "coef" not in repr(prepared)
    assert "models=" not in repr(prepared)
