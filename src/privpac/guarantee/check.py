"""Independent re-check of a stored certificate.

Every node of a stored derivation is derived again from its premises and parameters. Nothing is shared with `rules`:
the formulas are written a second time, on rationals, with their own bounds for exponentials and powers, so that a slip
in one place does not vouch for itself. Formats once written stay checkable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import comb
from typing import Any

from privpac.errors import NotCertified

__all__ = ["FORMATS", "check_certificate", "check_derivation"]

FORMATS = ("privpac-certificate/1",)

Tree = Mapping[str, Any]
_BITS = 384


def _exp_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above e^x: a Taylor sum at x/2^k, then k squarings with directed rounding."""
    if x < 0:
        low, high = _exp_bounds(-x)
        return 1 / high, 1 / low
    halvings = max(0, (x.numerator // x.denominator).bit_length() + 1)
    y = x / 2**halvings
    term, low_sum, k = Fraction(1), Fraction(1), 1
    while term > Fraction(1, 2**_BITS):
        term = _rounded(term * y / k, up=True)
        low_sum += term
        k += 1
    # Each term was rounded up by at most 2^-BITS; the tail is below twice the last term because y <= 1/2.
    low, high = low_sum - Fraction(k, 2**_BITS), low_sum + 2 * term
    for _ in range(halvings):
        low, high = _rounded(low * low, up=False), _rounded(high * high, up=True)
    return low, high


def _rounded(x: Fraction, *, up: bool) -> Fraction:
    scaled = x.numerator << _BITS
    whole = -(-scaled // x.denominator) if up else scaled // x.denominator
    return Fraction(whole, 1 << _BITS)


def _power_up(base: Fraction, count: int) -> tuple[int, int]:
    """Mantissa and exponent (of 2) of a number at or above base^count, for a base above 0."""
    mantissa, exponent = 1, 0
    square = _normal(_ceil_shift(base), -_BITS)
    while count:
        if count & 1:
            mantissa, exponent = _normal(mantissa * square[0], exponent + square[1])
        square = _normal(square[0] * square[0], 2 * square[1])
        count >>= 1
    return mantissa, exponent


def _ceil_shift(x: Fraction) -> int:
    return -((-x.numerator << _BITS) // x.denominator)


def _normal(mantissa: int, exponent: int) -> tuple[int, int]:
    excess = mantissa.bit_length() - _BITS
    if excess <= 0:
        return mantissa, exponent
    return -(-mantissa >> excess), exponent + excess


class _Loss:
    """e^epsilon = e^log · factor, read from a stored fact."""

    def __init__(self, tree: Tree) -> None:
        self.log = Fraction(tree["log"])
        self.factor = Fraction(tree["factor"])

    def at_most(self, other: _Loss) -> bool:
        if self.log == other.log:
            return self.factor <= other.factor
        return self.factor <= other.factor * _exp_bounds(other.log - self.log)[0]

    def equals(self, log: Fraction, factor: Fraction) -> bool:
        return self.log == log and self.factor == factor

    @property
    def high(self) -> Fraction:
        return self.factor if self.log == 0 else self.factor * _exp_bounds(self.log)[1]

    def covers(self, factor: Fraction, *, exact: bool) -> bool:
        """The stored bound is the true e^epsilon, or above it where an exponential had to be rounded."""
        return self.log == 0 and (self.factor == factor if exact else self.factor >= factor)


def _privacy(node: Tree) -> tuple[_Loss, Fraction, tuple[str, str]]:
    fact = node["fact"]
    _require(fact["kind"] == "privacy", "a privacy fact is expected here")
    _require(fact["neighbours"] == "replace-one", "neighbours must be replace-one")
    return _Loss(fact["epsilon"]), Fraction(fact["delta"]), (fact["unit"], fact["part"])


class _Broken(Exception):
    pass


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise _Broken(reason)


def _one(node: Tree) -> Tree:
    premises = node.get("premises", ())
    _require(len(premises) == 1, "exactly one premise is expected")
    premise: Tree = premises[0]
    return premise


def _leaf(node: Tree) -> None:
    _require(not node.get("premises"), "a mechanism has no premises")


def _mechanism(exponent: str, twice: bool, kind: str, release: str | None) -> Callable[[Tree], None]:
    """Loss ratio^-(2·sensitivity) of a selection, ratio^-change of noise."""

    def check(node: Tree) -> None:
        _leaf(node)
        ratio, amount = Fraction(node["where"]["ratio"]), int(node["where"][exponent])
        _require(0 < ratio <= 1 and amount >= 1, "ratio or sensitivity out of range")
        fact = node["fact"]
        _require(fact["kind"] == kind, f"a {kind} fact is expected here")
        loss = _Loss(fact["epsilon"])
        _require(
            loss.equals(Fraction(0), ratio ** -(2 * amount if twice else amount)),
            "epsilon is not the ratio's",
        )
        _require(Fraction(fact.get("delta", 0)) == 0, "delta must be 0")
        _require(
            release is None or fact["release"] == release, "the release is not what this mechanism gives"
        )

    return check


def _unchanged(node: Tree, *, release: bool = False) -> None:
    old, new = dict(_one(node)["fact"]), dict(node["fact"])
    if release:
        old.pop("release"), new.pop("release")
    _require(old == new, "the fact differs from its premise")


def _post_processing(node: Tree) -> None:
    _unchanged(node, release=True)
    _require(node["fact"]["release"] == node["where"]["release"], "the release is not the one named")


def _several(node: Tree) -> list[tuple[_Loss, Fraction, tuple[str, str]]]:
    premises = [_privacy(premise) for premise in node.get("premises", ())]
    _require(len(premises) >= 1, "there is nothing to compose")
    unit = node["fact"]["unit"]
    _require(all(scope[0] == unit for _, _, scope in premises), "the protected units differ")
    kinds = {premise["fact"]["release"] for premise in node["premises"]}
    expected = kinds.pop() if len(kinds) == 1 else "hypothesis"
    _require(node["fact"]["release"] == expected, "the joint release is misnamed")
    return premises


def _sequential(node: Tree) -> None:
    loss, delta, scope = _privacy(node)
    premises = _several(node)
    _require(all(p[2] == scope for p in premises), "the releases speak of different parts")
    log = sum((p[0].log for p in premises), Fraction(0))
    factor = Fraction(1)
    for premise in premises:
        factor *= premise[0].factor
    _require(loss.equals(log, factor), "the epsilons do not add up")
    _require(
        delta == min(Fraction(1), sum((p[1] for p in premises), Fraction(0))), "the deltas do not add up"
    )


def _disjoint(node: Tree) -> None:
    loss, delta, scope = _privacy(node)
    premises = _several(node)
    parts = [p[2][1] for p in premises]
    _require(
        len(set(parts)) == len(parts) and "all records" not in parts, "the parts are not different parts"
    )
    _require(scope[1] == "all records", "disjoint parts together are all records")
    _require(all(p[0].at_most(loss) for p in premises), "a part loses more than the whole")
    _require(all(p[1] <= delta for p in premises), "a part has a larger delta than the whole")


def _on_part(node: Tree) -> None:
    old, new = dict(_one(node)["fact"]), dict(node["fact"])
    _require(old.pop("part") == "all records", "the premise must speak of all records of its input")
    part = new.pop("part")
    _require(
        part == node["where"]["part"] and part != "all records" and old == new, "more than the part changed"
    )


def _group(node: Tree) -> None:
    loss, delta, scope = _privacy(node)
    old, old_delta, old_scope = _privacy(_one(node))
    size = int(node["where"]["size"])
    _require(size >= 1 and scope == old_scope, "size or scope is wrong")
    _require(loss.equals(old.log * size, old.factor**size), "epsilon is not size times the premise's")
    _require(
        size == 1 or any(str(size) in text for text in node.get("assumes", ())), "the assumption is missing"
    )
    if old_delta:
        e = old.high
        grown = sum((e**i for i in range(size)), Fraction(0))  # (e^k - 1)/(e - 1) as a sum
        exact = old.log == 0
        wanted = min(Fraction(1), old_delta * grown)
        _require(delta == wanted if exact else delta >= wanted, "delta is too small for the group")
    else:
        _require(delta == 0, "delta must stay 0")


def _subsampling(node: Tree) -> None:
    loss, delta, scope = _privacy(node)
    old, old_delta, old_scope = _privacy(_one(node))
    kept, of = int(node["where"]["kept"]), int(node["where"]["of"])
    _require(1 <= kept <= of and scope == old_scope, "numbers or scope are wrong")
    factor = 1 + Fraction(kept, of) * (old.high - 1)
    _require(loss.covers(factor, exact=old.log == 0), "epsilon is not that of subsampling")
    _require(delta == Fraction(kept, of) * old_delta, "delta is not that of subsampling")


def _with_replacement(node: Tree) -> None:
    loss, delta, scope = _privacy(node)
    old, old_delta, old_scope = _privacy(_one(node))
    draws, of = int(node["where"]["draws"]), int(node["where"]["of"])
    _require(draws >= 1 and of >= 1 and scope == old_scope, "numbers or scope are wrong")
    factor = (1 + (old.high - 1) / of) ** draws
    _require(loss.covers(factor, exact=old.log == 0), "epsilon is not that of sampling with replacement")
    if old_delta:
        scale = Fraction(draws, of) if old.high == 1 else (factor - 1) / (old.high - 1)
        _require(delta >= min(Fraction(1), old_delta * scale), "delta is too small")
    else:
        _require(delta == 0, "delta must stay 0")


def _k_fold(node: Tree) -> None:
    loss, delta, scope = _privacy(node)
    old, old_delta, old_scope = _privacy(_one(node))
    times, saved = int(node["where"]["times"]), int(node["where"]["saved"])
    _require(old_delta == 0 and scope == old_scope, "the releases must be pure and of one scope")
    _require(times >= 1 and 0 <= 2 * saved <= times, "saved is out of range")
    e = old.factor
    _require(old.log == 0, "a declared epsilon has to be composed before it is declared")
    _require(loss.covers(e ** (times - 2 * saved), exact=True), "epsilon is not that of the composition")
    mass = Fraction(0)
    for down in range(saved):  # how many of the `times` losses are negative
        mass += comb(times, down) * (e ** (times - down) - e ** (times - 2 * saved + down))
    _require(delta == mass / (1 + e) ** times, "delta is not that of the composition")


def _declared(node: Tree) -> None:
    loss, delta, scope = _privacy(node)
    old, old_delta, old_scope = _privacy(_one(node))
    _require(scope == old_scope and node["fact"]["release"] == _one(node)["fact"]["release"], "scope differs")
    _require(loss.equals(Fraction(node["where"]["epsilon"]), Fraction(1)), "epsilon is not the declared one")
    _require(delta == Fraction(node["where"]["delta"]), "delta is not the declared one")
    _require(old.at_most(loss) and old_delta <= delta, "the true loss is larger than what is declared")


def _total_variation(node: Tree) -> None:
    premise = _one(node)["fact"]
    _require(premise["kind"] == "bounded-range", "total variation needs a bounded range")
    gamma = Fraction(node["fact"]["gamma"])
    _require(node["fact"]["unit"] == premise["unit"] and 0 <= gamma <= 1, "unit or gamma is wrong")
    # tanh(eps/4) <= gamma  <=>  e^eps <= ((1 + gamma)/(1 - gamma))^2
    edge = {"log": "0", "factor": str(((1 + gamma) / (1 - gamma)) ** 2)} if gamma < 1 else None
    _require(edge is None or _Loss(premise["epsilon"]).at_most(_Loss(edge)), "gamma is too small")


def _occam(against: str) -> Callable[[Tree], None]:
    def check(node: Tree) -> None:
        _leaf(node)
        fact, where = node["fact"], node["where"]
        _require(fact["kind"] == "accuracy" and fact["against"] == against, "another kind of accuracy")
        _require(int(where["records"]) == int(fact["records"]), "the numbers of records differ")
        ratio, tilt, odds = (Fraction(where[name]) for name in ("ratio", "tilt", "odds"))
        error, failure = Fraction(fact["error"]), Fraction(fact["failure"])
        _require(0 < ratio <= tilt <= 1 and 0 < error <= 1 and 0 < failure < 1 and odds >= 0, "out of range")
        base = (
            1 - error + error * tilt
            if against == "realizable"
            else (1 - error) / (2 * tilt) + tilt * (1 + error) / 2
        )
        mantissa, exponent = _power_up(base, int(fact["records"]))
        left, right = odds.numerator * mantissa * failure.denominator, failure.numerator * odds.denominator
        _require(
            (left << exponent) <= right if exponent >= 0 else left <= right << -exponent, "the bound fails"
        )

    return check


_RULES: dict[str, Callable[[Tree], None]] = {
    "exponential-mechanism": _mechanism("sensitivity", True, "privacy", None),
    "leafwise-exponential": _mechanism("sensitivity", True, "privacy", None),
    "permute-and-flip": _mechanism("sensitivity", True, "privacy", None),
    "bounded-range": _mechanism("sensitivity", True, "bounded-range", None),
    "geometric-noise": _mechanism("change", False, "privacy", "noisy numbers"),
    "total-variation": _total_variation,
    "post-processing": _post_processing,
    "sequential": _sequential,
    "disjoint-parts": _disjoint,
    "on-part": _on_part,
    "group": _group,
    "subsampling-without-replacement": _subsampling,
    "sampling-with-replacement": _with_replacement,
    "k-fold-composition": _k_fold,
    "declared": _declared,
    "assuming": _unchanged,
    "occam-realizable": _occam("realizable"),
    "occam-agnostic": _occam("agnostic"),
}


def check_derivation(tree: Tree, path: str = "derivation") -> int:
    """Re-derive every node; returns how many there are, raises NotCertified at the first that does not follow."""
    rule = tree.get("rule")
    if rule not in _RULES:
        raise NotCertified(f"{path}: there is no rule named {rule!r}.")
    count = 1
    for i, premise in enumerate(tree.get("premises", ())):
        count += check_derivation(premise, f"{path} > {rule}[{i}]")
    try:
        _RULES[rule](tree)
    except _Broken as broken:
        raise NotCertified(f"{path} > {rule}: {broken}.") from None
    except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError):
        raise NotCertified(f"{path} > {rule}: a field is missing or malformed.") from None
    return count


def _assumed(tree: Tree) -> list[str]:
    texts = list(tree.get("assumes", ()))
    for premise in tree.get("premises", ()):
        texts += _assumed(premise)
    return list(dict.fromkeys(texts))


def check_certificate(tree: Tree) -> int:
    """Re-derive a stored certificate and its headline; returns the number of steps checked."""
    if tree.get("format") not in FORMATS:
        raise NotCertified(
            f"The certificate's format is {tree.get('format')!r}; this version knows {FORMATS}."
        )
    try:
        privacy, accuracy = tree["privacy"], tree["accuracy"]
        steps = check_derivation(privacy, "privacy")
        steps += sum(check_derivation(proof, f"accuracy[{i}]") for i, proof in enumerate(accuracy))
        fact = privacy["fact"]
        headline = {"log": str(Fraction(tree["epsilon"])), "factor": "1"}
        if fact["kind"] != "privacy" or not _Loss(fact["epsilon"]).at_most(_Loss(headline)):
            raise NotCertified("The headline epsilon is smaller than the one derived.")
        if Fraction(fact["delta"]) > Fraction(tree["delta"]):
            raise NotCertified("The headline delta is smaller than the one derived.")
        if _assumed(privacy) != list(tree["assumptions"]):
            raise NotCertified("The assumptions listed are not those of the derivation.")
        for proof in accuracy:
            if int(proof["fact"]["records"]) != int(tree["labelled"]):
                raise NotCertified("An accuracy statement speaks of another number of records.")
    except (KeyError, TypeError, ValueError):
        raise NotCertified("The certificate is incomplete or malformed.") from None
    return steps
