"""Everything the exact audit runs on: what the catalogue finds in the folders of the constructions.

A row is a construction on a tiny domain on which it can be enumerated, in a few seconds at most. It stands in
`cases.py` of its family; the exact suite, `privpac audit` and the table in the docs pick it up from there.
"""

from collections.abc import Callable, Mapping

from privpac.constructions import catalogue
from privpac.constructions.cases import (
    Case,
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
    "LARGER",
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

REGISTRY: Mapping[str, Callable[[], Case]] = catalogue.cases()

LARGER: Mapping[str, Callable[[], Case]] = catalogue.larger_cases()
"""Rows on larger domains; those it leaves out are audited at the registry's size."""
