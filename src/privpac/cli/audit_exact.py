"""`privpac audit exact`: the true worst loss of what ships, on tiny domains, next to its certificate."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac import __version__
from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.errors import NotCertified, ParameterError, PrivpacError

if TYPE_CHECKING:
    from privpac.audit.exact import Case, Finding

__all__ = ["exact", "row_cells", "rows_text", "shown"]

OWNER = "audit exact"
HEADINGS = ("name", "certificate", "exact", "ratio", "pairs", "complete", "seconds")


def exact(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Rows of the registry, or MODULE:CASE.")
    ] = None,
    *,
    budget_seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time for all rows together, shared fairly.")
    ] = 20.0,
    large: Annotated[bool, typer.Option("--large", help="Larger domains, where there are some.")] = False,
    symmetry: Annotated[
        bool,
        typer.Option("--symmetry/--no-symmetry", help="Whether one input may stand for its mirror images."),
    ] = True,
    report: Annotated[
        str | None, typer.Option(metavar="FILE.html", help="Write a page about the audit.")
    ] = None,
    out: Annotated[str | None, typer.Option(metavar="FILE.json", help="Write the rows as JSON.")] = None,
    show_data: Annotated[
        bool, typer.Option("--show-data", help="Show the worst pair of inputs and its output.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compare the exact worst loss over all neighbouring inputs with the certificate. Exit code 4 if one is broken."""
    if not budget_seconds > 0:
        raise ParameterError(OWNER, "budget-seconds", budget_seconds, allowed="a positive number")
    page = Destination.of(report, owner=OWNER, option="report")
    file = Destination.of(out, owner=OWNER, option="out", keep=[report])
    cases = _cases(names or [], large=large)
    findings = _survey(cases, budget_seconds=budget_seconds, symmetry=symmetry, as_json=as_json)
    rows = [_row(name, finding, show_data=show_data) for name, finding in findings.items()]
    document = {"version": __version__, "budget_seconds": budget_seconds, "large": large, "rows": rows}
    if file is not None:
        file.write(json.dumps(document, indent=1) + "\n")
    if page is not None:
        from privpac.cli.audit_report import audit_html

        page.write(audit_html(document))
    if as_json:
        console.show_json(rows)
    else:
        console.show(rows_text(rows))
    for written in (file, page):
        if written is not None:
            console.note(f"Wrote {written.path}.", as_json=as_json)
    _refuse_broken(rows)


def _cases(names: list[str], *, large: bool) -> dict[str, Callable[[], Case]]:
    from privpac.audit.larger import LARGER
    from privpac.audit.registry import REGISTRY

    known = {**REGISTRY, **LARGER} if large else dict(REGISTRY)
    unknown = [name for name in names if name not in known and ":" not in name]
    if unknown:
        allowed = "MODULE:CASE or one of " + ", ".join(known)
        near = get_close_matches(unknown[0], known, n=3)
        remedy = f"Did you mean {', '.join(near)}?" if near else "Without a name all of them are run."
        raise ParameterError(OWNER, "name", unknown[0], allowed=allowed, remedy=remedy)
    return {name: known[name] if name in known else _given(name) for name in names} or known


def _given(text: str) -> Callable[[], Case]:
    """A user's case, or what a user's function without parameters returns."""
    from privpac.audit.exact import Case
    from privpac.cli.imported import imported

    _, found = imported(text, owner=OWNER, parameter="name")
    if callable(found) and not isinstance(found, Case):
        found = found()
    if not isinstance(found, Case):
        allowed = "a privpac.audit.exact.Case, or a function without parameters that returns one"
        raise ParameterError(OWNER, "name", text, allowed=allowed)
    case = found
    return lambda: case


