"""What the documents of a release import can still be imported, and what has moved says where it is."""

from __future__ import annotations

import json
import sys
import warnings

import pytest

from privpac.former import FORMER
from tests.golden.corpus import HERE, RELEASED
from tests.golden.imports import LIST, printed_imports

LISTS = {path.parent.name: path for path in sorted(HERE.glob(f"*/{LIST}"))}
STATEMENTS = sorted({line for path in LISTS.values() for line in json.loads(path.read_text("utf-8"))})
REMEDY = "a line in privpac.former, and in CHANGELOG.md under Deprecated"


def _warnings(statement: str) -> list[str]:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        exec(compile(statement, __file__, "exec"), {})
    said = [str(one.message) for one in heard if issubclass(one.category, DeprecationWarning)]
    return [text for text in said if text.startswith("privpac.")]  # other libraries warn of themselves


def _moved() -> dict[str, str]:
    """Import statements that lead elsewhere by now, and what is said of them."""
    return {
        "from {} import {}".format(*old.rsplit(".", 1)): f"{old} is now {new}.{old.rpartition('.')[2]}."
        for old, new in FORMER.items()
    }


def test_what_released_documents_import_is_there_and_warns_if_it_has_moved() -> None:
    assert set(LISTS) == set(RELEASED) - {"0.1.0"}, "0.1.0 promised nothing of the kind"
    moved = _moved()
    for statement in STATEMENTS:
        try:
            heard = _warnings(statement)
        except ImportError:
            pytest.fail(f"{statement}: {REMEDY}")
        assert heard == ([moved[statement]] if statement in moved else []), statement


def test_a_name_is_kept_only_if_a_release_printed_it() -> None:
    assert set(_moved()) <= set(STATEMENTS)


def test_a_name_that_never_was_there_is_refused() -> None:
    with pytest.raises(ImportError):
        _warnings("from privpac.numbers.powers import powder")
    assert "privpac.numbers.powers" in sys.modules


def test_the_documents_of_today_import_nothing_that_has_moved() -> None:
    assert not set(_moved()) & set(printed_imports())
