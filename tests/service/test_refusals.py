"""Whatever is sent: a clean refusal in one shape, and nothing charged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privpac.errors import PrivpacError
from privpac.service.access import keys
from privpac.service.access.rate import Rate
from privpac.service.api import problems
from privpac.service.watch.facts import FACTS
from privpac.service.watch.metrics import Metrics
from privpac.service.watch.observing import Observing
from tests.service.asking import Served, row

SECRET = "0" * 64


@pytest.fixture
def unpaid(served: Served) -> Iterator[Served]:
    """Nothing may be charged by the test."""
    yield served
    assert served.spent == "epsilon 0"
    assert served.book.entries() == ()


def code(response: Any, status: int) -> str:
    asked = response.request
    shown = f"{asked.url} with {asked.headers.get('authorization')}: {asked.content[:200]!r}"
    assert response.status_code == status, f"{shown}: {response.text}"
    error = response.json()["error"]
    assert set(error) >= {"code", "message", "remedy"}
    assert response.headers["x-request-id"]
    return str(error["code"])


WRONG_KEYS: list[str | None] = [
    None,
    "",
    "Bearer",
    "Bearer ",
    "Bearer x",
    f"Bearer privpac_000000000000_{SECRET}",
    f"Basic privpac_000000000000_{SECRET}",
    "Bearer ' OR 1=1 --",
    "Bearer privpac_%_%",
    f"Bearer privpac_000000000000_{SECRET}x",
    "Bearer " + "a" * 5000,
]


@pytest.mark.parametrize("path", ["/v1/predict", "/v1/budget", "/v1/certificate", "/v1/schema", "/metrics"])
def test_without_a_right_key_there_is_nothing(unpaid: Served, path: str) -> None:
    for header in WRONG_KEYS:
        headers = {} if header is None else {"Authorization": header}
        call = unpaid.client.post if path == "/v1/predict" else unpaid.client.get
        kwargs = {"json": {"rows": [row(1)]}} if path == "/v1/predict" else {}
        response = call(path, headers=headers, **kwargs)
        assert code(response, 401) == "unauthorised"
        assert response.headers["www-authenticate"] == "Bearer"


def test_the_right_id_with_another_secret_is_refused(unpaid: Served) -> None:
    identity = unpaid.analyst.split("_")[1]
    assert code(unpaid.predict(row(1), key=f"privpac_{identity}_{SECRET}"), 401) == "unauthorised"


def test_a_revoked_key_gets_nothing_even_a_moment_later(unpaid: Served) -> None:
    """The key was just found right and is remembered; the transaction looks again."""
    assert code(unpaid.predict(row("x")), 422) == "invalid_value"
    keys.revoke(unpaid.service.store, unpaid.analyst.split("_")[1])
    assert code(unpaid.predict(row(1)), 401) == "unauthorised"
    assert code(unpaid.get("/v1/budget"), 401) == "unauthorised"


WRONG_ROWS: list[tuple[Any, str]] = [
    ([{"age": 1}], "missing_column"),
    ([{}], "missing_column"),
    ([{"age": 1, "kind": "u", "more": 1}], "unknown_column"),
    ([{"age": 1, "kind": "u", "ill": "yes"}], "unknown_column"),
    ([row("old")], "invalid_value"),
    ([row(None)], "invalid_value"),
    ([row(1, None)], "invalid_value"),
    ([row(1, "w")], "invalid_value"),
    ([row(1, "u'; DROP TABLE entry; --")], "invalid_value"),
    ([row("1; DELETE FROM account")], "invalid_value"),
    ([row(1, "\ud800")], "invalid_value"),
    ([row(1, "\x00")], "invalid_value"),
    ([row("9" * 1001)], "invalid_value"),
    ([row([1])], "invalid_value"),
    ([row(True)], "invalid_value"),
    ([row(71.5)], "invalid_value"),
    ([row("71.5")], "invalid_value"),
    ([row("true")], "invalid_value"),
    ([row({"a": 1})], "invalid_value"),
    ([row(1), row(1, "../../etc/passwd")], "invalid_value"),
]


def test_rows_of_another_form_name_the_column(unpaid: Served) -> None:
    for rows, expected in WRONG_ROWS:
        content = json.dumps({"rows": rows})
        response = unpaid.client.post("/v1/predict", content=content, headers=unpaid.bearer())
        assert code(response, 422) == expected, rows
        error = response.json()["error"]
        assert error.get("column") in ("age", "kind", None), rows
        assert (error.get("column") is None) == (expected == "unknown_column"), rows


GOOD_BODY = '{"rows": [{"age": 1, "kind": "u"}]}'
WRONG_BODIES: list[tuple[bytes, int, str]] = [
    (GOOD_BODY.encode("utf-16"), 400, "not_json"),
    (GOOD_BODY.encode("utf-16-le"), 400, "not_json"),
    (GOOD_BODY.encode("utf-32"), 400, "not_json"),
    (GOOD_BODY.encode("utf-8-sig"), 400, "not_json"),
    (b"", 400, "not_json"),
    (b"{", 400, "not_json"),
    (b"\xff\xfe", 400, "not_json"),
    (b'{"rows": [{"age": NaN, "kind": "u"}]}', 400, "not_json"),
    (b'{"rows": [{"age": -Infinity, "kind": "u"}]}', 400, "not_json"),
    (b'{"rows": [{"age": 1, "age": 2, "kind": "u"}]}', 400, "not_json"),
    (b'{"rows": [{"age": ' + b"9" * 5000 + b', "kind": "u"}]}', 400, "not_json"),
    (b'{"rows": [{"age": 1e999, "kind": "u"}]}', 422, "invalid_value"),
    (b"[]", 422, "invalid_body"),
    (b"null", 422, "invalid_body"),
    (b"{}", 422, "invalid_body"),
    (b'{"rows": []}', 422, "invalid_body"),
    (b'{"rows": {}}', 422, "invalid_body"),
    (b'{"rows": [1]}', 422, "invalid_body"),
    (b'{"rows": "x"}', 422, "invalid_body"),
    (b'{"rows": [{"age": 1, "kind": "u"}], "x": 1}', 422, "invalid_body"),
    (b'{"rows": [{"age": 1, "kind": "u"}], "idempotency_key": 7}', 422, "invalid_body"),
    (b'{"rows": [{"age": 1, "kind": "u"}], "idempotency_key": ""}', 422, "invalid_body"),
    (b'{"rows": [{"age": 1, "kind": "u"}], "idempotency_key": "a b"}', 422, "invalid_body"),
    (b'{"rows": [{"age": 1, "kind": "u"}], "idempotency_key": "' + b"k" * 201 + b'"}', 422, "invalid_body"),
    (b"[" * 200_000, 422, "too_deep"),
    (b'{"rows": ' + b"[" * 2000 + b"]" * 2000 + b"}", 422, "too_deep"),
    (b'{"rows": [{"age": ' + b'{"a":' * 10 + b"1" + b"}" * 10 + b', "kind": "u"}]}', 422, "too_deep"),
    (b'"' + b'\\"[' * 200_000, 400, "not_json"),
    (b'"' + b'[\\"' * 200_000 + b"\\", 400, "not_json"),
]


def test_bodies_that_are_no_request(unpaid: Served) -> None:
    for content, status, expected in WRONG_BODIES:
        response = unpaid.client.post("/v1/predict", content=content, headers=unpaid.bearer())
        assert code(response, status) == expected, content


def test_brackets_in_strings_are_no_nesting(served: Served) -> None:
    body = {"rows": [row("[[[[[[" * 10)], "idempotency_key": '[[{{[[[\\"[['}
    response = served.client.post("/v1/predict", json=body, headers=served.bearer())
    assert code(response, 422) == "invalid_value"


def test_a_body_of_another_type_is_refused(unpaid: Served) -> None:
    response = unpaid.client.post("/v1/predict", data={"rows": "1"}, headers=unpaid.bearer())
    assert code(response, 415) == "not_json"


def test_bodies_are_given_up_when_too_long(serve: Callable[..., Served]) -> None:
    """Announced or not: a stream without a length is stopped at the limit."""
    served = serve(body_bytes=100, rows=2)
    long = b'{"rows": [' + b" " * 200 + b"]}"
    read = 0

    def chunks() -> Iterator[bytes]:
        nonlocal read
        for _ in range(1000):
            read += 1
            yield b" " * 10

    for content in (long, chunks()):
        response = served.client.post("/v1/predict", content=content, headers=served.bearer())
        assert code(response, 413) == "too_large"
    assert code(served.predict({}, {}, {}), 413) == "too_many_rows"
    assert served.spent == "epsilon 0"


def test_a_key_that_asks_too_fast_is_told_when_to_come_back(serve: Callable[..., Served]) -> None:
    served = serve(requests_per_second=0.5)
    assert served.predict(row(1)).status_code == 200
    refused = served.predict(row(2))
    assert code(refused, 429) == "too_many_requests"
    assert refused.headers["retry-after"] == "2"
    assert served.get("/v1/schema", key=served.owner).status_code == 200
    assert served.spent == "epsilon 0.5"


def test_wrong_keys_are_throttled_by_address_and_right_ones_are_not(unpaid: Served) -> None:
    unpaid.service.wrong_keys = Rate(10.0, clock=lambda: 0.0)  # all within one moment
    assert unpaid.get("/v1/schema").status_code == 200
    wrong = f"privpac_000000000000_{SECRET}"
    statuses = [unpaid.get("/v1/schema", key=wrong).status_code for _ in range(40)]
    assert statuses == [401] * 20 + [429] * 20
    refused = unpaid.get("/v1/schema", key=wrong)
    assert code(refused, 429) == "too_many_requests"
    assert int(refused.headers["retry-after"]) >= 1
    assert code(unpaid.get("/v1/schema", key="nonsense"), 429) == "too_many_requests"
    assert unpaid.get("/v1/schema").status_code == 200


@pytest.mark.parametrize("whole", [71, 71.0, "71", " 71 ", "71.0"])
def test_whole_numbers_are_taken_however_they_are_written(served: Served, whole: Any) -> None:
    assert served.predict(row(whole)).status_code == 200
    assert served.predict(row(71)).json()["price"] == "0"


@pytest.mark.parametrize(
    ("method", "path", "status", "expected"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/v1/../../etc/passwd", 404, "not_found"),
        ("GET", "/v1/%2e%2e/%2e%2e/etc/passwd", 404, "not_found"),
        ("GET", "/v1/predict", 405, "method_not_allowed"),
        ("DELETE", "/v1/budget", 405, "method_not_allowed"),
        ("POST", "/healthz", 405, "method_not_allowed"),
    ],
)
def test_paths_and_methods_that_do_not_exist(
    unpaid: Served, method: str, path: str, status: int, expected: str
) -> None:
    assert code(unpaid.client.request(method, path, headers=unpaid.bearer()), status) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
BODIES = (
    st.binary(max_size=60)
    | JSON.map(lambda tree: json.dumps(tree).encode())
    | st.fixed_dictionaries({"rows": JSON}, optional={"idempotency_key": JSON}).map(
        lambda tree: json.dumps(tree).encode()
    )
    | st.lists(st.fixed_dictionaries({"age": JSON, "kind": JSON}), max_size=2).map(
        lambda rows: json.dumps({"rows": rows}).encode()
    )
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(BODIES)
def test_fuzzed_bodies_are_answered_or_refused(served: Served, content: bytes) -> None:
    before = served.book.spent
    response = served.client.post("/v1/predict", content=content, headers=served.bearer())
    assert response.status_code in (200, 400, 413, 422)
    if response.status_code != 200:
        assert served.book.spent == before
        assert set(response.json()["error"]) >= {"code", "message", "remedy"}


def test_a_fault_is_said_without_its_words(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("age 41.73")

    monkeypatch.setattr(type(served.service.bundle.prepared), "answer", broken)
    with caplog.at_level("INFO", logger="privpac.service"):
        response = served.predict(row(41))
    assert code(response, 410) == "ended"
    assert "41.73" not in response.text + caplog.text
    assert "RuntimeError in questions.py" in caplog.text
    assert served.spent == "epsilon 0.5"
    assert code(served.get("/readyz"), 503) == "not_ready"
    monkeypatch.undo()
    for again in (row(41), row(42)):  # whether it fails is told once, and paid for
        assert code(served.predict(again), 410) == "ended"
    assert served.spent == "epsilon 0.5"


def test_a_fault_without_a_trace_has_a_line_too(caplog: pytest.LogCaptureFixture) -> None:
    """An error that is handed over instead of raised has been nowhere."""

    async def failing(scope: Any, receive: Any, send: Any) -> None:
        scope[FACTS].failed(PrivpacError("age 41.73"))
        await problems.response(problems.FAULT)(scope, receive, send)

    with caplog.at_level("INFO", logger="privpac.service"):
        assert code(TestClient(Observing(failing, Metrics())).get("/"), 500) == "fault"
    assert "PrivpacError in an unknown place" in caplog.text
    assert "41.73" not in caplog.text


def test_a_ledger_that_is_gone_is_unavailable(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    served.predict(row(1))
    served.ledger.rename(served.ledger.with_suffix(".moved"))
    response = served.predict(row(2))
    assert code(response, 503) == "unavailable"
    assert str(served.ledger) not in response.text
    served.ledger.with_suffix(".moved").rename(served.ledger)
    assert served.predict(row(2)).status_code == 200


def test_logs_have_counts_and_no_values(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="privpac.service"):
        served.predict(row(77), row(78), again="secret-name")
        served.predict(row(79, "secret-kind"))
    lines = [json.loads(record.message) for record in caplog.records if record.name == "privpac.service"]
    assert [line["status"] for line in lines] == [200, 422]
    assert lines[0]["rows"] == 2
    assert lines[0]["epsilon"] == "1"
    assert lines[0]["key"] == served.analyst.split("_")[1]
    assert lines[0]["route"] == "/v1/predict"
    assert lines[1]["code"] == "invalid_value"
    text = caplog.text
    assert "secret" not in text
    assert served.analyst.split("_")[2] not in text
