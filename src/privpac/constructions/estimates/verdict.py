"""Whether a released rule is of use, and in which measure: one place, from which every door and format takes it.

A card is judged by how well it ranks, a rule that weighs mistakes by what it finds and its false alarms, any other by
how often it is right; always against what says the same to everybody. The numbers are private counts that were paid
for (or, of a card, are part of it), so the verdict costs nothing. It has no interval: the noise of the counts, chance,
and that the rule was made for these very records are all in the gain from where on it is called better.

Statement: for counts with noise of standard deviation s = 2·sqrt(2)/e in every cell, a gain that is a sum of cells with
weights w has noise of standard deviation s·|w|. Better is what exceeds 1.2 times that (about nine of ten rules that
gain nothing stay below it) together with what chance does, and is above the least gain that is called one: on records
kept aside 1.2 standard deviations of chance, and on the rule's own six or seven, for it was chosen to follow them. Who
says the same as the constant to all but a share of the records gains at most that share: a rule that by its counts says
something else to fewer than `FEW` of them, or at the edge of the declared ranges alone, and gains no more than
`BETTER`, is no better.
How often it is right: benchmarks/verdicts.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from privpac.concepts.base import Hypothesis
from privpac.concepts.cards.card import Card
from privpac.concepts.trees.tree import Tree
from privpac.constructions.estimates.confusion import Confusion, share_right
from privpac.constructions.estimates.constant import always, nearly_always
from privpac.constructions.estimates.leaf_counts import LeafCounts
from privpac.constructions.estimates.ranks import RankFigures, ranks_of_card, ranks_of_tree
from privpac.data.schema import Schema
from privpac.fields import whole
from privpac.numbers.exact import read_number
from privpac.theory.forecast import BETTER

__all__ = ["MEASURED_FROM", "Counted", "Measure", "Useful", "Verdict", "counted_of", "ranks_of", "verdict_of"]

MEASURED_FROM = 60
"""Records times epsilon of the counts from where on something is called measured: below, the error of a gain is more
than .034 in one run of ten (1,188 shipped estimates on twelve tables)."""
LEAST = 0.015
"""A gain below it is none: rules of many shipped estimates seemed better by .004 to .009 on their own records."""
FOLLOWS, RANK_FOLLOWS = 7, 6
"""Standard deviations of chance that a rule, or the order of a card, may seem to gain on its own records where there is
nothing to learn, for among all rules one follows their accidents: 5 to 6.8, and 3.4 to 5.5, on coin tosses
(benchmarks/verdicts.py)."""
FEW = 0.02
"""A rule that says something else than the constant to a smaller share of records says the same to nearly everybody."""
SURE = 1.2
"""Standard deviations: 80 % of a sum of two geometric noises lie within as many on either side."""
MOST_DIGITS = 6
"""Of a share in JSON."""


class Useful(StrEnum):
    """What is said first."""

    YES = "yes"
    UNCLEAR = "unclear"
    NO = "no"


class Measure(StrEnum):
    """What a rule is judged by: what it was asked for."""

    ACCURACY = "accuracy"
    BALANCED = "balanced accuracy"
    COSTS = "costs"
    RANKING = "AUC"


@dataclass(frozen=True)
class Counted:
    """Noisy counts of a rule's answers: rows are true classes, columns what it says."""

    counts: tuple[tuple[int, ...], ...]
    records: int
    """How many were counted: public."""
    noise: float
    """The standard deviation of the noise in every cell."""
    enough: bool
    """Whether the records times epsilon of the counts reach what is called measured."""
    aside: bool = False
    """Whether the rule was made without these records."""


