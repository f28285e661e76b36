"""What people see of costs, risks and ranks: in words, as JSON, and on the page."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from privpac import Model, learn
from privpac.report.page import report_html
from privpac.report.summary import (
    KEPT_ASIDE,
    columns_alone,
    costs_text,
    no_accuracy,
    summary_json,
    summary_sections,
)

COLUMNS = [{"name": name, "kind": "numeric", "lower": 0, "upper": 15, "integer": True} for name in "ab"]


def learnt(concepts: str = "graded-tree", **wishes: Any) -> Model:
    random = np.random.default_rng(1)
    cells = random.integers(0, 16, (1500, 2))
    labels = (random.random(1500) < cells.sum(axis=1) / 60).astype(int)
    table = {"a": cells[:, 0], "b": cells[:, 1], "y": labels}
    schema = {"label": "y", "classes": [0, 1], "base_rate": 0.25, "columns": COLUMNS}
    return learn(table, schema=schema, concepts=concepts, epsilon=2, random_state=1, **wishes)


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        (None, ""),
        ((2, 2), ""),
        ((1, 5), "0: 1, 1: 5"),
        (
            "balanced",
            "0: 1, 1: 3 (balanced: all classes count the same, given the declared base rate 0: 0.75, 1: 0.25)",
        ),
    ],
)
def test_costs_are_said_with_the_base_rate_they_come_from(costs: Any, words: str) -> None:
    model = learnt(costs=costs)
    assert costs_text(model) == words
    titles = [title for title, _ in summary_sections(model, full=False)]
    assert ("Price of misjudging a record of each class" in titles) == bool(words)
    assert ("Price of misjudging" in report_html(model)) == bool(words)
    assert words in report_html(model)


@pytest.mark.parametrize("word", ["card:4", "graded-tree"])
def test_ranks_are_on_the_page_in_words_and_as_json(word: str) -> None:
    model = learnt(word)
    page, figures = report_html(model), model.ranks
    assert figures is not None
    assert figures.auc is not None
    assert "Are the risks kept?" in page
    assert f"AUC about {figures.auc.value:.2f}" in page
    assert dict(summary_sections(model, full=True))["Private figures"] == model.describe_ranks()
    assert summary_json(model)["ranks"] == figures.to_json()


def test_every_leaf_of_a_drawn_tree_has_its_risk() -> None:
    model = learnt()
    assert model.leaf_counts is not None
    assert model.describe_leaves().count("risk of 1") == len(model.leaf_counts.counts)


@pytest.mark.parametrize("aside", [True, False])
def test_of_two_sets_of_figures_it_is_said_which_to_believe(aside: bool) -> None:
    model = learnt("card:4", estimate_epsilon=1, holdout="0.5" if aside else 0)
    for full in (True, False):
        assert (KEPT_ASIDE in dict(summary_sections(model, full=full))["Private figures"]) == aside
    assert (KEPT_ASIDE in model.explain()) == aside
    assert (KEPT_ASIDE in report_html(model)) == aside


@pytest.mark.parametrize("word", ["card:mixed", "card:4", "graded-tree"])
def test_a_mixed_card_says_once_how_to_get_blocks_of_columns_alone(word: str) -> None:
    model = learnt(word)
    advice, shown = columns_alone(model), "\n".join(text for _, text in summary_sections(model, full=False))
    assert bool(advice) == (word == "card:mixed")
    if advice:
        rounds = model.certificate["learner"]["rounds"]
        assert f"--concepts card:{rounds}," in advice
        assert learnt(f"card:{rounds}").certificate["learner"]["rounds"] == rounds
        assert shown.count(advice) == str(model).count(advice) == 1
        assert report_html(model).count("one block per column alone") == 1
    else:
        assert "one block per column alone" not in shown + str(model) + report_html(model)


@pytest.mark.parametrize("wishes", [{}, {"protect": "labels"}])
def test_of_a_card_nothing_is_proved_and_more_records_would_not_change_that(wishes: dict[str, Any]) -> None:
    model = learnt("card:4", **wishes)
    text = dict(summary_sections(model, full=False))["Accuracy"]
    assert text == no_accuracy(model.certificate)
    assert "whatever the number of records" in text
    assert "1,500" not in text
