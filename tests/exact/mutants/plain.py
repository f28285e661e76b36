"""Faults in learners of one draw or several, in noisy counts, and in how records are picked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from privpac.audit.exact import Case, Record
from privpac.audit.registry import learner_case, records_of, sample_of, tiny_schema
from privpac.coins import Coins
from privpac.concepts.base import ScoredGibbs
from privpac.concepts.boxes.axes import Axis
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.boxes.sums import BoxSums
from privpac.concepts.line.stumps import Constant, Stumps
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.sets.points import Points
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import OneTest
from privpac.concepts.trees.tree import Leaf, Split
from privpac.concepts.trees.trees import Trees
from privpac.constructions.draw.occam import Occam
from privpac.constructions.draw.refined_trees import GrownGibbs, RefinedTrees
from privpac.constructions.estimates.leaf_counts import LeafTable, leaf_counts_privacy, release_leaf_counts
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.guarantee import rules
from privpac.guarantee.facts import Loss, Privacy, Unit
from privpac.mechanisms import gibbs
from privpac.mechanisms.geometric import add_noise
from privpac.mechanisms.scores import NamedScores, Row, Runs
from privpac.numbers.exact import ratio_for

ONE = Fraction(1)
CLAIM = rules.exponential_mechanism(ratio=ratio_for(Fraction(1, 2))).fact


def _case(
    name: str, run: Callable[[Sequence[Record], Coins], Hashable], *, cells: int = 3, n: int = 3
) -> Case:
    schema = tiny_schema(cells)
    return Case(name, run, records_of(schema), n, CLAIM)


def _learn(data: Sequence[Record], coins: Coins, *, epsilon: Fraction = ONE, cells: int = 3) -> Hashable:
    schema = tiny_schema(cells)
    return Occam(Thresholds(schema, "a"), epsilon).learn(sample_of(schema, data), coins)


def _mistakes(hypothesis: Hashable, data: Sequence[Record], cells: int = 3) -> int:
    block = sample_of(tiny_schema(cells), data).block()
    return int((hypothesis.predict(block.cells) != block.labels).sum())  # type: ignore[attr-defined]


def missing_factor_two() -> Case:
    """ratio = e^-epsilon: as if only the numerator moved."""
    return _case("missing factor 2", lambda data, coins: _learn(data, coins, epsilon=Fraction(2)), n=4)


def looks_twice() -> Case:
    """Draws two hypotheses and releases the one that does better on the records, charging for one."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        drawn = [_learn(data, coins) for _ in range(2)]
        return min(drawn, key=lambda h: _mistakes(h, data))

    return _case("looks twice", run, n=4)


def scales_by_the_data() -> Case:
    """Divides scores by the number of positive records: a different scale on the neighbour."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        positives = sum(int(str(record[-1])) for record in data)
        return _learn(data, coins, epsilon=Fraction(4, 1 + positives))

    return _case("data-dependent scaling", run)


def drops_records() -> Case:
    """Drops the largest values as outliers before learning: one record decides about another."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        top = max(record[0] for record in data)  # type: ignore[type-var]
        kept = [record for record in data if record[0] != top] or list(data)
        return _learn(kept, coins, epsilon=Fraction(3, 2))

    return _case("drops records", run, n=4)


def counts_records_instead_of_values() -> Case:
    """Points with 2^d - m unseen values, m the number of records, as printed (m < 2^d)."""
    schema = tiny_schema(4)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        evidence = sample_of(schema, data).reduce(Points(schema, "a").statistic)
        scores = Points(schema, "a").scores(evidence, costs=(1, 1))
        rows = list(scores.runs.rows)
        unseen = rows[-1]
        rows[-1] = Row(0, unseen.lasts, unseen.scores, 4 - len(data) - 1)
        if len(rows) == 1:
            return ScoredGibbs(NamedScores(Runs(rows), lambda place: Constant(place[1])), CLAIM_RATIO).draw(
                coins
            )
        name = lambda place: scores.name(place) if place[0] == 0 else Constant(9)  # noqa: E731
        return ScoredGibbs(NamedScores(Runs(rows), name), CLAIM_RATIO).draw(coins)

    return Case("2^d - m", run, records_of(schema), 3, CLAIM)


CLAIM_RATIO = ratio_for(Fraction(1, 2))
TWO_LEAVES = Split(Test("a", 1, "at least"), Leaf(0), Leaf(1))


