"""Bundles: whole or not at all, closed to others, refused when changed, and never a pickle."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from typer.testing import CliRunner

from privpac import BudgetExceeded, Ledger, NotCertified, PrivatePredictor, Schema, verify
from privpac.answering.bundle import bundle
from privpac.checker.document import digest
from privpac.cli.app import app
from privpac.constructions.prediction.forms import CLASSIFIERS
from privpac.errors import ParameterError, PrivpacError

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 120, "integer": True},
            {"name": "kind", "kind": "categorical", "categories": ["u", "v"]},
            {"name": "wide", "kind": "numeric", "lower": 0, "upper": 2**70, "integer": True},
        ],
    }
)
N = 300


def table() -> dict[str, list[object]]:
    return {
        "age": [i % 100 for i in range(N)],
        "kind": ["u", "v"] * (N // 2),
        "wide": [2**65 + i for i in range(N)],
    }


def rows(*ages: int) -> dict[str, list[object]]:
    return {"age": list(ages), "kind": ["u"] * len(ages), "wide": [2**65] * len(ages)}


def made(path: Path, base: object = "vote:logistic", price: object = 30, **wishes: Any) -> Path:
    wishes = {"schema": SCHEMA, "models": 3, **wishes}
    predictor = PrivatePredictor(base, price, 10_000, **wishes)
    predictor.fit(table(), y=[int(i % 100 >= 60) for i in range(N)]).save(path)
    return path


@pytest.mark.long_cases(
    "vote:forest",
    "predict-by-vote:thresholds:age",
)
@pytest.mark.parametrize(
    "base",
    [*(f"vote:{name}" for name in CLASSIFIERS if name != "boosting"), "predict-by-vote:thresholds:age"],
)
def test_a_bundle_answers_as_what_it_was_made_from(tmp_path: Path, base: str) -> None:
    loaded = bundle.load(made(tmp_path / "b", base))
    assert loaded.schema == SCHEMA
    ledger = Ledger(epsilon=300)
    assert loaded.predictor(ledger).predict(rows(5, 95, 5)).tolist() == [0, 1, 0]
    assert ledger.spent.epsilon == 60
    assert verify(tmp_path / "b").rebuilt
    if base.startswith("vote"):
        assert loaded.offer.predictor.to_json()["voters"]["type"].startswith("sklearn.")


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    folder = made(tmp_path / "b", answers=10)
    bundle.load(folder).predictor().predict(rows(1))
    if os.name == "posix":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        for file in folder.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name


def test_what_stands_in_it_and_that_it_is_no_pickle(tmp_path: Path) -> None:
    folder = made(tmp_path / "b", answers=10)
    assert {file.name for file in folder.iterdir()} == {
        "bundle.json",
        "secret.json",
        "models.skops",
        "meter.sqlite",
    }
    tree = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
    assert set(tree) == {"format", "version", "schema", "certificate", "id", "digest"}
    assert tree["format"] == "privpac-bundle/2"
    assert (folder / "models.skops").read_bytes()[:2] == b"PK"
    assert b"pickle" not in (folder / "models.skops").read_bytes()


def test_answers_and_counts_outlive_the_process_and_are_shared(tmp_path: Path) -> None:
    folder = made(tmp_path / "b", price=1, answers=5)
    first = bundle.load(folder).predictor().predict(rows(1, 2, 3))
    again = bundle.load(folder).predictor()
    assert again.answers_given == 3
    assert again.answers_left == 2
    assert again.predict(rows(3, 1)).tolist() == [first[2], first[0]]
    with pytest.raises(BudgetExceeded, match="room for 2; 3 were"):
        again.predict(rows(4, 5, 6))
    assert again.answers_left == 2


def _ask(folder: str, first: int, given: Any) -> None:
    predictor = bundle.load(folder).predictor()
    count = 0
    for age in range(first, first + 12):
        try:
            predictor.predict(rows(age))
            count += 1
        except BudgetExceeded:
            pass
    given.put(count)


@pytest.mark.long
def test_processes_share_the_meter_of_a_bundle(tmp_path: Path) -> None:
    folder = made(tmp_path / "b", "predict-by-vote:thresholds:age", 1, answers=15)
    spawn = multiprocessing.get_context("spawn")
    given = spawn.Queue()
    workers = [spawn.Process(target=_ask, args=(str(folder), 50 * i, given)) for i in range(2)]
    for worker in workers:
        worker.start()
    counts = [given.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join(timeout=60)
    assert sum(counts) == 15
    assert bundle.load(folder).predictor().answers_given == 15


def test_declared_answers_need_no_ledger_and_others_do(tmp_path: Path) -> None:
    declared = bundle.load(made(tmp_path / "a", answers=3))
    with pytest.raises(ParameterError) as refused:
        declared.predictor(Ledger(epsilon=1))
    assert refused.value.parameter == "ledger"
    single = bundle.load(made(tmp_path / "b"))
    with pytest.raises(ParameterError) as refused:
        single.predictor()
    assert refused.value.parameter == "ledger"


def test_saving_hands_over_and_never_twice(tmp_path: Path) -> None:
    predictor = PrivatePredictor("vote:logistic", 1, 10, schema=SCHEMA, models=3)
    predictor.fit(table(), y=[i % 2 for i in range(N)]).save(tmp_path / "b")
    with pytest.raises(PrivpacError, match="Call fit first"):
        predictor.predict(rows(1))
    used = PrivatePredictor("vote:logistic", 1, 10, schema=SCHEMA, models=3).fit(
        table(), y=[i % 2 for i in range(N)]
    )
    used.predict(rows(1))
    with pytest.raises(PrivpacError, match="has given answers already"):
        used.save(tmp_path / "c")
    with pytest.raises(ParameterError) as refused:
        made(tmp_path / "b")
    assert refused.value.parameter == "out"
    with pytest.raises(ParameterError) as refused:
        made(tmp_path / "no" / "b")
    assert refused.value.parameter == "out"


# --- changed bundles ---


def _edit(folder: Path, change: Any, *, sealed: bool = True) -> None:
    path = folder / "bundle.json"
    tree = json.loads(path.read_text(encoding="utf-8"))
    change(tree)
    if sealed:
        tree["digest"] = digest(tree)
    path.write_text(json.dumps(tree), encoding="utf-8")


def test_a_changed_description_is_refused(tmp_path: Path) -> None:
    folder = made(tmp_path / "b")
    _edit(folder, lambda tree: tree.update(version="0"), sealed=False)
    for look in (bundle.load, verify):
        with pytest.raises(NotCertified, match="digest"):
            look(folder)


def test_changed_or_missing_models_are_refused(tmp_path: Path) -> None:
    folder = made(tmp_path / "b")
    content = (folder / "models.skops").read_bytes()
    (folder / "models.skops").write_bytes(content[:-1] + b"x")
    for look in (bundle.load, verify):
        with pytest.raises(NotCertified, match="was changed after"):
            look(folder)
    (folder / "models.skops").unlink()
    with pytest.raises(NotCertified, match="missing"):
        bundle.load(folder)


def _cheaper(tree: dict[str, Any]) -> None:
    tree["certificate"]["request"]["epsilon"] = "0.1"


def _more(tree: dict[str, Any]) -> None:
    tree["files"] = {"../models.skops": "sha256:0"}


def _nameless(tree: dict[str, Any]) -> None:
    tree["id"] = None


def _other_models(tree: dict[str, Any]) -> None:
    tree["certificate"]["request"]["predictor"]["models"] = 2


def _unknown(tree: dict[str, Any]) -> None:
    tree["certificate"]["request"]["predictor"]["kind"] = "oracle"


def test_a_forged_offer_is_not_verified(tmp_path: Path) -> None:
    for i, change in enumerate((_cheaper, _other_models, _unknown, _more, _nameless)):
        folder = made(tmp_path / f"b{i}")
        _edit(folder, change)
        with pytest.raises(NotCertified):
            verify(folder)
    for i in (1, 2, 3, 4):
        with pytest.raises(NotCertified):
            bundle.load(tmp_path / f"b{i}")


class Mine(LogisticRegression):
    """A classifier of somebody's own."""


