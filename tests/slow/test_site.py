"""The documentation as people see it: every page of the site, opened as a file in headless Chromium.

On a desk and on a phone axe finds nothing, in light and in dark; nothing lies beyond the edge of a phone, and nobody else is
asked for anything. Header, navigation and footer come from one template, so they are looked at on one page per folder, and
what a page itself says on every page. The site is the one that `make docs` has left in site/, built here if a source is newer.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.slow.browsing import LOOKS, axe_violations, browser, picture, still

__all__ = ["browser"]

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
DESK: Any = {"width": 1280, "height": 900}
PHONE: Any = LOOKS["phone"]["viewport"]
APART = {"verify", "404.html"}
"""The first has tests of its own, in test_verify_page.py: its checker needs a server. So does the page for addresses that lead
nowhere, whose own address may be anything."""
OWN = (".md-content", ".md-sidebar--secondary")
"""What differs from page to page: the text, and its table of contents."""
LAYOUT = (
    "scrollable-region-focusable",
    "target-size",
    "meta-viewport",
    "aria-hidden-focus",
    "nested-interactive",
)
"""What a narrow window can change, besides the edge; colours do not depend on the width."""


def out_of_date() -> bool:
    index = SITE / "index.html"
    if not index.exists():
        return True
    sources = [ROOT / "mkdocs.yml", ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for folder in ("docs", "src", "examples"):
        sources += [
            path
            for path in (ROOT / folder).rglob("*")
            if path.suffix in {".md", ".py", ".css", ".js", ".svg"}
        ]
    return any(path.stat().st_mtime > index.stat().st_mtime for path in sources)


def pages() -> list[Path]:
    return sorted(path for path in SITE.rglob("*.html") if path.relative_to(SITE).parts[0] not in APART)


@pytest.fixture(scope="module")
def site() -> Path:
    if out_of_date():
        subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=ROOT, check=True)
    return SITE


class Reading:
    """One window that turns page after page, and remembers what was asked of anybody else."""

    def __init__(self, browser: Browser) -> None:
        self.context = browser.new_context(viewport=DESK)
        self.elsewhere: list[str] = []
        self.context.route(lambda url: not url.startswith(("file:", "data:", "blob:")), self._refuse)
        self.page = self.context.new_page()

    def _refuse(self, route: Any) -> None:
        self.elsewhere.append(route.request.url)
        route.abort()

    def faults(self, path: Path, *within: str) -> list[tuple[str, ...]]:
        """What is wrong with a page: on a desk, on a phone, and in the dark, where only colours differ."""
        page, name = self.page, path.relative_to(SITE).as_posix() if path.is_relative_to(SITE) else path.name
        shown = name.replace("/", "-")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(DESK)
        page.goto(path.as_uri())
        faults = [("desk", name, *one) for one in seen(page, f"desk-{shown}", within=within)]
        page.emulate_media(color_scheme="dark")
        faults += [
            ("dark", name, *one) for one in seen(page, f"dark-{shown}", "color-contrast", within=within)
        ]
        page.set_viewport_size(PHONE)
        rules = LAYOUT if within else ()
        faults += [("phone", name, *one) for one in seen(page, f"phone-{shown}", *rules, within=within)]
        beyond = page.evaluate("document.documentElement.scrollWidth") - PHONE["width"]
        return [*faults, ("phone", name, f"{beyond} points lie beyond the edge")] if beyond > 0 else faults


def seen(page: Page, name: str, *rules: str, within: tuple[str, ...]) -> list[list[str]]:
    still(page)
    picture(page, name)
    return axe_violations(page, *rules, within=within)


@pytest.fixture
def reading(browser: Browser) -> Iterator[Reading]:
    window = Reading(browser)
    yield window
    window.context.close()


def test_axe_finds_nothing_on_any_page_and_nobody_else_is_asked(site: Path, reading: Reading) -> None:
    faults: list[tuple[str, ...]] = []
    folders: set[Path] = set()
    for path in pages():
        faults += reading.faults(path, *(OWN if path.parent in folders else ()))
        folders.add(path.parent)
    assert faults == []
    assert reading.elsewhere == []


def test_faults_are_found(reading: Reading, tmp_path: Path) -> None:
    """A picture that nobody describes, text that is pale in the dark, a box wider than a phone, a question to somebody else."""
    style = "p { width: 30em } @media (prefers-color-scheme: dark) { body { background: #222; color: #333 } }"
    page = tmp_path / "bad.html"
    page.write_text(
        f'<!doctype html><html lang="en"><title>Bad</title><style>{style}</style>'
        '<meta name="viewport" content="width=device-width"><main><h1>Bad</h1><p>Words</p><img src="https://example.org/">'
        "</main>"
    )
    faults = reading.faults(page)
    assert {(where, rule) for where, _, rule, *_ in faults} == {
        ("desk", "image-alt"),
        ("dark", "color-contrast"),
        ("phone", "image-alt"),
        ("phone", "color-contrast"),
        ("phone", "128 points lie beyond the edge"),
    }
    assert reading.elsewhere == ["https://example.org/"]
    assert {(where, rule) for where, _, rule, *_ in reading.faults(page, "p")} == {
        ("dark", "color-contrast"),
        ("phone", "128 points lie beyond the edge"),
    }
