"""Answers that were declared and paid for beforehand: the bundle's own ledger counts them, here and everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from privpac import BudgetExceeded, Ledger, PrivatePredictor
from privpac.answering.bundle.bundle import METER, load
from privpac.errors import ParameterError
from privpac.service.access import keys
from privpac.service.app import create_app
from privpac.service.serving import Service, ledger_url
from privpac.service.settings import Settings
from tests.service.asking import AGES, SCHEMA, row


@pytest.fixture
def declared(tmp_path: Path) -> Path:
    table = {"age": AGES, "kind": ["u", "v"] * (len(AGES) // 2)}
    predictor = PrivatePredictor(
        "predict-by-vote:thresholds:age", "0.1", 100, schema=SCHEMA, models=3, answers=3, random_state=1
    )
    predictor.fit(table, y=["yes" if age >= 60 else "no" for age in AGES]).save(tmp_path / "bundle")
    return tmp_path / "bundle"


def test_the_declared_number_is_given_once_by_whoever_asks(declared: Path) -> None:
    """One by `privpac predict`'s way, two by the service, and then neither gives another."""
    load(declared).predictor().predict({"age": [1], "kind": ["u"]})
    settings = Settings(str(declared), pages=False)
    service = Service.open(settings)
    assert service.store.where == str((declared / METER).resolve())
    _, key = keys.create(service.store, role="analyst")
    headers = {"Authorization": f"Bearer {key}"}
    with TestClient(create_app(settings, service=service)) as client:
        reply = client.post("/v1/predict", json={"rows": [row(2), row(3)]}, headers=headers)
        assert reply.json()["left"] == {"epsilon": "0", "answers": 0}
        refused = client.post("/v1/predict", json={"rows": [row(4)]}, headers=headers)
        assert refused.json()["error"]["code"] == "dataset_budget"
        assert client.post("/v1/predict", json={"rows": [row(3)]}, headers=headers).status_code == 200
    with pytest.raises(BudgetExceeded):
        load(declared).predictor().predict({"age": [5], "kind": ["u"]})
    Ledger.open(declared / METER).verify()


def test_another_ledger_is_refused_and_none_is_made(declared: Path, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="counts them itself"):
        Service.open(Settings(str(declared), f"sqlite:///{tmp_path / 'x.db'}"), epsilon=1)
    assert not (tmp_path / "x.db").exists()


def test_a_password_is_not_repeated(declared: Path) -> None:
    with pytest.raises(ParameterError) as refused:
        ledger_url(load(declared), "postgresql+psycopg://me:hunter2@host/db")
    assert "hunter2" not in str(refused.value)
