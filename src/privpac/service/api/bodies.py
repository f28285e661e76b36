"""Bodies of requests: never more bytes, levels or rows than allowed, and nothing that JSON does not know."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from privpac.service.api.problems import Problem
from privpac.service.settings import Limits

__all__ = ["Body", "invocation", "parse", "read"]

JSON = b"application/json"
DEEPEST = 4
"""Levels of arrays and objects: the body, its rows, a row; one more for a clear message."""
STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
"""An unfinished one reaches to the end, so that nothing is scanned twice."""
BRACKETS = re.compile(rb"[\[\]{}]")
IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,200}")
CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
FIELDS = ("rows", "idempotency_key")
PREDICT = 'Send {"rows": [{"COLUMN": VALUE, ...}, ...], "idempotency_key": "TEXT"}.'
INVOCATION = (
    'Send {"dataframe_records": [{"COLUMN": VALUE, ...}, ...]} or'
    ' {"dataframe_split": {"columns": ["COLUMN", ...], "data": [[VALUE, ...], ...]}}.'
)


@dataclass(frozen=True, repr=False)
class Body:
    """What was asked, as sent: rows not yet looked at."""

    rows: list[dict[str, Any]]
    idempotency_key: str | None
    digest: bytes
    """Of the rows: the same key with other rows is refused."""


async def read(headers: Mapping[bytes, bytes], receive: Receive, limits: Limits) -> bytes:
    """The whole body, given up as soon as it is too long."""
    kind = headers.get(b"content-type", JSON)
    if kind != JSON and kind.partition(b";")[0].strip().lower() != JSON:
        raise Problem(
            415, "not_json", "The body is not JSON.", remedy="Send it with Content-Type: application/json."
        )
    length = headers.get(b"content-length", b"0")
    if length.isdigit() and int(length) > limits.body_bytes:
        raise _too_large(limits)
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect()
        part = message.get("body", b"")
        size += len(part)
        if size > limits.body_bytes:
            raise _too_large(limits)
        parts.append(part)
        more = message.get("more_body", False)
    return b"".join(parts)


def _too_large(limits: Limits) -> Problem:
    return Problem(
        413,
        "too_large",
        f"The body has more than {limits.body_bytes} bytes.",
        remedy="Ask in several requests.",
        headers={"Connection": "close"},
    )


def parse(content: bytes, limits: Limits) -> Body:
    """The body's fields, of the right types."""
    tree = _json(content)
    if not isinstance(tree, dict) or "rows" not in tree:
        raise _invalid("The body is not an object with rows.")
    unknown = next((name for name in tree if name not in FIELDS), None)
    if unknown is not None:
        raise _invalid(f"The body has a field that does not exist: {unknown[:40]!r}.")
    return _body(tree["rows"], tree.get("idempotency_key"), limits)


def invocation(content: bytes, limits: Limits) -> Body:
    """The same from a body as MLflow's servers take it: records, or columns and data apart."""
    tree = _json(content)
    if not isinstance(tree, dict) or len(tree) != 1:
        raise _invalid("The body is not an object with one of the fields of /invocations.", INVOCATION)
    ((form, value),) = tree.items()
    if form in ("dataframe_records", "instances"):
        return _body(value, None, limits)
    if form != "dataframe_split" or not isinstance(value, dict) or not {"columns", "data"} <= value.keys():
        raise _invalid("The body has a field that /invocations does not take.", INVOCATION)
    names, data = value["columns"], value["data"]
    has_names = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not has_names or not isinstance(data, list) or len(set(names)) < len(names):
        raise _invalid("The columns are not a list of different names, or the data are no list.", INVOCATION)
    if any(not isinstance(row, list) or len(row) != len(names) for row in data):
        raise _invalid("A row of the data has another number of values than there are columns.", INVOCATION)
    return _body([dict(zip(names, row, strict=True)) for row in data], None, limits)


def _body(rows: object, key: object, limits: Limits) -> Body:
    if not isinstance(rows, list) or not rows or any(not isinstance(row, dict) for row in rows):
        raise _invalid("The field rows is not a list of at least one object.")
    if len(rows) > limits.rows:
        raise Problem(
            413,
            "too_many_rows",
            f"There are more than {limits.rows} rows.",
            remedy="Ask in several requests.",
        )
    if key is not None and not (isinstance(key, str) and IDEMPOTENCY_KEY.fullmatch(key)):
        raise _invalid("The field idempotency_key is not text of 1 to 200 visible ASCII characters.")
    return Body(rows, key, hashlib.blake2b(CANONICAL(rows).encode("ascii"), digest_size=32).digest())


def _json(content: bytes) -> Any:
    if _depth(content) > DEEPEST:
        raise Problem(
            422, "too_deep", "The body is nested too deeply.", remedy="A row holds plain values only."
        )
    try:
        # As text: of bytes, the parser would guess another encoding, and the levels were counted in this one.
        return READER.decode(content.decode("utf-8"))
    except (ValueError, RecursionError):
        pass  # outside of this block the error does not carry what was sent
    raise Problem(
        400,
        "not_json",
        "The body is not valid JSON.",
        remedy="It is read as UTF-8; names may not repeat, and NaN is not JSON.",
    )


def _depth(content: bytes) -> int:
    """Levels of nesting, found without building anything."""
    if content.count(b"[") + content.count(b"{") <= DEEPEST:
        return 0
    depth = deepest = 0
    for bracket in BRACKETS.finditer(STRINGS.sub(b"", content)):
        if bracket[0] in b"[{":
            depth += 1
            deepest = max(deepest, depth)
            if deepest > DEEPEST:
                break
        else:
            depth -= 1
    return deepest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a name twice")
    return fields


def _constant(name: str) -> NoReturn:
    raise ValueError("no JSON")


READER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
"""Made once: the making takes as long as reading a row."""


def _invalid(message: str, remedy: str = PREDICT) -> Problem:
    return Problem(422, "invalid_body", message, remedy=remedy)