@dataclass(frozen=True)
class Verdict:
    """Whether a rule is of use, by which measure, and in words.

    `lines` are the words: the first one is the verdict.
    """

    useful: Useful
    measured: bool
    measure: Measure
    lines: tuple[str, ...]
    constant: int | None = None
    """The class that the rule says to everybody."""
    nearly: int | None = None
    """The same but for the edge of the declared ranges."""
    value: float | None = None
    """The figure of the rule; None where nothing was measured. Of costs, the cost of a record."""
    against: float | None = None
    """That of the best constant; of a ranking, one half."""
    gain: float | None = None
    """How much better the rule is; of costs, how much a record costs less."""
    resolution: float | None = None
    """Gains below this cannot be told from none."""
    found: float | None = None
    """Of two classes, the share of the second one's records that is found."""
    false_alarms: float | None = None
    """Of two classes, the share of the first one's records that is taken for the second."""
    says_same: bool = False
    """Whether by the counts it is no better, because it says the same as the constant to nearly everybody."""

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        return self.lines[0]

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        numbers = {
            name: None if (number := getattr(self, name)) is None else round(number, MOST_DIGITS)
            for name in ("value", "against", "gain", "resolution", "found", "false_alarms")
        }
        return {
            "useful": self.useful.value,
            "measured": self.measured,
            "measure": self.measure.value,
            "text": self.headline,
            "lines": list(self.lines),
            "constant": self.constant is not None,
            "constant_but_at_edges": self.nearly is not None,
            "constant_to_nearly_everybody": self.says_same,
            **numbers,
        }


def counted_of(
    estimate: Confusion | None,
    estimate_epsilon: Fraction | None,
    leaves: tuple[Tree, LeafCounts] | None,
) -> Counted | None:
    """The counts that tell most: those of the estimate, or else the sums of those in leaves; None without any.

    `estimate_epsilon` is what the estimate cost a record.
    """
    if estimate is not None and estimate_epsilon is not None:
        enough = estimate.records * estimate_epsilon >= MEASURED_FROM
        return Counted(
            estimate.counts, estimate.records, _spread(estimate_epsilon), enough, aside=estimate.holdout
        )
    if leaves is None:
        return None
    tree, table = leaves
    classes = len(table.counts[0])
    sums = [[0] * classes for _ in range(classes)]
    sizes = [0] * classes
    for leaf, row in zip(tree.leaves(), table.counts, strict=True):
        sizes[leaf.label] += 1
        for true, count in enumerate(row):
            sums[true][leaf.label] += count
    spread = math.sqrt(max(sizes))  # every cell is a sum over leaves
    enough = float(table.records * table.epsilon) >= MEASURED_FROM * spread
    return Counted(tuple(map(tuple, sums)), table.records, _spread(table.epsilon) * spread, enough)


def _spread(epsilon: Fraction) -> float:
    """The standard deviation of the noise in a count that a replaced record may move, with another one."""
    return 2 * math.sqrt(2) / float(epsilon)


def ranks_of(
    rule: Hypothesis, schema: Schema, leaf_counts: LeafCounts | None, costs: Sequence[int] | None
) -> RankFigures | None:
    """What released counts of a card or a tree say about order and risks; None for other rules and more classes."""
    if isinstance(rule, Card):
        return ranks_of_card(rule, schema.classes, names=schema.class_names)
    if leaf_counts is None or not isinstance(rule, Tree):
        return None
    return ranks_of_tree(rule, leaf_counts, schema.classes, costs, names=schema.class_names)


def verdict_of(
    rule: Hypothesis,
    schema: Schema,
    *,
    certificate: Mapping[str, Any],
    estimate: Confusion | None,
    leaf_counts: LeafCounts | None,
) -> Verdict:
    """The verdict on a released rule, from what its file holds."""
    request = certificate["request"] or {}
    share, people, costs = (
        request.get("estimate_epsilon"),
        request.get("records_per_person", 1),
        request.get("costs"),
    )
    cost = None if share is None else read_number(share) / whole(people, least=1)
    leaves = (rule, leaf_counts) if leaf_counts is not None and isinstance(rule, Tree) else None
    return _judged(
        rule,
        schema,
        counted=counted_of(estimate, cost, leaves),
        ranks=ranks_of(rule, schema, leaf_counts, costs),
        costs=costs,
        epsilon=str(certificate["epsilon"]),
    )


