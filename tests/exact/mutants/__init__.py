"""Planted privacy faults. Each is code somebody could have written; the audit must catch every one of them.

A mutant is a `Case` whose claim is what its author believed; each family of constructions has its file.
"""

from collections.abc import Callable

from privpac.audit.exact import Case
from tests.exact.mutants import (
    cards,
    clauses,
    covers,
    few_labels,
    plain,
    points,
    prediction,
    reconstruction,
    relabelling,
    release,
)

MUTANTS: dict[str, Callable[[], Case]] = {
    **plain.MUTANTS,
    **cards.MUTANTS,
    **clauses.MUTANTS,
    **points.MUTANTS,
    **prediction.MUTANTS,
    **covers.MUTANTS,
    **few_labels.MUTANTS,
    **reconstruction.MUTANTS,
    **release.MUTANTS,
    **relabelling.MUTANTS,
}
