"""How often learners of points and thresholds fail on a hard distribution: exact given the data, many at once.

The distributions put just more than `error` where a wrong answer errs and the rest where it tells nothing. What a data
set says then comes down to a few binomial counts; given these, the law of the answer is known, and its mass on wrong
answers is averaged. Counts are quantiles of the same uniform numbers for every n, so that a difference between two
sizes is not one between two samples; those of the first count are spread evenly (one in each of `repetitions` equal
parts), so that the average is that of many more. Numbers here measure; promises are in `theory`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp
from scipy.stats import binom

from privpac.coins import SeededCoins
from privpac.constructions.points.clipped import Clip
from privpac.constructions.points.coded import Code
from privpac.constructions.points.covered import Cover
from privpac.constructions.points.sampled import Boost
from privpac.constructions.points.sparse import SparseAccuracy

__all__ = ["boosted", "clipped", "coded", "covered", "points", "sparse", "thresholds", "uniforms"]

Values = NDArray[np.float64]
CHUNK = 1024  # words asked for at a time


@lru_cache(maxsize=16)
def uniforms(repetitions: int, columns: int, seed: int) -> Values:
    """Independent uniform numbers in (0, 1), the same for the same seed."""
    coins, need = SeededCoins(seed), repetitions * columns
    words = [coins.bits(64 * CHUNK).to_bytes(8 * CHUNK, "little") for _ in range(-(-need // CHUNK))]
    raw = np.frombuffer(b"".join(words), dtype="<u8")[:need].reshape(repetitions, columns)
    values: Values = ((raw >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    values.setflags(write=False)
    return values


def _spread(repetitions: int, columns: int, seed: int) -> Values:
    """Uniform numbers whose first column has one in each equal part: still independent, and closer to the mean."""
    u = uniforms(repetitions, columns, seed).copy()
    u[:, 0] = (np.arange(repetitions) + u[:, 0]) / repetitions
    return u


def _count(u: Values, n: object, chance: object) -> Values:
    counts: Values = np.asarray(binom.ppf(u, n, chance), dtype=np.float64)
    return counts


def _floats(chances: object) -> list[float]:
    values: list[float] = np.asarray(chances, dtype=np.float64).tolist()
    return values


def points(n: int, repetitions: int, seed: int, *, domain: int, error: float, rate: float) -> list[float]:
    """The exponential mechanism over points; the target has mass `error`, one other point the rest."""
    hits = _count(_spread(repetitions, 1, seed)[:, 0], n, error)
    others = np.logaddexp(math.log(domain - 2), -rate * (n - hits))
    return _floats(expit(others - rate * hits))


def thresholds(n: int, repetitions: int, seed: int, *, domain: int, error: float, rate: float) -> list[float]:
    """The exponential mechanism over cuts; mass `error` just below and just above the cut, the rest at the bottom."""
    u = _spread(repetitions, 2, seed)
    below = _count(u[:, 0], n, error)
    above = _count(u[:, 1], n - below, error / (1 - error))
    half = math.log(domain // 2)
    wrong = [half + math.log1p(-2 / domain) - rate * below, half - rate * above, -rate * (n - above)]
    return _floats(expit(logsumexp(wrong, axis=0)))


def clipped(n: int, repetitions: int, seed: int, *, domain: int, error: float, clip: Clip) -> list[float]:
    """The clipped learner; the target has mass `error`, and other points are never of class 1."""
    hits = _count(_spread(repetitions, 1, seed)[:, 0], n, error)
    score = np.maximum(0, clip.margin + hits - np.maximum(clip.threshold, hits))
    return _floats(expit(math.log(domain - 1) + math.log(clip.ratio) * score))


def _sets(n: int, hits: Values, *, rate: float, kinds: tuple[Any, Any, Any, Any]) -> list[float]:
    """Sets drawn by the exponential mechanism; `kinds` counts those with the target only (right), with both points,
    with neither and with the other point only."""
    right, both, neither, other = (np.asarray(kind, dtype=np.float64) for kind in kinds)
    with np.errstate(divide="ignore"):  # a kind that does not occur has weight 0
        good = np.log(right)
        bad = [np.log(both) - rate * (n - hits), np.log(neither) - rate * hits, np.log(other) - rate * n]
    wrong = logsumexp(np.broadcast_arrays(*bad), axis=0)
    return _floats(np.where(np.isneginf(good), 1.0, expit(wrong - np.where(np.isneginf(good), 0.0, good))))


def coded(n: int, repetitions: int, seed: int, *, code: Code, error: float, rate: float) -> list[float]:
    """Sets of a code; the other point shares as many sets with the target as two points can."""
    hits = _count(_spread(repetitions, 1, seed)[:, 0], n, error)
    q, agreements = code.prime, code.digits - 1
    return _sets(
        n, hits, rate=rate, kinds=(q - agreements, agreements, q * q - 2 * q + agreements, q - agreements)
    )


def covered(n: int, repetitions: int, seed: int, *, cover: Cover, error: float, rate: float) -> list[float]:
    """Random sets of pairwise independent answers, drawn anew with every data set, and the empty set."""
    u, share = _spread(repetitions, 3, seed), float(cover.share)
    hits = _count(u[:, 0], n, error)
    target = _count(u[:, 1], cover.keys, share)
    both = _count(u[:, 2], target, share)
    other = (cover.keys - target) * share  # their weight is far below that of the sets with neither point
    kinds = (target - both, both, cover.keys - target - other + 1, other)
    return _sets(n, hits, rate=rate, kinds=kinds)


def sparse(n: int, repetitions: int, seed: int, *, sparsity: SparseAccuracy, error: float) -> list[float]:
    """Coordinate by coordinate: wrong if the target's bit is not set or the other point's is."""
    hits = _count(_spread(repetitions, 1, seed)[:, 0], n, error)
    flip, rate = float(sparsity.flip), -math.log(sparsity.ratio)
    prior = math.log(flip / (1 - flip))
    return _floats(1 - expit(prior + rate * hits) * expit(rate * (n - hits) - prior))


@dataclass(frozen=True)
class _Split:
    """n records in the proportions of a plan: this many a run, the rest to select."""

    each: int
    selecting: int


def _split(n: int, boost: Boost) -> _Split:
    whole = boost.runs * boost.each + boost.selecting
    each = max(1, n * boost.each // whole)
    return _Split(each, max(0, n - boost.runs * each))


def boosted(n: int, repetitions: int, seed: int, *, boost: Boost, error: float, rate: float) -> list[float]:
    """Sampled runs, one of them selected: what the runs found is drawn, the selection is exact."""
    u, split, flip = _spread(repetitions, 3 * boost.runs + 1, seed), _split(n, boost), float(boost.draw.flip)
    per_run = u[:, : 3 * boost.runs].reshape(repetitions, boost.runs, 3)
    rates = _count(per_run[:, :, 0], split.each, error)
    hit = 1 - (1 - float(boost.draw.rate)) ** rates
    target = per_run[:, :, 1] < hit * (1 - flip) + (1 - hit) * flip
    other = per_run[:, :, 2] < flip
    hits = _count(u[:, -1], split.selecting, error)[:, None]
    mistakes = np.where(target, 0, hits) + np.where(other, split.selecting - hits, 0)
    weights = np.exp(-rate * (mistakes - mistakes.min(axis=1, keepdims=True)))
    wrong = ~target | other
    return _floats((weights * wrong).sum(axis=1) / weights.sum(axis=1))
