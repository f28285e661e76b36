"""Proved, drawn, optimal and impossible side by side, for classes so small that the best private learner is known."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from privpac.constructions.wish import OWNER, Wish
from privpac.errors import ParameterError
from privpac.numbers.exact import decimal_text
from privpac.plan.question import Question
from privpac.theory import floors, sizes
from privpac.theory.optimum import Kind
from privpac.theory.optimum_floors import KINDS, optimum, solvable

__all__ = ["HEADINGS", "OptimumRow", "OptimumTable", "optimum_table"]

HEADINGS = (
    "records",
    "proved",
    "one draw",
    "optimal",
    "optimal, any rule",
    "floor, proved",
    "floor, formula",
)


@dataclass(frozen=True)
class OptimumRow:
    """How often learners with this many records fail to keep the error."""

    records: int
    proved: Fraction
    """The bound that a certificate of one draw states."""
    draw: float
    """One draw on the hardest distributions of this size."""
    solved: float
    """The best private learner that answers with a rule of the class, on these distributions."""
    floor: Fraction
    """No private learner that answers with such a rule fails less often: exact arithmetic."""
    free: Fraction | None
    """The same for any answer; None where that is not solved."""
    formula: Fraction
    """The floor by a formula, which is there for every size."""

    def to_json(self) -> dict[str, Any]:
        """The row for `--json`."""
        return {
            "records": self.records,
            "proved": float(self.proved),
            "draw": self.draw,
            "optimal": self.solved,
            "optimal_any_rule": None if self.free is None else float(self.free),
            "floor": decimal_text(self.floor, 12),
            "floor_formula": float(self.formula),
        }

    def cells(self) -> list[str]:
        """The row for people."""
        free = "–" if self.free is None else f"{float(self.free):.4f}"
        numbers = (float(self.proved), self.draw, self.solved)
        after = (float(self.floor), float(self.formula))
        return [str(self.records), *(f"{x:.4f}" for x in numbers), free, *(f"{x:.4f}" for x in after)]


@dataclass(frozen=True)
class OptimumTable:
    """Failures by number of records, up to what is solved in about a minute."""

    question: Question
    rows: tuple[OptimumRow, ...]

    @property
    def records(self) -> int | None:
        """The fewest records with which some private learner keeps the promise there; None if more than are solved."""
        enough = (row.records for row in self.rows if row.solved <= self.question.failure)
        return next(enough, None)

    @property
    def floor(self) -> int:
        """Fewer records than this are too few, which is proved."""
        few = [row.records for row in self.rows if row.floor > self.question.failure]
        return max(few, default=0) + 1

    def to_json(self) -> dict[str, Any]:
        """The table for `--json`."""
        return {
            "records": self.records,
            "floor": self.floor,
            "source": "private-optimum",
            "rows": [row.to_json() for row in self.rows],
        }

    def summary(self) -> str:
        """What it says about the question, in one or two sentences."""
        miss, last = float(self.question.failure), self.rows[-1]
        if self.records is not None:
            return (
                f"Optimal: {self.records} records, with which the best private learner fails with probability at most"
                f" {miss:g} on the hardest distributions; fewer than {self.floor} are proved to be too few."
            )
        return (
            f"With {last.records} records no private learner that answers with such a rule fails with probability"
            f" below {float(last.floor):.4f} (exact arithmetic), and one draw with {last.draw:.4f} there."
        )

    def __str__(self) -> str:
        widths = [
            max(map(len, column))
            for column in zip(HEADINGS, *(row.cells() for row in self.rows), strict=True)
        ]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in (list(HEADINGS), *(row.cells() for row in self.rows))
        ]
        return "\n".join([self.summary(), "", *lines])


def optimum_table(question: Question) -> OptimumTable:
    """The failures of the best private learner, for the records of a question, or for all numbers that are solved.

    Raises ParameterError for classes other than thresholds and points, for a delta, for labels only, and where even one
    record is too much.
    """
    concepts = question.classes[0]
    wish = question.wish(concepts)
    complete = question.error is not None and question.epsilon is not None
    plain = (
        concepts.kind in KINDS and concepts.vc == 1 and not question.delta and question.protect == "records"
    )
    if not (complete and plain) or question.release or concepts.cells is None:
        raise ParameterError(
            OWNER,
            "optimum",
            question.word,
            allowed="asked about thresholds or points, records protected, delta 0, error and epsilon given",
            remedy="Example: privpac plan --optimum --concepts thresholds --bits 2 --error 0.3 --epsilon 1",
        )
    return OptimumTable(question, tuple(_row(wish, n) for n in _sizes(question, wish)))


def _fits(wish: Wish, n: int, *, proper: bool = True) -> bool:
    kind, cells = cast(Kind, wish.concepts.kind), wish.concepts.cells or 0
    return solvable(kind, cells=cells, records=n, proper=proper)


def _sizes(question: Question, wish: Wish) -> list[int]:
    if question.records is not None and _fits(wish, question.records):
        return [question.records]
    sizes_solved: list[int] = []
    while _fits(wish, len(sizes_solved) + 1):
        sizes_solved.append(len(sizes_solved) + 1)
    if sizes_solved and question.records is None:
        return sizes_solved
    cells, most = wish.concepts.cells, len(sizes_solved)
    requirement = f"up to {most} on {cells} cells" if most else "solved for a few cells: up to 16"
    raise ParameterError(
        OWNER,
        "records" if most else "bits",
        question.records if most else question.subject.bits,
        allowed=requirement,
        remedy="The best private learner is found by linear programming, which grows fast.",
    )


def _row(wish: Wish, n: int) -> OptimumRow:
    kind, cells = cast(Kind, wish.concepts.kind), wish.concepts.cells or 0
    error, epsilon = wish.error, wish.epsilon
    best = optimum(n, kind=kind, cells=cells, error=error, epsilon=epsilon)
    free = None
    if _fits(wish, n, proper=False):
        free = optimum(n, kind=kind, cells=cells, error=error, epsilon=epsilon, proper=False)
    return OptimumRow(
        n,
        sizes.failure_occam(n, size=wish.concepts.size, error=error, epsilon=epsilon),
        best.draw,
        best.solved,
        best.floor,
        None if free is None else free.floor,
        _formula(wish, n),
    )


def _formula(wish: Wish, n: int) -> Fraction:
    cells = wish.concepts.cells or 0
    if wish.concepts.kind == "points":
        return floors.least_failure_points(n, domain=cells, error=wish.error, epsilon=wish.epsilon)
    return floors.least_failure_thresholds(n, domain=cells, error=wish.error, epsilon=wish.epsilon)
