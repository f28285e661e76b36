"""How many labels are enough for a method of few labels: proposed in floats, then proved for the very settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from privpac.constructions.few_labels.transfer_formulas import Family
from privpac.errors import SizeError
from privpac.numbers.exact import about_log, decimal_text
from privpac.numbers.parameters import Number, at_least, chance, positive
from privpac.numbers.search import PLENTY, first_proved

__all__ = ["Search", "fewest_labels"]


class Sizes(Protocol):
    """Settings for some numbers of records."""

    @property
    def labelled(self) -> int: ...

    @property
    def unlabelled(self) -> int: ...


T = TypeVar("T", bound=Sizes)


@dataclass(frozen=True)
class Search(Generic[T]):
    """A method at (epsilon, delta, failure): what floats propose, the settings for this many records, and what these
    promise."""

    family: Family
    epsilon: Fraction
    failure: Fraction
    delta: Fraction
    proposed: Callable[..., tuple[float, Any]]
    settings: Callable[..., T]
    promised: Callable[..., Fraction]

    def _rough(self, labelled: int, others: int) -> float:
        return self.proposed(labelled, others, **self._goal)[0]

    def settings_at(self, labelled: int, others: int) -> T:
        """Settings for this many records."""
        return self.settings(labelled, others, **self._goal)

    @property
    def _goal(self) -> dict[str, Family | Fraction]:
        return {
            "family": self.family,
            "epsilon": self.epsilon,
            "failure": self.failure,
            "delta": self.delta,
        }

    def _promise(self, settings: T) -> Fraction:
        return self.promised(settings, family=self.family, failure=self.failure)

    def require(self, settings: T, error: Fraction, *, owner: str) -> None:
        """Refuse settings that promise less than `error`, with the numbers of records that would do."""
        promise = self._promise(settings)
        if promise <= error:
            return
        try:
            need = self.fewest(error, settings.unlabelled, owner=owner)
        except SizeError:
            need = self.fewest(error, None, owner=owner)
        have = f"{settings.labelled} labelled and {settings.unlabelled} unlabelled records"
        best = f"promise an error of {decimal_text(promise)} at best" if promise < 1 else "promise nothing"
        raise SizeError(
            f"{owner}: {have} {best}, not {decimal_text(error)}.",
            remedy=f"{need.labelled} labelled and {need.unlabelled} unlabelled records would do.",
        )

    def at(self, labelled: int, unlabelled: int, *, error: Fraction) -> T | None:
        """Settings with which this many records promise an error; None if the search finds none."""
        if self._rough(labelled, unlabelled) > error:
            return None
        settings = self.settings_at(labelled, unlabelled)
        return settings if self._promise(settings) <= error else None

    def fewest(self, error: Number, unlabelled: int | None, *, owner: str) -> T:
        """Settings with the fewest labels that promise `error`; with `unlabelled` others, or None: as many as pay."""
        want = chance(error, owner=owner, name="error")
        others = PLENTY if unlabelled is None else at_least(1, unlabelled, owner=owner, name="unlabelled")
        start = int(2 * (about_log(self.family.odds) + 4) / (want * min(Fraction(1), self.epsilon))) + 16
        labels = first_proved(
            lambda labelled: self._rough(labelled, others),
            lambda labelled: self._promise(self.settings_at(labelled, others)) <= want,
            want=float(want),
            start=start,
            owner=owner,
            others=others,
        )
        return self.settings_at(labels, others)


def fewest_labels(
    owner: str,
    search: Callable[[Family, Fraction, Fraction, Fraction], Search[T]],
    family: Family,
    error: Number,
    failure: Number,
    epsilon: Number,
    delta: Number,
    unlabelled: int | None,
) -> T:
    """The settings with the fewest labels that a search finds for these numbers, which are read for `owner`."""
    miss, loss = chance(failure, owner=owner, name="failure"), positive(epsilon, owner=owner, name="epsilon")
    slip = chance(delta, owner=owner, name="delta") if delta else Fraction(0)
    return search(family, loss, miss, slip).fewest(error, unlabelled, owner=owner)
