"""The Plan page: every class, every question, wrong numbers, curves, simulation."""

from __future__ import annotations

import html
import json
import re
import time

import pytest
from fastapi.testclient import TestClient

from privpac import plan
from privpac.constructions.words import WORDS
from privpac.service.pages.plan.form import (
    CLASSES,
    DEFAULTS,
    NOT_OFFERED,
    QUESTIONS,
    PlanForm,
    _as_its_form_says,
)

from .conftest import SCHEMA


def test_the_form_offers_every_class_that_can_be_learnt() -> None:
    classes = {word for word, entry in WORDS.items() if not (entry.way_of or entry.transforms)}
    assert set(CLASSES) == {*classes, "sphere"} - {*NOT_OFFERED}


@pytest.mark.parametrize("name", ["trees", "unions", "one-test", "thresholds"])
def test_a_class_without_words_of_its_own_has_the_fields_of_its_form(name: str) -> None:
    derived, worded = _as_its_form_says(name, WORDS[name].form), CLASSES[name]
    assert (set(derived.fields), derived.form) == (set(worded.fields), worded.form)
    assert derived.of_schema in (None, worded.form)


@pytest.mark.long_cases("sphere", "auto")
@pytest.mark.parametrize("concepts", CLASSES)
def test_every_class_answers(client: TestClient, concepts: str) -> None:
    found = client.get("/plan", params={"concepts": concepts, "bits": "8", "error": "0.2", "epsilon": "1"})
    assert found.status_code == 200
    assert "records suffice" in found.text
    assert "problem" not in re.findall(r'class="(\w+)"', found.text)


@pytest.mark.long_cases(
    "reachable",
)
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_page_says_what_the_planner_says(client: TestClient, question: str) -> None:
    asked = {"question": question, "concepts": "trees", "count": "2", "columns": "5", "records": "5000"}
    text = client.get("/plan/result", params=asked).text
    numbers = {
        "needed": {"error": "0.1", "epsilon": "1"},
        "reachable": {"records": 5000, "epsilon": "1"},
    }.get(question, {"records": 5000, "error": "0.1"})
    made = getattr(plan, question)("trees:2", columns=5, **numbers)
    shown = re.findall(r'<b class="proved">([^<]+)</b>', text)
    from privpac.planning.text import rows

    assert shown == [row[5].partition(" + ")[0] for row in rows(made)]
    assert all(html.escape(advice)[:30] in text.replace("&#39;", "&#x27;") for advice in made.advice[:1])


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_question_that_is_asked_is_the_one_that_is_chosen(client: TestClient, question: str) -> None:
    page = client.get("/plan", params={"question": question}).text
    assert re.findall(r'name="question" value="(\w+)" checked', page) == [question]


def test_what_pages_call_by_the_name_of_a_field_is_its_text() -> None:
    """Templates write `form.error` for a field, and find members of the class first."""
    form = PlanForm.of({})
    assert all(isinstance(getattr(form, name, ""), str) for name in DEFAULTS)


def test_records_at_hand_are_answered_with_yes_or_no(client: TestClient) -> None:
    asked = {"concepts": "thresholds", "bits": "32", "error": "0.1", "epsilon": "1"}
    assert "<p>No: 300 records prove" in client.get("/plan/result", params={**asked, "have": "300"}).text
    assert "<p>Yes: 6,000 records are" in client.get("/plan/result", params={**asked, "have": "6000"}).text


def test_the_command_is_the_same_question() -> None:
    form = PlanForm.of({"concepts": "unions", "count": "3", "bits": "12", "delta": "1e-6", "have": "100"})
    assert form.command() == (
        "privpac plan --concepts unions:3 --error 0.1 --epsilon 1 --records 100 --bits 12 --delta 1e-6"
    )


