"""A last look at the site that was built: a page that would load anything from elsewhere fails the build."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

__all__ = ["loaded_from_elsewhere", "on_post_build"]

ADDRESS = r"[\"']?((?:https?:)?//[^\"'\s>)]+)"
ELSEWHERE = [
    re.compile(r"<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc=" + ADDRESS, re.IGNORECASE),
    re.compile(r"<link\b(?![^>]*rel=[\"']?canonical)[^>]*\bhref=" + ADDRESS, re.IGNORECASE),
    re.compile(r"(?:@import\s+|url\()" + ADDRESS),
]


def loaded_from_elsewhere(text: str) -> list[str]:
    """Addresses of scripts, styles and pictures that a browser would fetch from another place."""
    return [address for pattern in ELSEWHERE for address in pattern.findall(text)]


def on_post_build(config: Any) -> None:
    from mkdocs.exceptions import PluginError

    site = Path(config.site_dir)
    for path in [*site.rglob("*.html"), *site.rglob("*.css"), *site.rglob("*.svg")]:
        if found := loaded_from_elsewhere(path.read_text(encoding="utf-8")):
            raise PluginError(
                f"{path.relative_to(site)} loads {', '.join(sorted(set(found)))}; keep a copy in docs/assets/."
            )
