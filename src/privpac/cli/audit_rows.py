"""Rows of an exact audit: as numbers for programs, as text for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privpac.cli import console

if TYPE_CHECKING:
    from privpac.audit.exact import Finding

__all__ = ["HEADINGS", "coverage", "rounded_text", "row_cells", "row_of", "rows_text"]

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


def rows_text(rows: list[dict[str, Any]]) -> str:
    """A table for people, what was covered, and the worst pairs if they are shown."""
    cells = [row_cells(row) for row in rows]
    text = [console.table_text(HEADINGS, cells, right=HEADINGS[1:])]
    text.append(coverage(rows))
    for row in rows:
        if "worst" in row:
            worst = row["worst"]
            text.append(
                f"{row['name']}\n  input      {worst['input']}\n  neighbour  {worst['neighbour']}"
                f"\n  output     {worst['output']}"
            )
    return "\n\n".join(text)


def coverage(rows: Sequence[Mapping[str, Any]]) -> str:
    """How much of what there is was settled, and which rows say nothing."""
    pairs, total = (sum(row[key] for row in rows) for key in ("pairs", "total_pairs"))
    edges, all_edges = (sum(row[key] for row in rows) for key in ("limit_pairs", "total_limit_pairs"))
    text = f"Settled: {pairs:,} of {total:,} pairs, and {edges:,} of {all_edges:,} at limits"
    text += f"; {sum(row['complete'] for row in rows)} of {len(rows)} rows completely."
    silent = [row["name"] for row in rows if row["holds"] is None]
    return f"{text} Nothing is known of {', '.join(silent)}." if silent else text


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
