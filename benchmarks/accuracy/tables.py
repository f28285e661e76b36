"""The tables, encoded once each, and the fixed splits every method is measured on."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Remembered
from privpac.data.schema import Schema

__all__ = ["BUNDLED", "EPSILONS", "Remembered", "Table", "load", "names"]

EPSILONS = tuple(Fraction(text) for text in ("0.05", "0.1", "0.3", "1", "3"))

BUNDLED = "breast_cancer"
BUNDLED_SCHEMA = Path(__file__).parents[2] / "examples" / "breast_cancer.schema.json"
SIZES = (500, 2_000, 10_000)
"""Training sizes besides the full one; a size is left out where it is nearly the full one."""
NEARLY_FULL = 0.7
TEST_ROWS = 20_000
"""At most this many test records are scored."""


@dataclass(frozen=True)
class Table:
    """All records of a table."""

    name: str
    sample: MemorySample

    @property
    def schema(self) -> Schema:
        return self.sample.schema

    @property
    def rows(self) -> int:
        return self.sample.size.labelled

    @property
    def sizes(self) -> list[int]:
        full = self.rows - self.rows // 5
        return [n for n in SIZES if n <= NEARLY_FULL * full] + [full]

    def split(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Training positions (the first n of them make a training set of n) and test positions.

        A fifth of the records is for testing. The order depends on the table's name and the split's number
        only, so that every method, in every program that follows the same recipe, sees the same records.
        """
        generator = np.random.default_rng([zlib.crc32(self.name.encode()), number])
        order = generator.permutation(self.rows)
        fifth = self.rows // 5
        return order[fifth:], order[:fifth][:TEST_ROWS]


def names(data: Path | None) -> list[str]:
    """The tables of a data folder, or the one that ships with scikit-learn."""
    if data is None:
        return [BUNDLED]
    return sorted(schema.parent.name for schema in data.glob("*/schema.json"))


def load(name: str, data: Path | None) -> Table:
    """DIR/NAME/schema.json and DIR/NAME/data.csv or data.csv.gz, or the bundled table."""
    if data is None:
        return Table(name, _bundled())
    folder = data / name
    schema = Schema.from_json(folder / "schema.json")
    file = next(path for path in _candidates(folder) if path.exists())
    return Table(name, MemorySample.of(str(file), schema))


def _candidates(folder: Path) -> Iterator[Path]:
    yield folder / "data.csv"
    yield folder / "data.csv.gz"
    raise FileNotFoundError(f"{folder} holds neither data.csv nor data.csv.gz")


def _bundled() -> MemorySample:
    from sklearn.datasets import load_breast_cancer

    schema = Schema.from_json(BUNDLED_SCHEMA)
    bunch = load_breast_cancer()
    malignant = 1 - bunch.target  # scikit-learn counts benign as 1
    header = ",".join((*(str(name).replace(" ", "_") for name in bunch.feature_names), schema.label))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.csv"
        rows = np.column_stack([bunch.data, malignant])
        np.savetxt(file, rows, delimiter=",", header=header, comments="", fmt="%.10g")
        return MemorySample.of(str(file), schema)