def _survey(
    cases: Mapping[str, Callable[[], Case]], *, budget_seconds: float, symmetry: bool, as_json: bool
) -> dict[str, Finding]:
    from privpac.audit.survey import survey
    from privpac.coins import EnclosureError

    try:
        with _bar(as_json=as_json) as progress:
            return survey(cases, budget_seconds=budget_seconds, symmetry=symmetry, progress=progress)
    except EnclosureError as problem:
        raise NotCertified(f"A kernel is at fault: {problem}.") from None
    except PrivpacError:
        raise
    except Exception as problem:
        if not any(":" in name for name in cases):
            raise
        # Its message may quote a record.
        raise PrivpacError(
            f"A case raised a {type(problem).__name__} while it was run.",
            remedy="Run it by itself on one of its inputs.",
        ) from None


@contextmanager
def _bar(*, as_json: bool) -> Iterator[Callable[[float], None] | None]:
    """A progress bar on stderr, if a person looks at it."""
    if as_json or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Auditing", total=1.0)
        yield lambda share: bar.update(task, completed=share)


def _row(name: str, finding: Finding, *, show_data: bool) -> dict[str, Any]:
    """Epsilons are rounded up to twelve decimals. Without a finished pair nothing is known of the true loss."""
    from privpac.guarantee.facts import Loss

    exact = None
    if finding.exact is not None and finding.pairs:
        exact = max(0.0, float(Loss(factor=finding.exact).upper))
    row: dict[str, Any] = {
        "name": name,
        "construction": finding.name,
        "certificate": float(finding.claim.epsilon.upper),
        "exact": exact,
        "ratio": finding.tightness if exact is not None else None,
        "pairs": finding.pairs,
        "total_pairs": finding.total,
        "compared": finding.compared,
        "complete": finding.complete,
        "seconds": round(finding.seconds, 3),
        "unit": finding.claim.unit.value,
        "claimed_delta": float(finding.claim.delta),
        "delta": float(finding.delta),
        "holds": finding.holds,
    }
    if show_data and finding.worst is not None:
        one, other, output = finding.worst
        row["worst"] = {"input": repr(one), "neighbour": repr(other), "output": repr(output)}
    return row


def rows_text(rows: list[dict[str, Any]]) -> str:
    """A table for people, what was covered, and the worst pairs if they are shown."""
    cells = [row_cells(row) for row in rows]
    text = [console.table_text(HEADINGS, cells, right=HEADINGS[1:])]
    unfinished = sum(not row["complete"] for row in rows)
    if unfinished:
        text.append(
            f"{unfinished} of {len(rows)} rows ran out of time: of these, only the pairs counted above are settled."
        )
    for row in rows:
        if "worst" in row:
            shown = row["worst"]
            text.append(
                f"{row['name']}\n  input      {shown['input']}\n  neighbour  {shown['neighbour']}"
                f"\n  output     {shown['output']}"
            )
    return "\n\n".join(text)


def shown(epsilon: float, *, up: bool = True) -> str:
    """Six decimals, rounded up; a bound from below is rounded down.

    >>> shown(0.9452907), shown(1.0), shown(0.9452907, up=False)
    ('0.945291', '1.000000', '0.945290')
    """
    millionths = Fraction(str(epsilon)) * 10**6
    return f"{(math.ceil(millionths) if up else math.floor(millionths)) / 10**6:.6f}"


def row_cells(row: Mapping[str, Any]) -> list[str]:
    """One row as people read it."""
    exact = "–" if not row["pairs"] else "infinite"
    if row["exact"] is not None:
        exact = shown(row["exact"]) if row["complete"] else f"at least {shown(row['exact'], up=False)}"
    pairs = f"{row['pairs']:,}"
    return [
        row["name"] if row["holds"] else f"{row['name']}: BROKEN",
        shown(row["certificate"]),
        exact,
        "–" if row["ratio"] is None else f"{row['ratio']:.3f}",
        pairs if row["complete"] else f"{pairs} of {row['total_pairs']:,}",
        "yes" if row["complete"] else "no",
        f"{row['seconds']:.2f}",
    ]


def _refuse_broken(rows: list[dict[str, Any]]) -> None:
    broken = [row["name"] for row in rows if not row["holds"]]
    if broken:
        verb = "claims is" if len(broken) == 1 else "claims are"
        raise NotCertified(f"{len(broken)} of {len(rows)} {verb} broken: {', '.join(broken)}.")
