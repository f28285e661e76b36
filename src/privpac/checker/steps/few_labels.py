"""Few labels, checked."""

from __future__ import annotations

from fractions import Fraction

from privpac.checker import directed
from privpac.checker.reading import (
    ALL,
    Check,
    Loss,
    Tree,
    integer,
    no_premise,
    number,
    only_premise,
    parameters,
    read_accuracy,
    read_goal,
    read_privacy,
    read_ratio,
    require,
    unconditional,
)

__all__ = ["RULES"]

_LABELLED = "labelled part"
_ROLES = {"queried part": _LABELLED, "unqueried part": "unlabelled part"}
_WIDER = ("hypothesis and positions asked", "hypothesis and positions kept")
_DRAW = ("odds", "ratio", "most", "failure")
_CARRY = ("points", "basis", "failure", "of", "square", "uniform", "single")
_LARGEST_VC = 100_000
_FAR = 2**18


def _relabelling(node: Tree, cost: Fraction, part: object) -> None:
    new, old = read_privacy(node), read_privacy(only_premise(node))
    require(old.part in (ALL, _LABELLED), "the premise speaks of other records")
    require(new.part == part != ALL, "the part is not the one named")
    require(
        (new.unit, new.release, new.delta) == (old.unit, old.release, old.delta), "more than epsilon changed"
    )
    factor = directed.shorten(old.loss.factor * cost)
    require(new.loss == Loss(old.loss.log, factor), "epsilon is not that of relabelling")


def _labelled_part(node: Tree) -> None:
    ratio, part = parameters(node, "ratio", "part")
    base = read_ratio(ratio)
    _relabelling(node, ((base + 1) / base) ** 2, part)


def _unlabelled_part(node: Tree) -> None:
    (part,) = parameters(node, "part")
    _relabelling(node, Fraction(4), part)


def _positions(node: Tree) -> None:
    part, release = parameters(node, "part", "release")
    new, old = read_privacy(node), read_privacy(only_premise(node))
    require(release in _WIDER and old.release == "hypothesis", "the releases are not those of this rule")
    require((new.part, new.release) == (part, release), "the part or release is another one")
    require(part in _ROLES, "there is no such role")
    require(old.part in (ALL, _ROLES[part]), "the premise speaks of people in another role")
    require((new.loss, new.delta, new.unit) == (old.loss, old.delta, old.unit), "more than the scope changed")


def _fields_of(node: Tree, name: str, fields: tuple[str, ...]) -> dict[str, object]:
    return {field: node["where"][f"{name}_{field}"] for field in fields}


