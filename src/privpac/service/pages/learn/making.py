"""What can be made from a table on a page: a rule, a bundle that answers, a released table.

Each knows its price from public numbers, how it is made by the one way out, and how the command line says the same.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from privpac.answering.bundle import bundle
from privpac.answering.offer import offer_for
from privpac.answering.preparing import prepare
from privpac.constructions.recipe import Recipe
from privpac.constructions.release.table import TableRequest
from privpac.constructions.words import WORDS
from privpac.data.engines.opening import open_sample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import MostLikelyUseless, ParameterError
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.budget import Cost
from privpac.learning import learn_as
from privpac.releasing import Payment, cost_of
from privpac.report.forecast import Forecast, NoForecast, forecast_of, refuse_useless, remark
from privpac.request import LearnRequest, ReleaseRequest, Requested
from privpac.sanitising import release_as
from privpac.service.pages.drawers import Drawer
from privpac.service.pages.jobs import Tell
from privpac.service.pages.learn.schema_form import listed
from privpac.verification import verify

__all__ = ["BASES", "MAKINGS", "Making", "Quote"]

OWNER = "learn"
MODEL, TABLE, BUNDLE = "model.json", "table.json", "bundle"
BASES = {
    "auto": "what suits the number of records",
    "vote:logistic": "a vote of logistic regressions",
    "vote:tree": "a vote of decision trees",
    "vote:forest": "a vote of random forests",
    "vote:boosting": "a vote of boosted trees",
    "vote:neighbours": "a vote of nearest neighbours",
    "vote:bayes": "a vote of naive Bayes classifiers",
}
"""What may answer, as far as it can be chosen from a list; the command line knows more."""

OF_ANSWERS = ("answers", "models")
FIND = "find"
"""The aim that the command line calls --costs balanced."""

Text = Callable[[str, str], str]
"""A field of the form by its name, trimmed; the second text stands for a blank one."""


@dataclass(frozen=True)
class Quote:
    """The promise and its price, from public numbers alone."""

    certificate: Certificate
    cost: Cost | None
    """What a ledger is charged when it is made; None: nothing yet."""
    expected: Forecast | NoForecast | None = None
    """What to expect of a rule."""
    advice: str | None = None
    is_doubtful: bool = False
    """Whether it will most likely be of no use, and is made only if a person says that it shall be all the same."""


@dataclass(frozen=True)
class RuleMaking:
    """A rule that anybody may read."""

    asked: LearnRequest

    @classmethod
    def of(cls, text: Text) -> RuleMaking:
        """As the form says it."""
        head, rest = text("concepts", "auto"), text("rest", "")
        if head not in WORDS:
            raise ParameterError(OWNER, "concepts", head, allowed="one of " + ", ".join(WORDS))
        said = filled_in(LearnRequest, text, without=OF_ANSWERS)
        said["concepts"] = f"{head}:{rest}" if ":" in WORDS[head].form and rest else head
        if said.get("aim") == FIND:
            said = {**said, "aim": "label", "costs": said.get("costs", "balanced")}
        return cls(LearnRequest.read(said))

    def quote(self, schema: Schema, records: int, *, coins: str) -> Quote:
        """What it would cost and promise. Refuses what cannot be made."""
        recipe = Recipe.of(self.asked, schema=schema, size=Size(records))
        certificate = recipe.certify()
        expected = forecast_of(recipe)
        caution, is_doubtful = remark(expected, aim=self.asked.aim), False
        try:
            refuse_useless(expected, aim=self.asked.aim)
        except MostLikelyUseless:
            is_doubtful = True
        return Quote(certificate, cost_of(certificate), expected, caution, is_doubtful)

    def make(self, table: Path, schema: Schema, payment: Payment, tell: Tell, into: Drawer) -> None:
        """Make it, paid for before the first coin is tossed, and put its files into a drawer."""
        model = learn_as(
            self.asked,
            table,
            schema=schema,
            payment=payment,
            progress=lambda count, of: tell("Reading the records", count, of),
            hear=lambda expected: None,  # the page said so beside the price
        )
        into.write("schema.json", json.dumps(model.schema.to_json(), indent=1, ensure_ascii=False) + "\n")
        model.save(into.file(MODEL))
        into.note(made="rule", shown=MODEL, document=MODEL, steps=verify(into.file(MODEL)).steps)

    def words(self) -> list[str]:
        """How the command line says it: the verb first, then options; files are added by the order."""
        return ["learn", *_options(self.asked), "--out", MODEL, "--report", "report.html"]


@dataclass(frozen=True)
class AnswersMaking:
    """A bundle that only answers, one question at a time."""

    asked: LearnRequest

    @classmethod
    def of(cls, text: Text) -> AnswersMaking:
        """As the form says it."""
        base = text("base", "auto")
        if base not in BASES:
            raise ParameterError(OWNER, "base", base, allowed="one of " + ", ".join(BASES))
        said = {name: text(name, "") for name in OF_ANSWERS if text(name, "")}
        delta, people = text("answers_delta", "0"), text("records_per_person", "1")
        return cls(
            LearnRequest.read(
                said,
                concepts=base,
                epsilon=text("epsilon", ""),
                delta=delta,
                records_per_person=people,
                protect="predictions",
            )
        )

    def quote(self, schema: Schema, records: int, *, coins: str) -> Quote:
        offer = offer_for(self.asked, schema=schema, size=Size(records), coins=coins)
        return Quote(offer.certify(), None if offer.answers is None else offer.cost)

    def make(self, table: Path, schema: Schema, payment: Payment, tell: Tell, into: Drawer) -> None:
        sample = open_sample(table, schema, engine="memory")  # a bundle holds its records
        offer = offer_for(self.asked, schema=schema, size=sample.size, coins=payment.coins.origin)
        folder = bundle.write(into.file(BUNDLE), offer, prepare(offer, sample, payment, table=table))
        with zipfile.ZipFile(into.file("bundle.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.iterdir()):
                archive.write(file, f"{BUNDLE}/{file.name}")
        into.note(made="answers", shown=BUNDLE, document=BUNDLE, steps=verify(folder).steps)

    def words(self) -> list[str]:
        return ["learn", *_options(self.asked), "--out", BUNDLE]


@dataclass(frozen=True)
class TableMaking:
    """Synthetic records of some columns."""

    asked: ReleaseRequest

    @classmethod
    def of(cls, text: Text) -> TableMaking:
        """As the form says it."""
        columns = listed(text("released", "")) or None
        return cls(ReleaseRequest.read(filled_in(ReleaseRequest, text), columns=columns))

    def quote(self, schema: Schema, records: int, *, coins: str) -> Quote:
        certificate = TableRequest.of(self.asked, schema=schema, size=Size(records)).certify()
        return Quote(certificate, cost_of(certificate))

    def make(self, table: Path, schema: Schema, payment: Payment, tell: Tell, into: Drawer) -> None:
        result = release_as(
            self.asked,
            table,
            schema=schema,
            engine="auto",
            progress=lambda part, of: tell("Reading the records", part, of),
            payment=payment,
        )
        result.save(into.file(TABLE))
        count = result.write(into.file("synthetic.csv"))
        steps = verify(into.file(TABLE)).steps
        into.note(made="table", shown=TABLE, document=TABLE, steps=steps, synthetic=count)

    def words(self) -> list[str]:
        return ["release", *_options(self.asked), "--out", "synthetic.csv"]


Making = RuleMaking | AnswersMaking | TableMaking
"""One kind of thing that can be made from a table."""

MAKINGS: Mapping[str, Callable[[Text], Making]] = {
    "rule": RuleMaking.of,
    "answers": AnswersMaking.of,
    "table": TableMaking.of,
}
"""How each is read from the form."""


def filled_in(request: type[Requested], text: Text, *, without: Sequence[str] = ()) -> dict[str, object]:
    """What the form says of the fields of a request; a box that is ticked says yes."""
    said: dict[str, object] = {}
    for one in fields(request):
        value = "" if one.name in without else text(one.name, "")
        if value:
            said[one.name] = value == "yes" if one.default is False else value
    return said


def _options(asked: Requested) -> list[str]:
    """Every option with its value, unless it is what it is if nobody says so."""
    return [word for option, value in asked.written() for word in (option, value) if word]
