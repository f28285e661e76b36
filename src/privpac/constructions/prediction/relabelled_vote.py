"""A vote on records relabelled by the others: Theorem 20 of Li–Wang–Ye.

Statement: for every question, `kept` random records are relabelled by a private vote of all others, concepts are fitted
to `models` blocks of them, and these vote. Each answer is epsilon-DP, and errs above the best concept by at most the
certified amount, except with the certified probability over independent records.
Source: Li–Wang–Ye 2025, Theorem 20; register `relabelled-vote`, `relabelling`, `vote`.
Holds if: everything is drawn afresh for every question; the relabelled records come in uniformly random order.
Proof: docs/proofs/relabelled-vote.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Cells
from privpac.concepts.labellings.base import dimension
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.prediction.predictor import Redrawn, least_dimensional
from privpac.constructions.prediction.vote import Settings, promised, rough_vote, vote_error
from privpac.constructions.prediction.vote_law import VoteLaw, vote
from privpac.constructions.prediction.voters import Concepts, largest_block
from privpac.constructions.wrappers import relabelling
from privpac.data.sample import Sample
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.facts import Accuracy, Against, Privacy
from privpac.guarantee.proof import ONE, SEAL, Proof, need
from privpac.numbers.exact import ln_down, ln_up, plain, ratio_for
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.numbers.rough import Floats, rough_ln_growth
from privpac.numbers.search import first_by_value, proved_from
from privpac.theory.register import formula
from privpac.theory.vc import erm_excess, ln_growth, net_error, relative_error

__all__ = [
    "RelabelledVote",
    "error_relabelled_vote",
    "excess_relabelled_vote",
    "plan_relabelled_vote",
    "records_relabelled_vote",
    "relabelled_vote",
    "votes_of",
]


# --- accuracy ---


EVENTS = 5
"""Deviations, two of them of the voters, the draw, the pair of concepts, and the models of the vote."""


WEIGHTS = (0.25, 0.5, 1.0)


MODELS = (1, 3, 5, 7, 9, 11, 13, 15, 19, 25, 35)


@formula("relabelled-vote")
def excess_relabelled_vote(
    n: int,
    *,
    kept: int,
    ratio: Fraction,
    mistake: int,
    weight: Fraction,
    models: int,
    inner: Fraction,
    failure: Number,
    vc: int,
) -> Fraction:
    """How far the vote of concepts on relabelled records errs above the best of the class; 1 if nothing is proved.

    Statement: with w = n - kept, b = failure/5, a = (ln growth(kept) + ln(1/b))/(w·mistake·ln(1/ratio)):
    erm_excess(w, 2b) + a + relative_error(a/weight; kept, b, pairs) + vote_error(net_error(kept // models, b/models,
    pairs); inner). Source: register `relabelled-vote` (Li–Wang–Ye 2025, Theorem 20, Claim 16).
    Holds if: records are independent. Proof: docs/proofs/relabelled-vote.md.
    """
    voters, miss = n - kept, chance(failure, owner="excess_relabelled_vote", name="failure") / EVENTS
    block = kept // models
    if block < 1 or voters < 1 or ratio >= 1:
        return ONE
    draw = (ln_growth(kept, vc=vc) + ln_up(1 / miss)) / (voters * mistake * ln_down(1 / ratio))
    average = net_error(block, failure=miss / models, vc=vc, pairs=True)
    if draw >= weight or average >= 1:
        return ONE
    near = relative_error(draw / weight, n=kept, failure=miss, vc=vc, pairs=True)
    vote = vote_error(average, models=models, ratio=inner)
    return min(ONE, erm_excess(voters, failure=2 * miss, vc=vc) + draw + near + vote)


@dataclass(frozen=True)
class RelabelledPlan:
    """Public parameters: how many records are relabelled, the epsilon of the vote on labels and its weight, how many
    models, and the epsilon of their vote."""

    kept: int
    labels: Fraction
    weight: Fraction
    models: int
    inner: Fraction


def _inner(q: Floats, e1: Floats, weight: Floats, epsilon: float) -> Floats:
    """The epsilon left to the vote inside, in floats; not positive if there is none."""
    spread = weight * e1 * (1 - q) / q
    distance = math.log(4) + spread
    joint = np.where(
        weight * (1 - q) < q,
        math.log(4) + e1 * (1 + weight * (1 - q) / q),
        math.log(2) + e1 / 2 + np.log1p(np.exp(e1 / 2)) + spread,
    )
    room = (math.exp(epsilon) * ((1 - q) + q * np.exp(joint - distance)) - (1 - q) * np.exp(e1)) / q
    return np.where((joint <= 200) & (room > 0), np.log(np.maximum(room, 1e-300)) - joint, -1.0)


def _rough_relabelled(
    n: int, q: Floats, e1: Floats, choice: Choices, epsilon: float, failure: float, vc: int
) -> Floats:
    """`excess_relabelled_vote` in floats; infinite where there is no such vote."""
    weight, models = choice
    inner = _inner(q, e1, weight, epsilon)
    kept = np.floor(q * n)
    block, voters, miss = kept // models, n - kept, failure / EVENTS
    possible = (inner > 0) & (block >= 1) & (voters >= 1) & (q < 0.9)
    inner, block, voters = (np.where(possible, part, 1.0) for part in (inner, block, voters))
    kept = np.maximum(kept, 1.0)
    gap = np.sqrt(2 * rough_ln_growth(voters, vc) / voters) + 2 * np.sqrt(-math.log(miss) / (2 * voters))
    draw = 2 * (rough_ln_growth(kept, vc) - math.log(miss)) / (e1 * voters)
    spread = (2 * rough_ln_growth(2 * kept, vc) + math.log(4 / miss)) / kept
    near = draw / weight + 2 * np.sqrt(draw / weight * spread) + 4 * spread
    logs = math.log(2) + 2 * rough_ln_growth(2 * block, vc) + np.log(models / miss)
    vote = rough_vote(2 * logs / (block * math.log(2)), models, np.exp(-inner))
    return np.where(possible, gap + draw + near + vote, math.inf)


def refinement(
    value: Callable[[Floats, Floats, Rows], Floats],
    first: Sequence[float],
    second: Sequence[float],
    *,
    rows: int,
) -> tuple[float, float, float, int]:
    """The least value over this many rows of a grid of two positive numbers, then of ever finer ones around the best,
    with the two numbers and the row. `value` takes an array with a row each; the better half of the rows goes on."""
    a, b = (np.tile(axis.ravel(), (rows, 1)) for axis in np.meshgrid(first, second, indexing="ij"))
    left, step = np.arange(rows), 1.35
    for _ in range(6):
        with np.errstate(all="ignore"):
            errors = value(a, b, left)
        at = np.argmin(errors, axis=1)
        every = np.arange(len(left))
        best = errors[every, at]
        order = np.argsort(best, kind="stable")[: max(_FEWEST_ROWS, len(left) // 2)]
        every, at, left = every[order], at[order], left[order]
        x, y = a[every, at], b[every, at]
        around = step ** np.arange(-2.0, 3.0)
        a, b = x[:, None] * np.repeat(around, 5), y[:, None] * np.tile(around, 5)
        step = math.sqrt(step)
    return float(best[order[0]]), float(x[0]), float(y[0]), int(left[0])


Rows = NDArray[np.int64]


_FEWEST_ROWS = 4


Choices = tuple[Floats, Floats]
"""Weights and numbers of models, a row each."""


Candidate = tuple[float, float, float, float, int]
"""(excess, q, e1, weight, models), in floats."""


CHOICES: Choices = (
    np.repeat(np.array(WEIGHTS), len(MODELS))[:, None],
    np.tile(np.array(MODELS, dtype=np.float64), len(WEIGHTS))[:, None],
)


@lru_cache(maxsize=256)
def _best_relabelled(n: int, epsilon: float, failure: float, vc: int) -> Candidate:
    """The best parameters over all weights and numbers of models."""

    def value(q: Floats, share: Floats, rows: Rows) -> Floats:
        choices = CHOICES[0][rows], CHOICES[1][rows]
        return _rough_relabelled(n, q, share * q, choices, epsilon, failure, vc)

    grid = (0.005, 0.012, 0.03, 0.07, 0.17, 0.4), (0.1, 0.25, 0.5, 1.0)
    excess, q, share, row = refinement(value, *grid, rows=len(CHOICES[0]))
    weight, models = (float(part[row, 0]) for part in CHOICES)
    return excess, q, share * q, weight, int(models)


@formula("relabelled-vote")
def plan_relabelled_vote(n: int, *, epsilon: Number, failure: Number, vc: int) -> RelabelledPlan:
    """The parameters of `n` records at `epsilon` with the smallest proved excess that was found.

    Statement: `excess_relabelled_vote`, minimised over kept, the epsilon and weight of the labels' vote and the number
    of models; the vote inside gets what the relabelling rule leaves. Source: register `relabelled-vote`.
    Holds if: as `excess_relabelled_vote`. Proof: docs/proofs/relabelled-vote.md.
    """
    owner = "plan_relabelled_vote"
    have, miss = at_least(2, n, owner=owner, name="n"), float(chance(failure, owner=owner, name="failure"))
    price = float(positive(epsilon, owner=owner, name="epsilon"))
    _, q, e1, weight, models = _best_relabelled(have, price, miss, vc)
    kept = min(have - 1, max(models, math.floor(q * have)))
    labels = Fraction(math.floor(e1 * 10**9), 10**9)
    # A little less for the vote inside: the rule counts in fractions, and a kept share that is rounded.
    inner = Fraction(
        math.floor(
            float(_inner(np.array(kept / have), np.array(float(labels)), np.array(weight), price))
            * (1 - 1e-7)
            * 10**9
        ),
        10**9,
    )
    return RelabelledPlan(kept, labels, Fraction(weight), models, inner)


@formula("relabelled-vote")
def records_relabelled_vote(error: Number, *, failure: Number, epsilon: Number, vc: int) -> int:
    """Records after which a vote on relabelled records errs by at most `error` above the best of the class.

    Statement: the smallest n found with a plan whose excess is at most `error`. Source: register `relabelled-vote`.
    Holds if: as `excess_relabelled_vote`. Proof: docs/proofs/relabelled-vote.md.
    """
    wishes = error, failure, epsilon, vc
    return records_by_search("records_relabelled_vote", wishes, _best_relabelled, error_relabelled_vote, 1000)


def records_by_search(
    owner: str,
    wishes: tuple[Number, Number, Number, int],
    best: Callable[[int, float, float, int], Sequence[Any]],
    promise: Callable[..., Fraction],
    first: int,
) -> int:
    """The smallest n found at which `promise` keeps the error.

    `best` is about the same, quickly; `first` times the VC dimension over the squared error is where the search begins.
    """
    error, failure, epsilon, vc = wishes
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    price = positive(epsilon, owner=owner, name="epsilon")
    return _first_of(owner, wrong, miss, price, vc, best, promise, first)


@lru_cache(maxsize=4096)  # of all classes of one dimension, a plan asks the same
def _first_of(
    owner: str,
    wrong: Fraction,
    miss: Fraction,
    price: Fraction,
    vc: int,
    best: Callable[[int, float, float, int], Sequence[Any]],
    promise: Callable[..., Fraction],
    first: int,
) -> int:
    def excess(n: int) -> float:
        return float(best(n, float(price), float(miss), vc)[0])

    def is_proved(n: int) -> bool:
        return promise(n, failure=miss, epsilon=price, vc=vc) <= wrong

    want, start = float(wrong) * (1 - 1e-6), int(first * vc / wrong**2)
    return _least_proved(first_by_value(excess, want, start=start, owner=owner), is_proved, owner=owner)


def _least_proved(guess: int, holds: Callable[[int], bool], *, owner: str) -> int:
    """Floats hope; what is returned is proved for the very parameters that are run."""
    least = proved_from(guess, holds)
    if least is None:
        raise SizeError(f"{owner}: no number of records is proved to reach this error.")
    return least


@formula("relabelled-vote")
def error_relabelled_vote(n: int, *, failure: Number, epsilon: Number, vc: int) -> Fraction:
    """What `n` records prove about a vote on relabelled records, with the parameters of `plan_relabelled_vote`.

    Statement: `excess_relabelled_vote` of the plan; 1 if nothing is proved. Source: register `relabelled-vote`.
    Holds if: as `excess_relabelled_vote`. Proof: docs/proofs/relabelled-vote.md.
    """
    plan = plan_relabelled_vote(n, epsilon=epsilon, failure=failure, vc=vc)
    if plan.inner <= 0 or plan.labels <= 0:
        return ONE
    # Scores are whole numbers of this many to a mistake: the ratio of a unit is near 1, and rounding it costs a little.
    mistake = (plan.weight * Fraction(n - plan.kept, plan.kept)).denominator
    return excess_relabelled_vote(
        n,
        kept=plan.kept,
        ratio=ratio_for(plan.labels / (2 * mistake)),
        mistake=mistake,
        weight=plan.weight,
        models=plan.models,
        inner=ratio_for(plan.inner),
        failure=failure,
        vc=vc,
    )


def relabelled_vote(
    *,
    kept: int,
    ratio: Fraction,
    mistake: int,
    weight: Fraction,
    models: int,
    inner: Fraction,
    records: int,
    vc: int,
    failure: Fraction,
) -> Proof[Accuracy]:
    """How far the vote of concepts on relabelled records errs above the best of the class.

    Source: Li–Wang–Ye 2025, Theorem 20, constants ours; register `relabelled-vote`. Holds for independent records.
    """
    rule = "relabelled-vote"
    numbers: Settings = {"kept": kept, "mistake": mistake, "models": models}
    need(rule, all(number >= 1 for number in numbers.values()) and kept < records, "a number is out of range")
    need(rule, 0 < ratio < 1 and 0 < inner <= 1 and weight > 0, "a ratio or the weight is out of range")
    settings: Settings = {**numbers, "ratio": ratio, "weight": weight, "inner": inner}
    fact, where = promised(rule, excess_relabelled_vote, Against.AGNOSTIC, records, vc, failure, **settings)
    return Proof(fact, rule, where=where, seal=SEAL)


# --- the predictor ---


def votes_of(concepts: AnyClass, records: Sample, *, models: int, cells: Cells) -> NDArray[np.int64]:
    """How many concepts fitted to slots of records in random order say class 1, for every question."""
    voters, n = Concepts(concepts), records.size.labelled
    slots = [np.arange(slot, n, models) for slot in range(models)]
    return voters.tally([voters.train(records.take(slot)) for slot in slots], cells)[:, 1]


@dataclass(frozen=True)
class RelabelledVote(Redrawn):
    """`kept` of `records` records get labels voted for at epsilon `labels`; `models` concepts vote at `inner`."""

    owner: ClassVar[str] = "RelabelledVote"
    name: ClassVar[str] = "relabelled vote"

    labels: Fraction
    weight: Fraction
    models: int
    inner: Fraction
    failure: Fraction = FAILURE

    @classmethod
    def planned(
        cls, concepts: AnyClass, epsilon: Fraction, *, records: int, failure: Fraction = FAILURE
    ) -> RelabelledVote:
        """With the parameters that prove the smallest excess for this many records."""

        def build(vc: int) -> RelabelledVote:
            plan = plan_relabelled_vote(records, epsilon=epsilon, failure=failure, vc=vc)
            if plan.inner <= 0 or plan.kept < plan.models:
                raise SizeError(
                    f"{cls.owner}: {records} records are too few to relabel some and vote on them."
                )
            parts = plan.labels, plan.weight, plan.models, plan.inner
            return cls(concepts, epsilon, plan.kept, records, *parts, failure)

        return least_dimensional(build, concepts, records=records, owner=cls.owner)

    def __post_init__(self) -> None:
        super().__post_init__()
        Concepts(self.concepts)
        if not 1 <= self.models <= self.kept < self.records:
            raise ParameterError(
                self.owner, "kept", self.kept, allowed=f"between {self.models} and {self.records - 1}"
            )
        if min(self.epsilon, self.labels, self.weight, self.inner) <= 0:
            raise ParameterError(
                self.owner, "epsilon", plain(self.epsilon), allowed="positive, and so must all its parts be"
            )

    @property
    def label_vote(self) -> relabelling.Vote:
        """The vote that relabels the kept records."""
        return relabelling.Vote(self.kept, self.records - self.kept, self.labels, self.weight)

    def dimension(self) -> int | None:
        """Labellings of the records that vote, of those kept, and of two blocks are counted."""
        fewest = min(self.records - self.kept, self.kept, 2 * (self.kept // self.models))
        return dimension(self.concepts, counted=fewest, drawn=self.kept, voted=True)

    def require_draw(self) -> None:
        self.listed.require_relabelled(self.kept, voters=self.records - self.kept)
        Concepts(self.concepts).require(largest_block(self.kept, self.models))

    def privacy(self) -> Proof[Privacy]:
        labels, classes = self.label_vote, len(self.schema.classes)
        return relabelling.relabelling(
            vote(classes=classes, ratio=ratio_for(self.inner), models=self.models),
            classes=classes,
            kept=self.kept,
            of=self.records,
            ratio=labels.ratio,
            change=labels.change,
            mistake=labels.mistake,
        )

    def proved(self, vc: int) -> Proof[Accuracy]:
        vote = self.label_vote
        return relabelled_vote(
            kept=self.kept,
            ratio=vote.ratio,
            mistake=vote.mistake,
            weight=self.weight,
            models=self.models,
            inner=ratio_for(self.inner),
            records=self.records,
            vc=vc,
            failure=self.failure,
        )

    def votes(self, sample: Sample, cells: Cells, coins: Coins) -> NDArray[np.int64]:
        """The votes for class 1, from one relabelling. Private, and good for one answer only."""
        positions = np.asarray(coins.subset(self.records, self.kept), dtype=np.int64)
        labelled = self.label_vote.relabel(
            self.concepts, sample.take(positions), sample.rest(positions), coins
        )
        return votes_of(self.concepts, labelled, models=self.models, cells=cells)

    def draw(self, sample: Sample, cells: Cells, coins: Coins) -> int:
        votes = self.votes(sample, cells, coins)
        return int(VoteLaw(self.models, ratio_for(self.inner)).draw(votes, coins)[0])

    def to_json(self) -> dict[str, Any]:
        names = ("epsilon", "kept", "records", "labels", "weight", "models", "inner", "failure")
        return self.document("relabelled-vote", *names)
