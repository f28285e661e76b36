"""Answers of a vote on records relabelled by a fresh draw from a net: sizes and errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privpac.constructions.prediction.formulas import MOST_VOTES, flip_for, rough_vote, vote_error
from privpac.constructions.prediction.relabelled_formulas import ONE, Rows, records_by_search, refinement
from privpac.numbers.exact import exp_up, ln_down, ln_up, ratio_for
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.numbers.rough import Floats, rough_growth_of, rough_ln_growth
from privpac.theory.register import formula
from privpac.theory.vc import erm_excess, growth, ln_growth, net_error

__all__ = ["excess_net_relabelled", "net_failure", "plan_net_relabelled", "records_net_relabelled"]


@formula("net-relabelling")
def net_failure(n: int, *, kept: int, net: Fraction, vc: int) -> Fraction:
    """How often the other kept points fail to tell concepts apart that differ on more than a `net` of the rest.

    Statement: growth(n - 1)^2·e^(-net·(kept - 1))/2, at most 1. Source: register `net-relabelling`.
    Holds if: the kept records are a uniform subset. Proof: docs/proofs/net-relabelling.md.
    """
    shrink = 1 / exp_up(net * (kept - 1), 30) if net else ONE
    # 1/exp_up is below e^-x: a decimal more keeps the product at or above.
    return min(ONE, Fraction(growth(n - 1, vc=vc) ** 2, 2) * shrink * (1 + Fraction(1, 10**25)))


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
    for _ in range(_STEPS):
        first, second = (1 - q) * np.exp(u), 4 * q * np.exp(u * reach)
        both = first + second
        down = (np.log(both) - epsilon) * both / (first + reach * second)
        u = u - down
        if not (down > _NEGLIGIBLE * u).any():
            break
    return np.where(1 + 3 * q > math.exp(epsilon), -1.0, np.maximum(u, 0.0))


_STEPS = 50
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
