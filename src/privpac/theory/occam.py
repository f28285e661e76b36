"""The direct accuracy bound of the exponential mechanism, decided without rounding in anyone's favour, and the smallest
error that a number of records proves by it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from privpac.errors import ParameterError
from privpac.numbers.binomial import rounded_up
from privpac.numbers.exact import PRECISIONS, about_log, ball, first_whole
from privpac.numbers.parameters import Number, at_least, below_one, chance, positive, rational
from privpac.theory.register import formula

__all__ = [
    "GRID",
    "Log",
    "Occam",
    "Rate",
    "Size",
    "error_occam",
    "excess_agnostic",
    "tilt_agnostic",
]

GRID = Fraction(1, 10_000)
"""Errors and epsilons are answered as multiples of this: four decimals are what people read."""


def within(odds: Fraction | int, base: Fraction, n: int, failure: Fraction) -> bool:
    """Whether odds·base^n is at most `failure`, decided without rounding in anyone's favour; no if it is too near."""
    if odds == 0:
        return True
    with ctx.workprec(192):
        return bool(ball(Fraction(odds)).log() + n * ball(base).log() <= ball(failure).log())


def first_error(proves: Callable[[Fraction], bool], *, start: Fraction = Fraction(1, 10)) -> Fraction:
    """The smallest error on the grid that is proved, looked for from `start` on; 1, which always holds, if none is."""
    guess = min(int(1 / GRID), int(start / GRID))
    step = first_whole(lambda k: k * GRID >= 1 or proves(k * GRID), start=guess, smallest=1)
    return min(Fraction(1), step * GRID)


_TILT_DIGITS = 9
"""A rational exponent is as good as the best one: the bound is flat there, nine digits cost 10^-18 of it."""


@dataclass(frozen=True)
class Log:
    """A class known only by an upper bound on the natural logarithm of its size."""

    value: Number


Size = int | Fraction | Log


@dataclass(frozen=True)
class Rate:
    """What one more mistake multiplies a weight by: an exact ratio, or e^(-epsilon/2)."""

    epsilon: Fraction
    ratio: Fraction | None

    @classmethod
    def read(cls, epsilon: object, ratio: object, *, owner: str) -> Rate:
        """Read what the caller gave; a float ratio means that very double: learners run with doubles."""
        if ratio is not None:
            number = Fraction(ratio) if isinstance(ratio, float) and math.isfinite(ratio) else None
            number = number if number is not None else rational(ratio, owner=owner, name="ratio")
            if not 0 <= number < 1:
                raise ParameterError(owner, "ratio", ratio, allowed="a number from 0 up to, not including, 1")
            return cls(Fraction(0), number)
        if epsilon is None:
            raise ParameterError(
                owner, "epsilon", epsilon, allowed="a positive number", remedy="Give epsilon or ratio."
            )
        return cls(positive(epsilon, owner=owner, name="epsilon"), None)

    @property
    def near(self) -> float:
        """The ratio in floats, away from 1, for searches."""
        ratio = math.exp(-float(self.epsilon) / 2) if self.ratio is None else float(self.ratio)
        return min(ratio, 1 - 1e-12)

    def weight(self) -> arb:
        """The ratio as a ball of the current precision."""
        return (-ball(self.epsilon) / 2).exp() if self.ratio is None else ball(self.ratio)


@dataclass(frozen=True)
class _Choice:
    """One admissible exponent: failure is at most e^log_factor · base^n."""

    log_factor: arb
    base: arb
    exact: tuple[Fraction, Fraction] | None
    """Factor and base once more, when both are rational."""


