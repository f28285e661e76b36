"""What is made on the Learn page besides rules, the sample to try it with, and withdrawing before it is paid for."""

from __future__ import annotations

import html
import io
import json
import shlex
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from privpac.answering.bundle.bundle import load as load_bundle
from privpac.cli.app import run as run_command
from privpac.constructions.release.table import load_table
from privpac.guarantee.ledger.ledger import Ledger
from privpac.service.pages.jobs import Cancelled, Withdrawal
from privpac.service.pages.learn import making
from privpac.service.pages.place import Place
from privpac.verification import verify

from .conftest import FIELDS, SCHEMA, table_text
from .test_learning import learnt, upload, waited

ANSWERS = {"make": "answers", "base": "vote:tree", "epsilon": "0.5"}
TABLE = {"make": "table", "released": "age", "epsilon": "0.5"}


def spent(place: Place) -> str:
    assert place.books.ledger is not None
    return str(place.books.ledger.spent)


def test_a_released_table_is_made_and_verified(client: TestClient, place: Place, tmp_path: Path) -> None:
    place.books.make(epsilon="1", delta="0")
    address = upload(client)
    price = client.post(f"{address}/price", data={**FIELDS, **TABLE, "charge": "ledger"}).text
    assert "epsilon 0.5" in html.unescape(price)  # left afterwards
    page = learnt(client, address, **TABLE, charge="ledger")
    text = client.get(page).text
    assert "synthetic records of age</h1>" in text
    assert "All thresholds are answered within" in text
    assert "charges again" in text
    assert spent(place) == "epsilon 0.5"
    (tmp_path / "table.json").write_bytes(client.get(f"{page}/table.json").content)
    assert verify(tmp_path / "table.json").epsilon == "0.5"
    rows = client.get(f"{page}/synthetic.csv").text.splitlines()
    assert rows[0] == "age"
    assert len(rows) == 1 + len(load_table(tmp_path / "table.json").records()["age"])
    assert client.get(f"/certificate/{page.rpartition('/')[2]}").status_code == 200


def test_a_bundle_is_made_and_answers(client: TestClient, place: Place, tmp_path: Path) -> None:
    place.books.make(epsilon="1", delta="0")
    page = learnt(client, upload(client), **ANSWERS, charge="ledger")
    text = client.get(page).text
    assert "Answers at epsilon 0.5 each" in text
    assert "at every answer" in text
    assert spent(place) == "epsilon 0"  # nothing leaves until somebody asks
    packed = client.get(f"{page}/bundle.zip")
    zipfile.ZipFile(io.BytesIO(packed.content)).extractall(tmp_path)
    bundle = load_bundle(tmp_path / "bundle")
    ledger = Ledger(epsilon=1, path=tmp_path / "answers.sqlite")
    answers = bundle.predictor(ledger).predict({"age": [10, 90], "smoker": [0, 1]})
    assert len(answers) == 2
    assert str(ledger.spent) == "epsilon 1"
    public = client.get(f"{page}/bundle.json").json()
    assert public["certificate"]["epsilon"] == "0.5"
    assert client.get(f"{page}/secret.json").status_code == 404


def test_declared_answers_are_charged_when_the_bundle_is_made(client: TestClient, place: Place) -> None:
    place.books.make(epsilon="2", delta="0")
    fields = {**ANSWERS, "answers": "3", "epsilon": "0.25"}
    address = upload(client)
    page = learnt(client, address, **fields, charge="ledger")
    assert "3 answers, paid for" in client.get(page).text
    assert spent(place) == "epsilon 0.75"
    refused = client.post(
        f"{upload(client)}/run", data={**FIELDS, **fields, "answers": "6", "charge": "ledger"}
    )
    assert refused.status_code == 409
    assert spent(place) == "epsilon 0.75"


