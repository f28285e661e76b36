"""Points found by sparse sets: sizes and errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb

from privpac.constructions.points.formulas import FARTHEST, LARGEST_STEP, never_worse
from privpac.numbers.binomial import mean_over_binomial
from privpac.numbers.exact import ball, first_whole, ratio_for
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.numbers.rough import Floats, binomial_window
from privpac.numbers.search import first_by_decay
from privpac.theory.occam import GRID, first_error
from privpac.theory.register import formula

__all__ = ["Sparsity", "error_sparse", "plan_sparse", "proves_sparse", "records_sparse"]


@dataclass(frozen=True)
class Sparsity:
    """Parameters of coordinate Gibbs: the prior probability `flip` of every cell, and the `ratio` of a mistake."""

    flip: Fraction
    ratio: Fraction


@formula("sparse-sets-accuracy")
def proves_sparse(n: int, *, error: Fraction, failure: Fraction, sparsity: Sparsity) -> bool:
    """Whether `n` records prove that coordinate Gibbs errs by more than `error` at most `failure` often.

    Statement: with f = flip and m(p) = E[1/(1 + f/(1 - f)·r^-K)], K binomial(n, p), for every target mass p ≤ error:
    m(p)·min(1, f(1 - p)/(error - p)) + (1 - m(p))·f(1 - p)/error ≤ failure.
    Source: register `sparse-sets-accuracy` (ours).
    Holds if: one value carries all of class 1; records independent. Proof: docs/proofs/sparse-sets.md.
    """
    flip = sparsity.flip
    odds = ball(flip / (1 - flip))

    def miss(mass: Fraction) -> arb:
        growth = 1 / ball(sparsity.ratio)
        return mean_over_binomial(lambda power: 1 / (1 + odds * power), n=n, chance=mass, growth=growth)

    return never_worse(miss, heavy=flip, noise=flip, error=error, failure=failure)


@formula("sparse-sets-accuracy")
def error_sparse(n: int, *, failure: Number, sparsity: Sparsity) -> Fraction:
    """The smallest error on the grid that `proves_sparse` proves; 1, which always holds, when it proves none.

    Statement: as `proves_sparse`. Source: register `sparse-sets-accuracy`. Holds if: as `proves_sparse`.
    Proof: docs/proofs/sparse-sets.md.
    """
    owner = "error_sparse"
    have, miss = at_least(0, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")
    return first_error(lambda error: proves_sparse(have, error=error, failure=miss, sparsity=sparsity))


@lru_cache(maxsize=256)
def _flips(failure: Fraction) -> tuple[tuple[Fraction, ...], Floats]:
    """Prior probabilities of a cell tried by the search, as parts of the error, and in floats: a failure that is rarer
    than the usual one leaves less to noise."""
    rare = min(Fraction(1), 20 * failure)
    parts = tuple(rare * Fraction(k, 1000) for k in range(4, 41))
    return parts, np.array([float(part) for part in parts])


def _best_flip(n: int, *, error: Fraction, failure: Fraction, epsilon: Fraction) -> tuple[float, Fraction]:
    """The prior with the smallest failure, in floats, at the heaviest target that noise still drowns."""
    wrong, (parts, floats) = float(error), _flips(failure)
    flips = wrong * floats
    counts, chances = binomial_window(n, (wrong - flips) / (1 - flips))
    odds = np.exp(np.minimum(float(epsilon) / 2 * counts, 600.0))
    misses = (chances / (1 + (flips / (1 - flips))[:, None] * odds)).sum(axis=1)
    fails = np.round(misses + (1 - misses) * floats * (1 - wrong), 9)
    at = int(np.argmin(fails))
    return (float(fails[at]), error * parts[at]) if fails[at] < 1 else (1.0, Fraction(0))


def sparsity_for(n: int, *, failure: Fraction, epsilon: Fraction) -> Sparsity:
    """Parameters for `n` records: those with which the search sees the smallest error; any are private."""

    def best(step: int) -> tuple[float, Fraction]:
        return _best_flip(n, error=step * GRID, failure=failure, epsilon=epsilon)

    def enough(step: int) -> bool:
        return step >= LARGEST_STEP or best(step)[0] <= failure

    guess = 24 / float(epsilon * max(n, 1) * GRID)
    step = first_whole(enough, start=min(int(guess), LARGEST_STEP), smallest=1)
    flip = best(step)[1]
    return Sparsity(flip or GRID, ratio_for(epsilon / 2))


def sparsity_at(n: int, *, error: Fraction, failure: Fraction, epsilon: Fraction) -> Sparsity | None:
    """The prior with which `n` records are proved to reach an error; None if the search finds none."""
    fails, flip = _best_flip(n, error=error, failure=failure, epsilon=epsilon)
    sparsity = Sparsity(flip, ratio_for(epsilon / 2))
    holds = fails <= failure and proves_sparse(n, error=error, failure=failure, sparsity=sparsity)
    return sparsity if holds else None


@formula("sparse-sets-accuracy")
def plan_sparse(*, error: Number, failure: Number, epsilon: Number) -> tuple[int, Sparsity]:
    """Records coordinate Gibbs needs, whatever the domain, and the prior that needs so few.

    Statement: as `proves_sparse`, searched over the prior. Source: register `sparse-sets-accuracy`.
    Holds if: as `proves_sparse`. Proof: docs/proofs/sparse-sets.md.

    >>> plan_sparse(error=0.1, failure=0.05, epsilon=1)[0]
    234
    """
    owner = "plan_sparse"
    wrong, loss = chance(error, owner=owner, name="error"), positive(epsilon, owner=owner, name="epsilon")
    miss = chance(failure, owner=owner, name="failure")

    def hope(n: int) -> float:
        return _best_flip(n, error=wrong, failure=miss, epsilon=loss)[0]

    def is_proved(n: int) -> bool:
        return sparsity_at(n, error=wrong, failure=miss, epsilon=loss) is not None

    guess = int(2 * math.log(float(1 / (wrong * miss * Fraction(1, 50)))) / float(wrong * loss)) + 1
    start = first_by_decay(hope, float(miss), start=guess, most=FARTHEST * guess)
    n = first_whole(is_proved, start=start, smallest=start, step=1)
    flip = _best_flip(n, error=wrong, failure=miss, epsilon=loss)[1]
    return n, Sparsity(flip, ratio_for(loss / 2))


@formula("sparse-sets-accuracy")
def records_sparse(*, error: Number, failure: Number, epsilon: Number) -> int:
    """Records coordinate Gibbs needs: `plan_sparse` without the parameters.

    Statement: as `plan_sparse`. Source: register `sparse-sets-accuracy`. Holds if: as `plan_sparse`.
    Proof: docs/proofs/sparse-sets.md.

    >>> records_sparse(error=0.1, failure=0.05, epsilon=0.5)
    431
    """
    return plan_sparse(error=error, failure=failure, epsilon=epsilon)[0]