def test_models_of_an_unknown_type_must_be_vouched_for(tmp_path: Path) -> None:
    folder = made(tmp_path / "b", Mine())
    with pytest.raises(NotCertified, match="nobody vouched for"):
        bundle.load(folder)
    name = f"{Mine.__module__}.{Mine.__qualname__}"
    loaded = bundle.load(folder, trusted=[name])
    assert loaded.predictor(Ledger(epsilon=60)).predict(rows(2)).tolist() == [0]


@pytest.mark.parametrize(
    "base",
    [RandomForestClassifier(n_estimators=3), HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=5)],
)
def test_models_of_many_types_are_known(tmp_path: Path, base: object) -> None:
    folder = made(tmp_path / "b", base)
    assert bundle.load(folder).predictor(Ledger(epsilon=60)).predict(rows(99)).tolist() == [1]


# --- on the command line ---


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [f"{i % 100},{'uv'[i % 2]},{2**65 + i},{int(i % 100 >= 60)}" for i in range(N)]
    (tmp_path / "data.csv").write_text("age,kind,wide,ill\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "new.csv").write_text(
        f"age,kind,wide\n3,u,{2**65}\n97,v,{2**66}\n3,u,{2**65}\n", encoding="utf-8"
    )
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA.to_json()), encoding="utf-8")
    return tmp_path


