"""Processor seconds of verifying a model file from the command line: `python -m benchmarks.verify [--json out.json]`.

The interpreter and all imports are included, and an interpreter that does nothing is measured beside. What needs the
certificate only is held to a quarter of a second; making it anew loads the whole library.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.measuring import Row, command_seconds, publish, row
from privpac import learn

SECONDS = 0.25
REPEATS = 9
NOTHING = "python -c pass"
AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True}
WEIGHT = {"name": "weight", "kind": "numeric", "lower": 30, "upper": 200, "integer": True}


def commands(model: str) -> dict[str, tuple[str, ...]]:
    return {
        NOTHING: ("-c", "pass"),
        "python -m privpac.checker": ("-m", "privpac.checker", model),
        "privpac verify --certificate-only": ("-m", "privpac", "verify", "--certificate-only", model),
        "privpac verify": ("-m", "privpac", "verify", model),
    }


def typical_model(folder: Path) -> str:
    """A tree with noisy counts in its leaves and an estimate of its accuracy: a derivation of some ten steps."""
    ages = [k % 100 for k in range(2000)]
    table = {
        "age": ages,
        "weight": [40 + k % 90 for k in range(2000)],
        "ill": [int(age >= 60) for age in ages],
    }
    schema = {"label": "ill", "columns": [AGE, WEIGHT]}
    path = folder / "model.json"
    learn(
        table,
        schema=schema,
        concepts="trees:2",
        epsilon=1,
        records_per_person=2,
        estimate_epsilon="0.1",
        leaf_epsilon="0.1",
        holdout="0.2",
    ).save(path)
    return str(path)


def measure(folder: Path) -> list[Row]:
    """Medians; the commands take turns, so that a busy moment hits all of them."""
    jobs = commands(typical_model(folder))
    bytecode = str(folder / "bytecode")
    for arguments in jobs.values():  # compiles
        command_seconds(arguments, bytecode)
    turns = [{name: command_seconds(job, bytecode) for name, job in jobs.items()} for _ in range(REPEATS)]
    medians = {name: median(turn[name] for turn in turns) for name in jobs}
    rows = []
    for name, value in medians.items():
        held = name not in (NOTHING, "privpac verify")
        limit = {"most_seconds": SECONDS, "holds": value <= SECONDS} if held else {}
        rows.append({**row(f"seconds: {name}", value, against=NOTHING, base=medians[NOTHING]), **limit})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        rows = measure(Path(folder))
    publish(f"verifying a model file, medians of {REPEATS}", rows, options.json)
    return 0 if all(entry.get("holds", True) for entry in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
