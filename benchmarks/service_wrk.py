"""Predictions per second of the prediction service with clients written in C, beside the same hello-world.

`benchmarks.service` has clients written in Python, which take a part of the processor themselves. Here `wrk`, a program
of its own, keeps 64 connections busy and takes next to nothing, so that more of the machine is left to whichever server
is asked. Short turns alternate, for other work on the machine comes and goes, and the median of the turns' ratios
counts. Without `wrk` nothing is measured.

    python -m benchmarks.service_wrk --json benchmarks/results/service.json
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring import Row, publish
from benchmarks.service import BASES, KINDS, LEAST, Servers, both, cpu_seconds

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


def run(base: str, *, turns: int, seconds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, both(base) as servers:
        script = Path(folder) / "ask.lua"
        script.write_text(SCRIPT, encoding="utf-8")
        for kind in KINDS:
            turn(servers, kind, script, 1)  # warm
        rounds = [{kind: turn(servers, kind, script, seconds) for kind in KINDS} for _ in range(turns)]
    return rows_of(f"SQLite, {base}, wrk", rounds)


def rows_of(whose: str, rounds: list[dict[str, Turn]]) -> list[Row]:
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
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=4, help="of a turn")
    parser.add_argument("--base", choices=BASES, action="append")
    parser.add_argument("--json", type=Path, help="rows of the file that this run has none for are kept")
    options = parser.parse_args()
    if WRK is None:
        parser.exit(0, "wrk is not installed: nothing to measure with\n")
    rows = [
        row
        for base in options.base or BASES
        for row in run(base, turns=options.turns, seconds=options.seconds)
    ]
    if options.json is not None and options.json.exists():
        new = {row["what"] for row in rows}
        before = json.loads(options.json.read_text(encoding="utf-8"))["rows"]
        rows = [row for row in before if row["what"] not in new] + rows
    publish("prediction service, one process", rows, options.json)


if __name__ == "__main__":
    main()
