"""Reading stored hypotheses: the class that wrote a `kind` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from privpac.concepts.base import Hypothesis
from privpac.concepts.catalogue import StoredRule, imported_rules, stored_rules
from privpac.errors import NotCertified

__all__ = ["hypothesis_from_json", "kinds"]


@cache
def kinds() -> Mapping[str, StoredRule]:
    """The closed list of what a file may hold."""
    return stored_rules()


def _reader(kind: str) -> StoredRule | None:
    """What reads this kind. Most files hold a tree or a card, which a model knows of: importing every class that could
    have been meant takes longer than reading and answering does."""
    return imported_rules().get(kind) or kinds().get(kind)


def hypothesis_from_json(tree: Mapping[str, Any]) -> Hypothesis:
    """The rule, exactly as it was written: a field more or another type of number is refused."""
    kind = tree.get("kind") if isinstance(tree, Mapping) else None
    reader = _reader(kind) if isinstance(kind, str) else None
    if reader is None:
        raise NotCertified(
            f"The model holds a hypothesis of kind {str(kind)[:60]!r}, which this version does not know."
        )
    try:
        return reader.from_json(tree)
    except ValueError:  # what `fields` refuses, and values that a rule cannot have
        raise NotCertified(f"The model's {kind} is incomplete or malformed.") from None
