"""Whoever makes certificates and the rule book say the same of steps beside those that hold.

Every rule states its conditions twice: in its maker, and in the book, which no maker reads. Steps are made from ones
that hold by changing what stands in them at random; where the book accepts and the maker refuses, the book asks too
little, or the other way round.
"""

from __future__ import annotations

import json
import random
import zlib
from fractions import Fraction
from functools import cache
from itertools import islice
from typing import Any

import pytest

from privpac.checker.book import Condition, book
from privpac.checker.functions import Loss
from tests.vectors.frozen import tight
from tests.vectors.judge import Case, Judge
from tests.vectors.remaking import follows
from tests.vectors.tight import BASES, Beside, bases_of_rules

SECONDS = 0.05
"""A step that takes longer is left out."""
HARDLY = 1 + Fraction(1, 10**9)
"""Makers bound powers by intervals: of two equal numbers they do not say that one is at most the other."""


@cache
def judge() -> Judge:
    return Judge(book())


def disagreements(rule: str, steps: int) -> list[tuple[str, Any]]:
    """What the book says of steps of which the maker says otherwise."""
    found: list[tuple[str, Any]] = []
    for (name, _), bases in bases_of_rules().items():
        if name != rule:
            continue
        chance = random.Random(rule)
        for base in bases[:BASES]:
            beside = Beside(judge(), base)
            near = list(beside.near())
            for tree in [*chance.sample(near, min(len(near), steps)), *islice(beside.pairs(), steps)]:
                case = judge().case("", tree, seconds=SECONDS)
                if (
                    case is not None
                    and _comparable(case)
                    and follows(tree) != case.accepted
                    and not _rounded(case)
                ):
                    found.append(
                        (f"the book says {case.accepted}, but for {sorted(map(str, case.fails))}", tree)
                    )
    return found


def _comparable(case: Case) -> bool:
    """Limits of size are the checkers' own, and makers give up on losses that nobody could use."""
    limits = {
        (id(case.rule), "body", i)
        for i, part in enumerate(case.rule.body)
        if isinstance(part, Condition) and part.limit
    }
    losses = [value for value in case.names["fact"].values() if isinstance(value, Loss)]
    return not case.fails & limits and all(loss.factor < 2**1000 and loss.log < 700 for loss in losses)


def _rounded(case: Case) -> bool:
    """Whether the maker makes the step for a failure that is hardly larger."""
    failure = case.tree["fact"].get("failure")
    if not case.accepted or failure is None:
        return False
    return follows({**case.tree, "fact": {**case.tree["fact"], "failure": str(Fraction(failure) * HARDLY)}})


@pytest.mark.parametrize("rule", [name for name in book().rules if zlib.crc32(name.encode()) % 4 == 0])
def test_makers_and_book_agree_on_some_steps(rule: str) -> None:
    assert disagreements(rule, 5) == []


@pytest.mark.long
@pytest.mark.parametrize("rule", book().rules)
def test_makers_and_book_agree(rule: str) -> None:
    assert disagreements(rule, 40) == []


def test_makers_say_of_every_edge_what_is_stored() -> None:
    """But for limits of size, which are those of checkers."""
    wrong = []
    for vector in tight():
        tree = json.loads(vector.text)
        case = judge().case(vector.name, tree)
        if case is not None and _comparable(case) and follows(tree) != (vector.expected == "accepted"):
            wrong.append(vector.name)
    assert wrong == []
