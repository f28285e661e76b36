"""Pages that make something of a table: every page, file, header and refusal on the way depends on the draw alone."""

from __future__ import annotations

import io
import json
import re
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from httpx import Response

from privpac.service.pages.budget.books import FileBooks
from privpac.service.pages.learn.orders import Order
from privpac.service.pages.place import Place
from privpac.service.pages.site import pages_app
from privpac.service.pages.visitors import TokenGate
from tests.interference.artefacts import text
from tests.interference.books import without_passing
from tests.interference.coins import steady
from tests.interference.comparing import Interference, Refused, Result, Run, compared
from tests.interference.tables import FEW, SCHEMA, Table, sized
from tests.interference.test_predictions import known_names

__all__ = ["known_names", "steady"]

pytestmark = pytest.mark.usefixtures("steady", "known_names")

ORIGIN = "http://127.0.0.1:4711"
TYPES = {"age": pa.int64(), "dose": pa.float64(), "key": pa.int64(), "flag": pa.bool_()}
UNLIKE = {"date", "set-cookie"}
NAMES = re.compile(r"\b[0-9a-f]{32}\b")
"""Drawers and bundles have names that are drawn anew every time."""
ELAPSED = re.compile(r"\d+ s</span>")
"""How long it took: nobody promises to hide that from whoever waits."""

FORM = {"label": SCHEMA.label, "classes": ", ".join(SCHEMA.classes), "charge": "ledger"}
CASES: dict[str, tuple[dict[str, str], tuple[str, ...], str]] = {
    "rule": (
        {"make": "rule", "concepts": "trees", "rest": "1", "epsilon": "0.01", "leaf_epsilon": "0.01"},
        ("model.json", "schema.json", "report.html", "card.svg"),
        "hypothesis",
    ),
    "table": (
        {"make": "table", "released": "flag", "epsilon": "1"},
        ("synthetic.csv", "table.json"),
        "table",
    ),
    "answers": ({"make": "answers", "base": "vote:bayes", "epsilon": "1"}, ("bundle.json",), ""),
}
"""What is asked for, the files that may be taken away, and the part of the first one that was drawn."""


def packed(table: Table) -> bytes:
    """A Parquet file with the same types whatever the values are."""
    arrays = {name: pa.array(values, type=TYPES.get(name, pa.string())) for name, values in table.items()}
    out = io.BytesIO()
    pq.write_table(pa.table(arrays), out)
    return out.getvalue()


class Visit:
    """One person who makes one thing, and everything she is sent."""

    def __init__(self, folder: Path) -> None:
        gate, self.books = TokenGate(), FileBooks(folder / "ledger.sqlite")
        self.books.make(epsilon="1000", delta="0")
        self.place, self.folder = Place(gate, self.books), str(folder)
        headers = {"origin": ORIGIN, "host": ORIGIN.partition("//")[2]}
        self.client = TestClient(
            pages_app(self.place), base_url=ORIGIN, headers=headers, follow_redirects=False
        )
        self.client.get("/", params={"token": str(gate.token)})
        self.seen: dict[str, bytes] = {}

    def note(self, name: str, reply: Response) -> Response:
        headers = {key: value for key, value in reply.headers.items() if key not in UNLIKE}
        words = without_passing(
            str(text([reply.status_code, headers, ELAPSED.sub("", reply.text)]), "utf-8"), self.books.ledger
        )
        self.seen[name] = NAMES.sub("NAME", words.replace(self.folder, "FOLDER")).encode()
        return reply

    def made(self, table: Table, form: dict[str, str]) -> str:
        """From the upload to the page of the result: its address."""
        files = {"file": ("table.parquet", packed(table)), "schema": ("s.json", json.dumps(SCHEMA.to_json()))}
        address = str(self.note("upload", self.client.post("/learn/table", files=files)).headers["location"])
        self.note("the form", self.client.get(address))
        self.note("price", self.client.post(f"{address}/price", data=form))
        wrong = {**form, "epsilon": "0", "attempted": "yes"}
        self.note("a wrong wish", self.client.post(f"{address}/price", data=wrong))
        self.note(
            "too dear", self.client.post(f"{address}/run", data={**form, "epsilon": "100000", "answers": "9"})
        )
        self.client.post(f"{address}/run", data=form)
        while "HX-Redirect" not in (reply := self.client.get(f"{address}/progress")).headers:
            assert 'role="alert"' not in reply.text, reply.text
            time.sleep(0.005)
        self.note("done", reply)
        self.note("the form afterwards", self.client.get(address))
        return str(reply.headers["HX-Redirect"])

    def taken(self, page: str, files: tuple[str, ...]) -> None:
        self.note("the result", self.client.get(page))
        for file in files:
            self.note(file, self.client.get(f"{page}/{file}"))
        certificate = f"/certificate/{page.rpartition('/')[2]}"
        self.note("certificate", self.client.get(certificate))
        self.note("certificate file", self.client.get(f"{certificate}/certificate.json"))
        self.note("checked", self.client.post(f"{certificate}/check"))
        self.note("budget", self.client.get("/budget"))


def visiting(folder: Path, case: str) -> Run:
    wishes, files, drawn = CASES[case]
    count = iter(range(10**6))

    def run(table: Table, seed: int) -> Result | Refused:
        own = folder / f"{next(count):06}"  # names of one length
        own.mkdir()
        visit = Visit(own)
        try:
            page = visit.made(table, {**FORM, **wishes, "random_state": str(seed)})
            visit.taken(page, files)
            tree = visit.client.get(f"{page}/{files[-1] if case == 'table' else files[0]}").json()
        finally:
            visit.place.close()
        outcome = json.dumps([tree[drawn], tree.get("leaf_counts")]) if drawn else ""
        return Result(outcome, lambda: visit.seen)

    return run


@pytest.mark.long_cases("answers")
@pytest.mark.parametrize("case", CASES)
def test_whatever_is_made_on_pages_depends_on_the_draw_alone(case: str, tmp_path: Path) -> None:
    assert isinstance(compared(visiting(tmp_path, case), sized(1), FEW), int)


def test_a_page_that_told_more_would_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a command on the page of what was made that follows from the records."""

    def telling(order: Order, ledger: str | None) -> str:
        ages = pq.read_table(order.table.path).column("age").to_pylist()
        return f"privpac learn {max(age or 0 for age in ages)}.parquet"

    monkeypatch.setattr(Order, "command", telling)
    with pytest.raises(Interference):
        compared(visiting(tmp_path, "rule"), sized(1), FEW[:1])
