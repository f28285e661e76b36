"""Faults of predictors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from privpac.audit.exact import Case, Record
from privpac.audit.registry import records_of, sample_of, tiny_schema
from privpac.coins import Coins
from privpac.concepts.base import Cells
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.prediction import vote_law
from privpac.constructions.prediction.cases import CutsAtPoints, corollary_one, questions
from privpac.constructions.prediction.fresh_draws import FreshDraws, flip_for
from privpac.constructions.prediction.vote import Vote
from privpac.constructions.prediction.vote_law import VoteLaw
from privpac.constructions.prediction.voters import Concepts
from privpac.data.sample import Size
from privpac.guarantee import rules
from privpac.guarantee.facts import Loss, Privacy, Release
from privpac.mechanisms import gibbs
from privpac.mechanisms.exponential_vote import ExponentialVoteLaw
from privpac.mechanisms.plurality import PluralityLaw
from privpac.numbers.exact import exp_down, ratio_for

ONE = Fraction(1)
RATIO = ratio_for(ONE)
CLAIM = vote_law.vote(classes=2, ratio=RATIO, models=3).fact


def answers_without_noise_when_all_agree() -> Case:
    """A unanimous vote is not noised: it cannot be wrong, can it."""
    schema = tiny_schema(3)
    vote = Vote(Concepts(Thresholds(schema, "a")), ONE, 3)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        prepared = vote.prepare(sample_of(schema, data), coins)
        votes = int(vote.voters.tally(prepared.models, questions(schema, (1,)))[0, 1])
        return votes // 3 if votes in (0, 3) else int(coins.flip(VoteLaw(3, RATIO).chances[votes]))

    return Case("answers without noise when all agree", run, records_of(schema), 3, CLAIM)


def takes_the_ratio_of_two_classes() -> Case:
    """Three classes, and the ratio of a step between two: a changed vote moves two counts."""
    return _labels_vote("takes the ratio of two classes", PluralityLaw(RATIO), 3)


def leaves_out_classes_without_votes() -> Case:
    """A class that nobody voted for is not looked at: why should it be the answer."""

    class Present(PluralityLaw):
        def draw(self, votes, coins):
            present = np.flatnonzero(votes[0])
            return present[PluralityLaw.draw(self, votes[:, present], coins)]

    return _labels_vote("leaves out classes without votes", Present(ratio_for(ONE / 2)), 2)


def _labels_vote(name: str, law: PluralityLaw, n: int) -> Case:
    """Every record is a model that always says its own label."""
    schema = tiny_schema(2, classes=3)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        votes = np.bincount([int(str(record[-1])) for record in data], minlength=3)[None, :]
        return int(law.draw(votes, coins)[0])

    claim = vote_law.plurality(ratio=ratio_for(ONE / 2), models=n, classes=3).fact
    return Case(name, run, records_of(schema), n, claim)


def weighs_votes_as_one_step() -> Case:
    """Exponential weights at the ratio of a majority of two: a changed vote moves two weights."""
    return _weighed("weighs votes as one step", ExponentialVoteLaw(ratio_for(ONE)), 3)


def weighs_only_classes_with_votes() -> Case:
    """A class without votes is not weighed at all: its weight is the smallest anyway."""

    class Present(ExponentialVoteLaw):
        def draw(self, votes, coins):
            present = np.flatnonzero(votes[0])
            return present[ExponentialVoteLaw.draw(self, votes[:, present], coins)]

    return _weighed("weighs only classes with votes", Present(ratio_for(ONE / 2)), 2)


def _weighed(name: str, law: ExponentialVoteLaw, n: int) -> Case:
    """Every record is a model that always says its own label."""
    schema = tiny_schema(2, classes=3)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        votes = np.bincount([int(str(record[-1])) for record in data], minlength=3)[None, :]
        return int(law.draw(votes, coins)[0])

    claim = vote_law.exponential_vote(ratio=ratio_for(ONE / 2), models=n, classes=3).fact
    return Case(name, run, records_of(schema), n, claim)


def models_share_a_scale() -> Case:
    """Features are compared with the mean of all records before the blocks are cut: one record moves every model."""
    schema = tiny_schema(3)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        mean = Fraction(sum(int(str(record[0])) for record in data), len(data))
        votes = 0
        for position in coins.subset(len(data), len(data)):
            value, label = (int(str(part)) for part in data[position])
            votes += label if (value > mean) == (mean < 1) else 1 - label
        return int(coins.flip(VoteLaw(len(data), RATIO).chances[votes]))

    return Case("models share a scale", run, records_of(schema), 3, CLAIM)


def stumbles_over_a_block_of_one_class() -> Case:
    """A classifier that refuses a block with one class only, and the refusal is seen."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        order = coins.subset(len(data), len(data))
        blocks = [[int(str(data[i][-1])) for i in order[slot::2]] for slot in range(2)]
        if any(len(set(block)) < 2 for block in blocks):
            return "the number of classes has to be greater than one"
        return int(coins.flip(VoteLaw(2, RATIO).chances[1]))

    return Case("stumbles over a block of one class", run, records_of(tiny_schema(1 + 1)), 4, CLAIM)


