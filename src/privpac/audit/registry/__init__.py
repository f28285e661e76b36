"""Everything the exact audit runs on: one row a construction, with a tiny domain on which it can be enumerated.

A new learner, transform or predictor adds its row to the file of its family, and the exact suite, `privpac audit` and
the table in the docs pick it up. Sizes are chosen so that each row takes a few seconds at most.
"""

from collections.abc import Callable, Mapping

from privpac.audit.exact import Case
from privpac.audit.registry import (
    covers,
    few_labels,
    isolated,
    occam,
    points,
    prediction,
    reconstruction,
    relabelling,
    release,
)
from privpac.audit.registry.cases import (
    LawMemory,
    RememberedSample,
    learner_case,
    mirrored,
    records_of,
    reordered,
    sample_of,
    tiny_schema,
)

__all__ = [
    "REGISTRY",
    "LawMemory",
    "RememberedSample",
    "learner_case",
    "mirrored",
    "records_of",
    "reordered",
    "sample_of",
    "tiny_schema",
]

REGISTRY: Mapping[str, Callable[[], Case]] = {
    **occam.ROWS,
    **prediction.ROWS,
    **covers.ROWS,
    **few_labels.ROWS,
    **isolated.ROWS,
    **points.ROWS,
    **reconstruction.ROWS,
    **release.ROWS,
    **relabelling.ROWS,
}
