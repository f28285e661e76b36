"""Seconds of one charge to a ledger that filters, beside one that adds, in the same run.

    python -m benchmarks.ledger --json benchmarks/results/ledger.json

With `--old FOLDER` (the `src` of an earlier version) also beside the charge of that version. Every kind takes turns in
short rounds, so that a busy moment of the machine hits all of them; the median of the rounds' ratios counts. A charge
waits for the disk; its processor time is shown beside it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.measuring import Row, publish

MOST_RATIO = 1.2
ROUNDS, CHARGES = 9, 100

CHARGING = """
import sys, time
from privpac.guarantee.ledger.ledger import Ledger
ledger = Ledger(epsilon=1000, delta=sys.argv[1])
for _ in range(20):
    ledger.charge(epsilon="0.01", note="charge")
print("ready", flush=True)
for line in sys.stdin:
    began = time.perf_counter(), time.process_time()
    for _ in range(int(line)):
        ledger.charge(epsilon="0.01", note="charge")
    print(time.perf_counter() - began[0], time.process_time() - began[1], flush=True)
"""


class Charger:
    """A process that charges when asked, with a ledger of its own."""

    def __init__(self, source: Path, delta: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", CHARGING, delta],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(source)},
        )
        self._line()

    def _line(self) -> str:
        if self._process.stdout is None:
            raise RuntimeError("the process has no output")
        return self._process.stdout.readline().strip()

    def seconds(self, charges: int) -> tuple[float, float]:
        """Seconds of so many charges, and processor seconds."""
        if self._process.stdin is None:
            raise RuntimeError("the process has no input")
        self._process.stdin.write(f"{charges}\n")
        self._process.stdin.flush()
        seconds, processor = map(float, self._line().split())
        return seconds, processor

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def measured(source: Path, old: Path | None) -> list[Row]:
    """One row per kind of ledger, with the ratio to the charge of the earlier version or to adding."""
    kinds = {"adding": Charger(source, "0"), "filter": Charger(source, "1e-6")}
    if old is not None:
        kinds["earlier version"] = Charger(old, "0")
    rounds = [{name: one.seconds(CHARGES) for name, one in kinds.items()} for _ in range(ROUNDS)]
    for one in kinds.values():
        one.close()
    base = "adding" if old is None else "earlier version"
    return [
        {
            "ledger": name,
            "compared with": base,
            "microseconds": round(1e6 / CHARGES * statistics.median(times[name][0] for times in rounds)),
            "ratio": round(statistics.median(times[name][0] / times[base][0] for times in rounds), 3),
            "processor ratio": round(
                statistics.median(times[name][1] / times[base][1] for times in rounds), 3
            ),
        }
        for name in kinds
    ]


def main() -> None:
    """Measure, publish, and fail if a charge costs more than MOST_RATIO of the one it is compared with."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    parser.add_argument("--old", type=Path)
    wishes = parser.parse_args()
    rows = measured(Path(__file__).resolve().parents[1] / "src", wishes.old)
    publish("microseconds of one charge to a ledger", rows, wishes.json)
    ratio = next(row["ratio"] for row in rows if row["ledger"] == "filter")
    if ratio > MOST_RATIO:
        raise SystemExit(
            f"a charge takes {ratio} of what it is compared with; at most {MOST_RATIO} is allowed"
        )


if __name__ == "__main__":
    main()
