"""PrivateClassifier: what it asks for, what it refuses, and in which type it answers."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from privpac import Ledger, NotCertified, PrivateClassifier, PrivpacError, Schema
from privpac.errors import DataError, ParameterError, SchemaError
from privpac.estimators.shell import as_array
from privpac.estimators.stored_certificate import StoredCertificate

AGE = {"name": "age", "kind": "numeric", "lower": 0, "upper": 100, "integer": True}
DOSE = {"name": "dose", "kind": "numeric", "lower": 0, "upper": 1}
ENTRIES = {"label": "ill", "classes": [0, 1], "columns": [AGE, DOSE]}
SECRET = 0.123456789


def schema(*classes: object) -> Schema:
    return Schema.from_json({**ENTRIES, "classes": list(classes or (0, 1))})


def table(n: int = 300) -> np.ndarray:
    return np.column_stack([np.arange(n) % 100, np.linspace(0, 1, n)])


def old(n: int = 300) -> np.ndarray:
    return (np.arange(n) % 100 >= 50).astype(int)


def fitted(**options: Any) -> PrivateClassifier:
    options = {"epsilon": 20, "schema": schema(), **options}
    return PrivateClassifier(options.pop("concepts", "thresholds:age"), **options).fit(table(), old())


def test_without_a_schema_fit_names_both_ways_to_one() -> None:
    with pytest.raises(SchemaError, match=r"privpac schema.*from_data"):
        PrivateClassifier().fit(table(), old())


@pytest.mark.parametrize("given", ["object", "mapping", "text", "file", "pathlike"])
def test_a_schema_comes_in_any_form(given: str, tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(ENTRIES), encoding="utf-8")
    forms = {
        "object": schema(),
        "mapping": ENTRIES,
        "text": json.dumps(ENTRIES),
        "file": str(path),
        "pathlike": path,
    }
    classifier = fitted(schema=forms[given])
    assert classifier.schema_ == schema()
    assert classifier.n_features_in_ == 2
    assert classifier.feature_names_in_.tolist() == ["age", "dose"]


def test_what_fit_leaves_behind() -> None:
    classifier = fitted(estimate_epsilon=5)
    assert classifier.score(table(), old()) > 0.9
    assert classifier.hypothesis_ == classifier.model_.hypothesis
    assert classifier.describe() == classifier.model_.describe()
    assert "age" in classifier.describe()
    assert classifier.to_sql().startswith("CASE WHEN")
    assert classifier.explain() == classifier.model_.explain()
    assert classifier.estimate_.records == 300
    assert classifier.certificate_.epsilon == 25
    assert fitted().estimate_ is None


@pytest.mark.parametrize(
    ("classes", "kind", "expected"),
    [
        ((0, 1), "int64", [0, 1]),
        ((0, 1), "uint8", [0, 1]),
        ((0, 1), "float32", [0.0, 1.0]),
        ((0, 1), "bool", [False, True]),
        (("false", "true"), "bool", [False, True]),
        (("False", "True"), "int64", [0, 1]),
        (("0.0", "1.0"), "int64", [0, 1]),
        ((0, 1), "<U1", ["0", "1"]),
        ((0, 1), "S1", ["0", "1"]),
        ((-1, 1), "int8", [-1, 1]),
        ((1, 0), "int64", [0, 1]),
        (("true", "false"), "bool", [False, True]),
        ((0, 1, 300), "uint8", ["0", "1", "300"]),
        ((0, 1, "maybe"), "int64", ["0", "1", "maybe"]),
        ((0, 1, 0.5), "int64", ["0", "0.5", "1"]),
        (("no", "ja"), "int64", [0, 1]),
    ],
)
def test_classes_have_the_type_of_the_labels_where_it_has_such_values(
    classes: tuple[Any, ...], kind: str, expected: list[Any]
) -> None:
    labels = np.where(old() == 1, 1, -1 if -1 in classes else 0).astype(kind)
    classifier = fitted().set_params(schema=schema(*classes), concepts="trees:1").fit(table(), labels)
    assert classifier.classes_.tolist() == expected
    typed = not isinstance(expected[0], str)
    assert classifier.classes_.dtype == (kind if typed else classifier.classes_.dtype)
    predicted = classifier.predict(table())
    assert predicted.dtype == classifier.classes_.dtype
    if typed:
        assert (predicted == labels).mean() > 0.9


def test_the_type_of_the_classes_does_not_depend_on_the_records() -> None:
    classifier = fitted().fit(table(), np.zeros(300, dtype=np.int16))
    assert classifier.classes_.tolist() == [0, 1]
    assert classifier.classes_.dtype == np.int16


@pytest.mark.parametrize("kind", ["bool", "boolean", "Int64", "Float64", "string", "category"])
def test_labels_in_a_series(kind: str) -> None:
    labels = pd.Series(old(), name="ill").astype("int64" if kind != "string" else "str").astype(kind)
    classifier = fitted().fit(table(), labels)
    assert (classifier.predict(table()) == labels.to_numpy()).mean() > 0.9
    again = fitted().fit(table(), pl.from_pandas(labels.astype(str)))
    assert again.classes_.tolist() in (["0", "1"], ["0.0", "1.0"], ["False", "True"])


def test_labels_as_python_objects_must_be_text() -> None:
    texts = old().astype(str).astype(object)
    assert fitted().fit(table(), texts).classes_.dtype == object
    with pytest.raises(DataError) as refused:
        fitted().fit(table(), old().astype(object))
    assert refused.value.column == "ill"


def test_one_label_of_another_type_does_not_turn_the_classes_of_all_into_text() -> None:
    labels: list[Any] = [int(label) for label in old()]
    assert fitted().fit(table(), labels).classes_.dtype.kind == "i"
    with pytest.raises(DataError) as refused:
        fitted().fit(table(), [str(labels[0]), *labels[1:]])
    assert refused.value.column == "ill"


def test_rows_in_lists_keep_the_type_of_every_value() -> None:
    key = 2**53 + 1
    for other in (1, 0.5, "1", None):
        assert as_array([[key], [other]])[0, 0] == key
    assert as_array([[0.5], [1.5]]).dtype == np.float64


@pytest.mark.parametrize("build", [pd.DataFrame, pl.DataFrame, dict])
def test_without_y_the_label_column_is_used(build: Any) -> None:
    # The order of the columns and strangers among them do not matter.
    columns = {"ill": old(), "dose": table()[:, 1], "note": ["-"] * 300, "age": table()[:, 0]}
    records = build(columns)
    classifier = fitted().fit(records)
    assert classifier.classes_.tolist() == [0, 1]
    assert (classifier.predict(records) == old()).mean() > 0.9
    assert classifier.n_features_in_ == 2


def test_without_y_an_array_is_refused() -> None:
    with pytest.raises(DataError) as refused:
        fitted().fit(table())
    assert refused.value.column == "ill"
    with pytest.raises(SchemaError) as refused:
        fitted().fit(pd.DataFrame(table(), columns=["age", "dose"]))
    assert refused.value.column == "ill"


def test_an_array_of_the_wrong_width_is_refused() -> None:
    with pytest.raises(SchemaError, match="age, dose"):
        fitted().predict(table()[:, :1])


def test_columns_of_text_are_read_from_the_data() -> None:
    records = pd.DataFrame({"label": np.where(old() == 1, "x", "y"), "b": True})
    classifier = PrivateClassifier("stumps", epsilon=20, schema="from_data", random_state=1)
    classifier.fit(records, pd.Series(old(), name="b"))
    assert classifier.schema_.label == "b_"
    assert classifier.schema_.names == ("label", "b")
    assert classifier.score(records, old()) == 1
    assert classifier.fit(records, old()).schema_.label == "label_"
    assert classifier.fit(records.to_numpy(), old()).score(records.to_numpy(), old()) == 1
    assert not hasattr(classifier, "feature_names_in_")


def test_a_frame_is_read_by_position_after_a_fit_without_names() -> None:
    classifier = PrivateClassifier("stumps", epsilon=20, schema="from_data").fit(table(), old())
    with pytest.warns(UserWarning, match="fitted without feature names"):
        predicted = classifier.predict(pd.DataFrame(table(), columns=["a", "b"]))
    assert (predicted == classifier.predict(table())).all()


def test_a_schema_read_from_data_is_an_assumption() -> None:
    assert fitted().certificate_.assumptions == ()
    assert "read from the data" in str(fitted(schema="from_data", concepts="stumps").certificate_.assumptions)


def test_a_seed_repeats_the_draw_and_forbids_release() -> None:
    first, second = (fitted(random_state=np.int64(4), epsilon="0.01") for _ in range(2))
    assert first.hypothesis_ == second.hypothesis_
    assert not first.certificate_.for_release
    assert "NOT FOR RELEASE" in first.explain()
    assert fitted().certificate_.for_release
    for state in (np.random.RandomState(1), np.random.default_rng(1), True, "7"):
        with pytest.raises(ParameterError) as refused:
            fitted(random_state=state)
        assert refused.value.parameter == "random_state"


def test_weights_are_refused_with_the_reason_and_the_remedy() -> None:
    ledger = Ledger(epsilon=100)
    classifier = PrivateClassifier("stumps", schema=schema(), ledger=ledger)
    with pytest.raises(ParameterError) as caught:
        classifier.fit(table(), old(), sample_weight=np.full(300, SECRET))
    assert caught.value.parameter == "sample_weight"
    assert str(SECRET) not in str(caught.value)
    assert ledger.spent.epsilon == 0
    classifier.fit(table(), old(), sample_weight=None)
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        classifier.fit(table(), old(), weights=1)


def test_costs_move_the_rule_towards_the_dear_class() -> None:
    rare = np.zeros(300, dtype=int)
    rare[:20] = 1
    same = np.zeros((300, 2))
    dear = PrivateClassifier("stumps", epsilon=200, schema=schema(), costs=np.array([1, 50]))
    assert dear.fit(same, rare).predict(same).all()
    assert not PrivateClassifier("stumps", epsilon=200, schema=schema()).fit(same, rare).predict(same).any()


def test_numbers_from_a_numpy_grid_are_welcome() -> None:
    classifier = fitted(
        epsilon=np.float32(0.5), records_per_person=np.int64(2), estimate_epsilon=np.float64(1), holdout=0.5
    )
    assert classifier.certificate_.epsilon == 1
    assert classifier.certificate_.assumptions != ()


BAD: dict[str, list[Any]] = {
    "concepts": ["oaks", 3, "thresholds:height", None],
    "epsilon": [0, -1, float("nan"), float("inf"), "much", None, True],
    "delta": [-0.1, 1, "x"],
    "schema": [3, object(), np.arange(3), "no such file", {}],
    "protect": ["people", None],
    "costs": [3, (1,), (1, 0), (1, 2.5), "12", {0: 1, 1: 2}],
    "records_per_person": [0, 1.5, True],
    "estimate_epsilon": [0, "x"],
    "holdout": [1, -0.5, 0.5],
    "ledger": [1.0, "ledger"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in BAD for value in BAD[name]])
def test_a_bad_parameter_is_refused_in_fit_and_nothing_is_spent(name: str, value: Any) -> None:
    ledger = Ledger(epsilon=100)
    classifier = PrivateClassifier("stumps", schema=schema(), ledger=ledger).set_params(**{name: value})
    with pytest.raises(PrivpacError) as caught:
        classifier.fit(table(), old())
    assert isinstance(caught.value, ValueError)
    assert ledger.spent.epsilon == 0
    assert not hasattr(classifier, "model_")


@pytest.mark.parametrize("source", ["declared", "from_data"])
@pytest.mark.parametrize(
    "fault", ["one dimension", "nan", "complex", "lengths", "empty", "y complex", "y nan"]
)
def test_a_bad_table_is_refused_without_showing_or_spending_anything(fault: str, source: str) -> None:
    X, y = np.full((10, 2), SECRET), np.arange(10) % 2 + 0.0
    X[0, 0] = 0
    cases: dict[str, tuple[Any, Any]] = {
        "one dimension": (X[:, 0], y),
        "nan": (np.where(X == 0, np.nan, X), y),
        "complex": (X + 1j, y),
        "lengths": (X, y[:-1]),
        "empty": (X[:0], y[:0]),
        "y complex": (X, y + SECRET * 1j),
        "y nan": (X, np.where(y == 0, np.nan, SECRET)),
    }
    ledger = Ledger(epsilon=100)
    given = schema() if source == "declared" else "from_data"
    classifier = PrivateClassifier("stumps", schema=given, ledger=ledger)
    with pytest.raises(ValueError) as caught:
        classifier.fit(*cases[fault])
    assert str(SECRET)[:5] not in str(caught.value)
    assert ledger.spent.epsilon == 0


def test_a_record_to_predict_is_not_shown_either() -> None:
    gap = float("nan")
    classifier = PrivateClassifier("stumps", schema="from_data").fit(table(), old())
    for X in ([SECRET, SECRET], [[SECRET + 1j, 0]], [[SECRET, gap], [gap, SECRET]], [[SECRET]]):
        with pytest.raises(ValueError) as caught:
            classifier.predict(X)
        assert str(SECRET)[:5] not in str(caught.value)


def test_a_refit_forgets_the_first_table() -> None:
    classifier = fitted()
    classifier.set_params(schema="from_data", concepts="stumps").fit(table()[:, :1], old())
    assert classifier.n_features_in_ == 1
    assert not hasattr(classifier, "feature_names_in_")


def test_the_stored_certificate_answers_and_can_be_checked() -> None:
    certificate = fitted(epsilon="0.1").certificate_
    assert (certificate.epsilon, certificate.delta) == (Fraction(1, 10), 0)
    assert certificate.explain().startswith("Privacy")
    assert certificate.verify() > 0
    assert repr(certificate) == "<Certificate: epsilon 0.1, delta 0, for release>"
    tree = certificate.to_json()
    assert StoredCertificate(tree) == certificate
    tree["epsilon"] = "0.05"
    assert certificate.epsilon == Fraction(1, 10)
    with pytest.raises(NotCertified):
        StoredCertificate(tree).verify()


def test_class_weights_are_costs_by_the_name_of_the_class() -> None:
    weighted = fitted(concepts="stumps", class_weight={1: 5}, random_state=3)
    priced = fitted(concepts="stumps", costs=(1, 5), random_state=3)
    assert weighted.model_.to_json() == priced.model_.to_json()
    for weights, costs in (({}, [1, 1]), ({0: 0.5}, [1, 2]), ({0: 1000, 1: 1e-4}, [1000, 1])):
        model = fitted(concepts="stumps", class_weight=weights, random_state=3).model_
        assert model.certificate["request"]["costs"] == costs


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"class_weight": "balanced"}, r"read from the records.*base_rate"),
        ({"class_weight": {0: 1}, "costs": (1, 2)}, "left out where costs are given"),
        ({"class_weight": 5}, "whole numbers by class"),
        ({"class_weight": {0: -0.5}}, "positive"),
        ({"class_weight": {0: "many"}}, "positive"),
    ],
)
def test_other_class_weights_are_refused_uncharged(options: dict[str, Any], words: str) -> None:
    ledger = Ledger(epsilon=100)
    with pytest.raises(ParameterError) as refused:
        fitted(concepts="stumps", ledger=ledger, **options)
    assert refused.value.parameter == "class_weight"
    assert ledger.spent.epsilon == 0


@pytest.mark.parametrize("classes", [("old", "young"), ("young", "old")])
def test_whole_numbers_count_the_sorted_classes_where_no_class_is_one(classes: tuple[str, str]) -> None:
    texts, numbers = np.where(old() == 1, "old", "young"), 1 - old()  # "old" comes first
    by_name = fitted(concepts="stumps", schema=schema(*classes), random_state=1).fit(table(), texts)
    by_number = fitted(concepts="stumps", schema=schema(*classes), random_state=1).fit(table(), numbers)
    assert by_number.hypothesis_ == by_name.hypothesis_
    assert by_number.classes_.tolist() == [0, 1]
    assert (by_name.classes_[by_number.predict(table())] == by_name.predict(table())).all()
    for wrong in (numbers + 1, numbers - 2, numbers == 1, numbers + 0.0):
        with pytest.raises(DataError) as refused:
            fitted(schema=schema(*classes)).fit(table(), wrong)
        assert refused.value.column == "ill"
    some = np.where(np.arange(300) % 3 == 0, -1, numbers)
    few = fitted(concepts="stumps", schema=schema(*classes), method="plain").fit(table(), some)
    assert (few.predict(table()) == numbers).mean() > 0.9


def test_whole_numbers_are_classes_where_some_class_is_one() -> None:
    with pytest.raises(DataError) as refused:
        fitted(schema=schema(1, 2)).fit(table(), old())
    assert refused.value.column == "ill"
