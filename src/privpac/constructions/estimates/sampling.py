"""How far the rate on some records may lie from the true one: records kept aside, or those the rule was learnt from.

Statement: kept aside, one rule's deviation. On the learner's own records there are two bounds: the deviation of all
rules that could have been released, at once; and, for a learner without a delta, what its privacy gives by itself.
Where both are on offer each may fail half as often, so that both hold together, and each end is the better one.
Source: register `generalisation-holdout`, `generalisation-class`, `generalisation-privacy`.
Holds if: the records are independent draws.
Proof: docs/proofs/occam.md, docs/proofs/private-generalisation.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Merged, Occam
from privpac.constructions.draw.refined_trees import RefinedTrees
from privpac.guarantee.facts import Privacy, Unit
from privpac.theory.generalisation import gap_class, gap_holdout, interval_private

__all__ = ["Choice", "Span", "Way", "choice_of", "span"]


class Way(StrEnum):
    """What an interval owes its width to, besides noise."""

    HOLDOUT = "hold-out"
    CLASS = "class"
    PRIVACY = "privacy"
    BOTH = "class and privacy"
    """One end from the one, the other end from the other."""
    NONE = "none"
    """Nothing: the choices of the learner cannot be counted beforehand, and no privacy of whole records bounds them."""


class Span(NamedTuple):
    """From where to where a true rate lies, and why."""

    low: Fraction
    high: Fraction
    way: Way


@dataclass(frozen=True)
class Choice:
    """What is public about how a rule was chosen from the very records that it is judged on."""

    rules: int | None
    """How many could have been chosen; None where nobody knows."""
    flattery: Fraction | None = None
    """By how much, in log-odds, the choice may have made the rule look better on its records; None without a bound."""
    modesty: Fraction | None = None
    """By how much it may look worse."""

    @property
    def ways(self) -> tuple[Way, ...]:
        """The bounds there are."""
        return (*((Way.CLASS,) if self.rules else ()), *((Way.PRIVACY,) if self.flattery is not None else ()))


def choice_of(learner: Learner, privacy: Privacy) -> Choice:
    """What is public about the choices of a learner of which this is certified.

    Only the privacy of whole records, without a delta, bounds how a rule follows its records.
    """
    if privacy.delta or privacy.unit is not Unit.RECORD:
        return Choice(learner.outcomes)
    epsilon = privacy.epsilon.upper
    return Choice(learner.outcomes, epsilon, epsilon * _still_unjudged(learner))


def _still_unjudged(learner: Learner) -> Fraction:
    """The share of epsilon that was not spent on drawing by the released rule's own mistakes, each at one price."""
    inner = learner.learner if isinstance(learner, Merged) else learner
    if isinstance(inner, Occam) and inner.mechanism == "exponential" and len(set(inner.prices)) == 1:
        return Fraction(0)
    if isinstance(inner, RefinedTrees) and len(set(inner.prices)) == 1:
        return inner.share
    return Fraction(1)


def span(low: Fraction, high: Fraction, n: int, *, choice: Choice | None, failure: Fraction) -> Span:
    """Where the true rate lies if the one on `n` records is from `low` to `high`; `choice` is None if these records
    had no part in the choice of the rule."""
    if choice is None:
        return _around(low, high, gap_holdout(n, failure=failure), Way.HOLDOUT)
    if not choice.ways:
        return Span(Fraction(0), Fraction(1), Way.NONE)
    each = failure / len(choice.ways)
    spans = []
    if choice.rules:
        spans.append(_around(low, high, gap_class(n, size=choice.rules, failure=each), Way.CLASS))
    if choice.flattery is not None and choice.modesty is not None:
        ends = interval_private(low, high, n, flattery=choice.flattery, modesty=choice.modesty, failure=each)
        spans.append(Span(*ends, Way.PRIVACY))
    return _together(spans)


def _together(spans: list[Span]) -> Span:
    """What follows from all of them: named after one that says it alone, if there is one."""
    low, high = max(one.low for one in spans), min(one.high for one in spans)
    alone = next((one for one in spans if (one.low, one.high) == (low, high)), None)
    return alone or Span(low, high, Way.BOTH)


def _around(low: Fraction, high: Fraction, gap: Fraction, way: Way) -> Span:
    return Span(max(Fraction(0), low - gap), min(Fraction(1), high + gap), way)
