"""Settings of active learning: how many to keep, how many to ask, and how private the learner within may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import NamedTuple

from privpac.concepts.base import AnyClass
from privpac.constructions.few_labels.methods import (
    NOT_THIS_WAY,
    choose,
    concepts_for,
    promised_error,
)
from privpac.constructions.few_labels.settings import Goal, Session, Settings
from privpac.constructions.words import Request
from privpac.data.sample import Size
from privpac.errors import ParameterError, PrivpacError, SizeError
from privpac.numbers.exact import decimal_text, exp_down, ln_down
from privpac.numbers.search import STEP

__all__ = ["ASKING_METHODS", "ask_settings", "inner_epsilon"]

SHARES = (Fraction(1), Fraction(1, 2), Fraction(1, 5), Fraction(1, 10), Fraction(1, 30), Fraction(1, 100))
"""Parts of the records that are tried as the part kept, for methods that use unlabelled records."""

WITH_OTHERS = ("boost", "relabel")
"""Methods that use records nobody is asked about."""

ASKING_METHODS = ("auto", "plain", *WITH_OTHERS)
"""Methods a session may use. `generic` is not among them: what it promises is not about a released rule alone, so the
rule for those who know positions (`positions_known`) does not apply, and there is no certificate for such a session."""

LARGEST = Fraction(40)
"""An inner epsilon beyond which mistakes weigh nothing: more changes nothing."""


class Option(NamedTuple):
    """What a method promises with this many records kept, and its settings."""

    promise: Fraction
    kept: int
    settings: Settings


def inner_epsilon(kept: int, records: int, *, epsilon: Fraction) -> Fraction:
    """The largest epsilon, in thousandths, a learner on `kept` of `records` may have: e^E <= 1 + (e^eps - 1)·t/n."""
    room = 1 + (exp_down(epsilon, 30) - 1) * Fraction(records, kept)
    return max(epsilon, min(LARGEST, floor(ln_down(room) / STEP) * STEP))


def ask_settings(
    concepts: str | AnyClass,
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
    members, records, epsilon = concepts_for(concepts, request), request.size.total, request.per_record
    if labels is not None and not 1 <= labels <= records:
        raise ParameterError("ask", "labels", labels, allowed=f"between 1 and the {records} records")

    def best(labelled: int, how: str = method) -> Option:
        options = _options(members, labelled, records, epsilon=epsilon, method=how, failure=request.failure)
        return min(options, key=lambda option: (option.promise, option.kept))

    if labels is None:
        assert error is not None
        labels = _fewest(best, records, error, method)
    option = best(labels)
    if error is not None and option.promise > error:
        raise SizeError(
            f"Asking {labels} of {records} records promises an error of {decimal_text(option.promise)} at best, not"
            f" {decimal_text(error)}.",
            remedy=f"{_fewest(best, records, error, method)} labels would do.",
        )
    return option.settings


def _options(
    members: AnyClass, labelled: int, records: int, *, epsilon: Fraction, method: str, failure: Fraction
) -> Iterator[Option]:
    """Every method and part kept that is tried."""
    possible = method in ("auto", "plain")
    if possible:
        yield _option(members, labelled, labelled, records, epsilon=epsilon, method="plain", failure=failure)
    if method == "plain":
        return
    refusal: PrivpacError = SizeError(
        f"ask: the method {method} needs records that are not asked.", remedy="Ask fewer of them."
    )
    for share in SHARES:
        kept = floor(records * share)
        for other in WITH_OTHERS:
            if method in ("auto", other) and kept > labelled:
                try:
                    option = _option(
                        members, labelled, kept, records, epsilon=epsilon, method=other, failure=failure
                    )
                except NOT_THIS_WAY as problem:
                    refusal = problem
                else:
                    possible = True
                    yield option
    if not possible:
        raise refusal


def _option(
    members: AnyClass,
    labelled: int,
    kept: int,
    records: int,
    *,
    epsilon: Fraction,
    method: str,
    failure: Fraction,
) -> Option:
    size = Size(labelled, kept - labelled)
    inner = inner_epsilon(kept, records, epsilon=epsilon)
    settings = choose(members, size, method=method, goal=Goal(inner, failure))
    promise = promised_error(settings.learner(members), size)
    return Option(promise, kept, replace(settings, session=Session(records, kept, labelled)))


def _fewest(best: Callable[..., Option], records: int, error: Fraction, method: str) -> int:
    """The fewest labels that promise `error`; refused if all of them do not.

    The plain method is quick to search; the others are searched only where they save a tenth of its labels.
    """
    first = "plain" if method == "auto" else method
    everything = best(records, first).promise
    if everything > error:
        raise SizeError(
            f"Even with all {records} labels the error promised is {decimal_text(everything)}, not"
            f" {decimal_text(error)}.",
            remedy="Collect more records, or allow a larger error or epsilon.",
        )
    high = _bisect(lambda labelled: best(labelled, first).promise <= error, records)
    fewer = high * 9 // 10
    if method == "auto" and fewer >= 1 and best(fewer).promise <= error:
        high = _bisect(lambda labelled: best(labelled).promise <= error, fewer)
    return high


def _bisect(enough: Callable[[int], bool], high: int) -> int:
    """The first number up to `high`, which is enough, that is."""
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
