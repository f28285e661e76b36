"""The thread that commits: whoever waits is served together, and nobody is lost when it stops."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from privpac.errors import PrivpacError
from privpac.service.answering.group_commit import GroupCommit
from privpac.service.api.problems import Problem


class Committed:
    """Answers every ask with itself, and remembers the groups; the first waits until it is let go."""

    def __init__(self) -> None:
        self.groups: list[list[Any]] = []
        self.begun, self.go = threading.Event(), threading.Event()

    def answer(self, asks: Sequence[Any]) -> list[Any]:
        self.groups.append(list(asks))
        self.begun.set()
        assert self.go.wait(20)
        if "broken" in asks:
            raise RuntimeError
        if "gone" in asks:
            raise PrivpacError("no ledger")
        return list(asks)


def test_those_who_wait_share_the_next_commit() -> None:
    committed = Committed()
    sizes: list[int] = []
    commits = GroupCommit(committed.answer, committed=sizes.append)

    async def run() -> list[Any]:
        first = asyncio.create_task(commits.submit("first"))  # type: ignore[arg-type]
        assert await asyncio.to_thread(committed.begun.wait, 20)
        others = [asyncio.create_task(commits.submit(str(i))) for i in range(5)]  # type: ignore[arg-type]
        await asyncio.sleep(0)
        committed.go.set()
        return await asyncio.gather(first, *others)

    assert asyncio.run(run()) == ["first", "0", "1", "2", "3", "4"]
    assert committed.groups == [["first"], ["0", "1", "2", "3", "4"]]
    commits.stop()
    assert sizes == [1, 5]


def test_a_request_that_fails_does_not_take_its_neighbours_with_it() -> None:
    committed = Committed()
    commits = GroupCommit(committed.answer)

    async def run() -> list[Any]:
        first = asyncio.create_task(commits.submit("first"))  # type: ignore[arg-type]
        assert await asyncio.to_thread(committed.begun.wait, 20)
        others = [asyncio.create_task(commits.submit(name)) for name in ("a", "broken", "b")]  # type: ignore[arg-type]
        await asyncio.sleep(0)
        committed.go.set()
        return await asyncio.gather(first, *others, return_exceptions=True)

    results = asyncio.run(run())
    assert [results[0], results[1], results[3]] == ["first", "a", "b"]
    assert isinstance(results[2], RuntimeError)
    commits.stop()


def test_a_ledger_that_cannot_be_used_is_said_to_everyone() -> None:
    committed = Committed()
    committed.go.set()
    commits = GroupCommit(committed.answer)
    with pytest.raises(PrivpacError, match="no ledger"):
        asyncio.run(commits.submit("gone"))  # type: ignore[arg-type]
    commits.stop()


def test_stopping_serves_everyone_who_waits_and_takes_nobody_new() -> None:
    committed = Committed()
    commits = GroupCommit(committed.answer)

    async def run() -> list[Any]:
        waiting = [asyncio.create_task(commits.submit(str(i))) for i in range(4)]  # type: ignore[arg-type]
        assert await asyncio.to_thread(committed.begun.wait, 20)
        await asyncio.sleep(0)
        stopping = asyncio.create_task(asyncio.to_thread(commits.stop))
        await asyncio.sleep(0.05)
        committed.go.set()
        results = await asyncio.gather(*waiting)
        await stopping
        with pytest.raises(Problem, match="stopping"):
            await commits.submit("late")  # type: ignore[arg-type]
        return results

    assert asyncio.run(run()) == ["0", "1", "2", "3"]


def test_an_asker_who_went_away_harms_nobody() -> None:
    committed = Committed()
    commits = GroupCommit(committed.answer)

    async def run() -> Any:
        gone = asyncio.create_task(commits.submit("x"))  # type: ignore[arg-type]
        assert await asyncio.to_thread(committed.begun.wait, 20)
        gone.cancel()
        committed.go.set()
        return await commits.submit("y")  # type: ignore[arg-type]

    assert asyncio.run(run()) == "y"
    commits.stop()


def test_two_halves_of_a_crowd_become_one() -> None:
    """Those who come while others are answered would else take turns with them for ever: twice as many commits."""
    sizes: list[int] = []

    def answer(asks: Sequence[Any]) -> list[Any]:
        time.sleep(0.08)
        return list(asks)

    commits = GroupCommit(answer, committed=sizes.append)

    async def client(number: int) -> None:
        if number % 2:
            await asyncio.sleep(0.04)
        for _ in range(8):
            await commits.submit(str(number))  # type: ignore[arg-type]

    async def run() -> None:
        await asyncio.gather(*(client(number) for number in range(32)))

    asyncio.run(run())
    commits.stop()
    assert sum(sizes) == 32 * 8
    assert sizes.count(32) >= 5


def test_nobody_waits_long_for_a_crowd_that_is_gone() -> None:
    """However long its commit took."""
    commits = GroupCommit[Any](list)

    async def run() -> float:
        await asyncio.gather(*(commits.submit(number) for number in range(20)))
        while commits._size < 20:
            await asyncio.sleep(0.01)
        commits._seconds = 100.0
        begin = time.monotonic()
        await commits.submit("alone")
        return time.monotonic() - begin

    assert asyncio.run(run()) < 10
    commits.stop()
