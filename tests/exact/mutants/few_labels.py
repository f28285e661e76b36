"""Faults in relabelling and in asking for labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from privpac.audit.exact import Case, Record
from privpac.audit.registry import sample_of
from privpac.coins import Coins
from privpac.guarantee.facts import Loss, Privacy
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Listed
from privpac.theory.exact import ratio_for
from tests.exact.adversaries import finite, isolated

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


MUTANTS: dict[str, Callable[[], Case]] = {
    "clamps_scores_when_relabelling": clamped,
    "forgets_that_points_make_the_labellings": _forgets_the_points,
    "pays_for_the_draw_of_labels_only": _pays_for_the_draw_only,
}