def reads_the_classes() -> Case:
    """Offers only constants of classes that occur in the records."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        labels = sorted({int(str(record[-1])) for record in data})
        return Constant(labels[coins.below(len(labels))])

    return _case("label set read from the data", run)


def cuts_at_the_data() -> Case:
    """Candidate cuts are the values that occur: an impossible cut becomes possible on the neighbour."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        values = sorted({int(str(record[0])) for record in data})
        scores = np.array([_mistakes(Threshold("a", v, True), data) for v in values], dtype=np.int64)
        row = Row.of(0, np.arange(len(values) - 1, dtype=np.uint64), scores, len(values) - 1)
        place = gibbs.draw(Runs([row]), CLAIM_RATIO, coins)
        return Threshold("a", values[place[1]], True)

    return _case("cuts at the data", run)


class _OneBlankBox(BoxSums):
    """Sums that take all boxes without a record's row or column for the empty one."""

    blank = 1  # type: ignore[assignment]


class _EndsAtTheData(Axis):
    """An axis on which ranges begin and end at values that occur."""

    @property
    def lefts(self) -> tuple[int, ...]:  # type: ignore[override]
        return (1,) * len(self.values)

    rights = lefts  # type: ignore[assignment]


def _faulty_boxes(name: str, change: Callable[[BoxSums], BoxSums]) -> Case:
    schema = tiny_schema(3, 2)
    boxes = Rectangles(schema, ("a", "b"))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        evidence = sample_of(schema, data).reduce(boxes.statistic)
        law = boxes.gibbs(evidence, ratio=CLAIM_RATIO, costs=(1, 1))
        return replace(law, sums=change(law.sums)).draw(coins)

    return Case(name, run, records_of(schema), 2, CLAIM)


def forgets_blank_boxes() -> Case:
    """Boxes of the full grid that hold no record are not all counted: they are possible on the neighbour only."""

    def change(sums: BoxSums) -> BoxSums:
        return _OneBlankBox(sums.axes, sums.points, sums.moves, sums.ratio, sums.members)

    return _faulty_boxes("forgets blank boxes", change)


def boxes_end_at_the_data() -> Case:
    """Of all boxes that hold the same records one is drawn, whose sides touch them."""

    def change(sums: BoxSums) -> BoxSums:
        axes = tuple(_EndsAtTheData(axis.size, axis.values) for axis in sums.axes)
        return replace(sums, axes=axes)

    return _faulty_boxes("boxes end at the data", change)


def forgets_the_costs() -> Case:
    """Costs (1, 3) with the ratio of unit costs: sensitivity 3 charged as 1."""
    schema = tiny_schema(3)
    learner = Occam(Thresholds(schema, "a"), Fraction(3), costs=(1, 3))
    return learner_case("forgets the costs", learner, schema, 4, claim=CLAIM)


def forgets_the_group() -> Case:
    """Two records per person, learnt at the epsilon of one; neighbours replace a person."""
    schema = tiny_schema(2)
    people = tuple((a, b, c, d) for a in range(2) for b in range(2) for c in range(2) for d in range(2))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        records = [pair for a, b, c, d in data for pair in ((a, b), (c, d))]
        return Occam(Thresholds(schema, "a"), ONE).learn(sample_of(schema, records), coins)

    return Case("forgets the group", run, people, 2, CLAIM)


def half_the_noise() -> Case:
    """Histogram noise for a change of 1 although a replacement changes two counts."""
    ratio = ratio_for(ONE)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        counts = [sum(1 for record in data if record[0] == cell) for cell in range(3)]
        return tuple(add_noise(counts, ratio=ratio, low=0, high=len(data), coins=coins))

    claim = rules.geometric_noise(ratio=ratio, change=1).fact
    return Case("half the noise", run, ((0,), (1,), (2,)), 2, claim)


def noiseless_zeros() -> Case:
    """Adds noise to the cells that have records and leaves empty cells out."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        cells = sorted({int(str(record[0])) for record in data})
        counts = [sum(1 for record in data if record[0] == cell) for cell in cells]
        noisy = add_noise(counts, ratio=CLAIM_RATIO, low=0, high=len(data), coins=coins)
        return tuple(zip(cells, noisy, strict=True))

    claim = rules.geometric_noise(ratio=CLAIM_RATIO, change=2).fact
    return Case("noiseless zeros", run, ((0,), (1,)), 2, claim)


def holds_out_by_value() -> Case:
    """The hold-out part is the records with the largest values: parts chosen by looking."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        ordered = sorted(data)
        return _learn(ordered[:2], coins), _learn(ordered[2:], coins)

    return _case("hold-out by value", run, n=4)


