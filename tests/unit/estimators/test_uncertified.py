"""Scores and fitted steps are warned of; steps that treat every record by itself are not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from privpac import PrivateClassifier
from privpac.errors import UncertifiedLook

SCHEMA = {
    "label": "ill",
    "classes": [0, 1],
    "columns": [{"name": "age", "kind": "numeric", "lower": -9, "upper": 99}],
}
X = np.arange(300.0).reshape(-1, 1) % 100
Y = (X[:, 0] >= 50).astype(int)


def classifier() -> PrivateClassifier:
    return PrivateClassifier("thresholds:age", epsilon=1, schema=SCHEMA)


def test_a_score_is_warned_of() -> None:
    with pytest.warns(UncertifiedLook, match="estimate_epsilon"):
        classifier().fit(X, Y).score(X, Y)
    with pytest.warns(UncertifiedLook, match="estimate_epsilon"):
        cross_val_score(classifier(), X, Y, cv=2)


def test_a_step_that_is_fitted_before_is_named() -> None:
    with pytest.warns(UncertifiedLook, match="learn: StandardScaler"):
        make_pipeline(FunctionTransformer(), StandardScaler(), classifier()).fit(X, Y)


def test_learning_itself_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UncertifiedLook)
        classifier().fit(X, Y).predict(X)
        make_pipeline(FunctionTransformer(), classifier()).fit(X, Y).predict(X)
        make_pipeline("passthrough", classifier()).fit(X, Y)