def _judged(
    rule: Hypothesis,
    schema: Schema,
    *,
    counted: Counted | None,
    ranks: RankFigures | None,
    costs: Sequence[int] | None,
    epsilon: str,
) -> Verdict:
    """The verdict by these counts, `epsilon` being what everything cost."""
    words = _Words(schema, epsilon)
    constant, grades = always(rule, schema), _grades(rule, ranks)
    measure = Measure.RANKING if grades else _measure(rule, schema, costs)
    if constant is not None and not grades:
        return Verdict(Useful.NO, counted is not None, measure, words.constant(constant), constant=constant)
    nearly = nearly_always(rule, schema)
    if measure is Measure.RANKING:
        return _of_ranks(words, ranks)
    if counted is None or not counted.enough:
        return Verdict(
            Useful.UNCLEAR, False, measure, words.unmeasured(nearly, counted is not None), nearly=nearly
        )
    return _of_counts(words, counted, measure, costs, nearly)


def _grades(rule: Hypothesis, ranks: RankFigures | None) -> bool:
    """Whether a tree tells risks and no answers: where all of its leaves say the same, what its counts say of them is
    all there is."""
    return (
        isinstance(rule, Tree)
        and ranks is not None
        and rule.depth > 0
        and len({x.label for x in rule.leaves()}) == 1
    )


def _measure(rule: Hypothesis, schema: Schema, costs: Sequence[int] | None) -> Measure:
    """What fits the aim."""
    if isinstance(rule, Card):
        return Measure.RANKING
    if costs is None or len(set(costs)) == 1:
        return Measure.ACCURACY
    from privpac.constructions.request import balanced_costs  # which loads what learns

    is_balanced = schema.base_rate is not None and balanced_costs(schema) == tuple(costs)
    return Measure.BALANCED if is_balanced else Measure.COSTS


def _of_counts(
    words: _Words,
    counted: Counted,
    measure: Measure,
    costs: Sequence[int] | None,
    nearly: int | None,
) -> Verdict:
    """The verdict by counts of classes and answers: a mean over records, each weighed by its class."""
    counts, n = counted.counts, counted.records
    rows = [max(1, sum(row)) for row in counts]
    if measure is Measure.BALANCED:
        weights = [1 / row for row in rows]
    else:
        weights = [float(cost) for cost in (costs or [1] * len(rows))]
    # n is public, so that of two classes of equal weight the noise of either row cancels half of the other's.
    total = (
        n * weights[0]
        if len(set(weights)) == 1
        else sum(w * row for w, row in zip(weights, rows, strict=True))
    )
    best = max(range(len(rows)), key=lambda label: weights[label] * rows[label])
    gain = (
        sum(weights[i] * counts[i][i] for i in range(len(rows)) if i != best)
        - weights[best] * (sum(counts[best]) - counts[best][best])
    ) / total
    resolution = _resolution(counted, weights, total, best)
    if measure is Measure.BALANCED and any(row <= 3 * counted.noise for row in rows):
        return Verdict(Useful.UNCLEAR, False, measure, words.too_rare(), nearly=nearly)
    useful = Useful.YES if gain > resolution else Useful.NO if gain < -resolution else Useful.UNCLEAR
    says_same = measure is Measure.ACCURACY and (nearly is not None or _others_told(counted, best) < FEW)
    says_same = says_same and useful is Useful.UNCLEAR and gain <= BETTER
    if says_same:
        useful = Useful.NO
    if measure is Measure.COSTS:  # told per record
        gain, resolution = gain * total / n, resolution * total / n
    constant_cost = (total - weights[best] * rows[best]) / n
    value, against = _figures(measure, counted, rows, gain, constant_cost)
    found, alarms = (
        (_share(counts[1][1], rows[1]), _share(counts[0][1], rows[0])) if len(rows) == 2 else (None, None)
    )
    verdict = Verdict(
        useful,
        True,
        measure,
        (),
        nearly=nearly,
        value=value,
        against=against,
        gain=gain,
        resolution=resolution,
        found=found,
        false_alarms=alarms,
        says_same=says_same,
    )
    return words.told(verdict, best, aside=counted.aside)


