"""Faults in linear scores, covers and label privacy."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import pairwise

from privpac.audit.exact import Case
from privpac.audit.registry import records_of, sample_of, tiny_schema
from privpac.coins import Coins
from privpac.concepts.line.cuts import Cuts
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.linear.halfspaces import Halfspaces, Scorecards
from privpac.constructions.cases import Record
from privpac.constructions.draw.occam import Occam
from privpac.constructions.labels.classes import LabelPrivateDichotomies
from privpac.guarantee import rules
from privpac.guarantee.facts import Unit
from privpac.numbers.exact import ratio_for

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


LABELS = rules.exponential_mechanism(ratio=ratio_for(Fraction(1, 2)), unit=Unit.LABEL).fact


def reference_from_the_records() -> Case:
    """Takes the quantiles of the private records for the public reference."""
    schema = tiny_schema(4)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        values = sorted(int(str(record[0])) for record in data)
        cuts = Cuts(schema, "a", cells=(values[0], values[-1]))
        return Occam(cuts, ONE).learn(sample_of(schema, data), coins)

    return Case("reference from the records", run, records_of(schema), 3, CLAIM)


def edges_where_labels_change() -> Case:
    """Protects labels only, but keeps just the edges next to which the label changes."""
    schema = tiny_schema(3)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        ordered = sorted((int(str(a)), int(str(y))) for a, y in data)
        edges = [b for (a, y), (b, z) in pairwise(ordered) if y != z and a != b]
        return Occam(Cuts(schema, "a", cells=tuple(edges) or (3,)), ONE).learn(sample_of(schema, data), coins)

    return Case("edges where labels change", run, records_of(schema), 3, LABELS)


def features_are_private_after_all() -> Case:
    """Claims privacy of whole records for candidates that are built from their features."""
    schema = tiny_schema(3)
    learner = LabelPrivateDichotomies(Thresholds(schema, "a"), ONE)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return learner.learn(sample_of(schema, data), coins)

    return Case("features are private after all", run, records_of(schema), 3, CLAIM)


def cover_drawn_around_the_records() -> Case:
    """Draws the random cover from the law of the records instead of from the prior."""
    schema = tiny_schema(3)
    concepts = Thresholds(schema, "a")

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = sample_of(schema, data)
        law = concepts.gibbs(sample.reduce(concepts.statistic), ratio=ratio_for(Fraction(1, 2)), costs=(1, 1))
        cells = tuple({law.draw(coins).cut, law.draw(coins).cut})
        return Occam(Cuts(schema, "a", cells=cells), ONE).learn(sample, coins)

    return Case("cover drawn around the records", run, records_of(schema), 4, CLAIM)


MUTANTS: dict[str, Callable[[], Case]] = {
    "directions_from_the_data": directions_from_the_data,
    "levels_from_the_data": levels_from_the_data,
    "reference_from_the_records": reference_from_the_records,
    "edges_where_labels_change": edges_where_labels_change,
    "features_are_private_after_all": features_are_private_after_all,
    "cover_drawn_around_the_records": cover_drawn_around_the_records,
}
