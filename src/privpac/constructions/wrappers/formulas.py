"""What sampling, relabelling and stable draws lose, before any learner is built: for planning, in logarithms.

Numbers that a plan rests on are rounded up; nothing overflows however small a share is. Certificates are made by
`guarantee.rules` from the parameters of the code, in rationals; the formulas here say the same of real parameters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from flint import arb, ctx

from privpac.errors import ParameterError
from privpac.numbers.exact import ball, ln_up
from privpac.numbers.parameters import Number, at_least, chance, fraction_below, positive
from privpac.numbers.rough import Floats
from privpac.theory.register import formula
from privpac.theory.vc import erm_excess, ln_growth, relative_error

__all__ = [
    "Split",
    "best_split",
    "draw_epsilon_for",
    "epsilon_relabelled",
    "epsilon_resampled",
    "epsilon_subsampled",
    "excess_relabelled",
    "excess_stable",
    "inner_epsilon_relabelled",
    "records_resampled",
    "share_subsampled",
    "stability_from_some",
    "stable_split",
]

ONE = Fraction(1)
PLACES = 10**12
"""Results are decimals of twelve places, rounded to the safe side."""
BITS = 192
ROUNDING = Fraction(1, 10**11)
"""What is kept below a stability that a certificate has to meet."""


def _up(value: arb) -> Fraction:
    return Fraction(int((value * PLACES).upper().ceil().unique_fmpz()), PLACES)


def _down(value: arb) -> Fraction:
    return Fraction(int((value * PLACES).lower().floor().unique_fmpz()), PLACES)


def _share(value: object, *, owner: str) -> Fraction:
    return chance(value, owner=owner, name="share")


@formula("subsampling-without-replacement")
def epsilon_subsampled(share: Number, *, epsilon: Number) -> Fraction:
    """What a random `share` of the records costs everyone, if the learner inside costs `epsilon`; rounded up.

    Statement: ln(1 + share·(e^epsilon - 1)). Source: register `subsampling-without-replacement`. Holds if: the kept
    records are shuffled. Proof: docs/proofs/subsampling-without-replacement.md.

    >>> float(epsilon_subsampled("0.1", epsilon=1))
    0.158565078741
    """
    owner = "epsilon_subsampled"
    q, inner = _share(share, owner=owner), positive(epsilon, owner=owner, name="epsilon")
    with ctx.workprec(BITS):
        return _up((ball(q) * ball(inner).expm1()).log1p())


@formula("subsampling-without-replacement")
def share_subsampled(epsilon: Number, *, inner: Number) -> Fraction:
    """The largest share of the records that keeps `epsilon` around a learner of `inner`; rounded down, at most 1.

    Statement: (e^epsilon - 1)/(e^inner - 1). Source: register `subsampling-without-replacement`. Holds if: as
    `epsilon_subsampled`. Proof: docs/proofs/subsampling-without-replacement.md.
    """
    owner = "share_subsampled"
    outer, within = positive(epsilon, owner=owner, name="epsilon"), positive(inner, owner=owner, name="inner")
    with ctx.workprec(BITS):
        return min(ONE, _down(ball(outer).expm1() / ball(within).expm1()))


@formula("sampling-with-replacement")
def epsilon_resampled(n: int, *, draws: int, epsilon: Number) -> Fraction:
    """What `draws` independent draws of `n` records cost, if the learner inside costs `epsilon`; rounded up.

    Statement: draws·ln(1 + (e^epsilon - 1)/n). Source: register `sampling-with-replacement`. Holds if: always.
    Proof: docs/proofs/sampling-with-replacement.md.

    >>> float(epsilon_resampled(1000, draws=1000, epsilon=1))
    1.716807271134
    """
    owner = "epsilon_resampled"
    have, times = at_least(1, n, owner=owner, name="n"), at_least(1, draws, owner=owner, name="draws")
    inner = positive(epsilon, owner=owner, name="epsilon")
    with ctx.workprec(BITS):
        return _up(times * (ball(inner).expm1() / have).log1p())


@formula("sampling-with-replacement")
def records_resampled(draws: int, *, epsilon: Number, inner: Number) -> int:
    """Records from which `draws` draws cost at most `epsilon` around a learner of `inner`.

    Statement: (e^inner - 1)/(e^(epsilon/draws) - 1), rounded up. Source: register `sampling-with-replacement`.
    Holds if: always. Proof: docs/proofs/sampling-with-replacement.md.

    >>> records_resampled(1000, epsilon=1, inner=1)
    1718
    """
    owner = "records_resampled"
    times = at_least(1, draws, owner=owner, name="draws")
    outer, within = positive(epsilon, owner=owner, name="epsilon"), positive(inner, owner=owner, name="inner")
    with ctx.workprec(BITS):
        need = ball(within).expm1() / (ball(outer) / times).expm1()
        return int(need.upper().ceil().unique_fmpz())


@dataclass(frozen=True)
class _Vote:
    """The parts of the loss of relabelling: a mean of `outside` and `moved`·(inner factor) with weights 1 - q,
    q·heavy.
    """

    q: Fraction
    vote: Fraction
    weight: Fraction
    ranks: bool

    def parts(self) -> tuple[arb, arb, arb]:
        """(outside, heavy, moved); the inner factor is e^epsilon, or its square by ranks."""
        a = (ball(self.vote) / 2).exp()
        b = ball(self.weight * self.vote * (1 - self.q) / self.q).exp()
        if self.ranks:
            return a * a, a * a, b
        steep = self.weight * (1 - self.q) >= self.q
        return a * a, a * (1 + a) / 2 if steep else a * a, 4 * b

    @classmethod
    def read(cls, share: object, vote: object, weight: object, ranks: bool, *, owner: str) -> _Vote:
        return cls(
            _share(share, owner=owner),
            positive(vote, owner=owner, name="vote"),
            positive(weight, owner=owner, name="weight"),
            ranks,
        )


@formula("relabelling")
def epsilon_relabelled(
    share: Number, *, vote: Number, inner: Number, weight: Number = 1, ranks: bool = False
) -> Fraction:
    """What learning from a relabelled `share` of the records costs; rounded up.

    Statement: that of `rules.relabelling` (by ranks: `rules.rank_relabelling`) with a = e^(vote/2) and
    b = e^(weight·vote·(1 - share)/share). Source: register `relabelling`. Holds if: as the rule.
    Proof: docs/proofs/relabelling.md.

    >>> round(float(epsilon_relabelled("0.1", vote="0.1", inner=1)), 5)
    1.34758
    """
    owner = "epsilon_relabelled"
    parts, within = (
        _Vote.read(share, vote, weight, ranks, owner=owner),
        positive(inner, owner=owner, name="inner"),
    )
    with ctx.workprec(BITS):
        outside, heavy, shift = parts.parts()
        inside = shift * (ball(within) * (2 if ranks else 1)).exp()
        if not inside > outside:
            return _up(outside.log())
        q = ball(parts.q)
        return _up((((1 - q) * outside + q * heavy * inside) / (1 - q + q * heavy)).log())


@formula("relabelling")
def inner_epsilon_relabelled(
    epsilon: Number, *, share: Number, vote: Number, weight: Number = 1, ranks: bool = False
) -> Fraction | None:
    """The largest epsilon of the learner inside that keeps `epsilon`; rounded down, None if there is none.

    Statement: `epsilon_relabelled`, solved. Source: register `relabelling`. Holds if: as the rule.
    Proof: docs/proofs/relabelling.md.
    """
    owner = "inner_epsilon_relabelled"
    parts = _Vote.read(share, vote, weight, ranks, owner=owner)
    target = positive(epsilon, owner=owner, name="epsilon")
    if parts.vote > target:  # a voter alone loses more
        return None
    with ctx.workprec(BITS):
        outside, heavy, shift = parts.parts()
        q = ball(parts.q)
        factor = (ball(target).exp() * (1 - q + q * heavy) - (1 - q) * outside) / (q * heavy * shift)
        if not factor > 1:
            return None
        inner = _down(factor.log() / (2 if ranks else 1))
        return inner if inner > 0 else None


@dataclass(frozen=True)
class Split:
    """How a budget is divided between the vote and the learner inside."""

    share: Fraction
    vote: Fraction
    inner: Fraction


@formula("relabelling")
def best_split(epsilon: Number, *, weight: Number = 1, ranks: bool = False) -> Split:
    """The split that minimises 1/(vote·(1 - share)) + 1/(share·inner), to three digits; inner is rounded down.

    The objective is how errors shrink: the vote errs by about ln(growth)/(vote·voters), the learner inside by a
    constant over inner·kept. Floats search, the result is exact decimals.
    Statement: as `epsilon_relabelled`. Source: register `relabelling`. Holds if: as the rule.
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
        costs = _prices(target, q, t * q, steps, ranks)
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
    solved = partial(inner_epsilon_relabelled, epsilon, share=share, weight=weight, ranks=ranks)
    while (inner := solved(vote=vote)) is None:
        unit = Fraction(10) ** (math.floor(math.log10(vote)) - 2)
        vote = (math.ceil(vote / unit) - 1) * unit
    return Split(share, vote, inner)


