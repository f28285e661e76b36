"""One way to compile a numeric kernel, so that floating-point semantics are the same everywhere.

`fastmath` stays off: a kernel's error bound is proved for IEEE 754 operations in the written order. The compiler is
loaded when a kernel is first called, so that whoever calls none (`verify`, `predict`, `explain`, `plan`, and learning
from a small table) never waits for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from typing import Any, SupportsIndex, SupportsInt, TypeVar, cast

__all__ = [
    "COMPILING",
    "LANES",
    "WATCH",
    "Kernel",
    "Watch",
    "compiled",
    "interpreted",
    "load_compiler",
    "packed",
    "paired",
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


def packed(codes: Any, start: int, code: int, nested: bool) -> int:
    """Bit i: whether codes[start + i] is at least `code` if `nested`, or else equal to it, for i below 64.

    In a kernel a comparison of 64 numbers side by side, of a contiguous array that has this many.
    """
    part = codes[start : start + 64].tolist()
    return sum(1 << i for i, cell in enumerate(part) if (cell >= code if nested else cell == code))


LANES = 8
"""Tests that `paired` counts at a time, and so the room it needs behind what it adds to and reads from."""


def paired(
    bits: Any,
    words: SupportsIndex,
    start: int,
    tests: tuple[int, ...],
    stops: tuple[int, ...],
    places: tuple[int, ...],
    out: Any,
) -> None:
    """For each of four tests: out[place + k] += records that pass it and test k, for 8 tests k from `start` on.

    Of these only k below the test's `stop` are counted, but all 8 are read and written. bits[w, k] has bit i if record
    64·w + i passes test k. In a kernel 8 words are an AND and a popcount, and counts stay in registers.
    """
    for test, stop, place in zip(tests, stops, places, strict=True):
        for k in range(start, min(start + LANES, stop)):
            both = sum(popcount(bits[w, test] & bits[w, k]) for w in range(words))
            out[place + k] += both


PLAIN = 1 << 30
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

    @type_callable(packed)  # type: ignore[untyped-decorator]
    def packed_type(_context: Any) -> Any:
        return lambda _codes, _start, _code, _nested: numba.types.uint64

    @lower_builtin(packed, numba.types.Array, numba.types.Integer, numba.types.Integer, numba.types.Boolean)  # type: ignore[untyped-decorator]
    def packed_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _compare(context, builder, signature.args[0], arguments)

    @type_callable(paired)  # type: ignore[untyped-decorator]
    def paired_type(_context: Any) -> Any:
        return lambda _bits, _words, _start, _tests, _stops, _places, _out: numba.types.void

    kinds = (
        numba.types.Array,
        numba.types.Integer,
        numba.types.Integer,
        *[numba.types.UniTuple] * 3,
        numba.types.Array,
    )

    @lower_builtin(paired, *kinds)  # type: ignore[untyped-decorator]
    def paired_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _count_pairs(context, builder, signature, arguments)
        return context.get_dummy_value()

    class Listener(event.Listener):  # type: ignore[misc]
        """Hears of kernels that are compiled, not of those found in the cache."""

        def on_start(self, event: Any) -> None:
            WATCH.begin()

        def on_end(self, event: Any) -> None:
            WATCH.end()

    event.register("numba:compile", Listener())
    return cast(Callable[[Callable[..., object]], Any], numba.njit(cache=True, nogil=True))


def _compare(context: Any, builder: Any, array: Any, arguments: Any) -> Any:
    """`packed` as instructions: load 64 numbers, compare them with 64 copies of the code, keep a bit of each."""
    from llvmlite import ir  # type: ignore[import-untyped]

    codes, start, code, nested = arguments
    element = context.get_data_type(array.dtype)
    vector = ir.VectorType(element, 64)
    place = builder.gep(context.make_array(array)(context, builder, codes).data, [start])
    cells = builder.load(builder.bitcast(place, vector.as_pointer()))
    cells.align = 1
    copies = _copies(builder, builder.trunc(code, element), vector)
    word = ir.IntType(64)
    least = builder.bitcast(builder.icmp_unsigned(">=", cells, copies), word)
    equal = builder.bitcast(builder.icmp_unsigned("==", cells, copies), word)
    return builder.select(nested, least, equal)


def _count_pairs(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
    """`paired` as instructions: a loop over words whose counts are four vectors."""
    from llvmlite import ir
    from numba.core import cgutils

    bits, words, start, tests, stops, places, out = arguments
    word, number = ir.IntType(64), ir.IntType(32)
    wide, narrow = ir.VectorType(word, LANES), ir.VectorType(number, LANES)
    table = context.make_array(signature.args[0])(context, builder, bits)
    goal = context.make_array(signature.args[6])(context, builder, out)
    length = cgutils.unpack_tuple(builder, table.shape)[1]
    many = len(signature.args[3])
    sums = [cgutils.alloca_once_value(builder, ir.Constant(wide, [0] * LANES)) for _ in range(many)]
    for total in sums:  # the room is kept from call to call
        builder.store(ir.Constant(wide, [0] * LANES), total)
    count = builder.module.globals.get("llvm.ctpop.v8i64") or ir.Function(
        builder.module, ir.FunctionType(wide, [wide]), "llvm.ctpop.v8i64"
    )
    with cgutils.for_range(builder, words, intp=word) as loop:
        row = builder.gep(table.data, [builder.mul(loop.index, length)])
        pair = builder.load(builder.bitcast(builder.gep(row, [start]), wide.as_pointer()))
        pair.align = 8
        for i, total in enumerate(sums):
            mask = _copies(builder, builder.load(builder.gep(row, [builder.extract_value(tests, i)])), wide)
            both = builder.call(count, [builder.and_(pair, mask)])
            builder.store(builder.add(builder.load(total), both), total)
    lane = ir.Constant(wide, list(range(LANES)))
    for i, total in enumerate(sums):
        stop = _copies(builder, builder.extract_value(stops, i), wide)
        inside = builder.icmp_signed("<", builder.add(lane, _copies(builder, start, wide)), stop)
        lanes = builder.select(inside, builder.load(total), ir.Constant(wide, [0] * LANES))
        place = builder.gep(goal.data, [builder.add(builder.extract_value(places, i), start)])
        place = builder.bitcast(place, narrow.as_pointer())
        before = builder.load(place)
        before.align = 4
        builder.store(builder.add(before, builder.trunc(lanes, narrow)), place).align = 4


def _copies(builder: Any, value: Any, vector: Any) -> Any:
    """A vector of the same number in all places."""
    from llvmlite import ir

    unknown = ir.Constant(vector, ir.Undefined)
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    one = builder.insert_element(unknown, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, unknown, lanes)


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
