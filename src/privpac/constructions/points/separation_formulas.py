"""From how many bits on improper learners of points need fewer records than any proper one can do with."""

from __future__ import annotations

from privpac.constructions.points.covered import records_cover
from privpac.constructions.points.sampled import records_boosted
from privpac.numbers.exact import first_whole
from privpac.numbers.parameters import Number
from privpac.theory.floors import floor_points_proper
from privpac.theory.register import formula

__all__ = ["separation_points"]


@formula("points-separation")
def separation_points(*, error: Number, failure: Number, epsilon: Number) -> tuple[int, int]:
    """The fewest bits of a column whose points no proper learner finds from as many records as an improper one needs,
    and that number of records, which holds for columns of any length.

    Statement: the smallest d with floor_points_proper(2^d) above n, where n is the smaller of what pairwise covers and
    boosted sampling need; neither depends on d. Source: register `points-separation` (Beimel–Brenner–Kasiviswanathan–
    Nissim 2013, Theorem 4.9). Holds if: pure epsilon. Proof: docs/proofs/points.md.

    >>> separation_points(error=0.1, failure=0.05, epsilon=1)
    (28, 275)
    """
    goal = {"error": error, "failure": failure, "epsilon": epsilon}
    records = min(records_cover(**goal), records_boosted(**goal))
    bits = first_whole(lambda bits: floor_points_proper(2**bits, **goal) > records, start=64, smallest=1)
    return bits, records
