"""What a ledger promises about everything charged to it, and which charges keep that.

Two promises may be declared, and both hold at once. A *pure* one is kept by adding epsilons. An *approximate* one,
(epsilon, delta), is kept by a filter that reads three sums, of epsilon, rho and delta: a charge is admitted if the
deltas fit what was reserved for them and either the epsilons or the rhos fit. That is valid however charges are chosen
while one goes on. It speaks of the total: "what was spent so far, converted" would be no promise at a moment that was
chosen by looking.
Source: register `privacy-filter`. Proof: docs/proofs/privacy-filter.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privpac.errors import BudgetExceeded, ParameterError
from privpac.guarantee.ledger.budget import Budget, Cost, exact_text, read_positive, read_share, short_text
from privpac.numbers.concentrated import spendable, spendable_at

__all__ = ["Approximate", "Promises"]

STORED_NAMES = ("pure_epsilon", "total_epsilon", "total_delta", "reserved_delta", "rho_order", "total_rho")
"""The columns in which totals are kept."""
SPEND_LESS = "Nothing was spent; ask for at most what is left."


def _at_least(amount: Fraction) -> str:
    """What is left, rounded down where it is long."""
    return short_text(amount, up=False)


@dataclass(frozen=True)
class Approximate:
    """(epsilon, delta) for everything together.

    `reserved_delta` is the part of delta for releases that have a delta of their own. The rest pays for the rule that
    rhos may be added instead of epsilons: `rho` is how much of it, at the witness `order`. Without a rest there is no
    order, and epsilons are added. The parts are fixed when the ledger is made: a split chosen while going on would
    depend on outcomes.
    """

    epsilon: Fraction
    delta: Fraction
    reserved_delta: Fraction
    order: Fraction | None = None
    rho: Fraction = Fraction(0)

    @classmethod
    def declared(cls, epsilon: Fraction, delta: Fraction, reserved_delta: Fraction) -> Approximate:
        """The promise, with the rho that its delta allows."""
        if reserved_delta == delta:
            return cls(epsilon, delta, reserved_delta)
        allowance = spendable(epsilon, delta - reserved_delta)
        return cls(epsilon, delta, reserved_delta, allowance.order, allowance.rho)

    def admits(self, spent: Cost) -> bool:
        """Whether these sums, the new charge included, keep the promise."""
        by_rho = self.order is not None and spent.rho <= self.rho
        return spent.delta <= self.reserved_delta and (spent.epsilon <= self.epsilon or by_rho)

    def room(self, spent: Cost, cost: Cost) -> int:
        """How many more of these epsilons or rhos fit; deltas are looked at by the caller."""
        by_rho = 0 if self.order is None or cost.rho == 0 else (self.rho - spent.rho) // cost.rho
        return max(0, (self.epsilon - spent.epsilon) // cost.epsilon, by_rho)

    def follows(self) -> bool:
        """Whether the rho follows from the rest, computed again."""
        rest = self.delta - self.reserved_delta
        if self.order is None:
            return rest == 0 and self.rho == 0
        return rest > 0 and self.order > 1 and self.rho <= spendable_at(self.order, self.epsilon, rest)


@dataclass(frozen=True)
class Promises:
    """Both promises of a ledger; at least one is there."""

    pure: Fraction | None
    """The epsilon that all charges add up to at most, without a delta."""
    approximate: Approximate | None = None

    @classmethod
    def read(
        cls, owner: str, *, epsilon: object, delta: object, reserved_delta: object, pure_epsilon: object
    ) -> Promises:
        """From public parameters: with a delta, epsilon belongs to the approximate promise, else it is the pure one."""
        whole, reserve = (
            read_share(owner, "delta", delta),
            read_share(owner, "reserved_delta", reserved_delta),
        )
        pure = None if pure_epsilon is None else read_positive(owner, "pure_epsilon", pure_epsilon)
        if reserve > whole:
            requirement = f"at most delta, which is {exact_text(whole)}"
            raise ParameterError(owner, "reserved_delta", exact_text(reserve), allowed=requirement)
        if whole:
            total = read_positive(owner, "epsilon", epsilon)
            return cls(pure, Approximate.declared(total, whole, reserve))
        if pure is None:
            return cls(read_positive(owner, "epsilon", epsilon))
        if epsilon is not None:
            requirement = "left out where pure_epsilon is the only promise"
            remedy = "Say delta too, or leave one of the two out."
            raise ParameterError(owner, "epsilon", epsilon, allowed=requirement, remedy=remedy)
        return cls(pure)

    @classmethod
    def adding(cls, total: Budget) -> Promises:
        """What ledgers of the first format promise: epsilons and deltas are added."""
        if total.delta == 0:
            return cls(total.epsilon)
        return cls(None, Approximate(total.epsilon, total.delta, total.delta))

    @classmethod
    def stored(cls, row: Mapping[str, str | None]) -> Promises:
        """As `facts` wrote them; raises ValueError, TypeError or ZeroDivisionError if it did not."""
        return _from_texts(*(row[name] for name in STORED_NAMES))

    def facts(self) -> dict[str, str | None]:
        """As JSON can hold them, as a store writes them, and as the first hash covers them."""
        other = self.approximate
        parts: list[Fraction | None] = [None] * 5
        if other is not None:
            parts = [other.epsilon, other.delta, other.reserved_delta, other.order, other.rho]
        amounts = dict(zip(STORED_NAMES, (self.pure, *parts), strict=True))
        return {name: None if amount is None else exact_text(amount) for name, amount in amounts.items()}

    @property
    def declaration(self) -> tuple[Fraction | None, ...]:
        """What a person declared, without what follows from it."""
        other = self.approximate
        return (self.pure, *(() if other is None else (other.epsilon, other.delta, other.reserved_delta)))

    @property
    def total(self) -> Budget:
        """The approximate promise if there is one, else the pure one."""
        if self.approximate is not None:
            return Budget(self.approximate.epsilon, self.approximate.delta)
        return Budget(self.pure or Fraction(0))

    @property
    def filters(self) -> bool:
        """Whether rhos may be added instead of epsilons."""
        return self.approximate is not None and self.approximate.order is not None

    def admits(self, spent: Cost) -> bool:
        """Whether these sums, the new charge included, keep every promise."""
        pure = self.pure is None or (spent.delta == 0 and spent.epsilon <= self.pure)
        return pure and (self.approximate is None or self.approximate.admits(spent))

    def check(self, spent: Cost, cost: Cost) -> None:
        """Refuse a cost that does not fit. This is the only comparison that guards a ledger."""
        if not self.admits(spent + cost):
            raise self._refusal(spent, cost)

    def room(self, spent: Cost, cost: Cost) -> int:
        """How many more charges of this cost fit, one after the other or together."""
        other = self.approximate
        limits = [] if self.pure is None else [(self.pure - spent.epsilon) // cost.epsilon]
        limits += [] if other is None else [other.room(spent, cost)]
        if cost.delta:
            limits.append(self.left(spent).delta // cost.delta)
        return max(0, min(limits))

    def left(self, spent: Cost) -> Budget:
        """What may still be spent by adding, whatever its rho."""
        other = self.approximate
        parts = [] if self.pure is None else [self.pure - spent.epsilon]
        parts += [] if other is None else [max(Fraction(0), other.epsilon - spent.epsilon)]
        reserve = other.reserved_delta if other is not None and self.pure is None else Fraction(0)
        return Budget(min(parts), reserve - spent.delta if spent.delta else reserve)

    def left_rho(self, spent: Cost) -> Fraction | None:
        """What may still be spent in rho; None where rho pays for nothing."""
        other = self.approximate
        if other is None or other.order is None:
            return None
        return max(Fraction(0), other.rho - spent.rho)

    def remainder(self, spent: Cost, text_of: Callable[[Fraction], str] = _at_least) -> str:
        """What is left, in the amounts that are counted: epsilon for a pure promise, rho for an approximate one."""
        rho, left = self.left_rho(spent), self.left(spent)
        if rho is None:
            left_delta = f", delta {text_of(left.delta)}" if left.delta else ""
            return f"epsilon {text_of(left.epsilon)}{left_delta}"
        text = f"rho {text_of(rho)}"
        if left.epsilon and self.pure is None:
            text += f" or epsilon {text_of(left.epsilon)} by adding"
        if self.pure is not None:
            text += f" and pure epsilon {text_of(self.pure - spent.epsilon)}"
        return text + (f", delta {text_of(left.delta)}" if left.delta else "")

    def __str__(self) -> str:
        pure = None if self.pure is None else f"epsilon {exact_text(self.pure)}"
        other = self.approximate
        if other is None:
            return pure or ""
        text = f"epsilon {exact_text(other.epsilon)}, delta {exact_text(other.delta)}"
        if other.order is not None:
            text += f" (rho {exact_text(other.rho)})"
        return text if pure is None else f"{text}, and pure {pure}"

    def _refusal(self, spent: Cost, cost: Cost) -> BudgetExceeded:
        amount = str(cost) + (f", rho {short_text(cost.rho)}" if self.filters else "")
        if cost.delta > self.left(spent).delta:
            return self._delta_refusal(spent, cost, amount)
        problem = f"The ledger refused a charge of {amount}: {self.remainder(spent)} is left of {self}."
        return BudgetExceeded(problem, remedy=SPEND_LESS)

    def _delta_refusal(self, spent: Cost, cost: Cost, amount: str) -> BudgetExceeded:
        other, left = self.approximate, _at_least(self.left(spent).delta)
        if self.pure is not None or other is None:
            return BudgetExceeded(
                f"The ledger refused a charge of {amount}: it promises a pure epsilon and no delta.",
                remedy="Nothing was spent; a ledger made with delta and reserved_delta takes such charges.",
            )
        if other.order is None:
            problem = f"The ledger refused a charge of {amount}: {self.remainder(spent)} is left of {self}."
            return BudgetExceeded(problem, remedy=SPEND_LESS)
        total = exact_text(spent.delta + cost.delta)
        values = (
            f"epsilon={exact_text(other.epsilon)}, delta={exact_text(other.delta)}, reserved_delta={total}"
        )
        return BudgetExceeded(
            f"The ledger refused a charge of {amount}: of its delta {exact_text(other.delta)} it keeps "
            f"{exact_text(other.reserved_delta)} for charges that have a delta, and {left} of that is left.",
            remedy=f"Nothing was spent; a new ledger that takes it is Ledger({values}) with a delta above that part.",
        )


@lru_cache(maxsize=256)
def _from_texts(pure: str | None, epsilon: str | None, *others: str | None) -> Promises:
    """Read once: totals never change, and every charge asks for them."""
    if epsilon is None:
        return Promises(Fraction(pure or ""))
    delta, reserve, order, rho = others
    total = Approximate(
        Fraction(epsilon), Fraction(delta or ""), Fraction(reserve or ""), _read(order), Fraction(rho or "")
    )
    return Promises(_read(pure), total)


def _read(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)