def blocks_by_index_within_a_subsample() -> Case:
    """A vote of three blocks of two inside a subsample of 6 of 7 that keeps the index order."""
    kept = 1 + Fraction(6, 7) * (1 / RATIO - 1)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        dropped = coins.below(7)
        bits = [int(str(record[0])) for i, record in enumerate(data) if i != dropped]
        votes = sum(bits[2 * k] ^ bits[2 * k + 1] for k in range(3))
        return int(coins.flip(VoteLaw(3, RATIO).chances[votes]))

    claim = Privacy(Loss(factor=kept), release=Release.ANSWER)
    return Case("blocks by index within a subsample", run, ((0,), (1,)), 7, claim, ordered=True)


def tells_how_sure_it_is() -> Case:
    """Says how many models agreed, besides the answer."""
    schema = tiny_schema(3)
    vote = Vote(Concepts(Thresholds(schema, "a")), ONE, 3)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        prepared = vote.prepare(sample_of(schema, data), coins)
        votes = int(vote.voters.tally(prepared.models, questions(schema, (1,)))[0, 1])
        return int(coins.flip(VoteLaw(3, RATIO).chances[votes])), max(votes, 3 - votes)

    return Case("tells how sure it is", run, records_of(schema), 3, CLAIM)


def reuses_the_hypothesis() -> Case:
    """Two questions answered by one drawn hypothesis, each turned round by a coin of its own: 4.081, not 3.053."""
    predictor = corollary_one(cells=4, records=5)
    schema = predictor.schema
    one = predictor.certify(Size(5)).privacy

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return reused(predictor, data, coins, questions(schema, (1,), (2,)))

    return Case("reuses the hypothesis", run, records_of(schema), 5, rules.sequential(one, one).fact)


def reused(predictor: FreshDraws, data: Sequence[Record], coins: Coins, asked: Cells) -> tuple[int, ...]:
    """Subset and draw once, a flip for every answer."""
    sample = sample_of(predictor.schema, data)
    kept = np.asarray(coins.subset(predictor.records, predictor.kept), dtype=np.int64)
    listed = predictor.concepts.dichotomies(sample.take(kept))  # type: ignore[attr-defined]
    member = listed.member(gibbs.draw(listed.mistakes(sample), predictor.ratio, coins))
    said = member.predict(asked).tolist()
    return tuple(label ^ int(coins.flip(predictor.flip)) for label in said)


def representative_by_labels() -> Case:
    """Lists, besides the labellings of the subset, the concept that fits all records best: a list of its own for each
    table."""
    predictor = FreshDraws.with_subset(CutsAtPoints(tiny_schema(3), "a"), ONE / 10, kept=1, records=3)
    schema = predictor.schema

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = sample_of(schema, data)
        best = Concepts(predictor.concepts).train(sample)
        if coins.flip(Fraction(1, 2)):
            return int(best.predict(questions(schema, (1,)))[0]) ^ int(coins.flip(predictor.flip))
        return predictor.draw(sample, questions(schema, (1,)), coins)

    claim = predictor.certify(Size(3)).privacy.fact
    return Case("representative by labels", run, records_of(schema), 3, claim)


def forgets_the_flip() -> Case:
    """Answers of the draw as they are: an answer may be impossible on a neighbour, or nearly."""
    predictor = replace(corollary_one(cells=3, records=3), flip=Fraction(1, 10**6))
    claim = corollary_one(cells=3, records=3)
    return predictor_case_claiming("forgets the flip", predictor, claim)


def predictor_case_claiming(name: str, predictor: FreshDraws, claimed: FreshDraws) -> Case:
    schema = predictor.schema

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return predictor.draw(sample_of(schema, data), questions(schema, (1,)), coins)

    flip = flip_for(exp_down(claimed.epsilon, 30), delta=Fraction(1, claimed.records))
    fact = replace(claimed, flip=flip).certify(Size(claimed.records)).privacy.fact
    return Case(name, run, records_of(schema), claimed.records, fact)


MUTANTS: dict[str, Callable[[], Case]] = {
    mutant.__name__: mutant
    for mutant in (
        answers_without_noise_when_all_agree,
        takes_the_ratio_of_two_classes,
        leaves_out_classes_without_votes,
        weighs_votes_as_one_step,
        weighs_only_classes_with_votes,
        models_share_a_scale,
        stumbles_over_a_block_of_one_class,
        blocks_by_index_within_a_subsample,
        tells_how_sure_it_is,
        reuses_the_hypothesis,
        representative_by_labels,
        forgets_the_flip,
    )
}
