"""Private answers by relabelling: errors, plans, and how many records they need.

A vote on records relabelled by the others (Theorem 20 of Li–Wang–Ye), and all records relabelled by a fresh draw
(Theorem
2 of Dagan–Feldman).

As in `prediction`, searches run in floats, and whatever is promised is evaluated in fractions rounded outwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from privpac.theory.binomial import first_whole
from privpac.theory.exact import exp_up, ln_down, ln_up, ratio_for
from privpac.theory.parameters import Number, at_least, chance, positive
from privpac.theory.prediction import flip_for, rough_ln_growth, rough_vote, vote_error
from privpac.theory.register import formula
from privpac.theory.vc import erm_excess, growth, ln_growth, net_error, relative_error

__all__ = [
    "epsilon_relabelled_vote",
    "error_relabelled_vote",
    "excess_net_relabelled",
    "excess_relabelled_vote",
    "net_failure",
    "plan_net_relabelled",
    "plan_relabelled_vote",
    "records_net_relabelled",
    "records_relabelled_vote",
]

ONE = Fraction(1)
EVENTS = 5
"""Deviations, two of them of the voters, the draw, the pair of concepts, and the models of the vote."""

WEIGHTS = (0.25, 0.5, 1.0)
MODELS = (1, 3, 5, 7, 9, 11, 13, 15, 19, 25, 35)
LARGEST_PRICE = 10
NEAREST = 3
"""How many of the best weights and numbers of models at one size are tried at all sizes."""


# --- a vote on relabelled records ---


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
    Tested by: tests/unit/test_relabelled_prediction.py.
    """
    voters, miss = n - kept, chance(failure, owner="excess_relabelled_vote", name="failure") / EVENTS
    block = kept // models
    if block < 1 or voters < 1 or ratio >= 1:
        return ONE
    drawn = (ln_growth(kept, vc=vc) + ln_up(1 / miss)) / (voters * mistake * ln_down(1 / ratio))
    average = net_error(block, failure=miss / models, vc=vc, pairs=True)
    if drawn >= weight or average >= 1:
        return ONE
    near = relative_error(drawn / weight, n=kept, failure=miss, vc=vc, pairs=True)
    voted = vote_error(average, models=models, ratio=inner)
    return min(ONE, erm_excess(voters, failure=2 * miss, vc=vc) + drawn + near + voted)


@dataclass(frozen=True)
class RelabelledPlan:
    """Public parameters: how many records are relabelled, the epsilon of the vote on labels and its weight, how many
    models, and the epsilon of their vote."""

    kept: int
    labels: Fraction
    weight: Fraction
    models: int
    inner: Fraction


def _inner(q: float, e1: float, weight: float, epsilon: float) -> float:
    """The epsilon left to the vote inside, in floats; not positive if there is none."""
    spread = weight * e1 * (1 - q) / q
    apart = math.log(4) + spread
    joint = math.log(2) + e1 / 2 + math.log1p(math.exp(e1 / 2)) + spread
    if weight * (1 - q) < q:
        joint = math.log(4) + e1 * (1 + weight * (1 - q) / q)
    if joint > 200:
        return -1.0
    room = (math.exp(epsilon) * ((1 - q) + q * math.exp(joint - apart)) - (1 - q) * math.exp(e1)) / q
    return math.log(room) - joint if room > 0 else -1.0


def _rough_relabelled(
    n: int, q: float, e1: float, weight: float, models: int, epsilon: float, failure: float, vc: int
) -> float:
    inner = _inner(q, e1, weight, epsilon)
    kept = math.floor(q * n)
    block, voters, miss = kept // models, n - kept, failure / EVENTS
    if inner <= 0 or block < 1 or voters < 1:
        return math.inf
    gap = math.sqrt(2 * rough_ln_growth(voters, vc) / voters) + 2 * math.sqrt(-math.log(miss) / (2 * voters))
    drawn = 2 * (rough_ln_growth(kept, vc) - math.log(miss)) / (e1 * voters)
    spread = (2 * rough_ln_growth(2 * kept, vc) + math.log(4 / miss)) / kept
    near = drawn / weight + 2 * math.sqrt(drawn / weight * spread) + 4 * spread
    logs = math.log(2) + 2 * rough_ln_growth(2 * block, vc) + math.log(models / miss)
    return gap + drawn + near + rough_vote(2 * logs / (block * math.log(2)), models, math.exp(-inner))


