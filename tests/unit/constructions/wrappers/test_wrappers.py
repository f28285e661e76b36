"""Transforms: what they certify, what they hand to the learner inside, what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privpac import MemorySample, Occam, SeededCoins, Size, Stumps, Thresholds
from privpac.audit.registry import tiny_schema
from privpac.checker import check
from privpac.coins import Coins, law
from privpac.concepts.base import ConceptClass, Hypothesis
from privpac.concepts.derived.reference import Uniform
from privpac.concepts.labellings.ranks import RankDichotomies
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.covers.reference import ReferenceCover
from privpac.constructions.wrappers.agnostic import Agnostic
from privpac.constructions.wrappers.confidence import Confidence
from privpac.constructions.wrappers.relabel import Relabelled
from privpac.constructions.wrappers.resample import Resampled
from privpac.constructions.wrappers.subsample import Subsampled
from privpac.constructions.wrappers.vote import Vote
from privpac.data.columns import Numeric
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Against

ONE, HALF = Fraction(1), Fraction(1, 2)
SCHEMA = Schema((Numeric("a", 0, 2**20 - 1, integer=True),), label="y", classes=("0", "1"))
CUTS = Thresholds(SCHEMA, "a")


def sample(n: int, *, seed: int = 0, noise: float = 0.0) -> MemorySample:
    generator = np.random.default_rng(seed)
    cells = generator.integers(0, 2**20, n)
    labels = (cells >= 2**19) ^ (generator.random(n) < noise)
    return MemorySample.from_cells(SCHEMA, {"a": cells}, labels.astype(np.int64))


@dataclass(frozen=True)
class Spy:
    """Keeps what it was given."""

    concepts: ConceptClass = CUTS
    outcomes: int | None = None
    seen: list[Any] = field(default_factory=list, compare=False)

    def require(self, size: Size) -> None:
        """Nothing is refused."""

    def certify(self, size: Size) -> Certificate:
        return Occam(self.concepts, ONE).certify(size)

    def learn(self, given: Sample, coins: Coins) -> Hypothesis:
        block = given.block("a")
        assert block.labels is not None
        self.seen.append((block.cells["a"].tolist(), block.labels.tolist()))
        return Occam(self.concepts, ONE).learn(given, coins)


STACKS: dict[str, Callable[[Learner], Learner]] = {
    "subsampled": lambda inner: Subsampled(inner, 50),
    "resampled": lambda inner: Resampled(inner, 40),
    "confidence": lambda inner: Confidence(inner, 3, 40, ONE),
    "relabelled": lambda inner: Relabelled(inner, 60, HALF),
    "agnostic": lambda inner: Agnostic(inner, 60, HALF),
    "ranks": lambda inner: Agnostic(inner, 60, HALF, ranks=True),
}


@pytest.mark.parametrize("outer", STACKS)
@pytest.mark.parametrize("inner", STACKS)
def test_they_nest_and_their_certificates_are_derived_again(outer: str, inner: str) -> None:
    small = {
        "subsampled": 20,
        "resampled": 20,
        "confidence": 5,
        "relabelled": 20,
        "agnostic": 20,
        "ranks": 20,
    }
    base = Occam(CUTS, ONE)
    middle = {
        "subsampled": Subsampled(base, 20),
        "resampled": Resampled(base, 20),
        "confidence": Confidence(base, 2, 5, ONE),
        "relabelled": Relabelled(base, small["relabelled"], HALF),
        "agnostic": Agnostic(base, small["agnostic"], HALF),
        "ranks": Agnostic(base, small["ranks"], HALF, ranks=True),
    }[inner]
    stack = STACKS[outer](middle)
    certificate = stack.certify(Size(200))
    assert check.check_certificate(certificate.to_json()) >= 3
    assert certificate.learner["inner"]["inner"]["name"] == "occam"
    assert stack.learn(sample(200), SeededCoins(3)).columns == ("a",)
    assert stack.concepts == CUTS
    assert stack.outcomes == CUTS.size


def test_any_learner_of_the_library_may_be_inside() -> None:
    trees = Occam(Trees(SCHEMA, 2, Binarisation.of(SCHEMA, cuts=4), threads=1), ONE)
    assert Subsampled(trees, 50).certify(Size(100)).epsilon < 1
    assert Resampled(trees, 50).learn(sample(100), SeededCoins(0)) is not None
    stack = Agnostic(trees, 50, HALF, labelling=CUTS)  # labels by cuts, answers are trees
    assert stack.certify(Size(100)).accuracy == ()
    assert stack.learn(sample(100), SeededCoins(0)).columns in ((), ("a",))


def test_subsampling_hands_over_different_records_in_random_order() -> None:
    spy, data = Spy(), sample(30)
    for seed in range(20):
        Subsampled(spy, 10).learn(data, SeededCoins(seed))
    cells = data.block().cells["a"].tolist()
    assert all(len(set(kept)) == 10 and set(kept) <= set(cells) for kept, _ in spy.seen)
    assert any([cells.index(c) for c in kept] != sorted(cells.index(c) for c in kept) for kept, _ in spy.seen)


def test_resampling_hands_over_repeats() -> None:
    spy = Spy()
    Resampled(spy, 50).learn(sample(5), SeededCoins(1))
    kept, _ = spy.seen[0]
    assert len(kept) == 50
    assert len(set(kept)) == 5


def test_confidence_learns_from_blocks_and_leaves_the_rest_to_the_pick() -> None:
    spy, data = Spy(), sample(25)
    Confidence(spy, runs=3, held=4, epsilon=ONE).learn(data, SeededCoins(1))
    cells = data.block().cells["a"].tolist()
    assert [kept for kept, _ in spy.seen] == [cells[0:7], cells[7:14], cells[14:21]]


def test_relabelled_records_get_labels_of_a_concept_and_lose_their_own() -> None:
    spy, data = Spy(), sample(400, noise=0.2)
    Relabelled(spy, 100, Fraction(5)).learn(data, SeededCoins(1))
    kept, labels = spy.seen[0]
    assert kept == data.block().cells["a"].tolist()[:100]
    order = np.argsort(kept)
    assert (np.diff(np.array(labels)[order].astype(int)) >= 0).all()  # one cut
    own = data.block().labels
    assert own is not None
    assert labels != own.tolist()[:100]
    assert np.mean(np.array(labels) == (np.array(kept) >= 2**19)) > 0.9


def test_a_vote_never_looks_at_the_labels_of_the_kept() -> None:
    schema = tiny_schema(3)
    learner = Relabelled(Occam(Thresholds(schema, "a"), ONE), 2, ONE)

    def run(labels: list[int]) -> dict[Any, Fraction]:
        given = MemorySample.from_cells(schema, {"a": np.array([0, 2, 1])}, np.array([*labels, 1]))
        return law(lambda coins: learner.learn(given, coins))

    assert run([0, 0]) == run([1, 0]) == run([1, 1])


@pytest.mark.parametrize("direction", ["up", "down", "either"])
def test_ranks_tell_ties_apart_and_score_like_brute_force(direction: str) -> None:
    schema = tiny_schema(4)
    concepts = Thresholds(schema, "a", direction)  # type: ignore[arg-type]
    generator = np.random.default_rng(3)
    ups = {"up": (True,), "down": (False,), "either": (True, False)}[direction]
    for _ in range(30):
        cells, other = generator.integers(0, 4, 4), generator.integers(0, 4, 5)
        kept = MemorySample.from_cells(schema, {"a": cells}, np.zeros(4, np.int64))
        rest = MemorySample.from_cells(schema, {"a": other}, generator.integers(0, 2, 5))
        labels = rest.block().labels
        ranks = RankDichotomies(concepts, kept)
        scores = ranks.relabelling(rest, change=2, mistake=3).scores
        listed = [ranks.labels(i) for i in range(len(scores))]
        assert len({bytes(z) for z in listed}) == len(scores) == (8 if direction == "either" else 5)
        for z, score in zip(listed, scores.tolist(), strict=True):
            expected = min(
                2 * int((((cells >= cut) == up) != z).sum())
                + 3 * int((((other >= cut) == up) != labels).sum())
                for up in ups
                for cut in range(5)
            )
            assert score == expected


def test_prices_of_a_vote_are_whole_numbers_in_lowest_terms() -> None:
    vote = Vote(kept=40, voters=60, epsilon=ONE, weight=Fraction(2, 3))
    assert (vote.change, vote.mistake) == (1, 1)
    vote = Vote(kept=7, voters=10**6, epsilon=ONE, weight=ONE)
    assert (vote.change, vote.mistake) == (10**6, 7)
    with pytest.raises(SizeError, match="64 bits"):
        Vote(kept=10**12, voters=10**12 + 1, epsilon=ONE, weight=Fraction(1, 3))


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Subsampled(Occam(CUTS, ONE), 0), "kept"),
        (lambda: Resampled(Occam(CUTS, ONE), True), "draws"),
        (lambda: Confidence(Occam(CUTS, ONE), 2, 0, ONE), "held"),
        (lambda: Agnostic(Occam(CUTS, ONE), 3, Fraction(0)), "epsilon"),
        (lambda: Agnostic(Occam(Stumps(SCHEMA), ONE), 3, ONE, ranks=True), "ranks"),
        (lambda: Relabelled(Occam(CUTS, ONE), 3, ONE, Fraction(-1)), "weight"),
        (
            lambda: Agnostic(Occam(Trees(replace(SCHEMA, classes=("a", "b", "c")), 1), ONE), 3, ONE),
            "labellings of given points",
        ),
    ],
)
def test_parameters_are_refused_with_their_name(make: Callable[[], object], match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        make()


def test_too_few_records_are_refused() -> None:
    with pytest.raises(SizeError, match="at least 5"):
        Subsampled(Occam(CUTS, ONE), 5).certify(Size(4))
    with pytest.raises(SizeError, match="at least 6"):
        Agnostic(Occam(CUTS, ONE), 5, ONE).certify(Size(5))
    with pytest.raises(SizeError, match="without labels"):
        Resampled(Occam(CUTS, ONE), 5).certify(Size(5, unlabelled=2))


def test_accuracy_is_carried_over() -> None:
    n = 40_000
    once = Occam(CUTS, ONE)
    assert {p.fact.against for p in Subsampled(once, 4000).certify(Size(n)).accuracy} == {
        Against.REALIZABLE,
        Against.AGNOSTIC,
    }
    proofs = Agnostic(Occam(CUTS, ONE), 200_000, ONE).certify(Size(10**6)).accuracy
    assert [proof.fact.against for proof in proofs] == [Against.AGNOSTIC]
    assert proofs[0].fact.error < Fraction(1, 10)
    assert Agnostic(Spy(), 2000, ONE).certify(Size(n)).accuracy == ()  # nothing is proved of a spy
    resampled = Agnostic(Resampled(once, 2000), 200_000, ONE).certify(Size(10**6))
    assert resampled.accuracy[0].fact.against is Against.AGNOSTIC
    assert check.check_certificate(resampled.to_json()) > 5


def test_draws_from_a_table_promise_nothing_of_a_bound_for_some_densities() -> None:
    """Half of a table in each of two neighbouring cells: no cut of the cover lies between, and half are mistaken."""
    cover = ReferenceCover(CUTS, Uniform(SCHEMA, ("a",)), ONE, kappa=ONE)
    assert cover.certify(Size(2000)).accuracy
    drawn = Resampled(cover, 2000)
    assert drawn.certify_empirical(Size(2000)) is None
    assert drawn.certify(Size(10**6)).accuracy == ()
    assert Agnostic(drawn, 2000, ONE).certify(Size(10**6)).accuracy == ()
    cells, labels = np.array([123456, 123457] * 1000), np.array([0, 1] * 1000)
    rule = drawn.learn(MemorySample.from_cells(SCHEMA, {"a": cells}, labels), SeededCoins(1))
    assert np.mean(rule.predict({"a": cells}) != labels) == 0.5
