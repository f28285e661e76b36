"""Predicted classes as values of a type: whole numbers, booleans, or text, as the schema's list of classes reads.

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


def class_values(classes: Sequence[str]) -> NDArray[Any]:
    """One value per class, in order: integers if every class is one, booleans if all are true or false, else text.

    >>> class_values(["0", "1"]).tolist(), class_values(["False", "True"]).tolist(), class_values(["0", "01"]).tolist()
    ([0, 1], [False, True], ['0', '01'])
    """
    if all(WHOLE.fullmatch(name) for name in classes):
        return np.array([int(name) for name in classes], dtype=np.int64)
    lowered = [name.lower() for name in classes]
    if sorted(lowered) == ["false", "true"]:
        return np.array([name == "true" for name in lowered], dtype=np.bool_)
    return np.array(classes, dtype=object)
