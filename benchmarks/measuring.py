"""What the speed benchmarks share: timing side by side, peak memory in a fresh process, rows of JSON, one command."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from privpac.coins import SeededCoins, Weights

Row = dict[str, Any]


class UnsafeCoins(SeededCoins):
    """What most libraries do: a float cumulative sum and one float uniform, nothing certified."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._random = np.random.default_rng(seed)

    def choose(self, weights: Weights) -> int:
        sums = np.cumsum(weights.floats()[0])
        return int(np.searchsorted(sums, self._random.random() * sums[-1], side="right"))


def least_seconds(jobs: dict[str, Callable[[], object]], *, repeats: int) -> dict[str, float]:
    """Least processor seconds of each job; the jobs take turns, so that a busy moment hits all of them."""
    least = dict.fromkeys(jobs, float("inf"))
    for _ in range(repeats):
        for name, job in jobs.items():
            start = time.process_time()
            job()
            least[name] = min(least[name], time.process_time() - start)
    return least


def command_seconds(arguments: Sequence[str], bytecode: str) -> float:
    """Processor seconds of Python with these arguments, user and system, compiled as an installed package is."""
    import resource  # where there is none, the other benchmarks still run

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    start = spent()
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(
        [sys.executable, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
        env={**inherited, "PYTHONPYCACHEPREFIX": bytecode},
    )
    return spent() - start


def row(what: str, value: float, *, against: str = "", base: float = 0.0, limit: float | None = None) -> Row:
    found: Row = {"what": what, "value": round(value, 6)}
    if against:
        found |= {"against": against, "ratio": round(value / base, 3), "limit": limit}
        found["holds"] = limit is None or value <= limit * base
    return found


def publish(what: str, rows: list[Row], file: Path | None) -> None:
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


def memory_row(module: str, records: int) -> list[Row]:
    """Measured in a fresh process: a peak can only be raised, never lowered."""
    if not Path("/proc/self/status").exists():
        return []
    command = [sys.executable, "-m", module, "--records", str(records), "--memory-only"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return [row("peak memory", found["peak"], against="input", base=found["input"], limit=4)]


def command(
    about: str | None,
    *,
    module: str,
    what: str,
    records: int,
    speed: Callable[[int, int], list[Row]],
    peak_memory: Callable[[int], dict[str, int]],
) -> None:
    """The command line of a benchmark: `speed` and the peak of memory, printed and, if asked, written."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=records)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--memory-only", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_only:
        print(json.dumps(peak_memory(options.records)))
        return
    rows = speed(options.records, options.repeats) + memory_row(module, options.records)
    publish(what.format(records=options.records), rows, options.json)
