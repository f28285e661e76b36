"""Cards and trees that rank in public numbers: as many as there are draws of tests and signs; no plan promises anything
for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from privpac.constructions.card.weights import MOST_ROUNDS
from privpac.constructions.class_facts import OWNER, ClassFacts, Description
from privpac.errors import ParameterError
from privpac.numbers.parameters import is_count

__all__ = ["KINDS"]

PAIRS = ("mixed", "pairs")
"""As in `words`, which a plan does not load."""

USUAL_ROUNDS, USUAL_LEVELS = 8, 3
"""Where the word names none; with records and epsilon the learner chooses."""
MOST_LEVELS = 6
"""As in `risk_tree`, which a plan does not load."""


def _card(rest: str, description: Description) -> ClassFacts:
    rounds = int(rest) if is_count(rest) else USUAL_ROUNDS
    if (rest not in ("", *PAIRS, str(rounds))) or not 1 <= rounds <= MOST_ROUNDS:
        raise ParameterError(
            OWNER,
            "concepts",
            f"card:{rest}",
            allowed=f"card, card:mixed, card:pairs, or card:1 to card:{MOST_ROUNDS}",
        )
    tests = _tests(description)
    pairs = 2 * tests**2 if rest in PAIRS else 0  # of answers, about any two columns at most
    size: int = (2 * (tests + pairs)) ** rounds
    word = f"card:{rest}" if rest else "card"
    return ClassFacts.of_tests(word, "card", size, tests, rounds, named=description.named)


def _tests(description: Description) -> int:
    """How many tests a card chooses from: at round numbers, where a schema says which columns there are."""
    if description.schema is None:
        return description.number_of_tests("card")
    from privpac.concepts.literals.round_cuts import on_round_numbers

    return len(on_round_numbers(description.schema).tests)


def _risk_tree(rest: str, description: Description) -> ClassFacts:
    levels = int(rest) if is_count(rest) else USUAL_LEVELS
    if rest not in ("", str(levels)) or not 1 <= levels <= MOST_LEVELS:
        requirement = f"risk-tree, or risk-tree:1 to risk-tree:{MOST_LEVELS}"
        raise ParameterError(OWNER, "concepts", f"risk-tree:{rest}", allowed=requirement)
    tests = description.number_of_tests("risk-tree")
    size: int = (2 * tests) ** (2**levels - 1)
    word = f"risk-tree:{rest}" if rest else "risk-tree"
    return ClassFacts.of_tests(word, "risk-tree", size, tests, levels, named=description.named)


KINDS: Mapping[str, tuple[str, Callable[[str, Description], ClassFacts]]] = {
    "card": ("card --columns C", _card),
    "risk-tree": ("risk-tree --columns C", _risk_tree),
}
