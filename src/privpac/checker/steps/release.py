"""Released tables, checked: sums of tails, written a second time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from privpac.checker import directed
from privpac.checker.reading import (
    Check,
    Loss,
    Tree,
    integer,
    no_premise,
    number,
    only_premise,
    parameters,
    read_fact,
    read_inner_ratio,
    read_privacy,
    read_ratio,
    require,
    whole,
    within,
)

__all__ = ["RULES"]

_QUERIES = ("points", "thresholds", "ranges", "listed queries")
_MOST_LEVELS = 64
"""Halvings of a column: what is more is no certificate of ours."""
_FAR = 2_000
"""e^-2000 and anything smaller count as equal."""


def _medians(node: Tree) -> None:
    no_premise(node)
    (text,) = parameters(node, "ratio")
    fact, ratio = read_privacy(node), read_ratio(text)
    require(fact.loss == Loss(Fraction(0), directed.power(1 / ratio, 4)), "epsilon is not the ratio's")
    require(fact.delta == 0 and fact.release == "noisy numbers", "not what this mechanism gives")


def _blocks(node: Tree) -> None:
    no_premise(node)
    texts = parameters(node, "ratio", "bits", "stake")
    ratio, bits, stake = read_inner_ratio(texts[0]), integer(texts[1], 1), whole(texts[2], 1)
    fact, weight = read_privacy(node), ratio * stake  # of the blank, where a block with one record weighs 1
    require(bits < weight, "the stake is too small")
    share = (weight + bits) / weight
    factor = directed.shorten(directed.power(1 / ratio, 4) * share * share)
    require(fact.loss == Loss(Fraction(0), factor), "epsilon is not the ratio's")
    require(fact.delta == directed.shorten(2 * bits / (weight + bits)), "delta is not the stake's")
    require(fact.release == "noisy numbers", "not what this mechanism gives")


def _read_answers(node: Tree, queries: str | None) -> tuple[Fraction, Fraction, int]:
    """Error, failure and number of records."""
    fact = read_fact(node, "answers")
    error, failure, records = number(fact["error"]), number(fact["failure"]), integer(fact["records"], 1)
    require(fact["queries"] in _QUERIES and queries in (None, fact["queries"]), "these are not the queries")
    require(0 <= error < 1 and 0 < failure < 1, "error or failure is out of range")
    return error, failure, records


def _leaf(node: Tree, queries: str | None) -> tuple[Fraction, Fraction, int]:
    no_premise(node)
    return _read_answers(node, queries)


def _histogram(node: Tree) -> None:
    error, failure, records = _leaf(node, "points")
    cells_, ratio_, above, steps = parameters(node, "cells", "ratio", "above", "steps")
    cells, a = whole(cells_, 1), read_inner_ratio(ratio_)
    above, steps = integer(above, 0), integer(steps, 0)
    require(above <= steps, "the height is larger than the error")
    require(error == Fraction(steps, records), "the error is not that number of records")
    high = cells * directed.power_above(a, steps + 1)
    low = min(cells, records) * directed.power_above(a, steps + 1 - above)
    require((high + low) / (1 + a) <= failure, "the bound fails")


def _tree(node: Tree) -> None:
    error, failure, records = _leaf(node, "thresholds")
    names = ("cells", "branching", "levels", "ratio", "above", "steps", "hidden", "tilt")
    cells_, b, h, ratio_, above, steps, hidden, tilt = parameters(node, *names)
    cells, b, h, a, x = whole(cells_, 1), integer(b, 2), integer(h, 1), read_inner_ratio(ratio_), number(tilt)
    steps, hidden = integer(steps, 0), integer(hidden, 0)
    deep = directed.reaches(b, h, cells) and (h == 1 or not directed.reaches(b, h - 1, cells))
    require(deep, "the levels are not those of the domain")
    require(1 < x < 1 / a, "the tilt is out of range")
    # E x^X by summing both geometric series: the positive half with 0, and the negative half without.
    moment = (1 - a) * (1 / (1 - a * x) + (a / x) / (1 - a / x)) / (1 + a)

    powers = directed.power_above(moment, h * b // 2) * directed.power_above(1 / x, steps + 1)
    total = 2 * cells * powers + 4 * b * cells * directed.power_above(a, records + 1) / (1 + a)
    if above == "never":
        require(hidden == 0, "nothing is hidden in a full tree")
    else:
        above = integer(above, 0)
        require(above <= hidden, "the height is larger than what it hides")
        nodes = h * (records // (hidden + 1))
        total += nodes * directed.power_above(a, hidden + 1 - above) / (1 + a)
    require(error == Fraction(steps + hidden, records), "the error is not that of the tree")
    require(total <= failure, "the bound fails")


def _quantiles(node: Tree) -> None:
    error, failure, records = _leaf(node, "thresholds")
    cells_, ratio_, *counts = parameters(node, "cells", "ratio", "levels", "batch", "steps")
    cells, a = whole(cells_, 1), read_inner_ratio(ratio_)
    levels, batch, steps = (integer(value, 1) for value in counts)
    within(levels, _MOST_LEVELS)
    places = cells * ((records + batch - 1) // batch)
    require(
        directed.power_at_most(Fraction((2**levels - 1) * (places + 1)), a, steps, failure), "the bound fails"
    )
    _halved(error, records, levels, batch + steps - 1)


def _halved(error: Fraction, records: int, levels: int, off: int) -> None:
    """Refuse another error than that of this many halvings, each of them off the middle by at most this many ranks."""
    before, rank = Fraction(0), Fraction(0)
    for _ in range(levels):
        before, rank = rank, (rank + before + off) / 2
    least = rank / records + Fraction(1, 2 * 2**levels)
    require(error == least, "the error is not that of the halvings")


def _block_quantiles(node: Tree) -> None:
    error, failure, records = _leaf(node, "thresholds")
    names = ("cells", "ratio", "levels", "stake", "reach", "steps")
    cells_, ratio_, levels_, stake_, reach_, steps_ = parameters(node, *names)
    cells, a, stake = whole(cells_, 1), read_inner_ratio(ratio_), whole(stake_, 1)
    levels, reach, steps = (integer(value, 1) for value in (levels_, reach_, steps_))
    within(levels, _MOST_LEVELS)
    bits = max(1, (cells * records - 1).bit_length())
    blank = stake * directed.power_above(a, 2 * reach)
    rivals = (4 * bits + 2) * directed.power_above(a, steps) / (1 - a * a)
    require((2**levels - 1) * (blank + rivals) <= failure, "the bound fails")
    _halved(error, records, levels, 2 * reach + steps - 2)


def _candidates(node: Tree) -> None:
    error, failure, records = _leaf(node, None)
    require(node["fact"]["queries"] in ("thresholds", "listed queries"), "these are not the queries")
    candidates_, *fractions = parameters(node, "candidates", "ratio", "radius")
    candidates = whole(candidates_, 1)
    a, radius = read_inner_ratio(fractions[0]), number(fractions[1])
    room = records * (error - radius)
    require(radius >= 0 and room >= 0, "the error is below the radius")
    steps = room.numerator // room.denominator + 1
    require(directed.power_at_most(Fraction(candidates - 1), a, steps, failure), "the bound fails")


def _ranges(node: Tree) -> None:
    parameters(node)
    error, failure, records = _read_answers(node, "ranges")
    half, same, count = _read_answers(only_premise(node), "thresholds")
    require((error, failure, records) == (2 * half, same, count), "not twice the error of the thresholds")


def _generic(node: Tree) -> None:
    fact = read_fact(node, "accuracy")
    names = ("slabs", "vc", "hypotheses", "gap", "ratio", "tilt", "tolerated", "deviation")
    slabs, vc, hypotheses_, *fractions = parameters(node, *names)
    slabs, vc, hypotheses = integer(slabs, 1), integer(vc, 1), whole(hypotheses_, 1)
    gap, ratio, tilt, tolerated, deviation = (number(text) for text in fractions)
    labelled, error, failure = integer(fact["records"], 0), number(fact["error"]), number(fact["failure"])
    require(fact["against"] == "realizable" and fact["proper"] is True, "another kind of accuracy")
    tolerance, miss, records = _worst(node.get("premises", ()))
    tolerance = slabs * (tolerance + gap)
    require(gap >= 0 and 0 < ratio <= tilt <= 1, "a parameter is out of range")
    require(tolerance < tolerated < error <= 1, "the errors do not grow")
    rest = failure - miss - deviation
    require(deviation > 0 and rest > 0 and failure < 1, "the failures do not add up")
    exponent = records * (tolerated - tolerance) * (tolerated - tolerance) / (4 * tolerated)
    vanishing = directed.exp_bounds(-min(exponent, Fraction(_FAR)))[1]
    labellings = directed.labellings(2 * records, vc)
    require(4 * labellings * vanishing <= deviation, "too few unlabelled records")
    base = 1 - error + error * tilt + tolerated * (1 - tilt) / tilt
    require(
        directed.power_at_most(Fraction(hypotheses - 1), base, labelled, rest), "too few labelled records"
    )


def _worst(premises: Sequence[Tree]) -> tuple[Fraction, Fraction, int]:
    """The largest error of several answers about differences, the sum of their failures, and their records."""
    require(len(premises) >= 1, "there are no answers")
    read = [_read_answers(premise, None) for premise in premises]
    kinds = {premise["fact"]["queries"] for premise in premises}
    require(kinds <= {"ranges", "listed queries"}, "these are not the queries")
    require(len({records for _, _, records in read}) == 1, "the answers speak of different records")
    return max(error for error, _, _ in read), sum((f for _, f, _ in read), Fraction(0)), read[0][2]


RULES: dict[str, Check] = {
    "leafwise-medians": _medians,
    "leafwise-blocks": _blocks,
    "histogram-answers": _histogram,
    "tree-answers": _tree,
    "quantile-answers": _quantiles,
    "block-quantile-answers": _block_quantiles,
    "candidate-answers": _candidates,
    "ranges-from-thresholds": _ranges,
    "generic-learner": _generic,
}
