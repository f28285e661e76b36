"""The figures of docs/understand/forecast.md, from what is stored: `python -m benchmarks.forecast.page`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["DATA", "PAGE", "page"]

ROOT = Path(__file__).parents[2]
DATA = ROOT / "benchmarks" / "results" / "forecast.json"
PAGE = ROOT / "docs" / "understand" / "forecast.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
NAMES = {
    "accuracy": "accuracy of a rule",
    "balanced accuracy": "balanced accuracy with balanced costs",
    "found": "share found with balanced costs",
    "false alarms": "false alarms with balanced costs",
    "AUC": "AUC of a card",
}
KNOWN = ", column known"
EVERY = [name + known for name in NAMES for known in (KNOWN, "")]


def page(text: str, stored: dict[str, Any]) -> str:
    """The page with its figures written anew."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return f"{before}{BEGIN}\n{_figures(stored)}\n{END}{after}"


def _figures(stored: dict[str, Any]) -> str:
    fits, left = stored["fitted"], stored["left_out"]
    parts = [
        "**The constants**, and what they are where one table is left out of the fit.",
        _table(
            ("constant", "ships", "fitted", "without one table"),
            [
                (name, f"{row['shipped']:g}", f"{row['fitted']:g}", _left_out(row))
                for name, row in fits.items()
                if not name.startswith("wider")
            ],
        ),
        "**One table left out** of the fit at a time, and judged by what all others give: the twelve tables, and 48"
        " invented ones.",
        _table(
            (
                "number",
                "within .03",
                "within .05",
                "bias",
                "rmse",
                "cells",
                "invented: within .03",
                "within .05",
            ),
            [
                (_called(name), *_closeness(left["twelve"][name]), *_closeness(left["grown"][name])[:2])
                for name in EVERY
            ],
        ),
        "**Single runs on the twelve tables**: how many lie in the range that is said to hold 8 in 10.",
        _table(
            ("number", "runs", "in the range", "width"),
            [_runs(name, stored["twelve_tables"][name]) for name in EVERY],
        ),
        "**Twelve invented tables of other generators**, kept out of the fit: many weak effects, rare classes, one"
        " strong column, a tree.",
        _table(
            ("number", "within .03", "within .05", "bias", "rmse", "cells", "runs", "in the range", "width"),
            [
                (_called(name), *_closeness(row), *_runs(name, row)[1:])
                for name, row in ((name, stored["kept_out"][name]) for name in EVERY)
            ],
        ),
        _warnings("On the twelve tables", stored["warnings"]),
        _warnings("On those that were kept out", stored["kept_out_warnings"]),
    ]
    return "\n\n".join(parts)


def _called(name: str) -> str:
    bare = name.removesuffix(KNOWN)
    return NAMES[bare] + (", best column known" if name != bare else "")


def _left_out(row: dict[str, Any]) -> str:
    return (
        f"{row['least_left_out']:g} to {row['most_left_out']:g}" if "least_left_out" in row else "the median"
    )


def _closeness(row: dict[str, Any]) -> tuple[str, ...]:
    shares = (f"{row[key]:.2f}" for key in ("within_03", "within_05"))
    return (*shares, f"{row['bias']:+.3f}", f"{row['rmse']:.3f}", str(row["cells"]))


def _runs(name: str, row: dict[str, Any]) -> tuple[str, ...]:
    return (_called(name), str(row["runs"]), f"{row['covered']:.2f}", f"{row['width']:.2f}")


def _warnings(where: str, row: dict[str, Any]) -> str:
    return (
        f"{where}, {row['warned']} of {row['warned'] + row['others']} runs of `auto` are warned of as most likely no"
        f" better than the constant; {row['of_these_useless']:.0%} of these gain at most .005, and"
        f" {row['of_the_others_useless']:.0%} of the others."
    )


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    stored = json.loads(DATA.read_text(encoding="utf-8"))
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), stored), encoding="utf-8")


if __name__ == "__main__":
    main()
