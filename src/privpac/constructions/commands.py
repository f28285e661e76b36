"""What to run for a row of a plan: a command, or a few lines of Python where the command line has no word for it."""

from __future__ import annotations

from fractions import Fraction

from privpac.concepts.grids import boxes_fit, coarser_boxes
from privpac.constructions.class_facts import ClassFacts
from privpac.constructions.option import Need
from privpac.constructions.wish import FAILURE, Wish
from privpac.numbers.exact import plain

__all__ = [
    "coarser_word",
    "default_command",
    "draw_command",
    "failure_option",
    "learn_command",
    "python_lines",
]


def python_lines(expression: str, *imports: tuple[str, str]) -> str:
    """Imports in order, and what is built; `schema` is the caller's."""
    names = sorted({("fractions", "Fraction"), *imports}, key=lambda one: (one[0] != "fractions", one))
    return "\n".join([*(f"from {module} import {name}" for module, name in names), expression])


def learn_command(wish: Wish, need: Need, *, concepts: str | None = None, options: str = "") -> str | None:
    """`privpac learn` on a table of one's own; None for a class that only exists on paper."""
    word = wish.concepts.word if concepts is None else concepts
    if wish.concepts.kind == "any" or (concepts is None and wish.concepts.kind == "sphere"):
        return None
    more = f" {options}" if options else ""
    asked = f"--epsilon {plain(wish.epsilon)}{failure_option(wish.failure)}"
    return f"privpac learn DATA --schema SCHEMA --concepts {word} {asked}{more}"


def coarser_word(concepts: ClassFacts, records: int) -> str:
    """The same boxes on a grid that sums over them reach for this many records."""
    return f"{concepts.word}:{coarser_boxes(concepts.groups, records)}"


def draw_command(wish: Wish, need: Need) -> str | None:
    """The same for one draw from the labelled records; None where sums over all boxes would be refused for them."""
    groups = wish.concepts.groups
    if groups and not boxes_fit(groups, need.labelled):
        return None
    return learn_command(wish, need)


def failure_option(failure: Fraction) -> str:
    """How a command says how likely its promise may fail, with a space before it; empty where it is the usual one.

    >>> failure_option(Fraction(1, 20)), failure_option(Fraction(1, 100))
    ('', ' --failure 0.01')
    """
    return "" if failure == FAILURE else f" --failure {plain(failure)}"


def default_command(epsilon: Fraction, failure: Fraction) -> str:
    """`privpac learn` with the class that suits the table, which it chooses by public numbers."""
    return f"privpac learn DATA --schema SCHEMA --epsilon {plain(epsilon)}{failure_option(failure)}"
