"""The constants of the forecast, fitted anew, and how well it does.

    python -m benchmarks.forecast.fit [--json benchmarks/results/forecast.json]

Fitted on the twelve tables and on 48 invented ones of a wide family (`grown`), each half of the weight and every table
the same part of its half. Means of accuracy on the twelve are those of `results/accuracy-refined-2026-11-18.json`
(exact expectations of `auto` where it is one draw) and means of AUC those of `results/scores.json` and
`results/probabilities_further.json`; all others are of runs that `benchmarks.forecast.runs` made. The constants of a
reach have the least squared error over all cells, where errors above .15 count as that. Ranges are widened so that 82 %
of the runs on a table lie in them that the constants were not fitted on (a conformal range by table). With one table
left out, constants are fitted on all others and judged on that one. The form was chosen on these tables. On those of
`results/forecast-kept-out.jsonl` nothing is fitted; they are made by other generators.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

from privpac import __version__
from privpac.theory.forecast import CONSTANTS, Constants, Expected, Given, Range, Reach, Wider

RESULTS = Path(__file__).parents[1] / "results"
LEAST = 450
"""Records of a cell: with fewer nothing was judged."""
CAP = 0.15
"""Errors above it count as that: two tables are unlike all others."""
INSIDE = 0.82
"""Of the runs on tables that constants were not fitted on, the part that ranges are made to hold."""
CLOSE, NEAR = 0.03, 0.05

Row = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """The mean of some runs on one table, and what the forecast may know of it."""

    table: str
    given: Given
    value: float


@dataclass(frozen=True)
class Measure:
    """One number that is forecast: what it follows from, what it is, and what a single run shows of it."""

    reach: str
    wider: str
    """The names of its constants."""
    expected: Callable[[Expected], Range]
    shown: Callable[[Row], float]
    kind: str
    knows_column: bool = False


def _both(row: Row) -> float:
    """Balanced accuracy."""
    return float(row["found"] + 1 - row["alarms"]) / 2


_BARE: Mapping[str, Measure] = {
    "accuracy": Measure("rule", "accuracy", lambda e: e.accuracy, lambda row: row["accuracy"], "auto"),
    "balanced accuracy": Measure("balanced", "balanced", lambda e: e.balanced, _both, "balanced"),
    "found": Measure("balanced", "found", lambda e: e.found, lambda row: row["found"], "balanced"),
    "false alarms": Measure("balanced", "alarms", lambda e: e.alarms, lambda row: row["alarms"], "balanced"),
    "AUC": Measure("card", "auc", lambda e: e.auc, lambda row: row["auc"], "card"),
}
KNOWN = ", column known"
MEASURES = {
    name + known: replace(measure, knows_column=bool(known))
    for name, measure in _BARE.items()
    for known in (KNOWN, "")
}
FITTED = tuple(name + KNOWN for name in ("accuracy", "balanced accuracy", "AUC"))
"""What the reaches are fitted on."""


@dataclass(frozen=True)
class Runs:
    """Rows of `runs`: facts of tables, and figures of single runs."""

    facts: Mapping[str, Row]
    rows: Sequence[Row]

    @classmethod
    def read(cls, path: Path) -> Runs:
        found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        facts = {row["table"]: row for row in found if "rate" in row}
        return cls(facts, [row for row in found if "kind" in row and row["n"] >= LEAST])

    def given(self, table: str, n: int, epsilon: float, measure: Measure) -> Given:
        facts = self.facts[table]
        column = facts["one_column"] if measure.knows_column else None
        return Given(n, epsilon, facts["rate"], facts["attainable"], column)

    def cells(self, measure: Measure) -> list[Cell]:
        """Means over the runs of a cell."""
        groups: dict[tuple[str, int, float], list[float]] = defaultdict(list)
        for row in self.rows:
            if row["kind"] == measure.kind:
                groups[row["table"], row["n"], row["epsilon"]].append(measure.shown(row))
        return [Cell(key[0], self.given(*key, measure), fmean(values)) for key, values in groups.items()]


def known_cells(runs: Runs, measure: Measure) -> list[Cell]:
    """Means over many runs, measured before; those of `runs` where there are none."""
    if measure.kind == "auto":
        stored = json.loads((RESULTS / "accuracy-refined-2026-11-18.json").read_text(encoding="utf-8"))
        rows, name = stored["cells"], "after"
    elif measure.kind == "card":
        files = (RESULTS / "scores.json", RESULTS / "probabilities_further.json")
        every = [row for file in files for row in json.loads(file.read_text(encoding="utf-8"))["rows"]]
        rows = [row for row in every if row["method"] == "card" and "table" in row]
        name = "auc"
    else:
        return runs.cells(measure)
    return [
        Cell(row["table"], runs.given(row["table"], row["n"], row["epsilon"], measure), row[name])
        for row in rows
        if row["n"] >= LEAST
    ]


def error_of(cell: Cell, measure: Measure, constants: Constants) -> float:
    """Forecast minus what was measured."""
    return measure.expected(Expected(cell.given, constants)).middle - cell.value


def fitted(cells: Sequence[Cell], measure: Measure, begin: Reach) -> Reach:
    """The constants with the least squared error, tables of either kind having half of the weight."""
    from scipy.optimize import minimize

    counts, kinds = defaultdict[str, int](int), defaultdict[bool, set[str]](set)
    for cell in cells:
        counts[cell.table] += 1
        kinds[_is_grown(cell.table)].add(cell.table)
    weights = [1 / counts[cell.table] / len(kinds[_is_grown(cell.table)]) for cell in cells]

    def loss(logs: Sequence[float]) -> float:
        tried = _with(CONSTANTS, measure, _reach_of(logs))
        errors = (min(abs(error_of(cell, measure, tried)), CAP) for cell in cells)
        return sum(weight * error**2 for weight, error in zip(weights, errors, strict=True))

    first = [np.log(begin.one), np.log(begin.others), begin.rest]
    best = minimize(loss, first, method="Nelder-Mead", options={"xatol": 2e-3, "fatol": 1e-8})
    return _reach_of(best.x)


def _reach_of(logs: Sequence[float]) -> Reach:
    return Reach(float(np.exp(logs[0])), float(np.exp(logs[1])), float(logs[2]))


def _with(constants: Constants, measure: Measure, reach: Reach) -> Constants:
    return replace(constants, **{measure.reach: reach})


def _is_grown(table: str) -> bool:
    return table.startswith("grown ")


def summary(errors: Sequence[float]) -> Row:
    """How often a forecast was close, and how far off it is on average."""
    return {
        "cells": len(errors),
        "within_03": round(fmean(abs(error) <= CLOSE for error in errors), 3),
        "within_05": round(fmean(abs(error) <= NEAR for error in errors), 3),
        "bias": round(fmean(errors), 4),
        "rmse": round(fmean(error**2 for error in errors) ** 0.5, 4),
    }


def left_out(cells: Sequence[Cell], measure: Measure) -> tuple[Reach, dict[str, Reach]]:
    """The constants from all tables, and for every table those that the others give."""
    every = fitted(cells, measure, getattr(CONSTANTS, measure.reach))
    tables = sorted({cell.table for cell in cells})
    return every, {
        table: fitted([cell for cell in cells if cell.table != table], measure, every) for table in tables
    }


def errors_left_out(cells: Sequence[Cell], measure: Measure, without: Mapping[str, Reach]) -> list[float]:
    """Of every cell, by the constants that the other tables give."""
    return [
        error_of(cell, measure, _with(CONSTANTS, measure, without[cell.table]))
        for cell in cells
        if cell.table in without
    ]


def widening(every: Sequence[Runs], measure: Measure, without: Mapping[str, Reach]) -> float:
    """How much wider a range must be on both sides to hold the runs on tables that it was not fitted on: on the twelve
    and on the invented ones, whichever need more, for nobody knows which of them her table is like."""
    return max(_widening(runs, measure, without) for runs in every)


def _widening(runs: Runs, measure: Measure, without: Mapping[str, Reach]) -> float:
    bare = replace(CONSTANTS, **{f"{measure.wider}_wider": Wider(0.0, 0.0)})
    rows = [row for row in runs.rows if row["kind"] == measure.kind]
    counts = Counter(row["table"] for row in rows)
    scores: list[tuple[float, float]] = []
    for row in rows:
        given = runs.given(row["table"], row["n"], row["epsilon"], measure)
        range_ = measure.expected(Expected(given, _with(bare, measure, without[row["table"]])))
        shown, unit = measure.shown(row), 2 * given.rate if measure.wider == "accuracy" else 1.0
        scores.append((max(range_.low - shown, shown - range_.high) / unit, 1 / counts[row["table"]]))
    scores.sort()
    weights = np.cumsum([weight for _, weight in scores])
    return scores[int(np.searchsorted(weights, INSIDE * weights[-1]))][0]


def column_part(every: Sequence[Runs]) -> float:
    """What the best column has of what lies above .5 in the AUC without privacy: the mean of both medians."""
    return fmean(
        median((facts["one_column"] - 0.5) / (facts["attainable"] - 0.5) for facts in runs.facts.values())
        for runs in every
    )


def coverage(runs: Runs, measure: Measure) -> Row:
    """How many single runs lie in the range that is said to hold 8 in 10, and how wide it is."""
    inside, widths = [], []
    for row in runs.rows:
        if row["kind"] == measure.kind:
            range_ = measure.expected(Expected(runs.given(row["table"], row["n"], row["epsilon"], measure)))
            inside.append(range_.low <= measure.shown(row) <= range_.high)
            widths.append(range_.high - range_.low)
    return {"runs": len(inside), "covered": round(fmean(inside), 3), "width": round(fmean(widths), 3)}


def warnings_of(runs: Runs, *, known: bool = False) -> Row:
    """Of runs that are warned of as most likely no better than the constant, how many were; and of the others."""
    measure = MEASURES["accuracy" + (KNOWN if known else "")]
    warned: list[bool] = []
    others: list[bool] = []
    for row in runs.rows:
        if row["kind"] == "auto":
            expected = Expected(runs.given(row["table"], row["n"], row["epsilon"], measure))
            (warned if expected.is_hopeless else others).append(row["gain"] <= 0.005)
    return {
        "warned": len(warned),
        "of_these_useless": round(fmean(warned), 3) if warned else None,
        "others": len(others),
        "of_the_others_useless": round(fmean(others), 3) if others else None,
    }


def judged(runs: Runs, cells_of: Callable[[Measure], list[Cell]]) -> Iterator[tuple[str, Row]]:
    """Every number with the constants as they ship."""
    for name, measure in MEASURES.items():
        errors = [error_of(cell, measure, CONSTANTS) for cell in cells_of(measure)]
        yield name, {**summary(errors), **coverage(runs, measure)}


def table_rows(title: str, rows: Iterable[tuple[str, Row]]) -> None:
    print(f"\n{title}")
    for name, row in rows:
        print(f"  {name:32}", "  ".join(f"{key} {value}" for key, value in row.items()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=Path, default=RESULTS / "forecast-runs.jsonl")
    parser.add_argument("--grown", type=Path, default=RESULTS / "forecast-grown.jsonl")
    parser.add_argument("--kept-out", type=Path, default=RESULTS / "forecast-kept-out.jsonl")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    twelve, grown = Runs.read(options.rows), Runs.read(options.grown)
    fits: dict[str, Row] = {}
    without: dict[str, dict[str, Reach]] = {}
    for name in FITTED:
        measure = MEASURES[name]
        every, without[measure.reach] = left_out(
            [*known_cells(twelve, measure), *grown.cells(measure)], measure
        )
        for part in asdict(every):
            values = [getattr(reach, part) for reach in without[measure.reach].values()]
            fits[f"{measure.reach}: {part}"] = {
                "shipped": getattr(getattr(CONSTANTS, measure.reach), part),
                "fitted": round(getattr(every, part), 3),
                "least_left_out": round(min(values), 3),
                "most_left_out": round(max(values), 3),
            }
        print(measure.reach, every, flush=True)
    both = (twelve, grown)
    left: dict[str, Row] = {"twelve": {}, "grown": {}}
    for name, measure in MEASURES.items():
        reaches = without[measure.reach]
        left["twelve"][name] = summary(errors_left_out(known_cells(twelve, measure), measure, reaches))
        left["grown"][name] = summary(errors_left_out(grown.cells(measure), measure, reaches))
        wider = getattr(CONSTANTS, f"{measure.wider}_wider")
        fits[f"wider: {name}"] = {
            "shipped": wider.known if measure.knows_column else wider.guessed,
            "fitted": round(widening(both, measure, reaches), 3),
        }
    fits["one_column"] = {"shipped": CONSTANTS.one_column, "fitted": round(column_part(both), 3)}
    others = Runs.read(options.kept_out)
    document = {
        "what": "the forecast: constants fitted anew, errors with one table left out, ranges of single runs",
        "date": datetime.now(UTC).date().isoformat(),
        "version": __version__,
        "constants": asdict(CONSTANTS),
        "fitted": fits,
        "tables": list(twelve.facts.values()),
        "left_out": left,
        "twelve_tables": dict(judged(twelve, lambda measure: known_cells(twelve, measure))),
        "warnings": warnings_of(twelve),
        "invented_tables": list(others.facts.values()),
        "kept_out": dict(judged(others, others.cells)),
        "kept_out_warnings": warnings_of(others),
        "kept_out_warnings_column_known": warnings_of(others, known=True),
    }
    table_rows("constants", fits.items())
    for part, rows in left.items():
        table_rows(f"one table left out: {part}", rows.items())
    table_rows("the twelve tables, constants as shipped", document["twelve_tables"].items())
    table_rows("invented tables, kept out of the fit", document["kept_out"].items())
    for name in ("warnings", "kept_out_warnings", "kept_out_warnings_column_known"):
        print(name, document[name])
    if options.json is not None:
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