def best_vote(epsilon: Number, *, share: Number, weight: Number = 1, ranks: bool = False) -> Fraction | None:
    """The epsilon of the vote at which a given share of kept records suffers least, as `best_split`, to three digits.

    None where this share leaves nothing for the learner inside, whatever the vote.
    """
    target, part = float(Fraction(epsilon)), float(Fraction(share))
    votes = target * np.geomspace(1e-5, 1, 400)
    costs = _prices(target, np.full(400, part), votes, float(Fraction(weight)), ranks)
    place = int(np.argmin(costs))
    return Fraction(f"{votes[place]:.3g}") if math.isfinite(costs[place]) else None


_PLACES = np.arange(25) / 24
_WIDTH = 2 / 24
"""Grids of both numbers, each drawn around the best of the one before, two of its steps to either side."""


def _prices(epsilon: float, q: Floats, vote: Floats, weight: float, ranks: bool) -> Floats:
    """1/(vote·(1 - share)) + 1/(share·inner), in floats; infinite where nothing is left for the learner inside."""
    a = np.exp(vote / 2)
    log_moved = weight * vote * (1 - q) / q + (0.0 if ranks else math.log(4))
    heavy = np.where(ranks | (weight * (1 - q) < q), a * a, a * (1 + a) / 2)
    left = math.exp(epsilon) * (1 - q + q * heavy) - (1 - q) * a * a
    possible = (left > 0) & (vote <= epsilon)
    inner = (np.log(np.where(possible, left, 1.0) / (q * heavy)) - log_moved) / (2 if ranks else 1)
    possible &= inner > 0
    return np.where(possible, 1 / (vote * (1 - q)) + 1 / (q * np.where(possible, inner, 1.0)), math.inf)


