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
from privpac.constructions.prediction.encoding import Encoding
from privpac.constructions.prediction.gathered import gathered
from privpac.constructions.prediction.linear_votes import LinearVotes
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.errors import ParameterError, PrivpacError, SchemaError, SizeError
from privpac.theory.listing import MOST_BLOCK

__all__ = [
    "Classifiers",
    "Concepts",
    "Trained",
    "Voter",
    "Voters",
    "largest_block",
    "require_two_classes",
    "type_name",
]

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
