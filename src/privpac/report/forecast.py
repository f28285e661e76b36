"""What to expect of a release, said before it is paid for: the numbers of `theory.forecast` for one request, in words.

Nothing here reads a record: a forecast follows from the number of records, epsilon, the schema's `base_rate`, and a
guess of the AUC that a model without privacy would reach, which is the user's claim and is named as such. Where the
guess is missing there are always three rows. What was not measured is not forecast, and the reason is said.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from privpac.constructions.estimates.share import whole_for_rule
from privpac.errors import MostLikelyUseless
from privpac.theory.forecast import ASSUMED, BETTER, GUESSES, Expected, Given, Range

if TYPE_CHECKING:
    from privpac.constructions.recipe import Recipe
    from privpac.data.schema import Schema

__all__ = [
    "ANSWERS",
    "FEW_LABELS",
    "RARE",
    "Asked",
    "Forecast",
    "NoForecast",
    "forecast",
    "forecast_of",
    "on_pages",
    "refuse_useless",
    "remark",
]

Kind = Literal["rule", "balanced", "card"]

LEAST_RECORDS, MOST_EPSILON = 450, 3
"""Outside of these nothing was measured: what is said there is said to be further from the tables of the fit."""

RARE = 0.2
"""Below this share a class is rare: without costs, most rules never name it."""

LARGEST = 10
"""Nobody is advised to take a larger epsilon."""


@dataclass(frozen=True)
class Asked:
    """What decides a forecast, of any request: all of it public."""

    word: str
    schema: Schema
    records: int
    """That the rule is learnt from."""
    epsilon: Fraction
    """All that is asked for: of the rule and of what is bought beside it, for all records of a person."""
    rule_epsilon: Fraction
    """Of the rule alone, for one record."""
    costs: Literal["none", "balanced", "other"] = "none"
    protect: str = "records"
    delta: Fraction = Fraction(0)
    people: int = 1
    """Records that one person may have."""


@dataclass(frozen=True)
class NoForecast:
    """Why there is none."""

    why: str

    @property
    def lines(self) -> list[str]:
        """For people."""
        return [f"Not forecast: {self.why}."]

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {"kind": None, "why": self.why}


FEW_LABELS = NoForecast("nothing was measured with records without labels")
ANSWERS = NoForecast("nothing was measured where predictions alone are protected")


@dataclass(frozen=True)
class Forecast:
    """What to expect, for one guess of what is attainable or for three."""

    kind: Kind
    asked: Asked
    rows: tuple[Expected, ...]
    is_guessed: bool
    """Whether the user named what is attainable: then there is one row."""

    @property
    def rare(self) -> str:
        """What the rarer class is called."""
        return self._names[1]

    @property
    def constant(self) -> str:
        """The rule to beat, in words."""
        return f'always saying "{self._names[0]}"'

    @property
    def _names(self) -> tuple[str, ...]:
        """Both classes, the commoner one first; of two equally common ones in the order of the schema."""
        first, second = self.asked.schema.base_rate or (0.5, 0.5)
        names = self.asked.schema.class_names
        return names if first >= second else names[::-1]

    @property
    def rate(self) -> float:
        """The share of the rarer class."""
        return self.rows[0].given.rate

    @property
    def is_hopeless(self) -> bool:
        """Whether a rule will most likely be no better than the constant: by the guess, or by `ASSUMED` without one."""
        return self.kind == "rule" and (
            self.rows[0].is_hopeless if self.is_guessed else self.least_attainable > ASSUMED
        )

    @property
    def least_attainable(self) -> float:
        """The AUC without privacy that it takes for a rule to be better than the constant."""
        return Expected(replace(self.rows[0].given, one_column=None)).least_attainable()

    @property
    def lines(self) -> list[str]:
        """For people, the headline first."""
        first = f"Expected, not proved, {self._numbers()}"
        if not self.is_guessed:
            return [
                f"{first}, by the AUC that a model without privacy would reach (name it with --attainable):",
                *(f"  {row.given.attainable:.2f}: {self._headline(row)}" for row in self.rows),
                *self._outside(),
            ]
        row = self.rows[0]
        return [
            f"{first}, if a model without privacy would reach an AUC of {row.given.attainable:.2f}:",
            f"  {self._headline(row)}",
            *(f"  {text}" for text in self._what_would_do(row)),
            *self._outside(),
        ]

    def _numbers(self) -> str:
        asked = self.asked
        share = f'{100 * self.rate:.3g} % "{self.rare}"'
        return f"{asked.records:,} records, epsilon {float(asked.epsilon):.4g}, {share}"

    def _headline(self, row: Expected) -> str:
        if self.kind == "card":
            return f"AUC {_auc(row.auc)}"
        if self.kind == "balanced":
            return _found(row, self.rare)
        no_better = "; it will most likely be no better" if row.is_hopeless else ""
        return (
            f"a gain of about {_gain(row.gain.middle)} over {self.constant} ({_gain(row.gain.low)} to"
            f" {_gain(row.gain.high)} in 8 runs of 10): right about {row.accuracy.middle:.3f} of the time"
            f"{no_better}"
        )

    def _what_would_do(self, row: Expected) -> list[str]:
        if self.kind != "rule":
            now = row.auc.middle if self.kind == "card" else None
            needed = row.card_evidence() if self.kind == "card" else None
            if needed is None or now is None or now >= row.goal:
                return []
            return [f"AUC {row.goal:.2f} needs {self._ways(needed, row)}."]
        if not row.is_hopeless:
            return []
        return self.instead(row)

    def instead(self, row: Expected) -> list[str]:
        """What would be of more use, each with its own forecast: first with the same numbers, then with others."""
        ranks = row.auc.low >= 0.5 + MARGIN
        card = f"To rank instead: --aim rank, AUC {_auc(row.auc)}."
        costs = f"To find the rarer class: --costs balanced, {_found(row, self.rare)}."
        return [*([card] if ranks else []), costs, self._more(row)]

    def _more(self, row: Expected) -> str:
        """What more records or a larger epsilon would do for the rule itself."""
        if row.best <= BETTER:
            return (
                f"No epsilon makes the rule itself useful: without privacy a model with an AUC of"
                f" {row.given.attainable:.2f} would gain {row.best:.4f}."
            )
        needed = row.rule_evidence()
        if needed is None:
            return "No epsilon makes it likely that the rule itself beats that."
        return f"The rule itself is likely to beat that with {self._ways(needed, row)}."

    def _ways(self, evidence: float, row: Expected) -> str:
        """An epsilon, or records, that come to this much together, the share for the verdict on a rule counted."""
        if self.kind != "card":
            evidence = float(whole_for_rule(1, Fraction(evidence)))
        epsilon = self.asked.people * evidence / row.given.records
        records = self.asked.people * evidence / float(self.asked.epsilon)
        more = f"{_up(records):,} records"
        return more if epsilon > LARGEST else f"epsilon {_up_digits(epsilon)}, or {more}"

    def _outside(self) -> list[str]:
        if self.asked.records >= LEAST_RECORDS and self.asked.epsilon <= MOST_EPSILON:
            return []
        return [
            f"  Measured with {LEAST_RECORDS} records or more and epsilon up to {MOST_EPSILON}: take this for rougher."
        ]

    def to_json(self) -> dict[str, Any]:
        """For programs: all numbers of every row, whatever the aim."""
        return {
            "kind": self.kind,
            "records": self.asked.records,
            "epsilon": float(self.asked.epsilon),
            "rule_epsilon": float(self.asked.rule_epsilon),
            "rare_class": self.rare,
            "rate": self.rate,
            "attainable_named": self.is_guessed,
            "most_likely_no_better": self.is_hopeless,
            "rows": [row.to_json() for row in self.rows],
        }


MARGIN = 0.05
"""A card is advised where its AUC is this much above one half even at the low end of its range."""


def forecast(asked: Asked, attainable: float | None = None) -> Forecast | NoForecast:
    """What to expect of a request; `attainable` takes the place of the schema's."""
    schema, why = asked.schema, _unmeasured(asked)
    if why is not None:
        return NoForecast(why)
    if schema.base_rate is None:
        return NoForecast(
            "it follows from how common each class is, which the schema does not say. Write the publicly known share,"
            ' such as "base_rate": 0.06'
        )
    rate = min(schema.base_rate)
    named = schema.attainable if attainable is None else attainable
    column = schema.attainable_one_column if attainable is None else None
    guesses = GUESSES if named is None else (named,)
    rows = tuple(
        Expected(Given(asked.records, float(asked.rule_epsilon), rate, guess, column)) for guess in guesses
    )
    return Forecast(_kind(asked), asked, rows, named is not None)


