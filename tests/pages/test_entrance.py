"""Who gets in, and what every request and reply must be like."""

from __future__ import annotations

import re
import time
from importlib.resources import files

import pytest
from fastapi.testclient import TestClient

from privpac.service.pages.guards import HEADERS
from privpac.service.pages.place import Place
from privpac.service.pages.visitors import SESSION_SECONDS, Seal, TokenGate, Visitor

from .conftest import HOST, ORIGIN

PAGES = ("/", "/plan", "/plan/result", "/plan/curves", "/learn", "/certificate", "/budget")
POSTS = (
    "/plan/simulate",
    "/plan/schema",
    "/learn/table",
    f"/learn/{'0' * 32}/price",
    f"/learn/{'0' * 32}/run",
    f"/learn/{'0' * 32}/remove",
    f"/learn/{'0' * 32}/cancel",
    f"/learn/{'0' * 32}/schema",
    "/learn/sample",
    "/certificate/open",
    f"/certificate/{'0' * 32}/check",
    "/budget/make",
    "/sign-out",
)


@pytest.mark.parametrize("address", PAGES)
def test_without_a_token_nothing_is_shown(stranger: TestClient, address: str) -> None:
    found = stranger.get(address)
    assert found.status_code == 401
    assert "Sign in" in found.text


@pytest.mark.parametrize("address", POSTS)
def test_without_a_token_nothing_can_be_done(stranger: TestClient, address: str) -> None:
    assert stranger.post(address).status_code == 401


def test_the_token_works_once(place: Place, stranger: TestClient) -> None:
    assert isinstance(place.gate, TokenGate)
    token = place.gate.token
    assert stranger.get("/?token=wrong").status_code == 401
    entered = stranger.get(f"/?token={token}")
    cookie = entered.headers["set-cookie"]
    assert entered.status_code == 200
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert str(token) not in cookie
    assert stranger.get("/").status_code == 200
    stranger.cookies.clear()
    again = stranger.get(f"/?token={token}")
    assert again.status_code == 401
    assert "used already" in again.text


@pytest.mark.parametrize("cookie", ["", "x", "you", "eW91.00", "..", "é.é"])
def test_a_forged_cookie_opens_nothing(stranger: TestClient, cookie: str) -> None:
    stranger.cookies.set("privpac-4711", cookie.encode("ascii", "replace").decode())
    assert stranger.get("/plan").status_code == 401


def test_a_seal_believes_itself_and_nobody_else_and_not_for_ever() -> None:
    seal = Seal(b"secret")
    assert seal.read(seal.sign("ann:with:colons")) == "ann:with:colons"
    assert Seal(b"other").read(seal.sign("ann")) is None
    assert seal.read(seal.sign("ann", now=time.time() - SESSION_SECONDS - 1)) is None
    body, _, mac = seal.sign("ann").partition(".")
    assert seal.read(f"{body}x.{mac}") is None
    assert seal.read(None) is None


@pytest.mark.parametrize("host", ["evil.example", "evil.example:4711", "127.0.0.1", "127.0.0.1:80", ""])
def test_another_name_for_this_machine_is_not_answered(client: TestClient, host: str) -> None:
    """DNS rebinding: a site's own name that leads here."""
    found = client.get("/plan", headers={"host": host})
    assert found.status_code == 421
    assert "Records needed" not in found.text


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:4712"},
        {"origin": ""},
    ],
)
@pytest.mark.parametrize("address", ["/budget/make", "/learn/table", "/plan/simulate"])
def test_a_post_from_elsewhere_is_refused(
    client: TestClient, place: Place, address: str, headers: dict[str, str]
) -> None:
    assert client.post(address, data={"epsilon": "1"}, headers=headers).status_code == 403
    assert place.books.ledger is None


def test_a_post_without_an_origin_needs_the_browsers_word(place: Place, client: TestClient) -> None:
    del client.headers["origin"]
    assert client.post("/budget/make", data={"epsilon": "1"}).status_code == 403
    same = {"sec-fetch-site": "same-origin"}
    assert client.post("/budget/make", data={"epsilon": "1"}, headers=same).status_code == 303


@pytest.mark.parametrize("address", [*PAGES, "/nowhere", "/static/site.css"])
def test_every_reply_is_dressed(client: TestClient, address: str) -> None:
    found = client.get(address)
    for name, value in HEADERS.items():
        assert found.headers[name] == value
    policy = found.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    kept = "immutable" if address.startswith("/static") else "no-store"
    assert kept in found.headers["Cache-Control"]


@pytest.mark.parametrize("address", [*PAGES, "/nowhere"])
def test_no_page_has_inline_scripts_or_styles_or_asks_anybody_else(client: TestClient, address: str) -> None:
    text = client.get(address).text
    assert not re.search(r"<script(?![^>]* src=)", text)
    assert not re.search(r"\son\w+=|\sstyle=|<style|javascript:", text)
    assert not re.search(r"""(?:src|href|action|hx-get|hx-post)=["'](?:https?:)?//""", text)


@pytest.mark.parametrize(
    "address", ["/nowhere", "/static/nothing.js", "/static/../site.py", "/learn/model/x/y/z"]
)
def test_what_does_not_exist_is_a_page_in_the_same_design(client: TestClient, address: str) -> None:
    found = client.get(address)
    assert found.status_code in (404, 422)
    assert "To the first page" in found.text