@dataclass(frozen=True)
class Occam:
    """One instance of the bound: failure ≤ count^(1-theta) · odds^theta · base^n, for 0 < theta ≤ 1.

    Statement: with x = ratio^theta, base = 1 - error·(1 - x) + tolerated·(1/x - 1). `count` bounds the number
    of bad hypotheses, `odds` their prior mass over that of the good ones (error at most `tolerated`).
    Source: register `occam-realizable`, `occam-agnostic`, `occam-prior`.
    Holds if: class and prior are public and the records independent (assumed of the caller).
    Proof: docs/proofs/occam.md.
    """

    count: Fraction | Log | None
    odds: Fraction | Log
    error: Fraction
    tolerated: Fraction
    rate: Rate

    @classmethod
    def uniform(
        cls, size: Size, *, owner: str, error: object, rate: Rate, good: object = 1, tolerated: object = 0
    ) -> Occam:
        """All hypotheses weigh the same: `good` of them are within `tolerated`, all others may be bad."""
        number = at_least(1, good, owner=owner, name="good")
        wrong, tolerance = _errors(error, tolerated, owner=owner)
        if isinstance(size, Log):
            if number != 1:
                raise ParameterError(owner, "good", good, allowed="1 when the size is a Log")
            return cls(size, size, wrong, tolerance, rate)
        total = rational(size, owner=owner, name="size")
        if total < number:
            raise ParameterError(owner, "size", size, allowed="a number of hypotheses, at least `good`")
        return cls(total - number, (total - number) / number, wrong, tolerance, rate)

    @classmethod
    def agnostic(cls, size: Size, *, owner: str, excess: object, noise: object, rate: Rate) -> Occam:
        """Excess over the best error eta ≤ noise: the bound at tolerated = min(noise, (1 - excess)/2)."""
        gap = chance(excess, owner=owner, name="excess")
        tolerance = (1 - gap) / 2
        if noise is not None:
            best = rational(noise, owner=owner, name="noise")
            if not 0 <= best < 1:
                raise ParameterError(owner, "noise", noise, allowed="from 0 to below 1, or None if unknown")
            tolerance = min(tolerance, best)
        return cls.uniform(size, owner=owner, error=gap + tolerance, rate=rate, tolerated=tolerance)

    @classmethod
    def prior(
        cls, mass: object, *, size: object, owner: str, error: object, tolerated: object, rate: Rate
    ) -> Occam:
        """The hypotheses within `tolerated` have prior probability `mass`."""
        good = rational(mass, owner=owner, name="mass")
        if not 0 < good <= 1:
            raise ParameterError(owner, "mass", mass, allowed="a prior probability above 0 and at most 1")
        wrong, tolerance = _errors(error, tolerated, owner=owner)
        # Without the size only the learner's own exponent is available: smaller ones count hypotheses.
        count = None if size is None else Fraction(at_least(2, size, owner=owner, name="size") - 1)
        return cls(count, (1 - good) / good, wrong, tolerance, rate)

    @property
    def tilt(self) -> Fraction | None:
        """The best weight when privacy does not bind: √(tolerated/error), as a nearby rational."""
        if self.tolerated == 0:
            return None
        # The closer the two errors, the closer to 1 the tilt: keep nine digits of the difference.
        scale: int = 10 ** (_TILT_DIGITS + len(str(int(1 / (self.error - self.tolerated)))))
        square = self.tolerated * scale**2 / self.error
        return Fraction(max(1, math.isqrt(round(square))), scale)

    def _base(self, x: Fraction) -> Fraction:
        return 1 - self.error * (1 - x) + self.tolerated * (1 / x - 1 if self.tolerated else 0)

    def _choices(self) -> Iterator[_Choice]:
        """The exponent of the learner itself, and the best smaller one where there is one."""
        ratio, tilt, rational = self.rate.weight(), self.tilt, self.rate.ratio
        log_odds = _log(self.odds)
        if rational is not None and (rational > 0 or self.tolerated == 0):
            base = self._base(rational)
            exact = None if isinstance(self.odds, Log) else (self.odds, base)
            yield _Choice(log_odds, ball(base), exact)
        elif rational is None:
            base = 1 - ball(self.error) * (1 - ratio)
            if self.tolerated:
                base += ball(self.tolerated) * (1 / ratio - 1)
            yield _Choice(log_odds, base, None)
        if tilt is None or self.count is None or not ball(tilt) > ratio:
            return
        theta = ball(tilt).log() / ratio.log() if ratio > 0 else arb(0)
        same = self.count == self.odds
        factor = log_odds if same else (1 - theta) * _log(self.count) + theta * log_odds
        base = self._base(tilt)
        exact = (self.odds, base) if same and not isinstance(self.odds, Log) else None
        yield _Choice(factor, ball(base), exact)

    def records(self, failure: Fraction) -> int:
        """The smallest n at which the bound is at most `failure`."""
        if self.odds == 0:
            return 0
        for bits in PRECISIONS:
            with ctx.workprec(bits):
                last = bits == PRECISIONS[-1]
                counts = [_smallest(choice, failure, last=last) for choice in self._useful()]
                whole = [n for n in counts if n is not None]
                if whole and len(whole) == len(counts):
                    return max(0, min(whole))
        raise ArithmeticError("no exponent of the bound proves anything")

    def _useful(self) -> list[_Choice]:
        return [choice for choice in self._choices() if choice.base < 1]

    def failure(self, n: int) -> Fraction:
        """The bound at n records, rounded up; at most 1."""
        if self.odds == 0:
            return Fraction(0)
        with ctx.workprec(PRECISIONS[1]):
            return min(
                rounded_up((choice.log_factor + n * choice.base.log()).exp()) for choice in self._choices()
            )


def _errors(error: object, tolerated: object, *, owner: str) -> tuple[Fraction, Fraction]:
    wrong = chance(error, owner=owner, name="error")
    tolerance = rational(tolerated, owner=owner, name="tolerated")
    if not 0 <= tolerance < wrong:
        raise ParameterError(owner, "tolerated", tolerated, allowed="at least 0 and below the error")
    return wrong, tolerance


def _log(size: Fraction | Log) -> arb:
    if isinstance(size, Log):
        return ball(rational(size.value, owner="Log", name="value"))
    return ball(size).log()


def _smallest(choice: _Choice, failure: Fraction, *, last: bool) -> int | None:
    """ceil(log(factor/failure) / -log(base)); None while the ball does not decide it."""
    need = (choice.log_factor - ball(failure).log()) / -choice.base.log()
    whole = need.ceil().unique_fmpz()
    if whole is not None:
        return int(whole)
    if not last:
        return None
    # The quotient is a whole number as far as can be seen: rationals settle it, otherwise one more is safe.
    tie = int(need.upper().floor().unique_fmpz())
    if choice.exact is not None and tie >= 0 and choice.exact[0] * choice.exact[1] ** tie <= failure:
        return tie
    return tie + 1


