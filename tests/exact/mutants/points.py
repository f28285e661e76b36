"""Planted faults of learners of points."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from privpac.audit.exact import Case
from privpac.audit.registry import records_of, sample_of, tiny_schema
from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.sets.hashes import HashedSet, HashFamily, hashed_scores
from privpac.concepts.sets.points import Points
from privpac.concepts.sets.sparse import SparseSet
from privpac.constructions.cases import Record
from privpac.constructions.points.clipped import clipped_case
from privpac.constructions.points.sampled import SampledLoss, SampledPoint, StarLoss, sampled_case
from privpac.guarantee import rules
from privpac.guarantee.facts import Loss, Privacy
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Row, Runs
from privpac.numbers.exact import ratio_for

ONE = Fraction(1)
HALF = ratio_for(ONE / 2)
EPSILON_ONE = rules.exponential_mechanism(ratio=HALF).fact


def unclipped_margin() -> Case:
    """Margins that may become negative: a record that moves changes two weights, as without clipping."""
    honest = clipped_case(cells=3, n=4, threshold=4, margin=1, rate=Fraction(4, 5))
    schema, ratio = tiny_schema(3), ratio_for(Fraction(4, 5))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        positives = [int(str(x)) for x, y in data if y == 1]
        scores = np.array([4 - positives.count(x) for x in range(3)], dtype=np.int64)
        row = Row.of(0, np.arange(2, dtype=np.uint64), scores, 2)
        return gibbs.draw(Runs([row]), ratio, coins)[1]

    return Case("negative margins", run, records_of(schema), 4, honest.claim)


def lists_only_what_was_seen() -> Case:
    """Coordinate Gibbs that tosses coins for cells with records only: an absent cell can never be answered."""
    schema, flip = tiny_schema(3), Fraction(1, 10)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        cells = []
        for x in sorted({int(str(x)) for x, _ in data}):
            gain = sum(1 if y == 1 else -1 for z, y in data if z == x)
            odds = flip / (1 - flip) * (1 / HALF) ** gain
            if coins.flip(odds / (1 + odds)):
                cells.append(x)
        return SparseSet("a", tuple(cells))

    return Case("seen cells only", run, records_of(schema), 3, EPSILON_ONE)


def keys_around_the_data() -> Case:
    """A cover whose keys are drawn so that they hold a value of class 1: they look at the records."""
    schema = tiny_schema(2)
    family = HashFamily("a", 3, 1, 2)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        positives = [int(str(x)) for x, y in data if y == 1]
        made = family.draw_given(positives[0], holds=True, coins=coins) if positives else family.draw(coins)
        evidence = sample_of(schema, data).reduce(Points(schema, "a").statistic)
        return gibbs.draw(hashed_scores(family, ([made.a], [made.b]), evidence), HALF, coins)

    return Case("keys that look at records", run, records_of(schema), 2, EPSILON_ONE, ordered=True)


def _always(family: HashFamily) -> HashFamily:
    """The family whose sets always hold the value they are drawn for, whatever is asked."""

    class Always(HashFamily):
        def draw_given(self, cell: int, *, holds: bool, coins: Coins) -> HashedSet:
            return super().draw_given(cell, holds=True, coins=coins)

    return Always(family.column, family.prime, family.below, family.domain)


def one_sided_without_failure() -> Case:
    """No failure outcome, and sets that always hold the value seen: the pitfall of A_4."""
    rate = Fraction(1, 2)
    return sampled_case("one-sided", _always(HashFamily("a", 5, 2, 3)), cells=3, n=4, rate=rate)


def keys_by_rejection() -> Case:
    """Keys of a family with unequal marginals, drawn until the set holds the value: the printed A_5."""
    schema, rate, fail = tiny_schema(3), Fraction(1, 10), Fraction(1, 4)
    holds = [(0, 1, 2), (3, 4, 5, 6), (7, 8)]  # 3, 4 and 2 of 12 keys: marginals 1/4, 1/3, 1/6
    believed = SampledLoss(rate, fail, Fraction(4)).factor()

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        if coins.flip(fail):
            return "no answer"
        learner = SampledPoint(schema, "a", ONE, rate, HashFamily("a", 3, 1, 3))
        evidence = sample_of(schema, data).reduce(learner.concepts.statistic)
        seen, consistent = learner._look(evidence, coins)
        if not consistent:
            return "no answer"
        return coins.below(12) if seen is None else holds[seen][coins.below(len(holds[seen]))]

    return Case("keys by rejection", run, records_of(schema), 3, Privacy(Loss(factor=believed)))


def rounds_the_share() -> Case:
    """Conditions on a flip rate that is not the family's own share: 1/5 for sets that hold 2 of 5 residues."""
    schema, rate = tiny_schema(3), Fraction(1, 4)
    believed = StarLoss(rate, Fraction(3, 2)).factor()

    @dataclass(frozen=True)
    class Rounded(SampledPoint):
        def learn(self, sample: object, coins: Coins) -> Hypothesis:
            seen, consistent = self._look(sample.reduce(self.concepts.statistic), coins)  # type: ignore[attr-defined]
            if seen is None or not consistent:
                return self.family.draw(coins)
            return self.family.draw_given(seen, holds=coins.flip(Fraction(4, 5)), coins=coins)

    honest = sampled_case("rounded share", HashFamily("a", 5, 2, 3), cells=3, n=3, rate=rate)
    learner = Rounded(schema, "a", ONE, rate, HashFamily("a", 5, 2, 3))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return learner.learn(sample_of(schema, data), coins)

    return replace(honest, run=run, claim=Privacy(Loss(factor=believed)))


MUTANTS: dict[str, Callable[[], Case]] = {
    mutant.__name__: mutant
    for mutant in (
        unclipped_margin,
        lists_only_what_was_seen,
        keys_around_the_data,
        one_sided_without_failure,
        keys_by_rejection,
        rounds_the_share,
    )
}
