"""What is written today is what was written, on every engine, and stored files are read, verified and used."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from privpac import __version__
from tests.golden.__main__ import LOOKS, USES
from tests.golden.cases import CASES
from tests.golden.corpus import HERE, difference, expected, stored, units_below
from tests.golden.kinds import Case
from tests.golden.reading import copied, looks, use, verified
from tests.golden.records import Place

STORED = stored()
EXPECTED = expected(__version__)
REMEDY = "if it was meant to change, run: python -m tests.golden"


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records")
    Place.prepare(folder)
    return folder


def everywhere() -> Iterator[ParameterSet]:
    """Every case on every engine; `make test` runs it on the first and on one of the others, in turn."""
    for number, case in enumerate(CASES):
        first, *others = case.engines
        quick = {first, others[number % len(others)]} if others else {first}
        for engine in case.engines:
            marks = () if engine in quick else (pytest.mark.long,)
            yield pytest.param(case, engine, id=f"{case.units[0]}-{engine}", marks=marks)


@pytest.mark.parametrize(("case", "engine"), list(everywhere()))
def test_what_is_written_today_is_what_is_stored(
    case: Case, engine: str, records: Path, tmp_path: Path
) -> None:
    case.make(Place(engine, records), tmp_path)
    for unit in case.units:
        assert unit in EXPECTED, f"{unit} is not stored: {REMEDY}"
        assert difference(EXPECTED[unit], tmp_path / unit) is None, REMEDY


@cache
def _read(path: Path) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return tree


@pytest.mark.parametrize("name", STORED)
def test_every_stored_document_is_accepted_answers_and_looks_as_ever(name: str, tmp_path: Path) -> None:
    version, _, unit = name.partition("/")
    document = copied(STORED[name], tmp_path)
    assert verified(document) in {"rebuilt", "derived", "consistent"}
    assert looks(document) == _read(LOOKS)[name], (
        "if the words or pictures were meant to change: python -m tests.golden"
    )
    assert use(document) == _read(HERE / version / USES)[unit], "an old file answers in another way"


def test_no_document_is_gone() -> None:
    assert {name.partition("/")[0] for name in STORED} == {__version__}
    for version in {name.partition("/")[0] for name in STORED}:
        assert set(units_below(HERE / version)) == set(_read(HERE / version / USES))
    assert set(_read(LOOKS)) == set(STORED)


def test_nothing_stored_tells_of_the_machine_that_wrote_it() -> None:
    place = re.compile(rb"/(tmp|home|root|Users|var|work)/|[A-Z]:\\\\")
    for path in HERE.rglob("*"):
        if path.is_file() and path.suffix not in (".py", ".pyc"):
            assert not place.search(path.read_bytes()), path.name


def test_the_corpus_stays_small() -> None:
    files = [path for unit in STORED.values() for path in ([unit] if unit.is_file() else unit.iterdir())]
    assert sum(path.stat().st_size for path in files) < 1_500_000