def _others_told(counted: Counted, best: int) -> float:
    """The share of records that are told something else than the best constant says: at most, in about nine of ten
    runs."""
    classes = len(counted.counts)
    others = sum(row[label] for row in counted.counts for label in range(classes) if label != best)
    noise = counted.noise * math.sqrt(classes * (classes - 1))
    return (others + SURE * noise) / counted.records


def _resolution(counted: Counted, weights: Sequence[float], total: float, best: int) -> float:
    """The least gain that is called one: noise and chance together, and how far a rule that was made for these very
    records may follow chance."""
    counts = counted.counts
    classes = range(len(counts))
    cells = sum(weights[i] ** 2 for i in classes if i != best) + (len(counts) - 1) * weights[best] ** 2
    chance = 0.0
    for i in classes:
        row = max(1, sum(counts[i]))
        otherwise = _share(row - counts[i][best], row)  # what is said otherwise than the constant does
        chance += weights[i] ** 2 * row * otherwise * (1 - otherwise)
    follows = SURE if counted.aside else FOLLOWS
    return _told_from(math.sqrt(chance) / total, counted.noise * math.sqrt(cells) / total, follows)


def _told_from(chance: float, noise: float, follows: float) -> float:
    """The least gain that is told from none, by its standard deviations, and how many of chance a rule follows."""
    return max(LEAST, math.hypot(follows * chance, SURE * noise))


def _figures(
    measure: Measure, counted: Counted, rows: Sequence[int], gain: float, constant_cost: float
) -> tuple[float, float]:
    """The figure of the rule and that of the best constant, in the unit of the measure."""
    if measure is Measure.ACCURACY:
        value = float(share_right(counted.counts, counted.records))
        return value, max(0.0, min(1.0, value - gain))
    if measure is Measure.BALANCED:
        against = 1 / len(rows)
        return max(0.0, min(1.0, against + gain)), against
    return max(0.0, constant_cost - gain), constant_cost


def _share(part: int, whole: int) -> float:
    return max(0.0, min(1.0, part / whole))


def _of_ranks(words: _Words, ranks: RankFigures | None) -> Verdict:
    """The verdict on a card, by the counts that it holds."""
    measure = Measure.RANKING
    span = None if ranks is None else ranks.area
    if ranks is None or span is None:
        return Verdict(Useful.UNCLEAR, False, measure, words.unmeasured(None, ranks is not None))
    gain = span.value - 0.5
    resolution = _told_from(span.chance, span.noise, RANK_FOLLOWS)
    useful = Useful.YES if gain > resolution else Useful.NO if gain < -resolution else Useful.UNCLEAR
    found, specific = ranks.sensitivity, ranks.specificity
    verdict = Verdict(
        useful,
        True,
        measure,
        (),
        value=span.value,
        against=0.5,
        gain=gain,
        resolution=resolution,
        found=None if found is None else found.value,
        false_alarms=None if specific is None else 1 - specific.value,
    )
    return words.told(verdict, 0, aside=False)


HELPS = "What helps: costs that balance the classes, a card that ranks, fewer columns, a larger epsilon, more records."


OWN = "By private counts of the records it was learnt from, which flatter it."
ASIDE = "By private counts of records kept aside."


