"""A released rule as an ONNX graph, for programs that score records without Python.

The graph has one input per column that the rule looks at and answers with the class and, where the model tells them,
with the share of every class. Cuts are the exact doubles at which a cell begins, so for records that `Model.predict`
accepts both give the same answers. A graph cannot refuse: a cell that `Model.predict` would refuse (an undeclared
category, an empty cell where none is declared) fails every test here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.cards.both import Both
from privpac.concepts.cards.card import Card
from privpac.concepts.cards.risks import SCALE
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.questions import Question, Questions
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.data.columns import Boolean, Categorical, Column, Date, Numeric
from privpac.data.raw import lookup
from privpac.data.schema import Schema
from privpac.errors import MissingExtra, PrivpacError
from privpac.report.subject import Subject

__all__ = ["to_onnx"]

OPSET = 19
"""The first in which texts can be compared."""
IR_VERSION = 9
"""What runtimes since 2023 read."""
EPOCH = datetime(1970, 1, 1)
KINDS: Mapping[type[Column], str] = {Numeric: "DOUBLE", Boolean: "BOOL", Categorical: "STRING", Date: "INT64"}
"""What ONNX calls the type of the input of a column."""


def to_onnx(model: Subject) -> bytes:
    """The rule as an ONNX graph, in bytes: inputs by the names of columns, outputs `label` and, if the model tells
    them, `probabilities`.

    Numbers are doubles, booleans are booleans, categories are text, dates are whole days since 1970-01-01 and times
    whole seconds on the column's own clock; each input is a vector. The label is the class as `Model.predict` gives
    it: a number, a boolean or text. Needs `pip install 'privpac[onnx]'`.

    Raises `MissingExtra` without that package, and `PrivpacError` for rules that are neither cards nor questions asked
    one after the other.
    """
    try:
        import onnx
    except ImportError:
        raise MissingExtra("Writing a rule as ONNX", "onnx") from None
    helper = onnx.helper
    builder = _Builder(onnx, model.schema)
    builder.answer(model)
    graph = helper.make_graph(
        builder.nodes, "privpac", builder.inputs(), builder.outputs, initializer=builder.constants
    )
    graph_file = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
    )
    graph_file.producer_name = "privpac"
    graph_file.producer_version = model.version
    graph_file.doc_string = model.describe()
    onnx.checker.check_model(graph_file, full_check=True)
    content: bytes = graph_file.SerializeToString()
    return content


@dataclass
class _Builder:
    """Nodes of a graph in the order in which they are computed; every step names its result."""

    onnx: Any
    """The module of that name, which not everybody has."""
    schema: Schema
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    named: dict[str, Column] = field(default_factory=dict)
    """Columns by the name of their input, in the order of their first use."""
    held: dict[Test, str] = field(default_factory=dict)
    """Tests that are computed already."""

    def inputs(self) -> list[Any]:
        """The declared inputs: one vector per column that was used."""
        return [
            self.onnx.helper.make_tensor_value_info(
                name, getattr(self.onnx.TensorProto, KINDS[type(column)]), ["records"]
            )
            for name, column in self.named.items()
        ]

    def step(self, kind: str, *inputs: str) -> str:
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name]))
        return name

    def constant(self, value: NDArray[Any]) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(value, name))
        return name

    def number(self, value: int) -> str:
        return self.constant(np.array(value, dtype=np.int64))

    def answer(self, model: Subject) -> None:
        """The class of every record, and the share of every class if the model tells it."""
        rule = model.hypothesis
        if isinstance(rule, Card):
            points = self.points(rule)
            enough = self.step("GreaterOrEqual", points, self.number(rule.cutoff))
            self.label(self.step("Where", enough, self.number(1), self.number(0)))
            risks = np.array(rule.risks, dtype=np.float64)
            self.shares(points, np.column_stack([SCALE - risks, risks]) / SCALE)
            return
        questions = rule.questions(self.schema)
        if questions is None:
            raise PrivpacError(
                "This rule cannot be written as ONNX.",
                remedy="Trees, lists, cuts and cards can; see to_sql for others.",
            )
        self.label(self.every(self.tree(questions)))
        if isinstance(rule, Tree) and model.leaf_counts is not None:
            leaves = self.every(self.leaf(rule, 0)[0])
            self.shares(leaves, model.leaf_counts.shares(rule))

    def label(self, positions: str) -> None:
        values = self.schema.class_values
        kind = {"i": "INT64", "f": "DOUBLE", "b": "BOOL"}.get(values.dtype.kind, "STRING")
        self.output("label", values, positions, kind, "records")

    def shares(self, positions: str, table: NDArray[np.float64]) -> None:
        self.output("probabilities", table, positions, "DOUBLE", "records", table.shape[1])

    def output(self, name: str, rows: NDArray[Any], positions: str, kind: str, *shape: str | int) -> None:
        """What the graph answers: of these rows, those at the positions."""
        helper, proto = self.onnx.helper, self.onnx.TensorProto
        self.nodes.append(helper.make_node("Gather", [self.constant(rows), positions], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, getattr(proto, kind), list(shape)))

    def every(self, value: str) -> str:
        """A value for every record, also where the rule asks nothing: as many as the first column has."""
        if not self.named:
            first = self.schema.columns[0]
            self.named[first.name] = first
        shape = self.step("Shape", next(iter(self.named)))
        return self.step("Expand", value, shape)

    def tree(self, questions: Questions) -> str:
        if not isinstance(questions, Question):
            return self.number(questions)
        holds, fails = self.tree(questions.holds), self.tree(questions.fails)
        return self.step("Where", self.test(questions.test), holds, fails)

    def leaf(self, tree: Tree, first: int) -> tuple[str, int]:
        """The number of a record's leaf, counted from `first` on in the order of `leaves`, and the next number."""
        if not isinstance(tree, Split):
            assert isinstance(tree, Leaf)
            return self.number(first), first + 1
        low, middle = self.leaf(tree.low, first)
        high, end = self.leaf(tree.high, middle)
        return self.step("Where", self.test(tree.test), high, low), end

    def points(self, card: Card) -> str:
        total = self.number(sum(block.base for block in card.with_points))
        for block in card.with_points:
            for one in block.merged:
                holds = self.both(one.test) if isinstance(one.test, Both) else self.test(one.test)
                points = self.step("Where", holds, self.number(one.points), self.number(0))
                total = self.step("Add", total, points)
        return self.every(total)

    def both(self, both: Both) -> str:
        sides = [
            self.test(one.test) if one.holds else self.step("Not", self.test(one.test))
            for one in both.answers
        ]
        return self.step("And", *sides)

    def test(self, test: Test) -> str:
        if test not in self.held:
            column = self.schema.column(test.column)
            self.named.setdefault(column.name, column)
            self.held[test] = self.compared(column, test)
        return self.held[test]

    def compared(self, column: Column, test: Test) -> str:
        if isinstance(column, Categorical):
            return self.category(column, test.cell)
        if isinstance(column, Boolean):
            return column.name if test.cell else self.step("Not", column.name)
        if isinstance(column, Date):
            return self.step("GreaterOrEqual", column.name, self.number(_count(column, test.cell)))
        assert isinstance(column, Numeric)
        bound = self.constant(np.array(column.value(test.cell), dtype=np.float64))
        return self.step("GreaterOrEqual", self.filled(column), bound)

    def filled(self, column: Numeric) -> str:
        """The column with its declared value where a cell is empty or infinite."""
        if column.missing is None:
            return column.name
        empty = self.step("Or", self.step("IsNaN", column.name), self.step("IsInf", column.name))
        return self.step(
            "Where", empty, self.constant(np.array(column.missing, dtype=np.float64)), column.name
        )

    def category(self, column: Categorical, cell: int) -> str:
        """Whether a text means this category: a spelling of it, or an empty or unlisted text if it takes those."""
        spellings = lookup(column.names)
        name = column.names[cell]
        matches = self.among(column, [text for text, position in spellings.items() if position == cell])
        if name == column.missing:
            matches = self.step("Or", matches, self.among(column, [""]))
        if name == column.other:
            in_list = self.among(column, [*spellings, ""])
            matches = self.step("Or", matches, self.step("Not", in_list))
        return matches

    def among(self, column: Categorical, texts: list[str]) -> str:
        union = ""
        for text in texts:
            one = self.step("Equal", column.name, self.constant(np.array(text, dtype=object)))
            union = self.step("Or", union, one) if union else one
        return union


def _count(column: Date, cell: int) -> int:
    """Days since 1970-01-01, or seconds if the column has a time of day."""
    since = datetime.fromisoformat(str(column.value(cell))) - EPOCH
    return since.days if not column.with_time else round(since.total_seconds())
