"""What a person orders on the Learn page: a schema, what is to be made, and who pays."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.guarantee.ledger.ledger import Ledger
from privpac.releasing import Payment
from privpac.service.pages.drawers import Drawer
from privpac.service.pages.jobs import LastCall, Tell
from privpac.service.pages.learn.making import MAKINGS, Making, Quote
from privpac.service.pages.learn.schema_form import FieldProblem, SchemaForm
from privpac.service.pages.learn.tables import Table

__all__ = ["Order"]

OWNER = "learn"
DECLARED, FROM_DATA = "declared", "from_data"


@dataclass(frozen=True)
class Order:
    """A schema and public wishes; everything else follows."""

    table: Table
    fields: SchemaForm
    origin: str
    making: Making
    charged: bool
    random_state: int | None

    @classmethod
    def of(cls, table: Table, form: Mapping[str, Any]) -> Order:
        """Read the form; nonsense is refused before any record is looked at."""

        def text(name: str, usual: str) -> str:
            return str(form.get(name, "")).strip() or usual

        making, seed = text("make", "rule"), text("random_state", "")
        if making not in MAKINGS:
            raise ParameterError(OWNER, "make", making, allowed="one of " + ", ".join(MAKINGS))
        if seed and not (seed.isascii() and seed.isdecimal() and len(seed) <= 18):
            raise ParameterError(OWNER, "random_state", seed, allowed="a whole number")
        return cls(
            table,
            table.form().changed(form),
            FROM_DATA if text("origin", "") == FROM_DATA else DECLARED,
            MAKINGS[making](text),
            text("charge", "") == "ledger",
            int(seed) if seed else None,
        )

    @property
    def reads_data(self) -> bool:
        """Whether bounds and categories are read from the records."""
        return self.origin == FROM_DATA

    def problems(self) -> list[FieldProblem]:
        """What is wrong with the schema, field by field; without looking at a record."""
        return [
            problem
            for problem in self.fields.problems()
            if not self.reads_data or problem.field in ("label", "base_rate", "attainable")
        ]

    def schema(self) -> Schema:
        """What was declared; read from the records only if a person asked for that."""
        if not self.reads_data:
            return self.fields.schema()
        self.fields.require_label()
        return Schema.from_data(self.table.path, label=self.fields.label)

    def quote(self) -> Quote:
        """The promise and its price, from public numbers alone."""
        coins = "system" if self.random_state is None else "seeded"
        return self.making.quote(self.schema(), self.table.records, coins=coins)

    def run(self, ledger: Ledger | None, tell: Tell, into: Drawer, *, last_call: LastCall) -> None:
        """Make it; the ledger is charged before the first coin is tossed, and until then it may be withdrawn."""
        tell("Reading the records", 0, 0)
        payment = Payment.by(ledger if self.charged else None, random_state=self.random_state)
        payment = replace(payment, last_call=last_call)
        self.making.make(self.table.path, self.schema(), payment, tell, into)

    def command(self, ledger: str | None) -> str:
        """The same on the command line."""
        verb, *options = self.making.words()
        parts = ["privpac", verb, self.table.shown]
        parts += (
            ["--schema", FROM_DATA, "--label", self.fields.label]
            if self.reads_data
            else ["--schema", "schema.json"]
        )
        parts += options
        parts += [] if self.random_state is None else ["--random-state", str(self.random_state)]
        parts += ["--ledger", ledger] if self.charged and ledger else []
        return shlex.join(parts)
