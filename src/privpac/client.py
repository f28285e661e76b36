"""Asking a prediction service from Python: `Client`, which may send again without being charged again.

Standard library only. Every call has one idempotency key, made before it is first sent. A reply that was lost, a server
that was killed or a connection that was cut are then harmless: the same bytes are sent again, and the service gives the
stored reply. Waits grow exponentially, and are spread by a hash of that key so that many clients do not come back at
the same instant; no randomness is needed for that.
"""

from __future__ import annotations

import asyncio
import email.utils
import hashlib
import http.client
import ipaddress
import json
import os
import ssl
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from functools import partial
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import urlsplit

import narwhals as nw
import numpy as np

from privpac.data.schema import Schema
from privpac.errors import (
    AccessDenied,
    BudgetExceeded,
    DataError,
    ParameterError,
    PrivpacError,
    ServiceError,
    SizeError,
)

__all__ = ["Answers", "AsyncClient", "Client", "Left"]

T = TypeVar("T")

FIRST_WAIT = 0.1  # seconds; doubled each time
LONGEST_WAIT = 10.0
MISSING_KINDS = ("NAType", "NaTType")  # pandas' own words for no value
BROKEN = (OSError, http.client.HTTPException)  # no reply, or half of one


@dataclass(frozen=True)
class Left:
    """What this key can still spend, and how many new answers that pays for."""

    epsilon: Fraction
    """By adding."""
    answers: int
    rho: Fraction | None = None
    """Where the total has a delta: what is counted."""


@dataclass(frozen=True)
class Answers(Sequence[bool | int | str]):
    """The class of every row, in order; what the call cost, and what is left."""

    answers: tuple[bool | int | str, ...]
    """As the schema writes its classes."""
    price: Fraction
    left: Left

    def __getitem__(self, index: Any) -> Any:
        return self.answers[index]

    def __len__(self) -> int:
        return len(self.answers)


