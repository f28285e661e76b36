"""`PrivatePredictor`: answers from private records, each distinct question paid for before it is answered."""

from __future__ import annotations

import os
import threading
from collections.abc import Container, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.answering.answers import Answers, MemoryAnswers
from privpac.answering.bundle import writing
from privpac.answering.offer import Offer, offer_for
from privpac.answering.preparing import prepare
from privpac.answering.questions import AskedRows, draw
from privpac.coins import Coins
from privpac.concepts.base import Cells
from privpac.constructions.prediction.predictor import Prepared
from privpac.constructions.rule_lists import with_rules
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema, schema_for
from privpac.errors import BudgetExceeded, PrivpacError
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.budget import Budget
from privpac.guarantee.ledger.ledger import Ledger
from privpac.releasing import Payment
from privpac.request import LearnRequest

__all__ = ["PrivatePredictor"]

OWNER = "PrivatePredictor"
SchemaLike = Schema | str | os.PathLike[str] | Mapping[str, Any]


class PrivatePredictor:
    """Answers questions about private records; no model is released, and every distinct question has its price.

    `base` is what answers: a scikit-learn classifier (a vote of many of them on disjoint blocks of the records), a
    class of concepts (a fresh draw for every answer), a word for either, or a predictor. `budget` is a `Ledger`, or a
    number: a new ledger of this much epsilon. Of it, every distinct question takes `epsilon_per_answer`; with more than
    one of `records_per_person` that protects the person. `schema`, `label` and `random_state` are as for `learn`;
    `models` is the number of voters.

    Questions that fall into the same cells of the schema are the same question: asked again it gets the same answer and
    costs nothing. With `answers` declared beforehand, all of them are charged when the records come in, at the price of
    the optimal composition for `delta`; otherwise each batch is charged, durably, before it is answered. If the budget
    adds rho (it has a delta), classifiers vote by exponential weights, which cost least of it; the words
    `vote:logistic` and `weighted:logistic` name either law.

    >>> from sklearn.linear_model import LogisticRegression
    >>> schema = {"label": "y", "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 1}]}
    >>> predictor = PrivatePredictor(LogisticRegression(), 5, 20, schema=schema, models=5, random_state=0)
    >>> xs = [i / 200 for i in range(200)]
    >>> predictor = predictor.fit({"x": xs}, y=[int(x > 0.5) for x in xs])
    >>> predictor.predict({"x": [0.02, 0.97, 0.97]}).tolist(), predictor.answers_left
    ([0, 1, 1], 2)
    >>> predictor.classify({"x": [0.02]}), predictor.answers_left  # an answer again costs nothing
    (array([0], dtype=uint8), 2)

    Before its first answer it can be kept, as a folder that answers in its place:

    >>> import tempfile
    >>> predictor = predictor.fit({"x": xs}, y=[int(x > 0.5) for x in xs])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     predictor.save(os.path.join(folder, "bundle"))
    ...     sorted(os.listdir(os.path.join(folder, "bundle")))[:2]
    ['bundle.json', 'models.skops']
    """

    def __init__(
        self,
        base: object,
        epsilon_per_answer: object,
        budget: object,
        *,
        schema: SchemaLike,
        answers: int | None = None,
        delta: object = 0,
        models: int | None = None,
        records_per_person: int = 1,
        random_state: int | None = None,
        label: str | None = None,
    ) -> None:
        self._asked = LearnRequest.read(
            concepts=with_rules(base) if isinstance(base, str) else base,
            epsilon=epsilon_per_answer,
            delta=delta,
            answers=answers,
            models=models,
            records_per_person=records_per_person,
            protect="predictions",
            owner=OWNER,
        )
        self.base, self.budget = base, _ledger(budget, self._asked.delta)
        self._schema, self._label = schema, label
        self._coins = Payment.by(None, random_state=random_state, owner=OWNER).coins
        self._lock = threading.Lock()
        self._offer: Offer | None = None

    @classmethod
    def serving(
        cls, offer: Offer, prepared: Prepared, *, ledger: Ledger, answers: Answers, coins: Coins
    ) -> PrivatePredictor:
        """A predictor of an `offer` whose records are `prepared` already: it charges `ledger` for every answer, keeps
        them in `answers` and draws with `coins` (see `bundle`). Nothing is refused here.
        """
        self = cls.__new__(cls)
        self.base, self.budget = offer.predictor, ledger
        self._asked = LearnRequest(
            concepts=offer.predictor,  # type: ignore[arg-type]  # a predictor answers, whatever it draws from
            epsilon=offer.price,
            delta=offer.delta,
            answers=offer.answers,
            records_per_person=offer.records_per_person,
            protect="predictions",
        )
        self._schema, self._label = offer.schema, None
        self._coins, self._lock = coins, threading.Lock()
        self._begin(offer, prepared, meter=ledger, answers=answers)
        return self

    def _begin(self, offer: Offer, prepared: Prepared, *, meter: Ledger, answers: Answers) -> None:
        self._offer, self._prepared, self._meter, self._answers = offer, prepared, meter, answers

    def fit(self, table: object, y: object = None) -> PrivatePredictor:
        """Take in the records of `table`, with labels `y` or its own. Declared answers are charged here; otherwise
        nothing is spent yet. Raises what `learn` raises.
        """
        schema = schema_for(self._schema, table, label=self._label, y=y)
        sample = MemorySample.of(table, schema, y=y)
        filters = self.budget.promises.filters
        offer = offer_for(
            self._asked, schema=schema, size=sample.size, coins=self._coins.origin, adds_rho=filters
        )
        with self._lock:
            prepared = prepare(offer, sample, Payment(self.budget, self._coins), table=table)
            most = offer.answers
            meter = self.budget if most is None else Ledger(epsilon=most * offer.price)
            self._begin(offer, prepared, meter=meter, answers=MemoryAnswers())
        return self

    @property
    def offer(self) -> Offer:
        """What is answered and at which price; refused before `fit`."""
        return self._require_records()

    def _require_records(self) -> Offer:
        if self._offer is None:
            raise PrivpacError(f"{OWNER} has no records yet.", remedy="Call fit first.")
        return self._offer

    @property
    def prepared(self) -> Prepared:
        """What answers. Private: it must not leave the server."""
        self._require_records()
        return self._prepared

    @property
    def schema(self) -> Schema:
        """The schema of the questions; refused before `fit`."""
        return self.offer.schema

    @property
    def certificate(self) -> Certificate:
        """What is promised: about one answer, or about all that were declared."""
        return self.offer.certify()

    @property
    def answers_left(self) -> int:
        """How many further distinct questions the budget has room for."""
        return self._meter.room_for(self.offer.answer_cost)

    @property
    def answers_given(self) -> int:
        """How many distinct questions were answered."""
        self._require_records()
        return self._answers.count()

    def predict(self, table: object) -> NDArray[Any]:
        """The answer to every row of `table`, as the schema writes its classes; new questions are charged first, all or
        none.

        Raises `BudgetExceeded` if there is no room for all of them, and `SchemaError` or `DataError` for rows that do
        not fit.
        """
        return self.schema.class_values[self.classify(table)]

    def classify(self, table: object) -> NDArray[np.uint8]:
        """As `predict`, for the same `table` and with its errors, as positions among the schema's classes."""
        cells = MemorySample.of(table, self.schema, labelled=False).block().cells
        return self.classify_cells(cells)

    def classify_cells(self, cells: Cells) -> NDArray[np.uint8]:
        """As `classify`, for rows whose `cells` are encoded already; `BudgetExceeded` if there is no room for all of
        them.
        """
        rows = AskedRows.of(cells, self.offer.predictor)
        if not rows.keys:
            return np.empty(0, dtype=np.uint8)
        with self._lock:
            earlier = self._answers.known(rows.keys)
            new = rows.new(earlier)
            if new:
                earlier |= self._answers.keep(self._draw_new(rows, earlier, len(new)))
        return rows.labels(earlier)

    def _draw_new(self, rows: AskedRows, earlier: Container[bytes], count: int) -> dict[bytes, int]:
        """Answers to the new questions, paid for before the first look at the records.

        A draw that fails might do so because of a record, and a failure that can be asked for again tells more than was
        paid for: the first one ends the predictor for good.
        """
        if self._answers.ended:
            raise PrivpacError(
                "A draw of this predictor failed, so it answers nothing new any more; answers given before remain.",
                remedy="Please report the fault, and fit a predictor anew.",
            )

        def answers(coins: Coins) -> dict[bytes, int]:
            try:
                return draw([rows], self._prepared, coins, known=earlier)
            except Exception:
                self._answers.end()
                raise

        try:
            return Payment(self._meter, self._coins).paid(
                lambda: count * self.offer.answer_cost,
                draw=answers,
                note=f"{count} answers",
                purchase=lambda: self.offer.purchase,
            )
        except BudgetExceeded:
            raise self._refusal(count) from None

    def _refusal(self, count: int) -> BudgetExceeded:
        earlier, left = self.answers_given, self.answers_left
        error = BudgetExceeded(
            f"{count} new questions were asked, and the budget has room for {left}; {earlier} were answered so far.",
            remedy="Nothing of this batch was spent or answered; ask fewer, or open a larger budget.",
        )
        error.given, error.left = earlier, left
        return error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a bundle (`answering.bundle`) to the folder `path` that goes on where this predictor stands, which is
        used up by that. Raises `ParameterError` if something is there already.
        """
        with self._lock:
            offer = self._require_records()
            if self._answers.count():
                raise PrivpacError(
                    f"{OWNER} has given answers already, and a bundle begins with none.",
                    remedy="Fit it again and save it before the first question.",
                )
            writing.write(path, offer, self._prepared)
            self._offer = None  # its answers are the bundle's to give

    def __repr__(self) -> str:
        state = "no records yet" if self._offer is None else f"{self.answers_left} answers left"
        return f"<PrivatePredictor: {state}>"


def _ledger(budget: object, delta: Fraction) -> Ledger:
    if isinstance(budget, Ledger):
        return budget
    if isinstance(budget, Budget):
        return Ledger(epsilon=budget.epsilon, delta=budget.delta, reserved_delta=delta)
    # Answers one by one have no delta; declared ones are paid for at once, and this delta is theirs.
    return Ledger(epsilon=budget, delta=delta, reserved_delta=delta)  # type: ignore[arg-type]  # read and refused there
