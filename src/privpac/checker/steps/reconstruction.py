"""Reconstruction, checked."""

from __future__ import annotations

from fractions import Fraction
from math import floor

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
    read_accuracy,
    read_fact,
    read_inner_ratio,
    read_privacy,
    require,
    same_records,
    whole,
)

__all__ = ["RULES"]


def _stable_choice(node: Tree) -> None:
    no_premise(node)
    ratio, threshold = parameters(node, "ratio", "threshold")
    base, steps, fact = read_inner_ratio(ratio), integer(threshold, 0), read_privacy(node)
    require(fact.loss == Loss(Fraction(0), directed.power(1 / base, 2)), "epsilon is not the ratio's")
    require(
        fact.delta == directed.shorten(directed.power(base, steps) / (1 + base)), "delta is not the ratio's"
    )
    require(fact.release == "hypothesis", "the release is not what this mechanism gives")


def _accuracy(node: Tree, *, proper: bool = True) -> tuple[Fraction, Fraction, int, str]:
    """Error, failure, records and comparison of an accuracy fact."""
    fact = read_accuracy(node)
    require(fact.proper is proper, "another kind of accuracy")
    require(fact.error > 0, "error or failure is out of range")
    return fact.error, fact.failure, fact.records, fact.against


def _rec_concave(node: Tree) -> None:
    no_premise(node)
    error, failure, records, against = _accuracy(node)
    require(against == "realizable", "another kind of accuracy")
    names = ("widths", "slack", "threshold", "margin", "last", "blocks", "records")
    ratio_names = ("width_ratio", "block_ratio", "cut_ratio")
    *counts, first, second, third = parameters(node, *names, *ratio_names)
    widths, slack, threshold, margin, last, blocks, stated_records = (integer(count, 0) for count in counts)
    require(stated_records == records and blocks >= 1, "the numbers of records or blocks are wrong")
    r1, r2, r3 = (number(text) for text in (first, second, third))
    require(all(0 < ratio < 1 for ratio in (r1, r2, r3)), "a ratio is out of range")
    total = (
        directed.power_above(r1, slack + 1) * widths
        + Fraction(1, blocks)
        + directed.power_above(r2, margin) / (1 + r2)
        + directed.power_above(r3, last + 1) * (2 * blocks + 1)
        + 2
        * directed.few_above(records, chance=error, hits=slack + slack + last + margin + threshold + 1 + 1)
    )
    require(total <= failure, "the bound fails")


def _blocks(node: Tree) -> None:
    no_premise(node)
    texts = parameters(node, "ratio", "levels", "stake")
    ratio, levels, stake = read_inner_ratio(texts[0]), integer(texts[1], 1), whole(texts[2], 1)
    fact = read_privacy(node)
    weight = ratio * stake  # of the blank, where a block with one record weighs 1
    factor = directed.shorten(directed.power(1 / ratio, 2) * (weight + levels - 1) / weight)
    require(fact.loss == Loss(Fraction(0), factor), "epsilon is not the ratio's")
    require(fact.delta == directed.shorten((levels - 1) / (weight + levels - 1)), "delta is not the stake's")
    require(fact.release == "hypothesis", "the release is not what this mechanism gives")


LONGEST = 2**24
"""Bits of a power that are worked out."""


def _blocks_accuracy(node: Tree) -> None:
    no_premise(node)
    error, failure, records, against = _accuracy(node)
    require(against == "realizable", "another kind of accuracy")
    texts = parameters(node, "ratio", "levels", "stake", "reach", "records")
    ratio, levels, stake = read_inner_ratio(texts[0]), integer(texts[1], 1), whole(texts[2], 1)
    reach = integer(texts[3], 1)
    same_records(texts[4], records)
    left, rivals = _rivals(failure, ratio, levels, stake, reach)
    require(directed.power_at_most(rivals, 1 - error + error * ratio, records, left), "the bound fails")


def _rivals(
    failure: Fraction, ratio: Fraction, levels: int, stake: int, reach: int
) -> tuple[Fraction, Fraction]:
    """The failure that no answer leaves, and how many cuts compete with the right one, each as the best of them."""
    require(int(1 / ratio).bit_length() * (reach - 1) <= LONGEST, "the reach is out of range")
    left = failure - stake * directed.power(ratio, 2 * reach)
    require(left > 0, "no answer is too likely")
    return left, (4 * levels / (1 - ratio) + 2) * directed.power(1 / ratio, reach - 1)


def _blocks_empirical(node: Tree) -> None:
    no_premise(node)
    fact = read_accuracy(node)
    require(fact.against == "empirical" and fact.proper and fact.error < 1, "another kind of accuracy")
    texts = parameters(node, "ratio", "levels", "stake", "reach")
    ratio, levels, stake = read_inner_ratio(texts[0]), integer(texts[1], 1), whole(texts[2], 1)
    left, rivals = _rivals(fact.failure, ratio, levels, stake, integer(texts[3], 1))
    mistakes = floor(fact.error * fact.records) + 1
    require(directed.power_at_most(rivals, ratio, mistakes, left), "the bound fails")


def _switch_reconstruction(node: Tree) -> None:
    error, failure, records, against = _accuracy(node)
    candidates, selection, ratio, tilt = parameters(node, "candidates", "selection", "ratio", "tilt")
    premise = read_fact(only_premise(node), "accuracy")
    require(against == premise["against"] == "realizable", "another kind of accuracy")
    count, fresh = integer(candidates, 2), integer(selection, 0)
    require(records == integer(premise["records"], 0) + fresh, "the numbers of records do not add up")
    least, x = number(ratio), number(tilt)
    require(0 < least <= x <= 1, "a ratio is out of range")
    base_failure, tolerated = number(premise["failure"]), number(premise["error"])
    require(0 <= base_failure < failure and tolerated >= 0, "the hypothesis fails too often")
    base = 1 - error + error * x + tolerated / x - tolerated
    require(
        directed.power_at_most(Fraction(count - 1), base, fresh, failure - base_failure), "the bound fails"
    )


def _noisy(node: Tree) -> None:
    error, failure, records, against = _accuracy(node, proper=False)
    rate, noise = (number(text) for text in parameters(node, "rate", "noise"))
    premise = read_fact(only_premise(node), "accuracy")
    require(rate > 0 and 2 * rate < 1 and 0 < noise <= 1, "a rate is out of range")
    same = against == premise["against"] and records == integer(premise["records"], 0)
    require(same, "the premise speaks of something else")
    require(error - noise == number(premise["error"]), "the errors do not add up")
    require(failure == number(premise["failure"]) + rate / noise, "the failures do not add up")


def _denoising(node: Tree) -> None:
    error, failure, records, against = _accuracy(node)
    (rate_text,) = parameters(node, "rate")
    rate, premise = number(rate_text), read_fact(only_premise(node), "accuracy")
    require(rate > 0 and 2 * rate < 1, "the rate is out of range")
    same = against == premise["against"] and records == integer(premise["records"], 0)
    require(same and premise["proper"] is True, "the premise speaks of something else")
    require(error == number(premise["error"]), "the error differs from the premise's")
    require(failure == number(premise["failure"]) + 1 - (1 - 2 * rate) ** 2, "the failures do not add up")


RULES: dict[str, Check] = {
    "stable-choice": _stable_choice,
    "rec-concave": _rec_concave,
    "occupied-blocks": _blocks,
    "occupied-blocks-accuracy": _blocks_accuracy,
    "occupied-blocks-empirical": _blocks_empirical,
    "switch-reconstruction": _switch_reconstruction,
    "independent-noise": _noisy,
    "noise-reconstruction": _denoising,
}