def subsampled_pair(name: str, *, shuffled: bool) -> Case:
    """Two of three bits, then a coin that looks at their order and is DP with e^epsilon = 3 in either of them."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        positions = coins.subset(len(data), 2)
        first, second = (int(str(data[i][0])) for i in (positions if shuffled else sorted(positions)))
        return coins.flip(Fraction(1, 2) * Fraction(1, 3) ** (first + 1 - second))

    kept = 1 + Fraction(2, 3) * (3 - 1)
    return Case(name, run, ((0,), (1,)), 3, Privacy(Loss(factor=kept)), ordered=True)


def keeps_the_index_order() -> Case:
    """Subsampling that keeps the index order, before an algorithm that looks at the order."""
    return subsampled_pair("keeps the index order", shuffled=False)


def samples_labels_of_known_people() -> Case:
    """Subsampling where only labels are private, before a run that releases the features of its one record."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        point, label = data[coins.subset(len(data), 1)[0]]
        return point, coins.flip(Fraction(1, 5) if int(str(label)) else Fraction(4, 5))

    sampled = 1 + Fraction(1, 3) * (4 - 1)
    records = tuple((point, label) for point in (0, 1, 2) for label in (0, 1))
    return Case(
        "samples labels of known people", run, records, 3, Privacy(Loss(factor=sampled), unit=Unit.LABEL)
    )


def releases_the_best_score() -> Case:
    """Says how many mistakes the released rule makes."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        hypothesis = _learn(data, coins)
        return hypothesis, _mistakes(hypothesis, data)

    return _case("releases the training error", run)


def stops_early() -> Case:
    """Returns the best rule outright when it makes no mistake."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        for cut in range(4):
            if _mistakes(Threshold("a", cut, True), data) == 0:
                return Threshold("a", cut, True)
        return _learn(data, coins)

    return _case("stops early", run)


def skips_empty_columns() -> Case:
    """Stumps that leave out columns which are constant in the records."""
    schema = tiny_schema(2, 2)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        varied = [c for i, c in enumerate(schema.columns) if len({record[i] for record in data}) > 1]
        if not varied:
            return Constant(0)
        some = replace(schema, columns=tuple(varied))
        block = sample_of(schema, data).block()
        cells = {c.name: block.cells[c.name] for c in varied}
        return Occam(Stumps(some), ONE).learn(MemorySample.from_cells(some, cells, block.labels), coins)

    return Case("skips constant columns", run, records_of(schema), 2, CLAIM)


def _refining(schema: Schema) -> RefinedTrees:
    """A tree of one test, refined in its two leaves or drawn afresh."""
    tests = Binarisation.of(schema)
    first = TreeMixture((Trees(schema, 1, tests, threads=1),), (1,))
    fresh = TreeMixture((OneTest(schema, tests),), (1,))
    return RefinedTrees(fresh, first, ONE, Fraction(1, 2), (1,), (0,), threads=1)


def keeps_the_label_of_an_empty_leaf() -> Case:
    """A refinement that leaves a leaf without records as it is."""
    schema = tiny_schema(2)
    honest = _refining(schema)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = sample_of(schema, data)
        first = honest.first
        ratio = honest.ratios
        tree = first.gibbs(sample.reduce(first.statistic), ratio=ratio[0], costs=(1, 1)).draw(coins)
        leaves = list(tree.leaves())
        parts = sample.parts(tree.leaf_numbers, len(leaves), columns=tree.columns)
        grown = honest._second(tree, sample).parts[1]
        assert isinstance(grown, GrownGibbs)
        return tuple(
            law.draw(coins) if part.size.labelled else leaf
            for leaf, part, law in zip(leaves, parts, grown.leaves, strict=True)
        )

    return Case("keeps the label of an empty leaf", run, records_of(schema), 2, CLAIM)


def charges_by_the_records_of_a_leaf() -> Case:
    """A handicap that counts the records of the first leaf, in place of a public number."""
    schema = tiny_schema(2)
    honest = _refining(schema)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = sample_of(schema, data)
        first = honest.first
        tree = first.gibbs(sample.reduce(first.statistic), ratio=honest.ratios[0], costs=(1, 1)).draw(coins)
        part, *_ = sample.parts(tree.leaf_numbers, 2, columns=tree.columns)
        law = honest._second(tree, sample)
        charged = replace(law, handicaps=(0, 40 * part.size.labelled))
        return tree, coins.choose(charged.weights)

    return Case("charges by the records of a leaf", run, records_of(schema), 1, CLAIM)


