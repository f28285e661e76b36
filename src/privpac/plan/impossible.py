"""What nobody can do who answers a question: the floors of the question itself, whichever rows a plan has.

A row may hide more than was asked, and its floor then says nothing about methods that hide less. So what is said of all
methods is asked of one option that hides and promises just what the question wants.
Tested by tests/unit/plan/test_impossible.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from privpac.constructions.option import Protects, Setting
from privpac.plan.answer import Answer, Value, with_floor
from privpac.plan.question import Question

__all__ = ["Limit", "limit_of"]


@dataclass(frozen=True)
class Limit:
    """Fewer records, a smaller error or a smaller epsilon than this is impossible, by the statement `source`."""

    value: Value
    source: str
    proper: bool
    """Whether it speaks only of methods that answer with a rule of the class."""


def limit_of(
    question: Question, row: Answer, *, setting: Setting, proper: bool, pure: bool = True
) -> Limit | None:
    """The floor of all methods that would answer the question about the class of a row.

    With `proper` of those that answer with a rule of the class; with `pure` of those without a delta. None where
    nothing is excluded.
    """
    anything = replace(
        row.option,
        learner="any method",
        setting=setting,
        protects=cast(Protects, question.protect),
        proper=proper,
        pure=pure,
        pool=False,
        asks=False,
    )
    bound = with_floor(question, replace(row, option=anything, floor=None, floor_source=None))
    if bound.floor is None or bound.floor_source is None:
        return None
    return Limit(bound.floor, bound.floor_source, proper)