def _refined(
    value: Callable[[float, float], float], first: Iterable[float], second: Iterable[float]
) -> tuple[float, float, float]:
    """A grid of two positive numbers, then ever finer ones around the best."""
    pairs = [(a, b) for a in first for b in second]
    best = min(pairs, key=lambda pair: value(*pair))
    step = 1.35
    for _ in range(5):
        around = [step**i for i in (-2, -1, 0, 1, 2)]
        best = min(
            ((best[0] * a, best[1] * b) for a in around for b in around), key=lambda pair: value(*pair)
        )
        step = math.sqrt(step)
    return value(*best), *best


Choice = tuple[float, int]
"""A weight and a number of models."""

Found = tuple[float, float, float, float, int]
"""(excess, q, e1, weight, models), in floats."""

CHOICES: tuple[Choice, ...] = tuple((weight, models) for weight in WEIGHTS for models in MODELS)


def _relabelled_at(
    n: int, epsilon: float, failure: float, vc: int, choices: Iterable[Choice] = CHOICES
) -> list[Found]:
    """The best parameters for every weight and number of models, the best of all first."""
    found = []
    for weight, models in choices:

        def value(q: float, share: float, weight: float = weight, models: int = models) -> float:
            if q >= 0.9:
                return math.inf
            return _rough_relabelled(n, q, share * q, weight, models, epsilon, failure, vc)

        excess, q, share = _refined(value, (0.005, 0.02, 0.06, 0.17, 0.4), (0.1, 0.25, 0.5, 1.0))
        found.append((excess, q, share * q, weight, models))
    return sorted(found)


def _best_relabelled(n: int, epsilon: float, failure: float, vc: int) -> Found:
    return _relabelled_at(n, epsilon, failure, vc)[0]


@formula("relabelled-vote")
def plan_relabelled_vote(n: int, *, epsilon: Number, failure: Number, vc: int) -> RelabelledPlan:
    """The parameters of `n` records at `epsilon` with the smallest proved excess that was found.

    Statement: `excess_relabelled_vote`, minimised over kept, the epsilon and weight of the labels' vote and the number
    of models; the vote inside gets what the relabelling rule leaves. Source: register `relabelled-vote`.
    Holds if: as `excess_relabelled_vote`. Proof: docs/proofs/relabelled-vote.md.
    Tested by: tests/unit/test_relabelled_prediction.py.
    """
    owner = "plan_relabelled_vote"
    have, miss = at_least(2, n, owner=owner, name="n"), float(chance(failure, owner=owner, name="failure"))
    price = float(positive(epsilon, owner=owner, name="epsilon"))
    _, q, e1, weight, models = _best_relabelled(have, price, miss, vc)
    kept = min(have - 1, max(models, math.floor(q * have)))
    labels = Fraction(math.floor(e1 * 10**9), 10**9)
    # A little less for the vote inside: the rule counts in fractions, and a kept share that is rounded.
    inner = Fraction(
        math.floor(_inner(kept / have, float(labels), weight, price) * (1 - 1e-7) * 10**9), 10**9
    )
    return RelabelledPlan(kept, labels, Fraction(weight), models, inner)


@formula("relabelled-vote")
def records_relabelled_vote(error: Number, *, failure: Number, epsilon: Number, vc: int) -> int:
    """Records after which a vote on relabelled records errs by at most `error` above the best of the class.

    Statement: the smallest n found with a plan whose excess is at most `error`. Source: register `relabelled-vote`.
    Holds if: as `excess_relabelled_vote`. Proof: docs/proofs/relabelled-vote.md.
    Tested by: tests/unit/test_relabelled_prediction.py.
    """
    owner = "records_relabelled_vote"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    price = positive(epsilon, owner=owner, name="epsilon")

    start = int(1000 * vc / wrong**2)
    # The good weights and numbers of models hardly change with n: those of a few sizes are tried at all others.
    tried = {
        found[3:]
        for n in (start, 4 * start)
        for found in _relabelled_at(max(2, n), float(price), float(miss), vc)[:NEAREST]
    }

    def enough(n: int) -> bool:
        best = _relabelled_at(n, float(price), float(miss), vc, sorted(tried))[0]
        return best[0] <= float(wrong) * (1 - 1e-6)

    return first_whole(enough, start=start, smallest=2)


