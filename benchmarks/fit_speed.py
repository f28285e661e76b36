"""Seconds of `fit` with defaults, next to the classifiers people use today, in one run:
`python benchmarks/fit_speed.py --data DIR --peers-python PATH [--json out.json]`.

DIR/adult/{schema.json,data.csv.gz} is the table. The peers need an environment of their own, with
interpret-core==0.7.8, diffprivlib==0.6.6, scikit-learn==1.7.2 and pandas; PATH is its interpreter. Every
method is fitted in a fresh process, in turns, once to warm up and then `--repeats` times; fitting starts from a
table in memory in the form the method takes, so that ours includes encoding.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

OURS = ("privpac 0.05", "privpac 1")
NUMBERS = ("numbers one-test", "numbers trees:2", "numbers trees:3", "numbers auto")
"""Single rules and the default at epsilon 1, from the array of numbers that diffprivlib takes."""
PEERS = ("dp_ebm_default", "dp_ebm_tuned", "diffprivlib_forest", "diffprivlib_tree")
DELTA = 1e-6
TUNED = {"max_rounds": 20, "learning_rate": 0.5, "max_bins": 16}

Fit = Callable[[int], object]


def ours(frame: Any, label: Any, schema: Mapping[str, Any], epsilon: str) -> Fit:
    from privpac.estimators.classifier import PrivateClassifier

    # random_state only repeats the run; the work is the same without it
    return lambda seed: PrivateClassifier(epsilon=epsilon, schema=schema, random_state=seed).fit(frame, label)


def dp_ebm(frame: Any, label: Any, schema: Mapping[str, Any], settings: Mapping[str, Any]) -> Fit:
    import numpy as np
    from interpret.privacy import DPExplainableBoostingClassifier  # type: ignore[import-not-found]

    columns = schema["columns"]
    numeric = [column["kind"] == "numeric" for column in columns]
    table = np.empty((len(frame), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        table[:, j] = frame[column["name"]].to_numpy(float if numeric[j] else object)
    bounds = {j: (c["lower"], c["upper"]) for j, c in enumerate(columns) if numeric[j]}
    kinds = ["continuous" if own else "nominal" for own in numeric]

    def fit(seed: int) -> object:
        model = DPExplainableBoostingClassifier(
            epsilon=1.0, delta=DELTA, n_jobs=1, feature_types=kinds, privacy_bounds=bounds, **settings
        )
        return model.fit(table, label)

    return fit


def on_numbers(frame: Any, label: Any, schema: Mapping[str, Any], word: str) -> Fit:
    """Ours on the same array as diffprivlib: categories are numbers, and every column is ordered."""
    from privpac.compiled import load_compiler
    from privpac.estimators.classifier import PrivateClassifier

    load_compiler()
    table, (low, high) = numbers(frame, schema)
    columns = [
        dict(column)
        if column["kind"] == "numeric"
        else {"name": column["name"], "kind": "numeric", "lower": int(a), "upper": int(b), "integer": True}
        for column, a, b in zip(schema["columns"], low, high, strict=True)
    ]
    declared = {"label": schema["label"], "classes": [0, 1], "columns": columns}
    return lambda seed: PrivateClassifier(word, epsilon="1", schema=declared, random_state=seed).fit(
        table, label
    )


def numbers(frame: Any, schema: Mapping[str, Any]) -> tuple[Any, tuple[Any, Any]]:
    """The table as one array of numbers, and the bounds of its columns."""
    import numpy as np

    columns, parts, low, high = schema["columns"], [], [], []
    for column in columns:
        if column["kind"] == "numeric":
            parts.append(frame[column["name"]].to_numpy(float))
            low.append(column["lower"])
            high.append(column["upper"])
        else:
            codes = {category: code for code, category in enumerate(column["categories"])}
            parts.append(frame[column["name"]].map(codes).to_numpy(float))
            low.append(0)
            high.append(len(codes) - 1)
    return np.column_stack(parts), (np.array(low, float), np.array(high, float))


def diffprivlib(frame: Any, label: Any, schema: Mapping[str, Any], kind: str) -> Fit:
    """A forest as in the comparison of accuracy, or one tree with defaults."""
    from diffprivlib import models  # type: ignore[import-not-found]

    table, bounds = numbers(frame, schema)
    common = {"epsilon": 1.0, "bounds": bounds, "classes": [0, 1]}
    if kind == "tree":
        return lambda seed: models.DecisionTreeClassifier(**common).fit(table, label)
    return lambda seed: models.RandomForestClassifier(n_estimators=10, max_depth=8, **common).fit(
        table, label
    )


def fit_of(name: str, data: Path) -> Fit:
    import pandas as pd

    schema = json.loads((data / "adult" / "schema.json").read_text(encoding="utf-8"))
    kinds = {c["name"]: float if c["kind"] == "numeric" else str for c in schema["columns"]}
    frame = pd.read_csv(data / "adult" / schema["file"], dtype=kinds, keep_default_na=False)
    label = frame.pop(schema["label"]).to_numpy(int)
    if name.startswith("privpac"):
        return ours(frame, label, schema, name.split()[1])
    if name in NUMBERS:
        return on_numbers(frame, label, schema, name.split()[1])
    if name.startswith("diffprivlib"):
        return diffprivlib(frame, label, schema, name.removeprefix("diffprivlib_"))
    return dp_ebm(frame, label, schema, TUNED if name == "dp_ebm_tuned" else {})


def timed(name: str, data: Path, repeats: int) -> list[tuple[float, float]]:
    """Processor and wall seconds of the first fit and of each further one."""
    warnings.filterwarnings("ignore")
    fit = fit_of(name, data)
    found = []
    for seed in range(repeats + 1):
        start = time.process_time(), time.perf_counter()
        fit(seed)
        found.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    return found


def measured(name: str, python: str, options: argparse.Namespace) -> list[tuple[float, float]]:
    command = [
        python,
        __file__,
        "--data",
        str(options.data),
        "--repeats",
        str(options.repeats),
        "--only",
        name,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[tuple[float, float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--peers-python", help="interpreter of the peers' environment; without it only ours runs"
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2, help="fresh processes a method")
    parser.add_argument("--method", action="append", help="only this method; may be given several times")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        print(json.dumps(timed(options.only, options.data, options.repeats)))
        return
    pythons = dict.fromkeys((*OURS, *NUMBERS), sys.executable)
    if options.peers_python:
        pythons |= dict.fromkeys(PEERS, options.peers_python)
    pythons = {name: python for name, python in pythons.items() if name in (options.method or pythons)}
    runs: dict[str, list[list[tuple[float, float]]]] = {name: [] for name in pythons}
    for _ in range(options.rounds):
        for name, python in pythons.items():
            runs[name].append(measured(name, python, options))
    report(runs, options.json)


def report(runs: Mapping[str, list[list[tuple[float, float]]]], file: Path | None) -> None:
    rows = []
    for name, rounds in runs.items():
        warm = [pair for run in rounds for pair in run[1:]]
        rows.append(
            {
                "method": name,
                "processor_seconds": round(median(cpu for cpu, _ in warm), 3),
                "least_processor_seconds": round(min(cpu for cpu, _ in warm), 3),
                "wall_seconds": round(median(wall for _, wall in warm), 3),
                "least_wall_seconds": round(min(wall for _, wall in warm), 3),
                "first_fit_processor_seconds": round(min(run[0][0] for run in rounds), 3),
                "fits": len(warm),
            }
        )
        print(json.dumps(rows[-1]))
    if file is not None:
        document = {"what": "fit on Adult", "date": datetime.now(UTC).date().isoformat(), "rows": rows}
        file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
