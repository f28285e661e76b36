"""A service to try: simulated patients, a bundle that answers about them, a ledger and a key."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from privpac.answering.predictor import PrivatePredictor
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.service.access import keys
from privpac.service.serving import file_url
from privpac.service.store import migrating

__all__ = ["Demo", "make_demo"]

AGES = 101
PEOPLE = 40
"""Simulated patients of every age."""
ILL_FROM = 60
PRICE, TOTAL = "0.5", 20

SCHEMA: dict[str, Any] = {
    "label": "ill",
    "classes": ["no", "yes"],
    "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": AGES - 1, "integer": True}],
}


@dataclass(frozen=True)
class Demo:
    """What was made, and how to ask it."""

    bundle: Path
    ledger: str
    key: str
    question: dict[str, Any]

    def words(self, url: str) -> str:
        """What a person types next."""
        return (
            f"A service about simulated patients answers at {url}/v1/predict. Its total is epsilon {TOTAL}, and a new"
            f" answer costs {PRICE}.\nAsk it, from another terminal:\n\n"
            f"curl -s {url}/v1/predict -H 'Authorization: Bearer {self.key}' -H 'Content-Type: application/json' \\\n"
            f"  -d '{json.dumps(self.question)}'\n\n"
            "Ask again, and it costs nothing; ask about other ages until the budget is spent. Ctrl-C ends it, and"
            " nothing is kept."
        )


def make_demo(folder: Path) -> Demo:
    """Everything that `privpac serve` needs, in an empty folder."""
    ages = [age for age in range(AGES) for _ in range(PEOPLE)]
    labels = ["yes" if age >= ILL_FROM else "no" for age in ages]
    predictor = PrivatePredictor("predict-by-vote:thresholds:age", PRICE, TOTAL, schema=SCHEMA)
    bundle = folder / "bundle"
    predictor.fit({"age": ages}, y=labels).save(bundle)
    address = file_url(folder / "ledger.db")
    store = SqlStore.create(address, promises=Promises(Fraction(TOTAL)))
    migrating.prepare(store, upgrade=True)
    _, key = keys.create(store, role="owner", name="demo")
    return Demo(bundle, address, key, {"rows": [{"age": 71}]})
