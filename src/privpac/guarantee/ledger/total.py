"""The certificate of a whole ledger: what is promised about everything charged to it, as a sentence and as data.

It speaks of the totals, which were fixed when the ledger was made, and never of what was spent so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from privpac.guarantee.guesses import CERTAIN, guessed_at_most
from privpac.guarantee.ledger.account import Account
from privpac.guarantee.ledger.budget import exact_text
from privpac.guarantee.ledger.promises import Promises

if TYPE_CHECKING:
    from privpac.guarantee.ledger.ledger import Ledger

__all__ = ["budget_rows", "guesses_of", "promise_of", "total_document"]

TOTAL_FORMAT = "privpac-ledger-total/2"
ASSUMPTIONS = (
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


def guesses_of(account: Account) -> dict[str, str]:
    """How often a record is guessed at most, of two equally likely ones: after what was `spent`, and at the `total`.

    Sums are a promise where epsilons are added and there is no delta; elsewhere the total alone is one.
    """
    total = {"total": guessed_at_most(account.total.epsilon, account.total.delta)}
    if account.promises.approximate is not None:
        return total
    return {"spent": guessed_at_most(account.spent.epsilon), **total}


def budget_rows(ledger: Ledger) -> tuple[tuple[str, str], ...]:
    """Everything charged so far, and everything that may be, each with its guess: rows for a statement."""
    account = ledger.account()
    guesses = guesses_of(account)
    charges = "1 charge" if account.count == 1 else f"{account.count:,} charges"
    spent = f"{account.spent} in {charges}"
    if "spent" in guesses:
        spent += f": right guesses at most {guesses['spent']}"
    else:
        spent = f"{charges}; with a delta, the total alone is a promise"
    return (
        ("Spent so far", spent),
        *_last_charge(account.count),
        ("Total of the budget", f"{account.promises}: right guesses at most {guesses['total']}"),
        ("Left in the budget", account.remainder),
    )


def _last_charge(count: int) -> tuple[tuple[str, str], ...]:
    """The last of this many charges: whoever reads the rows later sees by its number that they are out of date. Not its
    time, which would tell two reports of the same draw from each other."""
    return (("Last charge by then", f"charge {count:,}; later ones are not counted here"),) if count else ()


def _as_a_guess(account: Account) -> str:
    guess = guesses_of(account)["total"]
    if guess == CERTAIN:
        return "At that total, nothing is promised that would protect a person."
    return (
        "Somebody who knows everything except one record, and finds two possibilities for it equally likely,"
        f" guesses right at most {guess} of the time."
    )


def promise_of(account: Account) -> str:
    """The sentence that may be told to those whose records these are."""
    return (
        f"Everything released through ledger {account.id}, in whatever order and by however many sessions, is together "
        f"{_wording(account.promises)}. One record is replaced (only its label, where a release protects no more), and "
        f"the number of records is public. {_as_a_guess(account)} This speaks of the total, whatever was spent. "
        f"Assumed: {'; '.join(ASSUMPTIONS)}."
    )


def total_document(account: Account) -> dict[str, object]:
    """The same for programs; `privpac.checker.budget` derives its numbers again."""
    return {
        "format": TOTAL_FORMAT,
        "id": account.id,
        **account.promises.facts(),
        "assumptions": list(ASSUMPTIONS),
    }
