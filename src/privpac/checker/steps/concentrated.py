"""Concentrated privacy, checked: the rho of every step, with curves of the checker's own."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privpac.checker import curves, directed
from privpac.checker.reading import (
    ALL,
    Check,
    Loss,
    Tree,
    integer,
    number,
    only_premise,
    parameters,
    read_fact,
    read_privacy,
    require,
)

__all__ = ["ASSUMING", "DRAWS", "RULES"]

ASSUMING = ("concentrated-group",)

DRAWS = ("exponential-mechanism", "leafwise-exponential", "leafwise-medians", "exponential-vote")

_LARGEST_ORDER = 10**9
_ONE = Fraction(1)


@dataclass(frozen=True)
class _Scope:
    """Of whom and of what a fact speaks."""

    unit: str
    part: str
    release: str


@dataclass(frozen=True)
class _Concentrated:
    rho: Fraction
    delta: Fraction
    scope: _Scope


def _read(node: Tree) -> _Concentrated:
    fact = read_fact(node, "concentrated")
    return _Concentrated(number(fact["rho"]), number(fact["delta"]), _scope(fact))


def _scope(fact: Tree) -> _Scope:
    return _Scope(fact["unit"], fact["part"], fact["release"])


def _range(node: Tree) -> tuple[Fraction, _Scope]:
    fact = read_fact(node, "range")
    return Loss.read(fact["epsilon"]).upper, _scope(fact)


def _private(node: Tree) -> tuple[Fraction, Fraction, _Scope]:
    fact = read_privacy(node)
    return fact.loss.upper, fact.delta, _Scope(fact.unit, fact.part, fact.release)


def _is(node: Tree, rho: Fraction, delta: Fraction, scope: _Scope) -> None:
    fact = _read(node)
    require(fact.rho == rho, "rho is not that of the step")
    require(fact.delta == delta, "delta is not that of the step")
    require(fact.scope == scope, "the scope differs from the premise's")


def _draw_range(node: Tree) -> None:
    parameters(node)
    premise = only_premise(node)
    require(premise["rule"] in DRAWS, "the premise is no exponential draw")
    old, fact = read_privacy(premise), read_fact(node, "range")
    require(Loss.read(fact["epsilon"]) == old.loss, "the range is not the premise's epsilon")
    require(_scope(fact) == _Scope(old.unit, old.part, old.release), "the scope differs from the premise's")


def _range_log_odds(node: Tree) -> None:
    parameters(node)
    old, new = read_fact(only_premise(node), "range"), read_fact(node, "bounded-range")
    require(old["part"] == ALL, "the range speaks of a part of the records")
    require(
        (new["epsilon"], new["unit"]) == (old["epsilon"], old["unit"]), "the fact differs from its premise"
    )


def _range_concentrated(node: Tree) -> None:
    parameters(node)
    epsilon, scope = _range(only_premise(node))
    _is(node, curves.spread(epsilon), Fraction(0), scope)


def _log_odds(node: Tree) -> None:
    (release,) = parameters(node, "release")
    old = read_fact(only_premise(node), "bounded-range")
    epsilon = Loss.read(old["epsilon"]).upper
    _is(node, curves.log_odds(epsilon), Fraction(0), _Scope(old["unit"], ALL, release))


def _pure(node: Tree) -> None:
    parameters(node)
    epsilon, delta, scope = _private(only_premise(node))
    _is(node, curves.pure(epsilon), delta, scope)


def _noise(node: Tree) -> None:
    (largest,) = parameters(node, "largest")
    premise = only_premise(node)
    require(premise["rule"] == "geometric-noise", "the premise is no geometric noise")
    change, largest = integer(premise["where"]["change"], 1), integer(largest, 1)
    require(largest == 1 or change == largest == 2, "there is no price for such a change")
    epsilon, _, scope = _private(premise)
    _is(node, curves.noise(epsilon, change, largest), Fraction(0), scope)


def _subsampling(node: Tree) -> None:
    kept, of = (integer(value, 1) for value in parameters(node, "kept", "of"))
    require(kept <= of, "more records are kept than there are")
    epsilon, scope = _range(only_premise(node))
    _is(node, curves.spread(curves.subsampled(epsilon, Fraction(kept, of))), Fraction(0), scope)


def _several(node: Tree) -> tuple[list[_Concentrated], str]:
    """The premises, of one unit, and what is released by all of them."""
    premises = [_read(premise) for premise in node.get("premises", ())]
    require(len(premises) >= 1, "there is nothing to compose")
    unit = _read(node).scope.unit
    require(all(premise.scope.unit == unit for premise in premises), "the protected units differ")
    kinds = {premise.scope.release for premise in premises}
    return premises, kinds.pop() if len(kinds) == 1 else "hypothesis"


def _sum(node: Tree) -> None:
    (times,) = parameters(node, "times")
    times = integer(times, 1)
    premises, release = _several(node)
    first = premises[0].scope
    require(all(p.scope.part == first.part for p in premises), "the releases speak of different parts")
    rho = times * sum((p.rho for p in premises), Fraction(0))
    delta = directed.shorten(min(_ONE, times * sum((p.delta for p in premises), Fraction(0))))
    _is(node, rho, delta, _Scope(first.unit, first.part, release))


def _post_processing(node: Tree) -> None:
    what, release = parameters(node, "what", "release")
    require(isinstance(what, str) and what != "", "it is not said what was computed")
    old = _read(only_premise(node))
    _is(node, old.rho, old.delta, _Scope(old.scope.unit, old.scope.part, release))


def _on_part(node: Tree) -> None:
    (part,) = parameters(node, "part")
    old = _read(only_premise(node))
    require(old.scope.part == ALL != part, "the premise must speak of all records of its input")
    require(isinstance(part, str) and part != "", "a part needs a name")
    _is(node, old.rho, old.delta, _Scope(old.scope.unit, part, old.scope.release))


def _dearest(node: Tree, part: str, premises: list[_Concentrated], release: str) -> None:
    scope = _Scope(premises[0].scope.unit, part, release)
    _is(node, max(p.rho for p in premises), max(p.delta for p in premises), scope)


def _parts(node: Tree) -> None:
    parameters(node)
    premises, release = _several(node)
    parts = [p.scope.part for p in premises]
    require(len(set(parts)) == len(parts) and ALL not in parts, "the parts are not different parts")
    _dearest(node, ALL, premises, release)


def _mixture(node: Tree) -> None:
    parameters(node)
    premises, release = _several(node)
    part = premises[0].scope.part
    require(all(p.scope.part == part for p in premises), "the releases speak of different parts")
    _dearest(node, part, premises, release)


def _group(node: Tree) -> None:
    (size,) = parameters(node, "size")
    size = integer(size, 1)
    assumptions = [f"no person stands behind more than {size} records"] if size > 1 else []
    require(list(node.get("assumes", ())) == assumptions, "the assumption is not that of the rule")
    old = _read(only_premise(node))
    require(old.delta == 0, "the release must have no delta")
    _is(node, size**2 * old.rho, Fraction(0), old.scope)


def _privacy(node: Tree) -> None:
    delta, order = (number(text) for text in parameters(node, "delta", "order"))
    require(0 < delta < 1 < order <= _LARGEST_ORDER, "delta or order is out of range")
    old, new = _read(only_premise(node)), read_privacy(node)
    epsilon = curves.conversion(curves.places(old.rho), delta, order)
    require(new.loss == Loss(epsilon, _ONE), "epsilon is not that of the order")
    require(new.delta == directed.shorten(min(_ONE, old.delta + delta)), "the deltas do not add up")
    require(_Scope(new.unit, new.part, new.release) == old.scope, "the scope differs from the premise's")


RULES: dict[str, Check] = {
    "draw-range": _draw_range,
    "range-log-odds": _range_log_odds,
    "range-concentrated": _range_concentrated,
    "log-odds-concentrated": _log_odds,
    "pure-concentrated": _pure,
    "noise-concentrated": _noise,
    "subsampled-concentrated": _subsampling,
    "concentrated-sum": _sum,
    "concentrated-post-processing": _post_processing,
    "concentrated-on-part": _on_part,
    "concentrated-parts": _parts,
    "concentrated-mixture": _mixture,
    "concentrated-group": _group,
    "concentrated-privacy": _privacy,
}
