"""The vote of models trained on disjoint blocks of the records: any classifier, one price per answer.

Statement: each answer is epsilon-DP when one record is replaced, exactly, whatever the models are and however many.
With concepts that fit their blocks best, if some concept makes no error and records are independent, an answer
errs with at most the certified probability.
Source: Li–Wang–Ye 2025, Lemma 19; Dagan–Feldman 2020, Lemma 6; the vote itself and its constants are ours.
Holds if: a model is a function of its own block. Blocks are slots of a uniformly random order of the records, drawn
without looking at them; the order and the models are kept for all answers, the coins of the vote are fresh for each.
Two classes have a vote of their own, the best there is; more of them, permute-and-flip on the counts. Where a budget
adds rho, exponential weights give four times as many answers of one epsilon, and three times as many of one error.
Proof: docs/proofs/vote.md, docs/proofs/plurality.md, docs/proofs/exponential-vote.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.prediction.vote_law import (
    VoteLaw,
    exponential_vote,
    exponential_vote_wrong,
    plurality,
    vote,
    vote_wrong,
)
from privpac.constructions.prediction.voters import Voters, largest_block
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, RuleRefused, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import Accuracy, Against, Privacy
from privpac.guarantee.proof import (
    ONE,
    SEAL,
    Proof,
    Value,
    need,
    need_ratio,
    parameters,
)
from privpac.mechanisms.exponential_vote import ExponentialVoteLaw
from privpac.mechanisms.plurality import PluralityLaw
from privpac.numbers.exact import ln_up, ratio_for, shortened
from privpac.numbers.parameters import Number, at_least, chance, positive, whole_positive
from privpac.numbers.rough import Floats
from privpac.theory.register import formula
from privpac.theory.vc import net_error, records_net

__all__ = [
    "Law",
    "PreparedVote",
    "Vote",
    "default_models",
    "error_exponential_vote",
    "error_vote",
    "exponential_vote_accuracy",
    "exponential_vote_error",
    "models_vote",
    "models_vote_printed",
    "records_vote",
    "records_vote_printed",
    "vote_accuracy",
    "vote_error",
]


_STEPS = 6
"""Of an iteration that gains more than a digit each."""


MOST_MODELS = 2_001
"""Votes of more models are not searched."""


MOST_VOTES = 2**14
"""Models that may vote where a promise is made of the answers: the checker re-derives no promise of more."""


Settings = dict[str, int | Fraction]
"""What a bound was computed at."""


# --- accuracy by the majority ---


@lru_cache(maxsize=4096)
def _envelope(models: int, ratio: Fraction) -> tuple[fmpq, fmpq]:
    """The error if no model errs, and its growth per average error of the models.

    The growth is models · max over W of (wrong(W) - wrong(0))/W; the maximum is found in floats among neighbours of the
    best, which are then compared exactly. wrong(W) is convex up to half of the models and concave beyond, so that the
    slope from 0 rises and then falls: the best of the neighbours is the best of all. These fractions have as many
    digits as there are models, and more: flint's arithmetic takes a thousandth of the time of Python's.
    """
    exact = _quick(ratio)
    base = vote_wrong(0, models=models, ratio=exact)

    def slope(wrong: int) -> fmpq:
        return (vote_wrong(wrong, models=models, ratio=exact) - base) / wrong

    best = _steepest(models, float(ratio))
    near = range(max(1, best - 2), min(models, best + 2) + 1)
    return base, models * max(map(slope, near))


def _quick(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _float_wrong(wrong: int, models: int, x: float) -> float:
    half, odd = divmod(models, 2)
    if odd:
        rest = float(x ** (half - wrong + 1 if wrong <= half else wrong - half)) / (1 + x)
    else:
        rest = float(x ** abs(half - wrong)) / 2
    return rest if wrong <= half else 1 - rest


@formula("vote-accuracy")
def vote_error(error: Number, *, models: int, ratio: Fraction) -> Fraction:
    """The error of a vote whose models err by `error` on average, however they depend on each other.

    Statement: wrong(0) + models·max over W of (wrong(W) - wrong(0))/W · error, with `vote_wrong`.
    Source: register `vote-accuracy`. Holds if: nothing more. Proof: docs/proofs/vote.md.

    >>> float(vote_error(0.0549, models=5, ratio=ratio_for(ONE))) <= 0.1
    True
    """
    base, slope = _envelope(models, ratio)
    bound = base + slope * _quick(chance(error, owner="vote_error", name="error"))
    return ONE if bound >= 1 else Fraction(int(bound.p), int(bound.q))


def rough_vote(average: Floats, models: Floats, x: Floats) -> Floats:
    """About `vote_error`, in floats, for arrays of votes with odd numbers of models: for searches.

    The steepest chord from 0 ends at half of the models, or j beyond it with x^j·(1 + L·(half + j)) =
    (1 + x)(1 - base), L = ln(1/x), which a few steps of iteration find.
    """
    half, rate = models // 2, -np.log(x)
    base = x ** (half + 1) / (1 + x)
    beyond = np.ones(np.broadcast(half, x).shape)
    for _ in range(_STEPS):
        beyond = np.maximum(1.0, np.log((1 + rate * (half + beyond)) / ((1 + x) * (1 - base))) / rate)
    steepest = np.where(half > 0, (x / (1 + x) - base) / np.maximum(half, 1), 0.0)
    for whole in (np.floor(beyond), np.ceil(beyond)):
        wrong = np.minimum(half + whole, models)
        steepest = np.maximum(steepest, (1 - x ** (wrong - half) / (1 + x) - base) / wrong)
    error: Floats = base + models * average * steepest
    return error


def _average_for(error: float, models: int, x: float) -> float:
    """The average error of the models at which the vote errs by `error`, in floats; negative if there is none."""
    base = _float_wrong(0, models, x)
    if base >= error:
        return -1.0
    worst = _steepest(models, x)
    return (error - base) * worst / (models * (_float_wrong(worst, models, x) - base))


def _steepest(models: int, x: float) -> int:
    """Where the chord from 0 is steepest: its slope rises, then falls."""
    base = _float_wrong(0, models, x)

    def slope(wrong: int) -> float:
        return (_float_wrong(wrong, models, x) - base) / wrong

    low, high = max(1, models // 2), models
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if slope(middle) < slope(middle + 1) else (low, middle)
    return low


@formula("vote-accuracy")
def models_vote(error: Number, *, epsilon: Number) -> int:
    """The odd number of models for which a vote of this error asks least of them all together.

    Statement: the r that minimises r/a, a the average error with `vote_error`(a) = error. Source: register
    `vote-accuracy`. Holds if: nothing more. Proof: docs/proofs/vote.md.

    >>> models_vote(0.1, epsilon=1), models_vote(0.1, epsilon=0.1)
    (5, 55)
    """
    owner = "models_vote"
    wrong = float(chance(error, owner=owner, name="error"))
    x = float(ratio_for(positive(epsilon, owner=owner, name="epsilon")))
    return min(_enough(wrong, x), key=lambda r: r / _average_for(wrong, r, x))


def _enough(error: float, x: float) -> Iterable[int]:
    """Odd numbers of models whose noise alone errs by less than `error`, up to four times the smallest."""
    first = next(
        (r for r in range(1, MOST_MODELS + 1, 2) if _float_wrong(0, r, x) < error * (1 - 1e-9)), MOST_MODELS
    )
    return range(first, min(4 * first + 8, MOST_MODELS) + 1, 2)


@formula("vote-accuracy")
def records_vote(
    error: Number, *, failure: Number, epsilon: Number, vc: int, models: int | None = None
) -> int:
    """Records for a vote of consistent concepts of this error, if some concept makes no error.

    Statement: r · (records after which all r models err by at most a, each except with failure/r), E0 + c·a <= error.
    Source: register `vote-accuracy`, `epsilon-net`. Holds if: records are independent and a concept errs nowhere.
    Proof: docs/proofs/vote.md.

    >>> records_vote(0.1, failure=0.05, epsilon=1, vc=1)
    3280
    """
    owner = "records_vote"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    ratio = ratio_for(positive(epsilon, owner=owner, name="epsilon"))
    x = float(ratio)

    def rough(r: int) -> float:
        average = _average_for(float(wrong), r, x)
        return r * (math.log(r / float(miss)) + vc) / average if average > 0 else math.inf

    best = models or min(_enough(float(wrong), x), key=rough)
    average = Fraction(_average_for(float(wrong), best, x)) * (1 - Fraction(1, 10**9))
    if average <= 0 or vote_error(average, models=best, ratio=ratio) > wrong:
        requirement = f"larger: the noise alone errs by {float(_envelope(best, ratio)[0]):.3g}"
        raise ParameterError(owner, "error", float(wrong), allowed=requirement)
    return best * records_net(average, failure=miss / best, vc=vc)


@formula("vote-accuracy")
def models_vote_printed(error: Number, *, epsilon: Number) -> int:
    """The printed number of models.

    Statement: 6·ln(4/error)/epsilon, rounded up. Source: Li–Wang–Ye 2025, Lemma 19; register `vote-accuracy`.
    Holds if: nothing more. Proof: docs/proofs/vote.md.

    >>> models_vote_printed(0.1, epsilon=1)
    23
    """
    owner = "models_vote_printed"
    wrong = chance(error, owner=owner, name="error")
    return math.ceil(6 * ln_up(4 / wrong) / positive(epsilon, owner=owner, name="epsilon"))


@formula("vote-accuracy")
def records_vote_printed(error: Number, *, failure: Number, epsilon: Number, vc: int) -> int:
    """The same with the printed numbers: 6·ln(4/error)/epsilon models of error/4 each.

    Statement: as `records_vote`. Source: Li–Wang–Ye 2025, Lemma 19; register `vote-accuracy`.
    Holds if: as `records_vote`. Proof: docs/proofs/vote.md.
    """
    owner = "records_vote_printed"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    price = positive(epsilon, owner=owner, name="epsilon")
    models = models_vote_printed(wrong, epsilon=price)
    return models * records_net(wrong / 4, failure=miss / models, vc=vc)


@formula("vote-accuracy")
def error_vote(n: int, *, models: int, ratio: Fraction, failure: Number, vc: int) -> Fraction:
    """What `n` records prove for a vote of this many consistent concepts, if some concept makes no error.

    Statement: as `records_vote`, solved for the error; blocks have at least n // models records. 1 if nothing is
    proved. Source: register `vote-accuracy`, `epsilon-net`. Holds if: as `records_vote`. Proof: docs/proofs/vote.md.
    """
    owner = "error_vote"
    block = at_least(1, n, owner=owner, name="n") // models
    if block < 1:
        return ONE
    average = net_error(block, failure=chance(failure, owner=owner, name="failure") / models, vc=vc)
    return ONE if average >= 1 else vote_error(average, models=models, ratio=ratio)


# --- accuracy by exponential weights ---


_FAR = 700.0
"""The exponential of more is no float any more, and one over it is nothing."""


@lru_cache(maxsize=4096)
def _exponential_envelope(models: int, ratio: Fraction) -> tuple[Fraction, Fraction]:
    """The error if no model errs, and its growth per average error of the models.

    The chance of a wrong answer is convex in the wrong models up to half of them and concave beyond, so the slope of
    the chord from 0 rises and then falls: the best of its neighbours is the best of all.
    """
    base = exponential_vote_wrong(0, models=models, ratio=ratio)

    def slope(wrong: int) -> Fraction:
        return (exponential_vote_wrong(wrong, models=models, ratio=ratio) - base) / wrong

    best = _exponential_steepest(models, float(ratio))
    near = range(max(1, best - 2), min(models, best + 2) + 1)
    return base, models * max(map(slope, near))


def _exponential_steepest(models: int, x: float) -> int:
    """About where the chord from 0 is steepest, in floats."""

    def wrong(count: int) -> float:
        return 1 / (1 + math.exp(min(_FAR, (2 * count - models) * math.log(x))))

    return max(range(1, models + 1), key=lambda count: (wrong(count) - wrong(0)) / count)


@formula("exponential-vote-accuracy")
def exponential_vote_error(error: Number, *, models: int, ratio: Fraction) -> Fraction:
    """The error of the vote if its models err by `error` on average, however they depend on each other.

    Statement: wrong(0) + models·max over W of (wrong(W) - wrong(0))/W · error, with `exponential_vote_wrong`.
    Source: register `exponential-vote-accuracy`. Holds if: there are two classes.
    Proof: docs/proofs/exponential-vote.md.

    >>> exponential_vote_error(Fraction(1, 10), models=3, ratio=Fraction(1, 2))
    Fraction(7, 36)
    """
    base, slope = _exponential_envelope(models, ratio)
    return min(ONE, base + slope * chance(error, owner="exponential_vote_error", name="error"))


@formula("exponential-vote-accuracy")
def error_exponential_vote(n: int, *, models: int, ratio: Fraction, failure: Number, vc: int) -> Fraction:
    """What `n` records prove for a vote of this many consistent concepts, if some concept makes no error.

    Statement: `exponential_vote_error` at the error of an epsilon-net from n // models records, for all models except
    with probability `failure`; 1 if nothing is proved. Source: register `exponential-vote-accuracy`, `epsilon-net`.
    Holds if: records are independent and a concept errs nowhere. Proof: docs/proofs/exponential-vote.md.
    """
    owner = "error_exponential_vote"
    block = at_least(1, n, owner=owner, name="n") // models
    if block < 1:
        return ONE
    average = net_error(block, failure=chance(failure, owner=owner, name="failure") / models, vc=vc)
    return ONE if average >= 1 else exponential_vote_error(average, models=models, ratio=ratio)


# --- as steps of a proof ---


def promised(
    rule: str,
    bound: Callable[..., Fraction],
    against: Against,
    records: int,
    vc: int,
    failure: Fraction,
    **settings: int | Fraction,
) -> tuple[Accuracy, dict[str, Value]]:
    """What a bound says of the error of answers at these settings, and how a certificate stores them."""
    need(rule, 0 < failure < 1 and vc >= 0, "failure or VC dimension is out of range")
    need(rule, settings.get("models", 1) <= MOST_VOTES, f"more than {MOST_VOTES} models vote")
    error = bound(records, failure=failure, vc=vc, **settings)
    need(rule, error < 1, "these records prove nothing")
    fact = Accuracy(shortened(error), failure, against, records, proper=False)
    return fact, parameters(**settings, records=records, vc=vc)


def _need_blocks(rule: str, ratio: Fraction, models: int, records: int) -> None:
    need_ratio(rule, ratio, 1)
    need(rule, 1 <= models <= records, "there must be at least one record per model")


def vote_accuracy(
    *, models: int, ratio: Fraction, records: int, vc: int, failure: Fraction
) -> Proof[Accuracy]:
    """The error of a vote of consistent concepts, one per block of at least records // models records.

    Source: register `vote-accuracy`, `epsilon-net`. Holds for independent records of which some concept judges all
    rightly.
    """
    rule = "vote-accuracy"
    _need_blocks(rule, ratio, models, records)
    fact, where = promised(
        rule, error_vote, Against.REALIZABLE, records, vc, failure, models=models, ratio=ratio
    )
    return Proof(fact, rule, where=where, seal=SEAL)


def exponential_vote_accuracy(
    *, models: int, ratio: Fraction, records: int, vc: int, failure: Fraction
) -> Proof[Accuracy]:
    """The error of a vote of consistent concepts by exponential weights, between two classes.

    Source: register `exponential-vote-accuracy`, `epsilon-net`. Holds for independent records of which some concept
    judges all rightly.
    """
    rule = "exponential-vote-accuracy"
    _need_blocks(rule, ratio, models, records)
    bound, against = error_exponential_vote, Against.REALIZABLE
    fact, where = promised(rule, bound, against, records, vc, failure, models=models, ratio=ratio)
    return Proof(fact, rule, where=where, seal=SEAL)


# --- the predictor ---


RECORDS_A_MODEL = 12


UNANIMOUS = 1 / 200


MOST_MODELS = 1_001
"""As many models as it takes for noise to turn a unanimous vote round once in 200 times, half a percent of error, while
each has 12 records. Fewer add noise; more starve each of them of records and only sharpen what is sharp. The constants
are choices that did well where they were tried (benchmarks/results/accuracy.md); privacy does not depend on them."""


class Law(StrEnum):
    """How votes become an answer."""

    MAJORITY = "majority"
    """With the least error at one epsilon: for budgets that add epsilons."""
    EXPONENTIAL = "exponential"
    """With the least error at one rho: for budgets that add rho."""


def default_models(n: int, epsilon: Fraction, law: Law = Law.MAJORITY) -> int:
    """An odd number of models that follows from public numbers: the least with an error of unanimous models below
    `UNANIMOUS`, if there are records for them. That error is e^(-epsilon·j)/(1 + e^epsilon), j = (models - 1)/2, and
    1/(1 + e^(models·epsilon/2)) by exponential weights."""
    price = float(epsilon)
    if law is Law.EXPONENTIAL:
        lead = (math.log1p(-UNANIMOUS) - math.log(UNANIMOUS)) / price - 0.5  # half of the models, but for one
    else:
        lead = (-math.log(UNANIMOUS) - price - math.log1p(math.exp(-price))) / price
    models = min(2 * max(0, math.ceil(lead)) + 1, n // RECORDS_A_MODEL, MOST_MODELS)
    return max(1, models - (models + 1) % 2)


@dataclass(frozen=True)
class Vote:
    """`models` voters on disjoint shuffled blocks, asked at `epsilon` an answer."""

    voters: Voters
    epsilon: Fraction
    models: int
    failure: Fraction = FAILURE
    law: Law = Law.MAJORITY

    def __post_init__(self) -> None:
        positive(self.epsilon, owner="Vote", name="epsilon")
        whole_positive(self.models, owner="Vote", name="models")

    @property
    def schema(self) -> Schema:
        """The schema of the questions."""
        return self.voters.schema

    @property
    def columns(self) -> tuple[str, ...]:
        return self.voters.columns

    @property
    def _two(self) -> bool:
        return len(self.schema.classes) == 2

    @property
    def ratio(self) -> Fraction:
        """Of one vote: by the majority of two a changed vote is one step, elsewhere two counts move."""
        one_step = self._two and self.law is Law.MAJORITY
        return ratio_for(self.epsilon if one_step else self.epsilon / 2)

    def require(self, size: Size) -> None:
        if size.labelled < self.models:
            raise SizeError(
                f"A vote of {self.models} models needs at least as many records, and there are {size.labelled}.",
                remedy="Ask for fewer models.",
            )
        self.voters.require(largest_block(size.labelled, self.models))

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        return Certificate(
            privacy=rules.declared(self._privacy(), epsilon=self.epsilon),
            accuracy=self._accuracy(size.labelled),
            learner={"name": "vote", **self.to_json()},
            labelled=size.labelled,
        )

    def _privacy(self) -> Proof[Privacy]:
        ratio, models, classes = self.ratio, self.models, len(self.schema.classes)
        if self.law is Law.EXPONENTIAL:
            return exponential_vote(ratio=ratio, models=models, classes=classes)
        if self._two:
            return vote(classes=classes, ratio=ratio, models=models)
        return plurality(ratio=ratio, models=models, classes=classes)

    def _accuracy(self, records: int) -> tuple[Proof[Accuracy], ...]:
        vc = self.voters.dimension(2 * (records // self.models))
        if vc is None:
            return ()
        is_exponential = self.law is Law.EXPONENTIAL
        promise = exponential_vote_accuracy if is_exponential else vote_accuracy
        try:
            return (
                promise(models=self.models, ratio=self.ratio, records=records, vc=vc, failure=self.failure),
            )
        except RuleRefused:  # so few records that nothing is proved
            return ()

    def prepare(self, sample: Sample, coins: Coins) -> PreparedVote:
        self.require(sample.size)
        n = sample.size.labelled
        order = np.asarray(coins.subset(n, n), dtype=np.int64)
        blocks = [sample.take(order[slot :: self.models]) for slot in range(self.models)]
        return PreparedVote(self, tuple(self.voters.train(block) for block in blocks))

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "vote",
            "voters": dict(self.voters.to_json()),
            **public_parameters(self, "epsilon", "models", "failure"),
            **({} if self.law is Law.MAJORITY else {"law": self.law.value}),
        }


@dataclass(frozen=True, eq=False, repr=False)
class PreparedVote:
    """Trained models. Private: it has no repr."""

    predictor: Vote
    models: Sequence[Any]

    @cached_property
    def _law(self) -> VoteLaw:
        """The same for every answer, and its fractions take longer than a draw from them."""
        return VoteLaw(self.predictor.models, self.predictor.ratio)

    def answer(self, cells: Cells, coins: Coins) -> NDArray[np.uint8]:
        vote = self.predictor
        votes = vote.voters.tally(self.models, cells)
        if vote.law is Law.EXPONENTIAL:
            return ExponentialVoteLaw(vote.ratio).draw(votes, coins)
        if votes.shape[1] == 2:
            return self._law.draw(votes[:, 1], coins)
        return PluralityLaw(vote.ratio).draw(votes, coins)