@pytest.mark.parametrize("fields", [ANSWERS, TABLE])
def test_the_command_line_makes_the_same(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, str]
) -> None:
    address = upload(client)
    page = learnt(client, address, **fields, random_state="5")
    command = html.unescape(client.get(page).text).partition('id="command-same">')[2].partition("<")[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.csv").write_text(table_text(), encoding="utf-8")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    assert run_command(shlex.split(command)[1:]) == 0
    if fields["make"] == "table":
        assert (tmp_path / "synthetic.csv").read_bytes() == client.get(f"{page}/synthetic.csv").content
    else:
        made = json.loads((tmp_path / "bundle" / "bundle.json").read_text(encoding="utf-8"))
        assert made["certificate"] == client.get(f"{page}/bundle.json").json()["certificate"]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({**ANSWERS, "base": "vote:magic"}, "base"),
        ({**ANSWERS, "answers": "x"}, "answers"),
        ({**ANSWERS, "answers_delta": "0.1"}, "delta"),
        ({**ANSWERS, "models": "0"}, "models"),
        ({**TABLE, "released": "nothing"}, "nothing"),
        ({**TABLE, "method": "magic"}, "method"),
        ({**TABLE, "error": "0.000001", "method": "tree"}, "records"),
    ],
)
def test_a_wish_that_cannot_be_made_is_refused_and_costs_nothing(
    client: TestClient, place: Place, fields: dict[str, str], told: str
) -> None:
    place.books.make(epsilon="9", delta="0")
    address = upload(client)
    data = {**FIELDS, **fields, "charge": "ledger"}
    assert told in html.unescape(client.post(f"{address}/price", data={**data, "attempted": "yes"}).text)
    assert client.post(f"{address}/run", data=data).status_code == 422
    assert spent(place) == "epsilon 0"


def test_the_sample_table_can_be_learnt_from_at_once(client: TestClient, place: Place) -> None:
    place.books.make(epsilon="1", delta="0")
    address = client.post("/learn/sample").headers["location"]
    page = client.get(address).text
    assert "4,000 records, 6 columns" in page
    assert 'value="none" checked' in page  # nobody is protected, and nobody pays
    wishes = {"label": "readmitted", "classes": "no, yes", "concepts": "trees", "rest": "2", "epsilon": "1"}
    client.post(f"{address}/run", data={**wishes, "charge": "none", "estimate_epsilon": "1"})
    rule = waited(client, address).headers["HX-Redirect"]  # type: ignore[attr-defined]
    assert "A decision tree of" in client.get(rule).text
    assert spent(place) == "epsilon 0"


def test_a_pasted_schema_fills_the_form_and_a_wrong_one_is_told_there(client: TestClient) -> None:
    address = upload(client)
    wrong = client.post(f"{address}/schema", data={"pasted": '{"label": "ill", "columns": ['})
    assert wrong.status_code == 422
    assert "not valid JSON" in wrong.text
    assert (
        "{&#34;label&#34;: &#34;ill&#34;, &#34;columns&#34;: [" in wrong.text
    )  # what was pasted is still there
    assert client.post(f"{address}/schema", data={"pasted": json.dumps(SCHEMA)}).status_code == 303
    text = client.get(address).text
    assert "<option selected>ill</option>" in text
    assert "&#34;upper&#34;: &#34;120&#34;" in text


def test_the_page_of_a_rule_leads_with_how_good_it_is(client: TestClient) -> None:
    text = html.unescape(client.get(learnt(client, upload(client), estimate_epsilon="1")).text)
    assert text.index("Is it of use?") < text.index("The rule</h2>")
    assert "always saying" in text
    assert "Proved before any record was seen" in text
    assert "Certified <b>(1.5, 0)-DP</b>" in text
    assert "steps derived again" in text
    plain = html.unescape(client.get(learnt(client, upload(client))).text)
    assert "Unclear, not measured: no private counts were bought" in plain or "It always says" in plain


def test_a_card_has_its_picture_and_its_table_of_risks(client: TestClient) -> None:
    page = learnt(client, upload(client), concepts="card", epsilon="5")
    text = client.get(page).text
    assert "To hang on a wall" in text
    assert "What a sum of points means" in text
    wall = client.get(f"{page}/card.svg")
    assert wall.headers["content-type"].startswith("image/svg+xml")
    assert wall.text.lstrip().startswith(("<svg", "<?xml"))
    tree = learnt(client, upload(client))
    assert client.get(f"{tree}/card.svg").status_code == 404


