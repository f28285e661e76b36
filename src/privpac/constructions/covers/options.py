"""Continuous features under a density bound."""

from __future__ import annotations

from fractions import Fraction

from privpac.constructions.commands import learn_command
from privpac.constructions.covers.candidates import records_candidates
from privpac.constructions.covers.floors import (
    floor_label_chain,
    floor_label_halfspaces,
    floor_label_packing,
    floor_thresholds_smooth,
    least_failure_label_chain,
    least_failure_thresholds_smooth,
)
from privpac.constructions.option import FloorRow, Need, Option, cells_of, protects_whole_records
from privpac.constructions.wish import Wish
from privpac.guarantee.facts import Against
from privpac.numbers.exact import decimal_text

__all__ = ["FLOORS", "OPTIONS"]

PLACE = 60


def _dimension(wish: Wish) -> int | None:
    return wish.concepts.parts if wish.concepts.kind == "sphere" else None


def _reference(against: Against, source: str) -> Option:
    """As many as the learner asks for: its covers are a little larger than those of the theorem."""

    def needs(wish: Wish) -> Need | None:
        assert wish.concepts.kappa is not None
        need = records_candidates(
            wish.concepts.kappa, **wish.goal, dimension=_dimension(wish), against=against
        )
        return None if need is None else Need(need)

    def command(wish: Wish, need: Need) -> str | None:
        """The word promises an error of a tenth unless it says another one."""
        columns = ",".join(["COLUMN"] * (_dimension(wish) or 1))
        noisy = ":agnostic" if against is Against.AGNOSTIC else ""
        error = "" if wish.error == USUAL else f":{decimal_text(wish.error)}"
        return learn_command(wish, need, concepts=f"reference:{columns}{noisy}{error}")

    return Option(
        "reference-cover",
        "one draw from a cover of a public reference distribution",
        source,
        needs,
        setting="agnostic" if against is Against.AGNOSTIC else "realizable",
        serves=lambda concepts: concepts.kappa is not None,
        command=command,
    )


USUAL = Fraction(1, 10)
"""The error of the word alone, as of `ReferenceCover`."""

OPTIONS: tuple[Option, ...] = (
    _reference(Against.REALIZABLE, "reference-cover-realizable"),
    _reference(Against.AGNOSTIC, "reference-cover-agnostic"),
)


def _smooth(option: Option, wish: Wish) -> bool:
    dense = wish.concepts.kind == "reference" and (wish.concepts.kappa or 0) >= 2
    return protects_whole_records(option) and option.proper and dense


def _smooth_records(wish: Wish) -> int:
    assert wish.concepts.kappa is not None
    return floor_thresholds_smooth(wish.concepts.kappa, **wish.goal)


def _smooth_exclude(wish: Wish, n: int) -> bool:
    assert wish.concepts.kappa is not None
    least = least_failure_thresholds_smooth(n, kappa=wish.concepts.kappa, **wish.without("failure"))
    return least > wish.failure


def _label_private_line(option: Option, wish: Wish) -> bool:
    """Cuts are members of all these classes, and cuts far enough apart must be distinguished, whatever rule answers.

    Who hides whole records hides their labels. Records without labels, or labels that a learner asks for by itself, are
    not what is counted.
    """
    line = wish.concepts.kind in ("thresholds", "intervals", "unions")
    return option.protects in ("records", "labels") and option.pure and not option.pool and line


def _step(wish: Wish) -> int:
    """Under the uniform distribution on the cells, cuts this many cells apart differ on more than 2·error."""
    return int(2 * wish.error * cells_of(wish)) + 1


def _label_records(wish: Wish) -> int:
    """All such cuts."""
    return floor_label_packing(cells_of(wish) // _step(wish) + 1, **wish.without("error"))


def _chains(wish: Wish) -> list[tuple[int, Fraction]]:
    """Of such cuts only some neighbours, and the share of cells between the outermost two."""
    cells, step = cells_of(wish), _step(wish)
    spans = ((number + 1, Fraction(number * step, cells)) for number in range(1, MOST_NEIGHBOURS + 1))
    return [(packing, span) for packing, span in spans if span < 1]


def _chain_records(wish: Wish) -> int:
    numbers = wish.without("error")
    return max((floor_label_chain(size, span=span, **numbers) for size, span in _chains(wish)), default=0)


def _chain_excludes(wish: Wish, n: int) -> bool:
    return any(
        least_failure_label_chain(n, packing=packing, span=span, epsilon=wish.epsilon) > wish.failure
        for packing, span in _chains(wish)
    )


MOST_NEIGHBOURS = 16
"""Steps between the outermost cuts that are tried: more of them lie too far apart to be worth it."""


def _sphere(option: Option, wish: Wish) -> bool:
    """Whole records are protected with their labels, and the uniform sphere is among the densities."""
    return wish.concepts.kind == "sphere" and option.pure and option.protects in ("records", "labels")


def _sphere_records(wish: Wish) -> int:
    return 0 if wish.error >= Fraction(1, 4) else floor_label_halfspaces(wish.concepts.parts, **wish.goal)


FLOORS: tuple[FloorRow, ...] = (
    FloorRow(70, "floor-thresholds-smooth", _smooth, _smooth_records, _smooth_exclude),
    FloorRow(75, "floor-label-halfspaces", _sphere, _sphere_records),
    FloorRow(78, "floor-label-chain", _label_private_line, _chain_records, _chain_excludes),
    FloorRow(80, "floor-label-packing", _label_private_line, _label_records),
)
