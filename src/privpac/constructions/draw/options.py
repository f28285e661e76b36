"""The plain exponential mechanism: one draw from the whole class. Every cleverer way must beat it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from itertools import takewhile
from typing import NamedTuple

from privpac.constructions.class_facts import ONE_WAY, ClassFacts
from privpac.constructions.commands import default_command, draw_command, learn_command
from privpac.constructions.draw.hard import agnostic_need, realizable_need
from privpac.constructions.draw.stages import SECOND_STAGE_ABOVE, SHARES, THIRD_STAGE_FROM, stage_steps
from privpac.constructions.option import FloorRow, Need, Option, Setting
from privpac.constructions.wish import Wish
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.guarantee.proof import EXP_DIGITS, LARGEST_LOG
from privpac.numbers.exact import exp_up, first_whole, plain
from privpac.theory import any_floors, sizes
from privpac.theory.occam import error_occam, excess_agnostic
from privpac.theory.staged import error_staged, excess_staged

__all__ = ["FLOORS", "OPTIONS"]

PLACE = 10


def _size(wish: Wish) -> Fraction:
    """Hypotheses that count: with a public prior the odds stand for them (register `occam-prior`)."""
    return wish.concepts.odds + 1


def _needs_realizable(wish: Wish) -> Need:
    return Need(
        sizes.records_occam(_size(wish), error=wish.error, failure=wish.failure, epsilon=wish.epsilon)
    )


def _needs_agnostic(wish: Wish) -> Need:
    return Need(
        sizes.records_agnostic(
            _size(wish), excess=wish.error, failure=wish.failure, epsilon=wish.epsilon, noise=wish.noise
        )
    )


def _error(wish: Wish, n: int) -> Fraction:
    return error_occam(n, size=_size(wish), failure=wish.failure, epsilon=wish.epsilon)


def _excess(wish: Wish, n: int) -> Fraction:
    return excess_agnostic(n, size=_size(wish), failure=wish.failure, epsilon=wish.epsilon, noise=wish.noise)


def _epsilon_realizable(wish: Wish, n: int) -> Fraction | None:
    try:
        return sizes.epsilon_occam(n, size=_size(wish), error=wish.error, failure=wish.failure)
    except SizeError:
        return None


def _epsilon_agnostic(wish: Wish, n: int) -> Fraction | None:
    try:
        return sizes.epsilon_agnostic(
            n, size=_size(wish), excess=wish.error, failure=wish.failure, noise=wish.noise
        )
    except SizeError:
        return None


def _finite(concepts: ClassFacts) -> bool:
    return concepts.kappa is None and not concepts.stages and concepts.kind not in ("auto", *ONE_WAY)


@lru_cache(maxsize=4096)  # both settings, all that may be protected and much advice ask for the same numbers
def _errors_of_default(
    schema: Schema, n: int, epsilon: Fraction, failure: Fraction
) -> Mapping[str, Fraction]:
    from privpac.constructions.draw.default import default_accuracy
    from privpac.constructions.request import Request

    request = Request(schema=schema, size=Size(n), epsilon=epsilon)
    return {proof.fact.against: proof.fact.error for proof in default_accuracy(request, failure=failure)}


class _Default(NamedTuple):
    """What `auto` certifies in one setting, as a plan asks for it."""

    setting: Setting

    def error(self, wish: Wish, n: int) -> Fraction | None:
        """The error that is certified for this many records; None where it is void."""
        assert wish.concepts.schema is not None
        return _errors_of_default(wish.concepts.schema, n, wish.epsilon, wish.failure).get(self.setting)

    def _certifies(self, wish: Wish, n: int) -> bool:
        error = self.error(wish, n)
        return error is not None and error <= wish.error

    def needs(self, wish: Wish) -> Need:
        """The fewest records from which on the error is always certified: where `auto` passes on to another design a
        certificate promises less for a while, and more records than were asked for must not be too many.

        It passes on by n·epsilon, so with a smaller epsilon fewer records may do. Who allows an epsilon allows any
        smaller one as well: round ones are tried, and the need names the one that it is to be learnt with.
        """
        best = Need(self._records_from_on(wish))
        for epsilon in _round_below(wish.epsilon):
            if epsilon * best.labelled < 1:  # less evidence proves nothing
                break
            less = wish.at("epsilon", epsilon)
            if self._certifies(less, best.labelled - 1):
                records = self._records_from_on(less)
                if records < best.labelled:
                    best = Need(records, parameters={"epsilon": plain(epsilon)})
        return best

    def _records_from_on(self, wish: Wish) -> int:
        enough = partial(self._certifies, wish)
        *earlier, last = _first_records(wish.epsilon)
        least = first_whole(enough, start=last, smallest=last)
        for first in reversed(earlier):
            if least > last or not enough(last - 1):
                break
            least, last = first_whole(enough, start=last - 1, smallest=first), first
        return least

    def enough(self, wish: Wish, n: int) -> bool:
        """Whether `needs` says at most this many, without saying how many."""
        smaller = takewhile(lambda epsilon: epsilon * n >= 1, _round_below(wish.epsilon))
        return any(self._always(wish.at("epsilon", epsilon), n) for epsilon in (wish.epsilon, *smaller))

    def _always(self, wish: Wish, n: int) -> bool:
        """From n records on: within a design more records certify more, so its first number speaks for the others."""
        later = (first for first in _first_records(wish.epsilon) if first > n)
        return all(self._certifies(wish, records) for records in (n, *later))

    def sooner(self, wish: Wish) -> tuple[int, int] | None:
        """The first run of numbers of records that are enough, before those from which on all are; None if there is
        none but these."""
        enough, firsts = partial(self._certifies, wish), _first_records(wish.epsilon)
        ends = [first - 1 for first in firsts[1:]]
        place = next((k for k, end in enumerate(ends) if enough(end)), None)
        if place is None:
            return None
        least = first_whole(enough, start=ends[place], smallest=firsts[place])
        last = next((end for end in ends[place:] if not enough(end + 1)), None)
        return None if last is None else (least, last)


def _round_below(epsilon: Fraction) -> Iterator[Fraction]:
    """1, 2 or 5 times a power of ten, from the largest below epsilon down.

    >>> [float(number) for number, _ in zip(_round_below(Fraction(1)), range(4))]
    [0.5, 0.2, 0.1, 0.05]
    """
    power = math.floor(math.log10(epsilon)) + 1
    while True:
        yield from (number for k in (5, 2, 1) if (number := k * Fraction(10) ** power) < epsilon)
        power -= 1


def _first_records(epsilon: Fraction) -> list[int]:
    """The numbers of records with which each design of `auto` begins."""
    from privpac.constructions.draw.default import ONE_TEST_UP_TO, first_with_four_levels

    above = [math.floor(evidence / epsilon) + 1 for evidence in (ONE_TEST_UP_TO, SECOND_STAGE_ABOVE)]
    return sorted({1, *above, first_with_four_levels(epsilon), math.ceil(THIRD_STAGE_FROM / epsilon)})


def _staged_bound(wish: Wish, n: int, bound: Callable[..., Fraction]) -> Fraction:
    """By counting rules, or by the learner's own privacy, whichever is less."""
    stages = wish.concepts.stages
    steps = stage_steps(
        wish.concepts.odds,
        [sum(stages[:k]) for k in range(1, len(stages))],
        epsilon=wish.epsilon,
        shares=SHARES[len(stages)],
    )
    error = bound(n, steps, failure=wish.failure, size=wish.concepts.size)
    if wish.epsilon > LARGEST_LOG:  # beyond the rule's own range
        return error
    return min(error, bound(n, steps, failure=wish.failure, growth=exp_up(wish.epsilon, EXP_DIGITS)))


