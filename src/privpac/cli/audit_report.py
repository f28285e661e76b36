"""One self-contained HTML page about an exact audit: no script, no request, and no record unless it was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any

from privpac.cli.audit_rows import HEADINGS, coverage, row_cells

__all__ = ["audit_html"]

NOTHING = "default-src 'none'; style-src 'unsafe-inline'"

METHOD = (
    "Every input of a tiny domain and every neighbour of it were run with coins that take each branch in turn. The "
    "probabilities of all outputs are exact fractions, and so is the largest ratio between neighbours: the exact loss. "
    "A row holds if it does not exceed the certificate. That a run refuses is an output like any other.",
    "Each row was also run at its limits: with one record more, on inputs whose records are all equal, all of one "
    "class, or as different as possible.",
    "Inputs that differ by a symmetry of the construction have the same loss; one of each kind was run.",
    "A tiny domain is no proof for large ones. The proofs are for all sizes; this shows that the code does what they "
    "speak of.",
)


def audit_html(document: Mapping[str, Any]) -> str:
    """The page as text."""
    rows = document["rows"]
    broken = [row["name"] for row in rows if row["holds"] is False]
    unfinished = [row["name"] for row in rows if not row["complete"]]
    if broken:
        verdict = f"{len(broken)} of {len(rows)} claims are broken"
    else:
        verdict = f"{len(rows)} claims, none broken"
    style = files("privpac.report").joinpath("report.css").read_text(encoding="utf-8")
    cut = f"<p>{escape(coverage(rows))}</p>"
    if unfinished:
        cut += f"<p>Out of time, and settled in part only: {escape(', '.join(unfinished))}.</p>"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{NOTHING}">\n'
        f"<title>{escape(verdict)} · privpac</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f'<header>\n<p class="over">An exact audit by privpac {escape(str(document["version"]))}</p>\n'
        f"<h1>{escape(verdict)}</h1>\n</header>\n<section>\n<h2>Certificate and exact worst case</h2>\n"
        f"{_table(rows)}\n{cut}\n</section>\n{_worst(rows)}"
        "<section>\n<h2>How to read this</h2>\n"
        + "".join(f"<p>{escape(text)}</p>\n" for text in METHOD)
        + "</section>\n</main>\n</body>\n</html>\n"
    )


def _table(rows: list[dict[str, Any]]) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in HEADINGS)
    body = "\n".join(
        f'<tr title="{escape(row["construction"])}">'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row_cells(row))
        + "</tr>"
        for row in rows
    )
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _worst(rows: list[dict[str, Any]]) -> str:
    shown = [row for row in rows if "worst" in row]
    if not shown:
        return ""
    items = "".join(
        f"<h3>{escape(row['name'])}</h3>\n<pre>{escape(row['worst']['input'])}\n"
        f"{escape(row['worst']['neighbour'])}\n{escape(row['worst']['output'])}</pre>\n"
        for row in shown
    )
    return f"<section>\n<h2>Worst pairs</h2>\n{items}</section>\n"
