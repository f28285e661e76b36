"""The totals of a ledger, derived again: does this much rho keep this epsilon and delta, by this order?"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from privpac.checker.functions import ln_bounds
from privpac.errors import NotCertified

__all__ = ["check_budget"]


def check_budget(total: Mapping[str, object]) -> None:
    """Refuse totals (`privpac-ledger-total/2`) whose rho is more than epsilon and delta allow by the stated order.

    Statement: rho <= (epsilon - (ln c + ln(1/delta))/(order - 1))/order with c = (order - 1)^(order - 1)/order^order,
    where delta is what is left of the total's beside the reserved part. Source: register `privacy-filter`.
    """
    try:
        if total["total_epsilon"] is None:
            _require(Fraction(str(total["pure_epsilon"])) > 0)
            return
        names = ("total_epsilon", "total_delta", "reserved_delta", "total_rho")
        epsilon, delta, reserve, rho = (Fraction(str(total[name])) for name in names)
        _require(epsilon > 0 and 0 <= reserve <= delta < 1 and rho >= 0)
        if total["rho_order"] is None:
            _require(reserve == delta and rho == 0)
            return
        order = Fraction(str(total["rho_order"]))
        _require(order > 1 and reserve < delta)
    except (KeyError, ValueError, ZeroDivisionError):
        raise _refusal() from None
    below = order - 1
    loss = below * ln_bounds(below)[1] - order * ln_bounds(order)[0] + ln_bounds(1 / (delta - reserve))[1]
    _require(rho <= max(Fraction(0), (epsilon - loss / below) / order))


def _require(condition: bool) -> None:
    if not condition:
        raise _refusal()


def _refusal() -> NotCertified:
    return NotCertified(
        "The totals of the ledger do not follow: its rho is not what its epsilon and delta allow.",
        remedy="Restore the ledger from a backup, or treat its budget as spent.",
    )
