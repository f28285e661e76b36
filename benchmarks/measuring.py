"""What the benchmarks share: timing side by side, peak memory in a fresh process, rows of JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from privpac.coins import SeededCoins, Weights

Row = dict[str, Any]
Jobs = Mapping[str, Callable[[], object]]
Held = Sequence[tuple[str, str, float | None]]
"""A job, what it is compared with (another job, or `a second`), and how many times as long it may take at most."""

SECOND = "a second"
RESULTS = Path(__file__).parent / "results"


class UnsafeCoins(SeededCoins):
    """What most libraries do: a float cumulative sum and one float uniform, nothing certified."""

    def choose(self, weights: Weights) -> int:
        sums = np.cumsum(weights.floats()[0])
        return int(np.searchsorted(sums, self.bits(53) * 2.0**-53 * sums[-1], side="right"))


def least_seconds(jobs: Jobs, *, repeats: int) -> dict[str, float]:
    """Least processor seconds of each job; the jobs take turns, so that a busy moment hits all of them."""
    least = dict.fromkeys(jobs, float("inf"))
    for _ in range(repeats):
        for name, job in jobs.items():
            start = time.process_time()
            job()
            least[name] = min(least[name], time.process_time() - start)
    return least


def beside(jobs: Jobs, held: Held, *, repeats: int, what: str = "{}") -> list[Row]:
    """A row for each job that nothing is said of, and one for each comparison; run once before, to compile."""
    for job in jobs.values():
        job()
    seconds = least_seconds(jobs, repeats=repeats)
    compared = {name for name, _, _ in held}
    rows = [row(what.format(name), value) for name, value in seconds.items() if name not in compared]
    for name, against, limit in held:
        base = 1.0 if against == SECOND else seconds[against]
        rows.append(row(what.format(name), seconds[name], against=against, base=base, limit=limit))
    return rows


def command_seconds(arguments: Sequence[str], **environment: str) -> float:
    """Processor seconds of Python with these arguments, user and system, in an environment without `PYTHON...`."""
    import resource  # where there is none, the other benchmarks still run

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    start = spent()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run(
        [sys.executable, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
        env={**kept, **environment},
    )
    return spent() - start


def row(what: str, value: float, *, against: str = "", base: float = 0.0, limit: float | None = None) -> Row:
    found: Row = {"what": what, "value": round(value, 6)}
    if against:
        found |= {"against": against, "ratio": round(value / base, 3), "limit": limit}
        found["holds"] = limit is None or value <= limit * base
    return found


def at_least(what: str, value: float, limit: float) -> Row:
    return {"what": what, "value": round(value, 1), "limit": limit, "holds": value >= limit}


def stored(file: Path | None) -> list[Row]:
    """The rows that a file of results holds."""
    if file is None or not file.exists():
        return []
    rows: list[Row] = json.loads(file.read_text(encoding="utf-8"))["rows"]
    return rows


def publish(what: str, rows: Sequence[Row], file: Path | None) -> None:
    for entry in rows:
        print(json.dumps(entry))
    if file is not None:
        date = datetime.now(UTC).date().isoformat()
        document = {"what": what, "date": date, "version": version("privpac"), "rows": rows}
        file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def resident() -> tuple[int, int]:
    """Bytes of memory now and at their peak; Linux only."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    fields = dict(line.split(":", 1) for line in lines if line.startswith("Vm"))
    now, peak = (1024 * int(fields[key].split()[0]) for key in ("VmRSS", "VmHWM"))
    return now, peak
