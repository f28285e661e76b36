"""Theory pages are whole, their pictures and tables are those the library makes, and no statement is left out."""

from __future__ import annotations

import re
from pathlib import Path

from docs.hooks.statements import LINE
from docs.measured import pages, written
from docs.pictures.__main__ import PICTURES, PLACE

from privpac.theory.statements import REGISTER
from tests.together import together

ROOT = Path(__file__).resolve().parents[2]
THEORY = ROOT / "docs" / "theory"
PAGES = sorted(path for path in THEORY.glob("*.md") if path.name != "index.md")


def _name(path: Path) -> str:
    return path.name


def test_a_link_to_a_statement_leads_to_its_page() -> None:
    for path in PAGES:
        for key, address in LINE.findall(path.read_text(encoding="utf-8")):
            assert address == f"{REGISTER[key].page}#{key}"


@together(sorted(PICTURES))
def test_pictures_are_what_is_drawn(name: str) -> None:
    drawn = PICTURES[name]().svg()
    assert (PLACE / f"{name}.svg").read_text(encoding="utf-8") == drawn, "run python -m docs.pictures"
    assert re.search(r"<title>.+</title>", drawn)


@together(pages(), name=_name)
def test_measured_tables_are_those_of_the_results(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert written(text) == text, "run python -m docs.measured"
