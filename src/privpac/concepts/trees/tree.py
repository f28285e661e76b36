"""A decision tree as a frozen value: what a draw releases, and all a person does with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, RuleBase
from privpac.concepts.fitting import labels_misfit
from privpac.concepts.literals.binarise import Facts, Test, implied
from privpac.concepts.literals.questions import Question, Questions, cells_of
from privpac.concepts.literals.reach import Arrival, Reach
from privpac.concepts.shapes import Everywhere
from privpac.data.schema import Schema
from privpac.fields import Malformed, record, whole

__all__ = ["Leaf", "Split", "Tree"]

INDENT = "  "


class Tree(RuleBase, ABC):
    """A leaf, or a test with a tree for either answer."""

    kind: ClassVar[str] = "tree"

    @abstractmethod
    def leaves(self) -> Iterator[Leaf]:
        """All leaves, those where a test fails before those where it holds."""

    @abstractmethod
    def with_leaves(self, subtrees: Iterator[Tree]) -> Tree:
        """The tree with its leaves, in order, replaced by the next of `subtrees`."""

    def merged(self) -> Tree:
        """The same function with fewer leaves: no test whose answer is known or whose two sides agree.

        This looks at the tree only, so it is post-processing and costs nothing.
        """
        return self._merge(())

    @abstractmethod
    def _merge(self, facts: Facts) -> Tree: ...

    @property
    @abstractmethod
    def depth(self) -> int: ...

    @abstractmethod
    def _fill(self, cells: Cells, rows: NDArray[np.intp] | None, out: NDArray[Any], count: int) -> int:
        """Write leaf numbers from `count` on to the given rows of `out`; returns the next free number."""

    @abstractmethod
    def _lines(self, reach: Reach, indent: str) -> Iterator[str]:
        """The lines of `describe` for those who arrive here."""

    def arrivals(self, schema: Schema) -> Iterator[Arrival]:
        """For every leaf why hardly any record arrives there, if that follows from the schema."""
        return self._arrivals(Reach(schema))

    @abstractmethod
    def _arrivals(self, reach: Reach) -> Iterator[Arrival]: ...

    @abstractmethod
    def to_sql(self, schema: Schema) -> str: ...

    @abstractmethod
    def _node(self) -> dict[str, object]: ...

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(test.column for test in self.tests()))

    @abstractmethod
    def questions(self, schema: Schema) -> Questions: ...

    @abstractmethod
    def tests(self) -> Iterator[Test]:
        """All tests, from the root down."""

    def column_weights(self, schema: Schema) -> Mapping[str, Fraction]:
        """A test weighs the share of the tree below it: 1 at the root, one half on either side of it, and so on."""
        weights: dict[str, Fraction] = {}
        for column, share in self._shares(Fraction(1)):
            weights[column] = weights.get(column, Fraction(0)) + share
        return weights

    @abstractmethod
    def _shares(self, share: Fraction) -> Iterator[tuple[str, Fraction]]:
        """The column of every test and the share of the tree below it, if `share` is the root's."""

    @property
    def title(self) -> str:
        tests = sum(1 for _ in self.tests())
        return f"A decision tree of {tests} test{'s' * (tests != 1)}"

    def leaf_numbers(self, cells: Cells, *, n: int | None = None) -> NDArray[np.int32]:
        """For every record the number of its leaf in the order of `leaves()`.

        `n` is needed only for a tree that looks at no column, if `cells` is empty.
        """
        if n is None:
            n = len(next(iter(cells.values()))) if cells else 0
        out = np.zeros(n, dtype=np.int32)
        self._fill(cells, None, out, 0)
        return out

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        labels = np.array([leaf.label for leaf in self.leaves()], dtype=np.uint8)
        return labels[self.leaf_numbers(cells)]

    def describe(self, schema: Schema) -> str:
        return "\n".join(self._lines(Reach(schema), ""))

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "root": self._node()}

    @staticmethod
    def from_json(tree: Mapping[str, Any]) -> Tree:
        return _read(record(tree, "kind", "root")["root"])

    def misfit(self, schema: Schema) -> str | None:
        for test in self.tests():
            reason = test.misfit(schema)
            if reason is not None:
                return reason
        return labels_misfit(schema, (leaf.label for leaf in self.leaves()))

    def edges(self) -> Iterable[int]:
        return cells_of(self.tests())