def _run(*words: str) -> Any:
    return CliRunner().invoke(app(), list(words))


LEARN = ("learn", "data.csv", "--schema", "schema.json", "--protect", "predictions", "--models", "3")


def test_learn_predict_and_verify_a_bundle(files: Path) -> None:
    Ledger(epsilon=100, path=files / "ledger.db")
    assert _run(*LEARN, "--epsilon", "20", "--out", "b").exit_code == 0
    result = _run("predict", "b", "new.csv", "--ledger", "ledger.db", "--json")
    assert result.exit_code == 0, result.output
    tree = json.loads(result.stdout)
    assert tree["predictions"] == [0, 1, 0]
    assert (tree["new_answers"], tree["answers_left"]) == (2, 3)
    assert Ledger.open(files / "ledger.db").spent.epsilon == 40
    assert "20" in _run("verify", "b").stdout
    refused = _run("predict", "b", "data.csv", "--ledger", "ledger.db")
    assert refused.exception is not None or refused.exit_code == 3
    assert Ledger.open(files / "ledger.db").spent.epsilon == 40


def test_declared_answers_are_charged_when_the_bundle_is_made(files: Path) -> None:
    Ledger(epsilon=6, delta="1e-6", reserved_delta="1e-6", path=files / "ledger.db")
    wishes = ("--epsilon", "0.1", "--delta", "1e-6", "--answers", "60", "--ledger", "ledger.db")
    assert _run(*LEARN, *wishes, "--out", "b").exit_code == 0
    spent = Ledger.open(files / "ledger.db").spent
    assert 2 < float(spent.epsilon) < 6
    assert spent.delta <= Fraction(1, 10**6)
    assert json.loads(_run("predict", "b", "new.csv", "--json").stdout)["answers_left"] == 58
    wrong = _run("predict", "b", "new.csv", "--ledger", "ledger.db")
    assert wrong.exit_code != 0


def test_a_seed_is_told(files: Path) -> None:
    result = _run(*LEARN, "--epsilon", "1", "--random-state", "3", "--out", "b")
    assert "NOT FOR RELEASE" in result.output
    assert verify(files / "b").for_release is False
