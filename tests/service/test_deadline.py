"""A wait with an end: what is there comes at once, what comes in time comes, and everything else is given up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from privpac.service.watch.observing import by


def waited(seconds: float, make: Callable[[], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        return await by(asyncio.get_running_loop().time() + seconds, make())

    return asyncio.run(run())


async def ready() -> str:
    return "there"


async def slow(seconds: float = 0.01) -> str:
    for _ in range(3):  # it waits more than once
        await asyncio.sleep(seconds)
    return "late"


async def failing() -> str:
    await asyncio.sleep(0)
    raise ValueError("broken")


def test_what_is_there_sets_no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asyncio.timeout_at", None)
    assert waited(10, ready) == "there"
    with pytest.raises(TypeError):  # and what is not, does
        waited(10, slow)


def test_what_comes_in_time_is_the_result() -> None:
    assert waited(10, slow) == "late"


def test_what_does_not_come_is_given_up() -> None:
    undone = []

    async def never() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            undone.append("closed")

    with pytest.raises(TimeoutError):
        waited(0.02, never)
    assert undone == ["closed"]


def test_errors_pass() -> None:
    with pytest.raises(ValueError, match="broken"):
        waited(10, failing)


def test_a_cancelled_wait_is_cancelled_and_not_late() -> None:
    async def run() -> None:
        task = asyncio.ensure_future(by(asyncio.get_running_loop().time() + 60, slow(60)))
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())


def test_who_swallows_the_end_goes_on() -> None:
    """As under `asyncio.timeout`."""

    async def stubborn() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(0)
        return "stayed"

    assert waited(0.02, stubborn) == "stayed"
