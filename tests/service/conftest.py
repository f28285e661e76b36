"""A small bundle, a ledger, and a service over them, for all tests of the service."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from privpac import PrivatePredictor
from privpac.coins import SeededCoins
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.service.access import keys
from privpac.service.app import create_app
from privpac.service.serving import Service
from privpac.service.settings import Limits, Settings
from privpac.service.store import migrating
from tests.service.asking import AGES, PRICE, SCHEMA, Served


@pytest.fixture(scope="session")
def made_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three thresholds that vote; made once."""
    path = tmp_path_factory.mktemp("bundle") / "bundle"
    table = {"age": AGES, "kind": ["u", "v"] * (len(AGES) // 2)}
    predictor = PrivatePredictor(
        "predict-by-vote:thresholds:age", PRICE, 100, schema=SCHEMA, models=3, random_state=1
    )
    predictor.fit(table, y=["yes" if age >= 60 else "no" for age in AGES]).save(path)
    return path


@pytest.fixture(scope="session")
def made_ledger(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Fraction], Path]:
    """A ledger with the service's tables, which take longer to make than most tests; made once for each total."""

    @cache
    def made(epsilon: Fraction) -> Path:
        path = tmp_path_factory.mktemp("ledger") / "ledger.db"
        store = SqlStore.create(f"sqlite:///{path}", promises=Promises(epsilon))
        migrating.prepare(store, upgrade=True)
        store.close()
        assert [file.name for file in path.parent.iterdir()] == [path.name]  # all of it is in one file
        return path

    return made


@pytest.fixture
def serve(
    made_bundle: Path, made_ledger: Callable[[Fraction], Path], tmp_path: Path
) -> Iterator[Callable[..., Served]]:
    """Start a service; with `epsilon` as the dataset's budget."""
    running: list[TestClient] = []

    def start(epsilon: Any = 10, *, seed: int | None = None, **limits: Any) -> Served:
        bundle = tmp_path / "bundle"
        if not bundle.exists():
            shutil.copytree(made_bundle, bundle)
        url = f"sqlite:///{tmp_path / 'ledger.db'}"
        if not (tmp_path / "ledger.db").exists():
            shutil.copy(made_ledger(Fraction(epsilon)), tmp_path / "ledger.db")
        settings = Settings(str(bundle), url, limits=Limits(**{"requests_per_second": 1e6, **limits}))
        service = Service.open(settings)
        if seed is not None:
            service = Service(settings, service.bundle, service.store, coins=SeededCoins(seed))
        client = TestClient(create_app(settings, service=service), raise_server_exceptions=False)
        client.__enter__()
        running.append(client)
        _, analyst = keys.create(service.store, role="analyst", name="ann")
        _, owner = keys.create(service.store, role="owner", name="olga")
        return Served(client, service, analyst, owner, tmp_path / "ledger.db")

    yield start
    for client in running:
        client.__exit__(None, None, None)


@pytest.fixture
def served(serve: Callable[..., Served]) -> Served:
    return serve()
