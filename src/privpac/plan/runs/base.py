"""What is run for a row, and on which records: words with columns filled in, and what records are drawn from."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from privpac.coins import SeededCoins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.grids import coarser_boxes, grid_of_word
from privpac.concepts.labellings.base import members_from
from privpac.concepts.linear.directions import Linear
from privpac.concepts.literals.cooccurrence import Estimated
from privpac.constructions.base import Learner
from privpac.constructions.class_facts import Description
from privpac.constructions.words import Request, learner_for, stands_for
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.plan.answer import Answer
from privpac.plan.cost import estimated_class
from privpac.plan.populations import Population, from_table, labelled, lone_value, read_marginals, synthetic
from privpac.plan.question import Question
from privpac.plan.simulation import MarginalSource
from privpac.plan.trials import FREE, Unsimulated
from privpac.theory.listing import box_work

__all__ = [
    "EACH",
    "EACH_RECORD",
    "Run",
    "Supply",
    "as_schema",
    "best_error",
    "listing_seconds",
    "planted",
    "runnable",
    "weighing_seconds",
]

FLIPPED_SHARE = Fraction(1, 10)
"""Labels that are flipped in synthetic tables, when nothing is said about the noise."""
EACH, EACH_RECORD = 0.003, 6e-7
"""Seconds of a run, and of one of its records: drawing it, and counting it."""
EACH_LISTED = {
    "points": 2e-6,
    "thresholds": 2e-6,
    "intervals": 4e-6,
    "stumps": 4e-5,
    "unions": 4e-7,
}
"""Seconds of one point whose labellings are listed or summed; of stumps, in one column."""
EACH_MEMBER, EACH_COUNTED = 1e-3, 4e-7
"""Seconds of one member that is drawn in place of a labelling, and of a record it is drawn by, where its class has no
estimate of its own."""
EACH_BOX_STEP = 4e-9
"""Seconds of one step of the sums over labellings by boxes."""
EACH_PAIR, EACH_VOTED_PAIR = 7e-9, 1.4e-8
"""Seconds of one interval between two points that is listed, or voted on."""
EACH_EDGE, EACH_CROSSING = 1e-5, 1.5e-7
"""Seconds of one record in one column, or of two in the plane, whose labellings are drawn from."""
EACH_BIT = 5e-5
"""Seconds of one bit of a key, where widths are tried one by one."""
ESTIMATED = 1.6
"""What a draw takes over what its class estimates of its counts."""
PREPARING = 1 / 8
"""The part of the seconds that the best member of one class may take to be found."""
EVEN = 0.75
"""The largest share of one class among planted labels."""
REAL_BITS = 32
"""Columns of more bits than this are whole numbers: a real one has no more cells."""


def as_schema(description: Description, *, columns: int = 1) -> Schema:
    """The schema of a description by numbers: columns between 0 and 1, at least this many; long keys are integers."""
    if description.schema is not None:
        return description.schema
    count = max(columns, description.columns or description.tests or 1)
    if description.bits is not None and description.bits > REAL_BITS:
        shape: dict[str, int | bool] = {"lower": 0, "upper": 2**description.bits - 1, "integer": True}
    else:
        size = {} if description.bits is None else {"resolution": 2**description.bits}
        shape = {"lower": 0, "upper": 1, **size}
    entries = [{"name": f"c{i}", "kind": "numeric", **shape} for i in range(1, count + 1)]
    return Schema.from_json({"label": "y", "columns": entries})


def runnable(word: str) -> str:
    """The word with the columns of `as_schema` where none were named."""
    for number in range(1, word.count("COLUMN") + 1):
        word = word.replace("COLUMN", f"c{number}", 1)
    return word


@dataclass(frozen=True)
class Run:
    """What to run, as the printed command says it: a word, whom it protects, and its delta."""

    word: str
    protect: str = "records"
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, answer: Answer) -> Run:
        """The command of a row, with the columns of `as_schema` where none are named."""
        options = dict(pairwise(shlex.split(answer.command or "")))
        word = options.get("--concepts", answer.concepts.word)
        return cls(runnable(word), options.get("--protect", "records"), Fraction(options.get("--delta", "0")))

    def learner(self, schema: Schema, n: int, epsilon: Fraction) -> Learner:
        request = Request(schema, Size(n), epsilon, delta=self.delta, protect=self.protect)
        return learner_for(stands_for(self.word, request), request)

    def seconds(self, schema: Schema, n: int) -> float:
        """Of one run on n records, by the public estimate of its class where it has one."""
        try:
            concepts = estimated_class(self.learner(schema, n, Fraction(1)))
        except SizeError:  # so few cannot do, which takes no time
            return EACH
        each = self._others(schema, n) if concepts is None else ESTIMATED * concepts.estimate(n).seconds
        return float(each) + EACH + n * EACH_RECORD

    def _others(self, schema: Schema, n: int) -> float:
        """Of classes that have no estimate of their own."""
        kind, _, columns = self.word.partition(":")
        if kind in ("recconcave", "blocks"):
            return schema.column(columns.partition(":")[0]).size.bit_length() * EACH_BIT
        if self.protect == "labels":
            edges = n * EACH_EDGE * (len(schema.columns) if kind == "stumps" else 1)
            return edges + (n**2 * EACH_CROSSING if kind == "halfspaces" else 0.0)
        return 0.0


def listing_seconds(
    answer: Answer, concepts: AnyClass, points: int, *, counted: int, voted: bool = False
) -> float:
    """Of drawing one of the labellings that a class puts on so many points, by the mistakes on `counted` records, or of
    voting on them. Members that are drawn in their place are weighed by these records alone."""
    first = members_from(concepts, voted=voted)
    if first is not None and points >= first:
        return EACH_MEMBER + weighing_seconds(concepts, counted)
    kind = answer.concepts.kind
    if isinstance(concepts, Rectangles):
        steps = box_work(concepts.groups, points) * EACH_BOX_STEP if points else 0.0
        return max(steps, weighing_seconds(concepts, counted))
    each = EACH_LISTED[kind]
    if kind == "stumps":
        return len(concepts.schema.columns) * points * each
    pairs = points**2 * (EACH_VOTED_PAIR if voted else EACH_PAIR) if kind == "intervals" else 0.0
    return points * each + pairs


def weighing_seconds(concepts: AnyClass, n: int) -> float:
    """Of the weights of all members by this many records, as their class estimates them."""
    if isinstance(concepts, Estimated):
        return ESTIMATED * concepts.estimate(n).seconds
    if isinstance(concepts, Linear):
        return ESTIMATED * concepts.seconds(n)
    return n * EACH_COUNTED


def best_error(word: str, population: Population) -> Population:
    """The population with the error of the best member, by a draw that hardly ever misses it."""
    return replace(population, best=population.error(_best(word, population)))


def planted(word: str, population: Population) -> Population:
    """The same records, with labels from the member that is nearest to theirs: some member makes no mistake.

    If that is nearly a constant, which nobody needs to learn, the member nearest to a cut at a median instead.
    """
    labelled = _relabelled(population, _best(word, population))
    if _uneven(labelled):
        cells = population.records.block().cells
        values = cells[_columns(word, population)[0]]
        halves = population.records.relabelled((values > np.sort(values)[len(values) // 2]).astype(np.uint8))
        labelled = _relabelled(population, _best(word, replace(population, records=halves)))
    return labelled


def _relabelled(population: Population, rule: Hypothesis) -> Population:
    labels = np.asarray(rule.predict(population.records.block().cells), dtype=np.uint8)
    return replace(population, records=population.records.relabelled(labels), best=0.0)


def _uneven(population: Population) -> bool:
    labels = population.records.block().labels
    assert labels is not None
    return int(np.bincount(labels).max()) > EVEN * population.n


def _columns(word: str, population: Population) -> tuple[str, ...]:
    """What a class looks at."""
    learner = Run(word).learner(population.records.schema, population.n, FREE)
    columns: tuple[str, ...] = learner.concepts.statistic.columns
    return columns


def _best(word: str, population: Population) -> Hypothesis:
    """Of boxes, the best on a grid that is coarse enough for sums over this many records."""
    schema, n = population.records.schema, population.n
    head, _, rest = word.partition(":")
    if head == "rectangles":
        columns, bins = grid_of_word(rest)
        concepts = Rectangles(schema, tuple(name.strip() for name in columns.split(",")), bins)
        count = coarser_boxes(concepts.groups, n)
        word = f"rectangles:{columns}:{'x'.join(str(min(size, count)) for size in concepts.groups)}"
    return Run(word).learner(schema, n, FREE).learn(population.records, SeededCoins(0))


@dataclass(frozen=True)
class Supply:
    """What the records of a question can be drawn from; everything is made once."""

    question: Question
    table: object = None
    marginals: MarginalSource | None = None
    seconds: float = math.inf
    """How long all of it may take, roughly."""
    populations: dict[object, Population] = field(default_factory=dict, repr=False)

    @property
    def has_records(self) -> bool:
        """Whether the user said what the records are like."""
        return self.table is not None or self.marginals is not None

    def schema(self, *, columns: int = 1) -> Schema:
        return as_schema(self.question.subject, columns=columns)

    def flipped(self, answer: Answer) -> float:
        """The share of labels that are wrong in what is simulated."""
        if answer.option.setting == "realizable":
            return 0.0
        return float(FLIPPED_SHARE if self.question.noise is None else self.question.noise)

    def records(self, answer: Answer) -> Population:
        """A table of one's own, or a synthetic one with labels from no particular class."""
        schema = self.schema(columns=answer.concepts.word.count("COLUMN"))
        noise = None if self.table is not None else self.flipped(answer)
        if noise not in self.populations:
            if noise is None:
                self.populations[noise] = from_table(self.table, schema)
            else:
                self.populations[noise] = synthetic(
                    schema, flipped=noise, marginals=read_marginals(self.marginals)
                )
        return self.populations[noise]

    def population(self, answer: Answer) -> Population:
        """The records for a row about one class: labels as its setting assumes, unless they are the user's own."""
        word, realizable = runnable(answer.concepts.word), answer.option.setting == "realizable"
        lone = answer.concepts.kind == "points" and not self.has_records
        key = (word, realizable, answer.wish.error if lone else None)
        if key not in self.populations:
            if lone:
                column = word.removeprefix("points:").split(":")[0]
                self.populations[key] = lone_value(
                    self.schema(), column, error=float(answer.wish.error), flipped=self.flipped(answer)
                )
                return self.populations[key]
            self._require_quick(word, self.records(answer))
            if self.table is not None or (self.question.word == "auto" and not realizable):
                self.populations[key] = best_error(word, self.records(answer))
            else:
                self.populations[key] = _flipped(planted(word, self.records(answer)), self.flipped(answer))
        return self.populations[key]

    def _require_quick(self, word: str, population: Population) -> None:
        """Finding the best member is a draw from all records, before anything is tried."""
        each = Run(word).seconds(population.records.schema, population.n)
        if each > PREPARING * self.seconds:
            raise Unsimulated(
                f"the best rule to compare with takes about {each:.0f} s to find: give it more --seconds"
            )

    def promised(self, answer: Answer, population: Population) -> bool:
        """Whether the row's proof speaks of these records."""
        return answer.option.setting == "agnostic" or population.best == 0.0


def _flipped(population: Population, share: float) -> Population:
    """Labels from a member, a share of them flipped: a class that has a good member is worth learning."""
    labels = population.records.block().labels
    assert labels is not None
    on = population.on.split("; labels from")[0] + "; labels from a member of the class"
    return labelled(population.records, labels, flipped=share, coins=SeededCoins(1), on=on)
