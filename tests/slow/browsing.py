"""A server of pages and windows that look at them: headless Chromium, every request elsewhere blocked and recorded.

`looked_at` is what every test does after every step: axe finds nothing, nothing lies beyond the edge, and a picture is
taken if somebody asked for pictures (PRIVPAC_SCREENSHOTS names a folder).
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from privpac.service.pages.budget.books import FileBooks
from privpac.service.pages.place import Place
from privpac.service.pages.site import pages_app
from privpac.service.pages.visitors import TokenGate

__all__ = [
    "LOOKS",
    "Site",
    "Watched",
    "axe_violations",
    "browser",
    "declare",
    "learn",
    "looked_at",
    "picture",
    "sample",
    "settled",
    "site",
    "still",
    "table",
    "upload",
    "window",
]

PATIENCE = 90_000
"""Milliseconds for one step: learning loads its kernels the first time."""
expect.set_options(timeout=PATIENCE)


class Site:
    """A server in a thread, and the way in."""

    def __init__(self, folder: Path) -> None:
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        self.gate = TokenGate()
        self.books = FileBooks(folder / "ledger.sqlite")
        self.place = Place(self.gate, self.books, hosts=frozenset({f"127.0.0.1:{port}"}))
        config = uvicorn.Config(pages_app(self.place), log_level="error", access_log=False)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listening]}, daemon=True)
        self.address = f"http://127.0.0.1:{port}"

    def __enter__(self) -> Site:
        self.thread.start()
        while not self.server.started:
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join(timeout=20)

    def path(self, page: Page) -> str:
        return urlsplit(page.url).path


class Watched:
    """A browser window that remembers what it should never have seen."""

    def __init__(self, context: BrowserContext) -> None:
        self.outside: list[str] = []
        self.said: list[str] = []
        context.set_default_timeout(PATIENCE)
        context.route("**/*", self._route)
        self.page = context.new_page()
        self.page.on("console", lambda message: self._said(message.type, message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))

    def _route(self, route: Any) -> None:
        if urlsplit(route.request.url).hostname == "127.0.0.1":
            route.continue_()
        else:
            self.outside.append(route.request.url)
            route.abort()

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.said.append(text)

    def silent(self) -> None:
        assert self.outside == [], self.outside
        assert self.said == [], self.said


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "patients.csv"
    i = np.arange(4000)
    age, bmi, smoker = 18 + i * 7919 % 77, 15 + i * 104_729 % 300 / 10, i % 4 == 0
    ill = ((age >= 60) & (bmi >= 28) | (age >= 40) & smoker) ^ (i * 31 % 20 == 0)
    rows = np.c_[age, bmi, smoker, ill]
    np.savetxt(path, rows, fmt="%d,%.1f,%d,%d", header="age,bmi,smoker,ill", comments="")
    return path


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with Site(tmp_path) as running:
        yield running


@pytest.fixture
def window(browser: Browser, site: Site) -> Iterator[Callable[..., Watched]]:
    """Open a window and come in by the printed link; afterwards nothing must have been said or fetched."""
    opened: list[tuple[BrowserContext, Watched]] = []

    def come(**options: Any) -> Watched:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        seen = Watched(context)
        opened.append((context, seen))
        seen.page.goto(f"{site.address}/?token={site.gate.token}")
        seen.page.wait_for_url(f"{site.address}/")
        return seen

    yield come
    for context, seen in opened:
        seen.silent()
        context.close()


LOOKS: dict[str, dict[str, Any]] = {
    "desk": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
}
"""The windows that everything is looked at in."""


def settled(page: Page) -> None:
    """Nothing is being asked for any more."""
    expect(page.locator(".htmx-request")).to_have_count(0)


def looked_at(page: Page, name: str) -> None:
    """axe finds nothing, ids are unique, and nothing lies beyond the edge."""
    settled(page)
    still(page)
    picture(page, name)
    violations = axe_violations(page)
    if violations:  # an answer that came just now fades in; what is wrong is still wrong after that
        settled(page)
        still(page)
        violations = axe_violations(page)
    assert violations == [], (name, violations)
    assert page.viewport_size is not None
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"], name
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids)), (name, sorted(ids))


STILL = """Promise.all(document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().iterations !== Infinity)
    .map((one) => one.finished.catch(() => null))).then(() => true)"""


def still(page: Page) -> None:
    """Wait until colours and sizes have stopped changing: half of the way from dark to light nothing has contrast."""
    page.evaluate(STILL)


def axe_violations(
    page: Page, *rules: str, within: tuple[str, ...] = (), without: tuple[str, ...] = ()
) -> list[list[str]]:
    """What axe objects to, each with its first place: it need not prepare the rest of its report.

    By all its rules or by these, or all but some, on the whole page or within what these selectors choose.
    """
    if (
        page.evaluate("typeof axe") == "undefined"
    ):  # of a page that was looked at before, it is half a megabyte
        page.evaluate(_axe_script())
    where = json.dumps({"include": [[one] for one in within]}) if within else "document"
    only = f", runOnly: {json.dumps(rules)}" if rules else ""
    only += f", rules: {json.dumps({rule: {'enabled': False} for rule in without})}" if without else ""
    run = f"axe.run({where}, {{ resultTypes: ['violations']{only} }})"
    violations: list[list[str]] = page.evaluate(
        f"{run}.then((all) => all.violations.map((one) => [one.id, one.nodes[0].html]))"
    )
    return violations


@lru_cache(maxsize=1)
def _axe_script() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def picture(page: Page, name: str) -> None:
    """For people to look at, if they ask for it."""
    folder = os.environ.get("PRIVPAC_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def declare(page: Page, *, epsilon: str) -> None:
    """Fill in the schema of the table, and what to learn."""
    page.select_option("[name=label]", "ill")
    bounds = {"Lower bound of age": "0", "Upper bound of age": "120", "Lower bound of bmi": "10"}
    for name, value in {**bounds, "Upper bound of bmi": "60"}.items():
        page.get_by_label(name).fill(value)
    page.get_by_label("Kind of smoker").select_option("boolean")
    page.select_option("[name=concepts]", "trees")
    page.fill("[name=rest]:not([disabled])", "2")
    page.fill("[name=epsilon]", epsilon)
    page.press("[name=epsilon]", "Tab")


def sample(page: Page, site: Site) -> None:
    """The table to try, with its schema filled in."""
    page.goto(f"{site.address}/learn")
    page.get_by_role("button", name="Try the sample table").click()
    page.wait_for_selector("#bill .facts")


def learn(page: Page) -> None:
    settled(page)
    page.get_by_role("button", name="Learn", exact=True).click()


def upload(page: Page, site: Site, table: Path) -> None:
    page.goto(f"{site.address}/learn")
    page.set_input_files("[name=file]", table)
    page.get_by_role("button", name="Go on").click()
    page.wait_for_selector(".sheet-row")
