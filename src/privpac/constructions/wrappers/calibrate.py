"""Hit a target: the largest inner epsilon whose whole stack keeps a declared (epsilon, delta), and the best split.

Everything is decided by certificates: a stack is built, certified, and kept if what it proves implies the target. So it
works for any nesting, and what is charged is the declared decimal, exactly.
Proof: docs/proofs/declared.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
from flint import ctx

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.constructions.base import Around, Learner
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.wrappers.relabelling import Agnostic
from privpac.constructions.wrappers.transform import positive_number
from privpac.data.sample import Sample, Size
from privpac.errors import ParameterError, RuleRefused, SizeError, TooFewRecords
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Loss
from privpac.numbers.exact import ball, decimal_text, first_whole, plain
from privpac.numbers.parameters import Number, below_one, chance, positive
from privpac.numbers.rough import Floats
from privpac.theory.register import formula

__all__ = [
    "Declared",
    "Split",
    "best_split",
    "best_vote",
    "calibrate",
    "calibrate_agnostic",
    "inner_epsilon_relabelled",
    "relabelled_records",
]

STEP = Fraction(1, 10**9)
"""Inner epsilons are decimals of nine places."""

LARGEST = 2**40
"""Steps at which the search for an inner epsilon ends: an epsilon above a thousand."""

LINES = 12
"""Straight lines tried at most on the way there: each gains half as many digits again."""


@dataclass(frozen=True)
class Declared(Around):
    """A learner whose loss is charged as the decimals that were asked for."""

    learner: Learner
    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        positive(self.epsilon, owner="Declared", name="epsilon")
        below_one(self.delta, owner="Declared", name="delta")

    def certify(self, size: Size) -> Certificate:
        inner = self.learner.certify(size)
        return replace(inner, privacy=rules.declared(inner.privacy, epsilon=self.epsilon, delta=self.delta))

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.learner.releases(hypothesis, size)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        return self.learner.learn(sample, coins)


def _keeps(learner: Learner, size: Size, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether it does not lose more; so too where the epsilon inside is too small for anything to be certified."""
    try:
        fact = learner.certify(size).privacy.fact
    except RuleRefused:
        return False
    except (
        TooFewRecords
    ):  # of a learner that refuses to promise less: at a larger epsilon these may be enough
        return True
    return fact.epsilon <= Loss(log=epsilon) and fact.delta <= delta


def _refuse_delta(learner: Learner, size: Size, epsilon: Fraction, delta: Fraction) -> None:
    """Where not epsilon but delta is too small for what is inside: say which delta would do."""
    try:
        fact = learner.certify(size).privacy.fact
    except RuleRefused:
        return
    if fact.epsilon <= Loss(log=epsilon):
        raise ParameterError(
            "calibrate",
            "delta",
            plain(delta),
            allowed=f"at least {decimal_text(fact.delta)}, which the learner inside loses",
            remedy="Ask for that much, or give the learner inside a smaller delta.",
        )


def calibrate(
    build: Callable[[Fraction], Learner],
    *,
    size: Size,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    start: Fraction | None = None,
) -> Declared:
    """The stack `build(inner)` with the largest inner epsilon, to nine decimals, that keeps the target.

    `build` must lose more for a larger inner epsilon, as every transform does. Raises `ParameterError` if even the
    smallest one loses too much, and `SizeError` if the records are too few for every one that keeps the target.
    `start` is a guess of the inner epsilon, by default the target: the better it is, the fewer stacks are certified.
    """
    positive_number("calibrate", "epsilon", epsilon)

    def loses_more(steps: int) -> bool:
        return steps >= LARGEST or not _keeps(build(steps * STEP), size, epsilon, delta)

    near = _near(build, int((start or epsilon) / STEP), size, epsilon)
    above = first_whole(loses_more, start=near, smallest=1, step=1)
    if above == 1:
        _refuse_delta(build(STEP), size, epsilon, delta)
        raise ParameterError(
            "calibrate",
            "epsilon",
            str(epsilon),
            allowed="more than the outer parts of the stack lose by themselves",
            remedy="Give the vote a smaller epsilon, or keep fewer records.",
        )
    return Declared(_require_certifiable(build((above - 1) * STEP), size), epsilon, delta)