@formula("relabelling-accuracy")
def excess_relabelled(
    n: int,
    *,
    kept: int,
    vote: Number,
    inner_error: Number,
    vc: int,
    failure: Number,
    weight: Number = 1,
) -> Fraction:
    """How far the answer may lie above the best concept, if the learner inside makes at most `inner_error` mistakes on
    the relabelled records; rounded up. `failure` does not include the learner's own.

    Statement: erm_excess(w) + a + relative_error(inner_error + a/weight), w = n - kept, a = 2(ln growth(kept) +
    ln(4/failure))/(vote·w). Source: register `relabelling-accuracy` (Li–Wang–Ye 2025, Claim 16).
    Holds if: records are independent, answers belong to the class. Proof: docs/proofs/relabelling.md.
    """
    owner = "excess_relabelled"
    have, few = at_least(2, n, owner=owner, name="n"), at_least(1, kept, owner=owner, name="kept")
    loss, miss = positive(vote, owner=owner, name="vote"), chance(failure, owner=owner, name="failure") / 4
    inner, lam = (
        fraction_below(1, inner_error, owner=owner, name="inner_error"),
        positive(weight, owner=owner, name="weight"),
    )
    voters = have - few
    if voters < 1:
        return ONE
    a = 2 * (ln_growth(few, vc=vc) + ln_up(1 / miss)) / (loss * voters)
    distance = relative_error(inner + a / lam, n=few, failure=miss, vc=vc, pairs=True)
    return min(ONE, erm_excess(voters, failure=2 * miss, vc=vc) + a + distance)