def _names(*groups: tuple[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(f"{name}_{field}" for name, fields in groups for field in fields)


def _draw(node: Tree, name: str) -> tuple[int, Fraction]:
    """Most mistakes of a draw, and how likely more are."""
    fields = _fields_of(node, name, _DRAW)
    odds, failure, most = number(fields["odds"]), number(fields["failure"]), integer(fields["most"], 0)
    require(odds >= 0 and failure > 0, "a draw is out of range")
    likely = directed.power_at_most(odds, read_ratio(fields["ratio"]), most + 1, failure)
    require(likely, "more mistakes are too likely")
    return most, failure


def _count(fields: dict[str, object], points: int) -> int:
    """Labellings of this many points, by the VC dimension; or concepts."""
    count = number(fields["of"])
    require(count.denominator == 1 and count >= 0, "a size or dimension is no whole number")
    if fields["basis"] == "size":
        return count.numerator
    require(fields["basis"] == "growth" and count <= _LARGEST_VC, "there is no such basis")
    return directed.labellings(points, count.numerator)


def _unlikely(odds: int, exponent: Fraction, limit: Fraction) -> bool:
    """odds·e^(-exponent) <= limit; exponents beyond FAR count as FAR."""
    near = min(exponent, Fraction(_FAR))
    return exponent >= 0 and limit > 0 and odds <= limit * directed.exp_bounds(near)[0]


def _square(node: Tree, name: str, rate: Fraction, error: Fraction, *, power: int = 1) -> Fraction:
    fields = _fields_of(node, name, _CARRY)
    points, failure, square = (
        integer(fields["points"], 1),
        number(fields["failure"]),
        number(fields["square"]),
    )
    require(fields["uniform"] == fields["single"] == "0", "a field has no meaning here")
    if fields["basis"] == "growth":
        fits = _unlikely(4 * _count(fields, 2 * points) ** power, points * square / 4, failure)
    else:
        fits = _unlikely(_count(fields, 0) ** power, points * square / 2, failure)
    require(fits, "larger deviations are too likely")
    room = error - rate - square / 2
    require(room >= 0 and room * room >= square * rate + square * square / 4, "the error is too small")
    return failure


def _spread(node: Tree, name: str, rate: Fraction, error: Fraction) -> Fraction:
    fields = _fields_of(node, name, _CARRY)
    points, failure = integer(fields["points"], 1), number(fields["failure"])
    uniform, single = number(fields["uniform"]), number(fields["single"])
    require(fields["square"] == "0", "a field has no meaning here")
    require(_unlikely(1, 2 * points * single**2, failure / 2), "larger deviations are too likely")
    if fields["basis"] == "size":
        fits = uniform >= 0 and _unlikely(_count(fields, 0), 2 * points * uniform**2, failure / 2)
    else:
        mean = uniform - single
        fits = mean >= 0 and _unlikely(_count(fields, points), points * mean**2 / 2, Fraction(1))
    require(fits, "larger deviations are too likely")
    require(error >= rate + uniform + single, "the error is too small")
    return failure


def _accuracy(node: Tree, against: str) -> tuple[Fraction, Fraction, int]:
    error, failure, records = read_goal(node, against)
    return error, failure, integer(records, 1)


def _boost(against: str) -> Check:
    draw = ("kept", "odds", "ratio", "tilt", "drawn", "draw_failure")

    def check(node: Tree) -> None:
        error, failure, labelled = _accuracy(node, against)
        has_base = bool(node.get("premises"))
        base = () if has_base else (("base", _DRAW),)
        texts = parameters(node, *draw, *_names(*base, ("carried", _CARRY)))
        kept = integer(texts[0], 1)
        odds, ratio, tilt, draw_error, share = (number(text) for text in texts[1:6])
        require(kept <= labelled and odds >= 0, "more labelled records are kept than there are")
        require(0 < ratio <= tilt <= 1 and 0 < draw_error < 1 and share > 0, "a parameter is out of range")
        worst = (1 - draw_error) / (2 * tilt) + tilt * (1 + draw_error) / 2
        worst = 1 - draw_error + draw_error * tilt if against == "realizable" else worst
        require(directed.power_at_most(odds, worst, kept, share), "wrong labels are too likely")
        points = integer(node["where"]["carried_points"], 1)
        distance, second = _of_base(node, points) if has_base else _of_draw(node, points)
        carry = _square if against == "realizable" else _spread
        third = carry(node, "carried", draw_error + distance, error)
        require(share + second + third <= failure, "the failure probabilities add up to more")

    return check


def _of_base(node: Tree, points: int, *, drawn: bool = True) -> tuple[Fraction, Fraction]:
    """The premise's rate and failure: of these very points, or (`drawn`) of whatever draws from them follow."""
    fact = read_accuracy(only_premise(node))
    if fact.against == "empirical":
        require(fact.records == points, "the base was accurate on other points")
    else:
        require(drawn and fact.against == "realizable", "the base is not accurate enough")
        unconditional(node)
    require(fact.proper, "the base is not accurate enough")
    return fact.error, fact.failure


def _of_draw(node: Tree, points: int) -> tuple[Fraction, Fraction]:
    no_premise(node)
    most, failure = _draw(node, "base")
    return Fraction(most, points), failure


def _ssl(node: Tree) -> None:
    error, failure, labelled = _accuracy(node, "realizable")
    has_base = bool(node.get("premises"))
    base = () if has_base else (("base", _DRAW),)
    groups = _names(("draw", _DRAW), *base, ("near", _CARRY), ("apart", _CARRY))
    change, mistake, *halves = parameters(node, "change", "mistake", "near", "apart", *groups)[:4]
    near, apart = (number(text) for text in halves)
    require(near + apart == error, "the error is not the sum of its parts")
    score, first = _draw(node, "draw")
    require(node["where"]["near_points"] == labelled, "the points are not the labelled records")
    points = integer(node["where"]["apart_points"], 1)
    third = _square(node, "near", Fraction(score // integer(mistake, 1), labelled), near)
    apart_by, second = _of_base(node, points, drawn=False) if has_base else _of_draw(node, points)
    fourth = _square(node, "apart", Fraction(score // integer(change, 1), points) + apart_by, apart, power=2)
    require(first + second + third + fourth <= failure, "the failure probabilities add up to more")


RULES: dict[str, Check] = {
    "label-boost-labelled": _labelled_part,
    "label-boost-unlabelled": _unlabelled_part,
    "positions-known": _positions,
    "label-boost-realizable": _boost("realizable"),
    "label-boost-agnostic": _boost("agnostic"),
    "ssl-relabel-accuracy": _ssl,
}
