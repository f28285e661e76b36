"""Reading stored hypotheses: the class that wrote a `kind` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privpac.concepts.base import Hypothesis
from privpac.concepts.catalogue import StoredRule, stored_rules
from privpac.errors import NotCertified

__all__ = ["KINDS", "hypothesis_from_json"]

KINDS: Mapping[str, StoredRule] = stored_rules()
"""The closed list of what a file may hold."""


def hypothesis_from_json(tree: Mapping[str, Any]) -> Hypothesis:
    """The rule, exactly as it was written: a field more or another type of number is refused."""
    kind = tree.get("kind") if isinstance(tree, Mapping) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise NotCertified(
            f"The model holds a hypothesis of kind {str(kind)[:60]!r}, which this version does not know."
        )
    try:
        return KINDS[kind].from_json(tree)
    except ValueError:  # what `fields` refuses, and values that a rule cannot have
        raise NotCertified(f"The model's {kind} is incomplete or malformed.") from None
