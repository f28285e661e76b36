"""What follows from an aim: the word, and a share of epsilon for counts, decided by public numbers alone."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibrationDisplay
from sklearn.metrics import RocCurveDisplay, get_scorer
from sklearn.model_selection import cross_val_score

from privpac import PrivateClassifier, Schema, learn, verify
from privpac.cli.app import run
from privpac.constructions.recipe import LEAF_SHARE, Recipe, spell_out, word_for_ranking
from privpac.data.sample import Size
from privpac.errors import ParameterError
from privpac.request import LearnRequest

COLUMNS = [{"name": name, "kind": "numeric", "lower": 0, "upper": 15, "integer": True} for name in ("a", "b")]
SCHEMA = Schema.from_json({"label": "y", "classes": [0, 1], "columns": COLUMNS})
THREE = Schema.from_json({"label": "y", "classes": [0, 1, 2], "columns": COLUMNS})


def wishes(**more: Any) -> LearnRequest:
    return LearnRequest.read(epsilon=1, **more)


def records(n: int = 600) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    random = np.random.default_rng(1)
    X = random.integers(0, 16, (n, 2))
    return X, (X.sum(axis=1) + random.integers(-6, 7, n) >= 15).astype(int)


def test_without_an_aim_nothing_changes() -> None:
    for word in ("auto", "card", "thresholds:a"):
        assert spell_out(wishes(concepts=word), SCHEMA) == wishes(concepts=word)


def test_to_rank_two_classes_takes_a_card_and_three_a_tree_with_counts() -> None:
    assert (word_for_ranking(SCHEMA), word_for_ranking(THREE)) == ("card", "auto")
    card = spell_out(wishes(aim="rank"), SCHEMA)
    assert (card.concepts, card.epsilon, card.leaf_epsilon) == ("card", 1, None)
    tree = spell_out(wishes(aim="rank"), THREE)
    assert (tree.concepts, tree.epsilon, tree.leaf_epsilon) == ("auto", 1 - LEAF_SHARE, LEAF_SHARE)


@pytest.mark.parametrize("more", [{"probabilities": True}, {"aim": "rank"}])
def test_a_tree_that_tells_risks_costs_the_epsilon_that_was_asked_for(more: dict[str, Any]) -> None:
    recipe = Recipe.of(wishes(concepts="trees:2", **more), schema=SCHEMA, size=Size(500))
    assert recipe.leaf_epsilon == LEAF_SHARE
    assert recipe.certify().epsilon == 1
    assert recipe.certify().to_json()["request"]["leaf_epsilon"] == "0.2"


def test_counts_that_are_paid_on_top_stay_so() -> None:
    on_top = spell_out(wishes(concepts="trees:2", aim="rank", leaf_epsilon="0.5"), SCHEMA)
    assert (on_top.epsilon, on_top.leaf_epsilon) == (1, Fraction(1, 2))
    with pytest.raises(ParameterError) as refused:
        spell_out(wishes(probabilities=True, leaf_epsilon="0.5"), SCHEMA)
    assert refused.value.parameter == "probabilities"


@pytest.mark.parametrize(
    ("more", "name"), [({"aim": "rank"}, "aim"), ({"probabilities": True}, "probabilities")]
)
def test_rules_that_tell_no_risks_are_refused_by_name(more: dict[str, Any], name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        spell_out(wishes(concepts="thresholds:a", **more), SCHEMA)


@pytest.mark.parametrize("aim", ["order", "", None, 1])
def test_other_aims_are_refused(aim: Any) -> None:
    with pytest.raises(ParameterError) as refused:
        wishes(aim=aim)
    assert refused.value.parameter == "aim"


@pytest.mark.parametrize(
    "more",
    [
        {"aim": "rank"},
        {"probabilities": True},
        {"concepts": "graded-tree"},
        {"concepts": "trees:2", "aim": "rank"},
    ],
)
def test_scikit_learn_scores_ranks_and_risks(more: dict[str, Any]) -> None:
    X, y = records()
    classifier = PrivateClassifier(**{"schema": SCHEMA, "epsilon": 3, "random_state": 1, **more})
    assert hasattr(clone(classifier), "predict_proba")
    for scorer, least in (("roc_auc", 0.7), ("neg_log_loss", -0.65), ("neg_brier_score", -0.23)):
        assert cross_val_score(classifier, X, y, scoring=scorer, cv=2).min() > least
    fitted = classifier.fit(X, y)
    assert hasattr(fitted, "decision_function") == (fitted.model_.hypothesis.kind == "card")
    assert fitted.certificate_.epsilon == 3
    assert get_scorer("roc_auc")(fitted, X, y) > 0.75
    assert CalibrationDisplay.from_estimator(fitted, X, y, n_bins=3).prob_true.min() >= 0
    assert RocCurveDisplay.from_estimator(fitted, X, y).roc_auc > 0.75


def test_what_has_no_risks_has_no_predict_proba() -> None:
    assert not hasattr(PrivateClassifier(schema=SCHEMA), "predict_proba")
    with pytest.raises(AttributeError, match="probabilities=True"):
        _ = PrivateClassifier("trees:2", schema=SCHEMA).predict_proba


def test_the_command_line_takes_aims(tmp_path: Any) -> None:
    X, y = records(80)
    (tmp_path / "d.csv").write_text(
        "a,b,y\n" + "\n".join(f"{a},{b},{c}" for (a, b), c in zip(X, y, strict=True))
    )
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA.to_json()))
    common = ["learn", str(tmp_path / "d.csv"), "--schema", str(tmp_path / "s.json"), "--epsilon", "1"]
    for more, kind in ((["--aim", "rank"], "card"), (["--concepts", "trees:1", "--probabilities"], "tree")):
        out = tmp_path / f"{kind}.json"
        assert run([*common, *more, "--random-state", "1", "--out", str(out), "--json"]) == 0
        assert str(verify(out).epsilon) == "1"
    assert run([*common, "--aim", "both"]) != 0


def test_records_without_labels_cannot_be_ranked() -> None:
    with pytest.raises(ParameterError) as refused:
        learn({"a": [1], "b": [2], "y": [1]}, schema=SCHEMA, epsilon=1, aim="rank", unlabelled=True)
    assert refused.value.parameter == "aim"
