"""Inner algorithms that lose all they may: a certificate that withstands them withstands every other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from privpac.audit.exact import Case
from privpac.audit.registry import sample_of, tiny_schema
from privpac.audit.symmetry import Record
from privpac.coins import Coins
from privpac.concepts.finite import Finite
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.guarantee.facts import Loss, Privacy
from privpac.theory.exact import ratio_for
from privpac.transforms.active import Active, Questions
from privpac.transforms.label_boost_procedure import LabelBoostProcedure

ONE = Fraction(1)
_NOBODY: Any = None  # drawing positions needs no learner


def records_in(sample: Sample) -> tuple[Record, ...]:
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
        relabelled = procedure.relabel(labelled, others, coins)
        return says_yes(records_in(relabelled), targets, ratio, coins)

    factor = (Fraction(4) if unlabelled else (1 + 1 / ratio_for(draw / 2)) ** 2) / ratio
    return Case("relabelling of isolated groups", run, ((1, 0), (2, 0)), 1, Privacy(Loss(factor=factor)))


def without_labels(sample: MemorySample) -> MemorySample:
    block = sample.block()
    return MemorySample(sample.schema, cells=block.cells, labels=None, n=block.n)


Picker = Callable[[int, int, int, Coins], Questions]
"""(records, kept, asked, coins) -> whom to ask, and who else is kept, in the order the base gets them."""


def random_positions(records: int, kept: int, asked: int, coins: Coins) -> Questions:
    """What ships."""
    return Active(_NOBODY, records, kept, asked, ONE).ask(coins)


def smallest_positions(records: int, kept: int, asked: int, coins: Coins) -> Questions:
    """As printed: those asked are the smallest of the kept."""
    chosen = sorted(coins.subset(records, kept))
    return Questions(tuple(chosen[:asked]), tuple(chosen[asked:]))


def asking(
    pick: Picker, *, records: int, kept: int, asked: int, ratio: Fraction, values: tuple[int, int] = (1, 2)
) -> Case:
    """Values 0, 1, 2; the base says yes by how far it is from these values of those asked, and of the others kept."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        questions = pick(records, kept, asked, coins)
        away = sum(1 for i in questions.asked if data[i][0] != values[0])
        away += sum(1 for i in questions.kept if data[i][0] != values[1])
        return coins.flip(ratio**away / 4)

    factor = 1 + Fraction(kept, records) * (1 / ratio - 1)
    return Case("asking", run, ((0,), (1,), (2,)), records, Privacy(Loss(factor=factor)), ordered=True)
