"""Learning where only labels are private: what `learn --protect labels` certifies."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from privpac.concepts.grids import boxes_fit
from privpac.constructions.class_facts import DICHOTOMIES, ClassFacts, can_list, dimension, members_from
from privpac.constructions.commands import learn_command
from privpac.constructions.option import Need, Option, Setting, fewest
from privpac.constructions.wish import Wish
from privpac.numbers.exact import ratio_for
from privpac.theory.occam import error_occam, excess_agnostic
from privpac.theory.vc import growth

__all__ = ["OPTIONS"]

PLACE = 70

LABELS_ONLY = tuple(kind for kind in DICHOTOMIES if kind != "scorecards")
"""Classes that `--protect labels` is for: their labellings of the records are drawn from, or their members."""


def _are_fewer(concepts: ClassFacts, n: int) -> bool:
    """As `labels.classes.are_fewer` says of the class itself."""
    first = members_from(concepts)
    drawn = can_list(concepts, points=n) and (first is None or n < first)
    return drawn and growth(n, vc=concepts.vc) < concepts.size


@lru_cache(maxsize=4096)
def _errors(concepts: ClassFacts, n: int, epsilon: Fraction, failure: Fraction) -> dict[str, Fraction]:
    """What is certified for this many records, by setting; nothing where that is void."""
    from privpac.constructions.labels.promises import Labellings

    ratio = ratio_for(epsilon / 2)
    if not _are_fewer(concepts, n):
        size = concepts.odds + 1
        return {
            "realizable": error_occam(n, size=size, failure=failure, ratio=ratio),
            "agnostic": excess_agnostic(n, size=size, failure=failure, ratio=ratio),
        }
    labellings = Labellings(
        records=n,
        odds=concepts.odds,
        size=concepts.size,
        vc=dimension(concepts, counted=n),
        is_chain=concepts.kind == "thresholds" and concepts.vc == 1,
        ratio=ratio,
        failure=failure,
    )
    return {proof.fact.against.value: proof.fact.error for proof in labellings.promises()}


class _Labels(NamedTuple):
    """The draw that protects labels, in one setting, as a plan asks for it."""

    setting: Setting

    def error(self, wish: Wish, n: int) -> Fraction:
        """The error that is certified for this many records; 1 where that is void."""
        found = _errors(wish.concepts, n, wish.epsilon, wish.failure)
        return found.get(self.setting, Fraction(1))

    def at(self, wish: Wish, n: int) -> Need | None:
        """Whether this many records are enough."""
        return Need(n) if self.error(wish, n) <= wish.error else None

    def needs(self, wish: Wish) -> Need | None:
        """The first number of records that is."""
        start = int(10 * wish.concepts.vc / (wish.error * min(Fraction(1), wish.epsilon)))
        return fewest(wish, self.at, start=start)


def _command(wish: Wish, need: Need) -> str | None:
    concepts = wish.concepts
    fits = not concepts.groups or boxes_fit(concepts.groups, need.labelled)
    if not fits and not _are_fewer(concepts, need.labelled):
        return None
    return learn_command(wish, need, options="--protect labels")


def _draw(setting: Setting) -> Option:
    labels = _Labels(setting)
    return Option(
        "labels",
        "one draw from the labellings of the records, or from the class if it is smaller; features are public",
        f"labellings-{setting}",
        labels.needs,
        setting=setting,
        protects="labels",
        serves=lambda concepts: concepts.kind in LABELS_ONLY and concepts.kappa is None,
        at=labels.at,
        error=labels.error,
        command=_command,
    )


OPTIONS: tuple[Option, ...] = (_draw("realizable"), _draw("agnostic"))
