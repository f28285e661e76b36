"""Private estimators of other libraries, as black boxes for the statistical audit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from privpac.audit.sample import BlackBox, Dataset

__all__ = ["fitted", "parameters", "predictions"]


def fitted(make: Callable[[int], Any], *, show: Callable[[Any], Any]) -> BlackBox:
    """Fit `make(seed)` on records (features..., label) and give the world what `show` takes from the fitted estimator.

    Warnings of the estimator are not passed on: they may quote records, and there would be one for every run.
    """

    def box(data: Dataset, seed: int) -> Any:
        X = np.array([tuple(record)[:-1] for record in data], dtype=float)
        y = np.array([tuple(record)[-1] for record in data])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return show(make(seed).fit(X, y))

    return box


def predictions(probes: Sequence[Sequence[float]]) -> Callable[[Any], Any]:
    """What the estimator predicts for public probe points."""
    X = np.array(probes, dtype=float)

    def show(estimator: Any) -> Any:
        return tuple(np.asarray(estimator.predict(X)).tolist())

    return show


def parameters(*names: str) -> Callable[[Any], Any]:
    """Fitted attributes such as coef_ and classes_, side by side."""

    def show(estimator: object) -> Any:
        return tuple(np.asarray(getattr(estimator, name)).ravel().tolist() for name in names)

    return show
