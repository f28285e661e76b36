"""Rows of an exact audit: as numbers for programs, as text for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privpac.audit.exact import Finding

__all__ = ["HEADINGS", "line_of", "rounded_text", "row_cells", "row_of", "row_text", "summary"]

HEADINGS = ("name", "certificate", "exact", "ratio", "pairs", "complete", "seconds")


def row_of(name: str, finding: Finding, *, show_data: bool) -> dict[str, Any]:
    """Epsilons are rounded up to twelve decimals. Without a finished pair nothing is known of the true loss."""
    from privpac.guarantee.facts import Loss

    exact = None
    if finding.exact is not None and finding.compared:
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
        "limit_pairs": 0 if finding.limit is None else finding.limit.pairs,
        "total_limit_pairs": 0 if finding.limit is None else finding.limit.total,
        "complete": finding.settled,
        "seconds": round(finding.seconds, 3),
        "unit": finding.claim.unit.value,
        "claimed_delta": float(finding.claim.delta),
        "delta": float(finding.delta),
        "raised": sorted(finding.raised | (finding.limit.raised if finding.limit else frozenset())),
        "holds": finding.holds,
    }
    if show_data and finding.worst is not None:
        one, other, output = finding.worst
        row["worst"] = {"input": repr(one), "neighbour": repr(other), "output": repr(output)}
    return row


WIDTHS = (11, 17, 5, 7, 8, 7)
"""Characters of every column but the first, for what is seen in practice; a longer cell takes its room."""


def line_of(cells: Sequence[str], *, name_width: int) -> str:
    """The headings, or the cells of a row, as a line that stands below the others."""
    rest = (cell.rjust(width) for cell, width in zip(cells[1:], WIDTHS, strict=True))
    return "  ".join((cells[0].ljust(name_width), *rest))


def row_text(row: Mapping[str, Any], *, name_width: int) -> str:
    """A row for people, with the worst pair if that is shown."""
    text = line_of(row_cells(row), name_width=name_width)
    if "worst" in row:
        worst = row["worst"]
        text += f"\n  input      {worst['input']}\n  neighbour  {worst['neighbour']}\n  output     {worst['output']}"
    return text


def summary(rows: Sequence[Mapping[str, Any]], *, budget_seconds: float) -> str:
    """How much was settled, what came of it, and what was left, in one sentence."""
    settled = sum(row["complete"] for row in rows)
    pairs, edges = (sum(row[key] for row in rows) for key in ("pairs", "limit_pairs"))
    broken = sum(row["holds"] is False for row in rows)
    silent = [row["name"] for row in rows if row["complete"] and row["holds"] is None]
    verdict = (
        f"{broken} {'claim is' if broken == 1 else 'claims are'} broken" if broken else "no claim is broken"
    )
    text = f"{settled} of {len(rows)} {'row is' if len(rows) == 1 else 'rows are'} settled"
    text += f" ({pairs:,} pairs of neighbours and {edges:,} at limits were looked at), and {verdict}"
    if settled < len(rows):
        text += (
            f"; the others need more than the {budget_seconds:g} seconds of processor time that were allowed"
            " (--budget-seconds)"
        )
    return text + (
        f"; nothing is known of {', '.join(silent)}, where no pair was compared." if silent else "."
    )


def rounded_text(epsilon: float, *, up: bool = True) -> str:
    """Six decimals, rounded up; a bound from below is rounded down.

    >>> rounded_text(0.9452907), rounded_text(1.0), rounded_text(0.9452907, up=False)
    ('0.945291', '1.000000', '0.945290')
    """
    millionths = Fraction(str(epsilon)) * 10**6
    return f"{(math.ceil(millionths) if up else math.floor(millionths)) / 10**6:.6f}"


def row_cells(row: Mapping[str, Any]) -> list[str]:
    """One row as people read it."""
    exact = "–" if not row["pairs"] else "infinite"
    if row["exact"] is not None:
        exact = (
            rounded_text(row["exact"])
            if row["complete"]
            else f"at least {rounded_text(row['exact'], up=False)}"
        )
    pairs = f"{row['pairs']:,}"
    return [
        f"{row['name']}: BROKEN" if row["holds"] is False else row["name"],
        rounded_text(row["certificate"]),
        exact,
        "–" if row["ratio"] is None else f"{row['ratio']:.3f}",
        pairs if row["complete"] else f"{pairs} of {row['total_pairs']:,}",
        "yes" if row["complete"] else "no",
        f"{row['seconds']:.2f}",
    ]
