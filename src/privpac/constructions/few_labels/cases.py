"""Rows of learners of few labels: the first records of an input have labels, those of the others are not looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from privpac.coins import Coins
from privpac.concepts.finite import Finite
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.adversary import Adversary
from privpac.constructions.base import SemiLearner
from privpac.constructions.cases import (
    Case,
    Record,
    RememberedSample,
    cells_only,
    records_of,
    sample_of,
    tiny_schema,
)
from privpac.constructions.cuts.blocks import BlockCuts
from privpac.constructions.cuts.blocks_formulas import BlockPlan
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.active import Active
from privpac.constructions.few_labels.boost import (
    LabelBoost,
    Round,
    label_boost_labelled,
    label_boost_unlabelled,
    relabel,
)
from privpac.constructions.few_labels.generic import GenericLearner
from privpac.constructions.few_labels.methods import LabelsOnly
from privpac.constructions.few_labels.relabel import SSLRelabel, Votes
from privpac.constructions.wrappers.sampling import Resampled
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import InMemory, Size
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.guarantee import rules
from privpac.guarantee.facts import Loss, Privacy
from privpac.guarantee.parts import LABELLED, UNLABELLED
from privpac.numbers.exact import ratio_for

PLACE = 80

ONE = Fraction(1)


def semi_sample(
    schema: Schema, data: Sequence[Record], labelled: int, memory: dict[Hashable, Any]
) -> SemiSample:
    """The first `labelled` records with their labels, the others without."""
    first = RememberedSample(sample_of(schema, data[:labelled]), tuple(data[:labelled]), memory)
    return SemiSample(first, without_labels(sample_of(schema, data[labelled:])))


def semi_case(
    name: str, learner: SemiLearner, schema: Schema, size: Size, *, claim: Privacy | None = None
) -> Case:
    """A learner of few labels on every sequence of records: neighbours change one of them in its part."""
    memory: dict[Hashable, Any] = {}

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return learner.learn(semi_sample(schema, data, size.labelled, memory), coins)

    def certified(records: int) -> Privacy:
        """One record more is one without a label."""
        return claim or learner.certify(Size(size.labelled, records - size.labelled)).privacy.fact

    fact = certified(size.total)
    return Case(name, run, records_of(schema), size.total, fact, ordered=True, certified=certified)


def without_labels(sample: InMemory) -> MemorySample:
    """The same records without their labels."""
    return MemorySample.from_cells(sample.schema, sample.block().cells)


def _label_boost() -> Case:
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a")
    learner = LabelBoost(concepts, Occam(concepts, ONE), Round(ONE, 1, 1, 1), Fraction(5, 2))
    return semi_case("LabelBoost, one round", learner, schema, Size(2, 1))


def _label_boost_draws() -> Case:
    """The base gets independent draws from what was relabelled."""
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a", "either")
    base = Resampled(Occam(concepts, ONE), 1)
    learner = LabelBoost(concepts, base, Round(ONE, 1, 1, 1), Fraction(3))
    return semi_case("LabelBoost of cuts in both directions, resampled", learner, schema, Size(1, 1))


def _label_boost_twice() -> Case:
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a")
    second = LabelBoost(concepts, Occam(concepts, ONE), Round(ONE, 1, 1, 1), Fraction(6))
    learner = LabelBoost(concepts, second, Round(ONE, 1, 1, 1), Fraction(6))
    return semi_case("LabelBoost, two rounds", learner, schema, Size(1, 2))


def _ssl_relabel() -> Case:
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a")
    learner = SSLRelabel(concepts, Occam(concepts, ONE), Votes(ONE, 1, 2, 1, 2), Fraction(3))
    return semi_case("SSL-Relabel", learner, schema, Size(2, 2))


def _ssl_relabel_labelled() -> Case:
    """What the labelled part is promised: a base that repeats the label of its one point hides nothing of the vote."""
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a")
    base = Adversary(concepts, ((0, 1),), ratio=Fraction(1, 10**3))
    learner = SSLRelabel(concepts, base, Votes(Fraction(6), 1, 1, 10, 1), Fraction(100))
    bare = without_labels(sample_of(schema, [(0, 0)]))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return learner.learn(SemiSample(sample_of(schema, data), bare), coins)

    def certified(records: int) -> Privacy:
        return learner.certify(Size(records, 1)).parts[LABELLED]

    name = "SSL-Relabel, labelled part"
    return Case(name, run, records_of(schema), 3, certified(3), certified=certified)


def _blocks() -> BlockCuts:
    """A base that nearly loses its whole delta: a blank beside blocks that one record alone occupies."""
    cuts, plan = Thresholds(tiny_schema(3), "a"), BlockPlan(Fraction(1, 2), levels=2, stake=40, reach=1)
    return BlockCuts(cuts, Fraction(36, 25), Fraction(1, 21), plan=plan)


def label_boost_blocks(others: int = 1) -> Case:
    """The labelled record is kept, and one of this many others."""
    base = _blocks()
    learner = LabelBoost(base.concepts, base, Round(ONE, 1, others, 1), Fraction(4), base.delta)
    name = "LabelBoost, then a cut among blocks"
    return semi_case(name, learner, base.concepts.schema, Size(1, others))


def _ssl_relabel_blocks() -> Case:
    base = _blocks()
    learner = SSLRelabel(base.concepts, base, Votes(ONE, 1, 1, 1, 1), Fraction(4), base.delta)
    return semi_case("SSL-Relabel, then a cut among blocks", learner, base.concepts.schema, Size(1, 1))


def active_case(name: str, learner: Active, schema: Schema, *, claim: Privacy | None = None) -> Case:
    """Ask, answer with each record's own label, and learn; whoever looks sees the rule only."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = sample_of(schema, data)
        block = sample.block()
        questions = learner.ask(coins)
        bare = without_labels(sample)
        assert block.labels is not None
        return learner.learn(bare, questions, block.labels[list(questions.asked)], coins)

    fact = claim or learner.certify().privacy.premises[0].fact
    assert isinstance(fact, Privacy)
    return Case(name, run, records_of(schema), learner.records, fact)


