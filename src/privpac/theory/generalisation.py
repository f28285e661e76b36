"""How far a rate seen on records may lie from the true one: fresh records, a learner's own, a private learner's."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from privpac.errors import ParameterError
from privpac.numbers.exact import PRECISIONS, ball, exp_up
from privpac.numbers.parameters import Number, at_least, chance
from privpac.theory.register import formula

__all__ = [
    "gap_class",
    "gap_holdout",
    "interval_private",
    "rate_above",
    "rate_below",
    "records_class",
    "records_holdout",
]

_GAP_SCALE = 10**6
"""Interval half-widths are rounded up to six decimals."""


def _gap(n: int, size: Fraction, *, owner: str, failure: object, sides: int) -> Fraction:
    have = at_least(1, n, owner=owner, name="n")
    with ctx.workprec(PRECISIONS[0]):
        gap = (_log_events(size, owner=owner, failure=failure, sides=sides) / (2 * have)).sqrt()
        return min(Fraction(1), Fraction(int((gap * _GAP_SCALE).upper().ceil().unique_fmpz()), _GAP_SCALE))


def _gap_records(gap: object, size: Fraction, *, owner: str, failure: object, sides: int) -> int:
    width = chance(gap, owner=owner, name="gap")
    with ctx.workprec(PRECISIONS[1]):
        events = _log_events(size, owner=owner, failure=failure, sides=sides)
        return int((events / ball(2 * width**2)).upper().ceil().unique_fmpz())


def _log_events(size: Fraction, *, owner: str, failure: object, sides: int) -> arb:
    if sides not in (1, 2):
        raise ParameterError(owner, "sides", sides, allowed="1 (one-sided) or 2 (an interval)")
    return ball(sides * size / chance(failure, owner=owner, name="failure")).log()


@formula("generalisation-holdout")
def gap_holdout(n: int, *, failure: Number, sides: int = 2) -> Fraction:
    """How far the error rate on `n` held-out records may lie from the true error.

    Statement: sqrt(ln(sides/failure)/(2n)), rounded up to six decimals; at most 1.
    Source: register `generalisation-holdout` (Hoeffding 1963, Theorem 1).
    Holds if: the hypothesis was chosen without these records. Proof: docs/proofs/occam.md.

    >>> float(gap_holdout(1000, failure=0.05))
    0.042947
    """
    return _gap(n, Fraction(1), owner="gap_holdout", failure=failure, sides=sides)


@formula("generalisation-holdout")
def records_holdout(gap: Number, *, failure: Number, sides: int = 2) -> int:
    """Held-out records for an interval of half-width `gap`.

    Statement: n ≥ ln(sides/failure)/(2·gap²). Source: register `generalisation-holdout`.
    Holds if: as `gap_holdout`. Proof: docs/proofs/occam.md.
    """
    return _gap_records(gap, Fraction(1), owner="records_holdout", failure=failure, sides=sides)


@formula("generalisation-class")
def gap_class(n: int, *, size: int, failure: Number, sides: int = 2) -> Fraction:
    """How far the error rate on the learner's own `n` records may lie from the truth, whatever it chose.

    Statement: sqrt(ln(sides·size/failure)/(2n)), rounded up to six decimals; at most 1.
    Source: register `generalisation-class`. Holds if: the class of `size` hypotheses is public.
    Proof: docs/proofs/occam.md.
    """
    events = Fraction(at_least(1, size, owner="gap_class", name="size"))
    return _gap(n, events, owner="gap_class", failure=failure, sides=sides)


@formula("generalisation-class")
def records_class(gap: Number, *, size: int, failure: Number, sides: int = 2) -> int:
    """Records after which every hypothesis of a class is estimated within `gap`.

    Statement: n ≥ ln(sides·size/failure)/(2·gap²). Source: register `generalisation-class`.
    Holds if: as `gap_class`. Proof: docs/proofs/occam.md.
    """
    events = Fraction(at_least(1, size, owner="records_class", name="size"))
    return _gap_records(gap, events, owner="records_class", failure=failure, sides=sides)


_LARGEST_SHIFT = 30
"""Log-odds beyond which a shift says nothing to six decimals: e^-30 is below 10^-13."""


@formula("generalisation-privacy")
def rate_below(rate: Fraction, *, shift: Fraction) -> Fraction:
    """The rate whose odds are e^-shift times those of `rate`, rounded down to six decimals.

    Statement: rate/(rate + e^shift·(1 - rate)). Source: register `generalisation-privacy` (ours).
    Holds if: `rate` lies between 0 and 1 and `shift` is not negative. Proof: docs/proofs/private-generalisation.md.

    >>> float(rate_below(Fraction(9, 10), shift=Fraction(1)))
    0.76803
    """
    if rate <= 0 or shift > _LARGEST_SHIFT:
        return Fraction(0)
    exact = rate / (rate + exp_up(shift) * (1 - rate))
    return Fraction(int(exact * _GAP_SCALE), _GAP_SCALE)


@formula("generalisation-privacy")
def rate_above(rate: Fraction, *, shift: Fraction) -> Fraction:
    """The rate whose odds are e^shift times those of `rate`, rounded up to six decimals.

    Statement: 1 - rate_below(1 - rate). Source: register `generalisation-privacy` (ours).
    Holds if: as `rate_below`. Proof: docs/proofs/private-generalisation.md.

    >>> float(rate_above(Fraction(1, 10), shift=Fraction(1)))
    0.23197
    """
    return 1 - rate_below(1 - rate, shift=shift)


@formula("generalisation-privacy")
def interval_private(
    low: Fraction, high: Fraction, n: int, *, flattery: Fraction, modesty: Fraction, failure: Number
) -> tuple[Fraction, Fraction]:
    """Where the true rate of a private learner's rule lies, if its rate on the learner's own `n` records is from `low`
    to `high`.

    Statement: with g = sqrt(ln(2/failure)/(2n)), odds from e^-flattery times those of low - g to e^modesty times those
    of high + g. Source: register `generalisation-privacy` (ours).
    Holds if: the odds of every event about one record, given the others and the released rule, are at most e^flattery
    times and at least e^-modesty times the true ones. An epsilon-private learner has flattery = modesty = epsilon.
    Proof: docs/proofs/private-generalisation.md.

    >>> [float(end) for end in interval_private(
    ...     Fraction(9, 10), Fraction(9, 10), 10_000, flattery=Fraction(1, 10), modesty=Fraction(0), failure=0.05)]
    [0.875954, 0.913582]
    """
    gap = gap_holdout(n, failure=failure)
    return (
        rate_below(max(low - gap, Fraction(0)), shift=flattery),
        rate_above(min(high + gap, Fraction(1)), shift=modesty),
    )
