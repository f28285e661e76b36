"""A schema, declared column by column in a form; a draft has blanks, and a person fills them.

The form sends what was changed: a table of two thousand columns has too many cells to send each time one is edited.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from privpac.data.schema import Schema
from privpac.data.schema_reading import OPTIONS, REQUIRED_KEYS, Problems, column_from
from privpac.errors import SchemaError
from privpac.numbers.spelling import spelled

__all__ = ["KINDS", "ColumnFields", "FieldProblem", "SchemaForm"]

KINDS = {
    "whole": "whole numbers between two bounds",
    "numeric": "numbers between two bounds",
    "categorical": "one of a list of categories",
    "boolean": "yes or no",
    "date": "days or moments between two dates",
}
"""The kinds of columns as the form names them; whole numbers are numeric ones with `integer` in a schema file."""
WHOLE = "whole"
FIELDS = (
    *("lower", "upper", "resolution", "scale", "usual", "categories", "other", "timezone", "missing"),
    *("title", "unit", "meanings"),
)
NEEDS = {"lower": "a lower bound", "upper": "an upper bound", "categories": "its categories"}


@dataclass(frozen=True)
class FieldProblem:
    """What is wrong, and the field beside which it is said: a column by its position, or a field by its name."""

    text: str
    field: str = ""
    column: int | None = None
    blank: bool = False
    """Whether it is only not filled in yet."""

    def to_json(self) -> dict[str, Any]:
        """For the script that marks the field."""
        return {"text": self.text, "field": self.field, "column": self.column}


@dataclass(frozen=True)
class ColumnFields:
    """The fields of one column, as text; `name` comes from the table, never from the form."""

    name: str
    kind: str
    used: bool
    values: Mapping[str, str]

    @property
    def kind_stored(self) -> str:
        """The kind as a schema file names it."""
        return "numeric" if self.kind == WHOLE else self.kind

    def entry(self) -> dict[str, Any]:
        """As a schema file writes it; what has no meaning for the kind is left out, blanks stay blank."""
        tree: dict[str, Any] = {"name": self.name, "kind": self.kind_stored}
        if self.kind_stored == "numeric":
            tree["integer"] = self.kind == WHOLE
        for field in FIELDS:
            text = self.values.get(field, "").strip()
            if text and field in OPTIONS.get(self.kind_stored, ()):
                tree[field] = self._value(field, text)
        if self.kind == WHOLE:
            tree.pop("resolution", None)
        return tree

    def _value(self, field: str, text: str) -> Any:
        if field == "categories":
            return listed(text)
        if field == "usual":
            return [_number(self.name, field, end) for end in listed(text)]
        if field == "meanings":
            return _meanings(text)
        if self.kind_stored == "numeric" and field not in ("scale", "title", "unit"):
            return _number(self.name, field, text)
        return text

    def problem(self, place: int) -> FieldProblem | None:
        """What is still wrong with it, if it is used."""
        blank = [
            field
            for field in REQUIRED_KEYS.get(self.kind_stored, {})
            if not self.values.get(field, "").strip()
        ]
        if blank:
            needs = "both bounds" if len(blank) == 2 else NEEDS[blank[0]]
            return FieldProblem(f"needs {needs}", blank[0], place, blank=True)
        problems = Problems()
        try:
            column_from(self.entry(), problems)
            problems.refuse()
        except SchemaError as error:
            text = error.problem.removeprefix(f"Column '{self.name}': ")
            about = text.partition(" ")[0]
            return FieldProblem(text, about if about in FIELDS else "", place)
        return None

    def to_json(self) -> dict[str, Any]:
        """For the script that shows the table."""
        return {"name": self.name, "kind": self.kind, "used": self.used, **self.values}


@dataclass(frozen=True)
class SchemaForm:
    """All of it: label, classes, and the fields of every column."""

    label: str
    classes: str
    columns: tuple[ColumnFields, ...]
    base_rate: str = ""
    attainable: str = ""
    label_title: str = ""
    meanings: str = ""

    @classmethod
    def drafted(cls, draft: Sequence[Mapping[str, Any]], schema: Schema | None = None) -> SchemaForm:
        """What the form shows first: kinds from types, blanks for what only a person knows; or a schema's values."""
        if schema is None:
            return cls("", "0, 1", tuple(_fields_of(entry, is_used=True) for entry in draft))
        entries = {entry["name"]: entry for entry in schema.to_json()["columns"]}
        columns = tuple(
            _fields_of(entries.get(entry["name"], entry), is_used=entry["name"] in entries) for entry in draft
        )
        rates = ", ".join(f"{share:g}" for share in schema.base_rate or ())
        return cls(
            schema.label,
            ", ".join(schema.classes),
            columns,
            rates,
            "" if schema.attainable is None else f"{schema.attainable:g}",
            schema.label_title or "",
            _meanings_text(schema.meanings or {}),
        )

    def changed(self, form: Mapping[str, Any]) -> SchemaForm:
        """As a person filled it in; `changes` are those of columns, by position."""
        changes = _changes(str(form.get("changes", "")))
        columns = tuple(
            _change(column, changes.get(str(place), {})) for place, column in enumerate(self.columns)
        )
        names = ("label", "classes", "base_rate", "attainable", "label_title", "meanings")
        return replace(self, columns=columns, **{name: str(form[name]) for name in names if name in form})

    @property
    def chosen(self) -> list[tuple[int, ColumnFields]]:
        """The columns that are used, with their positions."""
        return [
            (place, fields)
            for place, fields in enumerate(self.columns)
            if fields.used and fields.name != self.label
        ]

    def problems(self) -> list[FieldProblem]:
        """All that is still wrong, the label first."""
        faults = []
        try:
            self.require_label()
        except SchemaError as error:
            faults.append(FieldProblem(error.problem, "label", blank=not self.label))
        columns = [problem for place, fields in self.chosen if (problem := fields.problem(place))]
        if faults or columns:
            return faults + columns
        try:
            self.schema()
        except SchemaError as error:
            about = "classes" if "class" in error.problem and error.column in (None, self.label) else ""
            fields = (
                field
                for field in ("base_rate", "attainable", "label_title", "meaning")
                if field in error.problem
            )
            field = next(fields, about)
            return [FieldProblem(error.problem, "meanings" if field == "meaning" else field)]
        return []

    def require_label(self) -> None:
        """Refuse until one of the columns is named as the label."""
        if not self.label:
            raise SchemaError(
                "The label column is not chosen yet.", remedy="Say which column is to be predicted."
            )
        if self.label not in {fields.name for fields in self.columns}:
            raise SchemaError(
                f"The table has no column '{self.label}', which is named as the label.",
                column=self.label,
                remedy="Choose one of its columns.",
            )

    def to_json(self) -> dict[str, Any]:
        """The schema file these fields make."""
        self.require_label()
        columns = [fields.entry() for _, fields in self.chosen]
        rates: dict[str, Any] = {"base_rate": _rates(self.base_rate)} if self.base_rate.strip() else {}
        rates |= {"attainable": _guess(self.attainable)} if self.attainable.strip() else {}
        title, words = self.label_title.strip(), _meanings(self.meanings)
        return {
            "label": self.label,
            "classes": listed(self.classes),
            **({"label_title": title} if title else {}),
            **({"meanings": words} if words else {}),
            "columns": columns,
            **rates,
        }

    def schema(self) -> Schema:
        """The declared schema, or the sentence that says which blank is left."""
        return Schema.from_json(self.to_json())


