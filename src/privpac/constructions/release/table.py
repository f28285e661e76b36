"""A released table and its file: synthetic records in the same schema, a certificate, and the error of every query.

Releasing one is in `sanitising`.

A released table is one JSON document (`privpac-table/2`): the synthetic records in short form, the schema of the
columns that were released, certificate, version and a digest. `write` puts the records themselves into a CSV or
Parquet file.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from privpac import __version__
from privpac.checker.document import TABLE, digest, read_document, same, unsigned
from privpac.constructions.release.methods import sanitiser_for
from privpac.constructions.release.sanitiser import Sanitiser
from privpac.constructions.release.tables import Buckets, PointCounts
from privpac.data.files import file_reader
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.drafts import whole_file
from privpac.errors import NotCertified, ParameterError, SizeError
from privpac.fields import as_list, record, refusing, text, whole
from privpac.guarantee.certificate import Certificate, explain_certificate, for_people, public_parameters
from privpac.guarantee.facts import Answers, fact_from_json
from privpac.numbers.exact import exp_up, plain, read_number
from privpac.numbers.parameters import whole_positive
from privpac.request import ReleaseRequest

__all__ = [
    "FORMAT",
    "ReleasedTable",
    "TableRequest",
    "load_table",
    "table_from",
]

FORMAT = TABLE
OWNER = "release"

MOST_RECORDS = 10**12
"""Beyond it the search for the best method takes too long, whoever asks, and a stored request asks too."""

KINDS: dict[str, Callable[[Mapping[str, Any]], Buckets | PointCounts]] = {
    "buckets": Buckets.from_json,
    "points": PointCounts.from_json,
}


@dataclass(frozen=True)
class TableRequest:
    """Everything public that decides how a table is released."""

    schema: Schema
    """Of the released columns alone; one column stays where only the label is released."""
    size: Size
    asked: ReleaseRequest
    """It names its columns."""

    @classmethod
    def of(cls, asked: ReleaseRequest, *, schema: Schema, size: Size) -> TableRequest:
        """What a person asks of a table of this size: it can be certified before any record is read."""
        columns = asked.columns or (*schema.names, schema.label)
        features = tuple(schema.column(name) for name in columns if name != schema.label)
        part = replace(schema, columns=features or schema.columns[:1])
        return cls(part, size, replace(asked, columns=columns))

    def __post_init__(self) -> None:
        whole_positive(self.asked.records_per_person, owner=OWNER, name="records_per_person")
        if self.size.total > MOST_RECORDS:
            raise SizeError(f"More than {MOST_RECORDS:,} records are beyond what is computed here.")
        # Records count as labelled exactly if their labels are released, however they were read: one number, one way.
        total, labelled = self.size.total, self.schema.label in self.columns
        object.__setattr__(self, "size", Size(total) if labelled else Size(0, total))

    @property
    def columns(self) -> tuple[str, ...]:
        """What is released; the label may be one of them."""
        return self.asked.columns

    @cached_property
    def sanitiser(self) -> Sanitiser:
        """The sanitiser that the method asks for."""
        asked, people = self.asked, self.asked.records_per_person
        epsilon = asked.epsilon / people
        return sanitiser_for(
            asked.method,
            self.schema,
            self.columns,
            epsilon=epsilon,
            error=asked.error,
            failure=asked.failure,
            records=self.size.total,
            # For one record, such that the rule for groups does not take it above what was asked for a person.
            delta=asked.delta / people / exp_up(epsilon * (people - 1)),
        )

    def certify(self) -> Certificate:
        """What will be promised about the table."""
        inner = self.sanitiser.certify(self.size)
        proof = for_people(
            inner.privacy,
            records_per_person=self.asked.records_per_person,
            from_data=self.schema.origin == "from_data",
        )
        return replace(inner, privacy=proof, request=self.to_json())

    def to_json(self) -> dict[str, Any]:
        """The public wishes from which `verify` makes the certificate anew; the schema is stored elsewhere."""
        return {
            "columns": list(self.columns),
            **public_parameters(self.asked, "method", "epsilon", "error", "failure", "records_per_person"),
            **({"delta": plain(self.asked.delta)} if self.asked.delta else {}),
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any], *, schema: Schema, size: Size) -> TableRequest:
        """The request that a certificate stores; refused if a field is missing or strange."""
        # Tables released before there was a delta do not name one.
        spent = ("delta",) if "delta" in tree else ()
        record(tree, "columns", "method", "epsilon", "error", "failure", "records_per_person", *spent)
        asked = ReleaseRequest(
            columns=tuple(text(name) for name in as_list(tree["columns"])),
            epsilon=read_number(tree["epsilon"]),
            method=text(tree["method"]),
            error=None if tree["error"] is None else read_number(tree["error"]),
            failure=read_number(tree["failure"]),
            records_per_person=whole(tree["records_per_person"], least=1),
            delta=read_number(tree["delta"]) if spent else Fraction(0),
        )
        return cls(schema, size, asked)


@dataclass(frozen=True)
class ReleasedTable:
    """Synthetic records (`table`) with their `schema`, their stored `certificate`, and the `version` that made them.

    `release_table` makes one. Everything in it may be published.

    >>> from privpac import release_table
    >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
    >>> ages = {"age": [i % 120 for i in range(12_000)]}
    >>> schema = {"label": "ill", "columns": [age]}
    >>> released = release_table(ages, schema=schema, columns="age", epsilon=1, random_state=1)
    >>> round(released.query(0, 60), 1), len(released.records()["age"])
    (0.5, 12000)
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     released.save(os.path.join(folder, "table.json"))
    ...     released.write(os.path.join(folder, "table.csv"))
    12000
    >>> released.to_json()["format"], "epsilon 1" in released.explain()
    ('privpac-table/2', True)
    """

    table: Buckets | PointCounts
    schema: Schema
    certificate: Mapping[str, Any]
    version: str = __version__

    def __post_init__(self) -> None:
        if not self.table.fits(self.schema):
            raise NotCertified("The synthetic records do not belong to their schema.")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the released records."""
        return self.table.names if isinstance(self.table, PointCounts) else (self.table.column,)

    @property
    def promises(self) -> tuple[Answers, ...]:
        """What every query of a class is promised, as the certificate says."""
        facts = (fact_from_json(proof["fact"]) for proof in self.certificate["accuracy"])
        return tuple(fact for fact in facts if isinstance(fact, Answers))

    def query(self, low: object = None, high: object = None) -> float:
        """About which share of the records lies from `low` up to, not including, `high`, in the column's own units.

        Raises `DataError` for an end that no cell of the column is, and `ParameterError` if points were released.
        """
        if not isinstance(self.table, Buckets):
            raise ParameterError(
                OWNER,
                "query",
                ",".join(self.columns),
                allowed="of an ordered column released by tree, quantiles, blr or blocks",
                remedy="Ask counts of combinations with share(column=value, ...).",
            )
        column = self.schema.column(self.table.column)
        first = 0 if low is None else column.cell(low)
        end = column.size if high is None else column.cell(high)
        return float(self.table.query(first, end))

    def share(self, **values: object) -> float:
        """About which share of the records has these `values`, one for each released column.

        Raises `ParameterError` if columns are missing or others are named, or if it is not points that were released.

        >>> from privpac import release_table
        >>> schema = {"label": "ill", "columns": [{"name": "ward", "kind": "categorical", "categories": ["a", "b"]}]}
        >>> wards = {"ward": ["a", "b", "b", "b"] * 1000}
        >>> released = release_table(wards, schema=schema, columns="ward", method="points", epsilon=1, random_state=1)
        >>> round(released.share(ward="b"), 1)
        0.8
        """
        if not isinstance(self.table, PointCounts) or set(values) != set(self.columns):
            raise ParameterError(
                OWNER,
                "share",
                sorted(values),
                allowed=f"a value for each of {', '.join(self.columns)}, released as points",
            )
        cells = [self._cell(name, values[name]) for name in self.columns]
        return float(self.table.query(self.schema, cells))

    def _cell(self, name: str, value: object) -> int:
        if name == self.schema.label:
            return int(self.schema.label_cells(np.array([value], dtype=object))[0])
        return self.schema.column(name).cell(value)

    def records(self) -> dict[str, list[Any]]:
        """The synthetic records, column by column, in the schema's own values."""
        block = self.table.records(self.schema).block()
        columns: dict[str, list[Any]] = {}
        for name in self.columns:
            if name == self.schema.label:
                assert block.labels is not None
                columns[name] = [self.schema.classes[label] for label in block.labels.tolist()]
            else:
                columns[name] = _values(self.schema.column(name).value, block.cells[name].tolist())
        return columns

    def write(self, path: str | os.PathLike[str]) -> int:
        """Write the synthetic records to `path`, which ends in .csv or .parquet, whole or not at all; says how many.

        Raises `ParameterError` for another ending, and `OSError` if the file cannot be written.
        """
        target = Path(path)
        columns = self.records()
        with whole_file(target) as draft:
            _WRITERS[_ending(target)](columns, draft)
        return len(next(iter(columns.values())))

    def explain(self) -> str:
        """What was released and why it may be, in words."""
        return explain_certificate(self.certificate)

    def to_json(self) -> dict[str, Any]:
        """The document that `save` writes, with its digest."""
        tree: dict[str, Any] = {
            "format": FORMAT,
            "version": self.version,
            "table": self.table.to_json(),
            "schema": self.schema.stored(),
            "certificate": dict(self.certificate),
        }
        tree["digest"] = digest(tree)
        return tree

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the document to `path`, whole or not at all; `OSError` if it cannot be written."""
        with whole_file(Path(path)) as draft:
            draft.write_text(json.dumps(self.to_json(), ensure_ascii=False) + "\n", encoding="utf-8")


def _values(value: Callable[[int], Any], cells: list[int]) -> list[Any]:
    """Each cell's value; a cell that occurs often is looked up once."""
    texts = {cell: value(cell) for cell in set(cells)}
    return [texts[cell] for cell in cells]


