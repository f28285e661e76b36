"""axe-core, which looks for what keeps people with assistive software out of a page.

Fetched once from the npm registry into .cache/ and compared with its digest; where that cannot be, tests say so.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import urllib.request
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

__all__ = ["accessible"]

VERSION = "4.14.0"
ADDRESS = f"https://registry.npmjs.org/axe-core/-/axe-core-{VERSION}.tgz"
KEPT = Path(__file__).parents[2] / ".cache" / f"axe-{VERSION}.min.js"
DIGEST = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878"


@cache
def _script() -> str:
    if not KEPT.exists():
        try:
            with urllib.request.urlopen(ADDRESS, timeout=30) as reply:
                packed = io.BytesIO(reply.read())
        except OSError:
            pytest.skip(f"axe-core {VERSION} is not in .cache/, and cannot be fetched from {ADDRESS}")
        with tarfile.open(fileobj=packed, mode="r:gz") as archive:
            member = archive.extractfile("package/axe.min.js")
            assert member is not None
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_bytes(member.read())
    content = KEPT.read_bytes()
    assert hashlib.sha256(content).hexdigest() == DIGEST, f"{KEPT} is not axe-core {VERSION} as we know it"
    return content.decode("utf-8")


def accessible(page: Page) -> None:
    """Refuse a page, as it is now, that axe-core finds fault with; each fault with the elements it is about."""
    page.evaluate(f"() => {{ if (!window.axe) {{ {_script()} }} }}")
    found: list[dict[str, Any]] = page.evaluate("() => axe.run().then((all) => all.violations)")
    faults = {one["id"]: [node["html"][:200] for node in one["nodes"]] for one in found}
    assert not faults, json.dumps(faults, indent=1)
