"""All records relabelled by a fresh draw, then a vote: Theorem 2 of Dagan–Feldman, as a reference.

Statement: for every question, a concept is drawn by its mistakes on all records from the labellings of a random subset;
all records get its labels; concepts fitted to blocks of them vote, and the answer is turned round now and then. Each
answer is epsilon-DP. It needs far more records than `FreshDraws` wherever that was computed: for comparison only.
Source: Dagan–Feldman 2020, Theorem 2; register `net-relabelling`, `delta-removal`, `vote`.
Holds if: everything is drawn afresh for every question; representatives depend on the set of points alone.
Proof: docs/proofs/net-relabelling.md.
"""

from __future__ import annotations

import math
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
from privpac.constructions.prediction.fresh_draws import delta_removal, flip_for
from privpac.constructions.prediction.predictor import Redrawn, draw_concept, known_vc, least_dimensional
from privpac.constructions.prediction.relabelled_vote import Rows, records_by_search, refinement, votes_of
from privpac.constructions.prediction.vote import (
    MOST_VOTES,
    Settings,
    promised,
    rough_vote,
    vote_error,
)
from privpac.constructions.prediction.vote_law import VoteLaw, vote
from privpac.constructions.prediction.voters import Concepts, largest_block
from privpac.data.sample import Sample
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.facts import ALL, Accuracy, Against, Loss, Privacy, Release, Unit
from privpac.guarantee.proof import (
    ONE,
    SEAL,
    Proof,
    need,
    need_ratio,
    need_two_classes,
    parameters,
    power,
    rational,
)
from privpac.numbers.exact import exp_up, ln_down, ln_up, plain, ratio_for, shortened
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.numbers.rough import Floats, rough_growth_of, rough_ln_growth
from privpac.theory.register import formula
from privpac.theory.vc import erm_excess, growth, ln_growth, net_error

__all__ = [
    "NetRelabelled",
    "excess_net_relabelled",
    "net_failure",
    "net_relabelling",
    "net_relabelling_accuracy",
    "plan_net_relabelled",
    "records_net_relabelled",
]


# --- privacy ---


@formula("net-relabelling")
def net_failure(n: int, *, kept: int, net: Fraction, vc: int) -> Fraction:
    """How often the other kept points fail to tell concepts apart that differ on more than a `net` of the rest.

    Statement: growth(n - 1)^2·e^(-net·(kept - 1))/2, at most 1. Source: register `net-relabelling`.
    Holds if: the kept records are a uniform subset. Proof: docs/proofs/net-relabelling.md.
    """
    shrink = 1 / exp_up(net * (kept - 1), 30) if net else ONE
    # 1/exp_up is below e^-x: a decimal more keeps the product at or above.
    return min(ONE, Fraction(growth(n - 1, vc=vc) ** 2, 2) * shrink * (1 + Fraction(1, 10**25)))


def net_relabelling(
    premise: Proof[Privacy], *, classes: int, ratio: Fraction, kept: int, of: int, net: Fraction, vc: int
) -> Proof[Privacy]:
    """An answer from all records, labelled by a draw from the labellings of a random subset of them.

    With E = ratio^-2·e^eps of the inner answer, q = kept/of, D = floor(net·(of - 1)) + 1: e^eps' = (1 - q)·E + 4q·E^D
    and delta' = q·growth(of - 1)^2·e^(-net·(kept - 1))/2. Source: Dagan–Feldman 2020, Theorem 2 and Lemmas 8 to 11,
    constants ours; register `net-relabelling`. Refused unless there are two `classes`. Holds if representatives depend
    on the set of points alone, and draw and inner answer have fresh coins (assumed of the caller).
    """
    rule = "net-relabelling"
    need_two_classes(rule, classes)
    need_ratio(rule, ratio, 1)
    need(rule, 2 <= kept < of, "at least two records must be kept, and some not")
    need(rule, 0 <= net < 1 and vc >= 0, "net or VC dimension is out of range")
    old = premise.fact
    need(rule, old.delta == 0 and old.release is Release.ANSWER, "the inner answer must be pure")
    need(rule, old.unit is Unit.RECORD and old.part == ALL, "the inner answer must protect whole records")
    both = shortened(power(rule, 1 / ratio, 2) * rational(rule, old.epsilon))
    reach = int(net * (of - 1)) + 1
    q = Fraction(kept, of)
    factor = shortened((1 - q) * both + 4 * q * power(rule, both, reach))
    delta = shortened(min(ONE, q * net_failure(of, kept=kept, net=net, vc=vc)))
    fact = Privacy(Loss(factor=factor), delta, old.unit, old.part, old.release)
    return Proof(fact, rule, (premise,), parameters(ratio=ratio, kept=kept, of=of, net=net, vc=vc), seal=SEAL)


