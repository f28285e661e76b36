"""The Learn page: a table comes in, a rule goes out, and nothing else happens on the way."""

from __future__ import annotations

import html
import json
import os
import re
import stat
import sys
import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from privpac.data.schema import Schema
from privpac.service.pages.drawers import Drawer
from privpac.service.pages.learn.orders import Order
from privpac.service.pages.learn.schema_form import SchemaForm
from privpac.service.pages.learn.tables import Table
from privpac.service.pages.place import Place
from privpac.verification import verify

from .conftest import FIELDS, SCHEMA, changes, table_text


def upload(client: TestClient, name: str = "patients.csv", text: str | None = None, **more: object) -> str:
    found = client.post("/learn/table", files={"file": (name, text or table_text()), **more})
    assert found.status_code == 303, found.text
    return str(found.headers["location"])


def waited(client: TestClient, address: str) -> object:
    for _ in range(600):
        found = client.get(f"{address}/progress")
        if "HX-Redirect" in found.headers or 'role="alert"' in found.text:
            return found
        time.sleep(0.05)
    raise AssertionError("it takes too long")


def learnt(client: TestClient, address: str, **fields: str) -> str:
    begun = client.post(f"{address}/run", data={**FIELDS, **fields})
    assert begun.status_code == 200, begun.text
    return str(waited(client, address).headers["HX-Redirect"])  # type: ignore[attr-defined]


def test_from_a_table_to_a_rule(client: TestClient, place: Place, tmp_path: Path) -> None:
    place.books.make(epsilon="1", delta="0")
    address = upload(client)
    assert "600 records, 3 columns" in client.get(address).text
    price = client.post(f"{address}/price", data={**FIELDS, "charge": "ledger"}).text
    assert "0.5" in price
    assert "error above the best of the class" in price
    assert str(place.books.ledger.spent) == "epsilon 0"  # type: ignore[union-attr]
    rule = learnt(client, address, charge="ledger")
    text = client.get(rule).text
    assert "age" in text
    assert "<svg" in text
    model = client.get(f"{rule}/model.json")
    assert model.headers["content-disposition"] == 'attachment; filename="model.json"'
    (tmp_path / "model.json").write_bytes(model.content)
    assert verify(tmp_path / "model.json").epsilon == "0.5"
    assert client.get(f"{rule}/schema.json").json()["label"] == "ill"
    assert "<!doctype html>" in client.get(f"{rule}/report.html").text
    assert client.get(f"{rule}/state.json").status_code == 404
    assert str(place.books.ledger.spent) == "epsilon 0.5"  # type: ignore[union-attr]


def test_somebody_who_closed_the_page_finds_what_was_paid_for(client: TestClient, place: Place) -> None:
    place.books.make(epsilon="1", delta="0")
    address = upload(client)
    client.post(f"{address}/run", data={**FIELDS, "charge": "ledger"})
    assert "being learnt" in client.get("/learn").text or "a rule" in client.get("/learn").text
    rule = str(waited(client, address).headers["HX-Redirect"])  # type: ignore[attr-defined]
    assert client.get(address).headers["location"] == rule
    listed = client.get("/learn").text
    assert f'href="{rule}"' in listed
    assert "patients.csv: a rule" in listed
    assert "kept for a week" in listed
    assert "kept here for a week" in client.get(rule).text


def test_a_table_of_the_server_can_be_learnt_from_again(client: TestClient) -> None:
    begun = client.post("/learn/table", data={"path": "patients.csv"}, files={"nothing": ("", "")})
    address = str(begun.headers["location"])
    rule = learnt(client, address)
    text = client.get(address).text
    assert f'href="{rule}"' in text
    assert "To learn again is to release again" in text
    assert "kept for a week" not in client.get("/learn").text  # nobody was charged


