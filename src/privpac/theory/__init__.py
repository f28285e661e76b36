"""Mathematics only: no data, no randomness.

>>> from privpac.theory import best_mechanism
>>> cuts = [[int(x >= cut) for x in range(3)] for cut in range(4)]
>>> round(best_mechanism(cuts, records=2, error=0.3, epsilon=1).solved, 3)
0.587
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privpac.theory.optimum_floors import best_mechanism as best_mechanism

__all__ = ["best_mechanism"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'privpac.theory' has no attribute {name!r}")
    from privpac.theory import optimum_floors  # which loads what solves it

    return getattr(optimum_floors, name)