@formula("relabelled-vote")
def error_relabelled_vote(n: int, *, failure: Number, epsilon: Number, vc: int) -> Fraction:
    """What `n` records prove about a vote on relabelled records, with the parameters of `plan_relabelled_vote`.

    Statement: `excess_relabelled_vote` of the plan; 1 if nothing is proved. Source: register `relabelled-vote`.
    Holds if: as `excess_relabelled_vote`. Proof: docs/proofs/relabelled-vote.md.
    Tested by: tests/unit/test_relabelled_prediction.py.
    """
    plan = plan_relabelled_vote(n, epsilon=epsilon, failure=failure, vc=vc)
    if plan.inner <= 0 or plan.labels <= 0:
        return ONE
    return excess_relabelled_vote(
        n,
        kept=plan.kept,
        ratio=ratio_for(plan.labels / 2),
        mistake=1,
        weight=plan.weight,
        models=plan.models,
        inner=ratio_for(plan.inner),
        failure=failure,
        vc=vc,
    )


@formula("relabelled-vote")
def epsilon_relabelled_vote(error: Number, *, records: int, failure: Number, vc: int) -> Fraction | None:
    """An epsilon at which `records` prove `error` for a vote on relabelled records; None above LARGEST_PRICE.

    Statement: `error_relabelled_vote` at that epsilon is at most `error`; about the smallest of which this is so.
    Source: register `relabelled-vote`. Holds if: as `excess_relabelled_vote`. Proof: docs/proofs/relabelled-vote.md.
    Tested by: tests/unit/test_relabelled_prediction.py.
    """
    owner = "epsilon_relabelled_vote"
    wrong, miss = (
        chance(error, owner=owner, name="error"),
        float(chance(failure, owner=owner, name="failure")),
    )
    tried = [found[3:] for found in _relabelled_at(records, 1.0, miss, vc)[:NEAREST]]
    low, high = 1e-4, float(LARGEST_PRICE)
    for _ in range(16):
        middle = math.sqrt(low * high)
        fits = _relabelled_at(records, middle, miss, vc, tried)[0][0] <= float(wrong)
        low, high = (low, middle) if fits else (middle, high)
    price = Fraction(math.ceil(high * 10**6), 10**6)
    while price <= LARGEST_PRICE:
        if error_relabelled_vote(records, failure=failure, epsilon=price, vc=vc) <= wrong:
            return price
        price *= Fraction(101, 100)
    return None


# --- all records relabelled by a fresh draw ---


