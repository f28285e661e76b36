"""What a vote is made of: scikit-learn classifiers, or concepts that fit their block best.

A voter is trained on its own block, by a function of that block alone, and what it says is a function of that block and
the question. Both must be defined whatever the records are: an error raised on one table and not on its neighbour would
be an answer that nobody paid for, and scikit-learn has classifiers that raise one where no record is near. So every
voter knows the commonest class of its block, and says that where its classifier has nothing to say. A classifier that
fails on rows that are public is another matter: training then makes a constant of it, and a bundle with such a model is
not loaded.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import AnyClass, Cells, Hypothesis, Scored
from privpac.concepts.catalogue import stored_class
from privpac.concepts.labellings.base import BySums, dimension, with_dichotomies
from privpac.data.column import Column
from privpac.data.sample import Block, Sample
from privpac.data.schema import Schema
from privpac.errors import ParameterError, PrivpacError, SchemaError, SizeError
from privpac.theory.listing import MOST_BLOCK

__all__ = [
    "Classifiers",
    "Concepts",
    "Encoding",
    "LinearVotes",
    "Trained",
    "Voter",
    "Voters",
    "gathered",
    "largest_block",
    "require_two_classes",
    "type_name",
]


# --- what they are trained on: cells as numbers, by the public schema alone ---


@dataclass(frozen=True)
class Encoding:
    """The default public encoding of a schema's columns."""

    schema: Schema

    @property
    def width(self) -> int:
        """The number of columns of the matrix."""
        return sum(1 if column.ordered else column.size for column in self.schema.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """A name for every encoded column."""
        names: list[str] = []
        for column in self.schema.columns:
            if column.ordered:
                names.append(column.name)
            else:
                names += [f"{column.name}={column.value(cell)}" for cell in range(column.size)]
        return tuple(names)

    def matrix(self, cells: Cells) -> NDArray[np.float64]:
        """One row per record: ordered columns scaled, categories one column each."""
        n = len(next(iter(cells.values())))
        matrix = np.zeros((n, self.width))
        place = 0
        for column in self.schema.columns:
            values = cells[column.name]
            if column.ordered:
                matrix[:, place] = _scaled(column, values)
                place += 1
            else:
                matrix[np.arange(n), place + values.astype(np.int64)] = 1.0
                place += column.size
        return matrix


def _scaled(column: Column, values: NDArray[Any]) -> NDArray[np.float64]:
    last = max(column.size - 1, 1)
    if values.dtype == object:  # beyond 64 bits
        return np.array([int(value) / last for value in values], dtype=np.float64)
    return values.astype(np.float64) / float(last)


@dataclass(frozen=True)
class _Rows:
    """The statistic that is the records themselves."""

    columns: tuple[str, ...]

    def zero(self) -> list[Block]:
        return []

    def absorb(self, state: list[Block], block: Block) -> list[Block]:
        return [*state, block]

    def merge(self, a: list[Block], b: list[Block]) -> list[Block]:
        return a + b


def gathered(sample: Sample) -> tuple[dict[str, NDArray[Any]], NDArray[np.uint8]]:
    """Cells by column, and labels."""
    schema = sample.schema
    blocks: list[Block] = sample.reduce(_Rows(schema.names))
    labels = [np.empty(0, np.uint8), *(block.labels for block in blocks if block.labels is not None)]
    cells = {
        column.name: np.concatenate(
            [np.empty(0, column.dtype), *(block.cells[column.name] for block in blocks)]
        )
        for column in schema.columns
    }
    return cells, np.concatenate(labels).astype(np.uint8)


# --- the models ---


T = TypeVar("T")


OWNER = "vote"


REHEARSAL_ROWS = 50
"""Rows per class on which training is tried out."""


TRIES = 8
"""Of those rows, how many every trained model must answer before it may vote."""


NO_CLASS = -1


SEED = 0
"""A public seed for classifiers that toss coins: the same for every block, and no global state is shared."""


def require_two_classes(schema: Schema, owner: str) -> None:
    """Refuse a label that does not have exactly two classes."""
    if len(schema.classes) != 2:
        raise SchemaError(
            f"Label '{schema.label}' has {len(schema.classes)} classes, but {owner} answers with one of two.",
            column=schema.label,
            remedy="Vote with classifiers, such as vote:logistic, which take any number, or merge classes.",
        )


def largest_block(records: int, models: int) -> int:
    """How many records the largest of `models` blocks has, which is public."""
    return -(-records // models)


class Voters(Protocol):
    """How voters are trained and asked."""

    @property
    def schema(self) -> Schema:
        """The schema of the questions."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns an answer depends on."""

    def dimension(self, points: int) -> int | None:
        """The VC dimension that counts for so many points, of the class that a voter is consistent with, if it is with
        one; None: nothing is proved of its error."""

    def require(self, block: int) -> None:
        """Refuse blocks of this many records if one could not be trained on, whatever they are: from public numbers."""

    def train(self, block: Sample) -> Any:
        """A voter trained on one block of records."""

    def tally(self, models: Sequence[Any], cells: Cells) -> NDArray[np.int64]:
        """How many models say each class: a row per question, a column per class."""

    def to_json(self) -> Mapping[str, Any]:
        """What the voters are, as JSON: enough to certify, not to train."""


@dataclass(frozen=True, eq=False, repr=False)
class Voter:
    """A classifier trained on one block. Private: it has no repr."""

    otherwise: int
    """The commonest class of the block: said where the model says no class."""
    model: Any = None


@dataclass(frozen=True)
class Trained:
    """Stands for a classifier of which only trained copies were stored."""

    stored_type: str

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """It has no parameters."""
        return {}

    def fit(self, X: object, y: object) -> Trained:
        """Refused: a bundle trains nothing."""
        raise PrivpacError("A bundle holds trained models and cannot train further ones.")

    def predict(self, X: object) -> object:
        """Refused: a bundle answers with the models it holds."""
        raise PrivpacError("A bundle answers with the models it holds.")


def type_name(estimator: object) -> str:
    """The full name of an estimator's type, for a bundle the one it was trained with."""
    if isinstance(estimator, Trained):
        return estimator.stored_type
    return f"{type(estimator).__module__}.{type(estimator).__qualname__}"


@dataclass(frozen=True)
class Classifiers:
    """Any scikit-learn classifier, on the public encoding of the schema."""

    schema: Schema
    estimator: Any
    """Cloned for every block, with every `random_state` set to a public seed and no cache in any `memory`."""

    def __post_init__(self) -> None:
        if not all(hasattr(self.estimator, name) for name in ("fit", "predict", "get_params")):
            requirement = "a scikit-learn classifier: with fit, predict and get_params"
            raise ParameterError(OWNER, "base", type(self.estimator).__name__, allowed=requirement)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.schema.names

    def dimension(self, points: int) -> None:
        return None

    def require(self, block: int) -> None:
        """Nothing is refused: what cannot be fitted becomes a constant."""

    def train(self, block: Sample) -> Voter:
        """A fitted clone, unless the block has one class only or no clone has an answer."""
        cells, labels = gathered(block)
        otherwise = int(np.bincount(labels, minlength=1).argmax())
        if len(np.unique(labels)) < 2:
            return Voter(otherwise)
        rows = Encoding(self.schema).matrix(cells)
        return Voter(otherwise, _or_else(lambda: self._fit(rows, labels), None))

    def rehearse(self) -> Voter:
        """One trained on rows that are nobody's: what cannot be trained at all would be constants in silence."""
        classes = len(self.schema.classes)
        rows = self._nobodys(REHEARSAL_ROWS * classes)
        try:
            return Voter(0, self._fit(rows, np.arange(len(rows), dtype=np.uint8) % classes))
        except Exception as problem:
            raise ParameterError(
                OWNER,
                "base",
                f"{type(self.estimator).__name__}, which cannot be trained on {classes} classes",
                allowed="a classifier that can",
                remedy=f"It says: {str(problem)[:200]}",
            ) from None

    def _fit(self, rows: NDArray[np.float64], labels: NDArray[np.uint8]) -> Any:
        with _quiet():
            model = self._fresh().fit(rows, labels)
        self.audition(model)
        return model

    def audition(self, model: object) -> None:
        """Raises whatever a model raises when it is asked about public rows: then it cannot answer at all."""
        _predictions(model, self._nobodys(TRIES), len(self.schema.classes))

    def _nobodys(self, count: int) -> NDArray[np.float64]:
        """Rows from all over the schema, the same for everybody."""
        cells = {
            column.name: np.array(
                [i * max(1, column.size // count) % column.size for i in range(count)], column.dtype
            )
            for column in self.schema.columns
        }
        return Encoding(self.schema).matrix(cells)

    def _fresh(self) -> Any:
        from sklearn.base import clone

        model = clone(self.estimator)
        # A cache would keep what was made of records on disk, and whoever loads the model would read it there.
        values = {"random_state": SEED, "memory": None}
        endings = {name: name.rpartition("__")[-1] for name in model.get_params()}
        return model.set_params(**{name: values[last] for name, last in endings.items() if last in values})

    def tally(self, models: Sequence[Any], cells: Cells) -> NDArray[np.int64]:
        rows = Encoding(self.schema).matrix(cells)
        classes = len(self.schema.classes)
        if classes == 2:
            parts = [voter.model for voter in models], [voter.otherwise for voter in models]
            together = LinearVotes.of(*parts, rows.shape[1])
            if together is not None:
                return together.count(rows)
        return _tally((_votes(voter, rows, classes) for voter in models), len(rows), classes)

    def to_json(self) -> dict[str, Any]:
        return {"kind": "classifiers", "type": type_name(self.estimator)}


@contextmanager
def _quiet() -> Iterator[None]:
    """A warning would tell about the block."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def _or_else(attempt: Callable[[], T], otherwise: T) -> T:
    """What an attempt makes, or else something that the same block decides: the one place where a fault is an outcome.

    Any fault: classifiers are other people's code, and one that came through would tell about the block. Only a machine
    without memory has failed for reasons of its own.
    """
    try:
        return attempt()
    except MemoryError:
        raise
    except Exception:
        return otherwise


def _predictions(model: Any, rows: NDArray[np.float64], classes: int) -> NDArray[np.int64]:
    """The class a model predicts for every row; `NO_CLASS` where that is none."""
    with _quiet():
        raw = np.asarray(model.predict(rows)).reshape(len(rows))
    classes_named = np.full(len(rows), NO_CLASS)
    valid = np.isin(raw, np.arange(classes))
    classes_named[valid] = raw[valid]
    return classes_named


def _votes(voter: Voter, rows: NDArray[np.float64], classes: int) -> NDArray[np.int64]:
    """What a voter says about every row."""
    nothing = np.full(len(rows), NO_CLASS)

    def ask(some: NDArray[np.float64]) -> NDArray[np.int64] | None:
        return _or_else(lambda: _predictions(voter.model, some, classes), None)

    votes = nothing if voter.model is None else ask(rows)
    if votes is None:  # some row is at fault, and must not speak for the others
        alone = [ask(rows[i : i + 1]) for i in range(len(rows))]
        votes = np.concatenate([nothing[:1] if one is None else one for one in alone])
    return np.where(votes == NO_CLASS, voter.otherwise, votes)


def _tally(by_model: Iterable[NDArray[Any]], rows: int, classes: int) -> NDArray[np.int64]:
    votes = np.zeros((rows, classes), dtype=np.int64)
    everyone = np.arange(rows)
    for answers in by_model:
        votes[everyone, answers] += 1
    return votes


@dataclass(frozen=True)
class Concepts:
    """The first of the members of a class with the fewest mistakes on the block."""

    concepts: AnyClass

    def __post_init__(self) -> None:
        require_two_classes(self.schema, "a vote of concepts")
        if not isinstance(self.concepts, Scored):
            with_dichotomies(self.concepts, owner=OWNER)

    @property
    def schema(self) -> Schema:
        return self.concepts.schema

    @property
    def columns(self) -> tuple[str, ...]:
        return self.concepts.statistic.columns

    def dimension(self, points: int) -> int | None:
        return dimension(self.concepts, counted=points)

    def require(self, block: int) -> None:
        if isinstance(self.concepts, Scored):
            self.concepts.require(block)
            return
        if not isinstance(self.concepts, BySums) and block > MOST_BLOCK:
            raise SizeError(
                f"A vote of {self.concepts.word} lists its labellings of a block, of at most {MOST_BLOCK} records.",
                remedy="Ask for more models.",
            )
        with_dichotomies(self.concepts, owner=OWNER).require_listed(block)

    def train(self, block: Sample) -> Hypothesis:
        if isinstance(self.concepts, Scored):
            scores = self.concepts.scores(block.reduce(self.concepts.statistic), costs=(1, 1))
            return scores.locate(scores.histogram(0).best, 0)
        dichotomies = with_dichotomies(self.concepts, owner=OWNER).dichotomies(block)
        return dichotomies.member(dichotomies.mistakes(block).cheapest())

    def tally(self, models: Sequence[Hypothesis], cells: Cells) -> NDArray[np.int64]:
        rows = len(next(iter(cells.values())))
        return _tally((model.predict(cells) for model in models), rows, 2)

    def to_json(self) -> dict[str, Any]:
        return {"kind": "concepts", "concepts": stored_class(self.concepts)}


# --- many linear classifiers at once ---


LOGISTIC = ("sklearn.linear_model._logistic", "LogisticRegression")


@dataclass(frozen=True, eq=False, repr=False)
class LinearVotes:
    """Models that say class 1 where their weighted sum is above zero. Private: it has no repr."""

    weights: NDArray[np.float64]
    """One row per model."""
    offsets: NDArray[np.float64]

    @classmethod
    def of(cls, models: Sequence[Any], constants: Sequence[int], width: int) -> LinearVotes | None:
        """The models, where None stands for one that always says its constant; None if one is of another kind.

        What training makes is of one kind or a constant, so which of the two this is says nothing about records.
        """
        weights, offsets = np.zeros((len(models), width)), np.zeros(len(models))
        for place, (model, constant) in enumerate(zip(models, constants, strict=True)):
            if model is None:
                offsets[place] = 1.0 if constant else -1.0
            elif _is_plain(model, width):
                weights[place], offsets[place] = model.coef_[0], model.intercept_[0]
            else:
                return None
        return cls(weights, offsets)

    def count(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """How many models say each of the two classes: a row per question."""
        with np.errstate(all="ignore"):  # a warning would tell about a block
            sums = np.einsum("rc,mc->rm", rows, self.weights) + self.offsets
        ones = np.count_nonzero(sums > 0, axis=1)
        return np.stack([len(self.offsets) - ones, ones], axis=1)


def _is_plain(model: Any, width: int) -> bool:
    """Whether this is a logistic regression of two classes as scikit-learn fits it; a stored one may be anything."""
    kind = type(model)
    if (kind.__module__, kind.__qualname__) != LOGISTIC:
        return False
    shapes = {"coef_": (1, width), "intercept_": (1,), "classes_": (2,)}
    parts = {name: vars(model).get(name) for name in shapes}
    if not all(isinstance(part, np.ndarray) and part.shape == shapes[name] for name, part in parts.items()):
        return False
    numbers = parts["coef_"].dtype == np.float64 == parts["intercept_"].dtype
    return bool(numbers and parts["classes_"].dtype.kind in "iu" and parts["classes_"].tolist() == [0, 1])
