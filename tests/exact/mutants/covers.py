"""Faults in linear scores, covers and label privacy."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

from privpac.audit.exact import Case
from privpac.audit.registry import records_of, sample_of, tiny_schema
from privpac.audit.symmetry import Record
from privpac.coins import Coins
from privpac.concepts.halfspaces import Halfspaces, Scorecards
from privpac.guarantee import rules
from privpac.learners.occam import Occam
from privpac.theory.exact import ratio_for

ONE = Fraction(1)
CLAIM = rules.exponential_mechanism(ratio=ratio_for(Fraction(1, 2))).fact


def directions_from_the_data() -> Case:
    """Keeps only directions that point along some record: which ones are possible tells who is there."""
    schema = tiny_schema(3, 3)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        seen = {(int(str(a)) - 1, int(str(b)) - 1) for a, b, _ in data} - {(0, 0)}
        directions = tuple(sorted(seen)) or ((1, 1),)
        return Occam(Halfspaces(schema, ("a", "b"), directions, levels=3), ONE).learn(
            sample_of(schema, data), coins
        )

    return Case("directions from the data", run, records_of(schema), 2, CLAIM)


def levels_from_the_data() -> Case:
    """Scales a column by its largest value: one record moves the levels of all others."""
    schema = tiny_schema(5)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        largest = max(1, *(int(str(record[0])) for record in data))
        scaled = [(int(str(a)) * 4 // largest, y) for a, y in data]
        return Occam(Scorecards(schema, count=1, points=1, levels=5), ONE).learn(
            sample_of(schema, scaled), coins
        )

    return Case("levels from the data", run, records_of(schema), 3, CLAIM)


MUTANTS: dict[str, Callable[[], Case]] = {
    "directions_from_the_data": directions_from_the_data,
    "levels_from_the_data": levels_from_the_data,
}
