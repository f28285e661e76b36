"""Drawers are private and emptied; jobs are few and tell little."""

from __future__ import annotations

import io
import os
import threading
import time
from pathlib import Path

import pytest

from privpac.errors import DataError, PrivpacError, SizeError
from privpac.service.pages.drawers import Drawer, Drawers, drawn_name
from privpac.service.pages.jobs import MOST_WAITING, Jobs, Withdrawal
from privpac.service.pages.place import Place
from privpac.service.pages.visitors import TokenGate


def until(true: object) -> None:
    for _ in range(400):
        if true():  # type: ignore[operator]
            return
        time.sleep(0.01)
    raise AssertionError("it takes too long")


def test_names_are_long_and_differ() -> None:
    assert len({drawn_name() for _ in range(50)}) == 50
    assert all(len(drawn_name()) == 32 for _ in range(5))


def test_a_drawer_is_emptied_when_nobody_uses_it(tmp_path: Path) -> None:
    drawers = Drawers(tmp_path / "all", keep_seconds=100)
    old = drawers.new("ann")
    os.utime(old.path, (1, 1))
    fresh = drawers.new("ann")
    assert not old.path.exists()
    assert drawers.open(fresh.name, "ann") == fresh
    with pytest.raises(DataError, match="not here any more"):
        drawers.open(fresh.name, "bob")
    drawers.close()
    assert fresh.path.exists()  # a folder somebody else made is not removed
    own = Drawers()
    own.new("ann")
    own.close()
    assert not own.root.exists()


def test_an_upload_is_cut_at_its_limit(tmp_path: Path) -> None:
    drawer = Drawers(tmp_path / "all").new("ann")
    assert drawer.take("a", io.BytesIO(b"12345"), most=5).read_bytes() == b"12345"
    with pytest.raises(SizeError):
        drawer.take("b", io.BytesIO(b"123456"), most=5)
    with pytest.raises(DataError, match="empty"):
        drawer.take("c", io.BytesIO(b""), most=5)
    assert {path.name for path in drawer.path.iterdir()} == {"a", "state.json"}


def test_jobs_note_how_far_they_are_and_what_went_wrong(tmp_path: Path) -> None:
    drawers, jobs = Drawers(tmp_path / "all"), Jobs()
    done, refused, broken = (drawers.new("ann") for _ in range(3))

    def fails(tell: object) -> None:
        raise PrivpacError("It cannot be.", remedy="Try less.")

    def breaks(tell: object) -> None:
        raise RuntimeError("record 17 holds forty-two")

    jobs.start(done, lambda tell: tell("counting", 3, 3))
    jobs.start(refused, fails)
    jobs.start(broken, breaks)
    until(lambda: broken.state["job"] == "failed")
    assert (done.state["job"], done.state["what"], done.state["done"]) == ("done", "counting", 3)
    assert (refused.state["problem"], refused.state["remedy"]) == ("It cannot be.", "Try less.")
    assert "forty" not in str(broken.state)
    jobs.close()


def test_too_many_jobs_are_refused(tmp_path: Path) -> None:
    drawers, jobs, wait = Drawers(tmp_path / "all"), Jobs(), threading.Event()
    for _ in range(MOST_WAITING):
        jobs.start(drawers.new("ann"), lambda tell: wait.wait(20) and None)
    with pytest.raises(SizeError, match="at once"):
        jobs.start(drawers.new("ann"), lambda tell: None)
    wait.set()
    jobs.close()


def test_what_was_paid_for_is_kept_and_left_when_the_server_ends(caplog: pytest.LogCaptureFixture) -> None:
    place = Place(TokenGate())
    paid, free = place.drawers.new("ann"), place.drawers.new("ann")
    paid.note(charged=True)
    for drawer in (paid, free):
        os.utime(drawer.path, (time.time() - 7200,) * 2)
    place.drawers.new("bob")  # sweeps
    assert paid.path.exists()
    assert not free.path.exists()
    assert place.drawers.owned("ann") == [paid]
    place.close()
    assert [path.name for path in place.drawers.root.iterdir()] == [paid.name]
    assert str(paid.path) in caplog.text
    paid.note(charged=False)
    place.drawers.close()
    assert not place.drawers.root.exists()


def test_the_end_of_a_server_waits_for_what_is_charged_and_withdraws_the_rest(tmp_path: Path) -> None:
    drawers = Drawers(tmp_path / "all")
    for pays, outcome in ((True, "done"), (False, "cancelled")):
        jobs, drawer, begun = Jobs(), drawers.new("ann"), threading.Event()

        def work(
            tell: object, *, own: Drawer = drawer, pays: bool = pays, begun: threading.Event = begun
        ) -> None:
            if pays:
                Withdrawal(own).pay()
            begun.set()
            time.sleep(0.2)
            Withdrawal(own).look()

        jobs.start(drawer, work)
        begun.wait(5)
        jobs.close()
        assert drawer.state["job"] == outcome
