"""What the Learn page does: open a table, tell the price before, learn in the background, keep the result."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from privpac.constructions.recipe import Recipe
from privpac.constructions.words import WORDS
from privpac.data.drafting import draft
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.tables import read
from privpac.errors import DataError, ParameterError, SizeError
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.budget import exact_text
from privpac.guarantee.ledger.ledger import Ledger
from privpac.learning import Source, learn_rule
from privpac.model import Model
from privpac.releasing import Payment
from privpac.service.pages.drawers import Drawer
from privpac.service.pages.jobs import Tell
from privpac.service.pages.learn.schema_form import SchemaForm
from privpac.service.pages.learn.uploads import UploadLimits, count_upload
from privpac.wishes import RuleWishes, read_costs

__all__ = ["ENDINGS", "Order", "Table", "keep_model", "open_table"]

OWNER = "learn"
ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
DECLARED, FROM_DATA = "declared", "from_data"


@dataclass(frozen=True)
class Table:
    """A table in a drawer, or one on the server's own machine that a drawer remembers."""

    drawer: Drawer

    @property
    def _facts(self) -> dict[str, Any]:
        facts = self.drawer.state
        if "table" not in facts:
            raise DataError("The table is not here any more.", remedy="Bring it again.")
        return facts

    @property
    def path(self) -> Path:
        """The file that holds the table."""
        return Path(self._facts["table"])

    @property
    def shown(self) -> str:
        """The name of the table as pages show it."""
        return str(self._facts["shown"])

    @property
    def uploaded(self) -> bool:
        """Whether a visitor uploaded it."""
        return bool(self._facts["uploaded"])

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self._facts["records"])

    @property
    def draft(self) -> list[dict[str, Any]]:
        """The drafted columns, before a person looked at them."""
        return list(self._facts["draft"])

    def form(self) -> SchemaForm:
        """The form of the schema, as far as it was filled in."""
        filled = self._facts.get("filled")
        return SchemaForm.drafted(self.draft, None if filled is None else Schema.from_json(filled))


def ending(name: str) -> str:
    """All that is taken from the name of an upload: one of the known endings."""
    ending_of_name = next(
        (end for end in sorted(ENDINGS, key=len, reverse=True) if name.lower().endswith(end)), None
    )
    if ending_of_name is None:
        raise DataError("This kind of file is not known.", remedy=f"Bring one of {', '.join(ENDINGS)}.")
    return ending_of_name


def open_table(
    drawer: Drawer, path: Path, *, shown: str, uploaded: bool, schema: Schema | None, limits: UploadLimits
) -> Table:
    """Look at names and types of the columns and the number of records; at no value."""
    records = count_upload(path, limits) if uploaded else read(path).n
    drafted = draft(path)
    if len(drafted["columns"]) > limits.columns:
        raise DataError(f"The table has more than {limits.columns} columns.", remedy="Use privpac learn.")
    if records == 0:
        raise SizeError("The table has no records.", remedy="Give at least one record.")
    drawer.note(
        table=str(path),
        shown=shown,
        uploaded=uploaded,
        records=records,
        draft=drafted["columns"],
        filled=None if schema is None else schema.to_json(),
    )
    return Table(drawer)


