"""The one way out: check the budget, charge, draw, verify what was made, hand it out.

Everything that leaves and depends on records passes through here, so that the order cannot be got wrong elsewhere:

1. The certificate exists already. It follows from public numbers alone, and so does the decision that the request can
   be carried out at all: `certify` refuses what cannot be run.
2. The charge is durable before the first coin is tossed. Records in memory have been read as a whole by then, so they
   are charged for at once; records that pass by are charged for at the first coin, after the pass that may still find
   one of them unreadable.
3. Once a look at the records has begun, only an unreadable record (`DataError`) ends it without a charge. Any other
   failure is charged first: a refusal that costs nothing and depends on records could be asked for again and again.
4. What was made is verified before it is handed out. Should that ever fail, the error says that the charge stands and
   carries the document.

Nobody else charges a ledger or tosses coins for a release; tests/contracts/test_one_way_out.py holds everybody to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins, Weights, coins_for
from privpac.errors import DataError, NotCertified, UnverifiedRelease
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.account import Entry, Purchase
from privpac.guarantee.ledger.budget import Cost
from privpac.guarantee.ledger.ledger import Ledger
from privpac.interrupts import note_charge

__all__ = ["Payment", "cost_of"]

T = TypeVar("T")
D = TypeVar("D")


def cost_of(certificate: Certificate) -> Cost:
    """What a ledger is charged for what a certificate certifies; from public numbers, as the certificate itself."""
    return Cost.covering(certificate.epsilon, certificate.delta, certificate.rho)


class _ChargedCoins:
    """Coins that are paid for before the first of them is tossed: `pay` is called once, then or at `settle`."""

    def __init__(self, coins: Coins, pay: Callable[[], None]) -> None:
        self._coins = coins
        self._pay = pay
        self.asked_to_pay = False
        self._paid = False

    @property
    def origin(self) -> str:
        return self._coins.origin

    def settle(self) -> Coins:
        """Pay, if nothing has been tossed so far."""
        if not self._paid:
            self.asked_to_pay = True
            self._pay()
            self._paid = True
        return self._coins

    def choose(self, weights: Weights) -> int:
        return self.settle().choose(weights)

    def choose_many(self, weights: Weights, count: int) -> NDArray[np.int64]:
        return self.settle().choose_many(weights, count)

    def below(self, n: int) -> int:
        return self.settle().below(n)

    def flip(self, p: Fraction) -> bool:
        return self.settle().flip(p)

    def flips(self, chances: Sequence[Fraction], picks: Sequence[int] | NDArray[Any]) -> NDArray[np.bool_]:
        return self.settle().flips(chances, picks)

    def subset(self, n: int, k: int) -> tuple[int, ...]:
        return self.settle().subset(n, k)

    def each(self, runs: Sequence[Callable[[Coins], T]]) -> list[T]:
        return [run(self) for run in runs]  # a run may read records before it tosses


@dataclass(frozen=True, repr=False)
class Payment:
    """Who pays and where chance comes from: a ledger, or None where nobody keeps one, and coins."""

    ledger: Ledger | None
    coins: Coins
    charges: list[Entry] = field(default_factory=list, compare=False)
    """What was charged so far, in order: who signs a release names the charge that paid for it."""
    last_call: Callable[[], None] | None = field(default=None, compare=False)
    """Called last thing before a charge, and may still end it all: until then whoever ordered it may withdraw."""

    @classmethod
    def by(cls, ledger: Ledger | None, *, random_state: int | None, owner: str = "learn") -> Payment:
        """Charge `ledger`; toss the operating system's coins, or for trying out those of a seed."""
        return cls(ledger, coins_for(random_state, owner=owner))

    def require_budget(self, due: Cost) -> None:
        """Refuse before anything is said what the ledger would refuse; nothing is charged."""
        if self.ledger is not None:
            self.ledger.check(epsilon=due.epsilon, delta=due.delta, rho=due.rho)

    def release(
        self,
        certificate: Certificate,
        *,
        draw: Callable[[Coins], T],
        document: Callable[[T, Certificate], D],
        verify: Callable[[D], object],
        note: str,
        purchase: Callable[[], Purchase] | None = None,
        unread: Callable[[], None] | None = None,
    ) -> D:
        """Pay what the certificate says, draw, and hand out the document once it was verified.

        `document` puts what was drawn together with the certificate that names these coins; `verify` raises
        `NotCertified` if the two do not belong together. `unread` reads every record that no pass has read so far; left
        out, the records are in memory.
        """
        final = certificate.with_coins(self.coins.origin)
        item = None if purchase is None else lambda: purchase().certified(final.to_json())
        outcome = self.paid(lambda: cost_of(final), draw=draw, note=note, purchase=item, unread=unread)
        with self._said():
            result = document(outcome, final)
            try:
                verify(result)
            except NotCertified as reason:
                raise UnverifiedRelease(
                    reason.problem, document=result, charged=self.ledger is not None
                ) from reason
        return result

    @contextmanager
    def _said(self) -> Iterator[None]:
        """What ends the work inside, an interrupt or a failure, says which charge stands."""
        try:
            yield
        except BaseException as problem:
            if self.charges and self.ledger is not None:
                last = self.charges[-1]
                note_charge(problem, f"Charge {last.number} of '{self.ledger.path}' stands: {last.cost}.")
            raise

    def paid(
        self,
        cost: Callable[[], Cost],
        *,
        draw: Callable[[Coins], T],
        note: str,
        purchase: Callable[[], Purchase] | None = None,
        unread: Callable[[], None] | None = None,
    ) -> T:
        """What `draw` makes of the coins, once `cost` has been charged: the promise about it was checked before.

        What it costs, and what for, are asked only where somebody keeps a ledger.
        """
        with self._said():
            return self._drawn(cost, draw=draw, note=note, purchase=purchase, unread=unread)

    def _drawn(
        self,
        cost: Callable[[], Cost],
        *,
        draw: Callable[[Coins], T],
        note: str,
        purchase: Callable[[], Purchase] | None,
        unread: Callable[[], None] | None,
    ) -> T:
        if unread is None:
            self._charge(cost, note, purchase)
            return draw(self.coins)
        if self.ledger is not None:
            due = cost()
            self.ledger.check(epsilon=due.epsilon, delta=due.delta, rho=due.rho)  # before hours of reading

        def pay() -> None:
            unread()
            self._charge(cost, note, purchase)

        coins = _ChargedCoins(self.coins, pay)
        try:
            outcome = draw(coins)
        except DataError:
            raise
        except Exception:
            if not coins.asked_to_pay:
                coins.settle()
            raise
        coins.settle()
        return outcome

    def _charge(self, cost: Callable[[], Cost], note: str, purchase: Callable[[], Purchase] | None) -> None:
        if self.last_call is not None:
            self.last_call()
        if self.ledger is not None:
            due, item = cost(), None if purchase is None else purchase()
            entry = self.ledger.charge(
                epsilon=due.epsilon, delta=due.delta, rho=due.rho, note=note, purchase=item
            )
            self.charges.append(entry)
