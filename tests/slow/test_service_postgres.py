"""The service over a real PostgreSQL: the same answers, charges and refusals as over a file."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import httpx
import pytest
from alembic import command

from privpac import Ledger, PrivatePredictor
from privpac.errors import PrivpacError
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.service.access import keys
from privpac.service.app import create_app
from privpac.service.serving import Service
from privpac.service.settings import Limits, Settings
from privpac.service.store import migrating
from tests.service.asking import AGES, SCHEMA, row
from tests.slow.postgres import postgres


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres() as address:
        SqlStore.create(address, promises=Promises(Fraction(6)))
        yield address


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("bundle") / "bundle"
    table = {"age": AGES, "kind": ["u", "v"] * (len(AGES) // 2)}
    predictor = PrivatePredictor("predict-by-vote:thresholds:age", "0.5", 100, schema=SCHEMA, models=3)
    predictor.fit(table, y=["yes" if age >= 60 else "no" for age in AGES]).save(path)
    return str(path)


def test_two_services_of_one_database_share_budget_answers_and_replies(url: str, bundle: str) -> None:
    """Two processes' worth of services, each with a thread that commits, asked at the same time."""
    settings = Settings(bundle, url, limits=Limits(requests_per_second=1e6))
    services = [Service.open(settings) for _ in range(2)]
    _, key = keys.create(services[0].store, role="analyst", epsilon="5.5")
    headers = {"Authorization": f"Bearer {key}"}

    async def ask_all() -> list[tuple[int, int, httpx.Response]]:
        apps = [create_app(settings, service=service) for service in services]
        clients = [httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://s") for app in apps]
        for service in services:
            service.start()

        async def ask(place: int, age: int) -> tuple[int, int, httpx.Response]:
            body = {"rows": [row(age)], "idempotency_key": f"{age}"}
            return place, age, await clients[place].post("/v1/predict", json=body, headers=headers)

        replies = await asyncio.gather(*(ask(place, age) for age in range(16) for place in range(2)))
        for client in clients:
            await client.aclose()
        return list(replies)

    replies = asyncio.run(ask_all())
    answered: dict[int, set[bytes]] = {}
    for _, age, reply in replies:
        assert reply.status_code in (200, 429)
        if reply.status_code == 200:
            answered.setdefault(age, set()).add(reply.content)
    assert len(answered) == 11
    assert all(len(contents) == 1 for contents in answered.values())
    book = Ledger.over(services[0].store)
    book.verify()
    assert str(book.spent) == "epsilon 5.5"
    assert len(book.entries()) == 11
    assert keys.listed(services[0].store)[0].left == 0
    for service in services:
        assert service.ready()
        service.stop()


def test_older_tables_are_only_brought_up_to_date_when_told(url: str, bundle: str, tmp_path: Path) -> None:
    store = SqlStore.open(url)
    migrating.prepare(store, upgrade=False)
    with store.transact() as transaction:
        config = migrating._config()
        config.attributes["connection"] = transaction.connection
        command.downgrade(config, "0001")  # as the first version made them
    assert not migrating.is_current(store)
    with pytest.raises(PrivpacError, match="--migrate"):
        Service.open(Settings(bundle, url))
    migrating.prepare(store, upgrade=True)
    assert migrating.is_current(store)
    store.close()
