"""Questions take a shortcut beside the framework, and what is remembered on it never says more than the database."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.answering.bundle.bundle import load
from privpac.answering.questions import AskedRows
from privpac.coins import SystemCoins
from privpac.service.access import keys
from privpac.service.answering.answering import Answering
from privpac.service.answering.reading import Reading, Submission
from privpac.service.answering.requests import Ask, Reply
from privpac.service.api.problems import Problem
from privpac.service.api.rows import cells_of, plain
from privpac.service.watch.logs import Together
from privpac.service.watch.metrics import Metrics
from privpac.service.watch.observing import Observing
from tests.service.asking import SCHEMA, Served, row

BODIES: dict[str, tuple[str, Any]] = {
    "answered": ("/v1/predict", {"rows": [row(41)], "idempotency_key": "one"}),
    "as MLflow asks": ("/invocations", {"dataframe_records": [row(41), row(70)]}),
    "no rows": ("/v1/predict", {"rows": []}),
    "another column": ("/v1/predict", {"rows": [{"age": 3}]}),
    "a value that does not fit": ("/v1/predict", {"rows": [row(41) | {"age": "old"}]}),
    "another form": ("/invocations", {"rows": [row(41)]}),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("key", ["right", "wrong", "none"])
def test_the_shortcut_and_the_framework_say_the_same(served: Served, name: str, key: str) -> None:
    """A path below another application's goes through the framework."""
    path, body = BODIES[name]
    headers = {"right": served.bearer(), "wrong": {"Authorization": "Bearer x"}, "none": {}}[key]
    short = served.client.post(path, json=body, headers=headers)
    around = TestClient(served.client.app, root_path="/below", raise_server_exceptions=False)
    long = around.post(f"/below{path}", json=body, headers=headers)
    assert (short.status_code, short.headers["content-type"]) == (
        long.status_code,
        long.headers["content-type"],
    )
    told, again = short.json(), long.json()
    told.pop("price", None), again.pop("price", None)  # the second time it is free, unless it was named
    assert told == again
    assert short.headers["x-request-id"] != long.headers["x-request-id"]


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.one_of(st.integers(-5, 200), st.sampled_from(["41", " 7 ", 2**80, 3.0])),
            "kind": st.sampled_from(["u", "v", None, "w"]),
        }
    ),
    min_size=1,
    max_size=3,
)


@given(st.lists(ROWS, min_size=1, max_size=6))
@settings(deadline=None, max_examples=60)
def test_in_a_group_every_request_asks_what_it_asks_alone(made_bundle: Path, batches: Any) -> None:
    """Also beside one that is refused: it is refused alone, and for its own reason."""
    bundle = load(made_bundle)
    reading = Reading(Answering(bundle, None, SystemCoins()))  # type: ignore[arg-type]  # nothing is answered here
    sent: list[Submission] = []
    for rows in batches:
        try:
            sent.append(Submission("key", plain(rows, bundle.schema), None, b""))
        except Problem:
            continue
    for one, together in zip(sent, reading._read(sent), strict=True):
        alone = reading.one(one)
        if isinstance(alone, Problem):
            assert isinstance(together, Problem)
            assert (together.code, together.facts) == (alone.code, alone.facts)
            continue
        assert isinstance(together, Ask)
        values = [dict(zip(bundle.schema.names, row, strict=True)) for row in one.rows]
        direct = AskedRows.of(cells_of(plain(values, SCHEMA), SCHEMA), bundle.offer.predictor)
        assert list(together.rows.keys) == list(alone.rows.keys) == list(direct.keys)
        assert together.rows.which.tolist() == direct.which.tolist()
        for name, column in direct.cells.items():
            assert together.rows.cells[name].tolist() == column.tolist()


def test_a_key_that_is_revoked_gets_nothing_from_then_on(served: Served) -> None:
    """It was remembered as right, by the look of the last transaction too."""
    assert served.predict(row(41)).status_code == 200
    (key,) = [key for key in keys.listed(served.service.store) if key.name == "ann"]
    keys.revoke(served.service.store, key.id)
    before = served.spent
    for again in (row(41), row(42)):  # stored or new
        response = served.predict(again)
        assert (response.status_code, response.json()["error"]["code"]) == (401, "unauthorised")
    assert served.spent == before
    # Remembered no longer: it is refused before the body is looked at.
    assert served.client.post("/v1/predict", content=b"?", headers=served.bearer()).status_code == 401


