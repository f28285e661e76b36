"""Charged predictions a second of the prediction service, beside its no-op endpoint, in the same server.

One process, SQLite with full synchronisation, 64 clients that ask one new question per request and wait for the answer.
The no-op is GET /healthz: no key, no body, no ledger. Runs take turns, so that a busy moment of the machine hits both;
client and server share its cores. The median of the rounds' ratios counts.

    python -m benchmarks.service --json benchmarks/results/service.json
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import Row, publish
from privpac import PrivatePredictor
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.service.access import keys

CLIENTS = 64
LEAST_RATIO = 0.27
SLICES = 5
"""Of a run: no-op and charged requests take turns within it, since other work on the machine comes and goes."""
SCHEMA = {
    "label": "ill",
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 2**40, "integer": True},
        {"name": "dose", "kind": "numeric", "lower": 0, "upper": 1},
    ],
}
BASES = {"thresholds": "consistent:thresholds:age", "logistic": "vote:logistic"}
MODELS = 15
SERVE = "import sys; from privpac.cli import main; sys.exit(main())"


def make(place: Path, base: str) -> tuple[Path, str]:
    """A bundle, and the address of a ledger beside it."""
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


async def measured(port: int, requests: list[bytes]) -> tuple[float, list[float]]:
    """Seconds of all clients together, and of each request."""
    shared, times = iter(requests), list[float]()
    begin = time.perf_counter()
    await asyncio.gather(*(ask(port, shared, times) for _ in range(CLIENTS)))
    return time.perf_counter() - begin, times


def questions(port: int, key: str, first: int, count: int) -> list[bytes]:
    found = []
    for number in range(first, first + count):
        row = {"age": number * 1_000_003 % 2**40, "dose": 0.5}
        body = json.dumps({"rows": [row], "idempotency_key": f"bench-{number}"}).encode()
        head = (
            f"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        found.append(head.encode() + body)
    return found


async def wait_until_ready(port: int, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            await asyncio.sleep(0.2)


def run(base: str, *, rounds: int, count: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        bundle, url = make(Path(folder), BASES[base])
        port = free_port()
        server = started(bundle, url, port)
        try:
            asyncio.run(wait_until_ready(port))
            store = SqlStore.open(url)
            _, key = keys.create(store, role="analyst")
            store.close()
            return compared(base, server.pid, port, key, rounds=rounds, count=count)
        finally:
            server.terminate()
            server.wait()


def compared(base: str, server: int, port: int, key: str, *, rounds: int, count: int) -> list[Row]:
    no_op = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    asyncio.run(measured(port, questions(port, key, 0, CLIENTS * 4)))  # warm
    seconds: dict[str, list[float]] = {"no-op": [], "charged": []}
    cpu = dict.fromkeys(seconds, 0.0)
    times: dict[str, list[float]] = {name: [] for name in seconds}
    first, slice_ = CLIENTS * 4, count // SLICES
    for _ in range(rounds):
        spent = dict.fromkeys(seconds, 0.0)
        for _ in range(SLICES):
            for name, requests in (
                ("no-op", [no_op] * slice_),
                ("charged", questions(port, key, first, slice_)),
            ):
                before = cpu_seconds(server)
                took, each = asyncio.run(measured(port, requests))
                cpu[name] += cpu_seconds(server) - before
                spent[name] += took
                times[name] += each
            first += slice_
        for name, total in spent.items():
            seconds[name].append(total / (slice_ * SLICES))
    return rows_of(base, seconds, cpu, times)


def rows_of(
    base: str, seconds: dict[str, list[float]], cpu: dict[str, float], times: dict[str, list[float]]
) -> list[Row]:
    found: list[Row] = []
    for name in seconds:
        took = sorted(times[name])
        found.append(
            {
                "what": f"{base}: {name} requests a second",
                "value": round(1 / statistics.median(seconds[name]), 1),
                "rounds": [round(1 / one, 1) for one in seconds[name]],
                "p50_seconds": round(took[len(took) // 2], 4),
                "p99_seconds": round(took[len(took) * 99 // 100], 4),
                "server_cpu_milliseconds": round(1000 * cpu[name] / len(took), 3),
            }
        )
    ratios = [idle / charged for charged, idle in zip(seconds["charged"], seconds["no-op"], strict=True)]
    ratio = statistics.median(ratios)
    entry: Row = {
        "what": f"{base}: charged against no-op (GET /healthz)",
        "value": round(ratio, 3),
        "rounds": [round(value, 3) for value in ratios],
        "limit": LEAST_RATIO,
        "holds": ratio >= LEAST_RATIO,
    }
    if cpu["charged"]:
        entry["by_server_cpu"] = round(cpu["no-op"] / cpu["charged"], 3)
    return [*found, entry]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=1_000, help="requests of a run")
    parser.add_argument("--base", choices=BASES, action="append")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = [row for base in given.base or BASES for row in run(base, rounds=given.rounds, count=given.count)]
    publish("prediction service, one process, SQLite, 64 clients", rows, given.json)


if __name__ == "__main__":
    main()
