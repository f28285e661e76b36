"""Accuracy, checked."""

from __future__ import annotations

from privpac.checker import directed
from privpac.checker.reading import Check, Tree, integer, number, parameters, read_fact, require

__all__ = ["RULES"]


def _occam(against: str) -> Check:
    def check(node: Tree) -> None:
        require(not node.get("premises"), "an accuracy bound has no premises")
        fact = read_fact(node, "accuracy")
        *numbers, records = parameters(node, "odds", "ratio", "tilt", "records")
        odds, ratio, tilt = (number(text) for text in numbers)
        error, failure = number(fact["error"]), number(fact["failure"])
        require(fact["against"] == against and fact["proper"] is True, "another kind of accuracy")
        require(integer(records, 0) == integer(fact["records"], 0), "the numbers of records differ")
        require(0 < ratio <= tilt <= 1 and odds >= 0, "a parameter is out of range")
        require(0 < error <= 1 and 0 < failure < 1, "error or failure is out of range")
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