def test_the_upload_is_private_and_removed_once_learnt(client: TestClient, place: Place) -> None:
    address = upload(client, name="../../etc/pass wd.csv")
    drawer = place.drawers.root / address.rpartition("/")[2]
    names = {path.name for path in drawer.iterdir()}
    assert names == {"state.json", "table.csv"}
    if sys.platform != "win32":
        assert stat.S_IMODE(os.stat(place.drawers.root).st_mode) == 0o700
        assert stat.S_IMODE(os.stat(drawer).st_mode) == 0o700
    assert "pass wd.csv" in client.get(address).text
    assert "etc" not in client.get(address).text
    rule = learnt(client, address)
    assert {path.name for path in drawer.iterdir()} == {"decision", "state.json"}
    assert waited(client, address).headers["HX-Redirect"] == rule  # type: ignore[attr-defined]  # whoever asks twice how far it is hears the same
    assert client.get(address).headers["location"] == rule
    Drawer(place.drawers.root / rule.rpartition("/")[2]).remove()
    gone = client.get(address)
    assert gone.status_code == 422
    assert "Bring it again" in gone.text


def test_an_upload_can_be_removed_at_once(client: TestClient, place: Place) -> None:
    address = upload(client)
    assert client.post(f"{address}/remove").status_code == 303
    assert list(place.drawers.root.iterdir()) == []


def test_the_command_line_learns_the_same(
    client: TestClient, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shlex

    from privpac.cli.app import run

    found = client.post("/learn/table", data={"path": "patients.csv"})
    rule = learnt(client, found.headers["location"], random_state="5", estimate_epsilon="0.25")
    text = html.unescape(client.get(rule).text)
    command = re.findall(r'<code id="command-same">([^<]+)</code>', text)[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.csv").write_text(table_text(), encoding="utf-8")
    (tmp_path / "schema.json").write_bytes(client.get(f"{rule}/schema.json").content)
    assert run(shlex.split(command)[1:]) == 0
    assert (
        json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
        == client.get(f"{rule}/model.json").json()
    )


def test_a_schema_file_fills_the_form(client: TestClient) -> None:
    address = upload(client, schema=("s.json", json.dumps(SCHEMA)))
    text = client.get(address).text
    assert "<option selected>ill</option>" in text
    assert "&#34;upper&#34;: &#34;120&#34;" in text


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"label": "ill"}', "/etc/passwd", "\xff"])
def test_a_wrong_schema_file_is_a_sentence(client: TestClient, place: Place, text: str) -> None:
    found = client.post(
        "/learn/table", files={"file": ("t.csv", table_text()), "schema": ("s.json", text.encode("latin-1"))}
    )
    assert found.status_code == 422
    assert list(place.drawers.root.iterdir()) == []


def test_nothing_is_read_for_the_schema_unless_asked_for_in_words(client: TestClient) -> None:
    address = upload(client)
    page = client.get(address).text
    assert (
        "99" not in page.partition("data-values")[2].partition("data-kinds")[0]
    )  # the largest age in the table
    blank = {**FIELDS, "changes": "{}"}
    assert (
        "Fill in 1 column<" in client.post(f"{address}/price", data=blank).text
    )  # truth values need no bounds
    asked = {**blank, "origin": "from_data"}
    assert "the certificate says so" in client.post(f"{address}/price", data=asked).text
    rule = learnt(client, address, origin="from_data", changes="{}")
    certificate = client.get(f"{rule}/model.json").json()["certificate"]
    assert any("read from the data" in text for text in certificate["assumptions"])


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("epsilon", "0", "epsilon"),
        ("epsilon", "x", "epsilon"),
        ("delta", "1", "delta"),
        ("failure", "0", "failure"),
        ("concepts", "magic", "concepts"),
        ("estimate_epsilon", "-1", "estimate"),
        ("holdout", "z", "holdout"),
        ("records_per_person", "0", "records_per_person"),
        ("random_state", "-1", "random_state"),
        ("protect", "nobody", "protect"),
        ("costs", "1,x", "costs"),
        ("costs", "1,2,3", "costs"),
        ("label", "", "label"),
        ("label", "nothing", "label"),
        ("classes", "1", "class"),
        ("changes", changes(0, lower="old"), "not a number"),
        ("changes", changes(0, upper="-5"), "upper"),
        ("changes", changes(0, kind="magic"), "kind"),
        ("changes", changes(0, upper=""), "needs an upper bound"),
        ("changes", "[]", "cannot be read"),
        ("changes", "{", "cannot be read"),
        ("make", "magic", "make"),
    ],
)
def test_a_wrong_wish_is_refused_and_costs_nothing(
    client: TestClient, place: Place, name: str, value: str, told: str
) -> None:
    place.books.make(epsilon="1", delta="0")
    address = upload(client)
    fields = {**FIELDS, "charge": "ledger", name: value}
    before = client.post(f"{address}/price", data=fields).text
    assert 'data-values="[]"' in before or told == "cannot be read"
    after = html.unescape(client.post(f"{address}/price", data={**fields, "attempted": "yes"}).text)
    assert told in after
    assert 'data-values="[]"' not in after
    begun = client.post(f"{address}/run", data=fields)
    assert begun.status_code == 422 or 'role="alert"' in begun.text
    assert str(place.books.ledger.spent) == "epsilon 0"  # type: ignore[union-attr]