def _kind(asked: Asked) -> Kind:
    if asked.word.partition(":")[0] == CARD:
        return "card"
    return "balanced" if asked.costs == "balanced" else "rule"


CARD = "card"
MEASURED = ("auto", "trees", CARD)
"""Words that runs were made with; trees of one depth are forecast as `auto` is."""


def _unmeasured(asked: Asked) -> str | None:
    """What a request has that no run had."""
    if len(asked.schema.classes) != 2:
        return "the label has more than two classes, where nothing was measured"
    if asked.protect != "records":
        return f"nothing was measured where {asked.protect} alone are protected"
    if asked.delta:
        return "nothing was measured with a delta"
    if asked.word.partition(":")[0] not in MEASURED:
        return f"nothing was measured for {asked.word}; auto, trees and cards are forecast"
    if asked.costs == "other":
        return "nothing was measured with costs of your own; balanced ones are forecast"
    return None


def forecast_of(recipe: Recipe, attainable: float | None = None) -> Forecast | NoForecast:
    """What to expect of what a recipe will release."""
    request = recipe.request
    word = recipe.concepts if isinstance(recipe.concepts, str) else recipe.concepts.word
    if recipe.buys_rate:
        return NoForecast("how common each class is will be bought with the rule")
    asked = Asked(
        word,
        request.schema,
        recipe.learnt_from,
        recipe.epsilon,
        request.per_record,
        _costs_of(recipe),
        request.protect,
        request.delta,
        request.records_per_person,
    )
    return forecast(asked, attainable)


