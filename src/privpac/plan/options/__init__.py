"""Every way to learn that the library has, one row each. A new construction is one more row in a file of its family."""

from __future__ import annotations

from privpac.plan.options.base import Need, Option
from privpac.plan.options.covers import COVERS
from privpac.plan.options.few_labels import FEW_LABELS
from privpac.plan.options.occam import OCCAM
from privpac.plan.options.points import POINTS
from privpac.plan.options.prediction import PREDICTION
from privpac.plan.options.relabelling import RELABELLING
from privpac.plan.options.release import RELEASE
from privpac.plan.options.thresholds import THRESHOLDS

__all__ = ["OPTIONS", "Need", "Option"]

OPTIONS: tuple[Option, ...] = (
    *OCCAM,
    *POINTS,
    *THRESHOLDS,
    *FEW_LABELS,
    *RELABELLING,
    *COVERS,
    *PREDICTION,
    *RELEASE,
)