def test_a_method_that_is_not_there_is_a_page_too(client: TestClient) -> None:
    found = client.delete("/plan")
    assert found.status_code == 405
    assert "To the first page" in found.text


def test_a_fault_tells_nothing_about_itself(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("record 17 holds forty-two")

    monkeypatch.setattr("privpac.service.pages.plan.routes.headline", broken)
    found = client.get("/plan")
    assert found.status_code == 500
    assert "forty" not in found.text + caplog.text
    assert "nobody foresaw" in found.text
    assert "RuntimeError in routes.py" in caplog.text
    assert "Content-Security-Policy" in found.headers


def test_what_is_too_long_is_cut_off(client: TestClient, place: Place) -> None:
    big = b"x" * (place.most_upload + (2 << 20))
    found = client.post("/learn/table", files={"file": ("t.csv", big)})
    assert found.status_code == 413
    assert list(place.drawers.root.iterdir()) == []


def test_a_body_that_hides_its_length_is_cut_off_too(client: TestClient, place: Place) -> None:
    def pieces() -> object:
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\n'
        for _ in range((place.most_upload >> 20) + 3):
            yield b"x" * (1 << 20)

    headers = {"content-type": "multipart/form-data; boundary=b"}
    found = client.post("/learn/table", content=pieces(), headers=headers)  # type: ignore[arg-type]
    assert found.status_code == 413
    assert list(place.drawers.root.iterdir()) == []


def test_every_vendored_file_comes_with_its_licence() -> None:
    vendor = files("privpac.service.pages") / "static" / "vendor"
    names = {entry.name for entry in vendor.iterdir()}
    scripts = {name for name in names if name.endswith(".js")}
    assert len(scripts) == 3
    assert {f"{name.partition('-')[0]}.LICENSE" for name in scripts} <= names


def test_signing_in_with_a_key(service: TestClient) -> None:
    assert "API key" in service.get("/plan").text
    assert service.post("/sign-in", data={"key": "wrong"}).status_code == 401
    assert service.post("/sign-in", data={"key": "key-of-ann"}).status_code == 200
    assert service.get("/budget").status_code == 200
    assert "ann" in service.get("/").text
    assert service.post("/sign-out").status_code == 303
    assert service.get("/budget").status_code == 401


def test_a_revoked_key_is_out_at_once(service: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    from .conftest import KEYS

    service.post("/sign-in", data={"key": "key-of-ann"})
    gate = service.app.state.place.gate  # type: ignore[attr-defined]
    monkeypatch.setattr(gate, "_by_name", {KEYS["key-of-olga"].name: KEYS["key-of-olga"]}.get)
    assert service.get("/budget").status_code == 401


def test_an_analyst_cannot_learn_or_open_files_of_the_server(service: TestClient) -> None:
    service.post("/sign-in", data={"key": "key-of-ann"})
    assert service.get("/learn").status_code == 403
    assert service.post("/learn/table", data={"path": "patients.csv"}).status_code == 403
    assert service.post("/certificate/open", data={"path": "model.json"}).status_code == 403
    assert service.post("/budget/make", data={"epsilon": "1"}).status_code == 403
    assert service.get("/plan").status_code == 200


def test_nobody_is_led_where_she_may_not_go(service: TestClient) -> None:
    """An analyst's pages have no link to Learn, and her steps are counted without it."""
    pages = ("/", "/plan", "/certificate", "/budget")
    service.post("/sign-in", data={"key": "key-of-ann"})
    for address in pages:
        assert 'href="/learn"' not in service.get(address).text
    assert re.findall(r'class="step">(\d)', service.get("/").text) == ["1", "2", "3"]
    service.post("/sign-in", data={"key": "key-of-olga"})
    for address in pages:
        assert 'href="/learn"' in service.get(address).text
    assert re.findall(r'class="step">(\d)', service.get("/").text) == ["1", "2", "3", "4"]


def test_an_owner_is_an_owner() -> None:
    assert Visitor("olga", "owner").is_owner
    assert not Visitor("ann", "analyst").is_owner


def test_hosts_and_origin_of_these_tests_are_those_of_a_browser() -> None:
    assert f"http://{HOST}" == ORIGIN


def test_whoever_tries_keys_is_slowed_down_and_others_are_not(service: TestClient) -> None:
    statuses = [service.post("/sign-in", data={"key": f"guess-{n}"}).status_code for n in range(12)]
    assert statuses[0] == 401
    assert statuses[-1] == 429
    slowed = service.post("/sign-in", data={"key": "key-of-ann"})  # a right key, from the same address
    assert slowed.status_code == 429
    assert 1 <= int(slowed.headers["retry-after"]) <= 60
    assert "wrong keys" in slowed.text
    assert "set-cookie" not in slowed.headers
    app, headers = service.app, {"origin": ORIGIN, "host": HOST}
    elsewhere = TestClient(app, base_url=ORIGIN, headers=headers, client=("192.0.2.7", 50_000))
    assert elsewhere.post("/sign-in", data={"key": "key-of-ann"}).status_code == 200


def test_right_keys_are_never_counted(service: TestClient) -> None:
    for _ in range(30):
        assert service.post("/sign-in", data={"key": "key-of-ann"}).status_code == 200
