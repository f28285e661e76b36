"""Warnings where scikit-learn looks at records and no certificate covers it: scores, and steps that are fitted before.

A warning says what was called, never what was in the records. Whether these were private is for the caller to know.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator

from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from privpac.errors import UncertifiedLook

__all__ = ["warn_of_fitted_steps", "warn_of_score"]

SCORE_WARNING = (
    "No certificate covers a score: on private records it is a release of its own, without protection. Ask for an"
    " estimate instead (holdout=0.2, and estimate_epsilon the same as epsilon), or score on records that are not"
    " private."
)
FIT_WARNING = (
    "Steps of the pipeline are fitted on the same records, and no certificate covers what they learn: {steps}. If the"
    " records are private, leave them out: cuts need no scaling, and the schema says what an empty cell becomes."
)


def warn_of_score() -> None:
    """Say that a score is not certified."""
    warnings.warn(SCORE_WARNING, UncertifiedLook, stacklevel=3)


def warn_of_fitted_steps(estimator: object) -> None:
    """Say which steps before `estimator` learn from records, if a pipeline is fitting it right now."""
    steps = list(_fitted_before(estimator))
    if steps:
        warnings.warn(FIT_WARNING.format(steps=", ".join(steps)), UncertifiedLook, stacklevel=3)


def _fitted_before(estimator: object) -> Iterator[str]:
    """The kinds of such steps. A pipeline does not tell its last step that there are others, so its caller is asked."""
    frame = sys._getframe()
    while (above := frame.f_back) is not None:
        frame = above
        pipeline = frame.f_locals.get("self")
        if isinstance(pipeline, Pipeline) and pipeline.steps[-1][1] is estimator:
            for _, step in pipeline.steps[:-1]:
                if hasattr(step, "fit") and get_tags(step).requires_fit:
                    yield type(step).__name__
            return
