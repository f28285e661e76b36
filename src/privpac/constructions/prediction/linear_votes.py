"""What many linear classifiers say, worked out together.

scikit-learn checks its input once per model, and with one question and fifteen models these checks are nearly all of
the time. Weights of logistic regressions fit into one matrix, and what each model says is still a function of its own
weights and of the row alone: every sum is over the columns of one row and one model, in the same order whatever else
is asked, so that nobody's answer depends on who asks at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LinearVotes"]

LOGISTIC = ("sklearn.linear_model._logistic", "LogisticRegression")


@dataclass(frozen=True, eq=False, repr=False)
class LinearVotes:
    """Models that say class 1 where their weighted sum is above zero. Private: it has no repr."""

    weights: NDArray[np.float64]
    """One row per model."""
    offsets: NDArray[np.float64]

    @classmethod
    def of(cls, models: Sequence[Any], constants: Sequence[int], width: int) -> LinearVotes | None:
        """The models, where None stands for one that always says its constant; None if one is of another kind.

        What training makes is of one kind or a constant, so which of the two this is says nothing about records.
        """
        weights, offsets = np.zeros((len(models), width)), np.zeros(len(models))
        for place, (model, constant) in enumerate(zip(models, constants, strict=True)):
            if model is None:
                offsets[place] = 1.0 if constant else -1.0
            elif _is_plain(model, width):
                weights[place], offsets[place] = model.coef_[0], model.intercept_[0]
            else:
                return None
        return cls(weights, offsets)

    def count(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """How many models say each of the two classes: a row per question."""
        with np.errstate(all="ignore"):  # a warning would tell about a block
            sums = np.einsum("rc,mc->rm", rows, self.weights) + self.offsets
        ones = np.count_nonzero(sums > 0, axis=1)
        return np.stack([len(self.offsets) - ones, ones], axis=1)


def _is_plain(model: Any, width: int) -> bool:
    """Whether this is a logistic regression of two classes as scikit-learn fits it; a stored one may be anything."""
    kind = type(model)
    if (kind.__module__, kind.__qualname__) != LOGISTIC:
        return False
    shapes = {"coef_": (1, width), "intercept_": (1,), "classes_": (2,)}
    parts = {name: vars(model).get(name) for name in shapes}
    if not all(isinstance(part, np.ndarray) and part.shape == shapes[name] for name, part in parts.items()):
        return False
    numbers = parts["coef_"].dtype == np.float64 == parts["intercept_"].dtype
    return bool(numbers and parts["classes_"].dtype.kind in "iu" and parts["classes_"].tolist() == [0, 1])