def test_the_command_of_the_page_runs(client: TestClient, capsys: pytest.CaptureFixture[str]) -> None:
    import shlex

    from privpac.cli.app import run

    text = client.get("/plan", params={"concepts": "thresholds", "bits": "8"}).text
    command = html.unescape(re.findall(r'<code id="command-plan">([^<]+)</code>', text)[0])
    assert run([*shlex.split(command)[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["question"]["concepts"] == "thresholds"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epsilon", "-1"),
        ("epsilon", "nan"),
        ("epsilon", ""),
        ("error", "0.7"),
        ("error", "<script>"),
        ("bits", "1e9"),
        ("delta", "2"),
        ("failure", "0"),
        ("unlabelled", "x"),
        ("protect", "nobody"),
    ],
)
def test_a_wrong_number_is_a_sentence_beside_the_form(client: TestClient, name: str, value: str) -> None:
    found = client.get(
        "/plan/result", params={"concepts": "thresholds", name: value}, headers={"hx-request": "true"}
    )
    assert found.status_code == 200
    assert 'role="alert"' in found.text
    assert "<script" not in found.text


@pytest.mark.parametrize(
    ("name", "value"), [("concepts", "x"), ("question", "why"), ("against", "y"), ("bits", "9" * 50)]
)
def test_what_the_form_cannot_send_is_refused(client: TestClient, name: str, value: str) -> None:
    found = client.get("/plan/result", params={name: value}, headers={"hx-request": "true"})
    assert found.status_code == 422
    assert "<html" not in found.text
    assert "<html" in client.get("/plan", params={name: value}).text


@pytest.mark.long
def test_curves_move_when_the_question_does(client: TestClient) -> None:
    def drawn(**asked: str) -> dict[str, object]:
        text = client.get("/plan/curves", params={"concepts": "thresholds", "bits": "16", **asked}).text
        values: dict[str, object] = json.loads(html.unescape(re.findall(r'data-values="([^"]+)"', text)[0]))
        return values

    first, second = drawn(error="0.1"), drawn(error="0.2")
    assert first["here"] != second["here"]
    assert {series["what"] for series in first["series"]} == {"proved", "floor"}  # type: ignore[attr-defined]
    assert drawn(against="bits")["x"] == "bits of the domain"
    assert drawn(have="300")["here"]["have"] == 300  # type: ignore[index]


def test_no_curve_where_nothing_is_promised(client: TestClient) -> None:
    asked = {"question": "reachable", "concepts": "trees", "records": "2", "epsilon": "0.01"}
    assert "Nothing can be promised" in client.get("/plan/result", params=asked).text
    assert "no curve" in client.get("/plan/curves", params=asked).text


def test_a_simulation_runs_in_the_background_and_stands_with_what_to_expect(client: TestClient) -> None:
    asked = {"question": "reachable", "concepts": "thresholds", "bits": "8", "records": "300", "epsilon": "1"}
    before = client.get("/plan/result", params=asked).text
    assert "Simulate</button>" in before
    assert 'id="simulated"' not in before
    without = {"concepts": "thresholds", "bits": "8", "error": "0.2", "epsilon": "1"}
    assert "Simulate</button>" not in client.get("/plan/result", params=without).text
    begun = client.post("/plan/simulate", data=asked)
    address = re.findall(r'hx-get="([^"]+)"', begun.text)[0]
    for _ in range(1200):
        found = client.get(address)
        if 'hx-trigger="every' not in found.text:
            break
        time.sleep(0.05)
    assert "labels of such a rule" in found.text.split('id="simulated"')[1]
    assert "Simulate</button>" not in found.text
    assert (found.headers["HX-Retarget"], found.headers["HX-Reswap"]) == ("#answer", "innerHTML")
    assert client.get(address).status_code == 422  # taken away


def test_a_simulation_of_nonsense_is_refused_at_once(client: TestClient) -> None:
    assert client.post("/plan/simulate", data={"epsilon": "-1"}).status_code == 422


def test_a_plan_follows_from_a_schema(client: TestClient) -> None:
    found = client.post("/plan/schema", data={"pasted": json.dumps(SCHEMA)})
    assert found.status_code == 303
    address = str(found.headers["location"])
    text = html.unescape(client.get(address).text)
    assert "2 columns, label ill" in text
    assert "--schema schema.json" in text
    assert 'name="bits"' not in text
    cut = html.unescape(client.get(f"{address}&concepts=thresholds&error=0.2").text)
    assert "privpac plan --concepts thresholds:age --error 0.2 --epsilon 1 --schema schema.json" in cut
    asked = plan.needed("thresholds:age", error="0.2", epsilon="1", schema=SCHEMA)
    assert f"{asked.best.records:,}" in cut  # type: ignore[union-attr]
    assert "data-values" in client.get(f"/plan/curves?{address.partition('?')[2]}&concepts=thresholds").text
    strange = client.get(f"{address}&concepts=sphere")  # no class of a table
    assert strange.status_code == 200


def test_a_wrong_schema_for_a_plan_is_told_where_it_was_pasted(client: TestClient) -> None:
    wrong = client.post("/plan/schema", data={"pasted": '{"label": "ill"'})
    assert wrong.status_code == 422
    assert "not valid JSON" in wrong.text
    assert client.post("/plan/schema").headers["location"] == "/plan"
    assert client.get(f"/plan?schema={'0' * 32}").status_code == 422
