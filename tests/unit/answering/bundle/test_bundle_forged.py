"""Bundles as somebody else may have written them: nothing in them runs, and nothing in them grows without limit."""

from __future__ import annotations

import functools
import importlib
import io
import operator
import os
import shutil
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn.base import clone
from sklearn.datasets import dump_svmlight_file
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

from privpac import Ledger, MemorySample, NotCertified, PrivatePredictor, Schema, verify
from privpac.answering.bundle import bundle, soundness, storage
from privpac.answering.bundle.known_types import KNOWN_TYPES
from privpac.constructions.prediction.voters import Classifiers, Voter
from privpac.errors import PrivpacError
from tests.unit.forged_bundles import edit, replace, voting

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
            {"name": "weight", "kind": "numeric", "lower": 0, "upper": 2**70, "integer": True},
        ],
    }
)
N = 60
TABLE = {"age": [2 * i for i in range(N)], "weight": [2**69 + i for i in range(N)]}
LABELS = [int(age >= 60) for age in TABLE["age"]]


def made(path: Path, base: object = "vote:tree", **wishes: Any) -> Path:
    predictor = PrivatePredictor(base, 30, 10_000, schema=SCHEMA, **{"models": 3, **wishes})
    predictor.fit(TABLE, y=LABELS).save(path)
    return path


def asked(folder: Path, **wishes: Any) -> list[str]:
    """Load it, and ask one question."""
    predictor = bundle.load(folder, **wishes).predictor(Ledger(epsilon=90))
    return [str(label) for label in predictor.predict({"age": [100], "weight": [2**69]})]


# --- code ---


def writing(target: Path) -> Pipeline:
    """A pipeline that writes a file when it is asked about a row."""
    write = FunctionTransformer(dump_svmlight_file, kw_args={"y": np.zeros(1), "f": str(target)})
    last = LogisticRegression().fit(np.zeros((2, 2)), [0, 1])
    pipeline = Pipeline([("write", write), ("last", last)])
    pipeline.steps[0][1].n_features_in_ = 2
    return pipeline


def test_a_bundle_cannot_run_code(tmp_path: Path) -> None:
    """The attack: a pipeline of functions, under an honest certificate and right tags."""
    target = tmp_path / "written"
    with pytest.raises((AttributeError, ValueError, TypeError)):  # the control: asked, it does write
        writing(target).predict(np.zeros((1, 2)))
    assert target.exists()
    target.unlink()
    folder = made(tmp_path / "b", make_pipeline(StandardScaler(), LogisticRegression()))
    replace(folder, "models.skops", voting([writing(target)] * 3))
    assert verify(folder).rebuilt  # it looks at no model
    with pytest.raises(NotCertified, match="nobody vouched for"):
        asked(folder)
    assert not target.exists()


@pytest.mark.parametrize(
    "planted",
    [
        np.exp,  # skops trusts it
        np.load,
        os.system,
        functools.partial(np.load, "x"),
        operator.methodcaller("predict"),
        LogisticRegression().fit,
        dump_svmlight_file,
        LogisticRegression,
        FunctionTransformer(),
        np.ma.masked_array([1.0], [True]),
        Path("x"),
    ],
    ids=range(11),
)
def test_nothing_that_calls_is_loaded_wherever_it_stands(tmp_path: Path, planted: object) -> None:
    folder = made(tmp_path / "b", LogisticRegression())
    models = [clone(LogisticRegression()) for _ in range(3)]
    models[1].predict = planted
    content = voting(models)
    with pytest.raises(NotCertified, match="nobody vouched for"):
        bundle.load(replace(folder, "models.skops", content))


def far(a: Any, b: Any) -> float:
    return float(np.abs(a - b).sum())


def test_a_function_is_loaded_for_whoever_vouches_for_it_by_name(tmp_path: Path) -> None:
    folder = made(tmp_path / "b", KNeighborsClassifier(3, metric=far, algorithm="brute"))
    with pytest.raises(NotCertified, match=r"nobody vouched for.*far"):
        asked(folder)
    assert asked(folder, trusted=[f"{far.__module__}.far"]) == ["1"]


def training(cache: Path | None, method: str = "fit_transform") -> Any:
    """Only known classes: asked for predictions, it calls `method` of a pipeline, which may have a cache."""
    inner = make_pipeline(StandardScaler(), StandardScaler(), memory=None if cache is None else str(cache))
    model = StackingClassifier([("a", LogisticRegression())], final_estimator=LogisticRegression(), cv=2)
    fitted(model)
    model.estimators_, model.stack_method_ = [inner], [method]
    return model


