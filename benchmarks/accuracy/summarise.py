"""From rows to the table of cells, the bands and the limits:
`python -m benchmarks.accuracy.summarise rows.jsonl [--peers peers.csv] [--json out.json]`.

The peers' file has one line per cell and method: dataset, n, eps, method, privacy (none, pure, approx, ...) and
accuracy_mean. Without it there is no loss against the best non-private model and no comparison with peers.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from privpac import __version__

BANDS = (50.0, 200.0, 1_000.0, 5_000.0, float("inf"))
BAND_NAMES = ("<=50", "50-200", "200-1000", "1000-5000", ">5000")
LIMITS = (0.096, 0.053, 0.025, 0.021, 0.0115)
"""The loss of each band must not be above this."""
CELL_LIMITS = {
    ("adult", 39_074, 0.05): 0.836,
    ("adult", 39_074, 0.1): 0.841,
    ("adult", 39_074, 1.0): 0.85,
    ("spambase", 3_681, 0.3): 0.855,
    ("spambase", 3_681, 1.0): 0.86,
    ("spambase", 3_681, 3.0): 0.895,
}
"""The accuracy at full size must not be below this."""
ENOUGH = 1_000.0
MEAN_BELOW_OPTIMUM, MOST_BELOW_OPTIMUM = 0.006, 0.012
"""Where n·epsilon is at least 1000: distance to the non-private optimum of depth-3 trees."""
BEST_WITHOUT = ("sk_lr", "sk_hgb", "sk_tree2")
"""The non-private models the loss is counted from."""
CHOSEN_ON = ("adult", "breast_cancer", "cardio", "compas", "credit_default", "pima")
"""Tables that the first settings were chosen on; that cuts follow two scales was decided on all twelve."""

CellKey = tuple[str, int, float]


@dataclass(frozen=True)
class Cell:
    """Mean over splits of the expected accuracy, or of each split's mean over draws where that is not known."""

    table: str
    n: int
    epsilon: float
    evidence: float
    """n·epsilon."""
    method: str
    accuracy: float
    sd: float
    """Between splits."""
    first_draw: float
    balanced: float
    leaves: float
    seconds: float
    """Processor seconds of one draw, counts not included."""
    splits: int
    expected: bool
    chosen_on: bool
    loss: float | None
    """Against the best non-private model of the peers' file."""
    optimum: float | None
    """Test accuracy of the best depth-3 tree on the training records."""
    majority: float | None
    best_pure: float | None
    best_approx: float | None
    pair: float | None
    peers: dict[str, float]
    """Each private peer by itself."""
    balanced_pure: float | None
    balanced_approx: float | None
    """Balanced accuracy of the peer that has most of it."""

    @property
    def band(self) -> int:
        return next(i for i, top in enumerate(BANDS) if self.evidence <= top)


class Peers:
    """Mean accuracy of the peers, by cell and kind of privacy."""

    def __init__(self, lines: Iterable[Mapping[str, str]]) -> None:
        self._found: dict[CellKey, dict[str, tuple[str, float]]] = defaultdict(dict)
        self._balanced: dict[CellKey, list[tuple[str, float]]] = defaultdict(list)
        for line in lines:
            key = (line["dataset"], int(line["n"]), float(line["eps"]))
            self._found[key][line["method"]] = (line["privacy"], float(line["accuracy_mean"]))
            self._balanced[key].append((line["privacy"], float(line["balanced_mean"])))

    @classmethod
    def read(cls, path: Path | None) -> Peers:
        if path is None:
            return cls(())
        with path.open(encoding="utf-8", newline="") as file:
            return cls(csv.DictReader(file))

    def covers(self, key: CellKey) -> bool:
        """Whether peers were measured there; without a file of peers, every cell is kept."""
        return not self._found or key in self._found

    def best(self, key: CellKey, privacy: str) -> float | None:
        return max((value for kind, value in self._found[key].values() if kind == privacy), default=None)

    def balanced(self, key: CellKey, privacy: str) -> float | None:
        return max((value for kind, value in self._balanced[key] if kind == privacy), default=None)

    def private(self, key: CellKey) -> dict[str, float]:
        kinds = ("pure", "approx")
        return {method: value for method, (kind, value) in sorted(self._found[key].items()) if kind in kinds}

    def one(self, key: CellKey, method: str) -> float | None:
        found = self._found[key].get(method)
        return None if found is None else found[1]

    def without_privacy(self, table: str, n: int) -> float | None:
        found = (self.one((table, n, 0.0), method) for method in BEST_WITHOUT)
        return max((value for value in found if value is not None), default=None)


