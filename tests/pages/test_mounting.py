"""The pages inside the service: behind its keys, over its ledger, and out of the way of its API."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from privpac.service.access import keys
from privpac.service.pages.mounting import ServiceBooks
from privpac.service.settings import Settings
from tests.service.asking import Served, row
from tests.service.conftest import made_bundle, made_ledger, serve, served

__all__ = ["made_bundle", "made_ledger", "serve", "served"]

HERE = {"origin": "http://testserver"}


def sign_in(served: Served, key: str) -> None:
    found = served.client.post("/sign-in", data={"key": key}, headers=HERE)
    assert found.status_code == 200, found.text


def test_nobody_gets_in_without_a_key(served: Served) -> None:
    assert served.client.get("/").status_code == 401
    for key in ("", "x", "privpac_000000000000_" + "0" * 64, served.owner + "0"):
        assert served.client.post("/sign-in", data={"key": key}, headers=HERE).status_code == 401
    sign_in(served, served.owner)
    assert "olga" in served.client.get("/").text


def test_the_api_keeps_its_own_errors(served: Served) -> None:
    for path, status in (("/nothing", 404), ("/v1/predict", 405), ("/v1/budget", 401), ("/plans", 404)):
        found = served.client.get(path)
        assert found.status_code == status
        assert "error" in found.json()
    assert served.client.get("/plan/nothing").headers["content-type"].startswith("text/html")


def test_a_budget_runs_out_before_everybodys_eyes(serve: Callable[..., Served]) -> None:
    served = serve(epsilon=1)
    price = served.service.bundle.offer.price
    sign_in(served, served.analyst)
    assert "answers remaining" in served.client.get("/budget").text
    bearer = {"authorization": f"Bearer {served.analyst}"}
    for age in range(200):
        reply = served.client.post("/v1/predict", json={"rows": [row(age % 120)]}, headers=bearer)
        if reply.status_code == 429:
            break
    assert reply.status_code == 429
    text = served.client.get("/budget").text
    assert served.service.store.account().left.epsilon < price
    assert re.search(r"<span>answers remaining</span><strong>0</strong>", text)
    assert "Every entry verified" in text


def test_an_analyst_sees_her_own_entries_and_an_owner_all(served: Served) -> None:
    _, other = keys.create(served.service.store, role="analyst", name="bob", epsilon="3")
    for key, age in ((served.analyst, 30), (other, 31)):
        bearer = {"authorization": f"Bearer {key}"}
        assert served.client.post("/v1/predict", json={"rows": [row(age)]}, headers=bearer).status_code == 200
    sign_in(served, served.analyst)
    own = served.client.get("/budget").text
    assert "ann" in own
    assert "bob" not in own
    sign_in(served, served.owner)
    whole = served.client.get("/budget").text
    assert "ann" in whole
    assert "bob" in whole


def test_a_revoked_key_is_out(served: Served) -> None:
    sign_in(served, served.analyst)
    identity = served.analyst.split("_")[1]
    keys.revoke(served.service.store, identity)
    assert served.client.get("/plan").status_code == 401


def test_the_service_shows_its_certificate_to_analysts(served: Served) -> None:
    sign_in(served, served.analyst)
    assert "one answer is given" in served.client.get("/certificate/service").text
    assert "Verified" in served.client.post("/certificate/service/check", headers=HERE).text
    assert served.client.get("/certificate/service/certificate.json").json()["format"] == "privpac-bundle/2"


def test_posts_from_elsewhere_are_refused(served: Served) -> None:
    sign_in(served, served.owner)
    found = served.client.post("/certificate/service/check", headers={"origin": "http://evil.example"})
    assert found.status_code == 403


def test_all_workers_believe_the_same_cookies() -> None:
    settings = Settings()
    assert Settings.from_text(settings.to_text()).session == settings.session
    assert Settings().session != settings.session
    assert settings.session not in repr(settings)


def test_the_private_folder_goes_with_the_service(serve: Callable[..., Served]) -> None:
    served = serve()
    sign_in(served, served.owner)
    root: Path | None = None
    for route in served.client.app.router.routes:  # type: ignore[attr-defined]
        inner = getattr(route, "app", None)
        if hasattr(getattr(inner, "state", None), "place"):
            root = inner.state.place.drawers.root
    assert root is not None
    assert root.exists()
    served.client.__exit__(None, None, None)
    assert not root.exists()
    served.client.__enter__()


@pytest.mark.parametrize(("note", "who"), [("3 answers, key 0a1b", "0a1b"), ("learn auto", None), ("", None)])
def test_who_spent_is_in_the_note(served: Served, note: str, who: str | None) -> None:
    assert ServiceBooks(served.service).spender(note, None) == who
