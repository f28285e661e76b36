"""`privpac audit exact`: the true worst loss of what ships, on tiny domains, next to its certificate.

`--report` writes one self-contained page: no script, no request, and no record unless it was asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from html import escape
from typing import TYPE_CHECKING, Annotated, Any

from privpac import __version__
from privpac.cli import console
from privpac.cli.audit_rows import HEADINGS, line_of, row_cells, row_of, row_text, summary
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.cli.options import argument, flag, option
from privpac.errors import NotCertified, ParameterError, PrivpacError

if TYPE_CHECKING:
    from privpac.audit.exact import Case, Finding

__all__ = ["audit_html", "exact"]


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
    from privpac.report.page import html_page

    rows = document["rows"]
    broken = [row["name"] for row in rows if row["holds"] is False]
    open_rows = [row["name"] for row in rows if not row["complete"]]
    if broken:
        verdict = f"{len(broken)} of {len(rows)} claims are broken"
    elif open_rows:
        verdict = f"{len(rows) - len(open_rows)} of {len(rows)} claims settled, none broken"
    else:
        verdict = f"{len(rows)} claims, none broken"
    cut = f"<p>{escape(summary(rows, budget_seconds=document['budget_seconds']))}</p>"
    if open_rows:
        cut += f"<p>Out of time: {escape(', '.join(open_rows))}.</p>"
    return html_page(
        verdict,
        f'<header>\n<p class="over">An exact audit by privpac {escape(str(document["version"]))}</p>\n'
        f"<h1>{escape(verdict)}</h1>\n</header>\n<section>\n<h2>Certificate and exact worst case</h2>\n"
        f"{_table(rows)}\n{cut}\n</section>\n{_worst(rows)}"
        "<section>\n<h2>How to read this</h2>\n"
        + "".join(f"<p>{escape(text)}</p>\n" for text in METHOD)
        + "</section>",
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
    results = [row for row in rows if "worst" in row]
    if not results:
        return ""
    items = "".join(
        f"<h3>{escape(row['name'])}</h3>\n<pre>{escape(row['worst']['input'])}\n"
        f"{escape(row['worst']['neighbour'])}\n{escape(row['worst']['output'])}</pre>\n"
        for row in results
    )
    return f"<section>\n<h2>Worst pairs</h2>\n{items}</section>\n"


OWNER = "audit exact"


def exact(
    names: Annotated[list[str] | None, argument("[NAME]...", "Rows of the registry, or MODULE:CASE.")] = None,
    *,
    budget_seconds: Annotated[
        float, option("SECONDS", "Processor time for all rows together, the smallest first.")
    ] = 60.0,
    accept_partial: Annotated[
        bool, flag("--accept-partial", "Exit with code 0 even if rows that were named ran out of time.")
    ] = False,
    large: Annotated[bool, flag("--large", "Larger domains, where there are some.")] = False,
    symmetry: Annotated[
        bool, flag("--symmetry/--no-symmetry", "Whether one input may stand for its mirror images.")
    ] = True,
    report: Annotated[str | None, option("FILE.html", "Write a page about the audit.")] = None,
    out: Annotated[str | None, option("FILE.json", "Write the rows as JSON.")] = None,
    show_data: Annotated[bool, flag("--show-data", "Show the worst pair of inputs and its output.")] = False,
    as_json: Json = False,
) -> None:
    """Compare certificates with exact worst losses.

    The loss is the largest over all neighbouring inputs of a small domain. Without a name, as many rows are settled as
    the time allows. Exit code 4 if a claim is broken, if nothing was settled, or if time ran out for a row you named.
    """
    if not budget_seconds > 0:
        raise ParameterError(OWNER, "budget-seconds", budget_seconds, allowed="a positive number")
    page = Destination.of(report, owner=OWNER, option="report", force=True)
    file = Destination.of(out, owner=OWNER, option="out", keep=[report], force=True)
    cases = _cases(names or [], large=large)
    sheet = _Sheet(cases, show_data=show_data, as_json=as_json)
    findings = _survey(cases, sheet, budget_seconds=budget_seconds, symmetry=symmetry)
    rows = [row_of(name, finding, show_data=show_data) for name, finding in findings.items()]
    sheet.add_left([row for row in rows if names or row["holds"] is False])
    document = {"version": __version__, "budget_seconds": budget_seconds, "large": large, "rows": rows}
    if file is not None:
        file.write(json.dumps(document, indent=1) + "\n")
    if page is not None:
        page.write(audit_html(document))
    sheet.end(rows, budget_seconds=budget_seconds)
    for place in (file, page):
        if place is not None:
            console.note(f"Wrote {place.path}.", as_json=as_json)
    _refuse_broken(rows)
    if not accept_partial:
        _refuse_partial(rows if names else [row for row in rows if row["complete"]])


class _Sheet:
    """What is shown: for people a line as soon as a row is settled, for programs everything at the end."""

    def __init__(self, cases: Iterable[str], *, show_data: bool, as_json: bool) -> None:
        self.as_json, self._show_data = as_json, show_data
        self._width = max(map(len, cases))
        self._shown: set[str] = set()

    def add(self, name: str, finding: Finding) -> None:
        """A row that is settled; of one that only ever raises nothing can be said."""
        if finding.compared and not finding.answered:
            raise PrivpacError(
                f"Every run of {name} raised an exception: {', '.join(sorted(finding.raised))}.",
                remedy="Run it by itself on one of its inputs.",
            )
        self.add_left([row_of(name, finding, show_data=self._show_data)])

    def add_left(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Rows as they are, each once."""
        for row in rows:
            if row["name"] not in self._shown and not self.as_json:
                if not self._shown:
                    console.show(line_of(HEADINGS, name_width=self._width))
                console.show(row_text(row, name_width=self._width))
                self._shown.add(row["name"])

    def end(self, rows: list[dict[str, Any]], *, budget_seconds: float) -> None:
        """One sentence, or one document."""
        lead = "\n" if self._shown else ""
        console.show_result(rows, lead + summary(rows, budget_seconds=budget_seconds), as_json=self.as_json)


