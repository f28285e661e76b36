"""Theory pages are whole, their pictures and tables are those the library makes, and no statement is left out."""

from __future__ import annotations

import re
from pathlib import Path

from docs.hooks.statements import LINE, on_page_markdown
from docs.measured import pages, written
from docs.pictures.__main__ import PICTURES, PLACE

from privpac.theory.statements import BLOCK, REGISTER
from tests.together import together

ROOT = Path(__file__).resolve().parents[2]
THEORY = ROOT / "docs" / "theory"
PAGES = sorted(path for path in THEORY.glob("*.md") if path.name != "index.md")
PARTS = ("## The idea", "## Statement", "## Try it", "## When not to use it", "## Proof and code")


def _name(path: Path) -> str:
    return path.name


@together(PAGES, name=_name)
def test_a_page_has_all_its_parts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    places = [text.index(part) for part in PARTS]
    assert places == sorted(places)
    assert f"](images/{path.stem}.svg)" in text
    assert LINE.search(text) or BLOCK.search(text), (
        "a page holds the statements it is about, or links to them"
    )
    assert "```python" in text
    assert "../proofs/" in text


@together(PAGES, name=_name)
def test_links_become_statements(path: Path) -> None:
    shown = on_page_markdown(path.read_text(encoding="utf-8"))
    assert not LINE.search(shown)
    assert not BLOCK.search(shown)
    assert "**Source:**" in shown


def test_links_in_an_example_stay_links() -> None:
    page = "```text\n[no-such-key](floors.md#no-such-key)\n```\n"
    assert on_page_markdown(page) == page


def test_a_link_to_a_statement_leads_to_its_page() -> None:
    for path in PAGES:
        for key, address in LINE.findall(path.read_text(encoding="utf-8")):
            assert address == f"{REGISTER[key].page}#{key}"


def test_every_page_has_a_picture_and_every_picture_a_page() -> None:
    assert {path.stem for path in PAGES} == set(PICTURES) == {path.stem for path in PLACE.glob("*.svg")}


@together(sorted(PICTURES))
def test_pictures_are_what_is_drawn(name: str) -> None:
    drawn = PICTURES[name]().svg()
    assert (PLACE / f"{name}.svg").read_text(encoding="utf-8") == drawn, "run python -m docs.pictures"
    assert re.search(r"<title>.+</title>", drawn)


@together(pages(), name=_name)
def test_measured_tables_are_those_of_the_results(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert written(text) == text, "run python -m docs.measured"