def _costs_of(recipe: Recipe) -> Literal["none", "balanced", "other"]:
    from privpac.constructions.request import balanced_costs

    costs, schema = recipe.request.costs, recipe.request.schema
    if costs is None or len(set(costs)) == 1:
        return "none"
    return "balanced" if schema.base_rate is not None and balanced_costs(schema) == costs else "other"


def refuse_useless(expected: Forecast | NoForecast, *, aim: str) -> None:
    """Raise `MostLikelyUseless` where the user named what is attainable and the rule will hardly gain anything.

    Without that guess one warning in six is wrong, so nothing is refused.
    """
    if isinstance(expected, Forecast) and expected.is_hopeless and expected.is_guessed and aim == "label":
        raise MostLikelyUseless(_useless(expected), remedy="To go on all the same: anyway=True.")


def remark(expected: Forecast | NoForecast, *, aim: str) -> str | None:
    """One sentence of caution before a charge, for a rule that is to be right most often; None where there is none."""
    if not isinstance(expected, Forecast) or expected.kind != "rule" or aim != "label":
        return None
    if expected.is_hopeless:
        return _useless(expected)
    takes = expected.least_attainable
    unless = (
        f"The rule will most likely be no better than {expected.constant} unless a model without privacy would reach an"
        f" AUC above {takes:.2f}."
    )
    least, middle, _ = GUESSES
    says_unless = not expected.is_guessed and takes > (least if expected.rate < RARE else middle)
    if expected.rate >= RARE:
        return unless if says_unless else None
    rare = (
        f'Only {100 * expected.rate:.3g} % are "{expected.rare}", and the rule is chosen to be right most often: to'
        " find them, --costs balanced is probably what you want; to put records in order of their risk, --aim rank."
    )
    return f"{unless} {rare}" if says_unless else rare


def _useless(expected: Forecast) -> str:
    """That a rule will most likely be no better than the constant, and what helps, in order."""
    epsilon = f"epsilon {float(expected.asked.epsilon):.4g}"
    if not expected.is_guessed:
        takes = expected.least_attainable
        return (
            f"This run may well return a rule that is no better than {expected.constant}: that is most likely unless a"
            f" model without privacy would reach an AUC above {takes:.2f}. --costs balanced finds the rarer class,"
            " --aim rank puts records in order of their risk."
        )
    row = expected.rows[0]
    gain = f"the gain to expect is {_gain(row.gain.middle)}"
    return (
        f"This run will most likely return a rule that is no better than {expected.constant}, and {epsilon} would be"
        f" spent: {gain}. {' '.join(expected.instead(row))}"
    )


OPTIONS_ON_PAGES = {
    " (name it with --attainable)": "",
    " (say --attainable)": "",
    "To rank instead: --aim rank, ": "To rank instead: ",
    "To find the rarer class: --costs balanced, ": "To find the rarer class, with balanced costs: ",
    "--costs balanced is probably what you want": "balanced costs are probably what you want",
    "in order of their risk, --aim rank.": "in order of their risk, ask for a ranking.",
    "--costs balanced finds the rarer class, --aim rank puts": "Balanced costs find the rarer class; a ranking puts",
}
"""What stands in the words of a forecast where nobody types options."""


def on_pages(text: str) -> str:
    """A line for people who fill in a form."""
    for option, words in OPTIONS_ON_PAGES.items():
        text = text.replace(option, words)
    return text


def _gain(value: float) -> str:
    text = f"{value:.3f}"
    return "0.000" if text == "-0.000" else text


def _auc(value: Range) -> str:
    return f"about {value.middle:.2f} ({value.low:.2f} to {value.high:.2f} in 8 runs of 10)"


def _found(row: Expected, rare: str) -> str:
    found, alarms = row.found, row.alarms
    return (
        f'finds about {100 * found.middle:.0f} of 100 "{rare}" ({100 * found.low:.0f} to {100 * found.high:.0f} in 8'
        f" runs of 10), false alarms about {100 * alarms.middle:.0f} of 100 others ({100 * alarms.low:.0f} to"
        f" {100 * alarms.high:.0f})"
    )


def _up(number: float) -> int:
    """Rounded up to two digits.

    >>> _up(11_234.5)
    12000
    """
    unit = int(10.0 ** max(0, math.floor(math.log10(number)) - 1))
    return math.ceil(number / unit) * unit


def _up_digits(number: float) -> str:
    """The same, of an epsilon.

    >>> _up_digits(2.91), _up_digits(0.1234)
    ('3', '0.13')
    """
    unit = 10.0 ** (math.floor(math.log10(number)) - 1)
    return f"{math.ceil(round(number / unit, 6)) * unit:.2g}"
