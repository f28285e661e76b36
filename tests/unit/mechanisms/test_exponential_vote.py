"""The vote by exponential weights: its law and range, its errors, how many answers it gives, and whole predictors."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privpac import Schema, SeededCoins, Size
from privpac.coins import law
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.prediction import vote as voting
from privpac.constructions.prediction import vote_law
from privpac.constructions.prediction.vote import (
    Law,
    Vote,
    default_models,
    error_exponential_vote,
    exponential_vote_error,
)
from privpac.constructions.prediction.vote_law import exponential_vote_chances, exponential_vote_wrong
from privpac.constructions.prediction.voters import Concepts
from privpac.errors import RuleRefused
from privpac.mechanisms.exponential_vote import ExponentialVoteLaw
from privpac.numbers.exact import ratio_for
from tests.statistical.claims import changed, claims, scaled

HALF = ratio_for(Fraction(1, 2))


def _schema(classes: tuple[str, ...] = ("no", "yes")) -> Schema:
    column = {"name": "x", "kind": "numeric", "lower": 0, "upper": 1}
    return Schema.from_json({"label": "y", "classes": list(classes), "columns": [column]})


def counts(models: int, classes: int) -> list[tuple[int, ...]]:
    return [c for c in product(range(models + 1), repeat=classes) if sum(c) == models]


@claims({"votes": (4, 4, 1)}, exponential_vote_chances=changed(lambda chances: chances[::-1]))
@pytest.mark.parametrize("votes", [*counts(3, 2), *counts(3, 3), (5, 0, 0), (4, 4, 1), (2, 1, 1, 0)])
def test_the_code_has_the_law_of_the_formula(votes: tuple[int, ...]) -> None:
    table = np.array([votes], dtype=np.int64)
    drawn = law(lambda coins: int(ExponentialVoteLaw(HALF).draw(table, coins)[0]))
    assert drawn == dict(enumerate(exponential_vote_chances(votes, ratio=HALF)))


@claims({"models": 5}, exponential_vote_wrong=scaled(0.9))
@pytest.mark.parametrize("models", [1, 2, 5])
def test_two_classes_are_one_case_of_the_formula(models: int) -> None:
    for wrong in range(models + 1):
        chances = exponential_vote_chances((models - wrong, wrong), ratio=HALF)
        assert chances[1] == exponential_vote_wrong(wrong, models=models, ratio=HALF)


@pytest.mark.parametrize(("models", "classes"), [(1, 2), (5, 2), (3, 3), (6, 3), (4, 4)])
def test_a_changed_vote_moves_all_quotients_within_a_range_of_epsilon(models: int, classes: int) -> None:
    widest = Fraction(1)
    for votes in counts(models, classes):
        before = exponential_vote_chances(votes, ratio=HALF)
        for loses, wins in product(range(classes), repeat=2):
            if votes[loses] and loses != wins:
                moved = [v - (c == loses) + (c == wins) for c, v in enumerate(votes)]
                after = exponential_vote_chances(moved, ratio=HALF)
                quotients = [q / p for p, q in zip(before, after, strict=True)]
                widest = max(widest, max(quotients) / min(quotients))
                assert max(*quotients, *(1 / q for q in quotients)) <= HALF**-2
    assert widest == HALF**-2


def test_many_rows_at_once_have_the_same_law() -> None:
    for votes in ((4, 3), (4, 3, 1)):
        table = np.tile(np.array([votes]), (5_000, 1))
        answers = ExponentialVoteLaw(HALF).draw(table, SeededCoins(3))
        shares = np.bincount(answers, minlength=len(votes)) / len(answers)
        expected = [float(p) for p in exponential_vote_chances(votes, ratio=HALF)]
        assert np.abs(shares - expected).max() < 5 * 0.5 / math.sqrt(len(answers))
        assert len(ExponentialVoteLaw(HALF).draw(table[:0], SeededCoins(3))) == 0


@claims(exponential_vote_error=scaled(0.5), error_exponential_vote=scaled(0.2))
def test_the_error_is_promised_for_any_dependence_and_holds_for_the_worst() -> None:
    models, ratio = 7, Fraction(1, 2)
    for average in (Fraction(1, 10), Fraction(1, 4)):
        # Either no model errs or exactly W of them do: an average of `average`.
        worst = max(
            (1 - models * average / w) * exponential_vote_wrong(0, models=models, ratio=ratio)
            + models * average / w * exponential_vote_wrong(w, models=models, ratio=ratio)
            for w in range(1, models + 1)
            if w >= models * average
        )
        assert worst == exponential_vote_error(average, models=models, ratio=ratio)
    records, failure = 20_000, Fraction(1, 20)
    promised = error_exponential_vote(records, models=models, ratio=ratio, failure=failure, vc=1)
    noise = exponential_vote_wrong(0, models=models, ratio=ratio)
    assert noise < promised < Fraction(1, 10)
    simulated = _simulated(records, models, ratio)
    assert float(noise) * 0.95 <= simulated <= float(promised)
    assert simulated > float(promised) / 5


def _simulated(records: int, models: int, ratio: Fraction) -> float:
    """How often a vote of cuts learnt from labels x >= 1/2 errs, the coins of the vote averaged exactly."""
    rng = np.random.default_rng(5)
    x = rng.random(records)
    cuts = [block[block >= 0.5].min() for block in np.array_split(x, models)]
    asked = rng.random(20_000)
    wrong = sum((asked >= cut) != (asked >= 0.5) for cut in cuts)
    chances = np.array(
        [float(exponential_vote_wrong(w, models=models, ratio=ratio)) for w in range(models + 1)]
    )
    return float(chances[wrong].mean())


def test_nothing_is_proved_from_too_few_records() -> None:
    assert error_exponential_vote(3, models=5, ratio=HALF, failure=Fraction(1, 20), vc=1) == 1
    assert error_exponential_vote(50, models=5, ratio=HALF, failure=Fraction(1, 20), vc=1) == 1
    weighted = Vote(Concepts(Thresholds(_schema(), "x")), Fraction(1), 5, law=Law.EXPONENTIAL)
    assert weighted.certify(Size(50)).accuracy == ()
    assert len(weighted.certify(Size(50_000)).accuracy) == 1
    wide = Vote(Concepts(Thresholds(_schema(), "x")), Fraction(30), 501, law=Law.EXPONENTIAL)
    assert wide.certify(Size(501)).epsilon == 30


def test_the_number_of_models_makes_a_unanimous_vote_wrong_at_most_once_in_200_times() -> None:
    for price in ("0.1", "0.5", "1", "20"):
        epsilon = Fraction(price)
        models = default_models(10**6, epsilon, Law.EXPONENTIAL)
        ratio = ratio_for(epsilon / 2)
        assert exponential_vote_wrong(0, models=models, ratio=ratio) <= Fraction(1, 200)
        assert models % 2 == 1
        assert models == 1 or exponential_vote_wrong(0, models=models - 2, ratio=ratio) > Fraction(1, 200)


def test_what_rules_refuse() -> None:
    for refused in (
        lambda: vote_law.exponential_vote(ratio=Fraction(0), models=1, classes=2),
        lambda: vote_law.exponential_vote(ratio=HALF, models=0, classes=2),
        lambda: vote_law.exponential_vote(ratio=HALF, models=1, classes=1),
        lambda: voting.exponential_vote_accuracy(
            models=9, ratio=HALF, records=8, vc=1, failure=Fraction(1, 20)
        ),
        lambda: voting.exponential_vote_accuracy(models=1, ratio=HALF, records=8, vc=1, failure=Fraction(1)),
    ):
        with pytest.raises(RuleRefused):
            refused()
