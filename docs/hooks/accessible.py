"""What the theme leaves out for people who use a screen reader, added to every page once it is rendered."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["accessible", "on_post_page", "on_post_template"]

_NAV = re.compile(r"<nav\b[^>]*>|</nav>")
_FOLDED = re.compile(r'<nav class="md-nav"(?P<level> data-md-level="[1-9]")?[^>]*>')


def accessible(html: str) -> str:
    """The search has a name, only whole navigations are landmarks, and no heading of a table is empty."""
    html = html.replace(
        'data-md-component="search" role="dialog"',
        'data-md-component="search" role="dialog" aria-label="Search"',
    )
    html = re.sub(r"<th( style=\"[^\"]*\")?></th>", r"<td\1></td>", html)
    return _without_inner_landmarks(html)


def _without_inner_landmarks(html: str) -> str:
    """Every branch of a navigation is a landmark in the theme; here it is a part of the one around it."""
    inner: list[bool] = []

    def plain(match: re.Match[str]) -> str:
        tag = match[0]
        if tag == "</nav>":
            return "</div>" if inner and inner.pop() else tag
        folded = _FOLDED.fullmatch(tag)
        inner.append(folded is not None)
        return f'<div class="md-nav"{folded["level"] or ""}>' if folded else tag

    return _NAV.sub(plain, html)


def on_post_page(output: str, **_: Any) -> str:
    return accessible(output)


def on_post_template(output_content: str, *, template_name: str, **_: Any) -> str:
    """The page for addresses that lead nowhere, which is no page of the documentation."""
    return accessible(output_content) if template_name == "404.html" else output_content