def test_records_that_do_not_fit_are_refused_without_a_value(client: TestClient, place: Place) -> None:
    place.books.make(epsilon="1", delta="0")
    address = upload(client, text=table_text() + "4242424242,maybe,1\n")
    client.post(f"{address}/run", data={**FIELDS, "charge": "ledger"})
    found = waited(client, address)
    assert "smoker" in found.text  # type: ignore[attr-defined]
    assert "maybe" not in found.text  # type: ignore[attr-defined]
    assert str(place.books.ledger.spent) == "epsilon 0"  # type: ignore[union-attr]


def test_a_budget_runs_out(client: TestClient, place: Place) -> None:
    place.books.make(epsilon="0.8", delta="0")
    learnt(client, upload(client), charge="ledger")
    address = upload(client)
    assert "does not suffice" in client.post(f"{address}/price", data={**FIELDS, "charge": "ledger"}).text
    refused = client.post(f"{address}/run", data={**FIELDS, "charge": "ledger"})
    assert refused.status_code == 409
    assert "0.3 is left" in refused.text
    assert str(place.books.ledger.spent) == "epsilon 0.5"  # type: ignore[union-attr]
    assert client.get(address).status_code == 200  # the table is still there for a smaller wish


@pytest.mark.parametrize(
    "name",
    [
        "../secret.csv",
        "..\\secret.csv",
        "link.csv",
        "/etc/passwd",
        "/etc/hosts.csv",
        "nothing.csv",
        "schema.json",
        ".",
        "patients.csv/../../secret.csv",
        "patients.csv\x00.csv",
        "a" * 5000,
        "file:///etc/passwd",
        "*.csv",
    ],
)
def test_path_tricks_lead_nowhere(client: TestClient, place: Place, name: str) -> None:
    found = client.post("/learn/table", data={"path": name})
    assert found.status_code == 422
    assert list(place.drawers.root.iterdir()) == []


def test_only_tables_inside_the_folder_are_listed(client: TestClient) -> None:
    text = client.get("/learn").text
    assert "<option>patients.csv</option>" in text
    assert "link.csv" not in text
    assert "secret" not in text


@pytest.mark.parametrize("name", ["table.exe", "table", "table.json", ".", "x.csv.zip", "<img src=x>"])
def test_files_of_another_kind_are_refused(client: TestClient, place: Place, name: str) -> None:
    found = client.post("/learn/table", files={"file": (name, table_text())})
    assert found.status_code == 422
    assert "<img" not in found.text
    assert list(place.drawers.root.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"age,age\n1,2\n", b"age,ill\n", b"\x00\x01\x02" * 100])
def test_a_table_that_cannot_be_read_is_a_sentence_without_a_path(
    client: TestClient, place: Place, content: bytes
) -> None:
    found = client.post("/learn/table", files={"file": ("t.csv", content)})
    assert found.status_code == 422
    assert str(place.drawers.root) not in found.text
    assert list(place.drawers.root.iterdir()) == []


def test_parquet_that_is_none_is_a_sentence_without_a_path(client: TestClient, place: Place) -> None:
    found = client.post("/learn/table", files={"file": ("t.parquet", b"PAR1 or not")})
    assert found.status_code == 422
    assert str(place.drawers.root) not in found.text