class Held:
    """Learning that waits, before it reads the records or after they are paid for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, paid: bool) -> None:
        self.reached, self.go = threading.Event(), threading.Event()
        learn_as = making.learn_as

        def waiting(*args: Any, **more: Any) -> object:
            if not paid:
                self._wait()
                return learn_as(*args, **more)
            model = learn_as(*args, **more)
            self._wait()
            return model

        monkeypatch.setattr(making, "learn_as", waiting)

    def _wait(self) -> None:
        self.reached.set()
        assert self.go.wait(timeout=30)


def cancelled(client: TestClient, address: str) -> str:
    for _ in range(600):
        text = client.get(f"{address}/progress").text
        if "Cancelled." in text:
            return text
        time.sleep(0.02)
    raise AssertionError("it was not cancelled")


def test_who_withdraws_before_the_charge_pays_nothing(
    client: TestClient, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.books.make(epsilon="1", delta="0")
    held, address = Held(monkeypatch, paid=False), upload(client)
    client.post(f"{address}/run", data={**FIELDS, "charge": "ledger"})
    assert held.reached.wait(timeout=30)
    assert "Cancel</button>" in client.get(f"{address}/progress").text
    assert "Stopping" in client.post(f"{address}/cancel").text
    held.go.set()
    assert "Nothing was charged" in cancelled(client, address)
    assert spent(place) == "epsilon 0"
    assert [drawer.name for drawer in place.drawers.root.iterdir()] == [address.rpartition("/")[2]]
    learnt(client, address, charge="ledger")  # the table is still there, and a second attempt is a new one
    assert spent(place) == "epsilon 0.5"


def test_what_is_charged_is_delivered(
    client: TestClient, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.books.make(epsilon="1", delta="0")
    held, address = Held(monkeypatch, paid=True), upload(client)
    client.post(f"{address}/run", data={**FIELDS, "charge": "ledger"})
    assert held.reached.wait(timeout=60)
    assert spent(place) == "epsilon 0.5"
    late = client.post(f"{address}/cancel").text
    assert "will be delivered" in late
    assert "Cancel</button>" not in late
    held.go.set()
    rule = waited(client, address).headers["HX-Redirect"]  # type: ignore[attr-defined]
    assert client.get(f"{rule}/model.json").status_code == 200


def test_what_waits_in_the_queue_can_be_withdrawn(
    client: TestClient, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.books.make(epsilon="1", delta="0")
    held, first, second = Held(monkeypatch, paid=False), upload(client), upload(client)
    client.post(f"{first}/run", data={**FIELDS, "charge": "ledger"})
    assert held.reached.wait(timeout=30)
    client.post(f"{second}/run", data={**FIELDS, "charge": "ledger"})
    client.post(f"{second}/cancel")
    held.go.set()
    cancelled(client, second)
    waited(client, first)
    assert spent(place) == "epsilon 0.5"


def test_of_a_charge_and_a_withdrawal_one_comes_first(place: Place) -> None:
    """Whichever it is, both sides know which; many threads at once, as many workers would be."""
    for _ in range(20):
        withdrawal = Withdrawal(place.drawers.new("you"))
        start, outcomes = threading.Barrier(6), []

        def decide(pay: bool, own: Withdrawal = withdrawal, at: threading.Barrier = start) -> None:
            at.wait()
            try:
                outcomes.append(("paid", own.pay()) if pay else ("withdrawn", own.cancel()))  # noqa: B023
            except Cancelled:
                outcomes.append(("stopped", None))  # noqa: B023

        threads = [threading.Thread(target=decide, args=(n % 2 == 0,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        allowed = (
            {("paid", None), ("withdrawn", False)}
            if withdrawal.decision == "paid"
            else {("stopped", None), ("withdrawn", True)}
        )
        assert set(outcomes) <= allowed


def test_a_fault_is_told_without_its_kind(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("age 47")

    monkeypatch.setattr(making, "learn_as", broken)
    address = upload(client)
    client.post(f"{address}/run", data=FIELDS)
    text = waited(client, address).text  # type: ignore[attr-defined]
    assert "nobody foresaw" in text
    assert "ZeroDivision" not in text
    assert "47" not in text
