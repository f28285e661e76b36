"""Decision lists: a few literals in order, the first that holds decides; drawn exactly over the whole class.

The same sums as for trees, with the branch of the literal that holds forced to be a leaf (see `tree_law`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells, Costs, Hypothesis, RuleBase, Stored
from privpac.concepts.fitting import labels_misfit
from privpac.concepts.literals.binarise import Binarisation, Facts, Test, implied
from privpac.concepts.literals.cooccurrence import THREADS, Cooccurrence
from privpac.concepts.literals.questions import Questions, ask, cells_of
from privpac.concepts.trees.law import Law, Region, narrowed
from privpac.concepts.trees.prior import Shape
from privpac.concepts.trees.trees import GrownRules
from privpac.data.schema import Schema
from privpac.fields import as_list, flag, record, whole

__all__ = ["DecisionList", "DecisionLists", "DecisionListsGibbs", "Rule"]


@dataclass(frozen=True)
class Rule:
    """`label` where the test holds (`positive`), or where it does not."""

    test: Test
    positive: bool
    label: int

    def to_json(self) -> dict[str, object]:
        return {"test": self.test.to_json(), "positive": self.positive, "label": self.label}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Rule:
        record(tree, "test", "positive", "label")
        return cls(Test.from_json(tree["test"]), flag(tree["positive"]), whole(tree["label"]))


@dataclass(frozen=True)
class DecisionList(RuleBase):
    """The label of the first rule that applies, else `default`."""

    kind: ClassVar[str] = "list"
    rules: tuple[Rule, ...]
    default: int

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rule.test.column for rule in self.rules))

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        n = len(next(iter(cells.values()))) if cells else 0
        labels = np.full(n, self.default, dtype=np.uint8)
        for rule in reversed(self.rules):
            labels[rule.test.holds(cells) == rule.positive] = rule.label
        return labels

    def describe(self, schema: Schema) -> str:
        if not self.rules:
            return f"always {schema.class_names[self.default]}"
        lines = [
            f"if {rule.test.describe(schema, positive=rule.positive)}: {schema.class_names[rule.label]}"
            for rule in self.rules
        ]
        return "\nelse ".join(lines) + f"\nelse: {schema.class_names[self.default]}"

    def to_sql(self, schema: Schema) -> str:
        if not self.rules:
            return str(self.default)
        cases = (
            f"WHEN {rule.test.to_sql(schema, positive=rule.positive)} THEN {rule.label}"
            for rule in self.rules
        )
        return f"CASE {' '.join(cases)} ELSE {self.default} END"

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "rules": [rule.to_json() for rule in self.rules], "default": self.default}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> DecisionList:
        record(tree, "kind", "rules", "default")
        return cls(tuple(Rule.from_json(rule) for rule in as_list(tree["rules"])), whole(tree["default"]))

    def misfit(self, schema: Schema) -> str | None:
        reasons = (rule.test.misfit(schema) for rule in self.rules)
        labels = [*(rule.label for rule in self.rules), self.default]
        return next((reason for reason in reasons if reason), None) or labels_misfit(schema, labels)

    def merged(self) -> DecisionList:
        """The same function without rules that never apply or change nothing: post-processing."""
        rules: list[Rule] = []
        facts: Facts = ()
        default = self.default
        for rule in self.rules:
            answer = implied(rule.test, facts)
            if answer is not None and answer == rule.positive:  # it always applies, so nothing after it does
                default = rule.label
                break
            if answer is None:
                rules.append(rule)
                facts = (*facts, (rule.test, not rule.positive))
        while rules and rules[-1].label == default:
            rules.pop()
        return DecisionList(tuple(rules), default)

    def edges(self) -> Iterable[int]:
        return cells_of(rule.test for rule in self.rules)

    def questions(self, schema: Schema) -> Questions:
        tree: Questions = self.default
        for rule in reversed(self.rules):
            tree = ask(rule.test, rule.positive, rule.label, tree, schema)
        return tree


@dataclass(frozen=True)
class DecisionLists(GrownRules, Stored):
    """Decision lists of at most `length` rules over public tests; the prior is described with `Trees`."""

    schema: Schema
    length: int = 3
    binarisation: Binarisation | None = None
    stop: Fraction = Fraction(0)
    root_splits: bool = True
    label_prior: tuple[Fraction, ...] | None = None
    weights: tuple[int, ...] | None = None
    threads: int = THREADS

    shape: ClassVar[Shape] = "list"
    levels_name: ClassVar[str] = "length"

    @property
    def levels(self) -> int:
        return self.length

    def contains(self, hypothesis: Hypothesis) -> bool:
        if not isinstance(hypothesis, DecisionList) or not self._fits(hypothesis):
            return False
        left = self.length - len(hypothesis.rules)
        return left == 0 or self.prior.stop_at(left) > 0

    def _fits(self, hypothesis: DecisionList) -> bool:
        labels = [*(rule.label for rule in hypothesis.rules), hypothesis.default]
        has_tests = all(self._has(rule.test) for rule in hypothesis.rules)
        return len(hypothesis.rules) <= self.length and has_tests and all(map(self._labels, labels))

    def contains_merged(self, hypothesis: Hypothesis) -> bool:
        """Whether some member is this list once it is merged: rules may have had the label of the default."""
        if not isinstance(hypothesis, DecisionList):
            return False
        return self._fits(hypothesis) and hypothesis.merged() == hypothesis

    def gibbs(self, evidence: Cooccurrence, *, ratio: Fraction, costs: Costs) -> DecisionListsGibbs:
        return DecisionListsGibbs(self.tests, self.law(evidence, ratio=ratio, costs=costs))


@dataclass(frozen=True)
class DecisionListsGibbs:
    """The law to draw lists from."""

    tests: Binarisation
    law: Law

    def draw(self, coins: Coins) -> DecisionList:
        rules: list[Rule] = []
        region: Region = ()
        for left in range(self.law.prior.depth, 0, -1):
            option = coins.choose(self.law.node(region, left)) - 1
            if option < 0:
                break
            test, positive = option // 2, option % 2 == 1
            label = coins.choose(self.law.label(narrowed(region, test, positive)))
            rules.append(Rule(self.tests.tests[test], positive, label))
            region = narrowed(region, test, not positive)
        return DecisionList(tuple(rules), coins.choose(self.law.label(region)))
