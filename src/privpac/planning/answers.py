"""What one of many answers may cost under a total, and how many models must then agree: no data, no privacy spent.

Four ways to pay are compared: adding, a number of answers that is declared beforehand, and the filter of a ledger whose
total has a delta, with the vote and with the vote by exponential weights. Every price keeps the total by the very code
that a ledger uses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.answering.offer import MOST_DECLARED
from privpac.answering.price import epsilon_an_answer
from privpac.errors import ParameterError
from privpac.guarantee.ledger.budget import Cost, read_share
from privpac.guarantee.ledger.promises import Promises
from privpac.numbers.concentrated import pure_rho, range_rho
from privpac.numbers.exact import decimal_text, first_whole, plain

__all__ = ["AnswerPlan", "AnswerPrice", "answer_prices"]

OWNER = "plan"
DIGITS = 6
"""Decimals of a price: it is charged as it is written."""
WRONG = "0.005"
"""How often an answer may contradict models that all agree, if nobody says."""


@dataclass(frozen=True)
class AnswerPrice:
    """One way to pay for the answers."""

    way: str
    price: Fraction
    """Epsilon of one answer."""
    rho: Fraction
    """What one answer adds to a sum of rhos."""
    models: int
    """The fewest models, an odd number, that are contradicted rarely enough at this price when they all agree."""

    def to_json(self) -> dict[str, Any]:
        """The row for `--json`."""
        return {
            "way": self.way,
            "price": plain(self.price),
            "rho": plain(self.rho),
            "models": self.models,
        }


@dataclass(frozen=True)
class AnswerPlan:
    """What each of this many answers may cost, way by way."""

    answers: int
    promises: Promises
    wrong: Fraction
    rows: tuple[AnswerPrice, ...]

    @property
    def best(self) -> AnswerPrice:
        """The way with the fewest models, and of those the lowest price."""
        return min(self.rows, key=lambda row: (row.models, row.price))

    def to_json(self) -> dict[str, Any]:
        """The plan for `--json`."""
        total = self.promises.total
        return {
            "answers": self.answers,
            "epsilon": plain(total.epsilon),
            "delta": plain(total.delta),
            "wrong": plain(self.wrong),
            "rows": [row.to_json() for row in self.rows],
            "best": self.best.way,
        }

    def cells(self) -> list[list[str]]:
        """The rows of the table for people: way, epsilon and rho of one answer, models."""
        return [
            [
                row.way,
                decimal_text(row.price),
                decimal_text(row.rho, 12),
                f"{row.models:,}",
            ]
            for row in self.rows
        ]


def answer_prices(*, answers: int, epsilon: object, delta: object = 0, wrong: object = None) -> AnswerPlan:
    """What one of `answers` answers may cost so that all of them keep (epsilon, delta), way by way.

    `wrong` is how often an answer may contradict models that all agree; it decides how many models are needed.
    Raises ParameterError if a number is not allowed or no price of six decimals fits.

    >>> plan = answer_prices(answers=3701, epsilon=3, delta="1e-6")
    >>> [(row.way, float(row.price)) for row in plan.rows][2]
    ('filter, vote', 0.01)
    """
    if isinstance(answers, bool) or not isinstance(answers, int) or answers < 1:
        raise ParameterError(OWNER, "answers", answers, allowed="a positive whole number")
    promises = Promises.read(OWNER, epsilon=epsilon, delta=delta, reserved_delta=0, pure_epsilon=None)
    share = read_share(OWNER, "error", WRONG if wrong is None else wrong)
    if not 0 < share < Fraction(1, 2):
        raise ParameterError(OWNER, "error", wrong, allowed="a number between 0 and 1/2")
    total = promises.total
    rows = [_row("adding", _largest(Promises(total.epsilon), answers, pure_rho), share)]
    if total.delta:
        if answers <= MOST_DECLARED:
            price = epsilon_an_answer(answers=answers, epsilon=total.epsilon, delta=total.delta)
            rows.append(_row("declared, vote", price, share))
        rows.append(_row("filter, vote", _largest(promises, answers, pure_rho), share))
        rows.append(
            _row("filter, weighted vote", _largest(promises, answers, range_rho), share, weighted=True)
        )
    return AnswerPlan(answers, promises, share, tuple(rows))


def _largest(promises: Promises, answers: int, rho: Callable[[Fraction], Fraction]) -> Fraction:
    """The largest price of six decimals of which this many keep the promises."""
    unit = Fraction(1, 10**DIGITS)

    def fits(units: int) -> bool:
        return promises.admits(answers * Cost(units * unit, Fraction(0), rho(units * unit)))

    most = first_whole(lambda units: not fits(units), start=1, smallest=1) - 1
    if most == 0:
        requirement = "few enough for a price of six decimals"
        remedy = "Ask for fewer answers, or for a larger total."
        raise ParameterError(OWNER, "answers", answers, allowed=requirement, remedy=remedy)
    return most * unit


def _row(way: str, price: Fraction, wrong: Fraction, *, weighted: bool = False) -> AnswerPrice:
    rho = range_rho(price) if weighted else pure_rho(price)
    return AnswerPrice(way, price, rho, _fewest(float(price), float(wrong), weighted=weighted))


def _fewest(price: float, wrong: float, *, weighted: bool) -> int:
    """The fewest models, an odd number, that are rarely enough contradicted when they agree: r models are contradicted
    with probability x^((r+1)/2)/(1 + x) by the vote (`vote_wrong`) and 1/(1 + x^(-r/2)) by the weighted one
    (`exponential_vote_wrong`), x = e^-price. In floats: a plan, not a promise."""
    if weighted:
        models = 2 * math.log((1 - wrong) / wrong) / price
    else:
        models = 2 * (math.log(1 / wrong) - math.log1p(math.exp(-price))) / price - 1
    return 2 * math.ceil((max(models, 1.0) - 1) / 2 - 1e-9) + 1
