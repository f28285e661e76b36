"""A last look at the site that was built: a page fails the build if it would load anything from elsewhere, or links to
what is not there when the site is opened from a disk, where no server looks for an index page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

__all__ = ["dead_links", "loaded_from_elsewhere", "on_post_build"]

ADDRESS = r"[\"']?((?:https?:)?//[^\"'\s>)]+)"
ELSEWHERE = [
    re.compile(r"<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc=" + ADDRESS, re.IGNORECASE),
    re.compile(r"<link\b(?![^>]*rel=[\"']?canonical)[^>]*\bhref=" + ADDRESS, re.IGNORECASE),
    re.compile(r"(?:@import\s+|url\()" + ADDRESS),
]
SERVED_ONLY = ("404.html",)
"""Pages that a server shows under any address, with links from its root."""


def loaded_from_elsewhere(text: str) -> list[str]:
    """Addresses of scripts, styles and pictures that a browser would fetch from another place."""
    return [address for pattern in ELSEWHERE for address in pattern.findall(text)]


class _Page(HTMLParser):
    """The links of a page, and the anchors that links may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src", "xlink:href") and value is not None:
                self.links.add(value)
            if value and (name == "id" or (name == "name" and tag == "a")):
                self.anchors.add(value)


def dead_links(site: Path) -> Iterator[str]:
    """Links to files that are not in the site, and to anchors that are not on their page."""
    pages = {path.resolve(): _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for link in () if path.name in SERVED_ONLY else sorted(page.links):
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            there, anchor = pages.get(target), unquote(address.fragment)
            if not target.is_file() or (anchor and there is not None and anchor not in there.anchors):
                yield f"{path.relative_to(site.resolve()).as_posix()}: {link}"


def on_post_build(config: Any) -> None:
    from mkdocs.exceptions import PluginError

    site = Path(config.site_dir)
    for path in [*site.rglob("*.html"), *site.rglob("*.css"), *site.rglob("*.svg")]:
        if found := loaded_from_elsewhere(path.read_text(encoding="utf-8")):
            raise PluginError(
                f"{path.relative_to(site)} loads {', '.join(sorted(set(found)))}; keep a copy in docs/assets/."
            )
    if dead := list(dead_links(site)):
        raise PluginError(f"{len(dead)} links lead nowhere on a disk: {'; '.join(dead[:20])}")
