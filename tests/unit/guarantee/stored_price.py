"""What a stored derivation costs in rho, read off its steps a second time with the checker's arithmetic.

The cheapest price that the steps show: by the last step, or by its epsilon alone. A document does not say how far
single counts move, so for noisy counts this may be more than what was charged when the document was written.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privpac.checker.book import Tree, book
from privpac.checker.check import check_derivation
from privpac.checker.directed import power
from privpac.checker.functions import Loss
from privpac.guarantee.rules.concentrated import DRAWS

__all__ = ["price_of", "stored_price"]

_CURVES = book().scope.functions
_KEEP = ("declared", "assuming", "on-part", "post-processing")
"""Rules that promise no more than their premise: its price is theirs, and so is its range."""


def price_of(derivation: Tree) -> Fraction:
    """The rho of a derivation of privacy, every step of which is derived again first.

    Raises NotCertified if a step does not follow.
    """
    check_derivation(derivation)
    price: Fraction = _CURVES["up24"](stored_price(derivation))
    return price


def stored_price(node: Tree) -> Fraction:
    """The same in full, of steps that were derived again."""
    alone = _CURVES["pure_rho"](_upper(node))
    if node["rule"] not in _STEPS:
        return alone
    price = _STEPS[node["rule"]](node)
    return alone if price is None else min(alone, price)


def _upper(node: Tree) -> Fraction:
    loss: Loss = book().value("loss", node["fact"]["epsilon"])
    return loss.upper


def _draw(node: Tree) -> Fraction:
    return _CURVES["spread_rho"](_upper(node))


def _same(node: Tree) -> Fraction:
    return stored_price(node["premises"][0])


def _times(node: Tree) -> Fraction | None:
    """Pure releases together: the sum. With a delta only the epsilon of all of them says anything."""
    if node["fact"]["delta"] != "0":
        return None
    return node["where"]["times"] * _same(node)


def _group(node: Tree) -> Fraction | None:
    if node["fact"]["delta"] != "0":
        return None
    return Fraction(node["where"]["size"]) ** 2 * _same(node)


def _subsampling(node: Tree) -> Fraction | None:
    inner = node["premises"][0]
    while inner["rule"] in _KEEP:
        inner = inner["premises"][0]
    if inner["rule"] not in DRAWS:
        return None
    kept, of = (node["where"][name] for name in ("kept", "of"))
    range_ = _CURVES["subsampled"](_upper(inner), Fraction(kept, of))
    return _CURVES["spread_rho"](range_)


def _noise(node: Tree) -> Fraction | None:
    change = node["where"]["change"]
    return _CURVES["noise_rho"](_upper(node), Fraction(change), Fraction(change)) if change <= 2 else None


def _rounds(node: Tree) -> Fraction:
    """Rounds of draws, each of which moves by four times the cap."""
    where = node["where"]
    ratio, cap, rounds = Fraction(where["ratio"]), where["cap"], where["rounds"]
    return rounds * _CURVES["spread_rho"](Loss(Fraction(0), power(1 / ratio, 4 * cap)).upper)


_STEPS: dict[str, Callable[[Tree], Fraction | None]] = {
    **dict.fromkeys(DRAWS, _draw),
    **dict.fromkeys(_KEEP, _same),
    "sequential": lambda node: sum((stored_price(premise) for premise in node["premises"]), Fraction(0)),
    "disjoint-parts": lambda node: max(stored_price(premise) for premise in node["premises"]),
    "group": _group,
    "k-fold-composition": _times,
    "subsampling-without-replacement": _subsampling,
    "geometric-noise": _noise,
    "weighted-rounds": _rounds,
}
