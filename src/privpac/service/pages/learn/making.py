"""What can be made from a table on a page: a rule, a bundle that answers, a released table.

Each knows its price from public numbers, how it is made by the one way out, and how the command line says the same.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from privpac.answering.bundle import bundle
from privpac.answering.offer import offer_for
from privpac.answering.preparing import prepare
from privpac.constructions.recipe import Recipe
from privpac.constructions.words import WORDS
from privpac.data.engines.opening import open_sample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.budget import Cost, exact_text
from privpac.learning import Source, learn_rule
from privpac.releasing import Payment, cost_of
from privpac.sanitising import release_as, request_for
from privpac.service.pages.drawers import Drawer
from privpac.service.pages.jobs import Tell
from privpac.service.pages.learn.schema_form import listed
from privpac.verification import verify
from privpac.wishes import AnswerWishes, RuleWishes, TableWishes, read_costs, read_delta, read_epsilon

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

Text = Callable[[str, str], str]
"""A field of the form by its name, trimmed; the second text stands for a blank one."""


@dataclass(frozen=True)
class Quote:
    """The promise and its price, from public numbers alone."""

    certificate: Certificate
    cost: Cost | None
    """What a ledger is charged when it is made; None: nothing yet."""
    advice: str | None = None


@dataclass(frozen=True)
class RuleMaking:
    """A rule that anybody may read."""

    wishes: RuleWishes

    @classmethod
    def of(cls, text: Text) -> RuleMaking:
        """As the form says it."""
        head, rest = text("concepts", "auto"), text("rest", "")
        if head not in WORDS:
            raise ParameterError(OWNER, "concepts", head, allowed="one of " + ", ".join(WORDS))
        return cls(
            RuleWishes.read(
                epsilon=text("epsilon", ""),
                delta=text("delta", "0"),
                concepts=f"{head}:{rest}" if ":" in WORDS[head].form and rest else head,
                protect=text("protect", "records"),
                costs=read_costs(text("costs", "") or None, owner=OWNER),
                records_per_person=_whole("records_per_person", text("records_per_person", "1")),
                estimate_epsilon=text("estimate_epsilon", "") or None,
                leaf_epsilon=text("leaf_epsilon", "") or None,
                holdout=text("holdout", "auto"),
                aim=text("aim", "label"),
                probabilities=text("probabilities", "") == "yes",
            )
        )

    def quote(self, schema: Schema, records: int, *, coins: str) -> Quote:
        """What it would cost and promise. Refuses what cannot be made."""
        recipe = Recipe.of(self.wishes, schema=schema, size=Size(records))
        certificate = recipe.certify()
        return Quote(certificate, cost_of(certificate), recipe.advice)

    def make(self, table: Path, schema: Schema, payment: Payment, tell: Tell, into: Drawer) -> None:
        """Make it, paid for before the first coin is tossed, and put its files into a drawer."""
        source = Source(table, progress=lambda count, of: tell("Reading the records", count, of))
        model = learn_rule(source, schema, self.wishes, payment=payment)
        into.write("schema.json", json.dumps(model.schema.to_json(), indent=1, ensure_ascii=False) + "\n")
        model.save(into.file(MODEL))
        into.note(made="rule", shown=MODEL, document=MODEL, steps=verify(into.file(MODEL)).steps)

    def words(self) -> list[str]:
        """How the command line says it: the verb first, then options; files are added by the order."""
        wishes = self.wishes
        words = [
            ("concepts", str(wishes.concepts), "auto"),
            ("epsilon", _number(wishes.epsilon), ""),
            ("delta", _number(wishes.delta), "0"),
            ("estimate-epsilon", _number(wishes.estimate_epsilon), ""),
            ("leaf-epsilon", _number(wishes.leaf_epsilon), ""),
            ("holdout", _number(wishes.holdout), ""),
            ("aim", wishes.aim, "label"),
            ("protect", wishes.protect, "records"),
            ("costs", _costs_text(wishes.costs), ""),
            ("records-per-person", str(wishes.records_per_person), "1"),
        ]
        flag = ["--probabilities"] if wishes.probabilities else []
        return ["learn", *_options(words), *flag, "--out", MODEL, "--report", "report.html"]


@dataclass(frozen=True)
class AnswersMaking:
    """A bundle that only answers, one question at a time."""

    wishes: AnswerWishes

    @classmethod
    def of(cls, text: Text) -> AnswersMaking:
        """As the form says it."""
        base = text("base", "auto")
        if base not in BASES:
            raise ParameterError(OWNER, "base", base, allowed="one of " + ", ".join(BASES))
        return cls(
            AnswerWishes(
                base,
                read_epsilon(text("epsilon", ""), owner=OWNER),
                read_delta(text("answers_delta", "0"), owner=OWNER),
                _whole("answers", text("answers", "")) if text("answers", "") else None,
                _whole("models", text("models", "")) if text("models", "") else None,
                _whole("records_per_person", text("records_per_person", "1")),
            )
        )

    def quote(self, schema: Schema, records: int, *, coins: str) -> Quote:
        offer = offer_for(self.wishes, schema=schema, size=Size(records), coins=coins)
        return Quote(offer.certify(), None if offer.answers is None else offer.cost)

    def make(self, table: Path, schema: Schema, payment: Payment, tell: Tell, into: Drawer) -> None:
        sample = open_sample(table, schema, engine="memory")  # a bundle holds its records
        offer = offer_for(self.wishes, schema=schema, size=sample.size, coins=payment.coins.origin)
        folder = bundle.write(into.file(BUNDLE), offer, prepare(offer, sample, payment, table=table))
        with zipfile.ZipFile(into.file("bundle.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.iterdir()):
                archive.write(file, f"{BUNDLE}/{file.name}")
        into.note(made="answers", shown=BUNDLE, document=BUNDLE, steps=verify(folder).steps)

    def words(self) -> list[str]:
        wishes = self.wishes
        words = [
            ("concepts", str(wishes.base), "auto"),
            ("epsilon", _number(wishes.price), ""),
            ("delta", _number(wishes.delta), "0"),
            ("answers", str(wishes.answers or ""), ""),
            ("models", str(wishes.models or ""), ""),
            ("records-per-person", str(wishes.records_per_person), "1"),
        ]
        return ["learn", "--protect", "predictions", *_options(words), "--out", BUNDLE]


@dataclass(frozen=True)
class TableMaking:
    """Synthetic records of some columns."""

    wishes: TableWishes

    @classmethod
    def of(cls, text: Text) -> TableMaking:
        """As the form says it."""
        return cls(
            TableWishes.read(
                columns=listed(text("released", "")) or None,
                epsilon=text("epsilon", ""),
                method=text("method", "auto"),
                error=text("error", "") or None,
                failure=text("failure", "0.05"),
                records_per_person=_whole("records_per_person", text("records_per_person", "1")),
            )
        )

    def quote(self, schema: Schema, records: int, *, coins: str) -> Quote:
        certificate = request_for(self.wishes, schema=schema, size=Size(records)).certify()
        return Quote(certificate, cost_of(certificate))

    def make(self, table: Path, schema: Schema, payment: Payment, tell: Tell, into: Drawer) -> None:
        result = release_as(
            self.wishes,
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
        wishes = self.wishes
        words = [
            ("column", ",".join(wishes.columns), ""),
            ("epsilon", _number(wishes.epsilon), ""),
            ("method", wishes.method, "auto"),
            ("error", _number(wishes.error), ""),
            ("failure", _number(wishes.failure), "0.05"),
            ("records-per-person", str(wishes.records_per_person), "1"),
        ]
        return ["release", *_options(words), "--out", "synthetic.csv"]


Making = RuleMaking | AnswersMaking | TableMaking
"""One kind of thing that can be made from a table."""

MAKINGS: Mapping[str, Callable[[Text], Making]] = {
    "rule": RuleMaking.of,
    "answers": AnswersMaking.of,
    "table": TableMaking.of,
}
"""How each is read from the form."""


def _options(words: Sequence[tuple[str, str, str]]) -> list[str]:
    """Every option with its value, unless it is what it is if nobody says so."""
    return [word for name, value, usual in words if value != usual for word in (f"--{name}", value)]


def _number(value: Fraction | None) -> str:
    return "" if value is None else exact_text(value)


def _costs_text(costs: Sequence[int] | str | None) -> str:
    return costs if isinstance(costs, str) else ",".join(map(str, costs or ()))


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 18 and int(text)):
        raise ParameterError(OWNER, name, text, allowed="a whole number, 1 or more")
    return int(text)