def _cases(names: list[str], *, large: bool) -> dict[str, Callable[[], Case]]:
    from privpac.audit.registry import LARGER, REGISTRY

    registry = {**REGISTRY, **LARGER} if large else dict(REGISTRY)
    unknown = [name for name in names if name not in registry and ":" not in name]
    if unknown:
        requirement = "MODULE:CASE or one of " + ", ".join(registry)
        near = get_close_matches(unknown[0], registry, n=3)
        remedy = f"Did you mean {', '.join(near)}?" if near else "Without a name all of them are run."
        raise ParameterError(OWNER, "name", unknown[0], allowed=requirement, remedy=remedy)
    return {name: registry[name] if name in registry else _users_case(name) for name in names} or registry


def _users_case(text: str) -> Callable[[], Case]:
    """A user's case, or what a user's function without parameters returns."""
    from privpac.audit.exact import Case
    from privpac.cli.imported import imported

    _, value = imported(text, owner=OWNER, parameter="name")
    if callable(value) and not isinstance(value, Case):
        value = value()
    if not isinstance(value, Case):
        requirement = "a privpac.audit.exact.Case, or a function without parameters that returns one"
        raise ParameterError(OWNER, "name", text, allowed=requirement)
    case = value
    return lambda: case


def _survey(
    cases: Mapping[str, Callable[[], Case]], sheet: _Sheet, *, budget_seconds: float, symmetry: bool
) -> dict[str, Finding]:
    from privpac.audit.survey import survey
    from privpac.coins import EnclosureError

    try:
        with console.progress("Auditing", as_json=sheet.as_json, patience=0.0) as report:
            return survey(
                cases,
                budget_seconds=budget_seconds,
                symmetry=symmetry,
                progress=lambda share: report(round(1000 * share), 1000),
                settled=sheet.add,
            )
    except EnclosureError as problem:
        raise NotCertified(f"A kernel is at fault: {problem}.") from None


def _refuse_broken(rows: list[dict[str, Any]]) -> None:
    broken = [row["name"] for row in rows if row["holds"] is False]
    if broken:
        verb = "claims is" if len(broken) == 1 else "claims are"
        raise NotCertified(f"{len(broken)} of {len(rows)} {verb} broken: {', '.join(broken)}.")


def _refuse_partial(rows: list[dict[str, Any]]) -> None:
    unknown = [row["name"] for row in rows if not (row["complete"] and row["holds"])]
    if unknown or not rows:
        raise NotCertified(
            f"No claim is broken, but not everything was looked at: {', '.join(unknown) or 'nothing was settled'}.",
            remedy="Raise --budget-seconds, or give --accept-partial.",
        )