class Client:
    """A prediction service at a URL, asked with a key from `privpac keys create`.

    Safe for many threads. `timeout` is for one attempt and `patience` for a whole call, in seconds: until then, lost
    replies, faults of the server and "too many requests" are met by sending again. Redirects are not followed and a
    proxy is not looked for, so the key goes to that host only; over plain HTTP only to this machine, unless
    `allow_http` says that the network in between is trusted. `context` replaces the usual checks of certificates.

    A refusal of the service is raised as the error it names, such as `BudgetExceeded`; `ParameterError` means that
    `url` or `key` cannot be what they should be.

    >>> client = Client("https://answers.example.org", "pp_...")  # connects at the first question
    >>> client.close()

    The calls, once there is a service behind it:

        answers = client.predict([{"age": 71}])  # raises BudgetExceeded where the budget is used up
        client.budget(), client.certificate(), client.schema()
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 30.0,
        patience: float = 120.0,
        allow_http: bool = False,
        context: ssl.SSLContext | None = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            requirement = "the address of a service, such as https://answers.example.org"
            raise ParameterError("Client", "url", url, allowed=requirement)
        if parts.scheme == "http" and not allow_http and not _is_here(parts.hostname):
            remedy = "Use https, or allow_http=True on a network you trust."
            raise ParameterError(
                "Client", "url", url, allowed="https: a key must not be readable", remedy=remedy
            )
        if not key.isascii() or not key.isprintable() or not key.strip():
            # Not shown: it may be a real key with a line break behind it.
            raise ParameterError("Client", "key", "...", allowed="a key as privpac keys create printed it")
        self._scheme, self._host, self._port = parts.scheme, parts.hostname, parts.port
        self._base = parts.path.rstrip("/")
        self._key, self._timeout, self._patience = key.strip(), timeout, patience
        self._context = (
            ssl.create_default_context() if context is None and self._scheme == "https" else context
        )
        self._idle: list[http.client.HTTPConnection] = []
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._schema: Schema | None = None

    def predict(self, rows: object, *, idempotency_key: str | None = None) -> Answers:
        """The class of every row of `rows`: a list of dictionaries, a dictionary of columns, or a table of any library.

        Only the columns of the service's schema are sent. Rows that nobody asked before are paid for, all or none of
        them; `BudgetExceeded` if there is no room. An `idempotency_key` of your own makes the call safe to repeat after
        a restart of this program too. `ServiceError` says that the service did not answer within `patience`.
        """
        if self._schema is None:
            self._schema = self.schema()
        key = uuid.uuid4().hex if idempotency_key is None else idempotency_key
        body = {"rows": _rows(rows, self._schema.names), "idempotency_key": key}
        reply = self._ask("POST", "/v1/predict", json.dumps(body, allow_nan=False).encode(), key)
        try:
            rho = reply["left"].get("rho")
            left = Left(
                Fraction(reply["left"]["epsilon"]),
                int(reply["left"]["answers"]),
                None if rho is None else Fraction(rho),
            )
            return Answers(_values(reply["answers"], self._schema), Fraction(reply["price"]), left)
        except (KeyError, TypeError, ValueError, DataError):
            raise self._not_ours(200) from None

    def budget(self) -> dict[str, Any]:
        """What was spent and what is left: of the dataset, and of this key."""
        return self._ask("GET", "/v1/budget")

    def certificate(self) -> dict[str, Any]:
        """What is promised about the answers, with its derivation (`privpac-certificate/2`)."""
        return self._ask("GET", "/v1/certificate")

    def schema(self) -> Schema:
        """The public description of a row."""
        return Schema.from_stored(self._ask("GET", "/v1/schema"))

    def close(self) -> None:
        """Close the idle connections; the next call opens a new one."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self._where!r})"

    @property
    def _where(self) -> str:
        port = "" if self._port is None else f":{self._port}"
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{self._scheme}://{host}{port}{self._base}"

    def _ask(self, method: str, path: str, body: bytes | None = None, key: str = "") -> dict[str, Any]:
        """The reply's JSON, after as many attempts as patience allows."""
        end = time.monotonic() + self._patience
        for wait in _waits(key):
            after: float | None = None
            try:
                status, headers, text = self._send(method, path, body, max(0.1, end - time.monotonic()))
            except BROKEN as broken:
                problem: PrivpacError = ServiceError(
                    f"The service at {self._where} did not reply ({type(broken).__name__}).",
                    remedy="Look whether it runs; with the same idempotency key nothing is charged twice.",
                )
            else:
                if status == 200:
                    return self._json(text)
                problem = self._problem(status, text)
                after = _seconds(headers.get("Retry-After"))
                if not (status >= 500 or (status == 429 and not isinstance(problem, BudgetExceeded))):
                    raise problem
            pause = wait if after is None else max(after, wait)
            if time.monotonic() + pause >= end:
                raise problem from None
            time.sleep(pause)
        raise AssertionError("waits do not end")

    def _send(
        self, method: str, path: str, body: bytes | None, most: float
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = self._connection()
        try:
            if connection.sock is not None:
                connection.sock.settimeout(min(self._timeout, most))
            connection.timeout = min(self._timeout, most)
            headers = {"Authorization": f"Bearer {self._key}", "Accept": "application/json"}
            if body is not None:
                headers["Content-Type"] = "application/json"
            connection.request(method, self._base + path, body=body, headers=headers)
            response = connection.getresponse()
            text = response.read()
        except BaseException:
            connection.close()
            raise
        with self._lock:
            self._idle.append(connection)
        return response.status, response.headers, text

    def _connection(self) -> http.client.HTTPConnection:
        with self._lock:
            if self._owner != os.getpid():  # a fork: these belong to the parent
                self._idle, self._owner = [], os.getpid()
            if self._idle:
                return self._idle.pop()
        if self._scheme == "https":
            return http.client.HTTPSConnection(
                self._host, self._port, timeout=self._timeout, context=self._context
            )
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)

    def _json(self, text: bytes) -> dict[str, Any]:
        try:
            tree = json.loads(text)
        except ValueError:
            tree = None
        if not isinstance(tree, dict):
            raise self._not_ours(200)
        return tree

    def _not_ours(self, status: int) -> ServiceError:
        return ServiceError(
            f"What answers at {self._where} is not a prediction service.",
            status=status,
            remedy="Check the URL.",
        )

    def _problem(self, status: int, text: bytes) -> PrivpacError:
        """The service's refusal as an exception of ours; its sentences never quote rows."""
        try:
            error = json.loads(text)["error"]
            code, message, remedy = str(error["code"]), str(error["message"]), str(error.get("remedy", ""))
        except (ValueError, KeyError, TypeError):
            return ServiceError(f"The service at {self._where} replied with status {status}.", status=status)
        if status == 429 and code.endswith("budget"):
            refusal = BudgetExceeded(message, remedy=remedy)
            refusal.left = error.get("left", {}).get("answers")
            return refusal
        if status in (401, 403):
            return AccessDenied(message, status=status, code=code, remedy=remedy)
        if status == 422:
            return DataError(message, column=error.get("column"), remedy=remedy)
        if status == 413:
            return SizeError(message, remedy=remedy)
        return ServiceError(message, status=status, code=code, remedy=remedy)


