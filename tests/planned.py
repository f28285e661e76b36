"""What the printed command of a plan's row learns with."""

from __future__ import annotations

import shlex
from fractions import Fraction
from itertools import pairwise

from privpac.constructions.base import Learner
from privpac.constructions.words import Request, learner_for, stands_for
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.planning.answer import Answer
from privpac.planning.subject import runnable
from privpac.request import LearnRequest

__all__ = ["learner_of"]


def learner_of(row: Answer, schema: Schema, records: int) -> Learner:
    """With the epsilon of the row, for this many records."""
    options = dict(pairwise(shlex.split(row.command or "")))
    word = runnable(options.get("--concepts", row.concepts.word))
    delta, protect = Fraction(options.get("--delta", "0")), options.get("--protect", "records")
    request = Request(
        schema,
        Size(records),
        LearnRequest(epsilon=row.wish.epsilon, delta=delta, protect=protect, failure=row.wish.failure),
    )
    return learner_for(stands_for(word, request), request)