def spends_all_of_epsilon_twice() -> Case:
    """A second draw at the ratio of the whole epsilon, after a first one that was paid for."""
    schema = tiny_schema(2)
    honest = replace(_refining(schema), epsilon=8 * ONE)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = sample_of(schema, data)
        first = honest.first
        whole = ratio_for(honest.epsilon / 2)
        tree = first.gibbs(sample.reduce(first.statistic), ratio=honest.ratios[0], costs=(1, 1)).draw(coins)
        fresh = honest.fresh
        again = fresh.gibbs(sample.reduce(fresh.statistic), ratio=whole, costs=(1, 1)).draw(coins)
        return tree, again

    return Case("spends all of epsilon twice", run, records_of(schema), 4, Privacy(Loss(log=8 * ONE)))


def picks_the_better_depth() -> Case:
    """Trees of two depths: the depth with fewer mistakes is taken outright, only the tree is drawn."""
    schema = tiny_schema(3)
    parts = tuple(Trees(schema, depth, Binarisation.of(schema), threads=1) for depth in (1, 2))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        laws = []
        for part in parts:
            evidence = sample_of(schema, data).reduce(part.statistic)
            laws.append(part.gibbs(evidence, ratio=CLAIM_RATIO, costs=(1, 1)))
        shallow, deep = (law.law.total[0] for law in laws)
        better = int(deep < shallow)
        return better, laws[better].draw(coins)

    return Case("picks the better depth", run, records_of(schema), 3, CLAIM)


def looks_where_the_values_lie() -> Case:
    """Cuts close together near zero if most values are small, evenly spaced ones otherwise."""
    schema = tiny_schema(4)
    near, even = (OneTest(schema, Binarisation.of(schema, cut_values={"a": [cut]})) for cut in (1, 2))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        small = sum(record[0] <= 1 for record in data)
        return Occam(near if 2 * small > len(data) else even, ONE).learn(sample_of(schema, data), coins)

    return Case("looks where the values lie", run, records_of(schema), 3, CLAIM)


def answers_by_majority() -> Case:
    """A test is drawn privately, but its two answers are the plain majorities of its sides."""
    schema = tiny_schema(3)
    tests = OneTest(schema, Binarisation.of(schema))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        drawn = Occam(tests, ONE).learn(sample_of(schema, data), coins)
        block = sample_of(schema, data).block()
        sides = drawn.leaf_numbers(block.cells)  # type: ignore[attr-defined]
        labels = [block.labels[sides == side] for side in range(len(list(drawn.leaves())))]  # type: ignore[attr-defined,index]
        return drawn.columns, tuple(int(2 * side.sum() > len(side)) for side in labels)

    return Case("answers by majority", run, records_of(schema), 3, CLAIM)


def noise_in_full_leaves_only() -> Case:
    """Leaf counts with noise only in cells that have records: an empty cell is seen to be empty."""
    schema = tiny_schema(2)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        counts = sample_of(schema, data).reduce(LeafTable(TWO_LEAVES, 2)).ravel().tolist()
        noisy = iter(
            add_noise([c for c in counts if c], ratio=CLAIM_RATIO, low=0, high=len(data), coins=coins)
        )
        return tuple(next(noisy) if count else 0 for count in counts)

    return Case(
        "noise in full leaves only", run, records_of(schema), 2, leaf_counts_privacy(epsilon=ONE).fact
    )


def leaf_counts_for_half_the_change() -> Case:
    """Leaf counts noised as if a replaced record changed one cell."""
    schema = tiny_schema(2)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return release_leaf_counts(sample_of(schema, data), TWO_LEAVES, epsilon=Fraction(2), coins=coins)

    return Case(
        "leaf counts for half the change", run, records_of(schema), 2, leaf_counts_privacy(epsilon=ONE).fact
    )


MUTANTS: dict[str, Callable[[], Case]] = {
    mutant.__name__: mutant
    for mutant in (
        missing_factor_two,
        looks_twice,
        scales_by_the_data,
        drops_records,
        counts_records_instead_of_values,
        reads_the_classes,
        cuts_at_the_data,
        forgets_blank_boxes,
        boxes_end_at_the_data,
        forgets_the_costs,
        forgets_the_group,
        half_the_noise,
        noiseless_zeros,
        holds_out_by_value,
        keeps_the_index_order,
        samples_labels_of_known_people,
        releases_the_best_score,
        stops_early,
        skips_empty_columns,
        keeps_the_label_of_an_empty_leaf,
        charges_by_the_records_of_a_leaf,
        spends_all_of_epsilon_twice,
        picks_the_better_depth,
        looks_where_the_values_lie,
        answers_by_majority,
        noise_in_full_leaves_only,
        leaf_counts_for_half_the_change,
    )
}
