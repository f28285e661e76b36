"""How many records the learners of points need that look at the noise of single cells: clipped, and coordinate by
coordinate.

Both fail in two ways only: the target is not found, and what is answered instead is heavy. With target mass p the
first falls with p and the second grows, so the worst p is found by cutting [0, error] into pieces: on a piece [a, b]
the product is at most (first at a)·(second at b), and pieces are halved until that decides. Searches use floats;
what they find is proved in ball arithmetic, and only whole or rounded numbers are kept of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.errors import SizeError
from privpac.numbers.binomial import mean_over_binomial
from privpac.numbers.exact import (
    ball,
    certainly_above,
    certainly_below,
    first_whole,
    power_up,
    ratio_for,
    shortened,
)
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.numbers.rough import binomial_window
from privpac.numbers.search import first_by_decay
from privpac.theory.occam import GRID, first_error
from privpac.theory.register import formula

__all__ = ["Clip", "error_clipped", "loss_clipped", "plan_clipped", "proves_clipped", "records_clipped"]

Whole = NDArray[np.int64]

LARGEST_STEP = 5000
"""Parameters are never tuned for errors above one half."""

_DEPTH = 60
"""Halvings after which a piece of the target masses counts as undecided."""

_RATE_STEPS = 10**6
"""Rates are rounded down to a millionth."""

_MARGINS = 128
"""Margins tried a slack, about: all of them at an epsilon of 1, a grid at small ones."""

_MASSES = (1.0, 0.9, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05)
"""Target masses looked at by the search, as parts of the heaviest that a single other value can still fail."""

_SLACKS = tuple(Fraction(half, 2) for half in (2, 3, 4, 5, 6, 7, 8, 10))
"""ln((T - 1)/W) tried by the search, W the largest weight that costs nothing twice: coarse, the optimum is flat."""


@dataclass(frozen=True)
class Clip:
    """Parameters of the clipped learner: `ratio` a unit of score, `threshold` (K) and `margin` (K_0)."""

    ratio: Fraction
    threshold: int
    margin: int

    @property
    def surplus(self) -> int:
        """The largest score a value can have while another one has any: max(0, 2·K_0 - K)."""
        return max(0, 2 * self.margin - self.threshold)

    def score(self, positives: int) -> int:
        """The score of the only value that carries class 1, on `positives` records of it."""
        return max(0, self.margin + positives - max(self.threshold, positives))


def never_worse(
    miss: Callable[[Fraction], arb],
    *,
    heavy: Fraction,
    noise: Fraction = Fraction(0),
    error: Fraction,
    failure: Fraction,
) -> bool:
    """Whether m·min(1, heavy·(1 - p)/(error - p)) + (1 - m)·noise·(1 - p)/error ≤ failure, m = miss(p), for all p.

    `miss` must fall with p, and noise must not exceed heavy, so that the sum grows with m. From `edge` on the first
    share is 1, and the value at the edge is the worst.
    """
    if heavy >= error:
        return False
    edge = (error - heavy) / (1 - heavy)
    memory: dict[tuple[Fraction, int], arb] = {}

    def least(mass: Fraction) -> arb:
        key = mass, ctx.prec
        if key not in memory:
            memory[key] = miss(mass)
        return memory[key]

    def value(low: Fraction, high: Fraction) -> arb:
        """The first factor at the one end, the second at the other."""
        share = min(Fraction(1), heavy * (1 - high) / (error - high)) if high < edge else Fraction(1)
        noisy_share = noise * (1 - low) / error
        return least(low) * ball(share - noisy_share) + ball(noisy_share)

    def is_below(low: Fraction, high: Fraction) -> bool:
        return certainly_below(lambda: value(low, high), failure)

    if not is_below(edge, error):
        return False
    pieces: list[tuple[Fraction, Fraction, int]] = [(Fraction(0), edge, 0)]
    while pieces:
        low, high, depth = pieces.pop()
        if is_below(low, high):
            continue
        # Where one mass alone fails, halving would go on for nothing.
        if depth == _DEPTH or certainly_above(lambda at=low: value(at, at), failure):  # type: ignore[misc]
            return False
        # Halve the logarithm of what is left to the error: that is where the second factor moves.
        middle = error - Fraction(math.sqrt(float(error - low) * float(error - high)))
        if not low < middle < high:
            return False
        pieces += [(low, middle, depth + 1), (middle, high, depth + 1)]
    return True


# --- The clipped learner -------------------------------------------------------------------------------------------


@formula("clipped-points")
def loss_clipped(domain: int, *, clip: Clip) -> Fraction:
    """e^epsilon of the clipped learner, at most.

    Statement: (1/r)·(T - 1 + W)/(T - 1 + W·r), W = r^-max(0, 2·margin - threshold).
    Source: register `clipped-points` (ours). Symbols: T → domain, r → clip.ratio.
    Holds if: the parameters are public. Proof: docs/proofs/clipped-points.md.
    """
    others = at_least(2, domain, owner="loss_clipped", name="domain") - 1
    # Rounding W up is safe: the quotient grows with W.
    heaviest = power_up(1 / clip.ratio, clip.surplus) if clip.surplus else Fraction(1)
    return shortened((others + heaviest) / (others + heaviest * clip.ratio) / clip.ratio)


def _clipped_miss(n: int, *, domain: int, clip: Clip, mass: Fraction) -> arb:
    """E[(T - 1)/(T - 1 + r^-s(K))], K binomial(n, mass)."""
    growth = 1 / ball(clip.ratio)
    top, offset = growth**clip.margin, growth ** (clip.margin - clip.threshold)

    def outcome(power: arb) -> arb:
        return (domain - 1) / (domain - 1 + (power * offset).min(top).max(arb(1)))

    return mean_over_binomial(outcome, n=n, chance=mass, growth=growth)


@formula("clipped-points-accuracy")
def proves_clipped(n: int, *, domain: int, error: Fraction, failure: Fraction, clip: Clip) -> bool:
    """Whether `n` records prove that the clipped learner errs by more than `error` at most `failure` often.

    Statement: for every target mass p ≤ error, E[(T - 1)/(T - 1 + r^-s(K))]·min(1, (1 - p)/((error - p)(T - 1)))
    ≤ failure, K binomial(n, p), s(k) = max(0, margin + k - max(threshold, k)).
    Source: register `clipped-points-accuracy`. Holds if: one value carries all of class 1; records independent.
    Proof: docs/proofs/clipped-points.md.
    """
    return never_worse(
        lambda mass: _clipped_miss(n, domain=domain, clip=clip, mass=mass),
        heavy=Fraction(1, domain - 1),
        error=error,
        failure=failure,
    )


@formula("clipped-points-accuracy")
def error_clipped(n: int, *, domain: int, failure: Number, clip: Clip) -> Fraction:
    """The smallest error on the grid that `proves_clipped` proves; 1, which always holds, when it proves none.

    Statement: as `proves_clipped`. Source: register `clipped-points-accuracy`. Holds if: as `proves_clipped`.
    Proof: docs/proofs/clipped-points.md.
    """
    owner = "error_clipped"
    size, miss = at_least(2, domain, owner=owner, name="domain"), chance(failure, owner=owner, name="failure")
    have = at_least(0, n, owner=owner, name="n")
    return first_error(lambda error: proves_clipped(have, domain=size, error=error, failure=miss, clip=clip))


def _clips(domain: int, epsilon: Fraction, *, positives: int) -> Iterator[tuple[Fraction, Whole, Whole]]:
    """Rates, each with the thresholds and margins worth trying when about this many records carry class 1.

    A margin that outweighs the other T - 1 values by e^30 gains nothing more.
    """
    size = math.log(
        domain - 1
    )  # what the heaviest weight has beside it: with T itself short columns lost too much
    for slack in _SLACKS:
        rate = _rate(slack, epsilon)
        if rate <= 0 or size <= slack:
            continue
        surplus = (size - float(slack)) / float(rate)
        least, most = max(1, int(surplus / 2)), int((size + 30) / float(rate)) + 2
        margins = np.arange(least, most, max(1, (most - least) // _MARGINS))
        thresholds = np.ceil(np.round(2 * margins - surplus, 9)).astype(np.int64)
        candidates = (margins < thresholds) & (thresholds <= positives)
        if candidates.any():
            yield rate, thresholds[candidates], margins[candidates]


@lru_cache(maxsize=1024)
def _rate(slack: Fraction, epsilon: Fraction) -> Fraction:
    """The largest rate, rounded down, that a weight of e^-slack of the whole leaves room for."""
    heavy, rate = math.exp(-float(slack)), float(epsilon)
    for _ in range(60):  # a contraction: the right-hand side falls slowly as the rate grows
        rate = float(epsilon) - math.log1p(heavy) + math.log1p(heavy * math.exp(-rate))
    return Fraction(math.floor(round(rate * _RATE_STEPS, 3)), _RATE_STEPS)


_LARGEST_FLOAT = 2**1023
"""Searches are in floats, and only have to come near: a longer domain is taken for this one."""


@lru_cache(maxsize=4096)
def _best_clip(
    n: int, *, domain: int, error: float, failure: Fraction, epsilon: Fraction
) -> tuple[float, Clip] | None:
    """The parameters with the smallest failure in floats, over a few target masses: lighter ones matter where a
    single other value may be heavy more often than the promise may fail, which takes a small domain."""
    size, best = math.log(domain - 1), None
    others = float(min(domain - 1, _LARGEST_FLOAT))
    edge = max(0.0, (error - 1 / (domain - 1)) / (1 - 1 / (domain - 1)))
    if edge == 0:
        return None
    masses = np.array(_MASSES) * edge
    shares = np.minimum(1.0, (1 - masses) / others / np.maximum(error - masses, 1e-300))
    heavy = shares > float(failure)
    shares, laws = shares[heavy], [binomial_window(n, mass[None]) for mass in masses[heavy]]
    for rate, thresholds, margins in _clips(domain, epsilon, positives=max(1, math.ceil(n * error))):
        fails = np.zeros(len(margins))
        for share, (counts, chances) in zip(shares, laws, strict=True):
            scores = np.clip(counts - (thresholds - margins)[:, None], 0, margins[:, None])
            odds = np.exp(np.minimum(float(rate) * scores - size, 700.0))
            fails = np.maximum(fails, share * (1 / (1 + odds)) @ chances[0])
        at = int(np.argmin(np.round(fails, 9)))
        key = (round(float(fails[at]), 9), rate, int(thresholds[at]), int(margins[at]))
        best = key if best is None else min(best, key)
    if best is None:
        return None
    return best[0], Clip(ratio_for(best[1]), best[2], best[3])


def clip_for(n: int, *, domain: int, failure: Fraction, epsilon: Fraction) -> Clip:
    """Parameters for `n` records: those with which the search sees the smallest error; any are private.

    >>> clip_for(678, domain=2**64, failure=Fraction(1, 20), epsilon=Fraction(1)).margin
    50
    """

    def at_error(error: float) -> tuple[float, Clip] | None:
        return _best_clip(n, domain=domain, error=error, failure=failure, epsilon=epsilon)

    def enough(step: int) -> bool:
        if step >= LARGEST_STEP:
            return True
        best = at_error(step * float(GRID))
        return best is not None and best[0] <= failure

    guess = (math.log(domain) - 2 * math.log(failure) + 2) / float(epsilon * max(n, 1) * GRID)
    step = first_whole(enough, start=min(int(guess), LARGEST_STEP), smallest=1)
    best = at_error(step * float(GRID))
    # Half the rate is private whatever the rest: one more unit of score never costs more than twice.
    return Clip(ratio_for(epsilon / 2), 2, 1) if best is None else best[1]


@lru_cache(maxsize=256)
def clip_at(n: int, *, domain: int, error: Fraction, failure: Fraction, epsilon: Fraction) -> Clip | None:
    """Parameters with which `n` records are proved to reach an error; None if the search finds none."""
    if domain * error * failure < 1:
        return None
    best = _best_clip(n, domain=domain, error=float(error), failure=failure, epsilon=epsilon)
    if best is None or best[0] > failure:
        return None
    holds = proves_clipped(n, domain=domain, error=error, failure=failure, clip=best[1])
    return best[1] if holds else None


@formula("clipped-points-accuracy")
def plan_clipped(domain: int, *, error: Number, failure: Number, epsilon: Number) -> tuple[int, Clip]:
    """Records the clipped learner needs, and the parameters that need so few, on a coarse grid of them.

    Statement: as `proves_clipped`, searched over e^-rate = ratio, threshold and margin with `loss_clipped` ≤ e^epsilon.
    Source: register `clipped-points-accuracy`. Holds if: as `proves_clipped`.
    Proof: docs/proofs/clipped-points.md.

    >>> plan_clipped(2**32, error=0.1, failure=0.05, epsilon=1)[0]
    416
    """
    owner = "plan_clipped"
    size, miss = at_least(2, domain, owner=owner, name="domain"), chance(failure, owner=owner, name="failure")
    wrong, loss = chance(error, owner=owner, name="error"), positive(epsilon, owner=owner, name="epsilon")

    def hope(n: int) -> float:
        best = _best_clip(n, domain=size, error=float(wrong), failure=miss, epsilon=loss)
        return 1.0 if best is None else best[0]

    def is_proved(n: int) -> bool:
        return clip_at(n, domain=size, error=wrong, failure=miss, epsilon=loss) is not None

    guess = int((math.log(size) + 2 * math.log(1 / miss) + 2) / float(wrong * loss))
    # A target that never occurs leaves a uniform answer, and 1/error values may be as heavy as the error.
    if size * wrong * miss < 1 or guess > 10**6:
        raise SizeError(f"{owner}: a domain of {size} at this error and epsilon is out of its range.")
    most = FARTHEST * guess
    start = first_by_decay(hope, float(miss), start=guess, most=most)
    n = first_whole(lambda n: n > most or is_proved(n), start=start, smallest=start, step=1)
    clip = clip_at(n, domain=size, error=wrong, failure=miss, epsilon=loss)
    if clip is None:
        raise SizeError(f"{owner}: a domain of {size} is too short for this error and failure.")
    return n, clip


FARTHEST = 64
"""How many times the first guess are looked at; near the shortest domain there may be nothing."""


@formula("clipped-points-accuracy")
def records_clipped(domain: int, *, error: Number, failure: Number, epsilon: Number) -> int:
    """Records the clipped learner of points needs: `plan_clipped` without the parameters.

    Statement: as `plan_clipped`. Source: register `clipped-points-accuracy`. Holds if: as `plan_clipped`.
    Proof: docs/proofs/clipped-points.md.

    >>> records_clipped(2**16, error=0.1, failure=0.05, epsilon=1)
    279
    """
    return plan_clipped(domain, error=error, failure=failure, epsilon=epsilon)[0]


# --- Coordinate by coordinate --------------------------------------------------------------------------------------
