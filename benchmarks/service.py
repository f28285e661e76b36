"""Predictions per second of the prediction service, beside a hello-world of the framework it is built with.

One process; SQLite with full synchronisation, or an empty PostgreSQL database that is named; 64 clients, and one
alone, that wait for each answer. *New* questions are charged, *stored* ones have been asked before. The hello-world
takes a POST with JSON and replies with JSON: no key, no ledger. Runs take turns, so that a busy moment of the machine
hits all; client and servers share its cores, and what the client itself takes is written beside each rate. The median
of the rounds' ratios counts.

    python -m benchmarks.service --json benchmarks/results/service.json
    python -m benchmarks.service --base thresholds --ledger postgresql+psycopg://USER@HOST/EMPTY --json FILE --add

Clients written in Python take a part of the processor themselves. Where `wrk` is installed, a program written in C that
keeps 64 connections busy asks the same questions as well, in short turns that alternate.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from benchmarks.measuring import Row, publish, stored
from privpac import PrivatePredictor
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.service.access import keys

CLIENTS = (64, 1)
LEAST = {"new": 0.5, "stored": 0.7}
"""Of the hello-world's requests per second, with many clients."""
LEAST_ALONE = 100
"""New answers per second for one client alone."""
SLICES = 5
"""Of a run: all kinds of requests take turns within it, since other work on the machine comes and goes."""
SCHEMA = {
    "label": "ill",
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 2**40, "integer": True},
        {"name": "dose", "kind": "numeric", "lower": 0, "upper": 1},
    ],
}
BASES = {"thresholds": "predict-by-vote:thresholds:age", "logistic": "vote:logistic"}
MODELS = 15
SERVE = "import sys; from privpac.cli import main; sys.exit(main())"


