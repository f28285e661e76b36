"""Points in public numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from privpac.constructions import catalogue
from privpac.constructions.class_facts import MOST_BITS, OWNER, ClassFacts, Description, Kinds
from privpac.errors import ParameterError
from privpac.numbers.parameters import at_least

__all__ = ["KINDS"]

PLACE = 1


def _points(rest: str, description: Description) -> ClassFacts:
    name, way = _point_way(rest, description)
    cells = description.cells(name, "points:COLUMN")
    facts = ClassFacts.on_a_line(f"points:{name or 'COLUMN'}", "points", cells, 1, cells, named=bool(name))
    return replace(facts, way=way)


def _point_way(rest: str, description: Description) -> tuple[str, str]:
    """The column and the one way that was asked for, if any; a column whose name ends like a way is that column."""
    ways = sorted({option.way for option in catalogue.options() if option.way})
    if ":" not in rest or (description.schema is not None and rest in description.schema.names):
        return ("", rest) if rest in ways and description.schema is None else (rest, "")
    name, _, way = rest.rpartition(":")
    if way not in ways:
        raise ParameterError(
            OWNER,
            "concepts",
            f"points:{rest}",
            allowed="points:COLUMN or points:COLUMN:WAY, WAY one of " + ", ".join(ways),
            remedy="Other ways fail too often for a promise.",
        )
    return name, way


def _generator(rest: str, description: Description) -> ClassFacts:
    """Points a public generator makes of few bits."""
    name, _, count = rest.rpartition(":")
    bits = at_least(1, count or description.need_bits("generated:BITS"), owner=OWNER, name="bits of the seed")
    if bits > MOST_BITS:
        raise ParameterError(OWNER, "bits of the seed", bits, allowed=f"at most {MOST_BITS}")
    word = f"generated:{name or 'COLUMN'}:{bits}"
    return ClassFacts(word, "generated", 2**bits, Fraction(2**bits - 1), 1, 1, named=bool(name))


KINDS: Kinds = {
    "points": ("points --bits B", _points),
    "generated": ("generated:BITS", _generator),
}
