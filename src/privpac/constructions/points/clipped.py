"""Find one value of a column by its clipped margin: the proper learner for long keys.

At 64 bits it needs 678 records where the exponential mechanism needs 1,180. With noisy labels take that one
(`points:COLUMN`). Searches for parameters use floats; what they find is proved in ball arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.sets.points import Point
from privpac.constructions.base import DrawsMembers
from privpac.constructions.cases import Case, learner_case, tiny_schema, with_claim
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.points.base import LARGEST_STEP, OneRun, require_summable
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.errors import SizeError
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof, need, need_small
from privpac.guarantee.theorem import AccuracyBound, PrivacyBound
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import NamedScores, Place, Row, Runs
from privpac.mechanisms.sparse_noise import nth_absent
from privpac.numbers.binomial import mean_over_binomial
from privpac.numbers.exact import (
    about_log,
    ball,
    certainly_above,
    certainly_below,
    first_whole,
    ln_up,
    power_up,
    ratio_for,
    shortened,
)
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.numbers.rough import binomial_window
from privpac.numbers.search import first_by_decay
from privpac.theory.occam import GRID
from privpac.theory.register import formula

__all__ = ["Clip", "ClippedAccuracy", "ClippedLoss", "ClippedPoints", "plan_clipped", "records_clipped"]

PLACE = 100

Whole = NDArray[np.int64]

# --- What it loses, and how right it is ---


@dataclass(frozen=True)
class Clip:
    """Values of the column (T), `ratio` a unit of score (r), `threshold` (K) and `margin` (K_0)."""

    domain: int
    ratio: Fraction
    threshold: int
    margin: int

    as_text: ClassVar[tuple[str, ...]] = ("domain",)

    @property
    def surplus(self) -> int:
        """The largest score a value can have while another one has any: max(0, 2·K_0 - K)."""
        return max(0, 2 * self.margin - self.threshold)

    def score(self, positives: int) -> int:
        """The score of the only value that carries class 1, on `positives` records of it."""
        return max(0, self.margin + positives - max(self.threshold, positives))

    def check(self) -> None:
        """Refuse what is no clip."""
        rule = "clipped-points"
        need(rule, self.domain >= 2, "there must be two values at least")
        need(rule, 0 < self.ratio < 1, "the ratio must lie in (0, 1)")
        need(rule, 1 <= self.margin <= self.threshold, "the margin must lie between 1 and the threshold")


@dataclass(frozen=True)
class ClippedLoss(Clip, PrivacyBound, key="clipped-points"):
    """A value drawn with weight r^-s, s = max(0, K_0 + its class-1 records - max(K, all class-1 records)), loses

    e^epsilon = (1/r)·(T - 1 + W)/(T - 1 + W·r), W = r^-max(0, 2·K_0 - K). Class-0 records are not looked at.
    """

    def check(self) -> None:
        super().check()
        need_small(self.key, (self.surplus + 2) * about_log(1 / self.ratio))

    def factor(self) -> Fraction:
        others = self.domain - 1
        # Rounding W up is safe: the quotient grows with W.
        heaviest = power_up(1 / self.ratio, self.surplus) if self.surplus else Fraction(1)
        return shortened((others + heaviest) / (others + heaviest * self.ratio) / self.ratio)


@dataclass(frozen=True)
class ClippedAccuracy(Clip, AccuracyBound, key="clipped-points-accuracy"):
    """The answer errs by more than `error` with probability at most the largest, over target masses p ≤ error, of

    E[(T - 1)/(T - 1 + r^-s(B))]·min(1, (1 - p)/((error - p)(T - 1))), B binomial(n, p), s(b) = max(0, K_0 + b - max(K,
    b)), if one value carries class 1.
    """

    proper: ClassVar[bool] = True

    def proves(self, n: int, error: Fraction, failure: Fraction) -> bool:
        heavy = Fraction(1, self.domain - 1)
        return never_worse(lambda mass: self.miss(n, mass), heavy=heavy, error=error, failure=failure)

    def miss(self, n: int, mass: Fraction) -> arb:
        """E[(T - 1)/(T - 1 + r^-s(B))], B binomial(n, mass)."""
        growth, others = 1 / ball(self.ratio), self.domain - 1
        top, offset = growth**self.margin, growth ** (self.margin - self.threshold)

        def outcome(power: arb) -> arb:
            return others / (others + (power * offset).min(top).max(arb(1)))

        return mean_over_binomial(outcome, n=n, chance=mass, growth=growth)


_DEPTH = 60
"""Halvings after which a piece of the target masses counts as undecided."""


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
    share is 1, and the value at the edge is the worst. Below, [0, edge] is cut into pieces: on a piece [a, b] the sum
    is at most that of the first factor at a and the second at b, and pieces are halved until that decides.
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


# --- Its parameters ---

_MARGINS = 128
"""Margins tried a slack, about: all of them at an epsilon of 1, a grid at small ones."""
_MASSES = (1.0, 0.9, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05)
"""Target masses looked at by the search, as parts of the heaviest that a single other value can still fail."""
_SLACKS = tuple(Fraction(half, 2) for half in (2, 3, 4, 5, 6, 7, 8, 10))
"""ln((T - 1)/W) tried by the search, W the largest weight that costs nothing twice: coarse, the optimum is flat."""
_RATE_STEPS = 10**6
"""Rates are rounded down to a millionth."""
_LARGEST_FLOAT = 2**1023
"""Searches are in floats, and only have to come near: a longer domain is taken for this one."""
FARTHEST = 64
"""How many times the first guess are looked at; near the shortest domain there may be nothing."""


@lru_cache(maxsize=1024)
def _rate(slack: Fraction, epsilon: Fraction) -> Fraction:
    """The largest rate, rounded down, that a weight of e^-slack of the whole leaves room for."""
    heavy, rate = math.exp(-float(slack)), float(epsilon)
    for _ in range(60):  # a contraction: the right-hand side falls slowly as the rate grows
        rate = float(epsilon) - math.log1p(heavy) + math.log1p(heavy * math.exp(-rate))
    return Fraction(math.floor(round(rate * _RATE_STEPS, 3)), _RATE_STEPS)


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
    return best[0], Clip(domain, ratio_for(best[1]), best[2], best[3])


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
    return Clip(domain, ratio_for(epsilon / 2), 2, 1) if best is None else best[1]


@lru_cache(maxsize=256)
def clip_at(n: int, *, domain: int, error: Fraction, failure: Fraction, epsilon: Fraction) -> Clip | None:
    """Parameters with which `n` records are proved to reach an error; None if the search finds none."""
    if domain * error * failure < 1:
        return None
    best = _best_clip(n, domain=domain, error=float(error), failure=failure, epsilon=epsilon)
    if best is None or best[0] > failure:
        return None
    return best[1] if ClippedAccuracy(**vars(best[1])).proves(n, error, failure) else None


@formula("clipped-points-accuracy")
def plan_clipped(domain: int, *, error: Number, failure: Number, epsilon: Number) -> tuple[int, Clip]:
    """Records the clipped learner needs, and the parameters that need so few, on a coarse grid of them.

    Statement: `ClippedAccuracy`, searched over ratio, threshold and margin with a `ClippedLoss` of at most e^epsilon.
    Source: register `clipped-points-accuracy`. Holds if: as `ClippedAccuracy`.
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