def _near(build: Callable[[Fraction], Learner], steps: int, size: Size, epsilon: Fraction) -> int:
    """About how many steps lose epsilon, by straight lines through what is certified; only a place to begin."""

    def too_much(place: int) -> float:
        return float(build(place * STEP).certify(size).privacy.fact.epsilon.upper - epsilon)

    place, other = min(max(2, steps), LARGEST - 1), min(max(1, steps // 2), LARGEST // 2)
    try:
        here, there = too_much(place), too_much(other)
        for _ in range(LINES):
            if here == there or abs(place - other) <= 1:
                break
            meets = place - here * (place - other) / (here - there)
            nearer = min(max(1, int(meets)), 4 * place, LARGEST - 1)
            place, other, here, there = nearer, place, too_much(nearer), here
    except (RuleRefused, TooFewRecords):
        return max(1, steps)
    return place


def _require_certifiable(learner: Learner, size: Size) -> Learner:
    """The learner; refused if even the largest epsilon inside is too small for so few records."""
    try:
        learner.certify(size)
    except TooFewRecords as few:
        raise SizeError(
            "calibrate: the learner inside promises nothing for so few records at any epsilon that keeps the target.",
            remedy="Give it more records, or ask for a larger epsilon.",
        ) from few
    return learner


def relabelled_records(size: Size, *, epsilon: Fraction, weight: Fraction = Fraction(1)) -> int:
    """How many records `calibrate_agnostic` hands to the learner inside, where nobody says."""
    share = best_split(epsilon, weight=weight).share
    return min(size.labelled - 1, max(1, round(share * size.labelled)))


def calibrate_agnostic(
    make: Callable[[Fraction], Learner],
    *,
    size: Size,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    weight: Fraction = Fraction(1),
    kept: int | None = None,
    failure: Fraction = FAILURE,
) -> Declared:
    """`Agnostic` over `make(inner epsilon)` at exactly this target.

    Where `kept` is not given, vote and learner get what makes them suffer least: the split minimises
    1/(vote·(1 - share)) + 1/(share·inner), since the errors of the vote and of the learner inside shrink like these.
    Register `relabelling` has the loss, `best_split` the search. A delta belongs to
    the learner inside, whose records are a random `kept` of all n: a learner of delta·n/kept keeps the target.
    """
    records = kept or relabelled_records(size, epsilon=epsilon, weight=weight)
    if kept is None:
        vote = best_split(epsilon, weight=weight).vote
    else:
        share = Fraction(kept, size.labelled)
        vote = best_vote(epsilon, share=share, weight=weight) or epsilon

    def build(inner: Fraction) -> Agnostic:
        return Agnostic(make(inner), records, vote, weight, failure=failure)

    return calibrate(build, size=size, epsilon=epsilon, delta=delta)


# --- how a budget is divided between the vote and the learner inside ---

PLACES = 10**12
"""Results are decimals of twelve places, rounded to the safe side."""


@formula("relabelling")
def inner_epsilon_relabelled(
    epsilon: Number, *, share: Number, vote: Number, weight: Number = 1
) -> Fraction | None:
    """The largest epsilon of the learner inside that keeps `epsilon`; rounded down, None if there is none.

    Statement: the rule `relabelling` with a = e^(vote/2) and b = e^(weight·vote·(1 - share)/share), solved.
    Source: register `relabelling`. Holds if: as the rule. Proof: docs/proofs/relabelling.md.
    """
    owner = "inner_epsilon_relabelled"
    part, voted = chance(share, owner=owner, name="share"), positive(vote, owner=owner, name="vote")
    lam, target = positive(weight, owner=owner, name="weight"), positive(epsilon, owner=owner, name="epsilon")
    if voted > target:  # a voter alone loses more
        return None
    with ctx.workprec(192):
        q, a = ball(part), (ball(voted) / 2).exp()
        heavy = a * (1 + a) / 2 if lam * (1 - part) >= part else a * a
        moved = 4 * ball(lam * voted * (1 - part) / part).exp()
        factor = (ball(target).exp() * (1 - q + q * heavy) - (1 - q) * a * a) / (q * heavy * moved)
        if not factor > 1:
            return None
        inner = Fraction(int((factor.log() * PLACES).lower().floor().unique_fmpz()), PLACES)
        return inner if inner > 0 else None


@dataclass(frozen=True)
class Split:
    """How a budget is divided between the vote and the learner inside."""

    share: Fraction
    vote: Fraction
    inner: Fraction


@formula("relabelling")
def best_split(epsilon: Number, *, weight: Number = 1) -> Split:
    """The split that minimises 1/(vote·(1 - share)) + 1/(share·inner), to three digits; inner is rounded down.

    The objective is how errors shrink: the vote errs by about ln(growth)/(vote·voters), the learner inside by a
    constant over inner·kept. Floats search, the result is exact decimals.
    Statement: as `inner_epsilon_relabelled`. Source: register `relabelling`. Holds if: as the rule.
    Proof: docs/proofs/relabelling.md.
    """
    owner = "best_split"
    target = float(positive(epsilon, owner=owner, name="epsilon"))
    steps = float(positive(weight, owner=owner, name="weight"))
    low_q, high_q, low_t, high_t = 1e-3 * min(1.0, target), 0.95, 0.02 / max(1.0, steps), 5.0
    best = (math.inf, 0.0, 0.0)
    for _ in range(6):
        q = low_q * (high_q / low_q) ** _PLACES[:, None]
        t = low_t * (high_t / low_t) ** _PLACES[None, :]
        costs = _prices(target, q, t * q, steps)
        i, j = divmod(int(np.argmin(costs)), len(_PLACES))
        best = min(best, (float(costs[i, j]), float(q[i, 0]), float(t[0, j])))
        if not math.isfinite(best[0]):
            break
        width_q, width_t = ((high / low) ** _WIDTH for low, high in ((low_q, high_q), (low_t, high_t)))
        low_q, high_q = best[1] / width_q, min(0.95, best[1] * width_q)
        low_t, high_t = best[2] / width_t, best[2] * width_t
    if not math.isfinite(best[0]):
        raise ParameterError(owner, "epsilon", str(epsilon), allowed="large enough for a vote and a learner")
    share, vote = (Fraction(f"{value:.3g}") for value in (best[1], best[1] * best[2]))
    # The best vote may take all of epsilon but a hair: rounded, it then leaves nothing for the learner inside.
    solved = partial(inner_epsilon_relabelled, epsilon, share=share, weight=weight)
    while (inner := solved(vote=vote)) is None:
        unit = Fraction(10) ** (math.floor(math.log10(vote)) - 2)
        vote = (math.ceil(vote / unit) - 1) * unit
    return Split(share, vote, inner)


def best_vote(epsilon: Number, *, share: Number, weight: Number = 1) -> Fraction | None:
    """The epsilon of the vote at which a given share of kept records suffers least, as `best_split`, to three digits.

    None where this share leaves nothing for the learner inside, whatever the vote.
    """
    target, part = float(Fraction(epsilon)), float(Fraction(share))
    votes = target * np.geomspace(1e-5, 1, 400)
    costs = _prices(target, np.full(400, part), votes, float(Fraction(weight)))
    place = int(np.argmin(costs))
    return Fraction(f"{votes[place]:.3g}") if math.isfinite(costs[place]) else None


_PLACES = np.arange(25) / 24
_WIDTH = 2 / 24
"""Grids of both numbers, each drawn around the best of the one before, two of its steps to either side."""


def _prices(epsilon: float, q: Floats, vote: Floats, weight: float) -> Floats:
    """1/(vote·(1 - share)) + 1/(share·inner), in floats; infinite where nothing is left for the learner inside."""
    a = np.exp(vote / 2)
    log_moved = weight * vote * (1 - q) / q + math.log(4)
    heavy = np.where(weight * (1 - q) < q, a * a, a * (1 + a) / 2)
    left = math.exp(epsilon) * (1 - q + q * heavy) - (1 - q) * a * a
    possible = (left > 0) & (vote <= epsilon)
    inner = np.log(np.where(possible, left, 1.0) / (q * heavy)) - log_moved
    possible &= inner > 0
    return np.where(possible, 1 / (vote * (1 - q)) + 1 / (q * np.where(possible, inner, 1.0)), math.inf)
