"""Every rule that asks one thing after the other, as a tree: one picture for all of them."""

from __future__ import annotations

from privpac.concepts.base import Hypothesis
from privpac.concepts.literals.questions import Questions
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.data.schema import Schema

__all__ = ["as_tree"]


def as_tree(hypothesis: Hypothesis, schema: Schema) -> Tree | None:
    """The same function as a tree; None where there is none to be drawn."""
    questions = hypothesis.questions(schema)
    return None if questions is None else _from_questions(questions)


def _from_questions(questions: Questions) -> Tree:
    if isinstance(questions, int):
        return Leaf(questions)
    return Split(questions.test, _from_questions(questions.fails), _from_questions(questions.holds))