@formula("clipped-points-accuracy")
def records_clipped(domain: int, *, error: Number, failure: Number, epsilon: Number) -> int:
    """Records the clipped learner of points needs: `plan_clipped` without the parameters.

    Statement: as `plan_clipped`. Source: register `clipped-points-accuracy`. Holds if: as `plan_clipped`.
    Proof: docs/proofs/clipped-points.md.

    >>> records_clipped(2**16, error=0.1, failure=0.05, epsilon=1)
    279
    """
    return plan_clipped(domain, error=error, failure=failure, epsilon=epsilon)[0]


# --- The learner ---


@dataclass(frozen=True)
class ClippedPoints(DrawsMembers, OneRun):
    """Draw a value of a column with weight ratio^-(clipped margin)."""

    schema: Schema
    column: str
    epsilon: Fraction
    clip: Clip
    failure: Fraction = FAILURE

    name: ClassVar[str] = "clipped points"
    way: ClassVar[str] = "clipped"

    @classmethod
    def tuned(
        cls, schema: Schema, column: str, *, epsilon: Fraction, size: Size, failure: Fraction = FAILURE
    ) -> ClippedPoints:
        """The parameters that prove most with this many records; found from public numbers alone."""
        domain = schema.column(column).size
        if domain < 4:
            raise SizeError(
                f"Column '{column}' has {domain} values, too few for clipped margins.",
                remedy=f"Use points:{column}.",
            )
        require_summable(size, owner="ClippedPoints")
        clip = clip_for(size.labelled, domain=domain, failure=failure, epsilon=epsilon)
        return cls(schema, column, epsilon, clip, failure)

    def mechanism(self) -> Proof[Privacy]:
        return ClippedLoss(**vars(self.clip)).proof()

    def bounds(self, size: Size) -> Iterator[ClippedAccuracy]:
        yield ClippedAccuracy(**vars(self.clip))

    def parameters(self, size: Size) -> Mapping[str, object]:
        return {"threshold": self.clip.threshold, "margin": self.clip.margin}

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        evidence: ColumnCounts = sample.reduce(self.concepts.statistic)
        return gibbs.draw(self._scores(evidence), self.clip.ratio, coins)

    def _scores(self, evidence: ColumnCounts) -> NamedScores[Hypothesis]:
        """Units below the largest possible margin: 0 to `margin`."""
        counts = np.asarray(evidence.counts, dtype=np.int64)
        bar = max(self.clip.threshold, int(counts[:, 1].sum()))
        scores = self.clip.margin - np.maximum(0, self.clip.margin + counts[:, 1] - bar)
        count, size = len(evidence.values), self.domain
        rows = []
        if count:
            rows.append(Row.of(0, np.arange(count - 1, dtype=np.uint64), scores, count - 1))
        if size > count:
            empty = np.array([], dtype=np.uint64)
            rows.append(Row.of(0, empty, np.array([self.clip.margin], dtype=np.int64), size - count - 1))

        def name(place: Place) -> Hypothesis:
            row, index = place
            if count and row == 0:
                return Point(self.column, int(evidence.values[index]))
            return Point(self.column, nth_absent(evidence.values, index))

        return NamedScores(Runs(rows), name)


# --- What the exact audit runs ---


def clipped_case(
    name: str = "points-clipped", *, cells: int, n: int, threshold: int, margin: int, rate: Fraction
) -> Case:
    """Points with clipped counts, and the loss itself as claim."""
    clip = Clip(cells, ratio_for(rate), threshold, margin)
    loss, schema = ClippedLoss(**vars(clip)).factor(), tiny_schema(cells)
    return with_claim(learner_case(name, ClippedPoints(schema, "a", ln_up(loss), clip), schema, n), loss)


ROWS: Mapping[str, Callable[[], Case]] = {
    "points-clipped": lambda: clipped_case(cells=3, n=5, threshold=3, margin=2, rate=Fraction(4, 5)),
    "points-clipped-long": lambda: clipped_case(
        "points-clipped-long", cells=2, n=9, threshold=6, margin=4, rate=Fraction(3, 5)
    ),
}
