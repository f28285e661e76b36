"""Learning where only labels are private."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from privpac.constructions.class_facts import ONE_WAY, ClassFacts
from privpac.constructions.commands import learn_command
from privpac.constructions.labels.formulas import proves_label_cover, records_label_thresholds
from privpac.constructions.option import Need, Option, fewest
from privpac.constructions.wish import Wish
from privpac.theory.listing import MOST_SEPARATED
from privpac.theory.vc import ln_growth

if TYPE_CHECKING:
    from privpac.concepts.base import AnyClass
    from privpac.constructions.labels.classes import LabelPrivateGrid
    from privpac.data.column import Column
    from privpac.data.schema import Schema

__all__ = ["OPTIONS"]

PLACE = 70

MOST_VC = 100
MOST_SIDES = 5
"""Columns of a box that are cut at the records."""
MANY_CELLS = 2**32
"""No column is cut into this many groups."""


def _cuts(concepts: ClassFacts) -> bool:
    return concepts.kind == "thresholds" and concepts.vc == 1


def _label_thresholds(wish: Wish) -> Need | None:
    """The theorem says where to begin; what counts is what the certificate of this many records says."""
    return fewest(wish, _label_at, start=records_label_thresholds(**wish.goal, ties=True))


def _label_at(wish: Wish, n: int) -> Need | None:
    """Whether a certificate of this many records reaches the error."""
    from privpac.constructions.labels.classes import STEP

    learner = _learner(wish)
    if learner is not None:
        return Need(n) if learner.reaches(n, wish.error) else None
    # A cover has no more members than there are labellings of the records. Certificates round errors up.
    vc, error = wish.concepts.vc, wish.error // STEP * STEP
    numbers = {**wish.goal, "error": error}
    enough = error > 0 and proves_label_cover(n, vc=vc, log_cover=ln_growth(n, vc=vc), **numbers)
    return Need(n) if enough else None


@lru_cache(maxsize=64)
def _learner(wish: Wish) -> LabelPrivateGrid | None:
    """What the printed command builds, where it cuts ordered columns at the records; None where it lists labellings."""
    from privpac.concepts.boxes.rectangles import Rectangles
    from privpac.concepts.line.intervals import Intervals
    from privpac.concepts.line.stumps import Stumps
    from privpac.concepts.line.thresholds import Thresholds
    from privpac.concepts.line.unions import Unions
    from privpac.constructions.labels.classes import LabelPrivateGrid

    facts = wish.concepts
    line = ((facts.cells or MANY_CELLS, True),)
    concepts: AnyClass
    match facts.kind:
        case "thresholds":
            concepts = Thresholds(_schema(line), "c1", "up" if facts.vc == 1 else "either")
        case "intervals":
            concepts = Intervals(_schema(line), "c1")
        case "unions":
            concepts = Unions(_schema(line), "c1", facts.parts)
        case "rectangles" if facts.parts <= MOST_SIDES:
            # Boxes on a grid do not say how many cells their columns have.
            schema = _schema(((MANY_CELLS, True),) * facts.parts)
            concepts = Rectangles(schema, schema.names)
        case "stumps":
            concepts = Stumps(_schema(facts.table))
        case _:
            return None
    return LabelPrivateGrid(concepts, wish.epsilon, failure=wish.failure)


def _schema(table: Sequence[tuple[int, bool]]) -> Schema:
    """Columns of this many cells, with an order or without; no more than are ever told apart."""
    from privpac.data.columns import Categorical, Numeric
    from privpac.data.schema import Schema

    def column(name: str, cells: int, *, ordered: bool) -> Column:
        if ordered:
            return Numeric(name, 0, min(cells, MANY_CELLS) - 1, integer=True)
        return Categorical(name, tuple(map(str, range(cells))))

    columns = (column(f"c{i}", cells, ordered=order) for i, (cells, order) in enumerate(table, start=1))
    return Schema(tuple(columns), "y")


def _small(concepts: ClassFacts) -> bool:
    if _cuts(concepts):
        return False  # whose certificate rests on `label-thresholds`
    return concepts.vc <= MOST_VC and concepts.kappa is None and concepts.kind not in ONE_WAY


def _label_cover(wish: Wish) -> Need | None:
    start = int(10 * wish.concepts.vc / (wish.error * min(Fraction(1), wish.epsilon)))
    return fewest(wish, _label_at, start=start)


LABELS_ONLY = ("thresholds", "intervals", "unions", "rectangles", "points", "stumps", "halfspaces")
"""Classes whose labellings of the records are drawn from; trees protect labels in another way."""


def _label_command(wish: Wish, need: Need) -> str | None:
    concepts = wish.concepts
    if concepts.kind not in LABELS_ONLY:
        return None
    # Half-planes are listed, of few points; in other dimensions nothing lists half-spaces.
    if concepts.kind == "halfspaces" and (concepts.parts != 2 or need.labelled > MOST_SEPARATED):
        return None
    return learn_command(wish, need, options="--protect labels")


OPTIONS: tuple[Option, ...] = (
    Option(
        "label-thresholds",
        "one draw from cuts at every few records; features are public",
        "label-thresholds",
        _label_thresholds,
        protects="labels",
        serves=_cuts,
        at=_label_at,
        command=_label_command,
    ),
    Option(
        "label-cover",
        "one draw from the labellings of the records; features are public",
        "label-cover",
        _label_cover,
        protects="labels",
        serves=_small,
        at=_label_at,
        command=_label_command,
    ),
)
