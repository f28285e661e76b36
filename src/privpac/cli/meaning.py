"""What a guarantee means and does not mean, in plain words and with its own numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privpac.model import Model
from privpac.theory.exact import decimal_text, exp_up

__all__ = ["does_not_mean", "means"]

WEAK = 5  # an epsilon above which the factor is beyond a hundred and the words must not comfort


def means(model: Model) -> list[str]:
    tree = model.certificate
    request = tree["request"] or {}
    people = int(request.get("records_per_person", 1))
    unit = tree["privacy"]["fact"]["unit"]
    thing = "the label of one record" if unit == "label" else "one record"
    if people > 1:
        thing = f"all records of one person, up to {people}"
    texts = [
        f"If {thing} had been anything else, every possible outcome (this rule and all numbers released with it) would"
        f" have been almost as likely: {_factor(tree)}.",
        f"Somebody who knows everything except {thing}, and hesitates between two possibilities, cannot tell from this"
        f" release which is true more often than {_guess(Fraction(tree['epsilon']))} of the time"
        f"{' (delta aside)' if Fraction(tree['delta']) else ''}.",
        "This holds whatever else they know, now or later, and whatever they do with the rule: predicting, publishing"
        " and rewriting it cost nothing more.",
    ]
    if Fraction(tree["epsilon"]) > WEAK:
        texts.append(
            "At an epsilon this large the guarantee is weak: take it as a limit on the worst case, not as a comfort."
        )
    return texts


def _factor(tree: Mapping[str, Any]) -> str:
    epsilon, delta = Fraction(tree["epsilon"]), Fraction(tree["delta"])
    factor = _plain_factor(epsilon)
    text = f"its probability changes by a factor of at most e^{tree['epsilon']} ≤ {factor}"
    return text + (f", up to a further {decimal_text(delta)}" if delta else "")


def _plain_factor(epsilon: Fraction) -> str:
    if epsilon > 40:
        return "10^" + str(int(epsilon * Fraction(44, 100)) + 1)  # 1/ln 10 < 0.44
    return f"{float(exp_up(epsilon, 3)):,.3f}"


def _guess(epsilon: Fraction) -> str:
    """e^epsilon/(1 + e^epsilon), rounded up: the best chance of telling two equally likely possibilities apart."""
    if epsilon > 40:
        return "100 %"
    factor = exp_up(epsilon, 12)
    return f"{math.ceil(1000 * factor / (1 + factor)) / 10} %"


def does_not_mean(model: Model) -> list[str]:
    tree = model.certificate
    people = int((tree["request"] or {}).get("records_per_person", 1))
    texts = [
        "It does not hide what is true of people in general. A rule that holds for many holds for somebody who was"
        " never in the table, too.",
        "It does not cover the schema: bounds, categories, classes and the number of records are taken to be public.",
        "It does not cover other releases from the same records. Their losses add up; a ledger keeps the sum.",
        "It does not cover the table itself, the machine it was on, or error messages and timings seen there.",
    ]
    if people == 1:
        texts.append(
            "It counts one record a person. Somebody with k records is protected with k times the epsilon."
        )
    else:
        texts.append(f"It does not hold as it stands for somebody with more than {people} records.")
    texts.append(
        "It says nothing about cause and effect or fairness, and its accuracy is that of records like these: where the"
        " world changes, so does the error."
    )
    return texts
