"""What a guarantee means and does not mean, in plain words and with its own numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Protocol

from privpac.checker.directed import exp_ceiling
from privpac.numbers.decimals import decimal_text

__all__ = ["Certified", "does_not_mean", "guessed_at_most", "means", "protected", "records_of_one_person"]

WEAK = 5  # an epsilon above which the factor is beyond a hundred and the words must not comfort


class Certified(Protocol):
    """A model, a bundle, a released table: whatever has a certificate in its stored form."""

    @property
    def certificate(self) -> Mapping[str, Any]:
        """The stored form of the certificate."""


def means(model: Certified) -> list[str]:
    """What somebody who trusts the certificate may conclude."""
    tree = model.certificate
    epsilon, delta, thing = Fraction(tree["epsilon"]), Fraction(tree["delta"]), protected(tree)
    texts = [
        f"If {thing} had been anything else, every possible outcome ({_outcome(tree)}) would have been almost as"
        f" likely: {_factor(tree)}.",
        f"Somebody who knows everything except {thing}, and holds two possibilities for equally likely,"
        f" cannot tell from this release which is true more often than {guessed_at_most(epsilon, delta)} of the time.",
        "This holds whatever else they know, now or later, and whatever they do with it: predicting, publishing"
        " and rewriting cost nothing more.",
    ]
    if epsilon > WEAK:
        texts.append(
            "At an epsilon this large the guarantee is weak: take it as a limit on the worst case, not as a"
            " comfort."
        )
    return texts


def _outcome(tree: Mapping[str, Any]) -> str:
    """What the world sees."""
    release = str(tree["privacy"]["fact"].get("release", ""))
    if "answer" in release:
        return "the one answer" if release.startswith("one") else "all declared answers together"
    return (
        "everything that was released"
        if release == "noisy numbers"
        else "this rule and all numbers released with it"
    )


_KEEP = ("declared", "assuming", "post-processing", "k-fold-composition")
"""Rules that speak of as many records of one person as their premise."""


def records_of_one_person(tree: Mapping[str, Any]) -> int:
    """Records of one person that are protected together: what was derived, not what was wished for."""
    return _together(tree["privacy"])


def _together(step: Mapping[str, Any]) -> int:
    if step["rule"] == "group":
        return int(step["where"]["size"])
    if step["rule"] in (*_KEEP, "sequential"):
        return min(map(_together, step["premises"]))
    return 1


def protected(tree: Mapping[str, Any]) -> str:
    """What a certificate protects, in words."""
    label = tree["privacy"]["fact"]["unit"] == "label"
    if records_of_one_person(tree) > 1:
        return f"{'the labels of ' if label else ''}all records of one person (up to {records_of_one_person(tree)})"
    return "the label of one record" if label else "one record"


def _factor(tree: Mapping[str, Any]) -> str:
    epsilon, delta = Fraction(tree["epsilon"]), Fraction(tree["delta"])
    factor = _plain_factor(epsilon)
    text = f"its probability changes by a factor of at most e^{tree['epsilon']} ≤ {factor}"
    return text + (f", up to a further {decimal_text(delta)}" if delta else "")


def _plain_factor(epsilon: Fraction) -> str:
    if epsilon > 40:
        return "10^" + str(int(epsilon * Fraction(44, 100)) + 1)  # 1/ln 10 < 0.44
    if epsilon > 10:
        return f"{int(_exp(epsilon, 0)):,}"
    return f"{float(_exp(epsilon, 3)):,.3f}"


def _exp(epsilon: Fraction, digits: int) -> Fraction:
    return exp_ceiling(epsilon, digits) if epsilon else Fraction(1)


def guessed_at_most(epsilon: Fraction, delta: Fraction = Fraction(0)) -> str:
    """(e^epsilon + delta)/(1 + e^epsilon), rounded up: the best chance of telling two possibilities apart.

    >>> guessed_at_most(Fraction(1))
    '73.2 %'
    >>> guessed_at_most(Fraction(1), Fraction(1, 2))
    '86.6 %'
    """
    if epsilon > 40 or delta >= 1:
        return "100 %"
    factor = _exp(epsilon, 12)
    return f"{math.ceil(1000 * (factor + delta) / (1 + factor)) / 10} %"


def does_not_mean(model: Certified) -> list[str]:
    """What nobody may conclude from it."""
    people = records_of_one_person(model.certificate)
    return [
        "It does not hide what is true of people in general. A rule that holds for many also holds for"
        " somebody who was never in the table.",
        "It does not cover the schema: bounds, categories, classes and the number of records are taken to be"
        " public.",
        "It does not cover other releases from the same records: losses add up, and a ledger keeps the sum.",
        "It does not cover the table itself, the machine it is on, or errors and timings seen there.",
        "It counts one record per person. Somebody with k records is protected with k times the epsilon."
        if people == 1
        else f"It does not hold as it stands for somebody with more than {people} records.",
        "It says nothing about cause and effect or fairness, and its accuracy is that of records like these:"
        " where the world changes, so does the error.",
    ]
