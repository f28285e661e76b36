"""Rows of learners of few labels: the first records of an input have labels, those of the others are not looked at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from privpac.coins import Coins
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.adversary import Adversary
from privpac.constructions.base import SemiLearner
from privpac.constructions.cases import Case, Record, RememberedSample, records_of, sample_of, tiny_schema
from privpac.constructions.cuts.blocks import BlockCuts
from privpac.constructions.cuts.blocks_formulas import BlockPlan
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.active import Active
from privpac.constructions.few_labels.boost import LabelBoost, Round
from privpac.constructions.few_labels.labels_only import LabelsOnly
from privpac.constructions.few_labels.relabel import SSLRelabel
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.guarantee.facts import Privacy
from privpac.guarantee.parts import LABELLED

__all__ = ["ROWS", "active_case", "label_boost_blocks", "semi_case", "semi_sample"]

PLACE = 80

ONE = Fraction(1)


def semi_sample(
    schema: Schema, data: Sequence[Record], labelled: int, memory: dict[Hashable, Any]
) -> SemiSample:
    """The first `labelled` records with their labels, the others without."""
    first = RememberedSample(sample_of(schema, data[:labelled]), tuple(data[:labelled]), memory)
    cells = sample_of(schema, data[labelled:]).block().cells
    return SemiSample(first, MemorySample(schema, cells=cells, labels=None, n=len(data) - labelled))


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


def _label_boost() -> Case:
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a")
    learner = LabelBoost(concepts, Occam(concepts, ONE), (Round(ONE, 1, 1, 1),), Fraction(5, 2))
    return semi_case("LabelBoost, one round", learner, schema, Size(2, 1))


def _label_boost_draws() -> Case:
    """The base gets independent draws from what was relabelled."""
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a", "either")
    learner = LabelBoost(concepts, Occam(concepts, ONE), (Round(ONE, 1, 1, 1),), Fraction(3), draws=1)
    return semi_case("LabelBoost of cuts in both directions, resampled", learner, schema, Size(1, 1))


def _label_boost_twice() -> Case:
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a")
    rounds = (Round(ONE, 1, 1, 1), Round(ONE, 1, 1, 1))
    learner = LabelBoost(concepts, Occam(concepts, ONE), rounds, Fraction(6))
    return semi_case("LabelBoost, two rounds", learner, schema, Size(1, 2))


def _ssl_relabel() -> Case:
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a")
    learner = SSLRelabel(concepts, Occam(concepts, ONE), 1, 2, ONE, 1, Fraction(3), mistake=2)
    return semi_case("SSL-Relabel", learner, schema, Size(2, 2))


def _ssl_relabel_labelled() -> Case:
    """What the labelled part is promised: a base that repeats the label of its one point hides nothing of the vote."""
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a")
    base = Adversary(concepts, ((0, 1),), ratio=Fraction(1, 10**3))
    learner = SSLRelabel(concepts, base, 1, 1, Fraction(6), 10, Fraction(100), mistake=1)
    bare = MemorySample.from_cells(schema, sample_of(schema, [(0, 0)]).block().cells)

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
    learner = LabelBoost(base.concepts, base, (Round(ONE, 1, others, 1),), Fraction(4), base.delta)
    name = "LabelBoost, then a cut among blocks"
    return semi_case(name, learner, base.concepts.schema, Size(1, others))


def _ssl_relabel_blocks() -> Case:
    base = _blocks()
    learner = SSLRelabel(base.concepts, base, 1, 1, ONE, 1, Fraction(4), base.delta, mistake=1)
    return semi_case("SSL-Relabel, then a cut among blocks", learner, base.concepts.schema, Size(1, 1))


def active_case(name: str, learner: Active, schema: Schema, *, claim: Privacy | None = None) -> Case:
    """Ask, answer with each record's own label, and learn; whoever looks sees the rule only."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = sample_of(schema, data)
        block = sample.block()
        questions = learner.ask(coins)
        bare = MemorySample(schema, cells=block.cells, labels=None, n=block.n)
        assert block.labels is not None
        return learner.learn(bare, questions, block.labels[list(questions.asked)], coins)

    fact = claim or learner.certify().privacy.premises[0].fact
    assert isinstance(fact, Privacy)
    return Case(name, run, records_of(schema), learner.records, fact)


def _active() -> Case:
    schema = tiny_schema(2)
    concepts = Thresholds(schema, "a")
    inner = LabelBoost(concepts, Occam(concepts, ONE), (Round(ONE, 1, 1, 1),), Fraction(3))
    return active_case("active learning with LabelBoost", Active(inner, 3, 2, 1, Fraction(3)), schema)


def _active_plain() -> Case:
    schema = tiny_schema(3)
    inner = LabelsOnly(Occam(Thresholds(schema, "a"), Fraction(2)))
    return active_case("active learning", Active(inner, 3, 2, 2, Fraction(2)), schema)


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
}
