"""Where a hypothesis over one ordered column changes its answer.

Statement: SWITCH(h) holds these cuts and the two ends. For every cut t some cut of SWITCH(h) errs, with respect to t,
only where h itself errs. So whatever h is worth, a cut made of one of its own switches is worth as much.
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Definition 5.3 and proof of Theorem 5.4.
Proof: docs/proofs/switch-reconstruction.md.
"""

from __future__ import annotations

import numpy as np

from privpac.concepts.base import Hypothesis
from privpac.data.column import Column
from privpac.errors import ParameterError

__all__ = ["switches"]


def switches(hypothesis: Hypothesis, column: Column) -> tuple[int, ...]:
    """The cuts 0 and column.size and those between them where the answer differs from that of the cell before."""
    edges = hypothesis.edges()
    if edges is None or not set(hypothesis.columns) <= {column.name}:
        raise ParameterError(
            "switches",
            "hypothesis",
            type(hypothesis).__name__,
            allowed=f"a rule about {column.name!r} alone, made of cuts and values",
        )
    inner = sorted({edge for edge in edges if 0 < edge < column.size})
    kind = object if column.size > 2**64 else np.uint64
    answers = hypothesis.predict({column.name: np.array([0, *inner], dtype=kind)}).tolist()
    changes = [
        cut for cut, before, after in zip(inner, answers, answers[1:], strict=False) if before != after
    ]
    return (0, *changes, column.size)
