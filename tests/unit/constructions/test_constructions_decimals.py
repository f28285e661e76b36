"""Decimals of sampling, relabelling, votes and floors that were worked out beforehand, to the digits given."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from privpac.constructions.few_labels import formulas as few_labels
from privpac.constructions.prediction import formulas as prediction
from privpac.constructions.stable import stable
from privpac.guarantee import rules
from privpac.guarantee.facts import Loss
from privpac.numbers.exact import ratio_for

ONE = Fraction(1)


def label_boost(base: float, rounds: list[tuple[float, float, float]]) -> list[float]:
    """The recursion over rounds (draw, kept labelled, kept others), from the end: labelled, and each block."""
    later, blocks = base, []
    for draw, labelled, others in reversed(rounds):
        blocks.append(math.log1p(others * (4 * math.exp(later) - 1)))
        later = math.log1p(labelled * (math.exp(later) * (1 + math.exp(draw / 2)) ** 2 - 1))
    return [later, *reversed(blocks)]


def vote_needs(error: float, models: int) -> float:
    """The average error of the models at which a vote at epsilon 1 errs by `error`."""
    wrong = [float(prediction.vote_wrong(w, models=models, ratio=ratio_for(ONE))) for w in range(models + 1)]
    slope = max((wrong[w] - wrong[0]) / w for w in range(1, models + 1))
    return (error - wrong[0]) / (models * slope)


def growth_of_vote(models: int) -> float:
    """c(r): what the vote's error grows by per average error of its models."""
    x = ratio_for(ONE)
    return (
        float(
            prediction.vote_error("0.02", models=models, ratio=x)
            - prediction.vote_error("0.01", models=models, ratio=x)
        )
        * 100
    )


def cor1_share(epsilon: float, flip: float) -> float:
    return min(1.0, flip * math.expm1(epsilon) / (1 - 2 * flip))


def shared(q: float, flip: float, answers: int) -> float:
    """Answers from one hypothesis, together: ln((1 - q)·e + q·((1 - flip)/flip)^Q)."""
    return math.log((1 - q) * math.e + q * ((1 - flip) / flip) ** answers)


