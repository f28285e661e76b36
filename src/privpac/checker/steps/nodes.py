"""What several checks read from a step of a derivation."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privpac.checker.reading import Privacy, Tree, read_privacy, require

__all__ = ["STEP", "Check", "only_premise", "pair"]

Check = Callable[[Tree], None]

STEP = Fraction(1, 10**12)
"""Headline epsilons and stabilities are rounded up to twelve decimals."""


def only_premise(node: Tree) -> Tree:
    premises = node.get("premises", ())
    require(len(premises) == 1, "exactly one premise is expected")
    premise: Tree = premises[0]
    return premise


def pair(node: Tree, *, release: bool = True) -> tuple[Privacy, Privacy]:
    """A privacy fact and its only premise's, which speak of the same thing."""
    new, old = read_privacy(node), read_privacy(only_premise(node))
    require((new.unit, new.part) == (old.unit, old.part), "the scope differs from the premise's")
    require(not release or new.release == old.release, "the release differs from the premise's")
    return new, old
