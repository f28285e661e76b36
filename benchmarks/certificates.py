"""What `auto` certifies, by the number of records and epsilon, for five schemas.

`python -m benchmarks.certificates [--json benchmarks/results/certificates.json]`; `python -m docs.measured` writes the
table into docs/theory/trees.md. Nothing is drawn: certificates follow from public numbers, so a second run gives the
same rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.measuring import publish
from privpac import Schema, Size
from privpac.constructions.draw.default import ONE_QUESTION, THREE_QUESTIONS
from privpac.constructions.words import Request, learner_for
from privpac.guarantee.facts import Against
from privpac.request import LearnRequest

RECORDS = (50, 200, 1_000, 5_000, 20_000, 100_000, 1_000_000)
EPSILONS = ("0.1", "0.3", "1", "3")
RIVALS = {"one": ONE_QUESTION, "three": THREE_QUESTIONS}
SETTINGS = {"perfect": Against.REALIZABLE, "any": Against.AGNOSTIC}


def _numeric(columns: int, *, lower: int = 0, classes: int = 2) -> Schema:
    numeric = {"kind": "numeric", "lower": lower, "upper": 99, "integer": True}
    entries = [{"name": f"x{i}", **numeric} for i in range(columns)]
    return Schema.from_json({"label": "y", "classes": [str(k) for k in range(classes)], "columns": entries})


SCHEMAS = {
    "3 columns": _numeric(3),
    "6 columns": _numeric(6),
    "20 columns, one scale": _numeric(20, lower=1),
    "60 columns": _numeric(60),
    "6 columns, three classes": _numeric(6, classes=3),
}


def certified(columns: str, epsilon: str, n: int) -> dict[str, Any]:
    """Errors against rules of one and of three questions, without errors and for any records; None where none is."""
    request = Request(SCHEMAS[columns], Size(n), LearnRequest(epsilon=Fraction(epsilon)))
    facts = [proof.fact for proof in learner_for("auto", request).certify(Size(n)).accuracy]
    errors = {(fact.rivals, fact.against): float(fact.error) for fact in facts}
    row: dict[str, Any] = {"columns": columns, "epsilon": epsilon, "records": n}
    for questions, rivals in RIVALS.items():
        for setting, against in SETTINGS.items():
            error = errors.get((rivals, against))
            row[f"{questions}_{setting}"] = None if error is None else round(error, 6)
    return row


def table() -> Iterator[dict[str, Any]]:
    """A row for each schema, epsilon and number of records."""
    for columns in SCHEMAS:
        for epsilon in EPSILONS:
            for n in RECORDS:
                yield certified(columns, epsilon, n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    publish("certificates", list(table()), parser.parse_args().json)


if __name__ == "__main__":
    main()
