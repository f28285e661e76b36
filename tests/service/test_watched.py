"""What those who watch the service see: a line for every request, whatever became of it, and whether it can charge."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sqlite3
import warnings
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from privpac.errors import NotCertified, PrivpacError
from privpac.service.watch.facts import cause_of
from privpac.service.watch.logs import log_to_stderr
from privpac.service.watch.metrics import Metrics
from privpac.service.watch.observing import Observing
from tests.service.asking import Served, row


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [json.loads(record.message) for record in caplog.records if record.name == "privpac.service"]


def gone(served: Served) -> None:
    served.ledger.rename(served.ledger.with_suffix(".moved"))


def replaced(served: Served) -> None:
    content = served.ledger.read_bytes()
    gone(served)
    served.ledger.write_bytes(content)


def read_only(served: Served) -> None:
    with served.service.store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")


@pytest.mark.parametrize(
    ("happens", "cause"),
    [
        (gone, "there is no ledger any more where it was"),
        (replaced, "the ledger is damaged or was replaced"),
        (read_only, "SQLITE_READONLY: the file may not be written"),
    ],
)
def test_a_ledger_that_fails_is_one_line_with_id_cause_and_status(
    served: Served, caplog: pytest.LogCaptureFixture, happens: Any, cause: str
) -> None:
    happens(served)
    with caplog.at_level("INFO", logger="privpac.service"):
        response = served.predict(row(7))
    assert response.status_code == 503
    (line,) = lines(caplog)
    assert line["request"] == response.headers["x-request-id"]
    assert (line["status"], line["code"], line["cause"]) == (503, "unavailable", cause)
    assert re.fullmatch(
        r"\w+Error in (sql_)?store.py, line \d+|NotCertified in store.py, line \d+", line["fault"]
    )
    assert str(served.ledger) not in caplog.text


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (sqlite3.OperationalError("age 41"), None),
        (NotCertified("age 41"), "the ledger is damaged or was replaced"),
        (RuntimeError("age 41"), None),
    ],
)
def test_a_cause_is_from_a_fixed_list(fault: Exception, cause: str | None) -> None:
    assert cause_of(fault) == cause


@pytest.mark.parametrize(
    ("state", "cause"),
    [
        (None, "the database cannot be reached"),
        ("53100", "53100: the database has no disk, memory or connections left"),
        ("57P01", "57P01: the database is stopping"),
        ("XX000", "XX000: an error of the database"),
    ],
)
def test_a_cause_is_found_behind_what_is_said(state: str | None, cause: str) -> None:
    class Stated(Exception):
        sqlstate = state

    def failing() -> None:
        try:
            raise Stated("age 41")
        except Stated:
            raise PrivpacError("the ledger could not be used") from None

    with pytest.raises(PrivpacError) as caught:
        failing()
    assert cause_of(caught.value) == cause


def asked(app: Any, *, cancelled: bool = False) -> list[dict[str, Any]]:
    """What is sent in reply to one request."""
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def run() -> None:
        scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
        task = asyncio.ensure_future(Observing(app, Metrics())(scope, receive, send))
        await asyncio.sleep(0)
        if cancelled:
            task.cancel()
        await task

    asyncio.run(run())
    return sent


def test_an_asker_who_went_away_is_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    async def reading(scope: Any, receive: Any, send: Any) -> None:
        raise ClientDisconnect()

    with caplog.at_level("INFO", logger="privpac.service"):
        assert asked(reading) == []
    (line,) = lines(caplog)
    assert (line["status"], line["code"]) == (499, "client_gone")
    assert "fault" not in line
    assert caplog.records[0].levelname == "INFO"


def test_a_request_that_is_cut_short_is_told_and_has_a_line(caplog: pytest.LogCaptureFixture) -> None:
    """The service stops and waits no longer."""

    async def waiting(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(60)

    with caplog.at_level("INFO", logger="privpac.service"):
        start, body = asked(waiting, cancelled=True)
    assert start["status"] == 503
    assert json.loads(body["body"])["error"]["code"] == "stopped"
    (line,) = lines(caplog)
    assert (line["status"], line["code"]) == (503, "stopped")


def test_ready_means_that_a_charge_could_be_written(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("privpac.service.serving.PROBED_SECONDS", 0.0)
    assert served.get("/readyz").status_code == 200
    read_only(served)
    with caplog.at_level("INFO", logger="privpac.service"):
        assert served.get("/readyz").status_code == 503
    assert lines(caplog)[0]["cause"] == "SQLITE_READONLY: the file may not be written"
    assert served.get("/healthz").status_code == 200
    with served.service.store.reading() as connection:
        connection.exec_driver_sql("PRAGMA query_only = OFF")
    assert served.get("/readyz").status_code == 200


def test_whoever_asks_often_whether_it_is_ready_causes_one_write(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privpac.service.serving.PROBED_SECONDS", 3600.0)
    served.get("/readyz")
    before = served.ledger.with_name(served.ledger.name + "-wal").stat().st_mtime_ns
    for _ in range(5):
        assert served.get("/readyz").status_code == 200
    assert served.ledger.with_name(served.ledger.name + "-wal").stat().st_mtime_ns == before


def test_every_line_is_json_and_quotes_nobody(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    for name in ("uvicorn", "uvicorn.error"):  # as in a process that no other server has set up
        for setting, value in (("propagate", True), ("disabled", False), ("handlers", [])):
            monkeypatch.setattr(logging.getLogger(name), setting, value)
    monkeypatch.setattr(logging, "raiseExceptions", True)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    log_to_stderr()
    log_to_stderr()  # twice is once
    logging.getLogger("privpac.service").info(json.dumps({"status": 200}))
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
    try:
        raise RuntimeError("age 41.73")
    except RuntimeError as fault:
        logging.getLogger("uvicorn.error").error("Exception in ASGI application\n", exc_info=fault)
        logging.getLogger("asyncio").error("Task exception: %r", fault, exc_info=fault)
    warnings.showwarning("age 41.73", UserWarning, "/srv/olga/x.py", 7)
    assert not logging.raiseExceptions  # or what could not be written would be printed with its words
    err = capsys.readouterr().err
    assert "41.73" not in err
    assert "olga" not in err
    ours, server, fault, library, warned = map(json.loads, err.splitlines())
    assert ours == {"status": 200}
    assert server["message"] == "Invalid HTTP request received."
    assert fault["message"] == "Exception in ASGI application"
    assert fault["fault"].startswith("RuntimeError in test_watched.py")
    assert (library["logger"], "message" in library) == ("asyncio", False)
    assert warned["warning"] == "UserWarning in x.py, line 7"
