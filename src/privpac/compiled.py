"""One way to compile a numeric kernel, so that floating-point semantics are the same everywhere.

`fastmath` stays off: a kernel's error bound is proved for IEEE 754 operations in the written order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

__all__ = ["compiled"]

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile `function` with numba on first use; the machine code is cached beside the source."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))