@dataclass(frozen=True)
class _Words:
    """The sentences of a verdict."""

    schema: Schema
    epsilon: str

    def constant(self, label: int) -> tuple[str, ...]:
        """Of a rule that says one thing."""
        return (f"No. It always says {self._name(label)}. Epsilon {self.epsilon} was spent.", HELPS)

    def unmeasured(self, nearly: int | None, counted: bool) -> tuple[str, ...]:
        """Of a rule that nothing was counted of, or too little."""
        why = (
            "its private counts are mostly noise at so few records and so small an epsilon."
            if counted
            else "no private counts were bought that would tell."
        )
        return (f"Unclear, not measured: {why}", *self._nearly(nearly))

    def too_rare(self) -> tuple[str, ...]:
        """Of a rule for classes one of which is lost in the noise."""
        return ("Unclear, not measured: one class has so few records that its counts are mostly noise.",)

    def told(self, verdict: Verdict, best: int, *, aside: bool) -> Verdict:
        """The verdict with its sentences."""
        first, *rest = _SAYINGS[verdict.measure](self, verdict, best)
        start = {Useful.YES: "Yes. ", Useful.NO: "No. ", Useful.UNCLEAR: "Unclear. "}[verdict.useful]
        where = ASIDE if aside else OWN
        lines = (f"{start}{first}", *rest, *self._nearly(verdict.nearly), where)
        return replace(verdict, lines=(*lines, HELPS) if verdict.useful is Useful.NO else lines)

    def accuracy(self, verdict: Verdict, best: int) -> list[str]:
        """Right, beside the constant."""
        constant = f"always saying {self._name(best)}"
        figures = f"ight about {_digits(verdict.value)} of the time; {constant}: {_digits(verdict.against)}."
        if verdict.says_same:
            return [
                f"It says {self._name(best)} to nearly everybody: r{figures}",
                f"No better than {constant}.",
            ]
        return [f"R{figures}", self._compared(verdict, constant)]

    def balanced(self, verdict: Verdict, best: int) -> list[str]:
        """What is found, and false alarms."""
        figure = f"Balanced accuracy about {_digits(verdict.value)} (a constant: {_digits(verdict.against)})"
        compared = self._compared(verdict, "a constant")
        first = self._found(verdict)
        return [first, f"{figure}. {compared}"] if first else [f"{figure}.", compared]

    def costs(self, verdict: Verdict, best: int) -> list[str]:
        """The same, and what mistakes cost."""
        figure = (
            f"Mistakes cost about {_digits(verdict.value)} per record; those of always saying {self._name(best)}:"
            f" {_digits(verdict.against)}"
        )
        compared = self._compared(verdict, f"always saying {self._name(best)}")
        first = self._found(verdict)
        return [first, f"{figure}. {compared}"] if first else [f"{figure}.", compared]

    def ranking(self, verdict: Verdict, best: int) -> list[str]:
        """How well it ranks, and what is found at its cut-off."""
        zero, one = self.schema.class_names
        first = (
            f"AUC about {_digits(verdict.value)}: how often a record of {one} has the larger risk than one of {zero};"
            " chance alone: 0.5."
        )
        at = "" if verdict.found is None else f"At its cut-off it {self._found(verdict, start=False)}"
        return [first, *filter(None, [at]), self._compared(verdict, "chance")]

    def _found(self, verdict: Verdict, *, start: bool = True) -> str:
        if verdict.found is None or verdict.false_alarms is None:
            return ""
        label, (zero, one) = self.schema.label_called, self.schema.class_names
        verb = "Finds" if start else "finds"
        return (
            f"{verb} about {_percent(verdict.found)} of 100 where {label} is {one}, false alarms about"
            f" {_percent(verdict.false_alarms)} of 100 where it is {zero}."
        )

    def _compared(self, verdict: Verdict, other: str) -> str:
        if verdict.useful is Useful.YES:
            return f"Better than {other}, by about {_digits(verdict.gain)}."
        if verdict.useful is Useful.NO:
            return f"Worse than {other}."
        return f"Not told apart from {other}: a gain below {_digits(verdict.resolution)} could not be told from none."

    def _nearly(self, label: int | None) -> tuple[str, ...]:
        if label is None:
            return ()
        return (f"It says {self._name(label)} to everybody but at the edge of the declared ranges.",)

    def _name(self, label: int) -> str:
        return self.schema.class_names[label]


_SAYINGS = {
    Measure.ACCURACY: _Words.accuracy,
    Measure.BALANCED: _Words.balanced,
    Measure.COSTS: _Words.costs,
    Measure.RANKING: _Words.ranking,
}


def _digits(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.3f}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"
