"""From noisy counts to risks: a curve fitted to them, and intervals that come from noise and sampling.

Everything here is computed from numbers that were released, in whole numbers and decimals that are the same on every
machine: a stored card is made anew and compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from privpac.concepts.cards.logits import LOG_SCALE, PARTS, log_odds, log_risk, risk
from privpac.concepts.shapes import SAYS_NOTHING

__all__ = [
    "BUCKETS",
    "SCALE",
    "SURE",
    "WALL",
    "Curve",
    "Interval",
    "Table",
    "share_down",
    "spread_of",
    "start_share",
]

BUCKETS = 10
"""Neighbouring sums of points are counted together where there are more sums than this: as many rows as can be taken in
at a glance, and fewer of them hold nothing but noise (benchmarks/risks.py)."""

SCALE = 10_000
"""Risks are whole numbers of hundredths of a percent."""

SLOPES, OFFSETS = 32, 32
"""Slopes and offsets of the log-odds are tried in thirty-seconds: finer steps change no risk by more than a percent."""

FIRST_SLOPE = 3 * SLOPES // 2
"""The slope that noise leaves alone: a card of few tests is flatter than the truth (benchmarks/risks.py)."""

RIDGE = 2
"""Slope and offset are held where they began as if this many noisy counts spoke for that (benchmarks/risks.py)."""

STEEPEST = 3 * SLOPES
"""A card's points are too flat, not too steep, where draws were noisy; three times as steep has not been needed."""

RAREST = Fraction(1, 50)
"""Shares of class 1 nearer to 0 or 1 than this are taken for this: a noisy count proves no less."""

SURE = 2
"""Standard deviations of an interval, of noise and of sampling each."""

WALL = 32
"""More tests than this nobody reads on a wall."""


def spread_of(epsilon: Fraction, change: int) -> int:
    """About the standard deviation of noise that hides a change of this many units: at least 1."""
    return max(1, math.isqrt(int(2 * change**2 / epsilon**2)))


def start_share(count: int, records: int, spread: int) -> Fraction:
    """The share of class 1 that a noisy count speaks for: as many records of either class are added as the noise has
    standard deviation, so that a count that is nearly all noise says one half."""
    share = Fraction(count + spread, records + 2 * spread)
    return min(max(share, RAREST), 1 - RAREST)


@dataclass(frozen=True)
class Curve:
    """Log-odds of the risk as a straight line: `slope`/32 times a fifth per `fifth` signed points, plus `offset`/32."""

    slope: int
    offset: int
    fifth: int = 1

    def parts(self, halves: int) -> int:
        """The log-odds, in parts (see `logits`), at half of this many signed points."""
        return self.slope * halves // self.fifth + PARTS // OFFSETS * self.offset

    def risk(self, points: int) -> int:
        """The risk at this many signed points: at least 1 and below `SCALE`, since nothing is certain."""
        return min(max(risk(self.parts(2 * points), scale=SCALE), 1), SCALE - 1)


@dataclass(frozen=True)
class Interval:
    """Records counted, and the risk among them: the least and the most that two standard deviations allow."""

    records: int
    low: int
    high: int

    @property
    def says_nothing(self) -> bool:
        """Whether the counts may be noise alone."""
        return self.high - self.low > SAYS_NOTHING * SCALE