@pytest.mark.parametrize("name", ["0" * 32, "x", "%2e%2e", "0" * 31 + "g"])
def test_a_drawer_nobody_opened_does_not_open(client: TestClient, name: str) -> None:
    assert client.get(f"/learn/{name}").status_code in (404, 422)
    for address in (f"/learn/{name}/progress", f"/learn/model/{name}"):
        assert client.get(address).status_code in (404, 422)


def test_a_drawer_is_its_owners_alone(service: TestClient) -> None:
    service.post("/sign-in", data={"key": "key-of-olga"})
    address = upload(service)
    place = service.app.state.place  # type: ignore[attr-defined]
    drawer = place.drawers.open(address.rpartition("/")[2], "olga")
    drawer.note(owner="somebody else")
    assert service.get(address).status_code == 422


def test_hostile_column_names_are_text(client: TestClient) -> None:
    address = upload(client, text='"<script>alert(1)</script>","a""b\'c",ill\n1,2,0\n3,4,1\n')
    text = client.get(address).text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_categories_dates_and_blanks_become_a_schema() -> None:
    draft = [
        {"name": "ward", "kind": "categorical"},
        {"name": "day", "kind": "date"},
        {"name": "ill", "kind": "boolean"},
    ]
    sent = {
        "0": {"categories": "A, B", "other": "elsewhere"},
        "1": {"lower": "2020-01-01", "upper": "2020-12-31", "missing": "2020-06-01"},
    }
    form = SchemaForm.drafted(draft).changed(
        {"label": "ill", "classes": "no\nyes", "base_rate": "0.1", "changes": json.dumps(sent)}
    )
    assert form.schema().to_json() == {
        "label": "ill",
        "classes": ["no", "yes"],
        "base_rate": [0.9, 0.1],
        "columns": [
            {"name": "ward", "kind": "categorical", "categories": ["A", "B"], "other": "elsewhere"},
            {
                "name": "day",
                "kind": "date",
                "lower": "2020-01-01",
                "upper": "2020-12-31",
                "missing": "2020-06-01",
            },
        ],
    }
    assert SchemaForm.drafted(draft, form.schema()).schema() == form.schema()


def test_a_scale_usual_values_and_whole_numbers_survive_the_form() -> None:
    columns = [
        {
            "name": "visits",
            "kind": "numeric",
            "lower": 0,
            "upper": 9,
            "integer": True,
            "scale": "mostly small",
        },
        {"name": "bmi", "kind": "numeric", "lower": 10, "upper": 60, "resolution": 101, "usual": [18, 40.5]},
    ]
    schema = Schema.from_json({"label": "ill", "columns": columns})
    draft = [{"name": name, "kind": "categorical"} for name in ("visits", "bmi", "ill")]
    assert SchemaForm.drafted(draft, schema).schema() == schema


def test_words_for_codes_survive_the_form() -> None:
    columns = [
        {"name": "sex", "kind": "categorical", "categories": ["1", "2"], "meanings": {"1": "male, or = so"}},
        {"name": "smokes", "kind": "boolean", "meanings": {"false": "never", "true": "daily"}},
    ]
    words = {"label_title": "Heart disease", "meanings": {"0": "healthy", "1": "ill"}}
    schema = Schema.from_json({"label": "chd", **words, "columns": columns})
    draft = [{"name": name, "kind": "categorical"} for name in ("sex", "smokes", "chd")]
    form = SchemaForm.drafted(draft, schema)
    assert form.schema().stored() == schema.stored()
    wrong = form.changed({"meanings": "2 = ill"}).problems()
    assert [(problem.field, problem.text) for problem in wrong] == [
        ("meanings", "Label 'chd': meanings has '2', which is none of the values.")
    ]


def test_a_column_can_be_left_out(client: TestClient) -> None:
    address = upload(client)
    fields = {**FIELDS, "changes": changes(1, used=False)}
    assert '"smoker"' not in html.unescape(client.post(f"{address}/price", data=fields).text)


