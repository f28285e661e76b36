"""Words for a cut by other ways than one draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions
from privpac.constructions.base import Learner
from privpac.constructions.cuts.blocks import BlockCuts
from privpac.constructions.cuts.noisy import LARGEST_DOMAIN, MOST_FLIPS, DenoisedCuts, NoisyCuts
from privpac.constructions.cuts.recursive import RecConcave
from privpac.constructions.cuts.switches import SwitchCuts
from privpac.constructions.draw.occam import Occam
from privpac.constructions.request import OWNER, Asked, Planned, Request, Word, column_of
from privpac.errors import ParameterError
from privpac.numbers.exact import exact_decimal, plain
from privpac.numbers.parameters import is_count

__all__ = ["WORDS"]

PLACE = 30


def _directed_cuts(request: Request, rest: str, form: str) -> Thresholds:
    """Cuts of a column in one direction, for learners that know no costs."""
    name, _, direction = rest.rpartition(":")
    if direction not in ("up", "down"):
        name, direction = rest, "up"
    request.require_two_classes(form)
    if request.costs not in (None, (1, 1)):
        raise ParameterError(OWNER, "costs", request.costs, allowed=f"left out for {form}")
    return Thresholds(request.schema, column_of(request, name, form), direction)  # type: ignore[arg-type]


def _switches(request: Request, rest: str) -> Learner:
    name, _, count = rest.rpartition(":")
    if not (name and is_count(count)):
        requirement = "of the form switches:COLUMN:K, such as switches:age:2"
        raise ParameterError(OWNER, "word", f"switches:{rest}", allowed=requirement)
    cuts = _directed_cuts(request, name, "switches:COLUMN:K")
    ranges = Unions(request.schema, cuts.column, intervals=int(count))
    inner = Occam(ranges, request.per_record, failure=request.failure / 2)
    most = 2 * ranges.intervals
    return SwitchCuts(cuts, inner, request.per_record, most, failure=request.failure)


def _noisy(request: Request, rest: str, form: str, *, spare: bool = False) -> NoisyCuts:
    """Noise of the rate that ends the word; `spare`: the cut may fail as often as noise leaves room for."""
    name, _, rate_text = rest.rpartition(":")
    if not name:
        raise ParameterError(OWNER, "word", f"{form.partition(':')[0]}:{rest}", allowed=f"of the form {form}")
    rate = exact_decimal(rate_text, owner=OWNER, name="rate", allowed="a number strictly between 0 and 1/2")
    left = request.failure - 4 * rate * (1 - rate)
    failure = max(request.failure, 2 * left) if spare else request.failure
    return NoisyCuts(_directed_cuts(request, name, form), request.per_record, rate, failure)


def _noisy_cuts(request: Request, rest: str) -> Learner:
    return _noisy(request, rest, "noisy-cuts:COLUMN:RATE")


def _denoised_cuts(request: Request, rest: str) -> Learner:
    return DenoisedCuts(_noisy(request, rest, "denoised-cuts:COLUMN:RATE", spare=True))


def _rec_concave(request: Request, rest: str) -> Learner:
    cuts = _directed_cuts(request, rest, "recconcave:COLUMN")
    return RecConcave(cuts, request.per_record, request.delta_per_record, request.failure)


def _blocks(request: Request, rest: str) -> Learner:
    cuts = _directed_cuts(request, rest, "blocks:COLUMN")
    return BlockCuts(cuts, request.per_record, request.delta_per_record, request.failure)


def _with_rate(head: str) -> Callable[[Asked], str]:
    """The word with the rate that a plan proposes: a quarter of error times failure, less where that were too many
    cells, in three digits."""

    def word(asked: Asked) -> str:
        size = asked.schema.column(asked.rest).size
        rate = min(asked.error * asked.failure / 4, Fraction(MOST_FLIPS, max(size, LARGEST_DOMAIN)))
        unit = Fraction(1, 10 ** (2 - math.floor(math.log10(rate))))
        return f"{head}:{asked.rest}:{plain(rate // unit * unit)}"

    return word


WORDS: Mapping[str, Word] = {
    "blocks": Word(
        "blocks:COLUMN",
        "a cut in a column of 32 bits or more, with delta",
        _blocks,
        takes_delta=True,
        way_of="thresholds",
        planned=(
            Planned("blocks:{rest}", "one draw among the middles of occupied blocks"),
            Planned(
                "agnostic:blocks:{rest}", "the same on records that the others relabel: for noisy labels"
            ),
        ),
    ),
    "switches": Word(
        "switches:COLUMN:K",
        "a cut, found through up to K ranges (add :down after COLUMN)",
        _switches,
        way_of="thresholds",
        planned=(Planned("switches:{rest}:2", "a cut among the ends of ranges that were learnt first"),),
    ),
    "recconcave": Word(
        "recconcave:COLUMN",
        "a cut in a column of very long keys, with delta",
        _rec_concave,
        takes_delta=True,
        way_of="thresholds",
        planned=(Planned("recconcave:{rest}", "one level of recursion over the bits of a cut"),),
    ),
    "noisy-cuts": Word(
        "noisy-cuts:COLUMN:RATE",
        "a cut whose answer is flipped on a random share RATE of cells",
        _noisy_cuts,
        way_of="thresholds",
        planned=(
            Planned(
                _with_rate("noisy-cuts"),
                "one draw, every answer flipped now and then: a rule that is no cut",
                aims=True,
            ),
        ),
    ),
    "denoised-cuts": Word(
        "denoised-cuts:COLUMN:RATE",
        "the cut nearest to such noisy answers",
        _denoised_cuts,
        way_of="thresholds",
        planned=(
            Planned(
                _with_rate("denoised-cuts"),
                "the cut nearest to a rule whose answers are flipped now and then",
                aims=True,
            ),
        ),
    ),
}
