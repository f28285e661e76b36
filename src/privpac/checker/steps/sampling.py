"""Sampling, checked."""

from __future__ import annotations

from fractions import Fraction

from privpac.checker import directed
from privpac.checker.reading import Check, Loss, Tree, integer, pair, parameters, require

__all__ = ["RULES"]


def _subsampling(node: Tree) -> None:
    new, old = pair(node)
    kept, of = (integer(value, 1) for value in parameters(node, "kept", "of"))
    require(kept <= of, "more records are kept than there are")
    share = Fraction(kept, of)
    factor = directed.shorten(1 - share + share * old.loss.rational)
    require(new.loss == Loss(Fraction(0), factor), "epsilon is not that of subsampling")
    require(new.delta == directed.shorten(share * old.delta), "delta is not that of subsampling")


def _with_replacement(node: Tree) -> None:
    new, old = pair(node)
    draws, of = (integer(value, 1) for value in parameters(node, "draws", "of"))
    e = old.loss.rational
    factor = directed.power((e + of - 1) / of, draws)
    require(new.loss == Loss(Fraction(0), factor), "epsilon is not that of sampling with replacement")
    scale = Fraction(draws, of) if e == 1 else (factor - 1) / (e - 1)
    delta = directed.shorten(min(Fraction(1), old.delta * scale))
    require(new.delta == delta, "delta is not that of sampling with replacement")


RULES: dict[str, Check] = {
    "subsampling-without-replacement": _subsampling,
    "sampling-with-replacement": _with_replacement,
}