def _ending(path: Path) -> str:
    if path.suffix not in _WRITERS:
        raise ParameterError(OWNER, "out", path.name, allowed="a file that ends in .csv or .parquet")
    return path.suffix


def _write_csv(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _write_parquet(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    arrays = {name: _plain_array(values) for name, values in columns.items()}
    with file_reader() as connection:
        connection.register("made", arrays)
        place = str(path).replace("'", "''")
        connection.execute(f"COPY (SELECT * FROM made) TO '{place}' (FORMAT parquet)")


def _plain_array(values: Sequence[Any]) -> Any:
    """Numbers as numbers; text, and whole numbers beyond 64 bits, as text."""
    kinds = {type(value) for value in values}
    if kinds <= {int} and all(-(2**63) <= value < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    if kinds <= {bool} or kinds <= {float}:
        return np.array(values, dtype=bool if bool in kinds else np.float64)
    return np.array([str(value) for value in values], dtype=object)


_WRITERS: dict[str, Callable[[Mapping[str, Sequence[Any]], Path], None]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}


def load_table(path: str | os.PathLike[str]) -> ReleasedTable:
    """Read the released table at `path`. Reading is not verifying: see `verify`.

    Raises `DataError` if there is no such file, and `NotCertified` if it is damaged, malformed, or no released table.

    >>> load_table("no-such-table.json")
    Traceback (most recent call last):
    privpac.errors.DataError: There is no file 'no-such-table.json'.
    """
    return table_from(read_document(path, FORMAT))


def table_from(tree: Mapping[str, Any]) -> ReleasedTable:
    """The released table a document holds; its records must belong to its schema."""
    with refusing("The released table is incomplete or malformed."):
        read = KINDS[tree["table"]["kind"]](tree["table"])
        table = ReleasedTable(read, Schema.from_stored(tree["schema"]), tree["certificate"], tree["version"])
        remarks = {"schema": table.schema.to_json()} if tree["version"] == "0.1.0" else {}
        if not same({**table.to_json(), **remarks, "digest": None}, {**unsigned(tree), "digest": None}):
            raise NotCertified("The released table holds something that this version does not write.")
    return table