CLOSE: dict[str, tuple[Callable[[], float], float, float]] = {
    "with replacement as printed": (lambda: math.log(244), 5.497, 1e-3),
    "a labelled record": (lambda: float(few_labels.label_boost_loss(1, draw=1)), 2.94815, 1e-5),
    "its factor": (lambda: math.exp(float(few_labels.label_boost_loss(1, draw=1)) - 1), 7.0157, 1e-4),
    "its factor as printed, and rounded up": (lambda: 4 * math.e - 10.87 + math.e**3 - 20.09, 0.0, 1e-2),
    "its factor at a draw of 3": (lambda: (1 + math.exp(1.5)) ** 2, 30.05, 1e-2),
    "its factor at a draw of 3 as printed": (lambda: 4 * math.e**3, 80.3, 0.05),
    "a labelled record and one without": (lambda: math.log(4) + 1, 2.386, 5e-4),
    "a labelled record behind a clamp, in the limit": (
        lambda: 2 * math.exp(0.5) * (1 + math.exp(0.5)),
        8.734,
        1e-3,
    ),
    "one round, 2 of 3 and 2 of 3": (lambda: label_boost(1, [(1, 2 / 3, 2 / 3)])[0], 2.569, 1e-3),
    "the same, others": (lambda: label_boost(1, [(1, 2 / 3, 2 / 3)])[1], 2.026, 1e-3),
    "labelled kept if nothing follows": (lambda: math.expm1(1) / ((1 + math.exp(0.5)) ** 2 - 1), 0.286, 5e-4),
    "star entries by sampling alone": (lambda: math.expm1(1) / (4 - 1), 0.573, 5e-4),
    "star entries as printed": (lambda: math.expm1(1) / (4 + math.e - math.e / 4 - 1), 0.341, 5e-4),
    "a group's factor, ten thousand voters": (
        lambda: 2 * math.exp(0.05) * (1 + math.exp(0.05)) * math.exp(0.1 * 10000 / 2061),
        7.01,
        5e-3,
    ),
    "the same without the refinement": (lambda: 4 * math.exp(0.1 * 12061 / 2061), 7.18, 5e-3),
    "keys by rejection, certified for even marginals": (
        lambda: math.log(1 + Fraction(1, 9) / Fraction(2, 7)),
        0.32850,
        1e-5,
    ),
    "and lost with the rarest one": (lambda: math.log(1 + Fraction(1, 9) * 6), 0.51083, 1e-5),
    "the draw for a stability": (
        lambda: float(stable.draw_epsilon_for("0.1", share="0.05")),
        0.21072,
        1e-5,
    ),
    "flips that remove a delta": (
        lambda: float(prediction.flip_for(1 / ratio_for(Fraction(1, 10)), delta=Fraction(1, 10**6))) * 1e6,
        9.50815,
        1e-4,
    ),
    "the share that flips remove": (lambda: cor1_share(1, 0.025), 0.0452179, 1e-7),
    "that share is one at most (18.4 uncapped)": (lambda: cor1_share(5, 0.1), 1.0, 0.0),
    "the error of a vote": (
        lambda: float(prediction.vote_error("0.0549", models=5, ratio=ratio_for(ONE))),
        0.09996,
        1e-5,
    ),
    "the printed vote errs less than asked": (
        lambda: float(prediction.vote_error("0.025", models=23, ratio=ratio_for(ONE))),
        0.0399,
        1e-4,
    ),
    "growth of five models": (lambda: growth_of_vote(5), 1.16, 5e-3),
    "growth of 23 models": (lambda: growth_of_vote(23), 1.59, 5e-3),
    "models of a vote of 0.1": (lambda: vote_needs(0.1, 5), 0.0549, 1e-4),
    "models of a vote of 0.05": (lambda: vote_needs(0.05, 7), 0.0292, 1e-4),
    "models of a vote of 0.01": (lambda: vote_needs(0.01, 11), 0.0058, 1e-4),
    "two answers of one hypothesis, at most": (lambda: shared(0.25, 0.1127, 2), 2.864, 5e-3),
    "three answers": (lambda: shared(0.25, 0.1127, 3), 4.821, 5e-3),
    "two answers, 22 records": (lambda: shared(1 / 22, 0.0251, 2), 4.263, 5e-3),
    "three answers, 22 records": (lambda: shared(1 / 22, 0.0251, 3), 7.885, 5e-3),
    "the factor of Theorem 2 as printed": (lambda: 4 * math.e**6, 1614, 0.5),
    "private predictions, y·artanh(1 - y)": (
        lambda: max(y * math.atanh(1 - y) for y in (k / 10**4 for k in range(1, 10**4))),
        0.2785,
        1e-4,
    ),
    "where labels_floor is at least what is printed": (
        lambda: (1 - 2 * 0.179) ** 2 / (8 * (1 - 0.179)) * 16,
        1.0,
        5e-3,
    ),
    "labels at failure 1/20": (lambda: 8 * 0.95 / 0.9**2, 9.4, 0.05),
    "labels at failure 1/4": (lambda: 8 * 0.75 / 0.5**2, 24.0, 0.0),
    "records per question": (lambda: math.expm1(1) / math.expm1(0.1), 16.3, 0.05),
    "records per question as printed": (lambda: (3 + math.exp(2)) / 0.1, 103.9, 0.05),
    "a random part of two of five": (lambda: math.log1p(2 / 5 * math.expm1(2)), 1.2685, 1e-4),
    "the best split for candidates, 1/(l²(1 - l))": (lambda: 1 / ((2 / 3) ** 2 / 3), 6.75, 1e-9),
}


@pytest.mark.parametrize("name", CLOSE)
def test_decimals(name: str) -> None:
    found, wanted, near = CLOSE[name]
    assert found() == pytest.approx(wanted, abs=near)


def test_delta_grows_with_replacement_by_what_was_worked_out() -> None:
    proof = rules.exponential_mechanism(ratio=ratio_for(Fraction(1, 2)))
    inner = rules.declared(proof, epsilon=ONE, delta=Fraction(1, 10**6))
    outer = rules.sampling_with_replacement(inner, draws=1000, of=1000).fact
    assert float(outer.delta * 10**6) == pytest.approx(2.65773, abs=1e-5)
    assert outer.epsilon <= Loss(log=Fraction("1.71681"))


def test_the_best_draw_of_labels() -> None:
    """1.34 if nothing follows, 1.43 if epsilon 1 follows; 1.48, which was worked out for that, is the limit when much
    more follows. At 1 the labels kept are worth 4 to 8 % less."""
    for later, best in ((0.0, 1.34), (1.0, 1.43), (20.0, 1.48)):

        def worth(draw: float, later: float = later) -> float:
            return draw / (math.exp(later) * (1 + math.exp(draw / 2)) ** 2 - 1)

        found = max((k / 1000 for k in range(100, 4000)), key=worth)
        assert found == pytest.approx(best, abs=0.01)
        assert 0.92 <= worth(1.0) / worth(found) <= 0.965
