"""What scikit-learn and its tools expect of an estimator, asked of `PrivateClassifier`."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, check_estimator
from sklearn.utils.validation import has_fit_parameter

from privpac import BudgetExceeded, Ledger, PrivateClassifier, Schema, load, verify

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "classes": ["no", "yes"],
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
            {"name": "dose", "kind": "numeric", "lower": 0.0, "upper": 1.0},
            {"name": "city", "kind": "categorical", "categories": ["north", "south"], "other": "elsewhere"},
        ],
    }
)
GRID = {"concepts": ["stumps", "thresholds:age"], "epsilon": [np.float64(1.0), 0.25]}
FOLDS = 4
FITS = 4 * FOLDS


@pytest.fixture
def numpy_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it scikit-learn leaves one of its checks out."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    random = np.random.default_rng(5)
    age = random.integers(0, 120, 400)
    return pd.DataFrame(
        {
            "age": age,
            "dose": random.uniform(size=400),
            "city": random.choice(["north", "south"], 400),
            "ill": np.where(age >= 60, "yes", "no"),
        }
    )


ESTIMATORS = {
    "auto": PrivateClassifier(schema="from_data"),
    "two classes only": PrivateClassifier("stumps", schema="from_data"),
    "every option": PrivateClassifier(
        "stumps",
        schema="from_data",
        epsilon=0.5,
        records_per_person=2,
        estimate_epsilon=0.5,
        holdout=0.25,
        ledger=Ledger(epsilon=10**6),
    ),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.usefixtures("numpy_namespace")
def test_every_check_of_the_installed_version_passes(name: str) -> None:
    results = check_estimator(ESTIMATORS[name], on_skip=None, on_fail=None)
    others = {r["check_name"]: (r["status"], r["exception"]) for r in results if r["status"] != "passed"}
    assert others == {}
    assert len(results) >= 50


def test_feature_names_follow_the_conventions_when_the_schema_is_read_from_data() -> None:
    check_dataframe_column_names_consistency("PrivateClassifier", PrivateClassifier(schema="from_data"))


def test_tags_tell_who_takes_more_than_two_classes() -> None:
    assert is_classifier(PrivateClassifier())
    many = {
        word: PrivateClassifier(word).__sklearn_tags__().classifier_tags.multi_class
        for word in ("trees:3", "auto", "stumps", "thresholds:age")
    }
    assert many == {"trees:3": True, "auto": True, "stumps": False, "thresholds:age": False}


def test_clone_copies_the_parameters_and_shares_the_ledger() -> None:
    ledger = Ledger(epsilon=1)
    original = PrivateClassifier("stumps", epsilon="0.1", schema=SCHEMA, costs=(1, 5), ledger=ledger)
    copied = clone(original)
    assert copied.get_params() == original.get_params()
    assert copied.ledger == ledger
    assert not hasattr(copied, "model_")


def _public_bounds(X: pd.DataFrame) -> pd.DataFrame:
    return X.assign(age=X["age"].clip(0, 100))


@pytest.mark.parametrize("schema", [SCHEMA, "from_data"])
def test_in_a_pipeline(schema: Any, frame: pd.DataFrame) -> None:
    pipeline = make_pipeline(FunctionTransformer(_public_bounds), PrivateClassifier("stumps", schema=schema))
    pipeline.fit(frame.drop(columns="ill"), frame["ill"])
    assert pipeline.score(frame.drop(columns="ill"), frame["ill"]) > 0.9


def test_behind_a_column_transformer_the_columns_come_in_the_order_of_the_schema(frame: pd.DataFrame) -> None:
    chosen = ColumnTransformer([("kept", "passthrough", list(SCHEMA.names))])
    classifier = PrivateClassifier("thresholds:age", schema=SCHEMA, epsilon=5)
    pipeline = Pipeline([("columns", chosen), ("classifier", classifier)])
    pipeline.fit(frame, frame["ill"])
    assert pipeline.score(frame, frame["ill"]) > 0.9


def test_a_weight_does_not_slip_through_a_pipeline(frame: pd.DataFrame) -> None:
    pipeline = Pipeline([("classifier", PrivateClassifier("stumps", schema=SCHEMA))])
    with pytest.raises(ValueError, match=r"sample_weight .* costs"):
        pipeline.fit(frame, frame["ill"], classifier__sample_weight=np.ones(len(frame)))


def test_weights_are_not_announced_so_that_tools_refuse_by_themselves(frame: pd.DataFrame) -> None:
    classifier = PrivateClassifier("stumps", schema=SCHEMA)
    assert not has_fit_parameter(classifier, "sample_weight")
    with pytest.raises(ValueError, match="doesn't support sample_weight"):
        AdaBoostClassifier(classifier).fit(frame[["age", "dose"]], frame["ill"])


def test_metadata_routing_finds_nothing_to_route(frame: pd.DataFrame) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        classifier = PrivateClassifier("stumps", schema=SCHEMA)
        assert "sample_weight" not in str(classifier.get_metadata_routing().fit)
        make_pipeline(classifier).fit(frame, frame["ill"])


def test_cross_validation_charges_every_fold(frame: pd.DataFrame) -> None:
    ledger = Ledger(epsilon=10)
    classifier = PrivateClassifier("thresholds:age", epsilon=1, schema=SCHEMA, ledger=ledger)
    scores = cross_val_score(classifier, frame, frame["ill"], cv=5)
    assert scores.min() > 0.8
    assert ledger.spent.epsilon == 5
    predicted = cross_val_predict(classifier, frame, frame["ill"], cv=5)
    assert set(predicted) <= {"no", "yes"}
    assert ledger.left.epsilon == 0


def _search(ledger: Ledger, workers: int, **options: Any) -> GridSearchCV:
    classifier = PrivateClassifier(schema=SCHEMA, ledger=ledger)
    return GridSearchCV(classifier, GRID, cv=FOLDS, n_jobs=workers, error_score="raise", **options)


@pytest.mark.long_cases("2")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_grid_search_loses_no_charge(workers: int, frame: pd.DataFrame) -> None:
    ledger = Ledger(epsilon=100)
    search = _search(ledger, workers).fit(frame, frame["ill"])
    entries = ledger.entries()
    assert len(entries) == FITS + 1
    folds = 2 * FOLDS * (1 + 0.25)
    assert ledger.spent.epsilon == folds + float(search.best_params_["epsilon"])
    assert search.best_estimator_.certificate_.epsilon == entries[-1].cost.epsilon
    ledger.verify()


@pytest.mark.long_cases("2")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_refusal_stops_a_grid_search_and_leaves_the_ledger_usable(
    workers: int, frame: pd.DataFrame
) -> None:
    ledger = Ledger(epsilon="2.5")
    with pytest.raises(BudgetExceeded):
        _search(ledger, workers).fit(frame, frame["ill"])
    left = ledger.left.epsilon
    assert left < 1
    if left:
        PrivateClassifier("stumps", epsilon=left, schema=SCHEMA, ledger=ledger).fit(frame)
    assert ledger.left.epsilon == 0
    ledger.verify()


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("schema", [SCHEMA, "from_data"])
def test_every_frame_gives_the_same_rule(kind: Any, schema: Any, frame: pd.DataFrame) -> None:
    expected = PrivateClassifier("stumps", schema=schema, random_state=3)
    expected.fit(frame.drop(columns="ill"), frame["ill"].to_numpy())
    columns = {str(name): frame[name].to_numpy() for name in SCHEMA.names}
    table = kind(columns)
    found = clone(expected).fit(table, frame["ill"].tolist())
    assert found.hypothesis_ == expected.hypothesis_
    assert found.feature_names_in_.tolist() == list(SCHEMA.names)
    assert (found.predict(table) == expected.predict(frame.drop(columns="ill"))).all()


@pytest.fixture
def secretive(frame: pd.DataFrame) -> tuple[PrivateClassifier, pd.DataFrame]:
    """Fitted on records that can be recognised: every city is a name of its own, every dose a long double."""
    records = frame.assign(city=[f"patient-{number}" for number in range(len(frame))])
    return PrivateClassifier("thresholds:age", schema=SCHEMA, ledger=Ledger(epsilon=9)).fit(records), records


def test_a_pickle_works_and_holds_no_record(secretive: tuple[PrivateClassifier, pd.DataFrame]) -> None:
    fitted, records = secretive
    stored = pickle.dumps(fitted)
    assert b"patient" not in stored
    for dose in records["dose"]:
        assert np.float64(dose).tobytes() not in stored
        assert np.float64(dose).tobytes()[::-1] not in stored
        assert repr(float(dose)).encode() not in stored
    again = pickle.loads(stored)  # noqa: S301
    assert (again.predict(records) == fitted.predict(records)).all()
    assert again.certificate_ == fitted.certificate_
    assert again.ledger == fitted.ledger


def test_joblib_and_the_model_file_bring_back_the_same_predictions(
    secretive: tuple[PrivateClassifier, pd.DataFrame], tmp_path: Path
) -> None:
    fitted, records = secretive
    buffer = io.BytesIO()
    joblib.dump(fitted, buffer)
    buffer.seek(0)
    assert (joblib.load(buffer).predict(records) == fitted.predict(records)).all()
    fitted.save(tmp_path / "model.json")
    assert verify(tmp_path / "model.json").for_release
    assert (load(tmp_path / "model.json").predict(records) == fitted.predict(records)).all()


def test_no_text_about_an_estimator_holds_a_record(
    secretive: tuple[PrivateClassifier, pd.DataFrame],
) -> None:
    fitted, records = secretive
    text = repr(fitted) + fitted._repr_html_() + fitted.explain() + repr(fitted.certificate_)
    text += repr(vars(fitted))
    assert "patient" not in text
    assert not any(repr(float(dose)) in text for dose in records["dose"])
