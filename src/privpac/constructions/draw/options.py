"""The plain exponential mechanism: one draw from the whole class. Every cleverer way must beat it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from privpac.constructions.class_facts import ONE_WAY, ClassFacts
from privpac.constructions.commands import default_command, draw_command
from privpac.constructions.option import FloorRow, Need, Option, Setting
from privpac.constructions.wish import Wish
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.numbers.exact import first_whole
from privpac.request import LearnRequest
from privpac.theory import any_floors, sizes
from privpac.theory.occam import error_occam, excess_agnostic

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
    return concepts.kappa is None and concepts.kind not in ("auto", *ONE_WAY)


@lru_cache(maxsize=4096)  # both settings, all that may be protected and much advice ask for the same numbers
def _errors_of_default(
    schema: Schema, n: int, epsilon: Fraction, failure: Fraction
) -> Mapping[str, Fraction]:
    from privpac.constructions.draw.default import THREE_QUESTIONS, auto
    from privpac.constructions.request import Request

    request = Request(schema, Size(n), LearnRequest(epsilon=epsilon, failure=failure))
    proofs = auto(request, "").certify(request.size).accuracy
    return {proof.fact.against: proof.fact.error for proof in proofs if proof.fact.rivals == THREE_QUESTIONS}


class _Default(NamedTuple):
    """What `auto` certifies against rules of three questions in one setting, as a plan asks for it."""

    setting: Setting

    def error(self, wish: Wish, n: int) -> Fraction | None:
        """The error that is certified for this many records; None where it is void."""
        assert wish.concepts.schema is not None
        return _errors_of_default(wish.concepts.schema, n, wish.epsilon, wish.failure).get(self.setting)

    def needs(self, wish: Wish) -> Need:
        """The fewest records for which the error is certified; more records never certify less."""

        def certifies(n: int) -> bool:
            error = self.error(wish, n)
            return error is not None and error <= wish.error

        return Need(first_whole(certifies, start=1000, smallest=1))


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
        error=auto.error,
        command=lambda wish, need: default_command(wish.epsilon, wish.failure),
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
    )


OPTIONS: tuple[Option, ...] = (
    _draw("realizable", "occam-realizable"),
    _draw("agnostic", "occam-agnostic"),
    _default("realizable"),
    _default("agnostic"),
)
