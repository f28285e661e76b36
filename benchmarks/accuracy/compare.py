"""Two versions of the default: `python -m benchmarks.accuracy.compare before.jsonl after.jsonl [--json FILE]`.

Both files are rows of `run`, made in one sitting on the same splits: the earlier version by its own checkout, with
`PYTHONPATH=CHECKOUT/src:CHECKOUT python -m benchmarks.accuracy.run ...`. What is compared is the accuracy of
each training set and epsilon, by band of n·epsilon, the mean over cells, each a mean over its splits.

The standard error is that of the draws and splits on these tables: the spread of the difference between the splits of a
cell, pooled within the band. How tables differ from one another is no part of it.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, variance
from typing import Any

from benchmarks.accuracy.summarise import BAND_NAMES, BANDS
from privpac import __version__

ALLOWED = 0.001
"""How much accuracy a band may lose."""


@dataclass(frozen=True)
class Band:
    """One range of n·epsilon."""

    evidence: str
    cells: int
    before: float
    after: float
    difference: float
    standard_error: float
    seconds_before: float
    seconds_after: float
    """Mean processor seconds of one draw; the first at a training set counts as well."""
    kept: bool
    """Whether no more than ALLOWED is lost."""


Found = Mapping[tuple[str, int, float, int], Mapping[str, Any]]


def read(path: Path) -> Found:
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {(row["table"], row["n"], row["epsilon"], row["split"]): row for row in rows if row["epsilon"]}


def _accuracy(row: Mapping[str, Any]) -> float:
    return float(row["expected"]) if row["expected"] is not None else fmean(row["accuracy"])


def cells(before: Found, after: Found) -> Iterator[dict[str, Any]]:
    """One table, size and epsilon: accuracy before and after, and the difference on every split."""
    groups: dict[tuple[str, int, float], list[tuple[Mapping[str, Any], Mapping[str, Any]]]] = defaultdict(
        list
    )
    for key in sorted(before.keys() & after.keys()):
        groups[key[:3]].append((before[key], after[key]))
    for (table, n, epsilon), pairs in groups.items():
        old, new = ([_accuracy(pair[which]) for pair in pairs] for which in (0, 1))
        yield {
            "table": table,
            "n": n,
            "epsilon": epsilon,
            "before": round(fmean(old), 5),
            "after": round(fmean(new), 5),
            "differences": [round(b - a, 6) for a, b in zip(old, new, strict=True)],
            "seconds": [round(fmean(pair[which]["seconds"] for pair in pairs), 4) for which in (0, 1)],
        }


def bands(found: list[dict[str, Any]]) -> Iterator[Band]:
    for band, name in enumerate(BAND_NAMES):
        low = BANDS[band - 1] if band else 0.0
        here = [cell for cell in found if low < round(cell["n"] * cell["epsilon"], 6) <= BANDS[band]]
        if not here:
            continue
        means = [fmean(cell["differences"]) for cell in here]
        spread = [
            variance(cell["differences"]) / len(cell["differences"])
            for cell in here
            if len(cell["differences"]) > 1
        ]
        error = math.sqrt(fmean(spread) / len(here)) if spread else math.nan
        yield Band(
            evidence=name,
            cells=len(here),
            before=round(fmean(cell["before"] for cell in here), 4),
            after=round(fmean(cell["after"] for cell in here), 4),
            difference=round(fmean(means), 5),
            standard_error=round(error, 5),
            seconds_before=round(fmean(cell["seconds"][0] for cell in here), 4),
            seconds_after=round(fmean(cell["seconds"][1] for cell in here), 4),
            kept=fmean(means) >= -ALLOWED,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = list(cells(read(options.before), read(options.after)))
    print("| n·epsilon | cells | before | after | difference | standard error |")
    print("|---|---|---|---|---|---|")
    summary = list(bands(found))
    for b in summary:
        figures = f"{b.before:.4f} | {b.after:.4f} | {b.difference:+.4f} | {b.standard_error:.4f}"
        print(f"| {b.evidence} | {b.cells} | {figures} |{'' if b.kept else ' more lost than allowed'}")
    if options.json is not None:
        document = {
            "what": "accuracy of the default, the version before beside this one",
            "date": datetime.now(UTC).date().isoformat(),
            "version": __version__,
            "bands": [asdict(band) for band in summary],
            "cells": found,
        }
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
