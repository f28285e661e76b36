"""What a stored derivation costs in rho, read off its steps a second time with the checker's arithmetic.

The cheapest price that the steps show: by the last step, or by its epsilon alone. A document does not say how far
single counts move, so for noisy counts this may be more than what was charged when the document was written.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privpac.checker import curves, directed
from privpac.checker.check import check_derivation
from privpac.checker.reading import Loss, Tree, integer, number, only_premise, read_privacy
from privpac.checker.steps.concentrated import DRAWS

__all__ = ["price_of", "stored_price"]

_KEEP = ("declared", "assuming", "on-part", "post-processing")
"""Rules that promise no more than their premise: its price is theirs, and so is its range."""


def price_of(derivation: Tree) -> Fraction:
    """The rho of a derivation of privacy, every step of which is derived again first.

    Raises NotCertified if a step does not follow.
    """
    check_derivation(derivation)
    return curves.places(stored_price(derivation))


def stored_price(node: Tree) -> Fraction:
    """The same in full, of steps that were derived again."""
    alone = curves.pure(read_privacy(node).loss.upper)
    if node["rule"] not in _STEPS:
        return alone
    price = _STEPS[node["rule"]](node)
    return alone if price is None else min(alone, price)


def _draw(node: Tree) -> Fraction:
    return curves.spread(read_privacy(node).loss.upper)


def _same(node: Tree) -> Fraction:
    return stored_price(only_premise(node))


def _times(node: Tree) -> Fraction | None:
    """Pure releases together: the sum. With a delta only the epsilon of all of them says anything."""
    if read_privacy(node).delta:
        return None
    return integer(node["where"]["times"], 1) * _same(node)


def _group(node: Tree) -> Fraction | None:
    if read_privacy(node).delta:
        return None
    return Fraction(integer(node["where"]["size"], 1)) ** 2 * _same(node)


def _subsampling(node: Tree) -> Fraction | None:
    inner = only_premise(node)
    while inner["rule"] in _KEEP:
        inner = only_premise(inner)
    if inner["rule"] not in DRAWS:
        return None
    kept, of = (integer(node["where"][name], 1) for name in ("kept", "of"))
    range_ = curves.subsampled(read_privacy(inner).loss.upper, Fraction(kept, of))
    return curves.spread(range_)


def _noise(node: Tree) -> Fraction | None:
    change = integer(node["where"]["change"], 1)
    return curves.noise(read_privacy(node).loss.upper, change, change) if change <= 2 else None


def _rounds(node: Tree) -> Fraction:
    """Rounds of draws, each of which moves by four times the cap."""
    where = node["where"]
    ratio, cap, rounds = number(where["ratio"]), integer(where["cap"], 1), integer(where["rounds"], 1)
    return rounds * curves.spread(Loss(Fraction(0), directed.power(1 / ratio, 4 * cap)).upper)


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