def _stages(setting: Setting, source: str) -> Option:
    def error(wish: Wish, n: int) -> Fraction:
        return _staged_bound(wish, n, excess_staged if setting == "agnostic" else error_staged)

    def needs(wish: Wish) -> Need:
        return Need(first_whole(lambda n: error(wish, n) <= wish.error, start=1000, smallest=1))

    return Option(
        "staged",
        "a small tree is drawn, then one in each of its leaves",
        source,
        needs,
        setting=setting,
        proper=False,
        serves=lambda concepts: len(concepts.stages) > 1,
        error=error,
        command=learn_command,
    )


def _tell_two_rules(option: Option, wish: Wish) -> bool:
    """Whoever releases a rule from labels that are given, and hides them; records without labels tell nothing here.

    All mass lies on two points, which a density bound excludes.
    """
    is_rule = option.protects in ("records", "labels") and not option.asks
    return is_rule and wish.concepts.kappa is None and _has_two_rules(wish.concepts)


def _has_two_rules(concepts: ClassFacts) -> bool:
    """Whether some two members agree at one point and differ at another: any two of three that are not each other's
    opposite do, and a constant beside any test."""
    match concepts.kind:
        case "thresholds" | "points" | "any":
            return concepts.size >= 3
        case "auto" | "trees" | "lists" | "stumps":
            return True
        case "one-test":  # of three tests two are neither the same nor opposite
            return (concepts.tests or 0) >= 3
        case _:
            return concepts.shatters >= 2


def _two_rules_records(wish: Wish) -> int:
    return any_floors.floor_two_rules(**wish.goal, delta=wish.delta)


def _two_rules_exclude(wish: Wish, n: int) -> bool:
    least = any_floors.least_failure_two_rules(n, **wish.without("failure"), delta=wish.delta)
    return least > wish.failure


FLOORS: tuple[FloorRow, ...] = (
    FloorRow(88, "floor-two-rules", _tell_two_rules, _two_rules_records, _two_rules_exclude),
)


def _default(setting: Setting) -> Option:
    auto = _Default(setting)
    return Option(
        "default",
        "what privpac learns unless told otherwise",
        f"occam-{setting}",
        auto.needs,
        setting=setting,
        proper=False,
        serves=lambda concepts: concepts.kind == "auto",
        enough=auto.enough,
        sooner=auto.sooner,
        error=auto.error,
        command=lambda wish, need: default_command(Fraction(need.parameters.get("epsilon", wish.epsilon))),
    )


def _draw(setting: Setting, source: str) -> Option:
    agnostic = setting == "agnostic"
    return Option(
        "occam",
        "one rule is drawn, the likelier the better it fits (exponential mechanism)",
        source,
        _needs_agnostic if agnostic else _needs_realizable,
        setting=setting,
        serves=_finite,
        error=_excess if agnostic else _error,
        epsilon=_epsilon_agnostic if agnostic else _epsilon_realizable,
        command=draw_command,
        hard=agnostic_need if agnostic else realizable_need,
    )


OPTIONS: tuple[Option, ...] = (
    _draw("realizable", "occam-realizable"),
    _draw("agnostic", "occam-agnostic"),
    _default("realizable"),
    _default("agnostic"),
    _stages("realizable", "staged-draws-realizable"),
    _stages("agnostic", "staged-draws-agnostic"),
)