@formula("stable-from-some")
def stability_from_some(share: Number, *, epsilon: Number) -> Fraction:
    """How far one record moves any probability, if a class is listed from a `share` of the records; rounded up.

    Statement: share + (1 - share)·tanh(epsilon/4). Source: register `stable-from-some` (Dagan–Feldman 2020, Lemma 7).
    Holds if: representatives are chosen by the set of points. Proof: docs/proofs/stable.md.

    >>> round(float(stability_from_some("0.05", epsilon="0.2")), 5)
    0.09746
    """
    owner = "stability_from_some"
    q, loss = _share(share, owner=owner), positive(epsilon, owner=owner, name="epsilon")
    with ctx.workprec(BITS):
        return min(ONE, _up(ball(q) + ball(1 - q) * (ball(loss) / 4).tanh()))


@formula("stable-from-some")
def draw_epsilon_for(stability: Number, *, share: Number) -> Fraction:
    """The largest epsilon of the draw that keeps a stability; rounded down.

    Statement: 4·artanh((stability - share)/(1 - share)). Source: register `stable-from-some`. Holds if: the share is
    below the stability. Proof: docs/proofs/stable.md.

    >>> round(float(draw_epsilon_for("0.1", share="0.05")), 5)
    0.21072
    """
    owner = "draw_epsilon_for"
    gamma = chance(stability, owner=owner, name="stability")
    q = fraction_below(gamma, share, owner=owner, name="share")
    with ctx.workprec(BITS):
        return _down(4 * ball((gamma - q) / (1 - q)).atanh())


@formula("stable-accuracy")
def stable_split(
    n: int, *, stability: Number, vc: int, failure: Number = Fraction(1, 20)
) -> tuple[int, Fraction]:
    """(kept, epsilon of the draw) with exactly this stability and the smallest `excess_stable`, to a few percent.

    Statement: as `excess_stable` and `stability_from_some`. Source: register `stable-accuracy`. Holds if: n·stability
    is above 1. Proof: docs/proofs/stable.md.

    >>> stable_split(10_000, stability="0.1", vc=1)[0]
    614
    """
    owner = "stable_split"
    have, gamma = at_least(2, n, owner=owner, name="n"), chance(stability, owner=owner, name="stability")
    most = math.ceil(gamma * have) - 1
    if most < 1:
        raise ParameterError(
            owner, "stability", str(stability), allowed=f"above 1/{have}, one over the records"
        )
    log = math.log(4 / float(chance(failure, owner=owner, name="failure")))
    growth = float(ln_growth(have, vc=vc))

    def price(kept: int) -> float:
        q = kept / have
        draw = 4 * math.atanh((float(gamma) - q) / (1 - q))
        return (growth + log) / kept + 2 * (vc * math.log(kept + 1) + log) / (draw * have)

    steps = {max(1, round(most * 0.97**i)) for i in range(400)}
    kept = min(steps, key=price)
    # A little less, because certificates round the stability of a draw up to twelve decimals.
    return kept, draw_epsilon_for(gamma - ROUNDING, share=Fraction(kept, have))


@formula("stable-accuracy")
def excess_stable(n: int, *, kept: int, epsilon: Number, vc: int, failure: Number) -> Fraction:
    """How far the answer of a stable learner may lie above the best concept; rounded up.

    Statement: erm_excess(n) + (ln growth(n) + ln(4/failure))/kept + 2(ln growth(kept) + ln(4/failure))/(epsilon·n).
    Source: register `stable-accuracy` (Dagan–Feldman 2020, Theorem 1). Holds if: records are independent.
    Proof: docs/proofs/stable.md.
    """
    owner = "excess_stable"
    have, few = at_least(1, n, owner=owner, name="n"), at_least(1, kept, owner=owner, name="kept")
    loss, miss = (
        positive(epsilon, owner=owner, name="epsilon"),
        chance(failure, owner=owner, name="failure") / 4,
    )
    log = ln_up(1 / miss)
    listing = (ln_growth(have, vc=vc) + log) / few
    draw = 2 * (ln_growth(few, vc=vc) + log) / (loss * have)
    return min(ONE, erm_excess(have, failure=2 * miss, vc=vc) + listing + draw)
