"""Faults in transforms: votes that are no draws, ties, representatives, picks on the wrong records."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privpac.audit.exact import Case, Record
from privpac.audit.registry import learner_case, records_of, sample_of, tiny_schema
from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.labellings.members import MemberDichotomies
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.line.union_labellings import VotedRuns
from privpac.concepts.line.unions import Unions, intervals
from privpac.constructions.adversary import Adversary
from privpac.constructions.stable.stable import Stable
from privpac.constructions.wrappers.cases import confidence_case
from privpac.constructions.wrappers.confidence import Confidence
from privpac.constructions.wrappers.relabelling import Agnostic, Vote
from privpac.constructions.wrappers.sampling import Resampled
from privpac.data.sample import Sample, Size
from privpac.guarantee.facts import Loss, Privacy
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Listed
from privpac.numbers.exact import ratio_for

ONE, HALF = Fraction(1), Fraction(1, 2)


class _Outright(Agnostic):
    """Takes the best labelling; ties go to the first."""

    def labelled(self, vote: Vote, kept: Sample, rest: Sample, coins: Coins) -> Sample:
        found = self.classes.dichotomies(kept)  # type: ignore[attr-defined]
        scores = found.relabelling(kept, rest, change=vote.change, mistake=vote.mistake)
        return kept.relabelled(found.labels(scores.cheapest(), kept.block().cells))


def takes_the_best_labelling() -> Case:
    """One voter decides all labels of everyone: the learner inside sees another database altogether."""
    schema = tiny_schema(2)
    inner = Adversary(Thresholds(schema, "a"), ((0, 1),) * 4)
    case = learner_case("best labelling outright", _Outright(inner, 4, Fraction(3, 10)), schema, 5)
    return replace(case, records=((0, 0), (0, 1)))  # one point is enough


class _BestMember(Agnostic):
    """Takes a member with the fewest mistakes on the voters."""

    def labelled(self, vote: Vote, kept: Sample, rest: Sample, coins: Coins) -> Sample:
        prices = MemberDichotomies(self.classes).relabelling(
            kept, rest, change=vote.change, mistake=vote.mistake
        )
        return kept.relabelled(prices.cheapest().predict(kept.block().cells))


def takes_the_best_member() -> Case:
    """Members in place of labellings, but the best one and not a drawn one: again one voter decides all labels."""
    schema = tiny_schema(2)
    inner = Adversary(Unions(schema, "a", 1), ((0, 1),) * 4)
    case = learner_case("best member outright", _BestMember(inner, 4, Fraction(3, 10)), schema, 5)
    return replace(case, records=((0, 0), (0, 1)))


class _PicksAtTwice(Confidence):
    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        return Confidence(self.learner, self.runs, self.held, 2 * self.epsilon).learn(sample, coins)


class _AllPick(Confidence):
    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        block = (sample.size.labelled - self.held) // self.runs
        parts = [sample.take(np.arange(i * block, (i + 1) * block)) for i in range(self.runs)]
        answers = [self.learner.learn(part, coins) for part in parts]
        seen = sample.block()
        wrong = [int((answer.predict(seen.cells) != seen.labels).sum()) for answer in answers]
        return answers[gibbs.draw(Listed(np.array(wrong, dtype=np.int64)), self.ratio, coins)]


def picks_at_twice_its_epsilon() -> Case:
    """The held-out records pick the best of several rules at the full rate a mistake: as if only one score moved."""
    return confidence_case("a pick at twice its epsilon", _PicksAtTwice)


def lets_all_records_pick() -> Case:
    """All records pick, not only those held out, and those of the blocks pay for their block alone."""
    return confidence_case("all records pick", _AllPick)


class _ByAllRecords(Stable):
    """Represents a labelling by the best concept that makes it, on all records."""

    def learn(self, sample: Sample, coins: Coins) -> Threshold:
        chosen = np.array(coins.subset(sample.size.labelled, self.kept), dtype=np.int64)
        cells, block = sample.take(chosen).block().cells, sample.block()
        best: dict[bytes, tuple[int, Threshold]] = {}
        for cut in range(self.concepts.size or 0):
            member = Threshold("a", cut, True)
            wrong = int((member.predict(block.cells) != block.labels).sum())
            key = bytes(member.predict(cells))
            if key not in best or wrong < best[key][0]:
                best[key] = wrong, member
        listed = list(best.values())
        return listed[gibbs.draw(Listed(np.array([wrong for wrong, _ in listed])), self.ratio, coins)][1]


def lists_by_all_records() -> Case:
    schema = tiny_schema(3)
    return learner_case("listed by all records", _ByAllRecords(Thresholds(schema, "a"), 1, ONE), schema, 3)


def _crossing(runs: VotedRuns) -> list[int]:
    """The nearest beginning and the nearest end, each for itself: the interval found may end before it begins."""

    def nearest(costs: NDArray[np.int64], places: range, to: int) -> int:
        return min(int(costs[at] + abs(runs.lengths[at] - runs.lengths[to])) for at in places)

    points = len(runs.lengths) - 1
    pairs = [(first, last) for first in range(points) for last in range(first + 1, points + 1)]
    begins, ends = range(points), range(1, points + 1)
    prices = [nearest(runs.begins, begins, i) + nearest(runs.ends, ends, j) for i, j in pairs]
    return [runs._empty, *prices]


def ends_before_it_begins() -> Case:
    """Voters on the labels of five records, linear in time and so simple: a voter in the middle counts twice."""
    concepts, epsilon = intervals(tiny_schema(3), "a"), ONE
    kept = sample_of(concepts.schema, [(cell, 0) for cell in (0, 0, 1, 2, 2)])
    ratio = ratio_for(epsilon / 2)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        found = concepts.dichotomies(kept).relabelling(
            kept, sample_of(concepts.schema, data), change=1, mistake=1
        )
        return gibbs.draw_index(_crossing(found), ratio, coins)

    claim = Privacy(Loss(factor=ratio**-2))
    return Case("an interval that ends before it begins", run, records_of(concepts.schema), 3, claim)


def adds_up_in_proportion() -> Case:
    """Three draws of three records lose as much as one run on them, says the author."""
    schema = tiny_schema(2)
    inner = Adversary(Thresholds(schema, "a"), ((0, 0),) * 3)
    claim = inner.certify(Size(3)).privacy.fact
    return learner_case("draws with replacement, in proportion", Resampled(inner, 3), schema, 3, claim=claim)


MUTANTS: dict[str, Callable[[], Case]] = {
    mutant.__name__: mutant
    for mutant in (
        takes_the_best_labelling,
        takes_the_best_member,
        lists_by_all_records,
        ends_before_it_begins,
        adds_up_in_proportion,
        picks_at_twice_its_epsilon,
        lets_all_records_pick,
    )
}
