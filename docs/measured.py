"""Tables of measured figures, written into pages from benchmarks/results: `python -m docs.measured`.

A table stands between `<!-- measured: NAME -->` and `<!-- end -->`; a test tells when a page is out of date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, stdev
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
ACCURACY = "accuracy-2026-11-17"


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


Cell = dict[str, Any]


def _bands(kept: Callable[[Cell], bool] = lambda _: True) -> list[list[Cell]]:
    cells, bands, low = _rows(ACCURACY, "cells"), [], 0
    for high, _ in BANDS:
        bands.append([cell for cell in cells if low < cell["evidence"] <= high and kept(cell)])
        low = high
    return bands


def _over_tables(band: Sequence[Cell], find: Callable[[Cell], float]) -> str:
    """Mean over tables of the mean over their cells, and its standard error: cells of a table are not independent."""
    by_table: dict[str, list[float]] = {}
    for cell in band:
        by_table.setdefault(cell["table"], []).append(find(cell))
    means = [fmean(values) for values in by_table.values()]
    return f"{fmean(means):.3f} ± {stdev(means) / len(means) ** 0.5:.3f}"


REFERENCES = {
    "best_pure": "best pure-ε peer of each cell",
    "best_approx": "best (ε, δ) peer of each cell",
    "pair": "a naive pair of tests",
    "majority": "always the commoner class",
}


def accuracy_lost() -> str:
    """Mean accuracy lost against the best model without privacy, by records times epsilon."""

    def lost(key: str) -> list[float]:
        return [fmean(cell["accuracy"] + cell["loss"] - cell[key] for cell in band) for band in _bands()]

    rows = [["**privpac `auto`**: pure ε, one record replaced", *(f"**{m:.3f}**" for m in lost("accuracy"))]]
    rows += [[name, *(f"{m:.3f}" for m in lost(key))] for key, name in REFERENCES.items()]
    return _table(["n·ε", *(name for _, name in BANDS)], rows)


def accuracy_apart() -> str:
    """How much more accurate the default is, by whether first settings were chosen on a table; errors over tables."""
    rows = []
    for chosen, about in ((True, "the six tables"), (False, "six others")):
        bands = _bands(lambda cell, chosen=chosen: cell["chosen_on"] == chosen)
        lost = [_over_tables(band, lambda cell: float(cell["loss"])) for band in bands]
        rows.append([f"**{about}**: accuracy lost", *lost])
        for key, name in REFERENCES.items():
            gains = (_over_tables(band, lambda cell, key=key: cell["accuracy"] - cell[key]) for band in bands)
            rows.append([f"more than {name}", *gains])
    return _table(["n·ε", *(name for _, name in BANDS)], rows)


def accuracy_balanced() -> str:
    """Balanced accuracy by records times epsilon, next to the peers that have most of it."""
    names = {
        "balanced": "**privpac `auto`**: pure ε, one record replaced",
        "balanced_pure": "pure-ε peer with most of it in each cell",
        "balanced_approx": "(ε, δ) peer with most of it in each cell",
    }
    rows = [
        [name, *(_share(fmean(cell[key] for cell in band)) for band in _bands())]
        for key, name in names.items()
    ]
    return _table(["n·ε", *(name for _, name in BANDS)], rows)


PEERS = {
    "dp_majority": "noisy majority of the labels",
    "dpl_dt": "diffprivlib tree",
    "dpl_rf": "diffprivlib forest",
    "dpl_lr_reg": "diffprivlib logistic regression",
    "dpl_lr_strict": "the same, bounds kept strictly",
    "dp_ebm": "DP-EBM, (ε, δ)",
    "dpgd_lr": "logistic regression by noisy gradients, (ε, δ)",
}
"""Peers that were measured on every cell."""


def accuracy_won() -> str:
    """Cells in which the default is at least as accurate: as each peer, and as the best of each cell."""

    def line(name: str, find: Callable[[Cell], float]) -> list[str]:
        won = [f"{sum(c['accuracy'] >= find(c) for c in band)} of {len(band)}" for band in _bands()]
        return [name, *won]

    rows = [line(name, lambda cell, key=key: float(cell["peers"][key])) for key, name in PEERS.items()]
    rows.append(line("**best pure-ε peer of each cell**", lambda cell: float(cell["best_pure"])))
    rows.append(line("**best (ε, δ) peer of each cell**", lambda cell: float(cell["best_approx"])))
    return _table(["at least as accurate as", *(name for _, name in BANDS)], rows)


def constants_left_out() -> str:
    """Every constant of the default, chosen without each table in turn."""
    rows = []
    for one in _rows("constants-2026-11-16", "constants"):
        lost = ", ".join(f"{name}: {value:.4f}" for name, value in one["lost"].items())
        beyond = f"{one['left_out']:+.4f} ± {one['error']:.4f}, at most {one['worst']:+.4f}"
        rows.append([one["constant"], one["used"], lost, beyond, one["cells"]])
    head = [
        "constant or idea",
        "in use",
        "mean accuracy lost by value",
        "lost more on the table left out",
        "cells",
    ]
    return _table(head, rows)


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
        [names[row["method"]], f"{row['processor_seconds']:.2f}", f"{row['first_fit_processor_seconds']:.2f}"]
        for row in _rows("fit-numbers-2026-11-17")
        if row["method"] in names
    ]
    return _table(["Fit on Adult, 48,842 records", "processor seconds", "first fit of a process"], rows)


def doors() -> str:
    rows = []
    for row in _rows("doors"):
        held = f"at most {row['most_seconds']:g}" if "most_seconds" in row else ""
        if row.get("limit"):
            held = f"at most {row['limit']:g} × {row['against']}; it is {row['ratio']:.2g} ×"
        rows.append([row["what"], f"{row['value']:.2f}", held])
    return _table(["What", "processor seconds", "held to"], rows)


def fitting_tables() -> str:
    """Every table at full size, beside the first design."""
    rows = [
        [row["table"], f"{row['n']:,}", f"{row['epsilon']:g}", f"{row['auto']:.3f}", f"{row['auto:1']:.3f}"]
        for row in _rows("fit-tables-2026-11-17")
    ]
    return _table(["Table", "records", "ε", "`auto`", "`auto:1`, the design of 0.1"], rows)


def fitting_numbers() -> str:
    """The same array of numbers for everybody."""
    names = {
        **{f"numbers {word}": f"privpac `{word}`" for word in ("one-test", "trees:2", "trees:3", "auto")},
        "diffprivlib_tree": "diffprivlib tree",
        "diffprivlib_forest": "diffprivlib forest",
    }
    measured = {row["method"]: row for row in _rows("fit-numbers-2026-11-17")}
    rows = [
        [
            name,
            f"{measured[method]['least_processor_seconds']:.3f}",
            f"{measured[method]['first_fit_processor_seconds']:.3f}",
        ]
        for method, name in names.items()
    ]
    heads = ["Fit on Adult, all records, an array of numbers", "processor seconds", "first fit of a process"]
    return _table(heads, rows)


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
    "card of single tests": "privpac `card:ROUNDS`, as many rounds: pure ε, one record replaced",
    "card with delta 1e-6": "**privpac `card`**, δ = 10⁻⁶, one record replaced",
    "tree with leaf counts": "privpac `auto` with `probabilities=True`: pure ε, one record replaced",
    "DP logistic regression": "diffprivlib 0.6.6 logistic regression: pure ε",
    "DP-EBM, tuned": "DP-EBM, 20 rounds: δ = 10⁻⁶, one record added or removed",
    "DP-EBM, tuned, replacing": "DP-EBM, 20 rounds: δ = 10⁻⁶, one record replaced",
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
    bands = [band for band in RISK_BANDS if any(band == row["n_epsilon"] for row in rows)]
    cells = {band: max(row["cells"] for row in rows if row["n_epsilon"] == band) for band in bands}
    found = {  # a mean of some cells is no mean of the band
        (row["method"], row["n_epsilon"]): row[key] for row in rows if row["cells"] == cells[row["n_epsilon"]]
    }
    shown = [
        [name, *(_share(found[method, band]) if (method, band) in found else "" for band in bands)]
        for method, name in RISK_METHODS.items()
        if any((method, band) in found for band in bands)
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
        if row.get("left_out") == "mean" and row["kind"] in kinds
    ]
    return _table(["", "constants", "AUC", "log-loss"], rows)


def risks_cuts() -> str:
    """Where cuts of cards lie: means over twelve tables."""
    names = {"shipped": "at round numbers, closer beside zero", "even cuts": "31 even ones"}
    own = [row for row in _rows("scores_left_out") if row["kind"] == "cuts"]
    rows = [
        [names[row["setting"]], _share(row["auc"]), _share(row["log_loss"])]
        for row in own
        if "left_out" not in row
    ]
    rows += [
        ["chosen on the other eleven tables", _share(row["auc"]), _share(row["log_loss"])]
        for row in own
        if row.get("left_out") == "mean" and row["constants"] == "chosen on the others"
    ]
    return _table(["Cuts", "AUC", "log-loss"], rows)


def reading() -> str:
    """Every figure of `benchmarks.speed reading` that is held to something."""
    rows = []
    for row in _rows("reading"):
        if "ratio" in row:
            limit = "–" if row["limit"] is None else f"{row['limit']:g}"
            rows.append([row["what"], f"{row['value']:.3g}", f"{row['ratio']:.2g} × {row['against']}", limit])
    return _table(["What", "processor seconds", "that is", "held to"], rows)


FIGURES = {
    "accuracy": "accuracy",
    "balanced": "balanced accuracy",
    "found": "of the second class found",
    "auc": "AUC",
    "log_loss": "log-loss",
}


USUAL = {
    "none": "nothing said",
    "known": "general knowledge",
    "exact": "somebody who knows",
    "wrong": "mistaken",
}


def usual_values() -> str:
    """Points of cards where nobody is, and AUC, by what the schema says of usual values."""
    rows = _rows("usual")
    tables = dict.fromkeys(row["table"] for row in rows)

    def cell(name: str, told: str) -> str:
        own = [row for row in rows if row["table"] == name and row["usual"] == told]
        return (
            ""
            if not own
            else f"{fmean(row['idle'] for row in own):.0%}, {fmean(row['auc'] for row in own):.3f}"
        )

    return _table(
        ["table", *USUAL.values()], ([name, *(cell(name, told) for told in USUAL)] for name in tables)
    )


def _means(name: str) -> str:
    """Means over cells, a row per method."""
    rows = [row for row in _rows(name) if "cells" in row]
    shown = ([row["method"], *(_share(row[key]) for key in FIGURES)] for row in rows)
    return _table(["", *FIGURES.values()], shown)


def rare_classes() -> str:
    """Seven tables with a rare class, all records, epsilon 1."""
    return _means("rare_classes")


def probabilities() -> str:
    """The 40 cells of benchmarks/risks.py."""
    return _means("probabilities")


def _spark() -> dict[str, float]:
    """Figures by name; of those measured with several sizes, the first."""
    figures: dict[str, float] = {}
    for row in _rows("spark"):
        figures.setdefault(row["what"], float(row["value"]))
    return figures


NOTHING = "a task of Spark's own that does nothing"
"""The row that no use of Spark can be below."""


def cluster() -> str:
    """What the constants say of 10^8 records, what those took, and ten times that on fifty executors."""
    figures, end = _spark(), ": a million records, 10,000,000 records in 4 files"
    rows = []
    for word in (what.removesuffix(end) for what in figures if what.endswith(end)):
        million = figures[f"{word}{end}"]
        fixed = figures["an empty job of one task"] + 40 * figures["a further empty task"]
        witness = figures[f"{word}: learnt on Spark, 100,000,000 records in 40 files"]
        rows.append(
            [
                f"`{word}`",
                f"{million:.3f}",
                f"{fixed + 100 * million:.0f}",
                f"{witness:.0f}",
                f"{10 * witness:.0f}",
                f"{witness / 5:.0f}",
            ]
        )
    head = [
        "Rule",
        "a million records",
        "10^8, computed",
        "10^8, measured",
        "10^9: ten times as much",
        "10^9, each of 50 executors",
    ]
    return _table(head, rows)


def beside_memory() -> str:
    """What Spark takes to do nothing, and to learn what memory learns."""
    figures = _spark()
    rows = [["nothing: one empty task", f"{figures[NOTHING]:.2f}", "", ""]]
    for row in _rows("spark"):
        if "ratio" in row:
            word, _, _ = row["what"].partition(": learnt on Spark")
            memory = row["value"] / row["ratio"]
            rows.append([f"`{word}`", f"{row['value']:.2f}", f"{memory:.2f}", f"{row['ratio']:.1f}"])
    return _table(["A million records", "on Spark, once started", "in memory", "ratio"], rows)


def probabilities_further() -> str:
    """The 48 cells of the six tables on which the constants of cards were not chosen."""
    return _means("probabilities_further")


def service() -> str:
    """Requests per second of the service, beside the hello-world of the same run."""
    rows = {row["what"]: row for row in _rows("service")}
    lines = []
    for what, row in rows.items():
        whose, _, which = what.partition(": ")
        kind, _, rest = which.partition(" against hello-world")
        if not rest and " against hello-world" in which:
            asked = rows[f"{whose}: {kind} requests per second"]
            greeted = rows[f"{whose}: hello-world requests per second"]
            bar = (
                f"{row['limit']:g}"
                if "limit" in row
                else f"{asked['limit']} a second"
                if "limit" in asked
                else ""
            )
            rates = [f"{one['value']:,.0f}" for one in (asked, greeted)]
            cells = [
                f"{row['value']:.2f}",
                f"{row['by_server_cpu']:.2f}",
                bar,
                f"{1000 * asked['p99_seconds']:.0f}",
            ]
            lines.append([f"{whose}: {kind}", *rates, *cells])
    head = [
        "Service",
        "per second",
        "hello-world",
        "ratio",
        "by its processor time",
        "held to",
        "99 of 100 within, ms",
    ]
    return _table(head, lines)


def certificates() -> str:
    """What `auto` certifies, by records and epsilon."""
    rows = _rows("certificates")
    sizes = dict.fromkeys(row["records"] for row in rows)
    found = {(row["columns"], row["epsilon"], row["records"]): row for row in rows}

    def cell(row: dict[str, Any]) -> str:
        errors = [
            [
                "–" if row[f"{q}_{s}"] is None else f"{row[f'{q}_{s}']:.4f}".lstrip("0")
                for s in ("perfect", "any")
            ]
            for q in ("one", "three")
        ]
        return "; ".join("/".join(pair) for pair in errors)

    shown = [
        [columns, epsilon, *(cell(found[columns, epsilon, n]) for n in sizes)]
        for columns, epsilon in dict.fromkeys((row["columns"], row["epsilon"]) for row in rows)
    ]
    return _table(["columns", "ε", *(f"n = {n:,}" for n in sizes)], shown)


def coverage() -> str:
    """How often every kind of interval held the truth: coin tosses, weak, strong, rare."""
    rows = _rows("coverage")
    sizes = dict.fromkeys(row["records"] for row in rows)
    runs = {n: min(row["runs"] for row in rows if row["records"] == n) for n in sizes}
    found: dict[tuple[str, int], list[str]] = {}
    levels: dict[str, float] = {}
    for row in rows:
        levels[row["kind"]] = row["level"]
        held = "–" if row["held"] is None else f"{row['held']:.3f}".removeprefix("0")
        found.setdefault((row["kind"], row["records"]), []).append(
            held if row["holds"] else f"{held} (too rarely)"
        )
    control = "control: "
    names = {kind: kind.replace(control, "*not printed:* ") for kind in levels}
    shown = [
        [names[kind], f"{levels[kind]:g}", *(" / ".join(found[kind, n]) for n in sizes)]
        for kind in sorted(levels, key=lambda kind: (kind.startswith(control), kind))
    ]
    return _table(["interval", "level", *(f"{n:,} records, {runs[n]} runs" for n in sizes)], shown)


TABLES: dict[str, Callable[[], str]] = {
    "certificates": certificates,
    "coverage": coverage,
    "service": service,
    "risks-auc": risks_auc,
    "risks-loss": risks_loss,
    "risks-cuts": risks_cuts,
    "risks-left-out": risks_left_out,
    "rare-classes": rare_classes,
    "usual-values": usual_values,
    "probabilities": probabilities,
    "probabilities-further": probabilities_further,
    "accuracy-lost": accuracy_lost,
    "accuracy-balanced": accuracy_balanced,
    "accuracy-apart": accuracy_apart,
    "accuracy-won": accuracy_won,
    "constants-left-out": constants_left_out,
    "accuracy-cells": accuracy_cells,
    "labels-only": labels_only,
    "predictions": predictions,
    "selection": selection,
    "fitting": fitting,
    "fitting-numbers": fitting_numbers,
    "fitting-tables": fitting_tables,
    "doors": doors,
    "audits": audits,
    "released": released,
    "reading": reading,
    "cluster": cluster,
    "beside-memory": beside_memory,
}
"""Tables by name."""


def pages() -> list[Path]:
    """Pages that hold measured tables."""
    folders = ("compare", "theory", "understand")
    return [
        ROOT / "README.md",
        *(page for one in folders for page in sorted((ROOT / "docs" / one).glob("*.md"))),
    ]


def written(text: str) -> str:
    """The page with every table as the results have it."""
    return MARKS.sub(lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n{found[3]}", text)


def main() -> None:
    for page in pages():
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
