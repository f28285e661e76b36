"""The report: self-contained, complete, and safe whatever columns are called."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac import Model, Schema, learn
from privpac.concepts.catalogue import hypothesis_from_json, stored_rules
from privpac.report.lines import WIDTH
from privpac.report.meaning import does_not_mean, means
from privpac.report.page import report_html
from privpac.report.pictures import picture
from privpac.report.summary import accuracy_facts

NASTY = "<script>alert('x')</script> & \"co\""

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "classes": ["healthy", NASTY],
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
            {"name": "bmi", "kind": "numeric", "lower": -3.5, "upper": 0.001},
            {"name": "key", "kind": "numeric", "lower": 0, "upper": 2**128 - 1, "integer": True},
            {"name": "seen", "kind": "date", "lower": "2020-01-01", "upper": "2029-12-31"},
            {"name": "smoker", "kind": "boolean"},
            {"name": NASTY, "kind": "categorical", "categories": [f"town {i}" for i in range(60)]},
        ],
    }
)

RULES: dict[str, dict[str, Any]] = {
    "up": {"kind": "threshold", "column": "age", "cut": "65", "up": True},
    "down": {"kind": "threshold", "column": "bmi", "cut": str(2**31), "up": False},
    "never": {"kind": "threshold", "column": "age", "cut": "121", "up": True},
    "day": {"kind": "threshold", "column": "seen", "cut": "1500", "up": True},
    "yes": {"kind": "threshold", "column": "smoker", "cut": "1", "up": True},
    "point": {"kind": "point", "column": "key", "cell": str(2**127 + 5)},
    "last": {"kind": "point", "column": "age", "cell": "120"},
    "town": {"kind": "point", "column": NASTY, "cell": "7"},
    "interval": {"kind": "union", "column": "age", "intervals": [["20", "30"]], "inside": 1},
    "empty": {"kind": "union", "column": "age", "intervals": [], "inside": 1},
    "union": {"kind": "union", "column": "age", "intervals": [["3", "4"], ["110", "121"]], "inside": 0},
    "match": {"kind": "match", "column": NASTY, "category": 3, "equal": False},
    "constant": {"kind": "constant", "label": 1},
    "side": {"kind": "box", "columns": ["age"], "low": ["20"], "high": ["30"], "inside": 1},
    "plane": {
        "kind": "box",
        "columns": ["age", "bmi"],
        "low": ["20", "7"],
        "high": ["121", "99"],
        "inside": 1,
    },
    "corner": {
        "kind": "box",
        "columns": ["age", "seen"],
        "low": ["120", "9"],
        "high": ["121", "99"],
        "inside": 0,
    },
    "nowhere": {"kind": "box", "columns": ["age", "bmi"], "low": ["0", "0"], "high": ["0", "0"], "inside": 1},
    "solid": {
        "kind": "box",
        "columns": ["age", "bmi", "seen"],
        "low": ["20", "0", "5"],
        "high": ["30", "999", "3653"],
        "inside": 1,
    },
    "tree": {
        "kind": "tree",
        "root": {
            "test": {"column": "age", "cell": "65", "kind": "at least"},
            "low": {"label": 0},
            "high": {
                "test": {"column": NASTY, "cell": "7", "kind": "equals"},
                "low": {"label": 1},
                "high": {"label": 0},
            },
        },
    },
}


@pytest.fixture(scope="module")
def model() -> Model:
    generator = np.random.default_rng(5)
    age = generator.integers(0, 120, 3000)
    table = {
        "age": age,
        "bmi": generator.uniform(-3, 0, 3000),
        "key": age,
        "seen": ["2024-02-03"] * 3000,
        "smoker": age % 2 == 0,
        NASTY: ["town 3"] * 3000,
        "ill": [NASTY if a >= 70 else "healthy" for a in age],
    }
    return learn(
        table,
        schema=SCHEMA,
        concepts="thresholds:age",
        epsilon="1",
        estimate_epsilon="0.5",
        holdout="0.25",
        records_per_person=2,
        random_state=3,
    )


class Page(HTMLParser):
    """Tags, attributes and text; fails on a tag that is not closed."""

    VOID = frozenset({"meta", "br", "rect", "line", "circle"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_holds_everything_there_is_to_know(model: Model) -> None:
    page = Page(report_html(model))
    assert model.estimate is not None
    for text in (
        model.describe(),
        model.to_sql(),
        "NOT FOR RELEASE",
        "no person stands behind more than 2 records",
        "(1, 0)-DP",
        "Exponential mechanism",
        "Two-sided geometric noise",
        "Direct accuracy bound",
        "What it does not mean",
        "privpac verify FILE",
        str(model.to_json()["digest"]),
        *(f"{count:,}" for row in model.estimate.counts for count in row),
        *SCHEMA.names,
    ):
        assert text in page.text
    assert (
        page.text.count("factor per step ≈") == 4
    )  # long fractions are shortened: two mechanisms, two accuracy bounds


def test_the_page_asks_for_nothing_and_runs_nothing(model: Model) -> None:
    text = report_html(model)
    page = Page(text)
    assert not {"script", "img", "link", "iframe", "object", "embed", "form"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {"src", "href", "srcset", "onload", "onclick", "data", "action"} & names
    assert "default-src 'none'" in text
    assert not re.search(r"https?:|url\(|@import", text)
    assert "prefers-color-scheme: dark" in text


def test_the_page_is_the_same_every_time_and_written_whole(model: Model, tmp_path: Path) -> None:
    model.report(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == report_html(model)
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    with pytest.raises(FileNotFoundError):
        model.report(tmp_path / "nowhere" / "r.html")


def test_the_page_is_made_from_the_model_alone(model: Model) -> None:
    """No private data: a model read back from its file gives the same page."""
    from privpac.model import model_from

    again = model_from(json.loads(json.dumps(model.to_json())))
    assert report_html(again) == report_html(model)


def test_every_kind_has_a_picture_or_a_sentence() -> None:
    assert {tree["kind"] for tree in RULES.values()} <= set(stored_rules())
    for tree in RULES.values():
        rule = hypothesis_from_json(tree)
        assert rule.shape(SCHEMA) is not None or rule.questions(SCHEMA) is not None, tree


@pytest.mark.parametrize("name", list(RULES))
def test_pictures_are_well_formed_and_escaped(name: str) -> None:
    text = picture(hypothesis_from_json(RULES[name]), SCHEMA)
    page = Page(text)
    assert "script" not in page.tags
    legend = "Predicted ill" if name == "tree" else "ill = healthy"
    assert legend in page.text  # it names the label and, where there is room, its classes
    for number in re.findall(r' x="(-?[\d.]+)"', text):
        assert 0 <= float(number) <= WIDTH


def _certified(epsilon: str, delta: str = "0", unit: str = "record") -> Any:
    """As much of a certificate as `meaning` reads."""
    privacy = {"rule": "exponential-mechanism", "fact": {"unit": unit}}
    return {"epsilon": epsilon, "delta": delta, "request": None, "privacy": privacy}


def test_meaning_uses_the_numbers_of_the_certificate() -> None:
    words = " ".join(means(_certified("1")))
    assert "e^1 ≤ 2.719" in words  # rounded up
    assert "73.2 %" in words
    assert "weak" not in words
    assert "weak" in " ".join(means(_certified("9")))
    assert "10^23" in " ".join(means(_certified("50")))
    assert "a further 1e-6" in " ".join(means(_certified("1", "0.000001")))
    assert "the label of one record" in " ".join(means(_certified("1", unit="label")))
    assert any("one record per person" in text for text in does_not_mean(_certified("1")))


def test_meaning_never_understates() -> None:
    for epsilon in ("0.1", "1", "3.7", "12"):
        words = " ".join(means(_certified(epsilon)))
        shown = re.search(r"≤ ([\d,.]+), which is what epsilon says; delta 0", words)
        assert shown is not None
        factor = float(shown.group(1).replace(",", ""))
        assert factor >= np.exp(float(epsilon)) * (1 - 1e-12)
        guess = re.search(r"guess the true one at most ([\d.]+) %", words)
        assert (guess is None) == ("nothing is promised" in words)
        if guess is not None:
            assert float(guess.group(1)) / 100 >= 1 / (1 + np.exp(-float(epsilon))) - 1e-12


def test_a_loss_that_promises_nothing_is_said_to() -> None:
    words = " ".join(means(_certified("39")))
    assert "nothing is promised that would protect a person" in words
    assert "will guess" not in words


def test_no_accuracy_is_said_plainly() -> None:
    table = {"a": [0, 1, 2, 3], "y": [0, 0, 1, 1]}
    schema = {
        "label": "y",
        "columns": [{"name": "a", "kind": "numeric", "lower": 0, "upper": 9, "integer": True}],
    }
    made = learn(table, schema=schema, concepts="thresholds:a", epsilon="0.01")
    page = Page(report_html(made))
    assert "No accuracy is proved from 4 records" in page.text
    assert "NOT FOR RELEASE" not in page.text
    assert "It assumes nothing about the values in the records." in page.text
    assert "No person has more than 1 record." in page.text
    assert "can be derived" not in page.text
    assert "confusion" not in {value for _, value in page.attributes}


def test_a_bound_that_guessing_keeps_is_not_printed() -> None:
    table = {"a": list(range(50)), "y": [0] * 25 + [1] * 25}
    column = {"name": "a", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}
    schema = {"label": "y", "columns": [column]}
    wishes = {"schema": schema, "concepts": "thresholds:a", "estimate_epsilon": None}
    made = learn(table, epsilon="0.4", **wishes)
    errors = [proof["fact"]["error"] for proof in made.certificate["accuracy"]]
    assert errors
    assert all(Fraction(error) >= Fraction(1, 2) for error in errors)
    (told,) = accuracy_facts(made)
    assert told.startswith("Nothing that helps is proved of errors from 50 records")
    assert "at most" not in told
    useful = accuracy_facts(learn(table, epsilon=8, **wishes))
    assert useful
    assert not any(text.startswith("Nothing") for text in useful)


def test_what_needs_a_perfect_rule_comes_last_and_not_against_the_estimate() -> None:
    draws = np.random.default_rng(1)
    age = draws.integers(0, 100, 4_000)
    table = {"age": age, "ill": (draws.random(4_000) < np.where(age > 50, 0.7, 0.3)).astype(int)}
    schema = {
        "label": "ill",
        "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
    }
    wishes = {"schema": schema, "concepts": "trees:1", "epsilon": 1}
    alone = accuracy_facts(learn(table, **wishes, estimate_epsilon=None))
    assert alone[0].startswith("error above the best of the class")
    assert alone[1].startswith("Stronger, but for a case that is rare in real tables")
    # Three in ten are mistaken: no rule here is perfect, and the file says so itself.
    assert accuracy_facts(learn(table, **wishes, estimate_epsilon=1)) == alone[:1]
