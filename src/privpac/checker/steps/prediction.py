"""Answers instead of models, checked."""

from __future__ import annotations

from collections.abc import Callable
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
    pair,
    parameters,
    read_goal,
    read_privacy,
    read_ratio,
    require,
    same_records,
    within,
)
from privpac.checker.steps.carried import near_best

__all__ = ["RULES"]

ONE = Fraction(1)
_MOST_MODELS = 2**14
"""Every number of wrong ones among them is looked at."""


def _vote(node: Tree) -> None:
    no_premise(node)
    ratio, models = parameters(node, "ratio", "models")
    integer(models, 1)
    fact = read_privacy(node)
    require(fact.loss == Loss(Fraction(0), 1 / read_ratio(ratio)), "epsilon is not the ratio's")
    require(fact.delta == 0 and fact.release == "one answer", "a vote is one answer, without delta")


def _plurality(node: Tree) -> None:
    """Also the vote by exponential weights: by either law a changed vote moves two counts."""
    no_premise(node)
    ratio, models, classes = parameters(node, "ratio", "models", "classes")
    integer(models, 1)
    integer(classes, 2)
    fact, one = read_privacy(node), read_ratio(ratio)
    require(
        fact.loss == Loss(Fraction(0), directed.power(1 / one, 2)), "epsilon is not two steps of the ratio"
    )
    require(fact.delta == 0 and fact.release == "one answer", "a vote is one answer, without delta")


def _delta_removal(node: Tree) -> None:
    new, old = pair(node)
    (text,) = parameters(node, "flip")
    flip = number(text)
    require(0 < flip <= Fraction(1, 2), "the flip is out of range")
    require(old.release == "one answer", "only an answer can be turned round")
    floor = Loss(Fraction(0), directed.shorten(1 + old.delta / flip - 2 * old.delta))
    require(new.delta == 0, "delta is not removed")
    require(new.loss in (old.loss, floor), "epsilon is neither the premise's nor the flip's")
    require(old.loss.at_most(new.loss) and floor.at_most(new.loss), "epsilon is smaller than one of the two")


def _accuracy(node: Tree, against: str) -> tuple[Fraction, Fraction, int]:
    """error, failure and records of an accuracy fact about answers."""
    no_premise(node)
    error, failure, records = read_goal(node, against, proper=False)
    require(error < 1, "error or failure is out of range")
    return error, failure, integer(records, 1)