# --- accuracy ---


@formula("net-relabelling")
def excess_net_relabelled(
    n: int,
    *,
    kept: int,
    ratio: Fraction,
    models: int,
    inner: Fraction,
    flip: Fraction,
    slip: Fraction,
    failure: Number,
    vc: int,
) -> Fraction:
    """How far answers of a vote on all records, relabelled by a fresh draw, err above the best; 1 if nothing is proved.

    Statement: as `excess_flipped` (half of `failure`), plus vote_error(net_error(n // models, failure/(2·models),
    pairs); inner). Source: register `net-relabelling` (Dagan–Feldman 2020, Theorem 2). Holds if: records are
    independent. Proof: docs/proofs/net-relabelling.md.
    """
    miss = chance(failure, owner="excess_net_relabelled", name="failure") / 2
    average = net_error(n // models, failure=miss / models, vc=vc, pairs=True)
    if average >= 1 or ratio >= 1:
        return ONE
    near = (ln_growth(n, vc=vc) + ln_up(1 / slip)) / kept + slip
    draw = ln_growth(kept, vc=vc) / (n * ln_down(1 / ratio))
    vote = vote_error(average, models=models, ratio=inner)
    return min(ONE, erm_excess(n, failure=miss, vc=vc) + near + draw + vote + flip)


@dataclass(frozen=True)
class NetPlan:
    """Public parameters: subset, net, the epsilon of the draw, the models and the epsilon of their vote, flips."""

    kept: int
    net: Fraction
    drawing: Fraction
    models: int
    inner: Fraction
    flip: Fraction


def _room(q: Floats, reach: Floats, epsilon: float) -> Floats:
    """The largest u with (1 - q)e^u + 4q·e^(u·reach) <= e^epsilon; not positive if there is none."""
    # Either part alone bounds it. The logarithm of the sum is convex and rises, so Newton's steps from there come down
    # to the solution and never pass it.
    u = np.minimum(epsilon - np.log1p(-q), (epsilon - np.log(4 * q)) / reach)
    for _ in range(_NET_STEPS):
        first, second = (1 - q) * np.exp(u), 4 * q * np.exp(u * reach)
        both = first + second
        down = (np.log(both) - epsilon) * both / (first + reach * second)
        u = u - down
        if not (down > _NEGLIGIBLE * u).any():
            break
    return np.where(1 + 3 * q > math.exp(epsilon), -1.0, np.maximum(u, 0.0))


_NET_STEPS = 50
"""A handful do, except at an epsilon so small that hardly anything is left."""


_NEGLIGIBLE = 1e-12


DRAW_SHARE = 0.3
"""The draw's part of what draw and vote may lose together: about the best in the range computed."""


def _net_at(n: int, q: Floats, miss: Floats, vc: int) -> tuple[Floats, Floats, Floats]:
    """kept, the net that fails with probability `miss`, and how many records matched concepts may differ on."""
    kept = np.maximum(2.0, np.floor(q * n))
    net = (2 * rough_growth_of(n - 1, vc) - np.log(2 * miss)) / (kept - 1)
    return kept, net, np.floor(net * (n - 1)) + 1


def _rough_net(
    n: int, q: Floats, miss: Floats, agreeing: Floats, epsilon: float, failure: float, vc: int
) -> tuple[Floats, Floats]:
    """`excess_net_relabelled` in floats, infinite where nothing is left for the draw; and the models that vote.

    They follow the epsilon of their vote, which may be tiny: `agreeing` is their product."""
    kept, net, reach = _net_at(n, q, miss, vc)
    room = _room(q, reach, epsilon)
    models = 2 * np.floor(agreeing / np.where(room > 0, (1 - DRAW_SHARE) * room, 1.0) / 2) + 1
    models = np.minimum(models, MOST_VOTES - 1)  # an odd number
    block = n // models
    possible = (room > 0) & (net < 1) & (block >= 1) & (q < 0.5) & (miss < 0.5)
    room, block = (np.where(possible, part, 1.0) for part in (room, block))
    delta, slip = q * miss, np.minimum(0.5, 1 / kept)
    whole = rough_growth_of(n, vc)
    gap = math.sqrt(2 * whole / n) + 2 * math.sqrt(math.log(4 / failure) / (2 * n))
    near = (whole - np.log(slip)) / kept + slip
    draw = 2 * rough_ln_growth(kept, vc) / (DRAW_SHARE * room * n)
    logs = math.log(2) + 2 * rough_ln_growth(2 * block, vc) + np.log(2 * models / failure)
    vote = rough_vote(2 * logs / (block * math.log(2)), models, np.exp(-(1 - DRAW_SHARE) * room))
    bound = gap + near + draw + vote + delta / (math.expm1(epsilon) + 2 * delta)
    return np.where(possible, bound, math.inf), models


AGREEING = 2 * 1.25 ** np.arange(13.0)[:, None]
"""From where noise often wins a vote to where it hardly ever does."""


@lru_cache(maxsize=256)
def _best_net(n: int, epsilon: float, failure: float, vc: int) -> tuple[float, float, float, int]:
    """(excess, q, miss, models) in floats."""

    def value(q: Floats, miss: Floats, rows: Rows) -> Floats:
        return _rough_net(n, q, miss, AGREEING[rows], epsilon, failure, vc)[0]

    grid = (0.001, 0.003, 0.01, 0.03, 0.1, 0.2), (1e-4, 1e-3, 1e-2)
    excess, q, miss, row = refinement(value, *grid, rows=len(AGREEING))
    with np.errstate(all="ignore"):
        models = _rough_net(n, np.array([q]), np.array([miss]), AGREEING[row], epsilon, failure, vc)[1]
    return excess, q, miss, int(models[0])


@formula("net-relabelling")
def plan_net_relabelled(n: int, *, epsilon: Number, failure: Number, vc: int) -> NetPlan | None:
    """The parameters of `n` records at `epsilon` with the smallest proved excess that was found; None if none is pure.

    Statement: `excess_net_relabelled`, minimised. Source: register `net-relabelling`. Holds if: as there.
    Proof: docs/proofs/net-relabelling.md.
    """
    owner = "plan_net_relabelled"
    have, risk = at_least(2, n, owner=owner, name="n"), float(chance(failure, owner=owner, name="failure"))
    price = positive(epsilon, owner=owner, name="epsilon")
    excess, q, miss, models = _best_net(have, float(price), risk, vc)
    if excess == math.inf:
        return None
    size, net, _ = _net_at(have, np.array(q), np.array(miss), vc)
    kept, grid = int(size), Fraction(math.ceil(float(net) * 10**15), 10**15)
    reach = math.floor(grid * (have - 1)) + 1
    room = float(_room(np.array(kept / have), np.array(float(reach)), float(price))) * (1 - 1e-9)
    drawing, inner = (
        Fraction(math.floor(part * room * 10**15), 10**15) for part in (DRAW_SHARE, 1 - DRAW_SHARE)
    )
    delta = Fraction(kept, have) * net_failure(have, kept=kept, net=grid, vc=vc)
    flip = flip_for(1 / ratio_for(price), delta=delta)
    return NetPlan(kept, grid, drawing, models, inner, max(flip, Fraction(1, 10**12)))


def _of_plan(n: int, plan: NetPlan, failure: float, vc: int) -> float:
    """`excess_net_relabelled` in floats, parameters rounded as they are run: votes of this many models take long in
    fractions."""
    kept, whole = plan.kept, rough_growth_of(n, vc)
    gap = math.sqrt(2 * whole / n) + 2 * math.sqrt(math.log(4 / failure) / (2 * n))
    near = (whole + math.log(kept + 1)) / kept + 1 / (kept + 1)
    draw = rough_growth_of(kept, vc) / (n * -math.log(ratio_for(plan.drawing / 2)))
    block = n // plan.models
    logs = math.log(2) + 2 * rough_growth_of(2 * block, vc) + math.log(2 * plan.models / failure)
    average, x = 2 * logs / (block * math.log(2)), float(ratio_for(plan.inner))
    vote = rough_vote(*(np.array([float(part)]) for part in (average, plan.models, x)))
    return gap + near + draw + float(vote[0]) + float(plan.flip)


def error_net_relabelled(n: int, *, failure: Number, epsilon: Number, vc: int) -> Fraction:
    """What `n` records prove with the parameters of `plan_net_relabelled`, in floats and rounded up; 1 if nothing."""
    plan = plan_net_relabelled(n, epsilon=epsilon, failure=failure, vc=vc)
    if plan is None or plan.drawing <= 0 or plan.inner <= 0:
        return ONE
    miss = float(chance(failure, owner="error_net_relabelled", name="failure"))
    return min(ONE, Fraction(_of_plan(n, plan, miss, vc)) * (1 + Fraction(2, 10**7)))


@formula("net-relabelling")
def records_net_relabelled(error: Number, *, failure: Number, epsilon: Number, vc: int) -> int:
    """Records after which it errs by at most `error` above the best of the class.

    Statement: the smallest n found with a plan whose excess is at most `error`. Source: register `net-relabelling`.
    Holds if: as `excess_net_relabelled`. Proof: docs/proofs/net-relabelling.md.
    """
    wishes = error, failure, epsilon, vc
    return records_by_search("records_net_relabelled", wishes, _best_net, error_net_relabelled, 40_000)


def net_relabelling_accuracy(
    *,
    kept: int,
    ratio: Fraction,
    models: int,
    inner: Fraction,
    flip: Fraction,
    slip: Fraction,
    records: int,
    vc: int,
    failure: Fraction,
) -> Proof[Accuracy]:
    """How far answers of a vote on all records, relabelled by a fresh draw, err above the best of the class.

    Source: Dagan–Feldman 2020, Theorem 2 and Lemma 9, constants ours; register `net-relabelling-accuracy`. Holds for
    independent records.
    """
    rule = "net-relabelling-accuracy"
    need(rule, 1 <= kept <= records and 1 <= models <= records, "a number is out of range")
    need(rule, 0 < ratio < 1 and 0 < inner <= 1, "a ratio is out of range")
    need(rule, 0 <= flip <= Fraction(1, 2) and 0 < slip < 1, "flip or slip is out of range")
    texts: Settings = {"ratio": ratio, "inner": inner, "flip": flip, "slip": slip}
    settings: Settings = {**texts, "kept": kept, "models": models}
    fact, where = promised(rule, excess_net_relabelled, Against.AGNOSTIC, records, vc, failure, **settings)
    return Proof(fact, rule, where=where, seal=SEAL)


# --- the predictor ---


@dataclass(frozen=True)
class NetRelabelled(Redrawn):
    """A draw at epsilon `drawing` labels all records; `models` concepts vote at `inner`; `flip` turns answers round."""

    owner: ClassVar[str] = "NetRelabelled"
    name: ClassVar[str] = "all records relabelled"

    net: Fraction
    drawing: Fraction
    models: int
    inner: Fraction
    flip: Fraction
    failure: Fraction = FAILURE

    @classmethod
    def planned(
        cls, concepts: AnyClass, epsilon: Fraction, *, records: int, failure: Fraction = FAILURE
    ) -> NetRelabelled:
        """With the parameters that prove the smallest excess for this many records."""

        def build(vc: int) -> NetRelabelled:
            plan = plan_net_relabelled(records, epsilon=epsilon, failure=failure, vc=vc)
            if plan is None:
                raise SizeError(f"{cls.owner}: {records} records are too few at epsilon {plain(epsilon)}.")
            parts = plan.net, plan.drawing, plan.models, plan.inner, plan.flip
            return cls(concepts, epsilon, plan.kept, records, *parts, failure)

        return least_dimensional(build, concepts, records=records, owner=cls.owner)

    def __post_init__(self) -> None:
        super().__post_init__()
        Concepts(self.concepts)
        if not (2 <= self.kept < self.records and 1 <= self.models <= self.records):
            raise ParameterError(self.owner, "kept", self.kept, allowed=f"between 2 and {self.records - 1}")
        if min(self.epsilon, self.drawing, self.inner, self.flip) <= 0:
            raise ParameterError(
                self.owner, "epsilon", plain(self.epsilon), allowed="positive, and so must all its parts be"
            )

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return ratio_for(self.drawing / 2)

    def dimension(self) -> int | None:
        """Labellings of the records but one, of those kept, and of two blocks are counted."""
        fewest = min(self.records - 1, self.kept, 2 * (self.records // self.models))
        return dimension(self.concepts, counted=fewest, drawn=self.kept)

    def require_draw(self) -> None:
        self.listed.require_listed(self.kept, elsewhere=self.records - self.kept)
        Concepts(self.concepts).require(largest_block(self.records, self.models))

    def privacy(self) -> Proof[Privacy]:
        vc = self.dimension() or known_vc(self.concepts, self.owner)
        classes = len(self.schema.classes)
        inner = vote(classes=classes, ratio=ratio_for(self.inner), models=self.models)
        proof = net_relabelling(
            inner,
            classes=classes,
            ratio=self.ratio,
            kept=self.kept,
            of=self.records,
            net=self.net,
            vc=vc,
        )
        return delta_removal(proof, classes=classes, flip=self.flip)

    def proved(self, vc: int) -> Proof[Accuracy]:
        return net_relabelling_accuracy(
            kept=self.kept,
            ratio=self.ratio,
            models=self.models,
            inner=ratio_for(self.inner),
            flip=self.flip,
            slip=Fraction(1, self.kept + 1),
            records=self.records,
            vc=vc,
            failure=self.failure,
        )

    def votes(self, sample: Sample, cells: Cells, coins: Coins) -> NDArray[np.int64]:
        """The votes for class 1, from one draw and one order. Private, and good for one answer only."""
        concept = draw_concept(self.listed, sample, kept=self.kept, ratio=self.ratio, coins=coins)
        shuffle = sample.take(np.asarray(coins.subset(self.records, self.records), dtype=np.int64))
        labelled = shuffle.relabelled(concept.predict(shuffle.block().cells))
        return votes_of(self.concepts, labelled, models=self.models, cells=cells)

    def draw(self, sample: Sample, cells: Cells, coins: Coins) -> int:
        votes = self.votes(sample, cells, coins)
        answer = int(VoteLaw(self.models, ratio_for(self.inner)).draw(votes, coins)[0])
        return answer ^ int(coins.flip(self.flip))

    def to_json(self) -> dict[str, Any]:
        parts = ("epsilon", "net", "drawing", "inner", "flip", "failure")
        return self.document("net-relabelled", "kept", "records", "models", *parts)
