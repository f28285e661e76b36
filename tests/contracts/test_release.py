"""Version, changelog and citation name the same release: what `.ci/release.py` writes, and a release waits for."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

import privpac
from privpac.theory.statements import PAPERS

ROOT = Path(__file__).resolve().parents[2]
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
DATED = re.compile(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})")


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _releases() -> list[tuple[Version, date]]:
    """Dated headings of the changelog, in its order: the newest first."""
    return [
        (Version(number), date.fromisoformat(day)) for number, day in DATED.findall(_text("CHANGELOG.md"))
    ]


def test_the_changelog_is_unreleased_changes_and_then_dated_releases_the_newest_first() -> None:
    first, *others = HEADING.findall(_text("CHANGELOG.md"))
    assert first == "[Unreleased]"
    assert others
    assert all(DATED.fullmatch(heading) for heading in others)
    assert _releases() == sorted(_releases(), reverse=True)


def test_the_version_is_the_last_release_or_on_the_way_to_the_next() -> None:
    current, last = Version(privpac.__version__), _releases()[0][0]
    assert current == last or (current > last and current.is_prerelease)


def test_what_is_cited_is_the_last_release() -> None:
    citation = yaml.safe_load(_text("CITATION.cff"))
    assert (Version(str(citation["version"])), citation["date-released"]) == _releases()[0]


@pytest.mark.parametrize(
    ("page", "place"),
    [
        ("docs/reference/bibliography.md", r'"privpac ([\d.]+), statement'),
        ("docs/reference/bibliography.md", r"learning\. Version ([\d.]+), \d{4}\.$"),
        ("docs/compare/index.md", r"^\| \*\*privpac\*\* ([\d.]+) \|"),
    ],
)
def test_pages_that_name_a_release_name_the_last_one(page: str, place: str) -> None:
    assert [Version(text) for text in re.findall(place, _text(page), re.MULTILINE)] == [_releases()[0][0]]


def test_the_citation_names_every_paper_of_the_register() -> None:
    references = yaml.safe_load(_text("CITATION.cff"))["references"]
    cited = {"–".join(author["family-names"] for author in entry["authors"]) for entry in references}
    assert cited == {paper.rpartition(" ")[0] for paper in PAPERS.values()}
