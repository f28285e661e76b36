"""Rows of the generic learner: one of its parts is fixed, and the other has every neighbour."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.finite import Finite
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.cases import (
    Case,
    Record,
    cells_only,
    records_of,
    sample_of,
    tiny_schema,
)
from privpac.constructions.few_labels.generic import GenericLearner
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.semi import SemiSample
from privpac.guarantee.facts import Privacy
from privpac.guarantee.parts import LABELLED, UNLABELLED

__all__ = ["ROWS", "generic_case"]

PLACE = 130

ONE = Fraction(1)


def generic_case(
    name: str, learner: GenericLearner, *, part: str, others: tuple[Record, ...], n: int
) -> Case:
    """GenericLearner with one part fixed and every neighbour of the other."""
    schema = learner.concepts.schema

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        labelled, bare = (data, others) if part == LABELLED else (others, data)
        cells = sample_of(schema, bare).block().cells
        unlabelled = MemorySample.from_cells(schema, cells)
        return learner.learn(SemiSample(sample_of(schema, labelled), unlabelled), coins)

    def certified(records: int) -> Privacy:
        sizes = Size(records, len(others)) if part == LABELLED else Size(len(others), records)
        return learner.certify(sizes).parts[part]

    records = records_of(schema) if part == LABELLED else cells_only(schema.columns[0].size)
    return Case(name, run, records, n, certified(n), certified=certified)


def _generic(part: str) -> Case:
    schema = tiny_schema(3)
    learner = GenericLearner(Thresholds(schema, "a"), ONE, Fraction(1, 2))
    others, n = (((0, 0),), 2) if part == LABELLED else (((0, 0), (2, 1)), 2)
    return generic_case(f"generic thresholds, {part}", learner, part=part, others=others, n=n)


def _generic_finite() -> Case:
    schema = tiny_schema(2)
    learner = GenericLearner(Finite(schema, ["False", "a >= 1", "a < 1"]), ONE)
    return generic_case("generic predicates", learner, part=UNLABELLED, others=((0, 1), (1, 0)), n=2)


ROWS: Mapping[str, Callable[[], Case]] = {
    "generic-thresholds-labelled": lambda: _generic(LABELLED),
    "generic-thresholds-unlabelled": lambda: _generic(UNLABELLED),
    "generic-finite": _generic_finite,
}
