"""Waiting with an end, for what mostly is there already: a timer is set only if there is something to wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Generator
from typing import Any, TypeVar

__all__ = ["by"]

T = TypeVar("T")


async def by(end: float, awaitable: Awaitable[T]) -> T:
    """The result, or `TimeoutError` if it is not there at `end`, a time of the running event loop.

    To set a timer and to cancel it takes as long as to read a short body, and nearly every body comes with its head.
    """
    steps = awaitable.__await__()
    try:
        waits_for = next(steps)
    except StopIteration as stop:
        result: T = stop.value
        return result
    async with asyncio.timeout_at(end):
        return await _Begun(steps, waits_for)


class _Begun(Awaitable[T]):
    """The rest of an awaitable that has said what it waits for."""

    def __init__(self, steps: Generator[Any, Any, T], waits_for: object) -> None:
        self._steps, self._waits_for = steps, waits_for

    def __await__(self) -> Generator[Any, Any, T]:
        waits_for = self._waits_for
        while True:
            try:
                try:
                    value = yield waits_for
                except BaseException as error:  # the end has come, or the task is cancelled
                    waits_for = self._steps.throw(error)
                else:
                    waits_for = self._steps.send(value)
            except StopIteration as stop:
                result: T = stop.value
                return result