def _active() -> Case:
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a")
    inner = LabelBoost(concepts, Occam(concepts, ONE), Round(ONE, 1, 1, 1), Fraction(3))
    return active_case("active learning with LabelBoost", Active(inner, 3, 2, 1, Fraction(3)), schema)


def _active_plain() -> Case:
    schema = tiny_schema(3)
    inner = LabelsOnly(Occam(Thresholds(schema, "a"), Fraction(2)))
    return active_case("active learning", Active(inner, 3, 2, 2, Fraction(2)), schema)


# --- the procedure of LabelBoost against inner algorithms that lose all they may: equality, up to 10^-7 ---

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
    frequent = [(0, 0)] * BACKGROUND
    targets = [[(0, 1)] * BACKGROUND + [(1, label)] for label in (0, 1)]

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        rare = sample_of(schema, data)
        labelled = sample_of(schema, frequent if unlabelled else [*frequent, *data])
        others = (
            without_labels(rare) if unlabelled else without_labels(rare).take(np.empty(0, dtype=np.int64))
        )
        sample = relabel(concepts, labelled, others, ratio=ratio_for(draw / 2), coins=coins)
        return says_yes(records_in(sample), targets, ratio, coins)

    factor = (Fraction(4) if unlabelled else (1 + 1 / ratio_for(draw / 2)) ** 2) / ratio
    return Case("relabelling of isolated groups", run, ((1, 0), (2, 0)), 1, Privacy(Loss(factor=factor)))


def _isolated_case(*, unlabelled: bool) -> Case:
    """With the certificate of the rule, for an inner algorithm of the exponential mechanism's loss."""
    inner = rules.exponential_mechanism(ratio=RATIO)
    if unlabelled:
        claim = label_boost_unlabelled(inner, classes=2).fact
    else:
        claim = label_boost_labelled(inner, classes=2, ratio=ratio_for(ONE / 2)).fact
    part = "unlabelled" if unlabelled else "labelled"
    case = isolated(unlabelled=unlabelled, ratio=RATIO**2)
    return replace(case, name=f"relabelling of isolated groups, {part}", claim=claim)


# --- the generic learner: one of its parts is fixed, and the other has every neighbour ---


def generic_case(
    name: str, learner: GenericLearner, *, part: str, others: tuple[Record, ...], n: int
) -> Case:
    """GenericLearner with one part fixed and every neighbour of the other."""
    schema = learner.concepts.schema

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        labelled, bare = (data, others) if part == LABELLED else (others, data)
        unlabelled = without_labels(sample_of(schema, bare))
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
    "label-boost": _label_boost,
    "label-boost-draws": _label_boost_draws,
    "label-boost-twice": _label_boost_twice,
    "ssl-relabel": _ssl_relabel,
    "ssl-relabel-labelled": _ssl_relabel_labelled,
    "label-boost-blocks": label_boost_blocks,
    "ssl-relabel-blocks": _ssl_relabel_blocks,
    "active": _active,
    "active-plain": _active_plain,
    "label-boost-isolated": lambda: _isolated_case(unlabelled=False),
    "label-boost-isolated-unlabelled": lambda: _isolated_case(unlabelled=True),
    "generic-thresholds-labelled": lambda: _generic(LABELLED),
    "generic-thresholds-unlabelled": lambda: _generic(UNLABELLED),
    "generic-finite": _generic_finite,
}
