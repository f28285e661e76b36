"""Processor seconds of every plan from the command line, interpreter and imports included: `python -m benchmarks.plan`.

All classes, all that can be protected, and the questions people ask; a plan without simulation is held to one second.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import Row, command_seconds, publish, row

SECONDS = 1.0
SHOWN = 12
"""Rows written: the slowest."""
REPEATS = 2
"""They are run so many times more, and the least counts: others use the machine too."""

CLASSES: dict[str, tuple[str, ...]] = {
    "points, 4 bits": ("points", "--bits", "4"),
    "points, 16 bits": ("points", "--bits", "16"),
    "points, 64 bits": ("points", "--bits", "64"),
    "generated": ("generated:16",),
    "thresholds, 16 bits": ("thresholds", "--bits", "16"),
    "thresholds, 64 bits": ("thresholds", "--bits", "64"),
    "thresholds, 1024 bits": ("thresholds", "--bits", "1024"),
    "intervals": ("intervals", "--bits", "32"),
    "unions": ("unions:2", "--bits", "16"),
    "rectangles": ("rectangles:2", "--bits", "16"),
    "stumps": ("stumps", "--columns", "12", "--bits", "16"),
    "trees": ("trees:3", "--columns", "12"),
    "lists": ("lists:3", "--columns", "12"),
    "conjunctions": ("conjunctions:3", "--columns", "12"),
    "scorecards": ("scorecards:2", "--columns", "12"),
    "halfspaces": ("halfspaces:2", "--bits", "8"),
    "reference": ("reference:10",),
    "sphere": ("sphere:3:10",),
    "any": ("any:5", "--bits", "64"),
    "any, dimension 190": ("any:190", "--bits", "1000"),
    "auto": ("auto", "--columns", "12"),
}
QUESTIONS: dict[str, tuple[str, ...]] = {
    "records": ("--error", "0.1", "--epsilon", "1"),
    "records, tiny error": ("--error", "0.001", "--epsilon", "0.1"),
    "error": ("--records", "3000", "--epsilon", "0.5"),
    "epsilon": ("--records", "3000", "--error", "0.1"),
    "enough": ("--records", "300", "--error", "0.1", "--epsilon", "0.5"),
}
PROTECTS = ("records", "labels", "predictions")


def seconds(arguments: tuple[str, ...], bytecode: str) -> float:
    """Processor seconds of one plan, compiled beforehand as an installed package is."""
    program = "from privpac.cli import main; main()"
    return command_seconds(("-c", program, "plan", *arguments, "--json"), bytecode)


def measure(bytecode: str) -> list[Row]:
    """All plans, each in a process of its own; the slowest of them again."""
    seconds(
        ("--concepts", "points", "--bits", "8", "--protect", "predictions", *QUESTIONS["records"]), bytecode
    )
    found = []
    for (name, words), protect, (question, numbers) in product(CLASSES.items(), PROTECTS, QUESTIONS.items()):
        arguments = ("--concepts", *words, "--protect", protect, *numbers)
        found.append((seconds(arguments, bytecode), f"{name}, {protect}, {question}", arguments))
    found.sort(reverse=True)
    rows = []
    for first, what, arguments in found[:SHOWN]:
        value = min(first, *(seconds(arguments, bytecode) for _ in range(REPEATS)))
        rows.append({**row(f"seconds: {what}", value), "limit": SECONDS, "holds": value <= SECONDS})
    middle = found[len(found) // 2]
    rows.append(row(f"seconds: median of {len(found)} plans", middle[0]))
    return rows


def main() -> int:
    file = Path(sys.argv[sys.argv.index("--json") + 1]) if "--json" in sys.argv else None
    with TemporaryDirectory() as bytecode:
        rows = measure(bytecode)
    publish("plans without simulation", rows, file)
    return 0 if all(entry.get("holds", True) for entry in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
