"""Every suite that `tests/README.md` describes exists, and every suite is described; unit tests mirror the sources."""

from __future__ import annotations

import re
from pathlib import Path

from tests.together import together

TESTS = Path(__file__).parents[1]
UNIT = TESTS / "unit"
SOURCES = TESTS.parent / "src" / "privpac"


def test_the_readme_describes_the_suites_there_are() -> None:
    page = (TESTS / "README.md").read_text(encoding="utf-8")
    described = set(re.findall(r"\*\*(\w+)/\*\*", page))
    there = {folder.name for folder in TESTS.iterdir() if any(folder.glob("test_*.py"))}
    assert described == there


def _about(test: Path) -> str | None:
    """What a unit test names: a module or a room beside it in the sources, or the room it stands in."""
    room = SOURCES / test.parent.relative_to(UNIT)
    there = {path.stem for path in room.glob("*.py")} | {
        path.name for path in room.iterdir() if path.is_dir()
    }
    words = test.stem.removeprefix("test_").split("_")
    starts = ["_".join(words[:count]) for count in range(len(words), 0, -1)]
    return next((name for name in starts if name in there or name == room.name), None)


@together(sorted(UNIT.rglob("test_*.py")), name=lambda path: path.relative_to(UNIT).as_posix())
def test_unit_tests_mirror_the_sources(test: Path) -> None:
    assert (SOURCES / test.parent.relative_to(UNIT)).is_dir(), "no room of the sources has this name"
    assert _about(test), "name it test_<module>.py or test_<module>_<aspect>.py, in the module's room"
    assert (test.parent / "__init__.py").exists(), "files of two rooms may have the same name"


def test_a_name_that_is_no_module_mirrors_nothing() -> None:
    assert _about(UNIT / "test_coins.py") == _about(UNIT / "test_coins_twice.py") == "coins"
    assert _about(UNIT / "data" / "test_engines_alike.py") == "engines"
    assert _about(UNIT / "plan" / "test_plan.py") == "plan"
    assert _about(UNIT / "test_unions.py") is None
    assert _about(UNIT / "data" / "test_coins.py") is None
