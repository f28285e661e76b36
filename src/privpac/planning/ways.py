"""All ways to do what a question asks: a word or a method each, and what it would certify for any numbers.

Nothing is listed here. Words say how a plan writes them (`Word.planned`), methods of few labels, answers and releases
what they are; everything else that a row says is read off the certificate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Self

from privpac.concepts.base import AnyClass
from privpac.constructions.base import Learner
from privpac.constructions.recipe import Recipe
from privpac.constructions.request import Asked, Planned, Request, one_draw
from privpac.constructions.words import WORDS, learner_for, takes_delta
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, PrivpacError
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Queries
from privpac.numbers.exact import plain
from privpac.planning.question import OWNER, Question
from privpac.request import FAILURE, LearnRequest

__all__ = ["REFUSALS", "Way", "class_asked", "class_word", "ways"]

REFUSALS = (PrivpacError, ArithmeticError)
"""A way is not for this class, or not for these numbers: it promises nothing."""


@dataclass(frozen=True)
class Way(ABC):
    """One way, for one question."""

    question: Question
    planned: Planned
    protects: str = "records"
    _found: dict[tuple[int, Fraction, Fraction], Certificate | PrivpacError | ArithmeticError] = field(
        default_factory=dict, compare=False, repr=False
    )

    unlabelled: int = 0
    """Records without labels that it uses."""

    @property
    def asks(self) -> bool:
        """Whether it chooses whose label is asked for."""
        return False

    def of(self, question: Question) -> Self:
        """The same way, for another question about the same class."""
        return replace(self, question=question, _found={})

    def word(self, records: int, error: Fraction) -> str:
        """The word for these numbers."""
        question = self.question
        return self.planned.word(
            Asked(question.schema, question.word, error, question.asked.failure, records)
        )

    def certificate(self, records: int, epsilon: Fraction, error: Fraction) -> Certificate | None:
        """What the command of this way certifies for this many records; None where it refuses. The error matters where
        the word names one."""
        found = self.outcome(records, epsilon, error)
        return found if isinstance(found, Certificate) else None

    def outcome(
        self, records: int, epsilon: Fraction, error: Fraction
    ) -> Certificate | PrivpacError | ArithmeticError:
        """The same, or why it refuses."""
        key = (records, epsilon, error if self.planned.aims else Fraction(0))
        if key not in self._found:
            try:
                self._found[key] = self._certify(records, epsilon, error)
            except REFUSALS as refusal:
                self._found[key] = refusal
        return self._found[key]

    @abstractmethod
    def _certify(self, records: int, epsilon: Fraction, error: Fraction) -> Certificate:
        """What the command certifies."""

    @abstractmethod
    def command(self, records: int, epsilon: Fraction, error: Fraction) -> str:
        """The command line that does it."""

    def _options(self, word: str, epsilon: Fraction, *, failure: bool = True) -> str:
        """Options that all commands have."""
        question = self.question
        named = f" --concepts {question.shown(word)}" if word != "auto" else ""
        rarely = failure and question.asked.failure != FAILURE
        return f"{named} --epsilon {plain(epsilon)}" + (
            f" --failure {plain(question.asked.failure)}" if rarely else ""
        )


@dataclass(frozen=True)
class RuleWay(Way):
    """A rule from labelled records: `privpac learn`."""

    def _asked(self, records: int, epsilon: Fraction, error: Fraction) -> LearnRequest:
        word, asked = self.word(records, error), self.question.asked
        return LearnRequest(
            epsilon=epsilon,
            delta=asked.delta if takes_delta(word) else Fraction(0),
            failure=asked.failure,
            concepts=word,
            protect=self.protects,
        )

    def _certify(self, records: int, epsilon: Fraction, error: Fraction) -> Certificate:
        asked = self._asked(records, epsilon, error)
        return Recipe.of(asked, schema=self.question.schema, size=Size(records)).certify()

    def command(self, records: int, epsilon: Fraction, error: Fraction) -> str:
        asked = self._asked(records, epsilon, error)
        protect = " --protect labels" if self.protects == "labels" else ""
        delta = f" --delta {plain(asked.delta)}" if asked.delta else ""
        return (
            f"privpac learn DATA --schema SCHEMA{self._options(str(asked.concepts), epsilon)}{protect}{delta}"
        )


@dataclass(frozen=True)
class FewLabelsWay(Way):
    """A rule from labelled records and others without labels: `privpac learn --unlabelled`."""

    method: str = ""

    def _certify(self, records: int, epsilon: Fraction, error: Fraction) -> Certificate:
        from privpac.constructions.few_labels.methods import FewLabels

        question = self.question
        size, refusal = Size(records, self.unlabelled), None
        for delta in dict.fromkeys((question.asked.delta, Fraction(0))):
            asked = LearnRequest(
                epsilon=epsilon,
                delta=delta,
                failure=question.asked.failure,
                concepts=question.word,
                method=self.method,
                anyway=True,
            )
            try:
                return FewLabels.of(asked, schema=question.schema, size=size).certify()
            except ParameterError as problem:  # a delta that does not pay is refused
                refusal = problem
        assert refusal is not None
        raise refusal

    def command(self, records: int, epsilon: Fraction, error: Fraction) -> str:
        certificate = self.certificate(records, epsilon, error)
        spends = certificate is not None and certificate.privacy.fact.delta
        delta = f" --delta {plain(self.question.asked.delta)}" if spends else ""
        options = self._options(self.question.word, epsilon)
        return f"privpac learn DATA --schema SCHEMA{options} --unlabelled UNLABELLED --method {self.method}{delta}"


@dataclass(frozen=True)
class AskingWay(Way):
    """A rule from the labels of a few that are asked: `privpac active`."""

    @property
    def asks(self) -> bool:
        return True

    def _certify(self, records: int, epsilon: Fraction, error: Fraction) -> Certificate:
        question = self.question
        asked = LearnRequest(epsilon=epsilon, failure=question.asked.failure, concepts=question.word)
        request = Request(question.schema, Size(records + self.unlabelled), asked)
        from privpac.constructions.few_labels.methods import FewLabels
        from privpac.constructions.few_labels.questions import ask_settings

        settings = ask_settings(question.word, request, labels=records, error=None, method="plain")
        size = Size(records, self.unlabelled)
        return FewLabels(question.word, replace(request, size=size), settings).certify()

    def command(self, records: int, epsilon: Fraction, error: Fraction) -> str:
        options = self._options(self.question.word, epsilon)
        return f"privpac active ask DATA FOLDER --schema SCHEMA{options} --labels {records} --method plain"


@dataclass(frozen=True)
class AnswerWay(Way):
    """Answers to single questions: `privpac learn --protect predictions`."""

    def _models(self, epsilon: Fraction, error: Fraction) -> int | None:
        """How many models vote, where the error says it."""
        from privpac.constructions.prediction.vote import models_vote

        return models_vote(error, epsilon=epsilon) if self.planned.aims else None

    def _certify(self, records: int, epsilon: Fraction, error: Fraction) -> Certificate:
        from privpac.answering.offer import offer_for

        asked = LearnRequest(
            epsilon=epsilon,
            concepts=self.word(records, error),
            protect="predictions",
            models=self._models(epsilon, error),
        )
        return offer_for(asked, schema=self.question.schema, size=Size(records), coins="system").certify()

    def command(self, records: int, epsilon: Fraction, error: Fraction) -> str:
        options = self._options(self.word(records, error), epsilon, failure=False)
        models = self._models(epsilon, error)
        count = "" if models is None else f" --models {models}"
        return f"privpac learn DATA --schema SCHEMA --protect predictions{options}{count}"


@dataclass(frozen=True)
class ReleaseWay(Way):
    """A table that answers all queries of a kind: `privpac release`."""

    method: str = ""

    def _column(self) -> str:
        rest = self.question.word.partition(":")[2]
        return rest if rest in self.question.schema.names else rest.partition(":")[0]

    def _certify(self, records: int, epsilon: Fraction, error: Fraction) -> Certificate:
        question = self.question
        from privpac.constructions.release.methods import sanitiser_for

        sanitiser = sanitiser_for(
            self.method,
            question.schema,
            (self._column(),),
            epsilon=epsilon,
            error=None,
            failure=question.asked.failure,
            records=records,
            delta=self._delta,
        )
        return sanitiser.certify(Size(0, records))

    @property
    def _delta(self) -> Fraction:
        from privpac.constructions.release.methods import METHODS

        return self.question.asked.delta if METHODS[self.method].uses_delta else Fraction(0)

    def command(self, records: int, epsilon: Fraction, error: Fraction) -> str:
        # `privpac release` speaks of what its method answers first: of ranges each end is off by as much.
        share = error / 2 if queries_of(self.question) is Queries.RANGES else error
        delta = f" --delta {plain(self._delta)}" if self._delta else ""
        asked = self.question.asked
        failure = "" if asked.failure == FAILURE else f" --failure {plain(asked.failure)}"
        return (
            f"privpac release DATA --schema SCHEMA --column {self.question.shown(self._column())} --method"
            f" {self.method} --epsilon {plain(epsilon)} --error {plain(share)}{delta}{failure} --out SYNTHETIC.csv"
        )


QUERIES = {"points": Queries.POINTS, "thresholds": Queries.THRESHOLDS, "intervals": Queries.RANGES}


def queries_of(question: Question) -> Queries | None:
    """What a released table is asked; None where a rule is asked for."""
    return QUERIES[question.head] if question.asked.release else None


def ways(question: Question) -> Iterator[Way]:
    """All ways that protect what the question asks, or more. What is not asked for is not imported."""
    if question.asked.release:
        yield from _releases(question)
        return
    yield from _rules(question)
    if question.asked.protect == "labels" and "labels" in WORDS[question.head].protects:
        yield RuleWay(question, replace(_own(question)[0], title=LABELS), "labels")
    if question.asked.protect == "predictions" and _is_drawn(question):
        from privpac.constructions.prediction.forms import PLANNED

        yield from (AnswerWay(question, planned, "predictions") for planned in PLANNED)
    if question.asked.unlabelled:
        yield from _few_labels(question, question.asked.unlabelled)


LABELS = (
    "one draw from the labellings of the records, or from the class if it is smaller; features are public"
)


def _releases(question: Question) -> Iterator[Way]:
    from privpac.constructions.release.methods import METHODS

    for name, method in METHODS.items():
        is_possible = question.asked.delta or not method.uses_delta
        if is_possible and method.several == (question.head == "points"):
            yield ReleaseWay(question, Planned(title=method.meaning), method=name)


def _few_labels(question: Question, unlabelled: int) -> Iterator[Way]:
    from privpac.constructions.few_labels.methods import SEARCHED
    from privpac.constructions.few_labels.questions import TITLE

    for name, title in SEARCHED.items():
        yield FewLabelsWay(question, Planned(title=title), unlabelled=unlabelled, method=name)
    yield AskingWay(question, Planned(title=TITLE), unlabelled=unlabelled)


def _own(question: Question) -> tuple[Planned, ...]:
    """How the word that is asked about is learnt: it alone, where it says how."""
    entry = WORDS[question.head]
    if entry.way_of or entry.transforms:
        return (Planned(title=entry.meaning),)
    rest = question.word.partition(":")[2]
    named = ":" in rest and rest not in question.schema.names
    for one in entry.planned:
        ending = one.form.removeprefix("{word}") if isinstance(one.form, str) else ""
        if named and ending.startswith(":") and not one.aims and question.word.endswith(ending):
            return (replace(one, form="{word}"),)
    return entry.planned or (Planned(),)


def _rules(question: Question) -> Iterator[Way]:
    """Words for the class, for the ways to learn it, and around it."""
    own = _own(question)
    yield from (RuleWay(question, planned) for planned in own)
    entry = WORDS[question.head]
    if entry.way_of or entry.transforms or len(own) == 1 < len(entry.planned):
        return
    is_drawn = _is_drawn(question)
    for head, other in WORDS.items():
        if head != question.head and (other.way_of == question.head or (other.transforms and is_drawn)):
            yield from (RuleWay(question, planned) for planned in other.planned)


def _is_drawn(question: Question) -> bool:
    """Whether one member of the class is drawn: then records can vote on labels, and models be asked."""
    return one_draw(_learner_asked(question)) is not None


def class_asked(question: Question) -> AnyClass:
    """The class of rules that is asked about, whatever a way draws from: lower bounds speak of that."""
    return _learner_asked(question).concepts


MANY = 10**6
"""Records for which words name what they name for all tables that are not small."""


@lru_cache(maxsize=64)
def _learner_of(word: str, schema: Schema) -> Learner:
    asked = LearnRequest(epsilon=Fraction(1))
    return learner_for(word, Request(schema, Size(MANY), asked, drawn=False))


def class_word(question: Question) -> str:
    """The word of the class that is asked about, where a way to learn it is named."""
    word = question.word
    while WORDS[word.partition(":")[0]].transforms:
        rest = word.partition(":")[2]
        word = rest.partition(":")[2] if rest.partition(":")[0].isdigit() else rest
    way_of = WORDS[word.partition(":")[0]].way_of
    if ":" in word and way_of:
        return f"{way_of}:{word.split(':')[1]}"
    return way_of or word


def _learner_asked(question: Question) -> Learner:
    """What learns the class that is asked about, by its own word."""
    try:
        return _learner_of(class_word(question), question.schema)
    except ParameterError as refusal:
        raise ParameterError(
            OWNER,
            refusal.parameter or "concepts",
            refusal.value,
            allowed=refusal.allowed,
            remedy=refusal.remedy,
        ) from None
