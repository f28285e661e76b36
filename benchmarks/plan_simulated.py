"""Processor seconds of plans with simulation, from the command line: `python -m benchmarks.plan_simulated`.

Each in a process of its own with nothing kept from before; processor seconds are held to one minute (`wall` depends on
who else uses the machine). Also how many rows have a number, and what the others say why they have none.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import Row, publish, row

SECONDS = 60.0

NEEDED = ("--error", "0.1", "--epsilon", "1")
REACHABLE = ("--records", "3000", "--epsilon", "0.5")
SMALLEST = ("--records", "3000", "--error", "0.1")
PLANS: dict[str, tuple[str, ...]] = {
    "3,000 patients, 12 columns": ("--columns", "12", *REACHABLE),
    "points, predictions": ("--concepts", "points", "--bits", "16", "--protect", "predictions", *NEEDED),
    "points, 64 bits, error": ("--concepts", "points", "--bits", "64", *REACHABLE),
    "thresholds, delta": ("--concepts", "thresholds", "--bits", "16", "--delta", "1e-6", *NEEDED),
    "thresholds, predictions": (
        "--concepts", "thresholds", "--bits", "32", "--protect", "predictions", *NEEDED),
    "thresholds, predictions, error": (
        "--concepts", "thresholds", "--bits", "32", "--protect", "predictions", *REACHABLE),
    "thresholds, labels, epsilon": (
        "--concepts", "thresholds", "--bits", "16", "--protect", "labels", *SMALLEST),
    "thresholds, 1024 bits": ("--concepts", "thresholds", "--bits", "1024", *NEEDED),
    "intervals, predictions": ("--concepts", "intervals", "--bits", "32", "--protect", "predictions", *NEEDED),
    "unions, labels": ("--concepts", "unions:2", "--bits", "16", "--protect", "labels", *NEEDED),
    "rectangles, predictions": (
        "--concepts", "rectangles:2", "--bits", "16", "--protect", "predictions", *NEEDED),
    "stumps, predictions": (
        "--concepts", "stumps", "--columns", "12", "--bits", "16", "--protect", "predictions", *NEEDED),
    "trees": ("--concepts", "trees:3", "--columns", "12", *NEEDED),
    "lists, epsilon": ("--concepts", "lists:3", "--columns", "12", *SMALLEST),
    "scorecards": ("--concepts", "scorecards:2", "--columns", "12", *NEEDED),
    "halfspaces, labels": ("--concepts", "halfspaces:2", "--bits", "8", "--protect", "labels", *NEEDED),
    "generated": ("--concepts", "generated:16", *NEEDED),
    "reference": ("--concepts", "reference:10", *NEEDED),
    "sphere": ("--concepts", "sphere:3:10", *NEEDED),
    "released points": ("--concepts", "points", "--bits", "3", "--release", *NEEDED),
    "released thresholds": ("--concepts", "thresholds", "--bits", "16", "--release", *NEEDED),
    "released intervals, error": ("--concepts", "intervals", "--bits", "32", "--release", *REACHABLE),
}  # fmt: skip


def simulated(name: str) -> list[Row]:
    """One plan: processor seconds, wall seconds, and what became of its rows."""
    command = [sys.executable, "-c", "from privpac.cli import main; main()", "plan", *PLANS[name]]
    with TemporaryDirectory() as folder:
        start, clock = os.times(), time.monotonic()
        done = subprocess.run(
            [*command, "--simulate", "--json"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PRIVPAC_CACHE": folder},
        )
        end, wall = os.times(), time.monotonic() - clock
    value = end.children_user + end.children_system - start.children_user - start.children_system
    options = json.loads(done.stdout)["options"]
    found = sum(option["simulated"] is not None for option in options)
    reasons = {
        f"{option['learner']}, {option['setting']}": option["simulation"]["why"]
        for option in options
        if option["simulated"] is None
    }
    return [
        {
            **row(f"seconds: {name}", value),
            "wall": round(wall, 1),
            "limit": SECONDS,
            "holds": value <= SECONDS,
            "simulated": found,
            "of": len(options),
            "why": reasons,
        }
    ]


def main() -> int:
    file = Path(sys.argv[sys.argv.index("--json") + 1]) if "--json" in sys.argv else None
    rows = []
    for name in PLANS:
        rows += simulated(name)
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    publish("plans with simulation", rows, file)
    return 0 if all(entry["holds"] for entry in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
