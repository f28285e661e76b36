"""Files appear complete or not at all, and a failed attempt leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from privpac.drafts import draft_of, new_file, whole_file


def test_what_was_complete_takes_the_place(tmp_path: Path) -> None:
    place = tmp_path / "a.json"
    place.write_text("old")
    with whole_file(place) as draft:
        draft.write_text("new")
        assert place.read_text() == "old"
    assert place.read_text() == "new"
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("begin", [whole_file, new_file])
def test_a_failure_leaves_nothing_behind(
    tmp_path: Path, begin: Callable[[Path], AbstractContextManager[Path]]
) -> None:
    place = tmp_path / "a.json"

    def write() -> None:
        with begin(place) as draft:
            draft.write_text("half of it")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    assert list(tmp_path.iterdir()) == []


def test_two_who_write_at_once_do_not_share_a_draft(tmp_path: Path) -> None:
    place = tmp_path / "a.json"
    assert draft_of(place) != draft_of(place)
    with whole_file(place) as first, whole_file(place) as second:
        first.write_text("first")
        second.write_text("second")
    assert place.read_text() == "first"  # who ends last


def test_a_new_file_takes_nobodys_place(tmp_path: Path) -> None:
    place = tmp_path / "a.json"
    place.write_text("old")
    with pytest.raises(FileExistsError), new_file(place):
        pass
    assert place.read_text() == "old"
