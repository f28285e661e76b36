"""From the rows of requests to the questions they ask: those of a whole group are encoded together.

To encode a column takes about as long for a hundred rows as for one. What a row becomes depends on that row alone
(`tests/laws/test_cells_alone.py`), so nobody's question changes with the company it is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from privpac.answering.questions import AskedRows
from privpac.service.answering.answering import Answering
from privpac.service.answering.requests import Ask, Outcome
from privpac.service.api.problems import Problem
from privpac.service.api.rows import cells_of

__all__ = ["Reading", "Submission"]


@dataclass(frozen=True, repr=False)
class Submission:
    """One request on its way: who, which rows, of plain values, and under which idempotency key."""

    key: str
    rows: Sequence[tuple[Any, ...]]
    idempotency_key: str | None
    digest: bytes


@dataclass(frozen=True, repr=False)
class Reading:
    """What reads requests for whoever answers them."""

    answering: Answering

    def answer(self, requests: Sequence[Submission | Ask]) -> list[Outcome]:
        """The outcome of every request; one whose rows do not fit the schema is refused, and nothing is charged."""
        asks = self._read(requests)
        readable = [ask for ask in asks if isinstance(ask, Ask)]
        outcomes = iter(self.answering.answer(readable) if readable else ())
        return [next(outcomes) if isinstance(ask, Ask) else ask for ask in asks]

    def one(self, request: Submission) -> Ask | Problem:
        """The question of one request."""
        try:
            return self._together([request])[0]
        except Problem as problem:
            return problem

    def _read(self, submissions: Sequence[Submission | Ask]) -> list[Ask | Problem]:
        waiting = [one for one in submissions if isinstance(one, Submission)]
        try:
            read = iter(self._together(waiting) if waiting else ())
        except Problem:
            return [one if isinstance(one, Ask) else self.one(one) for one in submissions]
        return [one if isinstance(one, Ask) else next(read) for one in submissions]

    def _together(self, submissions: Sequence[Submission]) -> list[Ask]:
        bundle = self.answering.bundle
        cells = cells_of([row for one in submissions for row in one.rows], bundle.schema)
        batches = AskedRows.apart(cells, [len(one.rows) for one in submissions], bundle.offer.predictor)
        return [
            Ask(one.key, rows, one.idempotency_key, one.digest)
            for one, rows in zip(submissions, batches, strict=True)
        ]
