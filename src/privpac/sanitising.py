"""`release_table`: from a table to synthetic records that may leave, by the one way out (`releasing`)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from privpac.constructions.release.buckets import Buckets
from privpac.constructions.release.point_counts import PointCounts
from privpac.constructions.release.sanitiser import FAILURE, Released
from privpac.constructions.release.table import ReleasedTable, TableRequest
from privpac.data.declared import schema_for
from privpac.data.engines.memory import MemorySample
from privpac.data.engines.opening import EngineSample, chosen_engine, open_sample, unread_records
from privpac.data.purchases import purchase_of
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.ledger import Ledger
from privpac.numbers.exact import exact_decimal
from privpac.releasing import Payment
from privpac.verification import verify_document

__all__ = ["release_table"]

OWNER = "release"


def release_table(
    table: object,
    *,
    schema: Schema | str | os.PathLike[str] | Mapping[str, Any],
    columns: str | Sequence[str],
    epsilon: object = 1.0,
    method: str = "auto",
    error: object = None,
    failure: object = FAILURE,
    records_per_person: int = 1,
    ledger: Ledger | None = None,
    random_state: int | None = None,
    label: str | None = None,
    engine: str = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> ReleasedTable:
    """Release synthetic records of some columns of a table (file, frame or arrays), with a promise for every query.

    `method` is 'points' (counts of combinations of any columns, the label among them if named), 'tree', 'quantiles' or
    'blr' (one ordered column), or 'auto'. With `error`, a table too small for it is refused before anything is spent,
    and the refusal says how many records would do and which error these prove. The ledger is charged before the first
    coin is tossed, and the table is verified before it is returned.
    """
    payment = Payment.by(ledger, random_state=random_state, owner=OWNER)
    declared = schema_for(schema, table, label=label)
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    sample = _open(table, _narrowed(declared, names), names, engine=engine, progress=progress)
    request = TableRequest(
        schema=sample.schema,
        columns=names,
        size=_size(sample, names),
        epsilon=_number("epsilon", epsilon),
        method=method,
        error=None if error is None else _number("error", error),
        failure=_number("failure", failure),
        records_per_person=records_per_person,
    )

    def document(released: Released, signed: Certificate) -> ReleasedTable:
        assert isinstance(released, Buckets | PointCounts)
        return ReleasedTable(released, request.schema, signed.to_json())

    return payment.release(
        request.certify(),
        draw=lambda coins: request.sanitiser.release(sample, coins),
        document=document,
        verify=lambda made: verify_document(json.loads(json.dumps(made.to_json()))),
        note=f"release {','.join(names)}",
        purchase=purchase_of(f"release {method}", declared, table=table),
        unread=unread_records(sample),
    )


def _number(name: str, value: object) -> Fraction:
    return exact_decimal(value, owner=OWNER, name=name)


def _narrowed(schema: Schema, names: tuple[str, ...]) -> Schema:
    """The schema of the released columns alone; one column stays where only the label is released."""
    wanted = [name for name in names if name != schema.label]
    kept = tuple(schema.column(name) for name in wanted) or schema.columns[:1]
    return replace(schema, columns=kept)


def _size(sample: EngineSample, names: tuple[str, ...]) -> Size:
    """How many records are released: without labels unless those are, whether or not the engine had to read them."""
    return sample.size if sample.schema.label in names else Size(0, unlabelled=sample.size.total)


def _open(
    table: object,
    schema: Schema,
    names: tuple[str, ...],
    *,
    engine: str,
    progress: Callable[[int, int], None] | None,
) -> EngineSample:
    """The records; labels are read only if they are released, or from files, which are read as a whole."""
    if schema.label not in names and chosen_engine(table, engine) == "memory":
        return MemorySample.of(table, schema, labelled=False)
    return open_sample(table, schema, engine=engine, progress=progress)