def test_an_answer_is_remembered_after_it_is_on_disk_and_not_before(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering = served.service.answering
    commit = type(served.service.store).transact
    transactions = itertools.count()

    def failing(store: Any, *, synced: bool = True) -> Any:
        if synced and next(transactions) == 0:
            raise OSError("the disk is full")
        return commit(store, synced=synced)

    monkeypatch.setattr(type(served.service.store), "transact", failing)
    assert served.predict(row(41)).status_code == 500
    assert answering._cache == {}
    assert served.predict(row(41)).status_code == 200
    assert len(answering._cache) == 1


def test_what_another_process_answered_first_is_what_is_remembered(serve: Callable[..., Served]) -> None:
    """Two services over one ledger: the second has not seen the answer, finds it, charges nothing and keeps it."""
    first, second = serve(seed=1), serve(seed=2)
    for age in range(55, 65):
        reply = first.predict(row(age)).json()
        again = second.client.post("/v1/predict", json={"rows": [row(age)]}, headers=second.bearer()).json()
        assert (again["answers"], again["price"]) == (reply["answers"], "0")
    kept = [served.service.answering._cache for served in (first, second)]
    assert kept[0] == kept[1]
    assert len(kept[0]) == 10


def test_answers_that_are_no_longer_remembered_are_still_stored(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privpac.service.answering.answering.MOST_KEPT", 2)
    told = [served.predict(row(age)).json()["answers"] for age in range(50, 60)]
    assert len(served.service.answering._cache) <= 2
    spent = served.spent
    assert [served.predict(row(age)).json()["answers"] for age in range(50, 60)] == told
    assert served.spent == spent


def test_a_stored_reply_is_written_with_its_request(served: Served) -> None:
    """One row, one statement; sent again, the same reply."""
    served.predict(row(41))
    body = {"rows": [row(41)], "idempotency_key": "again"}
    first, second = (
        served.client.post("/v1/predict", json=body, headers=served.bearer()).text for _ in range(2)
    )
    assert first == second
    assert json.loads(first)["price"] == "0"


def test_invented_methods_have_one_name(caplog: pytest.LogCaptureFixture) -> None:
    """Or whoever invents them could fill the memory of whoever counts them."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 405, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    metrics = Metrics()
    client = TestClient(Observing(app, metrics))
    for number in range(20):
        client.request(f"METHOD{number}", "/")
    client.request("DELETE", "/")
    assert set(metrics._routes) == {("other", "other", 405), ("other", "DELETE", 405)}


class Stream:
    """Remembers every write."""

    def __init__(self) -> None:
        self.writes: list[str] = []

    def write(self, text: str) -> None:
        self.writes.append(text)

    def flush(self) -> None:
        pass


def test_lines_of_one_turn_are_written_together_and_none_is_lost() -> None:
    handler, stream = Together(), Stream()
    handler.setStream(stream)  # type: ignore[arg-type]
    record = logging.LogRecord("privpac.service", logging.INFO, "", 0, "line", None, None)

    async def run() -> None:
        for _ in range(3):
            handler.handle(record)
        assert stream.writes == []
        await asyncio.sleep(0)
        assert stream.writes == ["line\n" * 3]
        handler.handle(record)

    asyncio.run(run())  # the last one is written before the loop ends
    handler.handle(record)  # and at once where there is no loop
    assert "".join(stream.writes) == "line\n" * 5


def test_a_refused_request_in_a_group_keeps_its_place_and_costs_nothing(served: Served) -> None:
    schema = served.service.bundle.schema
    (key,) = [key for key in keys.listed(served.service.store) if key.name == "ann"]
    fits, fails = (plain([row(41, kind)], schema) for kind in ("u", "no such kind"))
    outcomes = served.service.reading.answer(
        [Submission(key.id, rows, None, b"") for rows in (fits, fails, fits)]
    )
    assert [type(outcome) for outcome in outcomes] == [Reply, Problem, Reply]
    assert served.spent == "epsilon 0.5"  # one question, asked twice