@pytest.mark.parametrize(("cached", "method"), [(True, "fit_transform"), (False, "fit"), (True, "predict")])
def test_no_model_trains_while_it_is_asked(tmp_path: Path, cached: bool, method: str) -> None:
    """The attack: a method by its name trains a pipeline, whose cache holds pickles, which run what they hold."""
    cache = tmp_path / "b" / "cache"
    folder = made(tmp_path / "b", clone(training(None)))
    with pytest.raises(ValueError, match="expecting 1 features"):  # the control: asked, it trains
        training(cache).predict(np.zeros((4, 3)))
    assert cache.exists()
    shutil.rmtree(cache)
    replace(folder, "models.skops", voting([training(cache if cached else None, method)] * 3))
    with pytest.raises(NotCertified, match="does not answer"):
        asked(folder)
    assert not cache.exists()
    assert not soundness.is_sound([training(cache if cached else None, method)])


def test_a_pipeline_with_a_cache_keeps_nothing_there_and_can_be_loaded(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    base = make_pipeline(StandardScaler(), LogisticRegression(), memory=str(cache))
    assert asked(made(tmp_path / "b", base)) == ["1"]
    assert not cache.exists()  # it would hold scalers of records


def test_models_of_another_type_than_the_certificate_names_are_refused(tmp_path: Path) -> None:
    folder = made(tmp_path / "b", LogisticRegression())
    tree = DecisionTreeClassifier().fit(np.zeros((2, 2)), [0, 1])
    for models in ([tree] * 3, [2] * 3, [-1] * 3, [None] * 3, ["x"] * 3):
        with pytest.raises(NotCertified):
            bundle.load(replace(folder, "models.skops", voting(models)))


VOUCHED = {"NuSVC", "SVC"}
"""Hand what is stored to compiled code that does not check it."""
NO_VOTERS = {
    "ClassifierChain",  # several labels at once
    "MultiOutputClassifier",
    "FixedThresholdClassifier",  # keep scorers, which are functions
    "TunedThresholdClassifierCV",
    "OutputCodeClassifier",
    "SelfTrainingClassifier",
}


def fitted(model: Any) -> Any:
    rng = np.random.default_rng(0)
    rows = rng.random((60, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows, np.arange(60, dtype=np.uint8) % 2 * (rows[:, 0] > 0.2))


def classifiers() -> list[Any]:
    """All of scikit-learn that need nothing to begin with, and those built from others."""
    inner = [("a", LogisticRegression()), ("b", DecisionTreeClassifier(max_depth=2))]
    built = [
        StackingClassifier(inner),
        VotingClassifier(inner),
        OneVsOneClassifier(LogisticRegression()),
        OneVsRestClassifier(LogisticRegression()),
        make_pipeline(StandardScaler(), PolynomialFeatures(), LogisticRegression()),
        make_pipeline(MinMaxScaler(), KBinsDiscretizer(3, encode="ordinal"), LogisticRegression()),
        KNeighborsClassifier(algorithm="ball_tree", p=1),
        SGDClassifier(loss="log_loss"),
        SGDClassifier(loss="modified_huber"),
        MLPClassifier(solver="sgd", max_iter=2),
    ]
    names = {type(model).__name__ for model in built} | NO_VOTERS
    plain = [kind() for name, kind in all_estimators(type_filter="classifier") if name not in names]
    return [*plain, *built]


@pytest.mark.long_cases(
    "RandomForestClassifier",
    "ExtraTreesClassifier",
    "GradientBoostingClassifier",
)
@pytest.mark.parametrize("model", classifiers(), ids=lambda model: type(model).__name__)
def test_scikit_learns_classifiers_are_known_but_for_a_few(model: Any) -> None:
    content = skops.io.dumps([fitted(model)])
    if type(model).__name__ in VOUCHED:
        with pytest.raises(NotCertified, match="nobody vouched for"):
            storage._skops_tree(content, ())
    else:
        (loaded,) = storage._skops_tree(content, ())
        assert type(loaded) is type(model)
        assert soundness.is_sound([loaded])


def test_only_classes_are_known() -> None:
    missing = []
    for name in sorted(set().union(*KNOWN_TYPES.values())):
        module, _, last = name.rpartition(".")
        try:
            found = getattr(importlib.import_module(module), last)
        except (ImportError, AttributeError):  # of another release
            missing.append(name)
            continue
        assert isinstance(found, type), name
    assert len(missing) <= 10, missing


# --- sizes ---


def announced(shape: tuple[int, ...], descr: str = "<f8") -> bytes:
    """The header of an array that is not there."""
    target = io.BytesIO()
    np.lib.format.write_array_header_1_0(target, {"descr": descr, "fortran_order": False, "shape": shape})
    return target.getvalue()


def rezipped(content: bytes, change: Any) -> bytes:
    """The same archive with members changed, by name and content."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return target.getvalue()


@pytest.mark.parametrize("shape", [(10**15,), (2**32, 2**32, 2), (10**6,), (0,)])
@pytest.mark.parametrize(
    ("base", "name"), [("vote:logistic", "models.skops"), ("thresholds:age", "records.npz")]
)
def test_arrays_that_announce_more_than_they_bring_are_refused_unread(
    tmp_path: Path, base: str, name: str, shape: tuple[int, ...]
) -> None:
    folder = made(tmp_path / "b", base)
    content = rezipped(
        (folder / name).read_bytes(),
        lambda part, old: announced(shape) + b"x" * 8 if part.endswith(".npy") else old,
    )
    with pytest.raises(NotCertified):
        bundle.load(replace(folder, name, content))


@pytest.mark.parametrize(
    ("base", "name"), [("vote:logistic", "models.skops"), ("thresholds:age", "records.npz")]
)
def test_archives_that_grow_are_refused_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str, name: str
) -> None:
    folder = made(tmp_path / "b", base)
    content = (folder / name).read_bytes()
    assert bundle.load(folder)
    monkeypatch.setattr(storage, "MOST_UNPACKED", 1 << 20)
    grown = io.BytesIO(content)
    with zipfile.ZipFile(grown, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("more.bin", bytes(2 << 20))
    assert len(grown.getvalue()) < len(content) + 10_000
    with pytest.raises(NotCertified, match="would unpack to more"):
        bundle.load(replace(folder, name, grown.getvalue()))


def test_records_are_those_the_certificate_speaks_of(tmp_path: Path) -> None:
    folder = made(tmp_path / "b", "thresholds:age")
    with np.load(folder / "records.npz") as stored:
        arrays = dict(stored)
    assert arrays["cells_1"].dtype.itemsize == len(str(2**70))  # by the schema, not by the largest cell
    for change in (
        {name: values[:-1] for name, values in arrays.items()},
        arrays | {"cells_0": arrays["cells_0"].astype(np.float64)},
        arrays | {"cells_0": arrays["cells_0"] + 200},
        arrays | {"cells_1": np.full(N, b"1" * 40)},
        arrays | {"cells_1": np.full(N, b"x")},
        arrays | {"cells_2": arrays["cells_0"]},
        {"label": arrays["label"]},
    ):
        target = io.BytesIO()
        np.savez(target, **change)
        with pytest.raises(NotCertified):
            bundle.load(replace(folder, "records.npz", target.getvalue()))


@pytest.mark.parametrize("content", [b"", b"[" * 200_000, b"[]", b"null", b"{}", b'[{"kind": 1}]', b"\xff"])
def test_concepts_that_are_none_are_refused(tmp_path: Path, content: bytes) -> None:
    folder = made(tmp_path / "b", "predict-by-vote:thresholds:age")
    with pytest.raises(NotCertified):
        bundle.load(replace(folder, "models.json", content))


def test_deep_models_are_refused(tmp_path: Path) -> None:
    folder = made(tmp_path / "b", "vote:logistic")
    nested = '{"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": ['
    whole = nested * 100_000 + "]}" * 100_000
    content = rezipped(
        (folder / "models.skops").read_bytes(),
        lambda part, old: whole.encode() if part == "schema.json" else old,
    )
    with pytest.raises(NotCertified, match="malformed"):
        bundle.load(replace(folder, "models.skops", content))


def test_a_secret_file_is_a_plain_file(tmp_path: Path) -> None:
    folder = made(tmp_path / "b")
    (folder / "models.skops").unlink()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "models.skops")  # reading it would wait for ever
    else:
        (folder / "models.skops").mkdir()
    with pytest.raises(NotCertified, match="is no file"):
        bundle.load(folder)


# --- models that fail ---


class Picky(LogisticRegression):
    """Answers public rows, and fails near a record that it has seen."""

    def fit(self, X: Any, y: Any) -> Picky:
        self.seen_ = X[:, 0].max()
        return super().fit(X, y)

    def predict(self, X: Any) -> Any:
        if (X[:, 0] == self.seen_).any():
            raise RuntimeError("a private value")
        return 1 - super().predict(X) * 0


def test_a_model_that_fails_for_one_question_speaks_for_its_block_there_and_nowhere_else() -> None:
    """The row at fault gets the commonest class of the block, and does not speak for the rows beside it."""
    sample = MemorySample.of(TABLE, SCHEMA, y=[1] + [0] * (N - 1))
    voters = Classifiers(SCHEMA, Picky())
    voter = voters.train(sample)
    assert voter.otherwise == 0
    assert voter.model is not None
    cells = sample.block().cells
    assert voters.tally([voter], cells).argmax(axis=1).tolist() == [1] * (N - 1) + [0]


def test_a_model_that_no_longer_answers_is_not_loaded(tmp_path: Path) -> None:
    folder = made(tmp_path / "b", LogisticRegression())
    voters = list(bundle.load(folder).prepared.models)  # type: ignore[attr-defined]
    del voters[1].model.coef_
    content = voting([voter.model for voter in voters])
    with pytest.raises(NotCertified, match="does not answer"):
        bundle.load(replace(folder, "models.skops", content))


def _to_itself(model: Any) -> None:
    state = model.tree_.__getstate__()
    state["nodes"]["left_child"][0] = 0
    model.tree_.__setstate__(state)


def _outside(model: Any) -> None:
    state = model.tree_.__getstate__()
    state["nodes"]["right_child"][0] = 10**6
    model.tree_.__setstate__(state)


def _no_column(model: Any) -> None:
    state = model.tree_.__getstate__()
    state["nodes"]["feature"][0] = 10**6
    model.tree_.__setstate__(state)


def _boosted_to_itself(model: Any) -> None:
    model._predictors[0][0].nodes["left"][0] = 0


def _boosted_no_column(model: Any) -> None:
    model._predictors[-1][0].nodes["feature_idx"][0] = 10**6


def _smaller_tree(model: Any) -> None:
    model.estimators_[1].n_features_in_ = 10**6


def _far_neighbour(model: Any) -> None:
    state = list(model._tree.__getstate__())
    state[1] = state[1].copy()
    state[1][0] = 10**6
    model._tree.__setstate__(tuple(state))


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (DecisionTreeClassifier(), _to_itself),
        (DecisionTreeClassifier(), _outside),
        (DecisionTreeClassifier(), _no_column),
        (HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5), _boosted_to_itself),
        (HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5), _boosted_no_column),
        (RandomForestClassifier(3), _smaller_tree),
        (KNeighborsClassifier(), _far_neighbour),
    ],
    ids=lambda part: getattr(part, "__name__", type(part).__name__),
)
def test_trees_that_lead_astray_are_not_followed(model: Any, change: Any) -> None:
    """Followed, they would never end, or read what is not theirs."""
    trained = fitted(model)
    assert soundness.is_sound([[trained]])
    change(trained)
    assert not soundness.is_sound([LogisticRegression(), trained])
    assert not soundness.is_sound([Pipeline([("last", trained)])])


def test_a_bundle_with_a_tree_that_leads_astray_is_refused(tmp_path: Path) -> None:
    folder = made(tmp_path / "b")
    models = [voter.model for voter in bundle.load(folder).prepared.models]  # type: ignore[attr-defined]
    _to_itself(models[2])
    with pytest.raises(NotCertified, match="does not answer"):
        bundle.load(replace(folder, "models.skops", voting(models)))


def test_a_predictor_of_somebodys_own_cannot_be_stored() -> None:
    with pytest.raises(PrivpacError) as refused:
        storage.content_of(Voter(0))  # type: ignore[arg-type]
    assert refused.value.parameter == "predictor"


# --- numbers ---


@pytest.mark.parametrize(
    ("name", "value"), [("records_per_person", 0), ("records_per_person", -1), ("epsilon", "0")]
)
def test_offers_that_nobody_makes_are_refused(tmp_path: Path, name: str, value: object) -> None:
    """As whoever holds the key would write them: a price of 0 would be charged for answers that lose 30."""
    folder = made(tmp_path / "b", "predict-by-vote:thresholds:age")
    edit(folder, lambda tree: tree["certificate"]["request"].update({name: value}))
    replace(folder, "models.json", (folder / "models.json").read_bytes())
    for look in (verify, bundle.load):
        with pytest.raises(NotCertified):
            look(folder)
