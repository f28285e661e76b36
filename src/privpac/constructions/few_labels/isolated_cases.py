"""Rows for the procedure of LabelBoost against inner algorithms that lose all they may: equality, up to 10^-7."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from privpac.coins import Coins
from privpac.concepts.finite import Finite
from privpac.constructions.cases import Case, Record, sample_of, tiny_schema
from privpac.constructions.few_labels import rules as few_labels_rules
from privpac.constructions.few_labels.boost_procedure import LabelBoostProcedure
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import InMemory
from privpac.data.schema import Schema
from privpac.guarantee import rules
from privpac.guarantee.facts import Loss, Privacy
from privpac.numbers.exact import ratio_for

__all__ = ["ROWS", "finite", "isolated"]

PLACE = 90

ONE = Fraction(1)
RATIO = Fraction(1, 3)
"""Of the inner algorithm: strong enough to tell the groups apart even if labels were drawn at twice their epsilon."""


def records_in(sample: InMemory) -> tuple[Record, ...]:
    """The records of a sample with one column, in their order."""
    block = sample.block()
    (cells,) = block.cells.values()
    assert block.labels is not None
    return tuple(zip(cells.tolist(), block.labels.tolist(), strict=True))


def distance(one: Sequence[Record], other: Sequence[Record]) -> int:
    """How many records must be replaced."""
    return sum((Counter(one) - Counter(other)).values())


def says_yes(
    data: Sequence[Record], targets: Sequence[Sequence[Record]], ratio: Fraction, coins: Coins
) -> bool:
    """Yes with probability ratio^(distance to the nearest target)/4: (-ln ratio)-private, and not more."""
    return coins.flip(ratio ** min(distance(data, target) for target in targets) / 4)


def finite(cells: int, members: Sequence[Sequence[int]]) -> tuple[Schema, Finite]:
    """A class of arbitrary sets of cells."""
    schema = tiny_schema(cells)
    texts = [" or ".join(f"a == {cell}" for cell in member) or "False" for member in members]
    return schema, Finite(schema, texts)


BACKGROUND = 40
"""Records that tell the two groups of labellings apart: with these the quotient is within 10^-8 of its limit."""


def isolated(*, unlabelled: bool, ratio: Fraction, draw: Fraction = ONE) -> Case:
    """Two labellings of a frequent point, each with two extensions at one of two rare points and one at the other.

    The unlikely group is where the loss is: it doubles its extensions exactly where the likely one halves them.
    """
    schema, concepts = finite(3, [(0, 2), (0, 1, 2), (1,), (1, 2)])
    procedure = LabelBoostProcedure(concepts, draw)
    frequent = [(0, 0)] * BACKGROUND
    targets = [[(0, 1)] * BACKGROUND + [(1, label)] for label in (0, 1)]

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        rare = sample_of(schema, data)
        labelled = sample_of(schema, frequent if unlabelled else [*frequent, *data])
        others = (
            without_labels(rare) if unlabelled else without_labels(rare).take(np.empty(0, dtype=np.int64))
        )
        sample = procedure.relabel(labelled, others, coins)
        return says_yes(records_in(sample), targets, ratio, coins)

    factor = (Fraction(4) if unlabelled else (1 + 1 / ratio_for(draw / 2)) ** 2) / ratio
    return Case("relabelling of isolated groups", run, ((1, 0), (2, 0)), 1, Privacy(Loss(factor=factor)))


def without_labels(sample: MemorySample) -> MemorySample:
    """The same records without their labels."""
    block = sample.block()
    return MemorySample(sample.schema, cells=block.cells, labels=None, n=block.n)


def _isolated_case(*, unlabelled: bool) -> Case:
    """With the certificate of the rule, for an inner algorithm of the exponential mechanism's loss."""
    inner = rules.exponential_mechanism(ratio=RATIO)
    if unlabelled:
        claim = few_labels_rules.label_boost_unlabelled(inner, classes=2).fact
    else:
        claim = few_labels_rules.label_boost_labelled(inner, classes=2, ratio=ratio_for(ONE / 2)).fact
    part = "unlabelled" if unlabelled else "labelled"
    case = isolated(unlabelled=unlabelled, ratio=RATIO**2)
    return replace(case, name=f"relabelling of isolated groups, {part}", claim=claim)


ROWS: Mapping[str, Callable[[], Case]] = {
    "label-boost-isolated": lambda: _isolated_case(unlabelled=False),
    "label-boost-isolated-unlabelled": lambda: _isolated_case(unlabelled=True),
}
