"""Every suite that `tests/README.md` describes exists, and every suite is described."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_the_readme_describes_the_suites_there_are() -> None:
    page = (TESTS / "README.md").read_text(encoding="utf-8")
    described = set(re.findall(r"\*\*(\w+)/\*\*", page))
    there = {folder.name for folder in TESTS.iterdir() if any(folder.glob("test_*.py"))}
    assert described == there
