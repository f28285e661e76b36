"""`release_table`: from a table to synthetic records that may leave, by the one way out (`releasing`)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Unpack

from privpac.constructions.release.sanitiser import Released
from privpac.constructions.release.table import ReleasedTable, TableRequest
from privpac.constructions.release.tables import Buckets, PointCounts
from privpac.data.engines.memory import MemorySample
from privpac.data.engines.opening import EngineSample, chosen_engine, open_sample, purchase_of, unread_records
from privpac.data.sample import Size
from privpac.data.schema import Schema, schema_for
from privpac.errors import SizeError
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.ledger import Ledger
from privpac.numbers.exact import decimal_text
from privpac.releasing import Payment
from privpac.request import ReleaseRequest, ReleaseWishes
from privpac.verification import verify_document

__all__ = ["release_as", "release_table"]

OWNER = "release"


def release_table(
    table: object,
    *,
    schema: Schema | str | os.PathLike[str] | Mapping[str, Any],
    epsilon: object = 1.0,
    ledger: Ledger | None = None,
    random_state: int | None = None,
    label: str | None = None,
    engine: str = "auto",
    progress: Callable[[int, int], None] | None = None,
    **wishes: Unpack[ReleaseWishes],
) -> ReleasedTable:
    """Release synthetic records of some columns of a table, with a promise for every query of a kind.

    The ledger is charged before the first coin is tossed, and the table is verified before it is returned.

    Parameters
    ----------
    table, schema, label, engine, progress, ledger, random_state
        As for `learn`.
    epsilon : number, default 1
        Privacy of the released table when one record is replaced.
    **wishes
        Further ones, each with a default:
    columns : str or sequence of str, default None
        What is released; the label may be one of them. A text names several with commas. None: every column of the
        schema, and the label.
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
    anyway : bool, default False
        Release even where no answer can be promised; without it that is refused, before anything is charged.

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
    return release_as(
        ReleaseRequest.read(wishes, epsilon=epsilon),
        table,
        schema=schema_for(schema, table, label=label),
        engine=engine,
        progress=progress,
        payment=Payment.by(ledger, random_state=random_state, owner=OWNER),
    )


def release_as(
    asked: ReleaseRequest,
    table: object,
    *,
    schema: Schema,
    engine: str,
    progress: Callable[[int, int], None] | None,
    payment: Payment,
) -> ReleasedTable:
    """As `release_table`, once the request is read."""
    part = TableRequest.of(asked, schema=schema, size=Size(0))
    sample = _open(table, part, engine=engine, progress=progress)
    request = TableRequest(sample.schema, sample.size, part.asked)
    if not asked.anyway and not request.certify().answers:
        raise _promises_nothing(request)

    def document(content: Released, final: Certificate) -> ReleasedTable:
        assert isinstance(content, Buckets | PointCounts)
        return ReleasedTable(content, request.schema, final.to_json())

    return payment.release(
        request.certify(),
        draw=lambda coins: request.sanitiser.release(sample, coins),
        document=document,
        verify=lambda result: verify_document(json.loads(json.dumps(result.to_json()))),
        note=f"release {','.join(request.columns)}",
        purchase=lambda: purchase_of(f"release {asked.method}", schema, table=table),
        unread=unread_records(sample),
    )


def _promises_nothing(request: TableRequest) -> SizeError:
    """The refusal, which names the method that promises something, if one does."""
    better = replace(request, asked=replace(request.asked, method="auto", error=None))
    other = request if request.asked.method == "auto" else better
    promised = other.certify()
    if promised.answers:
        error = decimal_text(min(proof.fact.error for proof in promised.answers))
        remedy = f"Use method {promised.learner['name']}, which promises an error of {error}."
    else:
        remedy = "Name fewer or coarser columns, collect more records or spend a larger epsilon."
    return SizeError(
        f"{OWNER}: {request.size.total:,} records promise nothing about any query of these columns at this epsilon.",
        remedy=f"{remedy} --anyway (anyway=True in Python) releases without a promise.",
    )


def _open(
    table: object,
    part: TableRequest,
    *,
    engine: str,
    progress: Callable[[int, int], None] | None,
) -> EngineSample:
    """The records; labels are read only if they are released, or from files, which are read as a whole."""
    if part.schema.label not in part.columns and chosen_engine(table, engine) == "memory":
        return MemorySample.of(table, part.schema, labelled=False)
    return open_sample(table, part.schema, engine=engine, progress=progress)
