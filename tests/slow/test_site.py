"""The documentation as people see it: pages of the site, opened as files in headless Chromium.

On a desk and on a phone axe finds nothing, in light and in dark; nothing lies beyond the edge of a phone, and nobody
else is asked for anything. Header, navigation and footer come from one template, so they are looked at on one page per
folder, and what a page itself says on every page that is opened: one of twelve, or with `PRIVPAC_ALL_PAGES=1` all of
them, which takes minutes. The site is the one that `make docs` has left in site/, built here if a source is newer.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.slow.browsing import LOOKS, axe_violations, browser, picture, still

__all__ = ["browser"]

pytestmark = pytest.mark.xdist_group("site")  # one process builds it if it has to be built

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
DESK: Any = {"width": 1280, "height": 900}
PHONE: Any = LOOKS["phone"]["viewport"]
APART = {"verify", "404.html"}
"""The first has tests of its own, in test_verify_page.py. So does the page for addresses
that lead nowhere, whose own address may be anything."""
OWN = (".md-content", ".md-sidebar--secondary")
"""What differs from page to page: the text, and its table of contents."""
GIANT = 10**6
"""Bytes of a page of which only the beginning is looked at: hundreds of names, each described in the same form."""
BEGINNING = (".md-content article > :nth-child(-n+12)",)
CONTRAST = ("color-contrast",)
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


def some_pages() -> list[Path]:
    """The first page of every part of the site and every twelfth of all; with `PRIVPAC_ALL_PAGES=1` every page."""
    every = pages()
    if os.environ.get("PRIVPAC_ALL_PAGES"):
        return every
    first = {path.relative_to(SITE).parts[0]: path for path in reversed(every)}
    return sorted({*first.values(), *every[::12]})


@pytest.fixture(scope="module")
def site() -> Path:
    if out_of_date():
        subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=ROOT, check=True)
    return SITE


INKS = """(within) => [...new Set([...document.querySelectorAll(within)]
  .flatMap((part) => [part, ...part.querySelectorAll("*")])
  .filter((one) => [...one.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()))
  .map((one) => {
    const own = getComputedStyle(one), grounds = [];
    for (let at = one; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      grounds.push(style.backgroundColor, style.backgroundImage, style.opacity);
    }
    return [own.color, own.fontSize, own.fontWeight, ...new Set(grounds)].join(" ");
  }))]"""
"""Every colour, size and weight of text, with what is behind it: contrast depends on nothing else."""


class Reading:
    """One window that turns page after page, and remembers what was asked of others and which inks it has seen."""

    def __init__(self, browser: Browser) -> None:
        self.context = browser.new_context(viewport=DESK)
        self.elsewhere: list[str] = []
        self.inks: set[str] = set()
        self.context.route(lambda url: not url.startswith(("file:", "data:", "blob:")), self._refuse)
        self.page = self.context.new_page()

    def _refuse(self, route: Any) -> None:
        self.elsewhere.append(route.request.url)
        route.abort()

    def faults(self, path: Path, *within: str) -> list[tuple[str, ...]]:
        """What is wrong with a page: on a desk, in the dark, where only colours differ, and on a phone."""
        page, name = self.page, path.relative_to(SITE).as_posix() if path.is_relative_to(SITE) else path.name
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(DESK)
        page.goto(path.as_uri())
        seen(page, f"desk-{name}")
        faults = [("desk", *one) for one in axe_violations(page, within=within, without=CONTRAST)]
        faults += [("light", *one) for one in self._pale(within)]
        page.emulate_media(color_scheme="dark")
        seen(page, f"dark-{name}")
        faults += [("dark", *one) for one in self._pale(within)]
        page.set_viewport_size(PHONE)
        seen(page, f"phone-{name}")
        rules = LAYOUT if within else ()
        faults += [("phone", *one) for one in axe_violations(page, *rules, within=within, without=CONTRAST)]
        beyond = page.evaluate("document.documentElement.scrollWidth") - PHONE["width"]
        faults += [("phone", f"{beyond} points lie beyond the edge")] if beyond > 0 else []
        return [(name, *fault) for fault in faults]

    def _pale(self, within: tuple[str, ...]) -> list[list[str]]:
        """Text without contrast, looked for where there is an ink that no page before had."""
        new = set(self.page.evaluate(INKS, ",".join(within) or "body")) - self.inks
        self.inks |= new
        return axe_violations(self.page, *CONTRAST, within=within) if new else []


def seen(page: Page, name: str) -> None:
    still(page)
    picture(page, name.replace("/", "-"))


@pytest.fixture
def reading(browser: Browser) -> Iterator[Reading]:
    window = Reading(browser)
    yield window
    window.context.close()


def test_axe_finds_nothing_and_nobody_else_is_asked(site: Path, reading: Reading) -> None:
    faults: list[tuple[str, ...]] = []
    folders: set[Path] = set()
    for path in some_pages():
        own = BEGINNING if path.stat().st_size > GIANT else OWN
        faults += reading.faults(path, *(own if path.parent in folders else ()))
        folders.add(path.parent)
    assert faults == []
    assert reading.elsewhere == []


ARTICLE = re.compile(r"<article.*?</article>", re.DOTALL)


def test_no_power_is_left_as_it_was_typed_and_no_star_of_a_symbol_has_become_emphasis(site: Path) -> None:
    assert TYPED.search("up to e^ε times")
    assert TYPED.search("the cut c<em>, and d</em>")
    assert not TYPED.search("a <em>cut</em>")
    left: list[tuple[str, str]] = []
    for path in pages():
        shown = ARTICLE.search(path.read_text(encoding="utf-8"))
        prose = re.sub(r"<(pre|code|math|svg)\b.*?</\1>", "", shown[0] if shown else "", flags=re.DOTALL)
        words = re.sub(r"<(?!em>)[^>]*>", "", prose)
        left += [
            (path.name, words[max(0, one.start() - 20) : one.end() + 20]) for one in TYPED.finditer(words)
        ]
    assert left == []


TYPED = re.compile(r"\w\^[\w(−]|(?<!\w)[A-Za-z]<em>|[∫∏∑ΠΣ)]<em>")
"""A power in plain text; emphasis that begins right after a symbol, which had a star or an index."""


def test_faults_are_found(reading: Reading, tmp_path: Path) -> None:
    """A picture without words, text that is pale in the dark, a box wider than a phone, a question to others."""
    style = "p { width: 30em } @media (prefers-color-scheme: dark) { body { background: #222; color: #333 } }"
    page = tmp_path / "bad.html"
    page.write_text(
        f'<!doctype html><html lang="en"><title>Bad</title><style>{style}</style>'
        '<meta name="viewport" content="width=device-width"><main><h1>Bad</h1><p>Words</p><img src="https://example.org/">'
        "</main>"
    )
    faults = reading.faults(page)
    assert {fault[1:3] for fault in faults} == {
        ("desk", "image-alt"),
        ("dark", "color-contrast"),
        ("phone", "image-alt"),
        ("phone", "128 points lie beyond the edge"),
    }
    assert reading.elsewhere == ["https://example.org/"]
    reading.inks.clear()
    assert {fault[1:3] for fault in reading.faults(page, "p")} == {
        ("dark", "color-contrast"),
        ("phone", "128 points lie beyond the edge"),
    }
