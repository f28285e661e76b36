"""Pages over a temporary ledger and folder, and people who look at them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from privpac.service.pages.budget.books import FileBooks
from privpac.service.pages.place import Place
from privpac.service.pages.site import pages_app
from privpac.service.pages.visitors import KeyGate, TokenGate, Visitor

HOST = "127.0.0.1:4711"
ORIGIN = f"http://{HOST}"

SCHEMA = {
    "label": "ill",
    "classes": [0, 1],
    "columns": [
        {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
        {"name": "smoker", "kind": "boolean"},
    ],
}
CHANGES: dict[str, dict[str, object]] = {
    "0": {"lower": "0", "upper": "120"},
    "1": {"kind": "boolean"},
}
FIELDS = {  # the same schema as the form sends it
    "label": "ill",
    "classes": "0, 1",
    "origin": "declared",
    "changes": json.dumps(CHANGES),
    "concepts": "trees",
    "rest": "1",
    "epsilon": "0.5",
}


def changes(place: int, **fields: object) -> str:
    """The same columns, but for one of them."""
    key = str(place)
    return json.dumps({**CHANGES, key: {**CHANGES.get(key, {}), **fields}})


def table_text(records: int = 600) -> str:
    rows = [f"{i * 37 % 100},{i % 2},{int(i * 37 % 100 >= 50)}" for i in range(records)]
    return "\n".join(["age,smoker,ill", *rows]) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the server's own machine, with a table in it and one outside of it."""
    inside = tmp_path / "shared"
    inside.mkdir()
    (inside / "patients.csv").write_text(table_text(), encoding="utf-8")
    (inside / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    (tmp_path / "secret.csv").write_text(table_text(), encoding="utf-8")
    (inside / "link.csv").symlink_to(tmp_path / "secret.csv")
    return inside


@pytest.fixture
def place(tmp_path: Path, folder: Path) -> Iterator[Place]:
    made = Place(
        TokenGate(),
        FileBooks(tmp_path / "ledger.sqlite"),
        folder=folder,
        hosts=frozenset({HOST, "localhost:4711"}),
        most_upload=1 << 20,
    )
    yield made
    made.close()


@pytest.fixture
def stranger(place: Place) -> Iterator[TestClient]:
    """A browser without a cookie."""
    headers = {"origin": ORIGIN, "host": HOST}
    with TestClient(
        pages_app(place),
        base_url=ORIGIN,
        headers=headers,
        follow_redirects=False,
        raise_server_exceptions=False,
    ) as client:
        yield client


@pytest.fixture
def client(place: Place, stranger: TestClient) -> TestClient:
    """A browser that opened the printed link."""
    assert isinstance(place.gate, TokenGate)
    assert stranger.get(f"/?token={place.gate.token}").status_code == 200
    return stranger


KEYS = {"key-of-olga": Visitor("olga", "owner"), "key-of-ann": Visitor("ann", "analyst")}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TestClient]:
    """The pages of a service: behind keys, over a ledger."""
    by_name = {visitor.name: visitor for visitor in KEYS.values()}
    books = FileBooks(tmp_path / "service.sqlite")
    books.make(epsilon="1", delta="0")
    place = Place(KeyGate(KEYS.get, by_name.get), books)
    headers = {"origin": ORIGIN, "host": HOST}
    with TestClient(pages_app(place), base_url=ORIGIN, headers=headers, follow_redirects=False) as client:
        yield client
    place.close()
