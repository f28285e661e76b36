"""The certificate of a whole ledger: what is promised about everything charged to it, as a sentence and as data.

It speaks of the totals, which were fixed when the ledger was made, and never of what was spent so far.
"""

from __future__ import annotations

from privpac.guarantee.ledger.account import Account
from privpac.guarantee.ledger.budget import exact_text
from privpac.guarantee.ledger.promises import Promises

__all__ = ["promise_of", "total_document"]

TOTAL_FORMAT = "privpac-ledger-total/1"
ASSUMED = (
    "every charge was made before its draw and computed from public numbers",
    "no release bypassed the ledger",
)


def _by(promises: Promises) -> str:
    """How the approximate promise is kept."""
    other = promises.approximate
    if other is None or other.order is None:
        return "adding"
    return (
        f"the either-or filter; order {exact_text(other.order)}; rho {exact_text(other.rho)}; "
        f"reserved delta {exact_text(other.reserved_delta)}"
    )


def _wording(promises: Promises) -> str:
    pure = "" if promises.pure is None else f"{exact_text(promises.pure)}-differentially private by adding"
    other = promises.approximate
    if other is None:
        return pure
    pair = (
        f"({exact_text(other.epsilon)}, {exact_text(other.delta)})-differentially private by {_by(promises)}"
    )
    return f"{pair}; and also {pure}" if pure else pair


def promise_of(account: Account) -> str:
    """The sentence that may be told to those whose records these are."""
    return (
        f"Everything released through ledger {account.id}, in whatever order and by however many sessions, is together "
        f"{_wording(account.promises)}. One record is replaced (only its label, where a release protects no more), and "
        "the number of records is public. This speaks of the total, whatever was spent. Assumed: "
        f"{'; '.join(ASSUMED)}."
    )


def total_document(account: Account) -> dict[str, object]:
    """The same for programs; `privpac.checker.budget` derives its numbers again."""
    return {
        "format": TOTAL_FORMAT,
        "id": account.id,
        **account.promises.facts(),
        "assumptions": list(ASSUMED),
    }
