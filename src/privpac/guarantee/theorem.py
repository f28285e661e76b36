"""A theorem in code, written once: its docstring is the inequality, its fields are the parameters and premises, and one
method is the formula.

From the formula follow the smallest error that some records prove, the fewest records that prove an error, and the step
of a derivation. A certificate stores the key and the fields, and the checker computes the bound a second time, from the
rule book.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar

from flint import arb

from privpac.errors import RuleRefused, SizeError
from privpac.guarantee.facts import Accuracy, Against, Loss, Privacy
from privpac.guarantee.proof import SEAL, Proof, Value, need, parameters
from privpac.numbers.exact import certainly_below, first_whole, written
from privpac.theory.occam import GRID, first_error

__all__ = ["THEOREMS", "AccuracyBound", "Derived", "ErrorBound", "PrivacyBound", "Theorem"]

THEOREMS: dict[str, type[Theorem]] = {}
"""Every theorem that is computed, by its key; filled as modules are imported."""

MOST_RECORDS = 2**60
"""Nobody has more: a search ends there."""

PACKAGE = __name__.partition(".")[0]


class Theorem:
    """What all kinds have in common: the key of the statement, and how parameters are stored.

    Subclasses are frozen dataclasses. Source, status, conditions and errata stand in the register, under the same key.
    """

    key: ClassVar[str] = ""
    as_text: ClassVar[tuple[str, ...]] = ()
    """Whole numbers that may be too long for other readers of JSON."""

    def __init_subclass__(cls, *, key: str = "", **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if key:
            cls.key = key
            if cls.__module__.partition(".")[0] == PACKAGE:
                THEOREMS[key] = cls

    def check(self) -> None:
        """Refuse, with `need`, what the theorem does not cover."""

    def _values(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}  # type: ignore[arg-type]

    @property
    def premises(self) -> tuple[Proof[Any], ...]:
        """Fields that are proofs: what the theorem builds on."""
        return tuple(value for value in self._values().values() if isinstance(value, Proof))

    def where(self) -> dict[str, Value]:
        """All other fields as a certificate stores them."""
        stored = {name: value for name, value in self._values().items() if not isinstance(value, Proof)}
        return parameters(
            **{name: written(value) if name in self.as_text else value for name, value in stored.items()}
        )

    def need_shipped(self) -> None:
        """Refuse a theorem from outside of the package: the rule book does not know it."""
        need(self.key, THEOREMS.get(self.key) is type(self), "only theorems of the package are proved")


class PrivacyBound(Theorem, ABC):
    """What a mechanism loses: e^epsilon = `factor`, for one replaced record and without a delta."""

    @abstractmethod
    def factor(self) -> Fraction:
        """e^epsilon, or a number above it."""

    def proof(self) -> Proof[Privacy]:
        """The step of a derivation that begins with this mechanism."""
        self.need_shipped()
        self.check()
        fact = Privacy(Loss(factor=self.factor()))
        return Proof(fact, self.key, self.premises, self.where(), seal=SEAL)


class AccuracyBound(Theorem):
    """How often a learner fails: its error exceeds `error` with probability at most `failure(n, error)`.

    The value falls with both, so that all searches below are for the first number at which something holds.
    """

    against: ClassVar[Against] = Against.REALIZABLE
    proper: ClassVar[bool] = False
    """Whether the answer is a member of the class."""

    def failure(self, n: int, error: Fraction) -> arb:
        """The bound as a ball, at the current precision; 1, which always holds, where `proves` decides by itself."""
        return arb(1)

    def proves(self, n: int, error: Fraction, failure: Fraction) -> bool:
        """Whether `n` records prove `error` but for `failure`; a tie that stays open counts as no."""
        return certainly_below(lambda: self.failure(n, error), failure)

    def suited(self, n: int, error: Fraction, failure: Fraction) -> AccuracyBound:
        """The same with parameters of the proof alone that suit this error best, where it has such."""
        return self

    @property
    def evidence(self) -> Fraction:
        """About n times the error that is needed, where that is known: searches begin there."""
        return Fraction(0)

    def error(self, n: int, failure: Fraction) -> Fraction:
        """The smallest error on the grid that `n` records prove; 1, which always holds, when they prove none."""
        start = self.evidence / max(1, n) + GRID if self.evidence else Fraction(1, 10)
        return first_error(
            lambda error: self.suited(n, error, failure).proves(n, error, failure), start=start
        )

    def records(self, error: Fraction, failure: Fraction) -> int:
        """The fewest records that prove an error; refused if none do."""

        def enough(n: int) -> bool:
            return n > MOST_RECORDS or self.suited(n, error, failure).proves(n, error, failure)

        found = first_whole(enough, start=int((self.evidence or 30) / error), smallest=1)
        if found > MOST_RECORDS:
            raise SizeError(f"{self.key}: no number of records proves this error.")
        return found

    def proof(self, n: int, *, error: Fraction, failure: Fraction) -> Proof[Accuracy]:
        """The step of a derivation; refused if the bound is larger than the failure asked for."""
        self.need_shipped()
        need(self.key, 0 < error < 1 and 0 < failure < 1, "error and failure must lie in (0, 1)")
        need(self.key, n >= 0, "the number of records must not be negative")
        self.check()
        need(
            self.key,
            self.proves(n, error, failure),
            "the bound is larger than the failure probability asked for",
        )
        fact = Accuracy(error, failure, self.against, n, self.proper)
        return Proof(fact, self.key, self.premises, {**self.where(), "records": n}, seal=SEAL)

    def promise(self, n: int, failure: Fraction) -> tuple[Proof[Accuracy], ...]:
        """The proof of the smallest error; none where nothing is proved."""
        error = self.error(n, failure)
        if error >= 1:
            return ()
        return (self.suited(n, error, failure).proof(n, error=error, failure=failure),)


@dataclass(frozen=True)
class Derived:
    """An error that was computed, with all that may make it fail, and the numbers that a certificate stores."""

    error: Fraction
    failure: Fraction
    where: Mapping[str, Value]


class ErrorBound(AccuracyBound, ABC):
    """A bound that computes an error from a failure, once: through steps whose numbers a certificate stores too."""

    @abstractmethod
    def derived(self, n: int, failure: Fraction) -> Derived:
        """The error that `n` records prove, `failure` being what the steps of the theorem itself may fail; refused,
        with `need`, where they prove none."""

    def error(self, n: int, failure: Fraction) -> Fraction:
        """The error that `n` records prove; 1, which always holds, when they prove none."""
        try:
            return self.derived(n, failure).error
        except RuleRefused:
            return Fraction(1)

    def proves(self, n: int, error: Fraction, failure: Fraction) -> bool:
        """Whether the error that `n` records prove is at most this one."""
        return self.error(n, failure) <= error

    def promise(self, n: int, failure: Fraction) -> tuple[Proof[Accuracy], ...]:
        """The proof of the error that `n` records prove; none where they prove none."""
        self.need_shipped()
        try:
            self.check()
            found = self.derived(n, failure)
        except RuleRefused:  # so few records that nothing is proved
            return ()
        if found.error >= 1:
            return ()
        fact = Accuracy(found.error, found.failure, self.against, n, self.proper)
        return (Proof(fact, self.key, self.premises, found.where, seal=SEAL),)
