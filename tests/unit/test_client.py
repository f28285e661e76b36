"""The client against a small real server that drops connections, loses replies, and is slow, busy or broken."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from email.utils import format_datetime
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privpac import Client
from privpac.client import _waits
from privpac.errors import (
    AccessDenied,
    BudgetExceeded,
    DataError,
    ParameterError,
    PrivpacError,
    ServiceError,
    SizeError,
)

KEY = "pk_secret"
SCHEMA = {
    "label": "ill",
    "classes": ["0", "1"],
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
        {
            "name": "seen",
            "kind": "date",
            "lower": "2020-01-01",
            "upper": "2026-12-31",
            "missing": "2020-01-01",
        },
    ],
}
ROW = {"age": 61, "seen": "2024-02-29"}


class Service:
    """What a prediction service remembers, and which mishaps are next."""

    def __init__(self) -> None:
        self.url = ""
        self.mishaps: list[str] = []
        self.replies: dict[str, str] = {}
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.connections: set[tuple[str, int]] = set()
        self.spent = 0
        self.total = 100
        self.lock = threading.Lock()

    def answer(self, body: dict[str, Any]) -> tuple[int, str]:
        with self.lock:
            self.asked.append(body)
            key = body["idempotency_key"]
            if key not in self.replies:
                if self.spent + len(body["rows"]) > self.total:
                    return 429, problem("dataset_budget", left={"epsilon": "0", "answers": 0})
                self.spent += len(body["rows"])
                left = {"epsilon": f"{self.total - self.spent}/10", "answers": self.total - self.spent}
                answers = [str(int(row["age"] >= 60)) for row in body["rows"]]
                price = f"{len(answers)}/10"
                self.replies[key] = json.dumps({"answers": answers, "price": price, "left": left})
            return 200, self.replies[key]


def problem(code: str, **facts: Any) -> str:
    return json.dumps({"error": {"code": code, "message": f"It is {code}.", "remedy": "Do this.", **facts}})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: Service

    def log_message(self, *args: Any) -> None:
        """Silence."""

    def do_GET(self) -> None:
        self._serve(lambda _: (200, json.dumps({"path": self.path} if "schema" not in self.path else SCHEMA)))

    def do_POST(self) -> None:
        self._serve(lambda body: self.service.answer(json.loads(body)))

    def _serve(self, act: Callable[[bytes], tuple[int, str]]) -> None:
        service = self.service
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        service.paths.append(self.path)
        service.connections.add(self.client_address)
        mishap = service.mishaps.pop(0) if service.mishaps and self.command == "POST" else ""
        if mishap == "dropped":
            self._drop()
            return
        if mishap[:1].isdigit():
            status, _, rest = mishap.partition(" ")
            after, _, code = rest.partition(" ")
            self._reply(int(status), problem(code) if code != "page" else "<h1>Sorry</h1>", after)
            return
        if self.headers["Authorization"] != f"Bearer {KEY}":
            self._reply(401, problem("unauthorised"))
            return
        status, text = act(body)
        if mishap == "lost":
            self._drop()
        elif mishap == "half":
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text[: len(text) // 2].encode())
            self._drop()
        elif mishap == "slow":
            time.sleep(0.6)
            self._reply(status, text)
        elif mishap == "strange":
            self._reply(200, "[]")
        else:
            self._reply(status, text)

    def _drop(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _reply(self, status: int, text: str, after: str = "") -> None:
        self.send_response(status)
        if after not in ("", "-"):
            self.send_header("Retry-After", after.replace("_", " "))
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    handler = type("OneHandler", (Handler,), {"service": service})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield service
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def client(service: Service) -> Iterator[Client]:
    with Client(service.url, KEY, timeout=0.4, patience=20) as client:
        yield client


def test_answers_price_and_what_is_left(service: Service, client: Client) -> None:
    reply = client.predict([ROW, {**ROW, "age": 20, "diagnosis": "stays here"}])
    assert (list(reply), reply[0], len(reply)) == ([1, 0], 1, 2)
    assert (reply.price, reply.left.epsilon, reply.left.answers) == (Fraction(1, 5), Fraction(49, 5), 98)
    assert service.asked[0]["rows"] == [ROW, {**ROW, "age": 20}]  # no other column leaves
    assert client.budget() == {"path": "/v1/budget"}
    assert client.certificate() == {"path": "/v1/certificate"}
    assert client.schema().names == ("age", "seen")
    client.predict([ROW])
    assert service.paths.count("/v1/schema") == 2
    assert len(service.connections) == 1  # kept alive


MISHAPS = [
    ["dropped"],
    ["lost"],
    ["half"],
    ["slow"],
    ["503 - unavailable"],
    ["500 - fault"],
    ["502 - page"],
    ["dropped", "lost", "503 - unavailable", "half", "lost", "500 - fault"],
]


@pytest.mark.long_cases("500 - fault6")
@pytest.mark.parametrize("mishaps", MISHAPS, ids=lambda mishaps: mishaps[-1] + str(len(mishaps)))
def test_mishaps_cost_nothing(service: Service, client: Client, mishaps: list[str]) -> None:
    service.mishaps = list(mishaps)
    assert client.predict([ROW]).answers == (1,)
    assert service.spent == 1
    assert len({body["idempotency_key"] for body in service.asked}) == 1
    assert all(body == service.asked[0] for body in service.asked)
    assert client.predict([ROW], idempotency_key=service.asked[0]["idempotency_key"]).answers == (1,)
    assert service.spent == 1
    client.predict([ROW])
    assert service.spent == 2  # another call is another key


@pytest.mark.long_cases("date")
@pytest.mark.parametrize("after", ["1", "date"])
def test_retry_after_is_honoured(service: Service, client: Client, after: str) -> None:
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True).replace(" ", "_")
    service.mishaps = [f"429 {when if after == 'date' else after} too_many_requests"]
    client.schema()
    begin = time.monotonic()
    assert client.predict([ROW]).answers == (1,)
    assert time.monotonic() - begin >= 0.9


def test_patience_ends(service: Service) -> None:
    with Client(service.url, KEY, patience=0.5) as hasty:
        hasty.schema()
        service.mishaps = ["503 - unavailable"] * 99
        with pytest.raises(ServiceError, match="It is unavailable") as caught:
            hasty.predict([ROW])
        assert (caught.value.status, caught.value.code) == (503, "unavailable")
        service.mishaps = ["429 3600 too_many_requests"]
        with pytest.raises(ServiceError, match="too_many_requests"):
            hasty.predict([ROW])
        service.mishaps = ["dropped"] * 99
        with pytest.raises(ServiceError, match="did not reply") as caught:
            hasty.predict([ROW])
        assert caught.value.status is None


@pytest.mark.parametrize(
    ("mishap", "kind"),
    [
        ("401 - unauthorised", AccessDenied),
        ("403 - owners_only", AccessDenied),
        ("422 - invalid_value", DataError),
        ("413 - too_large", SizeError),
        ("429 - dataset_budget", BudgetExceeded),
        ("429 - analyst_budget", BudgetExceeded),
        ("409 - idempotency_key_reused", ServiceError),
        ("302 - elsewhere", ServiceError),
        ("404 - page", ServiceError),
        ("strange", ServiceError),
    ],
)
def test_refusals_are_exceptions_and_not_repeated(
    service: Service, client: Client, mishap: str, kind: type[PrivpacError]
) -> None:
    service.mishaps = [mishap]
    with pytest.raises(PrivpacError) as caught:
        client.predict([ROW])
    assert type(caught.value) is kind
    assert service.paths.count("/v1/predict") == 1
    assert KEY not in str(caught.value)


def test_a_wrong_key_and_a_spent_budget(service: Service, client: Client) -> None:
    with pytest.raises(AccessDenied, match="unauthorised"):
        Client(service.url, "wrong").schema()
    service.total = 1
    client.predict([ROW])
    with pytest.raises(BudgetExceeded, match="Do this") as caught:
        client.predict([ROW])
    assert caught.value.left == 0


def test_many_threads_share_a_client(service: Service, client: Client) -> None:
    service.mishaps = ["lost", "dropped", "half", "503 - unavailable"] * 5
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda age: client.predict([{**ROW, "age": age}]), range(40, 80)))
    assert [reply[0] for reply in replies] == [0] * 20 + [1] * 20
    assert service.spent == 40
    assert len(service.replies) == 40


DAYS = [date(2024, 2, 29), None]
TABLES = {
    "dictionary": {"age": [61, 20], "seen": DAYS},
    "pandas": pd.DataFrame({"age": [61, 20], "seen": pd.to_datetime(["2024-02-29", None]), "x": [1, 2]}),
    "nullable": pd.DataFrame({"age": pd.array([61, 20], dtype="Int64"), "seen": DAYS}),
    "polars": pl.DataFrame({"seen": DAYS, "age": [61, 20]}),
    "lazy": pl.LazyFrame({"seen": DAYS, "age": [61, 20]}),
    "pyarrow": pa.table({"age": [61, 20], "seen": DAYS}),
    "scalars": [
        {"age": np.int64(61), "seen": np.datetime64("2024-02-29")},
        {"age": np.float64(20), "seen": None},
    ],
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_of_any_kind(service: Service, client: Client, kind: str) -> None:
    assert list(client.predict(TABLES[kind])) == [1, 0]
    assert service.asked[0]["rows"] == [ROW, {"age": 20, "seen": None}]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"age": 3}], "no column 'seen'"),
        (pl.DataFrame({"age": [3]}), "no column 'seen'"),
        ({"age": [3]}, "no column 'seen'"),
        ({"age": [3], "seen": []}, "different lengths"),
        ([[3, "2024-01-01"]], "type list"),
        ("patients.csv", "type str"),
        (7, "type int"),
        ([{"age": float("inf"), "seen": None}], "Column 'age'"),
        ([{"age": Decimal("1.5"), "seen": None}], "Column 'age'"),
        ([{"age": {}, "seen": None}], "Column 'age'"),
    ],
)
def test_what_is_no_table_is_refused_here(
    service: Service, client: Client, rows: object, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        client.predict(rows)
    assert service.asked == []


@pytest.mark.parametrize(
    "url", ["answers.example.org", "ftp://host", "https://", "https://me:pass@host", "https://host?x=1"]
)
def test_urls_that_are_none(url: str) -> None:
    with pytest.raises(ParameterError) as refused:
        Client(url, KEY)
    assert refused.value.parameter == "url"


def test_keys_stay_unseen() -> None:
    with pytest.raises(ParameterError) as refused:
        Client("http://answers.example.org", KEY)
    assert refused.value.parameter == "url"
    assert repr(Client("http://answers.example.org/base/", KEY, allow_http=True)) == (
        "Client('http://answers.example.org/base')"
    )
    assert repr(Client("https://[::1]:8443", KEY)) == "Client('https://[::1]:8443')"
    for wrong in ("", " ", "schlüssel", "a\r\nHost: b"):
        with pytest.raises(ParameterError) as refused:
            Client("http://127.0.0.1", wrong)
        assert refused.value.parameter == "key"


def test_waits_double_up_to_ten_seconds_and_differ_between_calls() -> None:
    waits = list(islice(_waits("a"), 12))
    for number, wait in enumerate(waits):
        most = min(10.0, 0.1 * 2**number)
        assert most / 2 <= wait <= most
    assert waits == list(islice(_waits("a"), 12))
    assert waits != list(islice(_waits("b"), 12))
