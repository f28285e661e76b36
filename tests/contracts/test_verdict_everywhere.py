"""Every released rule says whether it is of use, through every door and in every format, in the same words.

Over all kinds of rules that there are documents of. Tables and bundles say what they promise instead.
"""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac import Model, PrivateClassifier, Schema, learn, load
from privpac.asking import Asking
from privpac.cli import main
from privpac.constructions.estimates.verdict import Useful
from privpac.report.page import report_html
from privpac.report.statement import statement_of
from privpac.report.summary import OF_USE, summary_json, summary_sections

MODELS = sorted((Path(__file__).resolve().parents[1] / "golden").glob("*/models/*.json"))


def statement(model: Model) -> dict[str, str]:
    """The rows of the annex; of coins that are known there is none, so they are called others."""
    return dict(
        statement_of({**model.to_json(), "certificate": {**model.certificate, "coins": "system"}}).rows
    )


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_every_kind_of_rule_says_it_everywhere(path: Path) -> None:
    model = load(path)
    verdict = model.verdict
    assert verdict.useful in Useful
    assert verdict.lines
    sections = [summary_sections(model, full=full) for full in (False, True)]
    for shown in sections:
        assert [title for title, _ in shown][:2] == ["Rule", OF_USE], "the first line under the rule"
        assert dict(shown)[OF_USE] == str(verdict)
    page = unescape(report_html(model))
    for line in verdict.lines:
        assert line in str(model)
        assert line in unescape(model._repr_html_())
        assert line in model.explain()
        assert line in page
        assert line in statement(model)[OF_USE.rstrip("?")]
    assert summary_json(model)["verdict"] == verdict.to_json()
    assert verdict.to_json()["useful"] in ("yes", "unclear", "no")


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_what_was_not_measured_is_said_so_and_a_constant_is_of_no_use(path: Path) -> None:
    verdict = load(path).verdict
    if verdict.constant is not None:
        assert verdict.useful is Useful.NO
        assert "always says" in verdict.headline
    elif not verdict.measured:
        assert verdict.useful is Useful.UNCLEAR
        assert verdict.headline.startswith("Unclear, not measured: ")
        assert verdict.value is verdict.gain is None
    else:
        assert None not in (verdict.value, verdict.against, verdict.gain, verdict.resolution)


def test_there_are_documents_of_each() -> None:
    found = [load(path).verdict for path in MODELS]

    def some(what: Any) -> bool:
        return any(what(verdict) for verdict in found)

    assert some(lambda verdict: verdict.measured)
    assert some(lambda verdict: not verdict.measured)
    assert some(lambda verdict: verdict.constant is not None)


def told(path: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(capsys.readouterr().out)
    return dict(tree["verdict"])


def test_commands_say_the_same_as_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ages = np.arange(4000) % 100
    rows = "".join(f"{age},{int(age >= 50)}\n" for age in ages)
    Path("data.csv").write_text(f"age,ill\n{rows}")
    schema = {
        "label": "ill",
        "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
    }
    Path("schema.json").write_text(json.dumps(schema))
    words = ["learn", "data.csv", "--schema", "schema.json", "--epsilon", "1", "--out", "m.json"]
    assert main([*words, "--json"]) == 0
    of_learn = told("learn", capsys)
    assert main(["explain", "m.json", "--json"]) == 0
    assert of_learn == told("explain", capsys) == load("m.json").verdict.to_json()
    assert of_learn["useful"] == "yes"
    assert main([*words, "--force"]) == 0
    shown = capsys.readouterr().out
    assert load("m.json").verdict.headline in " ".join(shown.split())
    assert "between" not in shown.split("Accuracy, if")[0].split(OF_USE)[1].split("Privacy")[0], "no interval"


AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}
SCHEMA = Schema.from_json({"label": "ill", "classes": [0, 1], "columns": [AGE]})
AGES = np.arange(4000) % 100


def test_a_classifier_buys_nothing_unless_asked_and_says_in_a_notebook_what_it_found() -> None:
    def fitted(**wishes: Any) -> PrivateClassifier:
        made = PrivateClassifier("stumps", epsilon=1, schema=SCHEMA, **wishes)
        assert "measured" not in made._repr_html_(), "nothing before it is fitted"
        return made.fit(AGES.reshape(-1, 1), (AGES >= 50).astype(int))

    bare = fitted().model_.verdict
    assert (bare.useful, bare.measured) == (Useful.UNCLEAR, False)
    paid = fitted(estimate_epsilon="auto")
    verdict = paid.model_.verdict
    assert verdict.useful is Useful.YES
    for shown in (paid._repr_html_(), paid._repr_mimebundle_()["text/html"]):
        assert all(line in unescape(shown) for line in verdict.lines)


def test_who_asked_a_few_or_uses_records_without_labels_is_told_too(tmp_path: Path) -> None:
    """Nothing is counted there, and that is said."""
    records = {"age": np.arange(20_000) % 100}
    session = Asking.start(
        20_000, schema=SCHEMA, concepts="thresholds:age", epsilon=1, labels=600, random_state=1
    )
    session = session.tell({place: int(records["age"][place] >= 50) for place in session.asked})
    labelled = {"age": AGES, "ill": (AGES >= 50).astype(int)}
    models = [
        session.learn(records, random_state=1),
        learn(
            labelled, schema=SCHEMA, epsilon=1, concepts="thresholds:age", unlabelled=records, random_state=1
        ),
    ]
    for number, model in enumerate(models):
        assert (model.verdict.useful, model.verdict.measured) == (Useful.UNCLEAR, False)
        model.save(tmp_path / f"{number}.json")
        assert load(tmp_path / f"{number}.json").verdict == model.verdict
        assert model.verdict.headline in unescape(report_html(model))


def test_a_constant_is_of_no_use() -> None:
    nobody = {"age": AGES, "ill": np.zeros(4000, dtype=int)}
    model = learn(nobody, schema=SCHEMA, epsilon=1, random_state=1)
    assert (model.verdict.useful, model.verdict.constant) == (Useful.NO, 0)
