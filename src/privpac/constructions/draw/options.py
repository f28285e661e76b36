"""The plain exponential mechanism: one draw from the whole class. Every cleverer way must beat it."""

from __future__ import annotations

from fractions import Fraction

from privpac.constructions.class_facts import ClassFacts
from privpac.constructions.commands import learn_command
from privpac.constructions.option import Need, Option
from privpac.constructions.wish import Wish
from privpac.errors import SizeError
from privpac.theory import sizes

__all__ = ["OPTIONS"]

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
    return sizes.error_occam(n, size=_size(wish), failure=wish.failure, epsilon=wish.epsilon)


def _excess(wish: Wish, n: int) -> Fraction:
    return sizes.excess_agnostic(
        n, size=_size(wish), failure=wish.failure, epsilon=wish.epsilon, noise=wish.noise
    )


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


def _hard_realizable(wish: Wish) -> int | None:
    from privpac.constructions.draw.hard import realizable_need

    return realizable_need(wish)


def _hard_agnostic(wish: Wish) -> int | None:
    from privpac.constructions.draw.hard import agnostic_need

    return agnostic_need(wish)


def _finite(concepts: ClassFacts) -> bool:
    return concepts.kappa is None


OPTIONS: tuple[Option, ...] = (
    Option(
        "occam",
        "one draw by the exponential mechanism, some member is right",
        "realizable",
        "records",
        True,
        "occam-realizable",
        _needs_realizable,
        serves=_finite,
        error=_error,
        epsilon=_epsilon_realizable,
        command=learn_command,
        hard=_hard_realizable,
    ),
    Option(
        "occam",
        "one draw by the exponential mechanism, against the best member",
        "agnostic",
        "records",
        True,
        "occam-agnostic",
        _needs_agnostic,
        serves=_finite,
        error=_excess,
        epsilon=_epsilon_agnostic,
        command=learn_command,
        hard=_hard_agnostic,
    ),
)