@dataclass(frozen=True)
class Order:
    """What a person asks for: a schema and public wishes; everything else follows."""

    table: Table
    fields: SchemaForm
    origin: str
    wishes: RuleWishes
    charged: bool
    random_state: int | None

    @classmethod
    def of(cls, table: Table, form: Mapping[str, Any]) -> Order:
        """Read the form; nonsense is refused before any record is looked at."""

        def text(name: str, usual: str = "") -> str:
            return str(form.get(name, usual)).strip()

        head, rest = text("concepts", "auto"), text("rest")
        if head not in WORDS:
            raise ParameterError(OWNER, "concepts", head, allowed="one of " + ", ".join(WORDS))
        needs_more = ":" in WORDS[head].form
        return cls(
            table,
            SchemaForm.sent(table.draft, form),
            FROM_DATA if text("origin") == FROM_DATA else DECLARED,
            RuleWishes.read(
                epsilon=text("epsilon"),
                delta=text("delta") or "0",
                concepts=f"{head}:{rest}" if needs_more and rest else head,
                protect=text("protect", "records"),
                costs=read_costs(text("costs") or None, owner=OWNER),
                records_per_person=_whole("records_per_person", text("records_per_person") or "1"),
                estimate_epsilon=text("estimate_epsilon") or None,
                leaf_epsilon=text("leaf_epsilon") or None,
                holdout=text("holdout") or "auto",
                aim=text("aim", "label"),
                probabilities=text("probabilities") == "yes",
            ),
            text("charge") == "ledger",
            None if not text("random_state") else _whole("random_state", text("random_state")),
        )

    @property
    def reads_data(self) -> bool:
        """Whether bounds and categories are read from the records."""
        return self.origin == FROM_DATA

    def schema(self) -> Schema:
        """What was declared; read from the records only if a person asked for that."""
        if not self.reads_data:
            return self.fields.schema()
        self.fields.require_label()
        return Schema.from_data(self.table.path, label=self.fields.label)

    def recipe(self) -> Recipe:
        """What would be run."""
        return Recipe.of(self.wishes, schema=self.schema(), size=Size(self.table.records))

    def certify(self) -> tuple[Recipe, Certificate]:
        """The promise, from public numbers alone."""
        recipe = self.recipe()
        return recipe, recipe.certify()

    def run(self, ledger: Ledger | None, tell: Tell) -> Model:
        """Learn; the ledger is charged before the first coin is tossed."""
        tell("reading the records and drawing the rule", 0, 0)
        source = Source(self.table.path, progress=lambda done, of: tell("reading the records", done, of))
        payment = Payment.by(ledger if self.charged else None, random_state=self.random_state)
        return learn_rule(source, self.schema(), self.wishes, payment=payment)

    def command(self, ledger: str | None) -> str:
        """The same on the command line."""
        parts = ["privpac", "learn", self.table.shown]
        parts += (
            ["--schema", FROM_DATA, "--label", self.fields.label]
            if self.reads_data
            else ["--schema", "schema.json"]
        )
        for name, value, usual in _spoken(self.wishes):
            parts += [] if value == usual else [f"--{name}", value]
        parts += ["--probabilities"] if self.wishes.probabilities else []
        parts += [] if self.random_state is None else ["--random-state", str(self.random_state)]
        parts += ["--ledger", ledger] if self.charged and ledger else []
        return shlex.join([*parts, "--out", "model.json", "--report", "report.html"])


def _spoken(wishes: RuleWishes) -> list[tuple[str, str, str]]:
    """Every option with its value and what it is if nobody says so."""

    def number(value: Fraction | None) -> str:
        return "" if value is None else exact_text(value)

    return [
        ("concepts", str(wishes.concepts), "auto"),
        ("epsilon", number(wishes.epsilon), ""),
        ("delta", number(wishes.delta), "0"),
        ("estimate-epsilon", number(wishes.estimate_epsilon), ""),
        ("leaf-epsilon", number(wishes.leaf_epsilon), ""),
        ("holdout", number(wishes.holdout), ""),
        ("aim", wishes.aim, "label"),
        ("protect", wishes.protect, "records"),
        ("costs", _priced(wishes.costs), ""),
        ("records-per-person", str(wishes.records_per_person), "1"),
    ]


def _priced(costs: Sequence[int] | str | None) -> str:
    return costs if isinstance(costs, str) else ",".join(map(str, costs or ()))


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise ParameterError(OWNER, name, text, allowed="a whole number")
    return int(text)


def keep_model(drawer: Drawer, model: Model, order: Order, ledger: str | None) -> None:
    """The model and what is said about it, for downloads and for the certificate page."""
    drawer.write("schema.json", json.dumps(model.schema.to_json(), indent=1, ensure_ascii=False) + "\n")
    model.save(drawer.file("model.json"))
    drawer.note(
        shown="model.json", document="model.json", command=order.command(ledger), charged=order.charged
    )
