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
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import AdaBoostClassifier, StackingClassifier, VotingClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, learning_curve
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


LABELS: dict[str, tuple[list[Any], np.ndarray]] = {
    "int": ([0, 1], np.array([0, 1])),
    "bool": (["false", "true"], np.array([False, True])),
    "text": (["ja", "no"], np.array(["ja", "no"])),
    "objects": (["ja", "no"], np.array(["ja", "no"], dtype=object)),
}
SCHEMAS = [(kind, order) for kind in LABELS for order in ("sorted", "reversed")]


def _weak() -> tuple[np.ndarray, np.ndarray]:
    """Records whose first column tells the class, mostly, and whose second is noise; and which class it is."""
    random = np.random.default_rng(4)
    X = random.integers(0, 100, (600, 2))
    return X, (X[:, 0] + random.normal(0, 15, 600) >= 50).astype(int)


def _case(kind: str, order: str, concepts: str) -> tuple[PrivateClassifier, np.ndarray, np.ndarray]:
    classes, values = LABELS[kind]
    columns = [
        {"name": name, "kind": "numeric", "lower": 0, "upper": 99, "integer": True}
        for name in ("tells", "noise")
    ]
    entries = {"label": "y", "classes": classes if order == "sorted" else classes[::-1], "columns": columns}
    X, second = _weak()
    classifier = PrivateClassifier(
        concepts, epsilon=40, schema=entries, probabilities=concepts != "card", random_state=1
    )
    return classifier, X, values[second]


@pytest.mark.parametrize("concepts", ["trees:1", "card"])
@pytest.mark.parametrize(("kind", "order"), SCHEMAS)
def test_columns_and_signs_follow_the_sorted_classes(kind: str, order: str, concepts: str) -> None:
    classifier, X, y = _case(kind, order, concepts)
    classifier.fit(X, y)
    assert classifier.classes_.tolist() == sorted(set(y.tolist()))
    assert (classifier.predict(X) == y).mean() > 0.8
    shares = classifier.predict_proba(X)
    assert (classifier.classes_[shares.argmax(axis=1)] == y).mean() > 0.8
    if concepts == "card":
        margins = classifier.decision_function(X)
        assert (classifier.classes_[(margins > 0).astype(int)] == classifier.predict(X)).all()
    assert cross_val_score(classifier, X, y, scoring="accuracy", cv=3).mean() > 0.8
    assert cross_val_score(classifier, X, y, scoring="roc_auc", cv=3).mean() > 0.8
    assert cross_val_score(classifier, X, y, scoring="neg_log_loss", cv=3).mean() > -0.6


@pytest.mark.parametrize(("kind", "order"), SCHEMAS)
def test_meta_estimators_take_labels_of_every_kind(kind: str, order: str) -> None:
    classifier, X, y = _case(kind, order, "trees:1")
    several = [("one", classifier), ("other", clone(classifier).set_params(random_state=2))]
    for tool in (
        VotingClassifier(several),
        VotingClassifier(several, voting="soft"),
        StackingClassifier(several, LogisticRegression(), cv=3),
        CalibratedClassifierCV(classifier, cv=3),
    ):
        assert (tool.fit(X, y).predict(X) == y).mean() > 0.8, type(tool).__name__
        if getattr(tool, "voting", "soft") == "soft":
            assert (tool.classes_[tool.predict_proba(X).argmax(axis=1)] == y).mean() > 0.8, type(
                tool
            ).__name__
    classes = np.unique(y)
    assert (cross_val_predict(classifier, X, y, cv=3) == y).mean() > 0.8
    shares = cross_val_predict(classifier, X, y, cv=3, method="predict_proba")
    assert (classes[shares.argmax(axis=1)] == y).mean() > 0.8
    _, _, scores = learning_curve(
        classifier, X, y, cv=3, train_sizes=[0.5, 1.0], shuffle=True, random_state=1
    )
    assert scores.mean() > 0.8
    tells, noise = permutation_importance(
        classifier.fit(X, y), X, y, scoring="roc_auc", n_repeats=3, random_state=1
    ).importances_mean
    assert tells > 0.2
    assert abs(noise) < 0.05
