"""A learner whose rule is written down without parts that change nothing.

A drawn list may repeat a test, ask one whose answer is known, or end in rules that say what the default says. Leaving
them out looks at the rule and the schema only, so it is post-processing, and the function, with all that is proved of
its errors, stays the same.
Tested by tests/exact/ (rows `lists`, `lists-three-classes`, `conjunctions`, `disjunctions`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis, MergeableClass
from privpac.constructions.base import Around, Learner
from privpac.constructions.wrappers.nested import empirical_accuracy
from privpac.data.sample import Sample, Size
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.proof import Proof

__all__ = ["LEFT_OUT", "Merged"]

LEFT_OUT = "parts of the rule that change nothing left out"
"""How certificates call it."""


@dataclass(frozen=True)
class Merged(Around):
    """`learner`, over a `MergeableClass`, with what it releases merged."""

    learner: Learner

    def certify(self, size: Size) -> Certificate:
        inner = self.learner.certify(size)
        return replace(inner, privacy=rules.post_processing(inner.privacy, what=LEFT_OUT))

    def certify_empirical(self, size: Size) -> Proof[Accuracy] | None:
        """What the learner promises about mistakes on the records themselves: they stay the same."""
        return empirical_accuracy(self.learner, size)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return cast(MergeableClass, self.learner.concepts).contains_merged(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        drawn: Any = self.learner.learn(sample, coins)
        short: Hypothesis = drawn.merged()
        return short
