"""A cut in a column of very long keys, where a delta pays."""

from __future__ import annotations

from privpac.plan.class_facts import ClassFacts
from privpac.plan.options.base import Need, Option
from privpac.plan.options.occam import learn_command
from privpac.plan.wish import Wish
from privpac.theory.exact import plain

__all__ = ["THRESHOLDS"]


def _cuts(concepts: ClassFacts) -> bool:
    return concepts.kind == "thresholds" and concepts.vc == 1 and (concepts.cells or 0) >= 4


def _rec_concave(wish: Wish) -> Need:
    from privpac.theory.rec_concave import records_rec_concave

    assert wish.concepts.cells is not None
    return Need(
        records_rec_concave(
            wish.concepts.cells,
            error=wish.error,
            failure=wish.failure,
            epsilon=wish.epsilon,
            delta=wish.delta,
        )
    )


def _command(wish: Wish, need: Need) -> str | None:
    word = "recconcave:" + wish.concepts.word.partition(":")[2]
    return learn_command(wish, need, concepts=word, options=f"--delta {plain(wish.delta)}")


THRESHOLDS = (
    Option(
        "rec-concave",
        "one level of recursion over the bits of a cut",
        "realizable",
        "records",
        True,
        "rec-concave",
        _rec_concave,
        serves=_cuts,
        pure=False,
        command=_command,
    ),
)
