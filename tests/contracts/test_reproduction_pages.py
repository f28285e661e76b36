"""docs/reproductions/ shows what its numbers say, and every reproduction has its page."""

from __future__ import annotations

import json
import re

import pytest
from benchmarks.reproduction_pages import FOLDER, page

from privpac.cli.reproduce import REPRODUCTIONS

DONE = [name for name in REPRODUCTIONS if (FOLDER / f"{name}.md").exists()]


@pytest.mark.parametrize("name", DONE)
def test_a_page_is_made_from_its_numbers(name: str) -> None:
    tree = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    made = re.search(r"Made on (\d{4}-\d\d-\d\d) by", text)
    assert made
    assert text == page(tree, made=made[1]), f"python -m benchmarks.reproduction_pages --render-only {name}"
    assert not tree["quick"]
    assert (FOLDER / f"{name}.svg").exists() == REPRODUCTIONS[name].has_figure


def test_every_reproduction_has_its_page() -> None:
    assert set(DONE) == set(REPRODUCTIONS), "python -m benchmarks.reproduction_pages"


@pytest.mark.parametrize("name", DONE)
def test_a_page_says_what_the_paper_says_and_what_was_found_in_numbers_of_its_table(name: str) -> None:
    rows = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["rows"]
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    story = re.search(r"^\*\*([^*]+\.)\*\* (Here.+\.)$", page, re.MULTILINE)
    assert story
    assert [len(said.split(". ")) for said in story.groups()] == [1, 1], "two sentences"
    large = {
        int(number.replace(",", "")) for number in re.findall(r"\b\d{1,3}(?:,\d{3})+\b|\b\d{3,}\b", story[0])
    }
    assert large <= {value for row in rows for value in row.values() if isinstance(value, int)}
