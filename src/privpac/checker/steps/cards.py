"""Rounds of draws on capped weights, checked: every round pays for a window of four caps."""

from __future__ import annotations

from fractions import Fraction

from privpac.checker import directed
from privpac.checker.reading import (
    Check,
    Loss,
    Tree,
    integer,
    no_premise,
    parameters,
    read_privacy,
    read_ratio,
    require,
)

__all__ = ["RULES"]


def _weighted_rounds(node: Tree) -> None:
    no_premise(node)
    ratio, cap, rounds = parameters(node, "ratio", "cap", "rounds")
    base, most, count = read_ratio(ratio), integer(cap, 1), integer(rounds, 1)
    # One record leaves (its weight was at most `most`) and one comes: each moves a score by at most `most` up or down,
    # so all scores together stay within 4·most of each other, once per round.
    window = (most + most) - (-most - most)
    fact = read_privacy(node)
    require(
        fact.loss == Loss(Fraction(0), directed.power(1 / base, window * count)), "epsilon is not the rounds'"
    )
    require(fact.delta == 0, "delta must be 0")
    require(fact.release == "hypothesis", "the release is not what rounds of draws give")


RULES: dict[str, Check] = {"weighted-rounds": _weighted_rounds}
