"""A schema, declared column by column in a form; a draft has blanks, and a person fills them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from privpac.data.schema import Schema
from privpac.data.schema_reading import OPTIONS
from privpac.errors import SchemaError

__all__ = ["KINDS", "ColumnFields", "SchemaForm"]

KINDS = {
    "numeric": "numbers between two bounds",
    "categorical": "one of a list of categories",
    "boolean": "yes or no",
    "date": "days or moments between two dates",
}
FIELDS = ("lower", "upper", "integer", "resolution", "categories", "other", "timezone", "missing")


@dataclass(frozen=True)
class ColumnFields:
    """The fields of one column, as text; `name` comes from the table, never from the form."""

    name: str
    kind: str
    used: bool
    values: Mapping[str, str]

    def entry(self) -> dict[str, Any]:
        """As a schema file writes it; what has no meaning for the kind is left out, blanks stay blank."""
        tree: dict[str, Any] = {"name": self.name, "kind": self.kind}
        for field in FIELDS:
            text = self.values.get(field, "").strip()
            if field not in OPTIONS.get(self.kind, ()) or (not text and field != "integer"):
                continue
            tree[field] = self._value(field, text)
        return tree

    def _value(self, field: str, text: str) -> Any:
        if field == "integer":
            return text == "on"
        if field == "categories":
            return listed(text)
        if self.kind == "numeric":
            return _number(self.name, field, text)
        return text


@dataclass(frozen=True)
class SchemaForm:
    """All of it: label, classes, and a row of fields a column."""

    label: str
    classes: str
    columns: tuple[ColumnFields, ...]

    @classmethod
    def drafted(cls, draft: Sequence[Mapping[str, Any]], filled: Schema | None = None) -> SchemaForm:
        """What the form shows first: kinds from types, blanks for what only a person knows; or a schema's values."""
        if filled is None:
            return cls("", "0, 1", tuple(_fields_of(entry, used=True) for entry in draft))
        known = {entry["name"]: entry for entry in filled.to_json()["columns"]}
        columns = tuple(
            _fields_of(known.get(entry["name"], entry), used=entry["name"] in known) for entry in draft
        )
        return cls(filled.label, ", ".join(filled.classes), columns)

    @classmethod
    def sent(cls, draft: Sequence[Mapping[str, Any]], form: Mapping[str, Any]) -> SchemaForm:
        """As a person filled it in."""
        columns = tuple(
            ColumnFields(
                entry["name"],
                str(form.get(f"c{place}.kind", entry["kind"])),
                form.get(f"c{place}.used") == "on",
                {field: str(form.get(f"c{place}.{field}", "")) for field in FIELDS},
            )
            for place, entry in enumerate(draft)
        )
        return cls(str(form.get("label", "")), str(form.get("classes", "")), columns)

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
        chosen = [fields.entry() for fields in self.columns if fields.used and fields.name != self.label]
        return {"label": self.label, "classes": listed(self.classes), "columns": chosen}

    def schema(self) -> Schema:
        """The declared schema, or the sentence that says which blank is left."""
        return Schema.from_json(self.to_json())


def listed(text: str) -> list[str]:
    """Names apart by commas or lines."""
    return [name for piece in text.splitlines() for part in piece.split(",") if (name := part.strip())]


def _number(name: str, field: str, text: str) -> int | float | str:
    """As it is written: whole numbers of any length, otherwise a decimal."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise SchemaError(
            f"Column '{name}': {field} is not a number.", column=name, remedy="Write a number such as 120."
        ) from None


def _fields_of(entry: Mapping[str, Any], *, used: bool) -> ColumnFields:
    values = {}
    for field in FIELDS:
        value = entry.get(field)
        if isinstance(value, bool):
            values[field] = ("on" if value else "") if field == "integer" else str(value).lower()
        elif isinstance(value, Sequence) and not isinstance(value, str):
            values[field] = ", ".join(str(item) for item in value)
        else:
            values[field] = "" if value is None else str(value)
    return ColumnFields(str(entry["name"]), str(entry["kind"]), used, values)
