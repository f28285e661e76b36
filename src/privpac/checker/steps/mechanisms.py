"""Mechanisms, checked: the loss is the ratio's."""

from __future__ import annotations

from fractions import Fraction

from privpac.checker import directed
from privpac.checker.reading import (
    Check,
    Loss,
    Tree,
    integer,
    no_premise,
    number,
    parameters,
    read_fact,
    read_privacy,
    require,
)

__all__ = ["RULES"]


def _mechanism(exponent: str, twice: bool, release: str | None = None) -> Check:
    """Loss ratio^-(2·sensitivity) of a selection, ratio^-change of noise."""

    def check(node: Tree) -> None:
        no_premise(node)
        fact = read_privacy(node)
        require(fact.loss == _mechanism_loss(node, exponent, twice), "epsilon is not the ratio's")
        require(fact.delta == 0, "delta must be 0")
        require(release in (None, fact.release), "the release is not what this mechanism gives")

    return check


def _mechanism_loss(node: Tree, exponent: str, twice: bool) -> Loss:
    ratio, amount = parameters(node, "ratio", exponent)
    base, count = number(ratio), integer(amount, 1)
    require(0 < base <= 1 and (twice or base < 1), "the ratio is out of range")
    return Loss(Fraction(0), directed.power(1 / base, 2 * count if twice else count))


def _bounded_range(node: Tree) -> None:
    no_premise(node)
    loss = Loss.read(read_fact(node, "bounded-range")["epsilon"])
    require(loss == _mechanism_loss(node, "sensitivity", True), "epsilon is not the ratio's")


RULES: dict[str, Check] = {
    "exponential-mechanism": _mechanism("sensitivity", True),
    "leafwise-exponential": _mechanism("sensitivity", True, "hypothesis"),
    "permute-and-flip": _mechanism("sensitivity", True, "hypothesis"),
    "bounded-range": _bounded_range,
    "geometric-noise": _mechanism("change", False, "noisy numbers"),
}
