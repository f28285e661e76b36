"""How many people to ask for labels, and how many records to keep beside them, for the method that promises most."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from privpac.concepts.base import AnyClass
from privpac.constructions.few_labels.active import inner_epsilon
from privpac.constructions.few_labels.methods import (
    NOT_THIS_WAY,
    Goal,
    Session,
    Settings,
    choose,
    concepts_for,
    promised_error,
)
from privpac.constructions.own import Concepts
from privpac.constructions.words import Request
from privpac.data.sample import Size
from privpac.errors import ParameterError, PrivpacError, SizeError
from privpac.numbers.exact import decimal_text, first_whole

__all__ = ["ASKING_METHODS", "ask_settings"]

TITLE = "a random few are asked for their labels, one draw from them"
"""How a session saves labels, in a plan."""

SHARES = (Fraction(1), Fraction(1, 2), Fraction(1, 5), Fraction(1, 10), Fraction(1, 30), Fraction(1, 100))
"""Parts of the records that are tried as the part kept, for methods that use unlabelled records."""
WITH_OTHERS = ("boost", "relabel")
ASKING_METHODS = ("auto", "plain", *WITH_OTHERS)
"""Methods a session may use. `generic` is not among them: what it promises is not about a released rule alone, so
`positions_known` does not apply, and there is no certificate for such a session."""


class _Found(NamedTuple):
    """What a method promises with this many records kept, and its settings."""

    promise: Fraction
    kept: int
    settings: Settings


@dataclass(frozen=True)
class _Asking:
    """A class and a number of records without labels, of which some are to be asked at `epsilon`."""

    concepts: AnyClass
    records: int
    epsilon: Fraction
    failure: Fraction

    def best(self, labelled: int, method: str) -> _Found:
        """Of every method and part kept that is tried, the one that promises most."""
        return min(self._found(labelled, method), key=lambda found: found[:2])

    def _found(self, labelled: int, method: str) -> Iterator[_Found]:
        if method in ("auto", "plain"):
            yield self._at(labelled, labelled, "plain")
        ways = [name for name in WITH_OTHERS if method in ("auto", name)]
        refusal: PrivpacError | None = SizeError(
            f"ask: the method {method} needs records that are not asked.", remedy="Ask fewer of them."
        )
        for kept in (math.floor(self.records * share) for share in SHARES):
            for way in ways if kept > labelled else ():
                try:
                    found = self._at(labelled, kept, way)
                except NOT_THIS_WAY as problem:
                    refusal = refusal and problem
                else:
                    refusal = None
                    yield found
        if refusal is not None and method in WITH_OTHERS:
            raise refusal

    def _at(self, labelled: int, kept: int, method: str) -> _Found:
        size = Size(labelled, kept - labelled)
        goal = Goal(inner_epsilon(kept, self.records, epsilon=self.epsilon), self.failure)
        settings = choose(self.concepts, size, method=method, goal=goal)
        promise = promised_error(settings.learner(self.concepts), size)
        return _Found(promise, kept, replace(settings, session=Session(self.records, kept, labelled)))

    def fewest(self, error: Fraction, method: str) -> int:
        """The fewest labels that promise `error`; refused if all of them do not.

        The plain method is quick to search; the others are searched only where they save a tenth of its labels.
        """
        first = "plain" if method == "auto" else method
        everything = self.best(self.records, first).promise
        if everything > error:
            raise SizeError(
                f"Even with all {self.records} labels the error promised is {decimal_text(everything)}, not"
                f" {decimal_text(error)}.",
                remedy="Collect more records, or allow a larger error or epsilon.",
            )

        def least(how: str, most: int) -> int:
            return first_whole(
                lambda n: n >= most or self.best(n, how).promise <= error, start=most // 2, smallest=1
            )

        high = least(first, self.records)
        fewer = high * 9 // 10
        if method == "auto" and fewer >= 1 and self.best(fewer, method).promise <= error:
            return least(method, fewer)
        return high


def ask_settings(
    concepts: Concepts,
    request: Request,
    *,
    labels: int | None,
    error: Fraction | None,
    method: str = "auto",
) -> Settings:
    """The best settings for this many labels, or those with the fewest labels that promise `error`."""
    if method not in ASKING_METHODS:
        raise ParameterError(
            "ask",
            "method",
            method,
            allowed="one of " + ", ".join(ASKING_METHODS),
            remedy="Of the other methods nothing is proved for those who know who was asked.",
        )
    if labels is None and error is None:
        raise ParameterError(
            "ask",
            "labels",
            None,
            allowed="a number of labels, unless an error is wanted",
            remedy="Give one of them.",
        )
    records = request.size.total
    if labels is not None and not 1 <= labels <= records:
        raise ParameterError("ask", "labels", labels, allowed=f"between 1 and the {records} records")
    asking = _Asking(concepts_for(concepts, request), records, request.per_record, request.failure)
    if labels is None:
        assert error is not None
        labels = asking.fewest(error, method)
    found = asking.best(labels, method)
    if error is not None and found.promise > error:
        raise SizeError(
            f"Asking {labels} of {records} records promises an error of {decimal_text(found.promise)} at best, not"
            f" {decimal_text(error)}.",
            remedy=f"{asking.fewest(error, method)} labels would do.",
        )
    return found.settings
