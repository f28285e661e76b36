"""Learning where only labels are private."""

from __future__ import annotations

from fractions import Fraction

from privpac.constructions.class_facts import ONE_WAY, ClassFacts
from privpac.constructions.commands import learn_command
from privpac.constructions.option import Need, Option
from privpac.constructions.wish import Wish
from privpac.numbers.binomial import first_whole
from privpac.theory.listing import MOST_SEPARATED

__all__ = ["OPTIONS"]

PLACE = 70

MOST_VC = 100
MOST = 10**12


def _cuts(concepts: ClassFacts) -> bool:
    return concepts.kind == "thresholds" and concepts.vc == 1


def _label_thresholds(wish: Wish) -> Need:
    from privpac.constructions.labels.formulas import records_label_thresholds

    return Need(records_label_thresholds(**wish.goal, ties=True))


def _label_thresholds_at(wish: Wish, n: int) -> Need | None:
    from privpac.constructions.labels.formulas import proves_label_thresholds

    enough = proves_label_thresholds(n, **wish.goal)
    return Need(n) if enough else None


def _small(concepts: ClassFacts) -> bool:
    return concepts.vc <= MOST_VC and concepts.kappa is None and concepts.kind not in ONE_WAY


def _label_cover_at(wish: Wish, n: int) -> Need | None:
    """A cover has no more members than there are labellings of the records."""
    from privpac.constructions.labels.formulas import proves_label_cover
    from privpac.theory.vc import ln_growth

    vc = wish.concepts.vc
    enough = proves_label_cover(
        n,
        vc=vc,
        log_cover=ln_growth(n, vc=vc),
        **wish.goal,
    )
    return Need(n) if enough else None


def _label_cover(wish: Wish) -> Need | None:
    start = int(10 * wish.concepts.vc / (wish.error * min(Fraction(1), wish.epsilon)))
    n = first_whole(lambda n: n > MOST or _label_cover_at(wish, n) is not None, start=start, smallest=1)
    return Need(n) if n <= MOST else None


LABELS_ONLY = ("thresholds", "intervals", "unions", "rectangles", "points", "stumps", "halfspaces")
"""Classes whose labellings of the records are drawn from; trees protect labels in another way."""


def _label_command(wish: Wish, need: Need) -> str | None:
    concepts = wish.concepts
    if concepts.kind not in LABELS_ONLY:
        return None
    # Half-planes are listed, of few points; in other dimensions nothing lists half-spaces.
    if concepts.kind == "halfspaces" and (concepts.parts != 2 or need.labelled > MOST_SEPARATED):
        return None
    return learn_command(wish, need, options="--protect labels")


OPTIONS: tuple[Option, ...] = (
    Option(
        "label-thresholds",
        "one draw from cuts at every few records; features are public",
        "realizable",
        "labels",
        True,
        "label-thresholds",
        _label_thresholds,
        serves=_cuts,
        at=_label_thresholds_at,
        command=_label_command,
    ),
    Option(
        "label-cover",
        "one draw from the labellings of the records; features are public",
        "realizable",
        "labels",
        True,
        "label-cover",
        _label_cover,
        serves=_small,
        at=_label_cover_at,
        command=_label_command,
    ),
)
