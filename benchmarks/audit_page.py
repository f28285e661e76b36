"""The audit of ourselves as a page: `python -m benchmarks.audit_page [--anew | --render-only]`.

Reads docs/audit.json as `privpac audit exact --out` wrote it, adds what catches every planted fault of
tests/exact/mutants/, and writes docs/audit.md from it. `--anew` runs the
audit first, for twenty minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from privpac.cli.audit_rows import rounded_text

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "docs" / "audit.json"
PAGE = ROOT / "docs" / "audit.md"

INTRODUCTION = """# The audit of ourselves

Every construction of privpac is run on every input of a tiny domain, with coins that take each branch in turn. That
gives the exact probability of every output of the very code that ships. The *exact worst case* below is the largest
privacy loss over all pairs of neighbouring inputs and all outputs, a number without statistics; it must not exceed the
*certificate*. *Tightness* is their quotient: 1 means that no smaller certificate would be true on this domain. An
exception is an output like any other, and each construction is run at its limits too: with one record more, on inputs
whose records are all equal, all of one class, or as different as possible.

A tiny domain is no proof for large ones; the [proofs](proofs/README.md) are. The audit shows that the code does what
they speak of. `python -m benchmarks.audit_page --anew` makes this page anew, `make test` runs the small sizes each
time, and `privpac audit exact` prints the table for the version you have.
"""

FAULTS = """## Planted faults

Faults somebody could have made, each claimed to be as private as its author believed. All are caught by the exact
audit; the suite fails if one survives (`tests/exact/mutants/`).
"""

OTHERS = """Others are caught elsewhere (`tests/exact/test_mutants.py`): a ratio rounded the wrong way by the rule that
declares epsilon, a kernel whose doubles leave their proven error bound by the comparison with exact fractions at every
draw, and what happens too rarely for a tiny domain, such as a tie of 64 digits or a part whose weight floats drop, by a
test of its own (`tests/exact/mutants/kernels.py`).
"""

YOURS = """## Your own code, and anybody's

Code that draws through `Coins` can be audited exactly: say which records are possible, how many there are, what to run
and what is claimed. On the command line, `privpac audit exact MODULE:CASE` does the same.

```python
from fractions import Fraction
from privpac.audit.exact import Case, audit
from privpac.guarantee.facts import Loss, Privacy

def respond(records, coins):
    bit = records[0][0]
    return bit if coins.flip(Fraction(4, 5)) else 1 - bit

claim = Privacy(Loss(factor=Fraction(3)))  # e^epsilon = 3
finding = audit(Case("response", respond, ((0,), (1,)), 1, claim))
print(finding.exact, finding.holds)  # 4 False
```

Anything else can be run many times: `privpac audit sample MODULE:FUNCTION --epsilon 1` for a function of a dataset and
a seed. It looks for a pair of neighbouring inputs and an event with one half of the runs, tests that one event with the
other half, and gives a lower bound on epsilon that is wrong with probability at most 1/1000. Two controls of known
epsilon run with it. A claim that is not refuted is not proved.

```python
import numpy as np
from privpac.audit.sample import audit_samples, candidate_pairs

def half_the_noise(bits, seed):
    return sum(bits) + np.random.default_rng(seed).laplace(scale=0.5)

found = audit_samples(half_the_noise, candidate_pairs((0, 1)), epsilon=1, runs=10_000, seed=1)
print(found.verdict)  # broken
```

Estimators of other libraries become such functions with `privpac.audit.estimators.fitted`. For a learner too slow to
repeat, `privpac audit one-run MODULE:TRAIN --epsilon 1` (in Python: `privpac.audit.one_run.audit_one_run`) bounds
epsilon from a single training with many canaries (Steinke, Nasr, Jagielski 2023, Theorem 5.2); its help says what the
module must hold. No output quotes a record of an input unless `--show-data` is given.
"""


def mutants() -> list[dict[str, Any]]:
    """Audit every planted fault until it is caught."""
    from tests.exact.mutants import MUTANTS

    from privpac.audit.exact import audit

    rows = []
    for name, make in MUTANTS.items():
        finding = audit(make(), stop_when_broken=True)
        rows.append(
            {
                "name": name,
                "fault": " ".join((make.__doc__ or "").split()),
                "claimed": str(finding.claim.epsilon),
                "found": finding.epsilon,
                "pairs": finding.compared,
                "caught": finding.holds is False,
            }
        )
    return rows


def page(document: Mapping[str, Any]) -> str:
    """The page as text."""
    total = sum(row["pairs"] for row in document["rows"])
    seconds = sum(row["seconds"] for row in document["rows"])
    made = f"Made on {document['date']} with version {document['version']}: {total:,} pairs in {seconds:,.0f} seconds."
    rows = [
        (row["construction"], number(row["certificate"]), exact(row), tightness(row), pairs(row))
        for row in document["rows"]
    ]
    faults = [
        (
            row["fault"],
            row["claimed"],
            row["found"],
            f"{row['pairs']:,}",
            "exact audit" if row["caught"] else "NOTHING",
        )
        for row in document["mutants"]
    ]
    heads = ("construction", "certificate", "exact worst case", "tightness", "pairs")
    text = "\n".join(
        [
            INTRODUCTION,
            made,
            "",
            *table(heads, rows),
            "",
            "Where two numbers of pairs are given, time ran out: the worst case is over the first of them.",
            "",
            FAULTS,
            *table(("fault", "claimed epsilon", "found", "pairs until then", "caught by"), faults),
            "",
            OTHERS,
            YOURS,
        ]
    )
    return text.rstrip("\n") + "\n"


def table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    numbers = "".join("---|" if i == 0 else "---:|" for i in range(len(heads)))
    return [line(heads), f"|{numbers}", *(line(row) for row in rows)]


def line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def number(value: float, *, up: bool = True) -> str:
    return rounded_text(value, up=up).rstrip("0").rstrip(".")


def exact(row: Mapping[str, Any]) -> str:
    if row["exact"] is None:
        return "infinite" if row["pairs"] else "–"
    return number(row["exact"]) if row["complete"] else f"at least {number(row['exact'], up=False)}"


def tightness(row: Mapping[str, Any]) -> str:
    return "–" if row["ratio"] is None else f"{row['ratio']:.3f}"


def pairs(row: Mapping[str, Any]) -> str:
    return f"{row['pairs']:,}" if row["complete"] else f"{row['pairs']:,} of {row['total_pairs']:,}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--render-only", action="store_true", help="write the page from the JSON as it is")
    parser.add_argument("--anew", action="store_true", help="run the audit first")
    options = parser.parse_args()
    if options.anew:
        asked = ("audit", "exact", "--large", "--budget-seconds", "1200", "--out", str(DATA))
        subprocess.run([sys.executable, "-m", "privpac", *asked], check=True)
    document = json.loads(DATA.read_text(encoding="utf-8"))
    if not options.render_only:
        document["date"] = datetime.now(UTC).date().isoformat()
        document["mutants"] = mutants()
        DATA.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(document), encoding="utf-8")


if __name__ == "__main__":
    main()