def _answer_wrong(wrong: int, models: int, x: Fraction) -> Fraction:
    """By cases: the chance of the minority's answer shrinks by x with every vote."""
    odd, lead = models % 2, 2 * wrong - models
    minority = x ** ((abs(lead) + 1) // 2) / (1 + x) if odd else x ** (abs(lead) // 2) / 2
    return minority if lead < 0 or (lead == 0 and not odd) else 1 - minority


def _weighted_wrong(wrong: int, models: int, x: Fraction) -> Fraction:
    """Of two weights x^-wrong and x^-right, the first one's share."""
    return x ** (models - wrong) / (x ** (models - wrong) + x**wrong)


def _vote_accuracy(
    node: Tree, answer_wrong: Callable[[int, int, Fraction], Fraction] = _answer_wrong
) -> None:
    error, failure, records = _accuracy(node, "realizable")
    models, ratio, count, vc = parameters(node, "models", "ratio", "records", "vc")
    models, vc, x = integer(models, 1), integer(vc, 0), read_ratio(ratio)
    same_records(count, records)
    require(records >= within(models, _MOST_MODELS), "there are too few records")
    least = _vote_error(_average(records // models, failure / models, vc), models, x, answer_wrong)
    require(error == directed.shorten(least), "the error is not that of the vote")


def _flipped_answers(node: Tree) -> None:
    error, failure, records = _accuracy(node, "agnostic")
    kept, ratio, flip, slip, count, vc = parameters(node, "kept", "ratio", "flip", "slip", "records", "vc")
    kept, vc, x = integer(kept, 1), integer(vc, 0), read_ratio(ratio)
    turn, miss = number(flip), number(slip)
    same_records(count, records)
    require(records >= kept and x < 1, "a parameter is out of range")
    require(0 <= turn <= Fraction(1, 2) and 0 < miss < 1, "flip or slip is out of range")
    least = near_best(records, failure, vc) + _labels_error(records, kept, vc, miss, x) + turn
    require(error == directed.shorten(least), "the error is not the rule's")


def _labels_error(records: int, kept: int, vc: int, miss: Fraction, ratio: Fraction) -> Fraction:
    """What a draw among labellings of the records kept adds to the error: none listed is near, or a worse one wins."""
    near = (directed.ln_labellings(records, vc) + directed.ln_ceiling(1 / miss)) / kept + miss
    return near + directed.ln_labellings(kept, vc) / (records * directed.ln_floor(1 / ratio))


def _net_relabelling(node: Tree) -> None:
    new, old = pair(node)
    ratio, kept, of, net, vc = parameters(node, "ratio", "kept", "of", "net", "vc")
    kept, of, vc, x, share = integer(kept, 2), integer(of, 3), integer(vc, 0), read_ratio(ratio), number(net)
    require(kept < of and 0 <= share < 1, "a parameter is out of range")
    require(old.delta == 0 and old.release == "one answer", "the inner answer must be pure")
    require((old.unit, old.part) == ("record", ALL), "the inner answer must protect whole records")
    both = directed.shorten(directed.power(1 / x, 2) * old.loss.rational)
    reach = (share * (of - 1)).__floor__() + 1
    q = Fraction(kept, of)
    factor = directed.shorten((1 - q) * both + 4 * q * directed.power(both, reach))
    require(new.loss == Loss(Fraction(0), factor), "epsilon is not that of relabelling all records")
    pairs = Fraction(directed.labellings(of - 1, vc) ** 2, 2)
    growth = directed.exp_ceiling(share * (kept - 1), 30) if share else ONE
    miss = min(ONE, pairs / growth * (1 + Fraction(1, 10**25)))
    require(new.delta == directed.shorten(min(ONE, q * miss)), "delta is not that of the net")


def _average(block: int, failure: Fraction, vc: int, *, free: int = 1) -> Fraction:
    """The error of a concept that agrees with another on a block, for all choices of the `free` ones at once."""
    require(block >= 1, "a block has no records")
    logs = directed.ln_ceiling(Fraction(2)) + free * directed.ln_labellings(2 * block, vc)
    logs += directed.ln_ceiling(1 / failure)
    average = max(2 * logs / (block * directed.ln_floor(Fraction(2))), Fraction(8, block))
    require(average < 1, "the models are not proved to be right at all")
    return average


def _vote_error(
    average: Fraction,
    models: int,
    x: Fraction,
    answer_wrong: Callable[[int, int, Fraction], Fraction] = _answer_wrong,
) -> Fraction:
    """The error of a vote whose models err by `average`: on the steepest chord of `answer_wrong` from 0.

    Each wrong model adds more than the one before it up to half of them, and less beyond. So chords become steeper up
    to one of at least that length, and flatter from there: halving finds it, where trying all of thousands would take
    hours."""
    none = answer_wrong(0, within(models, _MOST_MODELS), x)

    def chord(wrong: int) -> Fraction:
        return (answer_wrong(wrong, models, x) - none) / wrong

    low, high = max(1, models // 2), models
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if chord(middle) < chord(middle + 1) else (low, middle)
    return none + models * chord(low) * average


def _relabelled_vote(node: Tree) -> None:
    error, failure, records = _accuracy(node, "agnostic")
    names = ("kept", "mistake", "models", "ratio", "weight", "inner", "records", "vc")
    kept, mistake, models, ratio, weight, inner, count, vc = parameters(node, *names)
    kept, mistake, models, vc = (*(integer(n, 1) for n in (kept, mistake, models)), integer(vc, 0))
    x, y, heavy = read_ratio(ratio), read_ratio(inner), number(weight)
    same_records(count, records)
    require(records > kept and x < 1 and heavy > 0, "a parameter is out of range")
    voters, miss = records - kept, failure / 5
    draw = (directed.ln_labellings(kept, vc) + directed.ln_ceiling(1 / miss)) / (
        voters * mistake * directed.ln_floor(1 / x)
    )
    require(draw < heavy, "the draw of labels proves nothing")
    spread = (2 * directed.ln_labellings(2 * kept, vc) + directed.ln_ceiling(4 / miss)) / kept
    rate = draw / heavy
    near = min(ONE, rate + 2 * directed.root_ceiling(rate * spread) + 4 * spread)
    vote = min(ONE, _vote_error(_average(kept // models, miss / models, vc, free=2), models, y))
    least = near_best(voters, 2 * miss, vc) + draw + near + vote
    require(error == directed.shorten(least), "the error is not the rule's")


def _net_relabelling_accuracy(node: Tree) -> None:
    error, failure, records = _accuracy(node, "agnostic")
    names = ("kept", "models", "ratio", "inner", "flip", "slip", "records", "vc")
    kept, models, ratio, inner, flip, slip, count, vc = parameters(node, *names)
    kept, models, vc = integer(kept, 1), integer(models, 1), integer(vc, 0)
    x, y, turn, miss = read_ratio(ratio), read_ratio(inner), number(flip), number(slip)
    same_records(count, records)
    require(records >= kept and x < 1, "a parameter is out of range")
    require(0 <= turn <= Fraction(1, 2) and 0 < miss < 1, "flip or slip is out of range")
    half = failure / 2
    vote = min(ONE, _vote_error(_average(records // models, half / models, vc, free=2), models, y))
    least = near_best(records, half, vc) + _labels_error(records, kept, vc, miss, x) + vote + turn
    require(error == directed.shorten(least), "the error is not the rule's")


RULES: dict[str, Check] = {
    "net-relabelling": _net_relabelling,
    "plurality": _plurality,
    "exponential-vote": _plurality,
    "exponential-vote-accuracy": lambda node: _vote_accuracy(node, _weighted_wrong),
    "relabelled-vote": _relabelled_vote,
    "net-relabelling-accuracy": _net_relabelling_accuracy,
    "vote": _vote,
    "delta-removal": _delta_removal,
    "vote-accuracy": _vote_accuracy,
    "flipped-answers": _flipped_answers,
}
