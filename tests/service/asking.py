"""What tests of the service ask, and how."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient
from httpx import Response

from privpac import Ledger, Schema
from privpac.service.serving import Service

PRICE = "0.5"
AGES = [i % 100 for i in range(300)]
SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "classes": ["no", "yes"],
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
            {"name": "kind", "kind": "categorical", "categories": ["u", "v"]},
        ],
    }
)


def row(age: Any, kind: Any = "u") -> dict[str, Any]:
    return {"age": age, "kind": kind}


@dataclass
class Served:
    """A running service and two keys for it."""

    client: TestClient
    service: Service
    analyst: str
    owner: str
    ledger: Path

    def predict(self, *rows: dict[str, Any], key: str | None = None, again: str | None = None) -> Response:
        body: dict[str, Any] = {"rows": list(rows)}
        if again is not None:
            body["idempotency_key"] = again
        return self.client.post("/v1/predict", json=body, headers=self.bearer(key))

    def get(self, path: str, *, key: str | None = None) -> Response:
        return self.client.get(path, headers=self.bearer(key))

    def bearer(self, key: str | None = None) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.analyst if key is None else key}"}

    @property
    def book(self) -> Ledger:
        """The same budget, as a notebook sees it."""
        return Ledger.open(self.ledger)

    @property
    def spent(self) -> str:
        return str(self.book.spent)
