"""The word for the stable learner: robust to one record, at a delta that says how many records are looked at."""

from __future__ import annotations

from collections.abc import Mapping

from privpac.constructions.base import Learner
from privpac.constructions.request import OWNER, Naming, Request, Word, class_of_draw, inner_word, merged
from privpac.constructions.stable.stable import Stable
from privpac.errors import ParameterError
from privpac.numbers.exact import plain

__all__ = ["WORDS"]

PLACE = 80

FORM = "stable:WORD"


def _stable(request: Request, rest: str, naming: Naming) -> Learner:
    """As many records list the labellings as delta allows: each of them may be seen in the rule."""
    number, word = inner_word(rest, FORM)
    request.refuse_costs(FORM)
    request.require_two_classes("stable")
    if number is not None:
        raise ParameterError(
            OWNER,
            "word",
            f"stable:{rest}",
            allowed=f"of the form {FORM}",
            remedy="delta says how many records are looked at: delta times their number.",
        )
    n = request.size.labelled
    kept = int(request.delta_per_record * n)
    if kept < 1:
        raise ParameterError(
            OWNER,
            "delta",
            plain(request.delta),
            allowed=f"at least one over the number of records for {FORM}",
            remedy="It is the share of records that are looked at one by one, such as 0.05: robustness, and hardly"
            " privacy. For privacy, learn WORD by itself.",
        )
    inner = naming(word, request.inside(n, request.per_record, request.delta_per_record))
    return merged(
        Stable(class_of_draw(inner, word, owner="stable"), kept, request.per_record, request.failure)
    )


WORDS: Mapping[str, Word] = {
    "stable": Word(
        FORM,
        "a rule that one record hardly moves; delta is the share of records it looks at",
        _stable,
        takes_delta=True,
        transforms=True,
    ),
}
