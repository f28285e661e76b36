"""Whether a rule says the same to everybody, or to everybody but at the edge of the declared ranges: free to say.

It follows from the released rule and the schema alone. A rule that was drawn where nothing stood out often looks like
one about something: `age >= 99` of ages up to 100 is a constant for nearly all people there are. Where a column says
which values are usual, those are what counts; otherwise a hundredth of the range on either side is its edge.
"""

from __future__ import annotations

from collections.abc import Iterator

from privpac.concepts.base import Hypothesis
from privpac.concepts.cards.card import Card
from privpac.concepts.literals.cell_sets import CellSet
from privpac.concepts.literals.questions import Question, Questions
from privpac.concepts.literals.reach import NOBODY, Reach
from privpac.data.columns import Numeric
from privpac.data.schema import Schema

__all__ = ["always", "nearly_always"]

EDGE = 100
"""The edge of a range is this part of it on either side, and at least one value."""
FEWEST = 20
"""Ordered values of which a single one is an edge; of fewer each may be what a rule is about."""

MOST_WAYS = 10_000
"""Ways through the questions of a rule that are followed; where there are more, nobody calls it constant."""


def always(rule: Hypothesis, schema: Schema) -> int | None:
    """The class that the rule says to everybody; None if it may say several, or nobody can tell from its form."""
    if isinstance(rule, Card):  # whose points are all there is of it: without any, it ranks nobody
        return None if rule.top else int(rule.cutoff <= 0)
    return _one(rule, schema, {})


def nearly_always(rule: Hypothesis, schema: Schema) -> int | None:
    """The same where records at the edge of the declared ranges are left out, and where they make the difference."""
    if isinstance(rule, Card) or always(rule, schema) is not None:
        return None
    return _one(rule, schema, {name: _inner(schema, name) for name in rule.columns})


def _one(rule: Hypothesis, schema: Schema, left: dict[str, CellSet]) -> int | None:
    """The one class of all records with these cells."""
    asked = rule.questions(schema)
    if asked is None:
        return None
    found: set[int] = set()
    for number, answer in enumerate(_answers(asked, Reach(schema, left))):
        found.add(answer)
        if len(found) > 1 or number > MOST_WAYS:
            return None
    return found.pop() if found else None


def _answers(asked: Questions, reach: Reach) -> Iterator[int]:
    """What is said to anybody who can arrive here."""
    if reach.arrival == NOBODY:
        return
    if not isinstance(asked, Question):
        yield asked
        return
    yield from _answers(asked.holds, reach.after(asked.test, holds=True))
    yield from _answers(asked.fails, reach.after(asked.test, holds=False))


def _inner(schema: Schema, name: str) -> CellSet:
    """The cells of a column but for its edges."""
    column = schema.column(name)
    first, last = 0, column.size - 1
    if isinstance(column, Numeric) and column.usual is not None:
        first, last = column.cut_cells
    elif column.ordered and column.size >= FEWEST:
        edge = max(1, column.size // EDGE)
        first, last = edge, last - edge
    return CellSet.of(name, column.size, [(first, last)])