def make(place: Path, base: str) -> tuple[Path, str]:
    """A bundle, and the address of a ledger in a file beside it."""
    n = 1_500
    table = {"age": [i * 2**30 for i in range(n)], "dose": [i % 7 / 7 for i in range(n)]}
    predictor = PrivatePredictor(base, "0.001", 10, schema=SCHEMA, models=MODELS, random_state=1)
    predictor.fit(table, y=[int(i > n // 2) for i in range(n)]).save(place / "bundle")
    return place / "bundle", f"sqlite:///{place / 'ledger.db'}"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def started(bundle: Path, url: str, port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", SERVE, "serve", str(bundle), "--ledger", url, "--epsilon", "1000000"]
    command += ["--port", str(port), "--no-pages", "--rate", "1000000"]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ)
    )


async def ask(port: int, requests: Iterator[bytes], times: list[float]) -> None:
    """One client: a connection kept open, one request after the other."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for request in requests:
        begin = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"refused: {head[:30]!r}")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        await reader.readexactly(length)
        times.append(time.perf_counter() - begin)
    writer.close()


def cpu_seconds(process: int) -> float:
    """Processor time of the server so far; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measured(port: int, requests: list[bytes], clients: int) -> tuple[float, list[float]]:
    """Seconds of all clients together, and of each request."""
    shared, times = iter(requests), list[float]()
    begin = time.perf_counter()
    await asyncio.gather(*(ask(port, shared, times) for _ in range(clients)))
    return time.perf_counter() - begin, times


def post(path: str, body: object, *headers: str) -> bytes:
    content = json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", *headers]
    return "\r\n".join([*lines, f"Content-Length: {len(content)}", "", ""]).encode() + content


def question(key: str, number: int, name: str) -> bytes:
    row = {"age": number * 1_000_003 % 2**40, "dose": 0.5}
    return post("/v1/predict", {"rows": [row], "idempotency_key": name}, f"Authorization: Bearer {key}")


def hello() -> FastAPI:
    """What the service is measured against."""
    app = FastAPI()

    @app.post("/")
    async def greet(body: dict[str, Any]) -> dict[str, str]:
        return {"hello": str(body["name"])}

    @app.get("/readyz")
    async def ready() -> dict[str, str]:
        return {"status": "ready"}

    return app


async def wait_until_ready(port: int, seconds: float = 120) -> None:
    """The port is open before the ledger is: only /readyz tells."""
    request = f"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    end = time.monotonic() + seconds
    while True:
        try:
            await ask(port, iter([request]), [])
            return
        except (OSError, RuntimeError, asyncio.IncompleteReadError):
            if time.monotonic() > end:
                raise
            await asyncio.sleep(0.2)


@dataclass
class Servers:
    """The two that are compared."""

    service: subprocess.Popen[bytes]
    port: int
    key: str
    greeting: subprocess.Popen[bytes]
    greeting_port: int
    asked: int = 0
    names: int = 0

    def some(self, kind: str, count: int) -> tuple[int, int, list[bytes]]:
        """Process, port and requests of one slice."""
        if kind == "hello-world":
            return self.greeting.pid, self.greeting_port, [post("/", {"name": "world"})] * count
        first = self.asked if kind == "new" else max(0, self.asked - count)
        self.asked += count if kind == "new" else 0
        self.names += count
        requests = [question(self.key, first + i, f"bench-{self.names - i}") for i in range(count)]
        return self.service.pid, self.port, requests


@contextmanager
def both(base: str, ledger: str | None = None) -> Iterator[Servers]:
    with tempfile.TemporaryDirectory() as folder:
        bundle, in_file = make(Path(folder), BASES[base])
        url = ledger or in_file
        port, greeting_port = free_port(), free_port()
        service = started(bundle, url, port)
        command = [sys.executable, "-m", "uvicorn", "benchmarks.service:hello", "--factory"]
        command += ["--port", str(greeting_port), "--no-access-log", "--log-level", "error"]
        greeting = subprocess.Popen(command, env=dict(os.environ))
        try:
            for one in (port, greeting_port):
                asyncio.run(wait_until_ready(one))
            time.sleep(2)  # it listens before its tables are made
            store = SqlStore.open(url)
            _, key = keys.create(store, role="analyst")
            store.close()
            yield Servers(service, port, key, greeting, greeting_port)
        finally:
            for process in (service, greeting):
                process.terminate()
                process.wait()


KINDS = ("hello-world", "new", "stored")


def run(base: str, *, rounds: int, count: int, ledger: str | None = None) -> list[Row]:
    where = "SQLite" if ledger is None else "PostgreSQL"
    with both(base, ledger) as servers:
        for kind in KINDS:
            _, port, requests = servers.some(kind, 256)
            asyncio.run(measured(port, requests, 64))  # warm
        return [
            row
            for clients in CLIENTS
            for row in compared(
                f"{where}, {base}",
                servers,
                clients,
                rounds=rounds,
                count=count if clients > 1 else count // 5,
            )
        ]


def compared(of: str, servers: Servers, clients: int, *, rounds: int, count: int) -> list[Row]:
    seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    cpu, own = dict.fromkeys(KINDS, 0.0), dict.fromkeys(KINDS, 0.0)
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    slice_ = max(clients, count // SLICES)
    for _ in range(rounds):
        spent = dict.fromkeys(KINDS, 0.0)
        for _ in range(SLICES):
            for kind in KINDS:
                process, port, requests = servers.some(kind, slice_)
                before, own_before = cpu_seconds(process), time.process_time()
                took, each = asyncio.run(measured(port, requests, clients))
                cpu[kind] += cpu_seconds(process) - before
                own[kind] += time.process_time() - own_before
                spent[kind] += took
                times[kind] += each
        for kind, total in spent.items():
            seconds[kind].append(total / (slice_ * SLICES))
    whose = f"{of}, {clients} clients" if clients > 1 else f"{of}, one client"
    return rows_of(whose, clients, seconds, {"server": cpu, "client": own}, times)


def rows_of(
    whose: str,
    clients: int,
    seconds: dict[str, list[float]],
    cpus: dict[str, dict[str, float]],
    times: dict[str, list[float]],
) -> list[Row]:
    rows: list[Row] = []
    cpu = cpus["server"]
    for kind in KINDS:
        took = sorted(times[kind])
        row: Row = {
            "what": f"{whose}: {kind} requests per second",
            "value": round(1 / statistics.median(seconds[kind]), 1),
            "rounds": [round(1 / one, 1) for one in seconds[kind]],
            "p50_seconds": round(took[len(took) // 2], 4),
            "p99_seconds": round(took[len(took) * 99 // 100], 4),
        }
        for who, spent in cpus.items():
            row[f"{who}_cpu_milliseconds"] = round(1000 * spent[kind] / len(took), 3)
        if clients == 1 and kind == "new":
            row |= {"limit": LEAST_ALONE, "holds": row["value"] >= LEAST_ALONE}
        rows.append(row)
    for kind, least in LEAST.items():
        ratios = [idle / one for one, idle in zip(seconds[kind], seconds["hello-world"], strict=True)]
        ratio = statistics.median(ratios)
        row = {
            "what": f"{whose}: {kind} against hello-world",
            "value": round(ratio, 3),
            "rounds": [round(value, 3) for value in ratios],
        }
        if clients > 1:
            row |= {"limit": least, "holds": ratio >= least}
        if cpu[kind]:
            row["by_server_cpu"] = round(
                cpu["hello-world"] * len(times[kind]) / cpu[kind] / len(times["hello-world"]), 3
            )
        rows.append(row)
    return rows


# Clients written in C.

CONNECTIONS = 64
WRK = shutil.which("wrk")
SCRIPT = """
local kind, key, first, asked = nil, nil, 0, 0
local count = 0

function init(args)
  kind, key, first, asked = args[1], args[2], tonumber(args[3]), tonumber(args[4])
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  if kind ~= "hello-world" then wrk.headers["Authorization"] = "Bearer " .. key end
end

function request()
  if kind == "hello-world" then return wrk.format(nil, "/", nil, '{"name": "world"}') end
  local number = first + count
  if kind == "stored" then number = count % asked end
  local form = '{"rows": [{"age": %.0f, "dose": 0.5}], "idempotency_key": "wrk-%s-%.0f"}'
  count = count + 1
  return wrk.format(nil, "/v1/predict", nil, form:format(number * 1000003 % 2^40, kind, first + count))
end

function done(summary, latency, requests)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local form = '{"requests": %d, "seconds": %.6f, "failed": %d, "p50": %.6f, "p99": %.6f}'
  local median, late = latency:percentile(50) / 1e6, latency:percentile(99) / 1e6
  io.write(form:format(summary.requests, summary.duration / 1e6, failed, median, late), "\\n")
end
"""


@dataclass(frozen=True)
class Turn:
    """What one server did in a few seconds."""

    requests: int
    seconds: float
    cpu: float
    p50: float
    p99: float

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    @property
    def cpu_milliseconds(self) -> float:
        return 1000 * self.cpu / self.requests


def turn(servers: Servers, kind: str, script: Path, seconds: int) -> Turn:
    """All connections ask for so long; a request that fails is an error."""
    assert WRK is not None
    hello = kind == "hello-world"
    process, port = (
        (servers.greeting.pid, servers.greeting_port) if hello else (servers.service.pid, servers.port)
    )
    first = servers.asked if kind == "new" else servers.names
    command = [WRK, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(script), f"http://127.0.0.1:{port}"]
    before = cpu_seconds(process)
    done = subprocess.run(
        [*command, "--", kind, servers.key, str(first), str(max(1, servers.asked))],
        capture_output=True,
        text=True,
        check=True,
    )
    spent = cpu_seconds(process) - before
    told = json.loads(done.stdout.splitlines()[-1])
    if told["failed"]:
        raise RuntimeError(f"{told['failed']} of {told['requests']} requests failed: {kind}")
    sent = told["requests"] + CONNECTIONS  # those that were on their way at the end were asked, too
    if kind == "new":
        servers.asked += sent
    else:
        servers.names += sent
    return Turn(told["requests"], told["seconds"], spent, told["p50"], told["p99"])


def run_wrk(base: str, *, turns: int, seconds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, both(base) as servers:
        script = Path(folder) / "ask.lua"
        script.write_text(SCRIPT, encoding="utf-8")
        for kind in KINDS:
            turn(servers, kind, script, 1)  # warm
        rounds = [{kind: turn(servers, kind, script, seconds) for kind in KINDS} for _ in range(turns)]
    return wrk_rows(f"SQLite, {base}, wrk", rounds)


def wrk_rows(whose: str, rounds: list[dict[str, Turn]]) -> list[Row]:
    rows: list[Row] = []
    for kind in KINDS:
        turns = [one[kind] for one in rounds]
        rows.append(
            {
                "what": f"{whose}: {kind} requests per second",
                "value": round(statistics.median(one.rate for one in turns), 1),
                "rounds": [round(one.rate, 1) for one in turns],
                "p50_seconds": round(statistics.median(one.p50 for one in turns), 4),
                "p99_seconds": round(statistics.median(one.p99 for one in turns), 4),
                "server_cpu_milliseconds": round(
                    1000 * sum(one.cpu for one in turns) / sum(one.requests for one in turns), 3
                ),
            }
        )
    for kind, least in LEAST.items():
        ratios = [one[kind].rate / one["hello-world"].rate for one in rounds]
        ratio = statistics.median(ratios)
        by_cpu = [one["hello-world"].cpu_milliseconds / one[kind].cpu_milliseconds for one in rounds]
        rows.append(
            {
                "what": f"{whose}: {kind} against hello-world",
                "value": round(ratio, 3),
                "rounds": [round(one, 3) for one in ratios],
                "limit": least,
                "holds": ratio >= least,
                "by_server_cpu": round(statistics.median(by_cpu), 3),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=1_000, help="requests of a run")
    parser.add_argument("--base", choices=BASES, action="append")
    parser.add_argument("--ledger", help="an empty PostgreSQL database instead of a file; for one base")
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--add", action="store_true", help="keep the rows of the file that this run has none for"
    )
    given = parser.parse_args()
    rows = [
        row
        for base in given.base or BASES
        for row in run(base, rounds=given.rounds, count=given.count, ledger=given.ledger)
    ]
    if WRK is not None and given.ledger is None:
        rows += [row for base in given.base or BASES for row in run_wrk(base, turns=7, seconds=4)]
    if given.add:
        new = {row["what"] for row in rows}
        rows = [row for row in stored(given.json) if row["what"] not in new] + rows
    publish("prediction service, one process", rows, given.json)


if __name__ == "__main__":
    main()
