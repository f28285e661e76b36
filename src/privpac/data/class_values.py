"""Predicted classes as values of a type: numbers, booleans, or text, as the schema's list of classes reads.

Classes are compared and stored as text. The type follows from all of them together, so it is public, and the same for
a schema written by hand and for one read back from a model file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["class_values"]

WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
"""A whole number as Python writes it, and as 64 bits hold it: "01" may be a code whose zero matters."""


DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]*[1-9]")
"""A number with a fraction, without zeros that change nothing: "1.10" may be a code."""


def class_values(classes: Sequence[str]) -> NDArray[Any]:
    """One value per class, in order: numbers if every class is one, booleans if all are true or false, else text.

    >>> class_values(["0", "1"]).tolist(), class_values(["False", "True"]).tolist(), class_values(["0", "01"]).tolist()
    ([0, 1], [False, True], ['0', '01'])
    >>> class_values(["0", "0.5", "1"]).tolist(), class_values(["1.1", "1.10"]).tolist()
    ([0.0, 0.5, 1.0], ['1.1', '1.10'])
    """
    if all(WHOLE.fullmatch(name) for name in classes):
        return np.array([int(name) for name in classes], dtype=np.int64)
    if all(WHOLE.fullmatch(name) or _is_decimal(name) for name in classes):
        return np.array([float(name) for name in classes], dtype=np.float64)
    spellings = [name.lower() for name in classes]
    if sorted(spellings) == ["false", "true"]:
        return np.array([name == "true" for name in spellings], dtype=np.bool_)
    return np.array(classes, dtype=object)


def _is_decimal(name: str) -> bool:
    """Whether a double holds this number exactly as it is written."""
    return DECIMAL.fullmatch(name) is not None and repr(float(name)) == name
