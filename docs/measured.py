"""Tables of measured figures, written into pages from benchmarks/results: `python -m docs.measured`.

A table stands between `<!-- measured: NAME -->` and `<!-- end -->`; a test tells when a page is out of date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

__all__ = ["TABLES", "main", "pages", "written"]

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
MARKS = re.compile(r"(<!-- measured: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
BANDS = (
    (50, "up to 50"),
    (200, "50 to 200"),
    (1000, "200 to 1,000"),
    (5000, "1,000 to 5,000"),
    (10**9, "above"),
)
ACCURACY = "accuracy-2026-11-16-second-design"


def _rows(name: str, key: str = "rows") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))[key]
    return rows


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def _share(value: float) -> str:
    return f"{value:.3f}"


def _best(shown: str, *, of: Sequence[float], value: float) -> str:
    return f"**{shown}**" if value >= max(of) else shown


def _bands() -> list[list[dict[str, Any]]]:
    cells, bands, low = _rows(ACCURACY, "cells"), [], 0
    for high, _ in BANDS:
        bands.append([cell for cell in cells if low < cell["evidence"] <= high])
        low = high
    return bands


def accuracy_lost() -> str:
    """Mean accuracy lost against the best model without privacy, by records times epsilon."""

    def lost(cell: dict[str, Any], key: str) -> float:
        return float(cell["accuracy"] + cell["loss"] - cell[key])

    names = {
        "accuracy": "**privpac `auto`**: pure ε, one record replaced",
        "best_pure": "best pure-ε peer of each cell",
        "best_approx": "best (ε, δ) peer of each cell",
        "majority": "always the commoner class",
    }
    rows = []
    for key, name in names.items():
        means = [sum(lost(cell, key) for cell in band) / len(band) for band in _bands()]
        rows.append([name, *(f"**{m:.3f}**" if key == "accuracy" else f"{m:.3f}" for m in means)])
    return _table(["n·ε", *(name for _, name in BANDS)], rows)


def accuracy_won() -> str:
    """Cells in which the default is at least as accurate as the best peer of a kind."""
    rows = []
    for key, name in (("best_pure", "best pure-ε peer"), ("best_approx", "best (ε, δ) peer")):
        won = [sum(cell["accuracy"] >= cell[key] for cell in band) for band in _bands()]
        rows.append([name, *(f"{w} of {len(band)}" for w, band in zip(won, _bands(), strict=True))])
    return _table(["n·ε", *(name for _, name in BANDS)], rows)


def accuracy_cells() -> str:
    """Every table at full size, two epsilons."""
    cells = _rows(ACCURACY, "cells")
    full = {cell["table"]: max(c["n"] for c in cells if c["table"] == cell["table"]) for cell in cells}
    rows = []
    for cell in cells:
        if cell["n"] == full[cell["table"]] and cell["epsilon"] in (0.1, 1):
            three = [cell["accuracy"], cell["best_pure"], cell["best_approx"]]
            shown = [_best(_share(v), of=three, value=v) for v in three]
            free = cell["accuracy"] + cell["loss"]
            rows.append(
                [
                    cell["table"],
                    f"{cell['n']:,}",
                    cell["epsilon"],
                    *shown,
                    _share(cell["majority"]),
                    _share(free),
                ]
            )
    head = [
        "Table",
        "records",
        "ε",
        "privpac `auto`",
        "best pure peer",
        "best (ε, δ) peer",
        "commoner class",
        "no privacy",
    ]
    return _table(head, rows)


def labels_only() -> str:
    names = ["labels: auto", "randomised response + logistic regression", "randomised response + boosting"]
    found: dict[tuple[str, float], dict[str, float]] = {}
    for row in _rows("label_privacy"):
        found.setdefault((row["table"], row["epsilon"]), {})[row["method"]] = row["accuracy"]
    rows = []
    for (table, epsilon), by in sorted(found.items(), key=lambda item: (item[0][1], item[0][0])):
        values = [by[name] for name in names if name in by]
        rows.append([table, f"{epsilon:g}", *(_best(_share(v), of=values, value=v) for v in values)])
    return _table(
        ["Table", "ε", 'trees, `protect="labels"`', "response + logistic regression", "response + boosting"],
        rows,
    )


def predictions() -> str:
    rows = []
    for row in _rows("predictions-2026-11-16", "summary"):
        two = [row["ours"], row["peer"]]
        shown = [_best(_share(v), of=two, value=v) for v in two]
        rows.append(
            [row["table"], f"{row['answers']:,}", f"{row['delta']:g}", *shown, _share(row["released"])]
        )
    return _table(
        ["Table", "answers", "δ", "vote here", "vote in the manner of PATE", "a rule released at ε = 1"], rows
    )


def selection() -> str:
    rows = [
        [
            f"{row['candidates']:,}",
            row["scores"],
            row["epsilon"],
            *(f"{1000 * row[f'{name}_seconds']:.1f}" for name in ("privpac", "opendp", "diffprivlib")),
        ]
        for row in _rows("selection")
    ]
    return _table(
        ["Candidates", "scores", "ε", "privpac, ms", "OpenDP noisy max, ms", "diffprivlib Exponential, ms"],
        rows,
    )


def fitting() -> str:
    names = {
        "privpac 0.05": "privpac `auto`, ε = 0.05",
        "privpac 1": "privpac `auto`, ε = 1",
        "dp_ebm_default": "DP-EBM, its defaults",
        "dp_ebm_tuned": "DP-EBM, tuned",
        "diffprivlib_forest": "diffprivlib forest",
    }
    rows = [
        [names[row["method"]], row["processor_seconds"], row["wall_seconds"]]
        for row in _rows("fit-speed-2026-11-15")
    ]
    return _table(["Fit on Adult, 39,074 records", "processor seconds", "wall seconds"], rows)


def doors() -> str:
    rows = []
    for row in _rows("doors"):
        held = f"at most {row['most_seconds']:g}" if "most_seconds" in row else ""
        if row.get("limit"):
            held = f"at most {row['limit']:g} × that of {row['against']}"
        rows.append([row["what"], f"{row['value']:.2f}", held])
    return _table(["What", "processor seconds", "held to"], rows)


def audits() -> str:
    rows = [
        [row["name"], row["claimed"], f"{row['lower_bound']:.2f}", row["verdict"], row["note"]]
        for row in _rows("audit_peers")
    ]
    return _table(["What", "claims ε", "at least, with confidence 0.999", "verdict", ""], rows)


def released() -> str:
    names = {"ranges": "ranges of one column", "rectangles": "rectangles of two"}
    rows = []
    for row in _rows("release_peers"):
        for key, name in names.items():
            promised = f"{row['ours promised for every range']:.3f}" if key == "ranges" else "nothing"
            ours, aim = (
                f"{row[f'{who} {key}, mean']:.4f}, {row[f'{who} {key}, worst']:.4f}"
                for who in ("ours", "AIM")
            )
            rows.append([row["table"], name, ours, promised, aim])
    return _table(["Table", "question", "privpac: mean, worst", "promised", "AIM: mean, worst"], rows)


RISK_METHODS = {
    "card": "**privpac `card`**: pure ε, one record replaced",
    "card with delta 1e-6": "**privpac `card`**, δ = 10⁻⁶, one record replaced",
    "tree with leaf counts": "privpac `auto` with a fifth of ε for leaf counts",
    "DP logistic regression": "diffprivlib 0.6.6 logistic regression: pure ε",
    "DP-EBM, tuned": "DP-EBM, 20 rounds: δ = 10⁻⁶, one record added or removed",
    "DP-EBM, defaults": "DP-EBM, defaults: δ = 10⁻⁶, one record added or removed",
    "logistic regression, no privacy": "logistic regression, no privacy",
    "boosting, no privacy": "boosting, no privacy",
}
RISK_BANDS = {
    "from 0": "up to 200",
    "from 200": "200 to 1,000",
    "from 1000": "1,000 to 5,000",
    "from 5000": "above",
    "all": "all cells",
}


def _risks(key: str, tables: str) -> str:
    rows = [row for row in _rows("scores") if row.get("tables") == tables]
    cells = max(row["cells"] for row in rows)
    found = {(row["method"], row["n_epsilon"]): row[key] for row in rows}
    whole = {row["method"] for row in rows if row["cells"] == cells}
    bands = [band for band in RISK_BANDS if any(band == row["n_epsilon"] for row in rows)]
    shown = [
        [name, *(_share(found[method, band]) for band in bands)]
        for method, name in RISK_METHODS.items()
        if method in whole
    ]
    return _table(["n·ε", *(RISK_BANDS[band] for band in bands)], shown)


def risks_auc() -> str:
    """Mean area under the curve on the six tables."""
    return _risks("auc", "chosen")


def risks_loss() -> str:
    """Mean log-loss on the six tables."""
    return _risks("log_loss", "chosen")


def risks_left_out() -> str:
    """What constants cost that were chosen with one table left out."""
    kinds = {"pure": "without a δ", "delta 1e-6": "with δ = 10⁻⁶"}
    rows = [
        [kinds[row["kind"]], row["constants"], _share(row["auc"]), _share(row["log_loss"])]
        for row in _rows("scores_left_out")
        if row.get("left_out") == "mean"
    ]
    return _table(["", "constants", "AUC", "log-loss"], rows)


TABLES: dict[str, Callable[[], str]] = {
    "risks-auc": risks_auc,
    "risks-loss": risks_loss,
    "risks-left-out": risks_left_out,
    "accuracy-lost": accuracy_lost,
    "accuracy-won": accuracy_won,
    "accuracy-cells": accuracy_cells,
    "labels-only": labels_only,
    "predictions": predictions,
    "selection": selection,
    "fitting": fitting,
    "doors": doors,
    "audits": audits,
    "released": released,
}
"""Tables by name."""


def pages() -> list[Path]:
    """Pages that hold measured tables."""
    return [ROOT / "README.md", *sorted((ROOT / "docs" / "compare").glob("*.md"))]


def written(text: str) -> str:
    """The page with every table as the results have it."""
    return MARKS.sub(lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n{found[3]}", text)


def main() -> None:
    for page in pages():
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
