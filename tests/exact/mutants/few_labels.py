"""Faults in relabelling and in asking for labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from privpac.audit.exact import Case, Record
from privpac.audit.registry import records_of, sample_of, tiny_schema
from privpac.coins import Coins
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.few_labels.cases import finite, isolated, label_boost_blocks
from privpac.guarantee.facts import Loss, Privacy
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Listed
from privpac.numbers.exact import ratio_for
from tests.exact.adversaries import asking, random_positions, smallest_positions

RATIO = ratio_for(Fraction(1, 2))
POINTS, CAP = 50, 3


def clamped(*, cap: int | None = CAP) -> Case:
    """Scores cut off above the best: two extensions of a labelling then weigh the same, and the proof fails.

    The points 0 … 49 occur once each with label 0; the changed record is (50, 0) or (51, 0).
    """
    units = [(i, 50, *rest) for i in range(POINTS) for rest in ((), (51,))]
    far = [(*range(CAP), *rest, 51) for rest in ((), (50,))]
    schema, concepts = finite(POINTS + 2, [(51,), *units, *far])
    background = [(i, 0) for i in range(POINTS)]

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = sample_of(schema, [*background, *data])
        dichotomies = concepts.dichotomies(sample)
        scores = dichotomies.mistakes(sample).scores  # type: ignore[attr-defined]
        if cap is not None:
            scores = np.minimum(scores, scores.min() + cap)
        labels = dichotomies.labels(gibbs.draw(Listed(scores), RATIO, coins), sample.block().cells)
        return tuple(labels[:POINTS].tolist())

    claim = Privacy(Loss(factor=(1 + 1 / RATIO) ** 2))
    return Case("relabelling with clamped scores", run, ((50, 0), (51, 0)), 1, claim)


def _forgets_the_points() -> Case:
    """Believes that points without labels cost nothing but what the base loses."""
    case = isolated(unlabelled=True, ratio=RATIO**2)
    return replace(case, claim=Privacy(Loss(factor=1 / RATIO**2)))


def _pays_for_the_draw_only() -> Case:
    """Believes that drawing labels costs what any exponential mechanism costs."""
    case = isolated(unlabelled=False, ratio=RATIO**2)
    return replace(case, claim=Privacy(Loss(factor=RATIO**-2 / RATIO**2)))


def _smallest() -> Case:
    """Asks the smallest of the kept positions, as printed, and believes in the number of random ones."""
    return asking(smallest_positions, records=5, kept=2, asked=1, ratio=ratio_for(Fraction(2)))


def _learns_twice() -> Case:
    """Two answers from the same people kept, each paid for as if they had been drawn anew."""
    ratio, kept, records = ratio_for(Fraction(2)), 2, 5

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        questions = random_positions(records, kept, 1, coins)
        common = sum(1 for i in (*questions.asked, *questions.kept) if data[i] == (0,))
        return tuple(coins.flip(ratio**common / 4) for _ in range(2))

    once = 1 + Fraction(kept, records) * (1 / ratio - 1)
    return Case(
        "two rules from one list", run, ((0,), (1,)), records, Privacy(Loss(factor=once**2)), ordered=True
    )


def _votes_twice() -> Case:
    """Lets the points that are relabelled vote on their own labels, for the price of those who only vote."""
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a")

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = sample_of(schema, data)
        dichotomies = concepts.dichotomies(sample)
        index = gibbs.draw(dichotomies.mistakes(sample), RATIO**2, coins)
        return tuple(dichotomies.labels(index, sample.block().cells).tolist())

    return Case(
        "voting on oneself", run, records_of(schema), 2, Privacy(Loss(factor=RATIO**-4)), ordered=True
    )


def _shares_the_delta() -> Case:
    """Believes that labelled records lose as little of the base's delta as the others, of which fewer are kept."""
    case = label_boost_blocks(others=2)
    return replace(case, records=((0, 1), (2, 1)), claim=replace(case.claim, delta=case.claim.delta / 2))


MUTANTS: dict[str, Callable[[], Case]] = {
    "clamps_scores_when_relabelling": clamped,
    "forgets_that_points_make_the_labellings": _forgets_the_points,
    "pays_for_the_draw_of_labels_only": _pays_for_the_draw_only,
    "asks_the_smallest_positions": _smallest,
    "learns_twice_from_one_list": _learns_twice,
    "votes_with_the_relabelled_points": _votes_twice,
    "shares_the_delta_of_the_others": _shares_the_delta,
}
