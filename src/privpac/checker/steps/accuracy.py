"""Accuracy, checked."""

from __future__ import annotations

from privpac.checker import directed
from privpac.checker.reading import (
    Check,
    Tree,
    integer,
    no_premise,
    number,
    parameters,
    read_goal,
    require,
)

__all__ = ["RULES"]


def _occam(against: str) -> Check:
    def check(node: Tree) -> None:
        no_premise(node)
        error, failure, count = read_goal(node, against)
        *numbers, records = parameters(node, "odds", "ratio", "tilt", "records")
        odds, ratio, tilt = (number(text) for text in numbers)
        require(integer(records, 0) == count, "the numbers of records differ")
        require(0 < ratio <= tilt <= 1 and odds >= 0, "a parameter is out of range")
        base = (
            1 - error + error * tilt
            if against == "realizable"
            else (1 - error) / (2 * tilt) + tilt * (1 + error) / 2
        )
        require(directed.power_at_most(odds, base, records, failure), "the bound fails")

    return check


RULES: dict[str, Check] = {
    "occam-realizable": _occam("realizable"),
    "occam-agnostic": _occam("agnostic"),
}