@dataclass(frozen=True)
class Table:
    """Noisy counts of both classes by bucket of sums."""

    counts: tuple[tuple[int, int], ...]
    sums: tuple[int, ...]
    """Every sum of points that a record can have, ascending."""
    lowest: int
    """Signed points at sum 0; each point of the sum is two of them."""
    spread: int
    start: Fraction
    fifth: int = 1
    """Signed points that make a fifth of log-odds."""

    @property
    def top(self) -> int:
        return self.sums[-1]

    @property
    def buckets(self) -> int:
        return len(self.counts)

    def bounds(self, bucket: int) -> tuple[int, int]:
        """The first and the last sum of a bucket."""
        sums, buckets = len(self.sums), self.buckets
        first, end = -(-bucket * sums // buckets), -(-(bucket + 1) * sums // buckets)
        return self.sums[first], self.sums[end - 1]

    @cached_property
    def curve(self) -> Curve:
        """The best line among neighbours on a grid, ever finer, from `FIRST_SLOPE` and the share of class 1 on.

        Buckets whose count may be nothing but noise are left out; the others pull against a ridge that weighs as much
        as the noise does.
        """
        here = Curve(FIRST_SLOPE, log_odds(self.start, per=OFFSETS), self.fifth)
        best = self._value(here)
        for step in (32, 16, 8, 4, 2, 1):
            improves = True
            while improves:
                improves = False
                for near in self._around(here, step):
                    value = self._value(near)
                    if value > best:
                        here, best, improves = near, value, True
        return here

    @staticmethod
    def _around(here: Curve, step: int) -> Iterator[Curve]:
        for slope in (-step, 0, step):
            for offset in (-step, 0, step):
                if (slope or offset) and 0 <= here.slope + slope <= STEEPEST:
                    yield replace(here, slope=here.slope + slope, offset=here.offset + offset)

    @cached_property
    def _clear(self) -> tuple[tuple[int, int, int], ...]:
        """Doubled signed points in the middle of each bucket that noise does not explain, and its two counts."""
        rows = []
        for bucket, (zeros, ones) in enumerate(self.counts):
            if zeros + ones > SURE * self.spread:
                first, last = self.bounds(bucket)
                rows.append((2 * self.lowest + 2 * (first + last), zeros, ones))
        return tuple(rows)

    def _value(self, curve: Curve) -> int:
        """The logarithm of the likelihood less the ridge, in whole numbers."""
        value = 0
        for halves, zeros, ones in self._clear:
            parts = curve.parts(halves)
            value += ones * log_risk(parts) + zeros * log_risk(-parts)
        start = log_odds(self.start, per=OFFSETS)
        tilt = (curve.slope - FIRST_SLOPE) ** 2 * (LOG_SCALE // (2 * SLOPES**2))
        shift = (curve.offset - start) ** 2 * (LOG_SCALE // (2 * OFFSETS**2))
        return value - RIDGE * self.spread * (tilt + shift)

    def risk(self, total: int) -> int:
        return self.curve.risk(self.lowest + 2 * total)

    def interval(self, buckets: Sequence[int]) -> Interval:
        """What the counts of neighbouring buckets say about the risk there, by themselves.

        Where a bucket of average size says nothing, none does: chance alone would choose the ones that seem to.
        """
        average = sum(map(sum, self.counts)) // (2 * self.buckets)
        if self._allowed(average, average, 1).says_nothing:
            return Interval(0, 0, SCALE)
        zeros = sum(self.counts[bucket][0] for bucket in buckets)
        ones = sum(self.counts[bucket][1] for bucket in buckets)
        return self._allowed(zeros, ones, len(buckets))

    def _allowed(self, zeros: int, ones: int, buckets: int) -> Interval:
        noise = SURE * math.isqrt(buckets * self.spread**2)
        return Interval(
            max(0, zeros + ones),
            share_down(max(0, ones - noise), max(0, zeros + noise)),
            SCALE - share_down(max(0, zeros - noise), max(0, ones + noise)),
        )


def share_down(hits: int, rest: int) -> int:
    """A lower limit of the share behind this many of hits + rest records, by Wilson's interval; rounded down."""
    n = hits + rest
    if n == 0:
        return 0
    square = SURE**2
    # (hits + s²/2 - s·sqrt(hits·rest/n + s²/4)) / (n + s²)
    root = math.isqrt(4 * SCALE**2 * square * (4 * hits * rest + square * n) // n)
    top = (4 * hits + 2 * square) * SCALE - root - 1
    return max(0, top // (4 * (n + square)))