@formula("net-relabelling")
def net_failure(n: int, *, kept: int, net: Fraction, vc: int) -> Fraction:
    """How often the other kept points fail to tell concepts apart that differ on more than a `net` of the rest.

    Statement: growth(n - 1)^2·e^(-net·(kept - 1))/2, at most 1. Source: register `net-relabelling`.
    Holds if: the kept records are a uniform subset. Proof: docs/proofs/net-relabelling.md.
    Tested by: tests/unit/test_relabelled_prediction.py.
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
    independent. Proof: docs/proofs/net-relabelling.md. Tested by: tests/unit/test_relabelled_prediction.py.
    """
    miss = chance(failure, owner="excess_net_relabelled", name="failure") / 2
    average = net_error(n // models, failure=miss / models, vc=vc, pairs=True)
    if average >= 1 or ratio >= 1:
        return ONE
    near = (ln_growth(n, vc=vc) + ln_up(1 / slip)) / kept + slip
    drawn = ln_growth(kept, vc=vc) / (n * ln_down(1 / ratio))
    voted = vote_error(average, models=models, ratio=inner)
    return min(ONE, erm_excess(n, failure=miss, vc=vc) + near + drawn + voted + flip)


@dataclass(frozen=True)
class NetPlan:
    """Public parameters: subset, net, the epsilon of the draw, the models and the epsilon of their vote, flips."""

    kept: int
    net: Fraction
    drawing: Fraction
    models: int
    inner: Fraction
    flip: Fraction


def _room(q: float, reach: float, epsilon: float) -> float:
    """The largest u with (1 - q)e^u + 4q·e^(u·reach) <= e^epsilon."""
    if 1 + 3 * q > math.exp(epsilon):
        return -1.0
    low, high = 0.0, epsilon
    for _ in range(50):
        u = (low + high) / 2
        if u * reach < 700 and (1 - q) * math.exp(u) + 4 * q * math.exp(u * reach) <= math.exp(epsilon):
            low = u
        else:
            high = u
    return low


DRAWN = 0.3
"""The draw's part of what draw and vote may lose together: about the best in the range computed."""


def _net_at(n: int, q: float, miss: float, vc: int) -> tuple[int, float, float]:
    """kept, the net that fails with probability `miss`, and how many records matched concepts may differ on."""
    kept = max(2, math.floor(q * n))
    net = (2 * rough_ln_growth(n - 1, vc) - math.log(2 * miss)) / (kept - 1)
    return kept, net, math.floor(net * (n - 1)) + 1


def _rough_net(n: int, q: float, miss: float, models: int, epsilon: float, failure: float, vc: int) -> float:
    if q >= 0.5 or miss >= 0.5:
        return math.inf
    kept, net, reach = _net_at(n, q, miss, vc)
    room = _room(q, reach, epsilon) if net < 1 else -1.0
    if room <= 0 or n // models < 1:
        return math.inf
    delta, slip = q * miss, min(0.5, 1 / kept)
    gap = math.sqrt(2 * rough_ln_growth(n, vc) / n) + 2 * math.sqrt(math.log(4 / failure) / (2 * n))
    near = (rough_ln_growth(n, vc) - math.log(slip)) / kept + slip
    drawn = 2 * rough_ln_growth(kept, vc) / (DRAWN * room * n)
    block = n // models
    logs = math.log(2) + 2 * rough_ln_growth(2 * block, vc) + math.log(2 * models / failure)
    voted = rough_vote(2 * logs / (block * math.log(2)), models, math.exp(-(1 - DRAWN) * room))
    return gap + near + drawn + voted + delta / (math.expm1(epsilon) + 2 * delta)


def _best_net(n: int, epsilon: float, failure: float, vc: int) -> tuple[float, float, float, int]:
    """(excess, q, miss, models) in floats."""
    found = []
    for power in range(4, 21):
        models = round(1.6**power) | 1

        def value(q: float, miss: float, models: int = models) -> float:
            return _rough_net(n, q, miss, models, epsilon, failure, vc)

        found.append((*_refined(value, (0.003, 0.01, 0.03, 0.1, 0.2), (1e-4, 1e-3, 1e-2)), models))
    return min(found)


@formula("net-relabelling")
def plan_net_relabelled(n: int, *, epsilon: Number, failure: Number, vc: int) -> NetPlan | None:
    """The parameters of `n` records at `epsilon` with the smallest proved excess that was found; None if none is pure.

    Statement: `excess_net_relabelled`, minimised. Source: register `net-relabelling`. Holds if: as there.
    Proof: docs/proofs/net-relabelling.md. Tested by: tests/unit/test_relabelled_prediction.py.
    """
    owner = "plan_net_relabelled"
    have, missed = at_least(2, n, owner=owner, name="n"), float(chance(failure, owner=owner, name="failure"))
    price = positive(epsilon, owner=owner, name="epsilon")
    excess, q, miss, models = _best_net(have, float(price), missed, vc)
    if excess == math.inf:
        return None
    kept, net, _ = _net_at(have, q, miss, vc)
    grid = Fraction(math.ceil(net * 10**9), 10**9)
    reach = math.floor(grid * (have - 1)) + 1
    room = _room(kept / have, reach, float(price)) * (1 - 1e-9)
    drawing, inner = (Fraction(math.floor(part * room * 10**15), 10**15) for part in (DRAWN, 1 - DRAWN))
    delta = Fraction(kept, have) * net_failure(have, kept=kept, net=grid, vc=vc)
    flip = flip_for(1 / ratio_for(price), delta=delta)
    return NetPlan(kept, grid, drawing, models, inner, max(flip, Fraction(1, 10**12)))


@formula("net-relabelling")
def records_net_relabelled(error: Number, *, failure: Number, epsilon: Number, vc: int) -> int:
    """Records after which it errs by at most `error` above the best of the class.

    Statement: the smallest n found with a plan whose excess is at most `error`. Source: register `net-relabelling`.
    Holds if: as `excess_net_relabelled`. Proof: docs/proofs/net-relabelling.md.
    Tested by: tests/unit/test_relabelled_prediction.py.
    """
    owner = "records_net_relabelled"
    wrong, miss = chance(error, owner=owner, name="error"), chance(failure, owner=owner, name="failure")
    price = positive(epsilon, owner=owner, name="epsilon")

    def enough(n: int) -> bool:
        return _best_net(n, float(price), float(miss), vc)[0] <= float(wrong) * (1 - 1e-6)

    return first_whole(enough, start=int(40_000 * vc / wrong**2), smallest=2)
