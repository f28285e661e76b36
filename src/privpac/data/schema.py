"""The public description of a table: its columns, its label and the label's classes; the JSON file format."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from privpac.data import raw as reading
from privpac.data.class_values import class_values
from privpac.data.column import hashed_once
from privpac.data.columns import Column
from privpac.data.drafting import draft, found_classes, found_column
from privpac.data.raw import EMPTY, UNKNOWN, each_once, near
from privpac.data.schema_reading import (
    KEYS,
    Problems,
    auc_from,
    column_from,
    entries_of,
    filled_in,
    list_from,
    rates_from,
    slips,
)
from privpac.data.tables import read, vector
from privpac.data.words import LONGEST_TITLE, Meanings, fault_of, meanings_of, with_meaning
from privpac.errors import DataError, ParameterError, SchemaError

__all__ = ["Schema", "draft", "schema_for"]

Origin = Literal["declared", "from_data"]

RATE_ROUNDING = 0.01
"""Shares people write down add up to 1 within this."""
MOST_CLASSES = 255  # labels are stored in one byte


@hashed_once
@dataclass(frozen=True)
class Schema:
    """What is public about a table before anybody has looked at it: its `columns`, and the `classes` of its `label`.

    Raises `SchemaError`, which names the column and the remedy, if the description cannot be used.

    >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
    >>> schema = Schema.from_json({"label": "ill", "classes": ["no", "yes"], "columns": [age], "note": "ours"})
    >>> schema.names, schema.column("age").size, schema.to_json()["note"], "note" in schema.stored()
    (('age',), 120, 'ours', False)
    >>> schema.label_cells(["yes", "no"]), schema.labels_if_any(["yes", None])
    (array([1, 0], dtype=uint8), array([ 1, -1]))
    >>> Schema.from_json(schema.stored()).digest() == schema.digest()
    True
    >>> Schema.from_data({"age": [3, 70], "ill": [0, 1]}, label="ill").origin
    'from_data'

    `origin` says where that knowledge came from: "declared" by a person, or read "from_data", which a
    certificate must state as an assumption. `extras` are keys privpac does not know; they are kept.
    """

    columns: tuple[Column, ...]
    label: str
    classes: tuple[str, ...] = ("0", "1")
    origin: Origin = "declared"
    base_rate: tuple[float, ...] | None = None
    """The share of each class in the population, if it is publicly known; `costs="balanced"` follows from it."""
    attainable: float | None = None
    """A guess, from public sources, of the AUC that a model without privacy would reach: forecasts follow from it."""
    attainable_one_column: float | None = None
    """The same of the best single column."""
    extras: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    label_title: str | None = field(default=None, compare=False, repr=False)
    """What people call the label."""
    meanings: Meanings | None = field(default=None, compare=False, repr=False)
    """What people call the classes."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "classes", tuple(reading.text_of(name) for name in self.classes))
        if not self.columns:
            raise SchemaError("The schema has no columns.", remedy='List them under "columns".')
        if not isinstance(self.label, str) or not self.label:
            raise SchemaError("The schema names no label column.", remedy='Write "label": "NAME".')
        duplicate = reading.first_repeat(self.names)
        if duplicate is not None:
            raise SchemaError(
                f"Column '{duplicate}' is described twice.", column=duplicate, remedy="Keep one entry."
            )
        if self.label in self.names:
            raise SchemaError(
                f"Column '{self.label}' is the label and also among the columns.",
                column=self.label,
                remedy='Remove its entry from "columns"; its values belong into "classes".',
            )
        self._check_classes()
        self._check_words()
        if self.origin not in ("declared", "from_data"):
            raise SchemaError(
                f'The schema\'s origin is {self.origin!r}, but must be "declared" or "from_data".',
                remedy='Leave "origin" out of a schema you wrote.',
            )
        self._check_rates()
        self._check_attainable()
        self._check_text()

    def _check_words(self) -> None:
        """Two columns that people could not tell apart in a rule would make it another rule."""
        owner = f"Label '{self.label}'"
        fault = None if self.label_title is None else fault_of(self.label_title, LONGEST_TITLE)
        if fault is not None:
            remedy = (
                f'Write "label_title": followed by up to {LONGEST_TITLE} letters of plain text in quotes.'
            )
            raise SchemaError(f"{owner}: label_title {fault}.", column=self.label, remedy=remedy)
        if self.meanings is not None:
            words = meanings_of(
                self.meanings, self.classes, self._classes_table, owner=owner, column=self.label
            )
            object.__setattr__(self, "meanings", words)
        names_in_use = Counter(word for column in self.columns for word in {column.name, column.called})
        names_in_use.update({self.label, self.label_called})
        titles = [(column.name, column.title) for column in self.columns]
        for name, title in [*titles, (self.label, self.label_title)]:
            if title is not None and names_in_use[title] > 1:
                raise SchemaError(
                    f"Column '{name}': the title '{title}' is also what another column is called.",
                    column=name,
                    remedy="Give every column a title of its own, or none.",
                )

    def _check_rates(self) -> None:
        if self.base_rate is None:
            return
        rates = self.base_rate
        whole = len(rates) == len(self.classes) and all(rate > 0 for rate in rates)
        if not whole or abs(sum(rates) - 1) > RATE_ROUNDING:
            raise SchemaError(
                "The schema's base_rate is no share of each class.",
                remedy='Write "base_rate": 0.06 for the share of the second of two classes, or one share per class.',
            )

    def _check_attainable(self) -> None:
        if self.attainable is None and self.attainable_one_column is None:
            return
        if len(self.classes) != 2:
            raise SchemaError(
                "The schema's attainable is an AUC, which is one of two classes.",
                column=self.label,
                remedy='Leave "attainable" out where there are more.',
            )
        best, one = self.attainable, self.attainable_one_column
        if best is None or (one is not None and one > best):
            raise SchemaError(
                "The schema's attainable_one_column is an AUC of one column, and attainable that of all of them.",
                remedy='Write "attainable": 0.75 too, at least as large.',
            )

    def _check_text(self) -> None:
        """Whatever is made under this schema is written as UTF-8, after it was paid for."""
        try:
            json.dumps(self.stored(), ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise SchemaError(
                "A name, category or class of the schema has half of a character, which no file can hold.",
                remedy="Look for \\ud800 to \\udfff in the schema, and write whole characters.",
            ) from None

    def _check_classes(self) -> None:
        owner = f"Label '{self.label}'"
        duplicate = reading.first_repeat(self.classes)
        if duplicate is not None:
            raise SchemaError(
                f"{owner}: the class '{duplicate}' is listed twice (classes are compared as text).",
                column=self.label,
                remedy="List it once.",
            )
        if not 2 <= len(self.classes) <= MOST_CLASSES:
            raise SchemaError(
                f"{owner} has {len(self.classes)} class(es), but must have between 2 and {MOST_CLASSES}.",
                column=self.label,
                remedy='List every class that may occur under "classes", whether or not a record has it.',
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order, without the label."""
        return tuple(column.name for column in self.columns)

    @property
    def label_called(self) -> str:
        """What people call the label: its title, or its name."""
        return self.label if self.label_title is None else self.label_title

    @cached_property
    def class_names(self) -> tuple[str, ...]:
        """What people call the classes: their meanings, or the classes themselves."""
        return tuple((self.meanings or {}).get(name, name) for name in self.classes)

    @property
    def classes_in_words(self) -> tuple[str, ...]:
        """The classes, each with what it means if that is said, for people who have to know both.

        >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
        >>> schema = Schema.from_json({"label": "chd", "meanings": {"1": "ill", "0": "healthy"}, "columns": [age]})
        >>> schema.class_names, schema.classes_in_words
        (('healthy', 'ill'), ('0 (healthy)', '1 (ill)'))
        """
        return tuple(with_meaning(name, self.meanings) for name in self.classes)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def column(self, name: str) -> Column:
        """The column called `name`; `SchemaError` if there is none."""
        column = self._by_name.get(name)
        if column is None:
            namesake = next((one.name for one in self.columns if one.title == name), None)
            remedy = near(name, self.names) if namesake is None else f"That is the title of '{namesake}'."
            raise SchemaError(f"There is no column '{name}' in the schema.", column=name, remedy=remedy)
        return column

    @cached_property
    def class_values(self) -> npt.NDArray[Any]:
        """The classes as predictions show them: numbers, booleans or text (`data.class_values`)."""
        return class_values(self.classes)

    @cached_property
    def _classes_table(self) -> dict[str, int]:
        return reading.lookup(self.classes)

    def label_cells(self, raw: object) -> npt.NDArray[np.uint8]:
        """The position of each label in `raw` among the classes, compared as text; `DataError` if one is no class."""
        codes = each_once(raw, lambda some: reading.codes(self.label, some, table=self._classes_table))
        if codes.min(initial=0) < 0:
            empty = bool((codes == EMPTY).any())
            self._refuse_label("an empty cell or NaN" if empty else "a value that is not a declared class")
        return codes.astype(np.uint8)

    def labels_if_any(self, raw: object) -> npt.NDArray[np.int64]:
        """As `label_cells` of `raw`, with its errors, and -1 where there is no label: an empty cell, NaN, or -1 if no
        class is called so.
        """
        none = len(self.classes)
        marks = dict.fromkeys(reading.lookup(("-1",)), none)
        table = {**marks, **self._classes_table}
        codes = each_once(raw, lambda some: reading.codes(self.label, some, table=table))
        if bool((codes == UNKNOWN).any()):
            self._refuse_label("a value that is neither a declared class nor a mark for no label")
        codes[(codes == EMPTY) | (codes == none)] = -1
        return codes

    def _refuse_label(self, what: str) -> NoReturn:
        raise DataError(
            f"Label '{self.label}' has {what}.",
            column=self.label,
            remedy='Correct the records, or list every class that may occur under "classes".',
        )

    @classmethod
    def from_json(cls, source: str | Path | Mapping[str, Any]) -> Schema:
        """Read a schema from `source`: a file, JSON text, or a dictionary.

        Raises one `SchemaError` that names every problem of it. Keys privpac does not know are kept, unless they look
        like a misspelt one that it does.

        >>> Schema.from_json({"lable": "ill", "columns": []})
        Traceback (most recent call last):
        privpac.errors.SchemaError: The schema: "lable" is not known. Did you mean "label"?
        """
        entries = dict(source) if isinstance(source, Mapping) else entries_of(source)
        return cls(**_parts(entries))

    @classmethod
    def from_stored(cls, tree: Mapping[str, Any]) -> Schema:
        """The schema that a document holds as `tree`, whichever version wrote it; `SchemaError` as in `from_json`.

        What looks like a slip was a note when it was written, and so were words for people that nobody could be
        shown, such as a title of two lines: they are kept, and ignored.

        >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "title": ["Alter"], "units": "years"}
        >>> Schema.from_stored({"label": "ill", "columns": [age]}).column("age").called
        'age'
        """
        parts = _parts(dict(tree), stored=True)
        with suppress(SchemaError):
            return cls(**parts)
        columns = tuple(
            column
            if column.title is None
            else replace(column, title=None, extras={**column.extras, "title": column.title})
            for column in parts["columns"]
        )
        words = {key: parts[key] for key in ("label_title", "meanings") if parts[key] is not None}
        notes = {"extras": {**parts["extras"], **words}, "columns": columns}
        return cls(**{**parts, **notes, **dict.fromkeys(words)})

    @classmethod
    def from_data(cls, table: object, *, label: str, y: object = None) -> Schema:
        """A schema read from the records of `table` themselves: bounds, categories and classes as they occur.

        Only ever on an explicit wish: the origin stays in the schema, and a certificate made with it lists
        the assumption that all of this is public. Labels are `y`, or the column `label`; `SchemaError` if there is
        none.
        """
        records = read(table)
        labels = vector(y) if y is not None else records.array(label)
        return cls(
            columns=tuple(found_column(name, records.array(name)) for name in records.names if name != label),
            label=label,
            classes=found_classes(label, labels),
            origin="from_data",
        )

    def to_json(self) -> dict[str, Any]:
        """The schema as data for a JSON file; `from_json` undoes it."""
        return {**self.extras, **self._meaning([column.to_json() for column in self.columns])}

    def digest(self) -> str:
        """A fingerprint of what the schema means: unknown keys such as notes do not change it."""
        canonical = json.dumps(self.stored(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()

    def stored(self) -> dict[str, Any]:
        """The schema as released documents hold it: what it means, and no key that nobody vouches for."""
        bare = [
            {key: value for key, value in column.to_json().items() if key not in column.extras}
            for column in self.columns
        ]
        return self._meaning(bare)

    def _meaning(self, columns: list[dict[str, Any]]) -> dict[str, Any]:
        origin = {} if self.origin == "declared" else {"origin": self.origin}
        rates = {} if self.base_rate is None else {"base_rate": list(self.base_rate)}
        words = {"label_title": self.label_title, "meanings": self.meanings}
        declared_words = {key: value for key, value in words.items() if value is not None}
        guesses = {"attainable": self.attainable, "attainable_one_column": self.attainable_one_column}
        return {
            "label": self.label,
            "classes": list(self.classes),
            **declared_words,
            **origin,
            **rates,
            **{key: value for key, value in guesses.items() if value is not None},
            "columns": columns,
        }


def _parts(entries: Mapping[str, Any], *, stored: bool = False) -> dict[str, Any]:
    """The arguments of a `Schema`, read from JSON; one `SchemaError` that names every problem."""
    problems = Problems()
    corrections = set() if stored else slips(entries, KEYS, "The schema", problems)

    def value_of(key: str, owner: str, how: str) -> Any:
        return None if key in corrections else problems.attempt(lambda: filled_in(entries, key, owner, how))

    label = value_of("label", "The schema", "the name of the label column")
    classes = ("0", "1")
    if "classes" in entries:
        classes = value_of("classes", f"Label '{label}'", "a list such as [0, 1]")
        problems.attempt(lambda: list_from(classes, f"Label '{label}': classes", 'Write "classes": [0, 1].'))
    raw_columns = value_of("columns", "The schema", "a list of columns")
    column_entries = problems.attempt(
        lambda: list_from(raw_columns, 'The schema\'s "columns"', "Give one entry per column.")
    )
    read_column = partial(column_from, problems=problems, stored=stored)
    columns = [problems.attempt(partial(read_column, entry)) for entry in column_entries or ()]
    rates = problems.attempt(lambda: rates_from(entries.get("base_rate")))
    guesses = {
        key: problems.attempt(partial(auc_from, entries.get(key), key))
        for key in ("attainable", "attainable_one_column")
    }
    problems.refuse()
    return {
        "columns": tuple(column for column in columns if column is not None),
        "label": label,
        "classes": tuple(classes),
        "origin": entries.get("origin", "declared"),
        "base_rate": rates,
        **guesses,
        "extras": {key: value for key, value in entries.items() if key not in KEYS},
        "label_title": entries.get("label_title"),
        "meanings": entries.get("meanings"),
    }


def schema_for(source: object, table: object, *, label: str | None = None, y: object = None) -> Schema:
    """The schema a person gave: itself, a file, a mapping, or the wish to read it from the records."""
    if isinstance(source, Schema):
        return source
    if source is None:
        raise SchemaError(
            "No schema was given, so nothing is known about the table without looking at private records.",
            remedy="Write one (`privpac schema DATA` drafts it), or accept schema='from_data'.",
        )
    if isinstance(source, str) and source == "from_data":
        return Schema.from_data(table, label=label or "label", y=y)
    if isinstance(source, (str, Mapping)):
        return Schema.from_json(source)
    if isinstance(source, os.PathLike):
        return Schema.from_json(Path(source))
    requirement = "a Schema, the path of a schema file, a mapping, or 'from_data'"
    raise ParameterError("learn", "schema", type(source).__name__, allowed=requirement)
