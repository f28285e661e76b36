"""Controls of the statistical audit: mechanisms whose epsilon is known, one right and one a little too loud.

Randomized response on one bit, true with probability e^eps/(1 + e^eps), has a loss of exactly eps. An audit that flags
it at eps is wrong; one that does not flag it at 1.2·eps has too few runs to see a fifth, and says so by its power.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privpac.audit.sample import BlackBox, Dataset, Sampled, audit_samples
from privpac.coins import SeededCoins
from privpac.numbers.exact import exp_down

__all__ = ["LOUDER", "Controls", "power", "response", "run_controls"]

LOUDER = Fraction(6, 5)
BITS = [([0], [1])]


def response(epsilon: Fraction) -> BlackBox:
    """Randomized response on the first record, of loss at most `epsilon` and as near to it as 12 digits allow."""
    odds = exp_down(epsilon)
    truth = odds / (1 + odds)

    def box(data: Dataset, seed: int) -> int:
        bit = int(data[0])
        return bit if SeededCoins(seed).flip(truth) else 1 - bit

    return box


@dataclass(frozen=True)
class Controls:
    """One audit of each control, and how often the louder one is flagged in the long run."""

    right: Sampled
    louder: Sampled
    power: float

    @property
    def sound(self) -> bool:
        """Whether the method accepts a mechanism that keeps its promise."""
        return not self.right.broken


def run_controls(
    *, epsilon: Fraction, delta: Fraction, runs: int, confidence: Fraction, seed: int | None = None
) -> Controls:
    """Audit both controls with the same claim, number of runs and confidence."""
    wishes = {"epsilon": epsilon, "delta": delta, "runs": runs, "confidence": confidence}
    right, louder = (
        audit_samples(response(epsilon * factor), BITS, seed=seed, **wishes)  # type: ignore[arg-type]
        for factor in (Fraction(1), LOUDER)
    )
    return Controls(right, louder, power(epsilon=epsilon, delta=delta, runs=runs, confidence=confidence))


def power(*, epsilon: Fraction, delta: Fraction, runs: int, confidence: Fraction) -> float:
    """How likely the louder control is flagged, once its event is found: a sum over both counts, in floats."""
    from scipy.stats import beta, binom

    m = runs // 4
    truth = 1 / (1 + math.exp(-float(LOUDER * epsilon)))
    failure = float(1 - confidence) / 2
    counts = np.arange(m + 1)
    low = np.where(counts > 0, beta.ppf(failure, counts, m - counts + 1), 0.0)
    high = np.where(counts < m, beta.isf(failure, counts + 1, m - counts), 1.0)
    limit = (low - float(delta)) * math.exp(-float(epsilon))
    most = np.searchsorted(high, limit, side="left") - 1  # the most hits on the other side that still refute
    other = np.where(most >= 0, binom.cdf(most, m, 1 - truth), 0.0)
    return float(np.sum(binom.pmf(counts, m, truth) * other))
