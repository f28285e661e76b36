"""Where a hypothesis over one ordered column changes its answer.

Statement: SWITCH(h) holds these cuts and the two ends. For every cut t some cut of SWITCH(h) errs, with respect to t,
only where h itself errs. So whatever h is worth, a cut made of one of its own switches is worth as much.
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Definition 5.3 and proof of Theorem 5.4.
Proof: docs/proofs/switch-reconstruction.md. Tested by tests/unit/test_reconstruction.py (all h and t up to 8 cells).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from privpac.concepts.base import Hypothesis
from privpac.concepts.line.intervals import Interval
from privpac.concepts.line.stumps import Constant
from privpac.concepts.line.thresholds import Threshold
from privpac.concepts.line.unions import Union
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.conjunctions import Conjunction, Disjunction
from privpac.concepts.no_answer import NoAnswer
from privpac.concepts.sets.points import Point
from privpac.concepts.trees.lists import DecisionList
from privpac.concepts.trees.tree import Leaf, Split
from privpac.data.column import Column
from privpac.errors import ParameterError

__all__ = ["switches"]


def _of_tests(tests: Iterable[Test]) -> Iterator[int]:
    for test in tests:
        yield test.cell
        if test.kind == "equals":
            yield test.cell + 1


_EDGES: Mapping[type[Any], Callable[[Any], Iterable[int]]] = {
    Threshold: lambda h: (h.cut,),
    Interval: lambda h: (h.low, h.high),
    Union: lambda h: [end for bounds in h.intervals for end in bounds],
    Point: lambda h: (h.cell, h.cell + 1),
    Constant: lambda h: (),
    NoAnswer: lambda h: (),
    Leaf: lambda h: (),
    Split: lambda h: _of_tests(h.tests()),
    DecisionList: lambda h: _of_tests(rule.test for rule in h.rules),
    Conjunction: lambda h: _of_tests(test for test, _ in h.literals),
    Disjunction: lambda h: _of_tests(test for test, _ in h.literals),
}
"""Cells at which a hypothesis of each kind can begin another answer; some may turn out to change nothing."""


def switches(hypothesis: Hypothesis, column: Column) -> tuple[int, ...]:
    """The cuts 0 and column.size and those between them where the answer differs from that of the cell before."""
    edges = _EDGES.get(type(hypothesis))
    if edges is None or not set(hypothesis.columns) <= {column.name}:
        raise ParameterError(
            "switches",
            "hypothesis",
            type(hypothesis).__name__,
            allowed=f"a rule about {column.name!r} alone, made of cuts and values",
        )
    inner = sorted({edge for edge in edges(hypothesis) if 0 < edge < column.size})
    kind = object if column.size > 2**64 else np.uint64
    answers = hypothesis.predict({column.name: np.array([0, *inner], dtype=kind)}).tolist()
    changed = [
        cut for cut, before, after in zip(inner, answers, answers[1:], strict=False) if before != after
    ]
    return (0, *changed, column.size)