class AsyncClient:
    """`Client` for programs with an event loop: the same calls, awaited, at most `connections` of them at once.

    Each call runs in a thread of its own pool, so that sending again and waiting are those of `Client`, and a slow
    reply holds up nobody else. `url`, `key`, `timeout`, `patience`, `allow_http` and `context` are those of `Client`.

    >>> import asyncio
    >>> async def ask() -> None:
    ...     async with AsyncClient("https://answers.example.org", "pp_...") as client:
    ...         pass  # answers = await client.predict([{"age": 71}])
    >>> asyncio.run(ask())

    The calls, once there is a service behind it:

        answers = await client.predict([{"age": 71}])
        await client.budget(), await client.certificate(), await client.schema()
        await client.close()  # or `async with`, as above
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 30.0,
        patience: float = 120.0,
        allow_http: bool = False,
        context: ssl.SSLContext | None = None,
        connections: int = 16,
    ) -> None:
        self._client = Client(
            url, key, timeout=timeout, patience=patience, allow_http=allow_http, context=context
        )
        self._threads = ThreadPoolExecutor(connections, thread_name_prefix="privpac-client")

    async def predict(self, rows: object, *, idempotency_key: str | None = None) -> Answers:
        """As `Client.predict`, with the same `rows`, `idempotency_key` and errors. A cancelled call may have been
        answered and paid for; with the same key of yours it is not paid for again.
        """
        return await self._run(partial(self._client.predict, rows, idempotency_key=idempotency_key))

    async def budget(self) -> dict[str, Any]:
        """As `Client.budget`."""
        return await self._run(self._client.budget)

    async def certificate(self) -> dict[str, Any]:
        """As `Client.certificate`."""
        return await self._run(self._client.certificate)

    async def schema(self) -> Schema:
        """As `Client.schema`."""
        return await self._run(self._client.schema)

    async def close(self) -> None:
        """Wait for calls under way and close the connections."""
        await asyncio.get_running_loop().run_in_executor(None, self._threads.shutdown)
        self._client.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"Async{self._client!r}"

    async def _run(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)


def _values(answers: Sequence[object], schema: Schema) -> tuple[bool | int | str, ...]:
    """The classes as the schema writes them, also from a service that sends all of them as text."""
    return tuple(schema.class_values[schema.label_cells(np.array(answers, dtype=object))].tolist())


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _waits(key: str) -> Iterator[float]:
    """Without end: doubling, at most ten seconds, each between half and all of that as the key's hash says."""
    wait, attempt = FIRST_WAIT, 0
    while True:
        digest = hashlib.blake2b(f"{key} {attempt} {os.getpid()}".encode(), digest_size=4).digest()
        yield wait * (0.5 + int.from_bytes(digest) / 2**33)
        wait, attempt = min(2 * wait, LONGEST_WAIT), attempt + 1


def _seconds(header: str | None) -> float | None:
    """Retry-After, which is a number of seconds or a date."""
    if header is None:
        return None
    if header.strip().isdecimal():  # "²" is a digit, and no number
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None


def _rows(source: object, names: Sequence[str]) -> list[dict[str, Any]]:
    """The schema's columns of any table, as JSON can hold them."""
    if isinstance(source, Mapping):
        columns = [list(_column(source, name)) for name in names]
        if len({len(column) for column in columns}) > 1:
            raise DataError(
                "The columns have different lengths.", remedy="Give every column one value per row."
            )
        records: Iterator[Any] = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
    elif isinstance(source, Sequence) and not isinstance(source, str | bytes):
        records = iter(source)
    else:
        frame = nw.from_native(source, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        if not isinstance(frame, nw.DataFrame):
            remedy = (
                "Give a list of dictionaries, a dictionary of columns, or a pandas, polars or pyarrow table."
            )
            raise DataError(f"Rows cannot be of type {type(source).__name__}.", remedy=remedy)
        for name in names:
            _column(dict.fromkeys(frame.columns), name)
        records = iter(frame.select(list(names)).iter_rows(named=True))
    return [{name: _plain(_column(row, name), name) for name in names} for row in records]


def _column(row: object, name: str) -> Any:
    if not isinstance(row, Mapping):
        raise DataError(f"A row is of type {type(row).__name__}.", remedy="Give every row as a dictionary.")
    if name not in row:
        raise DataError(f"A row has no column '{name}'.", column=name, remedy="See Client.schema().")
    return row[name]


def _plain(value: object, name: str) -> Any:
    """A value of any library as JSON has it; what is missing there is null."""
    if type(value).__name__ in MISSING_KINDS:
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == value.time().min else value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and abs(value) != float("inf"):
        return value
    remedy = "Give numbers, texts, dates, true or false, or nothing."
    raise DataError(f"Column '{name}' has a value that JSON cannot hold.", column=name, remedy=remedy)
