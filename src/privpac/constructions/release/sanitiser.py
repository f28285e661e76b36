"""What a sanitiser is: it certifies before it sees records, and releases a table anyone may ask.

A released table is a frozen value made of cell numbers, as a hypothesis is: storable, and with synthetic records in the
same schema.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

from flint import arb, ctx

from privpac.coins import Coins
from privpac.concepts.line.unions import check_ordered
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError, TooFewRecords
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import Answers, Privacy, Queries, Release
from privpac.guarantee.proof import SEAL, Proof, need
from privpac.numbers.exact import ball, decimal_text, first_whole, plain
from privpac.request import FAILURE

__all__ = [
    "FAILURE",
    "OrderedColumn",
    "Released",
    "Sanitiser",
    "check_wishes",
    "noise_ratio",
    "ranges_from_thresholds",
    "require_enough",
    "table_certificate",
]


MOST_RECORDS = 2**40
"""Beyond a million million records nobody is told how many more would do."""


class Released(Protocol):
    """A released table: immutable, hashable, storable, with synthetic records."""

    def __hash__(self) -> int: ...

    @property
    def total(self) -> int:
        """What counts of synthetic records are divided by to give shares."""

    def records(self, schema: Schema) -> MemorySample:
        """The synthetic records, with the columns that were released."""

    def to_json(self) -> dict[str, Any]:
        """Plain data with a `kind`."""


class OrderedColumn(ABC):
    """A sanitiser of one ordered `column`."""

    schema: Schema
    column: str
    epsilon: Fraction
    error: Fraction | None
    failure: Fraction

    def __post_init__(self) -> None:
        owner = type(self).__name__
        check_wishes(owner, epsilon=self.epsilon, failure=self.failure, error=self.error)
        check_ordered(owner, self.schema, (self.column,), 1)

    @property
    def columns(self) -> tuple[str, ...]:
        """That column alone."""
        return (self.column,)

    @property
    def cells(self) -> int:
        """How many values the column has."""
        return self.schema.column(self.column).size

    @abstractmethod
    def promise(self, records: int) -> Fraction | None:
        """Within which thresholds are answered from this many records; None if nothing is proved."""

    def require(self, size: Size) -> None:
        """Refuse too few records for the error that is asked for."""
        require_enough(type(self).__name__, records=size.total, goal=self.error, error_of=self.promise)

    def certificate(
        self,
        privacy: Proof[Privacy],
        prove: Callable[[], Proof[Answers]],
        *,
        what: str,
        size: Size,
        name: str,
        delta: Fraction = Fraction(0),
        **settings: object,
    ) -> Certificate:
        """Of records made of private numbers, and what is proved of its ranges, if anything is."""
        error = self.promise(size.total)
        answers: tuple[Proof[Answers], ...] = ()
        if error is not None and 2 * error < 1:
            thresholds = prove()
            answers = (thresholds, ranges_from_thresholds(thresholds))
        release = rules.post_processing(privacy, what=what, release=Release.NUMBERS)
        return table_certificate(self, release, answers, size=size, name=name, delta=delta, **settings)


class Promising(Protocol):
    """Whatever releases columns under a budget and makes a promise about them."""

    @property
    def columns(self) -> tuple[str, ...]:
        """What is released."""

    @property
    def epsilon(self) -> Fraction:
        """What a record may lose."""

    @property
    def failure(self) -> Fraction:
        """How often what is said of errors may fail."""


class Sanitiser(Promising, Protocol):
    """A pair of methods on one frozen value of public parameters."""

    @property
    def schema(self) -> Schema:
        """The schema of the table that is released."""

    def require(self, size: Size) -> None:
        """Refuse what `release` could not do with this many records, whatever they are: also too few for the error.

        `certify` begins with it; after it, nothing may be refused that depends on the records.
        """

    def certify(self, size: Size) -> Certificate:
        """What will be true of `release` on this many records."""

    def releases(self, table: Released, size: Size) -> bool:
        """Whether `release` of this many records could ever return this table, from public parameters alone."""

    def release(self, sample: Sample, coins: Coins) -> Released:
        """The table to release, drawn with these coins."""


def table_certificate(
    sanitiser: Promising,
    privacy: Proof[Privacy],
    answers: tuple[Proof[Answers], ...],
    *,
    size: Size,
    name: str,
    delta: Fraction = Fraction(0),
    **settings: object,
) -> Certificate:
    """The certificate of a released table; `settings` are public parameters of its own."""
    numbers = public_parameters(sanitiser, "epsilon", "failure")
    return Certificate(
        privacy=rules.declared(privacy, epsilon=sanitiser.epsilon, delta=delta),
        accuracy=(),
        answers=answers,
        learner={"name": name, "columns": list(sanitiser.columns), **numbers, **settings},
        labelled=size.labelled,
        unlabelled=size.unlabelled,
    )


def check_wishes(owner: str, *, epsilon: Fraction, failure: Fraction, error: Fraction | None) -> None:
    """Refuse an epsilon, failure or error that is out of range."""
    if epsilon <= 0:
        raise ParameterError(owner, "epsilon", plain(epsilon), allowed="a positive number")
    for name, value in (("failure", failure), ("error", error)):
        if value is not None and not 0 < value < 1:
            raise ParameterError(owner, name, plain(value), allowed="a number strictly between 0 and 1")


def noise_ratio(owner: str, ratio: Fraction) -> Fraction:
    """The ratio itself, unless the epsilon behind it is too small for any number to have it."""
    if ratio == 1:
        raise ParameterError(owner, "epsilon", "too small", allowed="large enough for noise of finite size")
    return ratio


def require_enough(
    owner: str,
    *,
    records: int,
    goal: Fraction | None,
    error_of: Callable[[int], Fraction | None],
    queries: str = "thresholds",
) -> None:
    """Refuse, from public numbers and before anything is spent, an error this many records do not prove.

    `error_of` is the error that a number of records proves, None where it is none.
    """
    if records < 1:
        raise SizeError(f"{owner} needs at least one record.")
    best = error_of(records)
    if goal is None or (best is not None and best <= goal):
        return

    def enough(n: int) -> bool:
        error = error_of(n)
        return n >= MOST_RECORDS or (error is not None and error <= goal)

    enough_records = first_whole(enough, start=2 * records, smallest=records)
    reach = "no error at all" if best is None or best >= 1 else f"an error of {decimal_text(best)}"
    raise TooFewRecords(
        f"{owner}: {records} records prove {reach} for all {queries} at this epsilon, not {decimal_text(goal)}.",
        needed=enough_records,
        reachable=best,
        remedy=f"{enough_records:,} records would do; or ask for a larger error, or spend a larger epsilon.",
    )


# --- what rules of answers share ---


def ranges_from_thresholds(premise: Proof[Answers]) -> Proof[Answers]:
    """A range is the difference of two thresholds: twice their error."""
    rule = "ranges-from-thresholds"
    old = premise.fact
    need(rule, old.queries is Queries.THRESHOLDS, "the premise must speak of thresholds")
    fact = Answers(2 * old.error, old.failure, Queries.RANGES, old.records)
    return Proof(fact, rule, (premise,), seal=SEAL)


def need_sizes(rule: str, cells: int, records: int, ratio: Fraction, failure: Fraction) -> None:
    need(rule, cells >= 1 and records >= 1, "there must be cells and records")
    need(rule, 0 < ratio < 1 and 0 < failure < 1, "ratio and failure must lie in (0, 1)")


def power_at_most(odds: int, base: Fraction, count: int, limit: Fraction) -> bool:
    """Whether odds·base^count is certainly at most the limit."""
    if odds == 0:
        return True
    with ctx.workprec(192):
        log: arb = ball(odds).log() + count * ball(base).log()
        return bool(log <= ball(limit).log())


def answers_fact(rule: str, error: Fraction, failure: Fraction, queries: Queries, records: int) -> Answers:
    """What is promised about answers; refused if it is nothing."""
    need(rule, error < 1, "an error of 1 promises nothing")
    return Answers(error, failure, queries, records)
