"""All speed benchmarks, one after the other: `python -m benchmarks [NAME ...]`, results in benchmarks/results/.

Each measures ratios side by side in one run. Accuracy has its own command: `python -m benchmarks.accuracy.run`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

SPEED = (
    "thresholds",
    "intervals",
    "rectangles",
    "trees",
    "halfspaces",
    "selection",
    "prediction",
    "files",
    "cards",
    "reading",
    "relabelling",
    "release",
    "plan",
    "points",
    "service",
    "ledger",
    "verify",
    "doors",
)
RESULTS = Path(__file__).parent / "results"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SPEED)}; all without one")
    names = parser.parse_args().names or SPEED
    unknown = [name for name in names if name not in SPEED]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; choose from {', '.join(SPEED)}")
    failed = 0
    for name in names:
        print(f"== {name}", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}", "--json", str(RESULTS / f"{name}.json")]
        failed += subprocess.run(command, check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