def test_an_order_is_the_command_it_prints(client: TestClient, place: Place) -> None:
    address = upload(client)
    table = Table(place.drawers.open(address.rpartition("/")[2], "you"))
    order = Order.of(table, {**FIELDS, "charge": "ledger", "leaf_epsilon": "0.1", "protect": "labels"})
    assert order.command("my ledger.sqlite") == (
        "privpac learn patients.csv --schema schema.json --epsilon 0.5 --concepts trees:1 --protect labels"
        " --leaf-epsilon 0.1 --out model.json --report report.html --ledger 'my ledger.sqlite'"
    )


def test_what_ranks_is_ordered_and_shown_with_its_figures(client: TestClient, place: Place) -> None:
    address = upload(client)
    table = Table(place.drawers.open(address.rpartition("/")[2], "you"))
    order = Order.of(table, {**FIELDS, "concepts": "trees", "aim": "rank"})
    assert "--aim rank" in order.command(None)
    likely = Order.of(table, {**FIELDS, "concepts": "trees", "probabilities": "yes"})
    assert "--probabilities" in likely.command(None)
    page = html.unescape(client.get(learnt(client, address, concepts="auto", aim="rank", epsilon="5")).text)
    assert "How well it ranks" in page
    assert "Area under the curve" in page


def test_a_failure_is_ordered_as_on_the_command_line(client: TestClient, place: Place) -> None:
    address = upload(client)
    table = Table(place.drawers.open(address.rpartition("/")[2], "you"))
    assert "--failure 0.01 " in Order.of(table, {**FIELDS, "failure": "0.01"}).command(None)
    assert "--failure" not in Order.of(table, FIELDS).command(None)
    rule = learnt(client, address, concepts="stumps", failure="0.01")
    assert client.get(f"{rule}/model.json").json()["certificate"]["request"]["failure"] == "0.01"


def test_prices_of_mistakes_are_ordered_as_on_the_command_line(client: TestClient, place: Place) -> None:
    address = upload(client)
    table = Table(place.drawers.open(address.rpartition("/")[2], "you"))
    assert "--costs 1,5 " in Order.of(table, {**FIELDS, "costs": "1, 5"}).command(None)
    assert "--costs balanced " in Order.of(table, {**FIELDS, "costs": "balanced"}).command(None)
    rule = learnt(client, address, costs="1, 5")
    assert "Price of misjudging a record of each class: 0: 1, 1: 5" in client.get(rule).text
    assert client.get(f"{rule}/model.json").json()["certificate"]["request"]["costs"] == [1, 5]


def test_a_rule_without_a_proved_accuracy_says_so_in_words(client: TestClient) -> None:
    """The name of the sentence must not be one of the template's own words, which would print as None."""
    text = client.post(f"{upload(client)}/price", data={**FIELDS, "concepts": "card", "word": "card"}).text
    proved = html.unescape(text.partition("What is proved")[2].partition("<details")[0])
    assert "For cards no bound on errors is proved, whatever the number of records" in proved
    assert "None" not in text


def test_what_to_expect_stands_beside_the_price_and_a_useless_rule_is_learnt_only_if_asked_for(
    client: TestClient, place: Place
) -> None:
    address = upload(client)
    wishes = {**FIELDS, "concepts": "auto", "base_rate": "0.08", "attainable": "0.65"}
    text = html.unescape(client.post(f"{address}/price", data=wishes).text)
    assert "What to expect" in text
    assert "it will most likely be no better" in text
    assert 'name="anyway"' in text
    client.post(f"{address}/run", data=wishes)
    refused = html.unescape(waited(client, address).text)  # type: ignore[attr-defined]
    assert "no better than always saying" in refused
    assert "Learn it all the same" in client.post(f"{address}/price", data={**wishes, "anyway": "yes"}).text
    finding = {**wishes, "aim": "find"}
    text = html.unescape(client.post(f"{address}/price", data=finding).text)
    assert "finds about" in text
    assert 'name="anyway"' not in text
    assert "--costs balanced" in text
    page = client.get(address).text
    assert 'name="base_rate"' in page[: page.index("<summary>More</summary>")]
