"""One way to compile a numeric kernel, so that floating-point semantics are the same everywhere.

`fastmath` stays off: a kernel's error bound is proved for IEEE 754 operations in the written order. The compiler is
loaded when a kernel is first called, so that whoever calls none (`verify`, `predict`, `explain`, `plan`, and learning
from a small table) never waits for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from typing import Any, SupportsInt, TypeVar, cast

__all__ = [
    "COMPILING",
    "WATCH",
    "Kernel",
    "Watch",
    "compiled",
    "interpreted",
    "load_compiler",
    "plainly",
    "popcount",
    "processor_time",
]

F = TypeVar("F", bound=Callable[..., object])

COMPILING = "Compiling numeric code for this computer, once; the next run starts at once. See privpac warm."
"""Said once per process, where compiling takes longer than a moment."""
PATIENCE = 2.0
"""Seconds of compiling after which it is said."""


def compiled(function: F) -> F:
    """Compile `function` with numba on first use; the machine code is cached beside the source."""
    return cast(F, Kernel(function))


def interpreted(kernel: F) -> F:
    """The kernel as plain Python: the same operations on numbers, and so the same bits, without the compiler."""
    return cast(F, cast(Kernel, kernel).__wrapped__)


def popcount(word: SupportsInt) -> int:
    """Number of set bits of a word; in a kernel the processor's instruction for 64 bits, or its vector equivalent."""
    return int(word).bit_count()


PLAIN = 1 << 28
"""Operations of numpy on elements of arrays that take about as long as loading the compiler and a few kernels."""

COMPILING_TAKES = 4
"""Times as long as that, at least, to compile a few kernels."""

_plain = 0
"""Such operations done in this process."""


def plainly(operations: int) -> bool:
    """Whether a step of this many operations is to be taken by numpy: within the bound of the kernel, and sooner.

    That is so until numpy has worked for as long as loading the kernels would have taken, or a few times longer where
    they turned out not to be compiled yet; and not once they are loaded. So whoever learns once from a small table
    never waits for a compiler, and whoever learns often soon does.
    """
    global _plain
    ready, compiling = _compiler.cache_info().currsize > 0, WATCH.kernels > 0
    if (ready and not compiling) or _plain + operations > PLAIN * (COMPILING_TAKES if compiling else 1):
        return False
    _plain += operations
    return True


def load_compiler() -> None:
    """From now on every step is taken by kernels: for whoever wants them compiled, and says so himself."""
    global _plain
    _compiler()
    _plain = COMPILING_TAKES * PLAIN
    WATCH.keep_quiet()


class Kernel:
    """A function that becomes machine code when it is first called, from Python or from another kernel."""

    __wrapped__: Callable[..., object]
    __qualname__: str

    def __init__(self, function: Callable[..., object]) -> None:
        update_wrapper(self, function)

    @cached_property
    def machine(self) -> Any:
        """numba's own object."""
        return _compiler()(self.__wrapped__)

    @property
    def _numba_type_(self) -> Any:
        """numba asks for it where one kernel names another."""
        return self.machine._numba_type_

    def __call__(self, *arguments: object) -> object:
        return self.machine(*arguments)

    def __reduce__(self) -> str:
        return self.__qualname__


@cache
def _compiler() -> Callable[[Callable[..., object]], Any]:
    import numba
    from numba.core import event
    from numba.extending import lower_builtin, type_callable

    @type_callable(popcount)  # type: ignore[untyped-decorator]
    def signature(_context: Any) -> Any:
        return lambda _word: numba.types.uint64

    @lower_builtin(popcount, numba.types.uint64)  # type: ignore[untyped-decorator]
    def instructions(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    class Listener(event.Listener):  # type: ignore[misc]
        """Hears of kernels that are compiled, not of those found in the cache."""

        def on_start(self, event: Any) -> None:
            WATCH.begin()

        def on_end(self, event: Any) -> None:
            WATCH.end()

    event.register("numba:compile", Listener())
    return cast(Callable[[Callable[..., object]], Any], numba.njit(cache=True, nogil=True))


class Watch:
    """How long compiling has taken in this process; says so once, when a person would begin to wonder."""

    kernels = 0
    """Compiled so far, those on behalf of others not counted."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._nested, self._since, self._spent, self._quiet = 0, 0.0, 0.0, False
        self.computing = 0.0
        """Seconds of the processor that compiling took, once it is done: no part of what a kernel takes."""

    def keep_quiet(self) -> None:
        """Say nothing, however long it takes."""
        self._quiet = True

    def begin(self) -> None:
        """Another kernel is compiled, perhaps on behalf of one that is being compiled."""
        if self._nested == 0:
            self._since = self._clock()
            self.computing -= time.process_time()
        self._nested += 1
        if not self._quiet and self._spent + self._clock() - self._since >= PATIENCE:
            self._quiet = True
            _say(COMPILING)

    def end(self) -> None:
        """It is done."""
        self._nested -= 1
        if self._nested == 0:
            self.kernels += 1
            self._spent += self._clock() - self._since
            self.computing += time.process_time()


WATCH = Watch()
"""That of this process."""


def processor_time() -> float:
    """Seconds of the processor that this process has taken, without those of compiling, which is done once."""
    return time.process_time() - WATCH.computing


def _say(text: str) -> None:
    import logging

    logging.getLogger("privpac").warning(text)