@dataclass(frozen=True)
class Leaf(Tree):
    """The same class for every record that arrives here."""

    label: int

    def leaves(self) -> Iterator[Leaf]:
        yield self

    def with_leaves(self, subtrees: Iterator[Tree]) -> Tree:
        return next(subtrees)

    def tests(self) -> Iterator[Test]:
        return iter(())

    def _shares(self, share: Fraction) -> Iterator[tuple[str, Fraction]]:
        return iter(())

    def _merge(self, facts: Facts) -> Tree:
        return self

    @property
    def depth(self) -> int:
        return 0

    def _fill(self, cells: Cells, rows: NDArray[np.intp] | None, out: NDArray[Any], count: int) -> int:
        if rows is None:
            out[:] = count
        else:
            out[rows] = count
        return count + 1

    def _lines(self, reach: Reach, indent: str) -> Iterator[str]:
        yield f"always {reach.schema.class_names[self.label]}"

    def _arrivals(self, reach: Reach) -> Iterator[Arrival]:
        yield reach.arrival

    def to_sql(self, schema: Schema) -> str:
        return str(self.label)

    def questions(self, schema: Schema) -> Questions:
        return self.label

    def shape(self, schema: Schema) -> Everywhere:
        return Everywhere(self.label)

    def _node(self) -> dict[str, object]:
        return {"label": self.label}


@dataclass(frozen=True)
class Split(Tree):
    """`high` where the test holds, `low` where it does not."""

    test: Test
    low: Tree
    high: Tree

    def leaves(self) -> Iterator[Leaf]:
        yield from self.low.leaves()
        yield from self.high.leaves()

    def with_leaves(self, subtrees: Iterator[Tree]) -> Tree:
        low = self.low.with_leaves(subtrees)
        return Split(self.test, low, self.high.with_leaves(subtrees))

    def tests(self) -> Iterator[Test]:
        yield self.test
        yield from self.low.tests()
        yield from self.high.tests()

    def _shares(self, share: Fraction) -> Iterator[tuple[str, Fraction]]:
        yield self.test.column, share
        yield from self.low._shares(share / 2)
        yield from self.high._shares(share / 2)

    def _merge(self, facts: Facts) -> Tree:
        answer = implied(self.test, facts)
        if answer is not None:
            return (self.high if answer else self.low)._merge(facts)
        low = self.low._merge((*facts, (self.test, False)))
        high = self.high._merge((*facts, (self.test, True)))
        return low if low == high else Split(self.test, low, high)

    @property
    def depth(self) -> int:
        return 1 + max(self.low.depth, self.high.depth)

    def _fill(self, cells: Cells, rows: NDArray[np.intp] | None, out: NDArray[Any], count: int) -> int:
        name = self.test.column
        here = cells[name] if rows is None else cells[name][rows]
        holds = self.test.holds({name: here})
        low, high = np.flatnonzero(~holds), np.flatnonzero(holds)
        if rows is not None:
            low, high = rows[low], rows[high]
        return self.high._fill(cells, high, out, self.low._fill(cells, low, out, count))

    def _lines(self, reach: Reach, indent: str) -> Iterator[str]:
        for child, positive in ((self.high, True), (self.low, False)):
            question = f"{indent}if {self.test.describe(reach.schema, positive=positive)}:"
            below = reach.after(self.test, holds=positive)
            if isinstance(child, Leaf):
                mark = f" ({below.arrival})" if below.arrival else ""
                yield f"{question} {reach.schema.class_names[child.label]}{mark}"
            else:
                yield question
                yield from child._lines(below, indent + INDENT)

    def _arrivals(self, reach: Reach) -> Iterator[Arrival]:
        yield from self.low._arrivals(reach.after(self.test, holds=False))
        yield from self.high._arrivals(reach.after(self.test, holds=True))

    def to_sql(self, schema: Schema) -> str:
        high, low = self.high.to_sql(schema), self.low.to_sql(schema)
        return f"CASE WHEN {self.test.to_sql(schema)} THEN {high} ELSE {low} END"

    def questions(self, schema: Schema) -> Questions:
        return Question(self.test, self.high.questions(schema), self.low.questions(schema))

    def _node(self) -> dict[str, object]:
        return {"test": self.test.to_json(), "low": self.low._node(), "high": self.high._node()}


def _read(node: object) -> Tree:
    if not isinstance(node, Mapping):
        raise Malformed("a node of a tree is expected")
    if "label" in node:
        return Leaf(whole(record(node, "label")["label"], least=0, most=255))
    record(node, "test", "low", "high")
    return Split(Test.from_json(node["test"]), _read(node["low"]), _read(node["high"]))
