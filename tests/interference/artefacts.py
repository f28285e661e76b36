"""Everything of a release that may be handed on, as bytes."""

from __future__ import annotations

import json
import pickle
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from privpac import Ledger
from privpac.constructions.release.table import ReleasedTable, load_table
from privpac.errors import NoSqlForm, PrivpacError
from privpac.model import Model, load
from privpac.report.page import report_html
from privpac.report.summary import summary_json, summary_sections
from privpac.verification import verify
from tests.interference.books import new_book
from tests.interference.comparing import Artefacts, Refused, Result

__all__ = ["Released", "attempt", "drawn", "of_model", "of_table", "shown", "text"]


def text(value: object) -> bytes:
    """Numbers, words and trees of them, in one order."""
    if isinstance(value, str):
        return value.encode()
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str).encode()


def shown(thing: object) -> bytes:
    """What a notebook or a traceback prints of it."""
    return f"{thing!r}\n{thing!s}".encode()


def drawn(model: Model) -> str:
    """What chance decided: the rule and the noisy counts beside it."""
    tree = model.to_json()
    return json.dumps([tree[name] for name in ("hypothesis", "leaf_counts", "estimate")], sort_keys=True)


def of_model(model: Model, place: Path) -> Artefacts:
    """A model as files, pages, pictures and words."""
    file = place / "model.json"
    model.save(file)
    loaded = load(file)
    return {
        "model file": file.read_bytes(),
        "certificate": text(dict(model.certificate)),
        "explanation": text(model.explain()),
        "leaves": text(model.describe_leaves()),
        "report": text(report_html(model)),
        "summary": text(summary_json(model)) + text(list(summary_sections(model, full=True))),
        "picture": text(model.picture()),
        "SQL": text(_sql(model)),
        "repr": shown(model),
        "pickle": pickle.dumps(model),
        "loaded": shown(loaded) + pickle.dumps(loaded),
        "verification": text(asdict(verify(file))),
    }


def _sql(model: Model) -> str:
    try:
        return model.to_sql()
    except NoSqlForm as none:
        return str(none)


def of_table(table: ReleasedTable, place: Path) -> Artefacts:
    """A released table as files and words."""
    file = place / "table.json"
    table.save(file)
    written = {}
    for ending in ("csv", "parquet"):
        table.write(place / f"records.{ending}")
        written[f"records.{ending}"] = (place / f"records.{ending}").read_bytes()
    loaded = load_table(file)
    return {
        **written,
        "table file": file.read_bytes(),
        "certificate": text(dict(table.certificate)),
        "explanation": text(table.explain()),
        "promises": text([fact.to_json() for fact in table.promises]),
        "repr": shown(table),
        "pickle": pickle.dumps(table),
        "loaded": shown(loaded) + pickle.dumps(loaded),
        "verification": text(asdict(verify(file))),
    }


@contextmanager
def _warned() -> Iterator[list[str]]:
    """Words of warnings, also of those that are said once only."""
    told: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield told
    told.extend(f"{one.category.__name__}: {one.message}" for one in caught)


Released = tuple[str, Callable[[], Artefacts]]
"""What was drawn, and how to make everything that leaves."""


def attempt(release: Callable[[Ledger], Released], *, ledger: Ledger | None = None) -> Result | Refused:
    """One release on a ledger of its own, with what was charged and warned among the artefacts.

    A refusal must have cost nothing: what was charged must be delivered.
    """
    book = new_book() if ledger is None else ledger
    with _warned() as told:
        try:
            outcome, artefacts = release(book)
        except PrivpacError as refusal:
            if book.spent.epsilon:
                raise AssertionError(f"charged, then refused: {refusal}") from refusal
            return Refused(f"{type(refusal).__name__}: {refusal}")
    entries = _entries(book)
    return Result(outcome, lambda: {**artefacts(), "warnings": text(told), "ledger": entries})


def _entries(book: Ledger) -> bytes:
    rows: list[Any] = [(e.number, repr(e.cost), e.note, e.key, repr(e.purchase)) for e in book.entries()]
    account = (str(book.spent), str(book.left), str(book.spent_rho))
    return text([rows, account])
