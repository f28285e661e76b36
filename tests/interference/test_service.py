"""The service: every status, header, body, page, metric and line of the log depends on the answers alone."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.service.access import keys
from privpac.service.app import create_app
from privpac.service.serving import Service
from privpac.service.settings import Limits, Settings
from privpac.service.watch.observing import LOGGER
from tests.interference.artefacts import text
from tests.interference.books import new_book, without_passing
from tests.interference.coins import SteadyCoins, steady
from tests.interference.comparing import Artefacts, Refused, Result, compared
from tests.interference.tables import FEW, SCHEMA, TABLES, Table
from tests.interference.test_predictions import known_names, predictor, tables_for
from tests.service.asking import Served

__all__ = ["known_names", "steady"]

pytestmark = pytest.mark.usefixtures("steady", "known_names")

BUDGET = 2
"""Room for two answers; a third is refused."""

UNLIKE = {"date", "x-request-id", "set-cookie"}
"""Headers that name the time, the request and the visitor."""

ROWS = [{name: TABLES["base"][name][i] for name in SCHEMA.names} for i in range(3)]

HERE = {"origin": "http://testserver"}

PAGES = (
    "/",
    "/plan",
    "/budget",
    "/certificate",
    "/certificate/service",
    "/certificate/service/certificate.json",
)

READ = (
    "/v1/budget",
    "/v1/certificate",
    "/v1/schema",
    "/openapi.json",
    "/metrics",
    "/healthz",
    "/readyz",
    "/nowhere",
)


@contextmanager
def serving(folder: Path, seed: int) -> Iterator[Served]:
    url = f"sqlite:///{folder / 'ledger.db'}"
    SqlStore.create(url, promises=Promises(Fraction(BUDGET)))
    settings = Settings(str(folder / "bundle"), url, limits=Limits(requests_per_second=1e6))
    opened = Service.open(settings)
    service = Service(settings, opened.bundle, opened.store, coins=SteadyCoins(seed))
    with pytest.MonkeyPatch.context() as patch:
        numbers = count(1)  # keys are listed by when they were made, and then by their random names
        patch.setattr(keys, "_random_hex", lambda length: f"{next(numbers):0{2 * length}x}")
        _, analyst = keys.create(service.store, role="analyst", name="ann")
        _, owner = keys.create(service.store, role="owner", name="olga")
    with TestClient(create_app(settings, service=service), raise_server_exceptions=False) as client:
        yield Served(client, service, analyst, owner, folder / "ledger.db")


def of_reply(served: Served, reply: Response) -> bytes:
    """Status, headers and body."""
    headers = {name: value for name, value in reply.headers.items() if name not in UNLIKE}
    body = reply.text
    if reply.request.url.path == "/metrics":
        body = "\n".join(
            line for line in body.splitlines() if "seconds" not in line and "_created" not in line
        )
        headers.pop("content-length")
    return text([reply.status_code, headers, without_passing(body, served.book)])


@contextmanager
def logged() -> Iterator[list[str]]:
    """Lines of the log without times and names."""
    lines: list[str] = []

    class Keeping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            line = json.loads(record.getMessage())
            for passing in ("time", "request", "milliseconds", "key"):
                line.pop(passing)
            lines.append(json.dumps(line))

    handler, level = Keeping(), LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)


def asked(served: Served) -> tuple[str, dict[str, bytes]]:
    """Answers, and everything that came back: answers, repetitions, and every kind of refusal."""
    wrong: list[tuple[str, Any, str | None]] = [
        ("a row of another form", {"rows": [{"age": 1}]}, None),
        ("no rows", {"rows": []}, None),
        ("no such key", {"rows": ROWS[:1]}, "privpac_000000000000_" + "0" * 64),
    ]
    replies = {
        "answers": served.predict(*ROWS[:2], again="once"),
        "the same again": served.predict(*ROWS[:2], again="once"),
        "known to everybody": served.predict(ROWS[0], key=served.owner),
        "a key used twice": served.predict(ROWS[2], again="once"),
        "no budget is left": served.predict(ROWS[2]),
    }
    for name, body, key in wrong:
        replies[name] = served.client.post("/v1/predict", json=body, headers=served.bearer(key))
    for path in READ:
        for who, key in (("analyst", served.analyst), ("owner", served.owner)):
            replies[f"{path} for an {who}"] = served.get(path, key=key)
    answers = str(replies["answers"].json().get("answers"))
    return answers, {name: of_reply(served, reply) for name, reply in replies.items()}


def looked_at(served: Served) -> dict[str, bytes]:
    """Every page about the bundle and its budget, for both kinds of visitors."""
    seen = {}
    for who, key in (("analyst", served.analyst), ("owner", served.owner)):
        entered = served.client.post("/sign-in", data={"key": key}, headers=HERE)
        assert entered.status_code == 200
        for path in PAGES:
            seen[f"page {path} for an {who}"] = of_reply(served, served.client.get(path))
        checked = served.client.post("/certificate/service/check", headers=HERE)
        seen[f"check for an {who}"] = of_reply(served, checked)
    return seen


@pytest.mark.long_cases("vote:tree", "predict-by-vote:intervals:age")
@pytest.mark.parametrize("word", ["thresholds:age", "predict-by-vote:intervals:age", "vote:tree"])
def test_all_that_a_service_says(word: str, tmp_path: Path) -> None:
    def run(table: Table, seed: int) -> Result | Refused:
        folder = tmp_path / "service"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        predictor(word, 1, new_book()).fit(table).save(folder / "bundle")
        with serving(folder, seed) as served, logged() as lines:
            answers, replies = asked(served)
            artefacts: Artefacts = {**replies, **looked_at(served), "log": text(lines)}
        assert b"[200," in artefacts["answers"][:6]
        assert b"[429," in artefacts["no budget is left"][:6]
        return Result(answers, lambda: artefacts)

    assert isinstance(compared(run, tables_for(word), FEW[1:], seeds=20), int)
