"""Rules that ask one thing after the other: the questions, whatever the rule itself looks like.

A test whose answer follows from the bounds of its column is no question, so it is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from privpac.concepts.literals.binarise import Facts, Test
from privpac.data.schema import Schema

__all__ = ["Question", "Questions", "ask", "ask_all", "ask_ranges", "cells_of"]


@dataclass(frozen=True)
class Question:
    """A test, and what to do where it holds and where it does not."""

    test: Test
    holds: Questions
    fails: Questions


Questions = Question | int
"""A question, or the class to answer."""


def ask(test: Test, positive: bool, then: Questions, otherwise: Questions, schema: Schema) -> Questions:
    """`then` where the test holds (`positive`) or does not; no question whose answer the bounds give."""
    holds, fails = (then, otherwise) if positive else (otherwise, then)
    answer = _by_bounds(test, schema.column(test.column).size)
    return Question(test, holds, fails) if answer is None else holds if answer else fails


def _by_bounds(test: Test, size: int) -> bool | None:
    if (size == 1 and test.cell == 0) or (test.kind == "at least" and test.cell <= 0):
        return True
    return False if test.cell >= size else None


def ask_all(literals: Facts, inside: Questions, outside: Questions, schema: Schema) -> Questions:
    """`inside` where every literal holds."""
    tree = inside
    for test, positive in reversed(literals):
        tree = ask(test, positive, tree, outside, schema)
    return tree


def ask_ranges(column: str, ranges: Iterable[tuple[int, int]], inside: int, schema: Schema) -> Questions:
    """Outside, inside, outside, … from the largest cut down to the smallest."""
    tree: Questions = 1 - inside
    for low, high in sorted((pair for pair in ranges if pair[0] < pair[1]), reverse=True):
        tree = ask(Test(column, high, "at least"), True, tree, inside, schema)
        tree = ask(Test(column, low, "at least"), True, tree, 1 - inside, schema)
    return tree


def cells_of(tests: Iterable[Test]) -> Iterator[int]:
    """Cells at which the answer to one of the tests changes."""
    for test in tests:
        yield test.cell
        if test.kind == "equals":
            yield test.cell + 1
