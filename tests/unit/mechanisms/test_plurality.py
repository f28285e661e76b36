"""More than two classes: the law of the vote, its loss over all counts, its errors, and whole predictors."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from privpac import MemorySample, Schema, SeededCoins
from privpac.coins import law
from privpac.constructions.prediction.vote_law import VoteLaw, plurality_chances, plurality_wrong
from privpac.constructions.prediction.voters import Classifiers, Voter
from privpac.mechanisms.plurality import PluralityLaw
from privpac.numbers.exact import ratio_for
from tests.statistical.claims import changed, claims, scaled

HALF = ratio_for(Fraction(1, 2))
SCHEMA = Schema.from_json(
    {
        "label": "kind",
        "classes": ["ant", "bee", "cat"],
        "columns": [
            {"name": "a", "kind": "numeric", "lower": 0, "upper": 1},
            {"name": "b", "kind": "numeric", "lower": 0, "upper": 1},
        ],
    }
)


def records(n: int, seed: int = 0) -> tuple[dict[str, list[float]], list[str]]:
    rng = np.random.default_rng(seed)
    a, b = rng.random(n), rng.random(n)
    names = np.where(a < 0.4, "ant", np.where(b < 0.5, "bee", "cat"))
    return {"a": a.tolist(), "b": b.tolist()}, names.tolist()


def counts(models: int, classes: int) -> list[tuple[int, ...]]:
    return [c for c in product(range(models + 1), repeat=classes) if sum(c) == models]


def drawn(votes: tuple[int, ...], ratio: Fraction = HALF) -> dict[int, Fraction]:
    table = np.array([votes], dtype=np.int64)
    return law(lambda coins: int(PluralityLaw(ratio).draw(table, coins)[0]))


@claims({"votes": (4, 4, 1)}, plurality_chances=changed(lambda chances: chances[::-1]))
@pytest.mark.parametrize("votes", [*counts(3, 3), (5, 0, 0), (4, 4, 1), (2, 1, 1, 0), (0, 0, 3, 1, 1)])
def test_the_code_has_the_law_of_the_formula(votes: tuple[int, ...]) -> None:
    chances = plurality_chances(votes, ratio=HALF)
    assert sum(chances) == 1
    assert {h: p for h, p in enumerate(chances) if p} == drawn(votes)


@pytest.mark.parametrize(("models", "classes"), [(1, 3), (2, 3), (3, 3), (5, 3), (9, 3), (3, 4), (4, 5)])
def test_a_changed_vote_loses_at_most_epsilon_and_more_than_three_quarters_of_it(
    models: int, classes: int
) -> None:
    worst = Fraction(0)
    for votes in counts(models, classes):
        before = plurality_chances(votes, ratio=HALF)
        for loses, wins in product(range(classes), repeat=2):
            if votes[loses] and loses != wins:
                moved = [v - (c == loses) + (c == wins) for c, v in enumerate(votes)]
                after = plurality_chances(moved, ratio=HALF)
                worst = max(worst, *(q / p for p, q in zip(before, after, strict=True)))
    assert worst <= HALF**-2
    assert 0.75 < math.log(worst) <= 1


def test_two_classes_and_an_even_number_of_models_are_the_vote_itself() -> None:
    for votes in counts(4, 2):
        assert plurality_chances(votes, ratio=HALF)[1] == VoteLaw(4, HALF**2).chances[votes[1]]
    # With an odd number the vote of two classes is better, which is why it stays.
    for votes in counts(5, 2):
        wrong = min(plurality_chances(votes, ratio=HALF))
        assert VoteLaw(5, HALF**2).chances[min(votes)] < wrong


@claims({"votes": (20, 3, 2)}, plurality_wrong=scaled(0.5))
@pytest.mark.parametrize("votes", [*counts(4, 3), (20, 3, 2), (9, 8, 8, 0), (30, 0, 0, 0, 0)])
def test_the_error_is_within_its_bound_and_not_within_half_of_it(votes: tuple[int, ...]) -> None:
    wrong = 1 - max(plurality_chances(votes, ratio=HALF))
    bound = plurality_wrong(votes, ratio=HALF)
    assert wrong <= bound
    assert wrong > bound / 2


def test_many_rows_at_once_have_the_same_law() -> None:
    votes = np.tile(np.array([[4, 3, 1]]), (20_000, 1))
    answers = PluralityLaw(HALF).draw(votes, SeededCoins(3))
    shares = np.bincount(answers, minlength=3) / len(answers)
    expected = [float(p) for p in plurality_chances((4, 3, 1), ratio=HALF)]
    assert np.abs(shares - expected).max() < 5 * 0.5 / math.sqrt(len(answers))
    assert len(PluralityLaw(HALF).draw(votes[:0], SeededCoins(3))) == 0


def test_answers_that_are_no_class_and_failures_count_as_the_commonest_class_of_the_block() -> None:
    class Odd(DecisionTreeClassifier):
        def predict(self, X):
            return np.full(len(X), 7)

    class Silent(SVC):
        def predict(self, X):
            raise ValueError("secret")

    table, _ = records(60)
    names = [SCHEMA.classes[1]] * 40 + [SCHEMA.classes[0]] * 20
    sample = MemorySample.of(table, SCHEMA, y=names)
    for estimator in (Odd(), Silent()):
        voters = Classifiers(SCHEMA, estimator)
        tally = voters.tally([voters.train(sample), Voter(2)], sample.block().cells)
        assert (tally == [0, 1, 1]).all()
