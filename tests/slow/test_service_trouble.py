"""A service in trouble, as people run it: a full disk, slow clients in great number, and a stop under load."""

from __future__ import annotations

import http.client
import json
import resource
import signal
import socket
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from privpac import Ledger
from tests.service.asking import row
from tests.service.conftest import made_bundle
from tests.service.running import PATIENCE, asked, command, running

__all__ = ["made_bundle"]

PRIVATE = "0.5"


def new_key(url: str) -> str:
    made = command("keys", "create", "--role", "analyst", "--ledger", url, "--json")
    return str(json.loads(made.stdout)["key"])


def lines(log: Path) -> list[dict[str, Any]]:
    """Every line must be JSON."""
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def test_a_full_disk_is_said_by_readyz_and_in_the_log_and_heals(made_bundle: Path, tmp_path: Path) -> None:
    """No file of the process may grow any more: what a full disk looks like to SQLite."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    log = tmp_path / "log"
    with running(made_bundle, url, "--epsilon", "50", "--json", log=log) as (address, process):
        key = new_key(url)
        assert asked(f"{address}/v1/predict", {"rows": [row(1)]}, key)[0] == 200
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        time.sleep(1.1)
        assert asked(f"{address}/readyz")[0] == 503
        assert asked(f"{address}/healthz")[0] == 200
        assert asked(f"{address}/v1/predict", {"rows": [row(2)]}, key)[0] == 503
        assert str(Ledger.open(tmp_path / "ledger.db").spent) == f"epsilon {PRIVATE}"
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert asked(f"{address}/readyz")[0] == 200
        assert asked(f"{address}/v1/predict", {"rows": [row(2)]}, key)[0] == 200
    failed = [line for line in lines(log) if line.get("status") == 503]
    assert len(failed) == 2
    assert all(line["cause"].startswith(("SQLITE_FULL", "SQLITE_IOERR")) for line in failed)
    assert all(line["request"] and line["code"] == "unavailable" for line in failed)
    Ledger.open(tmp_path / "ledger.db").verify()


def test_thirteen_hundred_half_heads_silence_nobody(made_bundle: Path, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 3000:
        pytest.fail("this test needs 3,000 open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (3000, hard))
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    try:
        log = tmp_path / "log"
        with (
            running(made_bundle, url, "--epsilon", "50", "--json", log=log) as (address, process),
            ExitStack() as held,
        ):
            resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
            key = new_key(url)
            port = int(address.rpartition(":")[2])
            for _ in range(1300):
                slow = held.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
                slow.sendall(b"POST /v1/predict HTTP/1.1\r\nHost: x\r\n")
            waits = []
            for age in range(10):
                begin = time.monotonic()
                assert asked(f"{address}/v1/predict", {"rows": [row(age)]}, key)[0] == 200
                waits.append(time.monotonic() - begin)
            assert max(waits) < 5
        assert sum(line.get("connection") == "made_room" for line in lines(log)) >= 800
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_stop_under_load_breaks_no_reply_and_is_quick(
    made_bundle: Path, tmp_path: Path, workers: str
) -> None:
    """32 clients that keep their connections; every request that was sent is answered in full or never accepted."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    broken: list[str] = []
    answered: list[int] = []

    def client(port: int, key: str, first: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        connection.connect()
        for number in range(10_000):
            body = json.dumps({"rows": [row((first + number) % 120)], "idempotency_key": f"{first}-{number}"})
            try:
                connection.request("POST", "/v1/predict", body, headers)
                reply = connection.getresponse()
                reply.read()
            except (OSError, http.client.HTTPException) as problem:
                broken.append(type(problem).__name__)
                return
            answered.append(reply.status)
            if reply.will_close:
                return

    log = tmp_path / "log"
    options = ["--epsilon", "1000", "--workers", workers, "--rate", "100000", "--json"]
    with running(made_bundle, url, *options, log=log) as (address, process):
        key = new_key(url)
        port = int(address.rpartition(":")[2])
        idle = socket.create_connection(("127.0.0.1", port), PATIENCE)
        clients = [threading.Thread(target=client, args=(port, key, 1000 * i)) for i in range(32)]
        for one in clients:
            one.start()
        time.sleep(3)
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        took = time.monotonic() - begin
        for one in clients:
            one.join(PATIENCE)
        idle.close()
    assert broken == []
    assert set(answered) == {200}
    assert took < 15
    assert sum(line.get("status") == 200 for line in lines(log)) >= len(answered)
    Ledger.open(tmp_path / "ledger.db").verify()
