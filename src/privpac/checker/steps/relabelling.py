"""Relabelling, checked."""

from __future__ import annotations

from fractions import Fraction

from privpac.checker import directed
from privpac.checker.reading import (
    ALL,
    Check,
    Loss,
    Tree,
    integer,
    number,
    only_premise,
    pair,
    parameters,
    read_fact,
    read_privacy,
    read_ratio,
    require,
)

__all__ = ["RULES"]

ONE = Fraction(1)


def _relabelling(ranks: bool) -> Check:
    def check(node: Tree) -> None:
        new, old = pair(node)
        require((new.unit, new.part) == ("record", ALL), "whole records must be protected, all of them")
        ratio, *counts = parameters(node, "ratio", "kept", "of", "change", "mistake")
        kept, of, change, mistake = (integer(count, 1) for count in counts)
        require(kept < of, "nobody is left to vote")
        worth = 1 / read_ratio(ratio)
        one = directed.power(worth, mistake)  # weight of one mistake
        shift = directed.power(worth, 2 * change)
        e = old.loss.rational
        if ranks:
            heavy, inside = one**2, shift * e**2
            delta = old.delta + e * old.delta
        else:
            heavy = (one + one**2) / 2 if change >= mistake else one**2
            inside, delta = 4 * shift * e, old.delta
        factor = one**2
        if inside > factor:
            votes, labels = Fraction(of - kept, of), Fraction(kept, of) * heavy
            factor = directed.shorten((votes * factor + labels * inside) / (votes + labels))
        require(new.loss == Loss(Fraction(0), factor), "epsilon is not that of relabelling")
        share = Fraction(kept, of) * min(ONE, delta)
        require(new.delta == directed.shorten(share), "delta is not that of relabelling")

    return check


def _part(node: Tree) -> None:
    new, old = pair(node)
    ratio, change = parameters(node, "ratio", "change")
    shift = directed.power(1 / read_ratio(ratio), 2 * integer(change, 1))
    require(new.unit == "record", "whole records must be protected")
    factor = directed.shorten(4 * shift * old.loss.factor)
    require(new.loss == Loss(old.loss.log, factor), "epsilon is not that of relabelled records")
    require(new.delta == old.delta, "delta is not the premise's")


def _share(node: Tree) -> Fraction:
    kept, of = (integer(value, 1) for value in parameters(node, "kept", "of"))
    require(kept <= of, "more records are kept than there are")
    return Fraction(kept, of)


def _listing(node: Tree) -> None:
    new, old = read_privacy(node), read_fact(only_premise(node), "bounded-range")
    require((new.unit, new.part) == (old["unit"], ALL), "the scope differs from the premise's")
    require(new.release == "hypothesis", "the release is not what this draw gives")
    require(new.loss == Loss.read(old["epsilon"]), "epsilon is not the draw's")
    require(new.delta == _share(node), "delta is not the share that is kept")


def _stable(node: Tree) -> None:
    new, old = read_fact(node, "stability"), read_fact(only_premise(node), "stability")
    require(new["unit"] == old["unit"], "the unit differs from the premise's")
    share, gamma = _share(node), number(old["gamma"])
    require(number(new["gamma"]) == gamma + share - share * gamma, "gamma is not that of the mixture")


RULES: dict[str, Check] = {
    "relabelling": _relabelling(False),
    "rank-relabelling": _relabelling(True),
    "relabelling-part": _part,
    "listed-from-some": _listing,
    "stable-from-some": _stable,
}