def listed(text: str) -> list[str]:
    """Names apart by commas or lines."""
    return [name for piece in text.splitlines() for part in piece.split(",") if (name := part.strip())]


def _meanings(text: str) -> dict[str, str]:
    """Lines such as 1 = male."""
    pairs = (line.partition("=") for line in text.splitlines() if line.strip())
    return {value.strip(): words.strip() for value, _, words in pairs}


def _meanings_text(meanings: Mapping[str, str]) -> str:
    return "\n".join(f"{value} = {words}" for value, words in meanings.items())


def _changes(text: str) -> dict[str, dict[str, Any]]:
    """What the script sends: an object of objects; anything else is no form of ours."""
    try:
        changes = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        changes = None
    if not isinstance(changes, dict) or not all(isinstance(change, dict) for change in changes.values()):
        raise SchemaError("The columns of the form cannot be read.", remedy="Load the page again.")
    return changes


def _change(column: ColumnFields, change: Mapping[str, Any]) -> ColumnFields:
    if not change:
        return column
    texts = {field: str(change[field]) for field in FIELDS if field in change}
    return ColumnFields(
        column.name,
        str(change.get("kind", column.kind)),
        bool(change.get("used", column.used)),
        {**column.values, **texts},
    )


def _rates(text: str) -> list[float]:
    try:
        return [float(spelled(share)) for share in listed(text)]
    except ValueError:
        raise SchemaError(
            "The schema's base_rate is not a number between 0 and 1, or a list of such numbers.",
            remedy="Write 0.06 for the share of the second of two classes, or one share per class.",
        ) from None


def _guess(text: str) -> float:
    try:
        return float(spelled(text))
    except ValueError:
        raise SchemaError(
            "The schema's attainable is not a number between 0.5 and 1.",
            remedy="Write 0.75, or leave it blank.",
        ) from None


def _number(name: str, field: str, text: str) -> int | float | str:
    """As it is written: whole numbers of any length, otherwise a decimal."""
    with suppress(ValueError):
        return int(spelled(text))
    try:
        return float(spelled(text))
    except ValueError:
        raise SchemaError(
            f"Column '{name}': {field} is not a number.", column=name, remedy="Write a number such as 120."
        ) from None


def _fields_of(entry: Mapping[str, Any], *, is_used: bool) -> ColumnFields:
    values = {}
    for field in FIELDS:
        value = entry.get(field)
        if isinstance(value, bool):
            values[field] = str(value).lower()
        elif isinstance(value, Mapping):
            values[field] = _meanings_text(value)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            values[field] = ", ".join(str(item) for item in value)
        else:
            values[field] = "" if value is None else str(value)
    kind = WHOLE if entry["kind"] == "numeric" and entry.get("integer") else str(entry["kind"])
    return ColumnFields(str(entry["name"]), kind, is_used, values)
