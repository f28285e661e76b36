"""`release_table`: from a table to synthetic records that may leave, by the one way out (`releasing`)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from privpac.constructions.release.buckets import Buckets
from privpac.constructions.release.point_counts import PointCounts
from privpac.constructions.release.sanitiser import FAILURE, Released
from privpac.constructions.release.table import ReleasedTable, TableRequest
from privpac.data.engines.memory import MemorySample
from privpac.data.engines.opening import EngineSample, chosen_engine, open_sample, purchase_of, unread_records
from privpac.data.sample import Size
from privpac.data.schema import Schema, schema_for
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.ledger import Ledger
from privpac.releasing import Payment
from privpac.verification import verify_document
from privpac.wishes import TableWishes

__all__ = ["release_as", "release_table", "request_for"]

OWNER = "release"


def release_table(
    table: object,
    *,
    schema: Schema | str | os.PathLike[str] | Mapping[str, Any],
    columns: str | Sequence[str] | None = None,
    epsilon: object = 1.0,
    method: str = "auto",
    error: object = None,
    failure: object = FAILURE,
    delta: object = 0,
    records_per_person: int = 1,
    ledger: Ledger | None = None,
    random_state: int | None = None,
    label: str | None = None,
    engine: str = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> ReleasedTable:
    """Release synthetic records of some columns of a table, with a promise for every query of a kind.

    The ledger is charged before the first coin is tossed, and the table is verified before it is returned.

    Parameters
    ----------
    table, schema, label, engine, progress, ledger, random_state
        As for `learn`.
    columns : str or sequence of str, default None
        What is released; the label may be one of them. None: every column of the schema, and the label.
    epsilon : number, default 1
        Privacy of the released table when one record is replaced.
    method : str, default "auto"
        "points" (counts of combinations of any columns), or for one ordered column "tree", "quantiles", "blr" or, with
        a delta, "blocks". "auto" takes the one that promises most.
    error, failure : numbers, default None and 0.05
        All answers are within `error`, but for a chance of `failure`. A table too small for `error` is refused, and
        the refusal says how many records would do and which error these prove.
    delta : number, default 0
        A small delta lets "blocks" answer for columns of many bits from fewer records. "auto" spends it only where
        that promises more than every method without one; otherwise the certificate says delta 0.
    records_per_person : int, default 1
        At most this many records belong to one person; epsilon then protects the person.

    Raises
    ------
    ParameterError, SchemaError, DataError, SizeError
        Something of the request, the schema or the table does not fit; nothing was charged.
    BudgetExceeded
        The ledger has not enough left; nothing was charged or computed.

    Examples
    --------
    >>> from privpac import release_table
    >>> age = {"name": "age", "kind": "numeric", "lower": 0, "upper": 119, "integer": True}
    >>> table = {"age": [i % 120 for i in range(12_000)]}
    >>> schema = {"label": "ill", "columns": [age]}
    >>> released = release_table(table, schema=schema, columns="age", epsilon=1, random_state=1)
    >>> round(released.query(0, 59), 1)
    0.5
    """
    wishes = TableWishes.read(
        columns=columns,
        epsilon=epsilon,
        method=method,
        error=error,
        failure=failure,
        records_per_person=records_per_person,
        delta=delta,
    )
    return release_as(
        wishes,
        table,
        schema=schema_for(schema, table, label=label),
        engine=engine,
        progress=progress,
        payment=Payment.by(ledger, random_state=random_state, owner=OWNER),
    )


def release_as(
    wishes: TableWishes,
    table: object,
    *,
    schema: Schema,
    engine: str,
    progress: Callable[[int, int], None] | None,
    payment: Payment,
) -> ReleasedTable:
    """As `release_table`, once the wishes are read."""
    names = _columns(wishes, schema)
    sample = _open(table, _schema_of(schema, names), names, engine=engine, progress=progress)
    request = replace(request_for(wishes, schema=schema, size=sample.size), schema=sample.schema)

    def document(content: Released, final: Certificate) -> ReleasedTable:
        assert isinstance(content, Buckets | PointCounts)
        return ReleasedTable(content, request.schema, final.to_json())

    return payment.release(
        request.certify(),
        draw=lambda coins: request.sanitiser.release(sample, coins),
        document=document,
        verify=lambda result: verify_document(json.loads(json.dumps(result.to_json()))),
        note=f"release {','.join(names)}",
        purchase=lambda: purchase_of(f"release {wishes.method}", schema, table=table),
        unread=unread_records(sample),
    )


def request_for(wishes: TableWishes, *, schema: Schema, size: Size) -> TableRequest:
    """What is asked for, in public numbers: it can be certified before any record is read."""
    names = _columns(wishes, schema)
    return TableRequest(
        schema=_schema_of(schema, names),
        columns=names,
        size=size,
        epsilon=wishes.epsilon,
        method=wishes.method,
        error=wishes.error,
        failure=wishes.failure,
        records_per_person=wishes.records_per_person,
        delta=wishes.delta,
    )


def _columns(wishes: TableWishes, schema: Schema) -> tuple[str, ...]:
    return wishes.columns or (*schema.names, schema.label)


def _schema_of(schema: Schema, names: tuple[str, ...]) -> Schema:
    """The schema of the released columns alone; one column stays where only the label is released."""
    features = [name for name in names if name != schema.label]
    columns = tuple(schema.column(name) for name in features) or schema.columns[:1]
    return replace(schema, columns=columns)


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