@formula("occam-realizable")
def error_occam(
    n: int,
    *,
    size: Size,
    failure: Number,
    epsilon: Number | None = None,
    ratio: Fraction | float | None = None,
    good: int = 1,
    tolerated: Number = 0,
    grid: Fraction = GRID,
) -> Fraction:
    """The smallest error on the grid that `n` records prove; 1, which always holds, when they prove none.

    Statement: as `records_occam`, solved for the error. Source: register `occam-realizable`.
    Holds if: as `records_occam`. Proof: docs/proofs/occam.md.

    >>> float(error_occam(628, size=2**32, failure=0.05, epsilon=1))
    0.0999
    """
    owner = "error_occam"
    rate = Rate.read(epsilon, ratio, owner=owner)
    have, miss = at_least(0, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")
    tolerance = below_one(tolerated, owner=owner, name="tolerated")

    def enough(step: int) -> bool:
        wrong = step * grid
        if wrong >= 1 or wrong <= tolerance:
            return wrong >= 1
        bound = Occam.uniform(size, owner=owner, error=wrong, rate=rate, good=good, tolerated=tolerance)
        return bound.records(miss) <= have

    near = _near_error(_left(have, size, good, miss), weight=rate.near, tolerated=float(tolerance))
    return min(Fraction(1), first_whole(enough, start=_step(near, grid), smallest=1, step=1) * grid)


def _near_error(left: float, *, weight: float, tolerated: float) -> float:
    """About the error that makes the base of `records_occam` so small."""
    error = (math.sqrt(tolerated) + math.sqrt(1 - left)) ** 2
    if error > 0 and math.sqrt(tolerated / error) > weight:
        return error
    return (1 - left + tolerated * (1 / weight - 1 if tolerated else 0)) / (1 - weight)


@formula("occam-agnostic")
def excess_agnostic(
    n: int,
    *,
    size: Size,
    failure: Number,
    epsilon: Number | None = None,
    ratio: Fraction | float | None = None,
    noise: Number | None = None,
    grid: Fraction = GRID,
) -> Fraction:
    """The smallest excess on the grid that `n` records prove; 1, which always holds, when they prove none.

    Statement: as `records_agnostic`, solved for the excess. Source: register `occam-agnostic`.
    Holds if: as `records_agnostic`. Proof: docs/proofs/occam.md.
    """
    owner = "excess_agnostic"
    rate = Rate.read(epsilon, ratio, owner=owner)
    have, miss = at_least(0, n, owner=owner, name="n"), chance(failure, owner=owner, name="failure")

    def enough(step: int) -> bool:
        if step * grid >= 1:
            return True
        bound = Occam.agnostic(size, owner=owner, excess=step * grid, noise=noise, rate=rate)
        return bound.records(miss) <= have

    best = None if noise is None else float(rational(noise, owner=owner, name="noise"))
    near = _near_excess(_left(have, size, 1, miss), weight=rate.near, noise=best)
    return min(Fraction(1), first_whole(enough, start=_step(near, grid), smallest=1, step=1) * grid)


def _near_excess(left: float, *, weight: float, noise: float | None) -> float:
    """The same for the excess of `records_agnostic`, at the worst error of the best hypothesis."""
    excess = math.sqrt(1 - left * left)
    if math.sqrt((1 - excess) / (1 + excess)) <= weight:
        excess = (1 - left) * 2 * weight / (1 - weight * weight) + (1 - weight) / (1 + weight)
    if noise is not None and noise < (1 - excess) / 2:
        return _near_error(left, weight=weight, tolerated=noise) - noise
    return excess


def _left(n: int, size: Size, good: int, failure: Fraction) -> float:
    """(failure/odds)^(1/n), what the base of a bound has to come down to, in floats: searches begin with it."""
    odds = size.value if isinstance(size, Log) else about_log(Fraction(size - good, good))
    return math.exp(min(0.0, (about_log(failure) - float(odds)) / max(n, 1)))


def _step(near: float, grid: Fraction) -> int:
    return min(int(1 / grid), math.ceil(near / grid))


@formula("occam-agnostic")
def tilt_agnostic(excess: Number, *, ratio: Fraction, noise: Number | None = None) -> Fraction:
    """The weight x in [ratio, 1) a proof of `records_agnostic` uses: what a stored derivation must carry.

    Statement: max(ratio, √(e/(e + excess))), the root as a nearby rational; any x in [ratio, 1) is valid.
    Source: register `occam-agnostic`. Holds if: as `records_agnostic`. Proof: docs/proofs/occam.md.
    """
    owner = "tilt_agnostic"
    rate = Rate.read(None, ratio, owner=owner)
    bound = Occam.agnostic(2, owner=owner, excess=excess, noise=noise, rate=rate)
    rate_ratio = rate.ratio or Fraction(0)
    return rate_ratio if bound.tilt is None else max(rate_ratio, bound.tilt)
