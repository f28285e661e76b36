"""Cuts of a column of a million cells, and records for them."""

import numpy as np

from privpac import MemorySample, Schema, Thresholds
from privpac.data.columns import Numeric

SCHEMA = Schema((Numeric("a", 0, 2**20 - 1, integer=True),), label="y", classes=("0", "1"))
CUTS = Thresholds(SCHEMA, "a")


def sample(n: int, *, seed: int = 0, noise: float = 0.0) -> MemorySample:
    generator = np.random.default_rng(seed)
    cells = generator.integers(0, 2**20, n)
    labels = (cells >= 2**19) ^ (generator.random(n) < noise)
    return MemorySample.from_cells(SCHEMA, {"a": cells}, labels.astype(np.int64))