def cells(rows: Sequence[Mapping[str, Any]], peers: Peers) -> list[Cell]:
    """One per table, size and epsilon."""
    grouped: dict[CellKey, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        grouped[row["table"], row["n"], row["epsilon"]].append(row)
    optimum = {
        key[:2]: fmean(fmean(row["accuracy"]) for row in group)
        for key, group in grouped.items()
        if not key[2]
    }
    kept = [key for key in sorted(grouped) if key[2] and peers.covers(key)]
    return [_cell(key, grouped[key], optimum.get(key[:2]), peers) for key in kept]


def _cell(key: CellKey, rows: Sequence[Mapping[str, Any]], optimum: float | None, peers: Peers) -> Cell:
    table, n, epsilon = key
    means = [row["expected"] or fmean(row["accuracy"]) for row in rows]
    best = peers.without_privacy(table, n)
    return Cell(
        table=table,
        n=n,
        epsilon=epsilon,
        evidence=round(n * epsilon, 6),
        method=rows[0]["method"],
        accuracy=round(fmean(means), 5),
        sd=round(stdev(means), 5) if len(means) > 1 else 0.0,
        first_draw=round(fmean(row["accuracy"][0] for row in rows), 5),
        balanced=round(fmean(row["balanced"] for row in rows), 5),
        leaves=round(fmean(row["leaves"] for row in rows), 1),
        seconds=round(fmean(row["seconds"] for row in rows), 4),
        splits=len(rows),
        expected=all(row["expected"] is not None for row in rows),
        chosen_on=table in CHOSEN_ON,
        loss=None if best is None else round(best - fmean(means), 5),
        optimum=None if optimum is None else round(optimum, 5),
        majority=peers.one((table, n, 0.0), "majority"),
        best_pure=peers.best(key, "pure"),
        best_approx=peers.best(key, "approx"),
        pair=peers.one(key, "ref_pair"),
        peers=peers.private(key),
        balanced_pure=peers.balanced(key, "pure"),
        balanced_approx=peers.balanced(key, "approx"),
    )


def kept(path: Path, found: Sequence[Cell], peers: Peers) -> Iterator[Cell]:
    """Cells of an earlier document that were not measured again, because the design did not change there."""
    again = {(cell.table, cell.n, cell.epsilon) for cell in found}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        key = (cell["table"], cell["n"], cell["epsilon"])
        if key not in again:
            balanced = {f"balanced_{kind}": peers.balanced(key, kind) for kind in ("pure", "approx")}
            yield Cell(**cell | balanced)


def band_table(found: Sequence[Cell]) -> Iterator[str]:
    """Mean accuracy lost by n·epsilon, ours and the peers', with the limits."""
    yield "| mean accuracy lost | " + " | ".join(BAND_NAMES) + " |"
    yield "|---" * (len(BANDS) + 1) + "|"
    yield _line("cells", [len(_band(found, band)) for band in range(len(BANDS))], "{}")
    yield _line("limit", LIMITS, "{:.3f}")
    for title, attribute in (
        ("**privpac, default**", "accuracy"),
        ("- first draw only", "first_draw"),
        ("best pure peer of each cell", "best_pure"),
        ("best (epsilon, delta) peer of each cell", "best_approx"),
        ("naive pair of tests", "pair"),
        ("majority class", "majority"),
    ):
        yield _line(title, [_loss(_band(found, band), attribute) for band in range(len(BANDS))], "{:.4f}")
    for title, attribute in (
        ("cells won against best pure", "best_pure"),
        ("cells won against best (epsilon, delta)", "best_approx"),
        ("cells won against naive pair", "pair"),
        ("cells won against majority", "majority"),
    ):
        yield _line(title, [_won(_band(found, band), attribute) for band in range(len(BANDS))], "{}")


def _band(found: Sequence[Cell], band: int) -> list[Cell]:
    return [cell for cell in found if cell.band == band]


def _line(title: str, values: Sequence[object], form: str) -> str:
    return f"| {title} | " + " | ".join("-" if v is None else form.format(v) for v in values) + " |"


def _loss(found: Sequence[Cell], attribute: str) -> float | None:
    """Mean over the cells where both the non-private best and the method were measured."""
    losses = [
        cell.loss + cell.accuracy - getattr(cell, attribute)
        for cell in found
        if cell.loss is not None and getattr(cell, attribute) is not None
    ]
    return fmean(losses) if losses else None


def _won(found: Sequence[Cell], attribute: str) -> str | None:
    pairs = [(c.accuracy, getattr(c, attribute)) for c in found if getattr(c, attribute) is not None]
    return f"{sum(ours > theirs for ours, theirs in pairs)}/{len(pairs)}" if pairs else None


@dataclass(frozen=True)
class Limit:
    """A number that was promised, and what was measured."""

    what: str
    limit: float
    measured: float
    met: bool


def limits(found: Sequence[Cell]) -> Iterator[Limit]:
    for band, most in enumerate(LIMITS):
        loss = _loss(_band(found, band), "accuracy")
        if loss is not None:
            yield Limit(f"loss at n·epsilon {BAND_NAMES[band]}", most, round(loss, 4), loss <= most)
    for cell in found:
        least = CELL_LIMITS.get((cell.table, cell.n, cell.epsilon))
        if least is not None:
            what = f"accuracy on {cell.table}, full, epsilon {cell.epsilon:g}"
            yield Limit(what, least, round(cell.accuracy, 4), cell.accuracy >= least)
    below = {
        f"{c.table} n={c.n} epsilon {c.epsilon:g}": c.optimum - c.accuracy
        for c in found
        if c.evidence >= ENOUGH and c.optimum is not None
    }
    if below:
        mean, worst = fmean(below.values()), max(below, key=lambda name: below[name])
        what = "below the depth-3 optimum"
        yield Limit(f"{what}, mean", MEAN_BELOW_OPTIMUM, round(mean, 4), mean <= MEAN_BELOW_OPTIMUM)
        most = below[worst]
        yield Limit(f"{what}, most ({worst})", MOST_BELOW_OPTIMUM, round(most, 4), most <= MOST_BELOW_OPTIMUM)


def limit_table(found: Iterable[Limit]) -> Iterator[str]:
    yield "| limit | held to | measured | met |"
    yield "|---|---|---|---|"
    for limit in found:
        met = "yes" if limit.met else "**no**"
        yield f"| {limit.what} | {limit.limit:.3f} | {limit.measured:.4f} | {met} |"


def cell_table(found: Sequence[Cell]) -> Iterator[str]:
    """Every cell; a peer that beats us is in bold."""
    heads = ("table", "n", "epsilon", "stages", "accuracy", "sd", "loss", "depth-3 optimum", "best pure",
             "best (epsilon, delta)", "naive pair", "majority", "leaves")  # fmt: skip
    yield "| " + " | ".join(heads) + " |"
    yield "|---" * len(heads) + "|"
    for c in found:
        peers = (_peer(value, c.accuracy) for value in (c.best_pure, c.best_approx, c.pair, c.majority))
        own = [c.table, str(c.n), f"{c.epsilon:g}", c.method.split()[-1], f"{c.accuracy:.3f}", f"{c.sd:.3f}"]
        parts = [*own, _number(c.loss), _number(c.optimum), *peers, f"{c.leaves:.1f}"]
        yield "| " + " | ".join(parts) + " |"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _peer(value: float | None, ours: float) -> str:
    return f"**{value:.3f}**" if value is not None and value >= ours else _number(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--kept", type=Path, help="a document of before, for cells that the rows do not have")
    parser.add_argument("--json", type=Path, help="write the cells and limits there")
    parser.add_argument("--note", default="the default", help="what was measured, for the JSON file")
    options = parser.parse_args()
    lines = [line for path in options.rows for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [json.loads(line) for line in lines]
    peers = Peers.read(options.peers)
    found = cells(rows, peers)
    if options.kept is not None:
        found = sorted([*found, *kept(options.kept, found, peers)], key=lambda c: (c.table, c.n, c.epsilon))
    met = list(limits(found))
    print("\n".join([*band_table(found), "", *limit_table(met), "", *cell_table(found)]))
    if options.json is not None:
        document = {
            "what": "accuracy of the default classifier",
            "note": options.note,
            "date": datetime.now(UTC).date().isoformat(),
            "version": __version__,
            "limits": [asdict(limit) for limit in met],
            "cells": [asdict(cell) for cell in found],
        }
        text = json.dumps(document, indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
