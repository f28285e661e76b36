"""Cards in public numbers: as many as there are draws of tests and signs; no plan promises anything for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from privpac.constructions.card.weights import MOST_ROUNDS
from privpac.constructions.class_facts import OWNER, ClassFacts, Description
from privpac.errors import ParameterError
from privpac.numbers.parameters import is_count

__all__ = ["KINDS"]

MIXED = "mixed"
"""As in `words`, which a plan does not load."""

USUAL_ROUNDS = 8
"""Where the word names none; with records and epsilon the learner chooses."""


def _card(rest: str, description: Description) -> ClassFacts:
    rounds = int(rest) if is_count(rest) else USUAL_ROUNDS
    if rest not in ("", MIXED, str(rounds)) or not 1 <= rounds <= MOST_ROUNDS:
        raise ParameterError(
            OWNER,
            "concepts",
            f"card:{rest}",
            allowed=f"card, card:mixed, or card:1 to card:{MOST_ROUNDS}",
        )
    tests = _tests(description)
    pairs = 2 * tests**2 if rest == MIXED else 0  # of answers, about any two columns at most
    size: int = (2 * (tests + pairs)) ** rounds
    word = f"card:{rest}" if rest else "card"
    return ClassFacts.of_tests(word, "card", size, tests, rounds, named=description.named)


def _tests(description: Description) -> int:
    """How many tests a card chooses from: at round numbers, where a schema says which columns there are."""
    if description.schema is None:
        return description.number_of_tests("card")
    from privpac.concepts.literals.round_cuts import on_round_numbers

    return len(on_round_numbers(description.schema).tests)


KINDS: Mapping[str, tuple[str, Callable[[str, Description], ClassFacts]]] = {
    "card": ("card --columns C", _card),
}
