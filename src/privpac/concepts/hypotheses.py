"""Reading stored hypotheses: one table from `kind` to the class that wrote it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from privpac.concepts.base import Hypothesis
from privpac.concepts.code_sets import CodeSet
from privpac.concepts.conjunctions import Conjunction, Disjunction
from privpac.concepts.finite import Lookup
from privpac.concepts.halfspace import Halfspace
from privpac.concepts.hashed_sets import HashedSet
from privpac.concepts.intervals import Interval
from privpac.concepts.keyed_sets import KeyedSet
from privpac.concepts.lists import DecisionList
from privpac.concepts.no_answer import NoAnswer
from privpac.concepts.points import Point
from privpac.concepts.predicates import Predicate
from privpac.concepts.rectangles import Box
from privpac.concepts.scorecard import Scorecard
from privpac.concepts.sparse_sets import SparseSet
from privpac.concepts.stumps import Constant, Match
from privpac.concepts.thresholds import Threshold
from privpac.concepts.tree import Tree
from privpac.concepts.unions import Union
from privpac.errors import NotCertified

__all__ = ["KINDS", "hypothesis_from_json"]

KINDS: Mapping[str, Callable[[Mapping[str, Any]], Hypothesis]] = {
    "box": Box.from_json,
    "code-set": CodeSet.from_json,
    "conjunction": Conjunction.from_json,
    "constant": Constant.from_json,
    "disjunction": Disjunction.from_json,
    "hashed-set": HashedSet.from_json,
    "halfspace": Halfspace.from_json,
    "interval": Interval.from_json,
    "keyed-set": KeyedSet.from_json,
    "list": DecisionList.from_json,
    "lookup": Lookup.from_json,
    "match": Match.from_json,
    "no-answer": NoAnswer.from_json,
    "point": Point.from_json,
    "predicate": Predicate.from_json,
    "scorecard": Scorecard.from_json,
    "sparse-set": SparseSet.from_json,
    "threshold": Threshold.from_json,
    "tree": Tree.from_json,
    "union": Union.from_json,
}


def hypothesis_from_json(tree: Mapping[str, Any]) -> Hypothesis:
    """The rule, exactly as it was written: a field more or another type of number is refused."""
    kind = tree.get("kind") if isinstance(tree, Mapping) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise NotCertified(
            f"The model holds a hypothesis of kind {str(kind)[:60]!r}, which this version does not know."
        )
    try:
        return KINDS[kind](tree)
    except ValueError:  # what `fields` refuses, and values that a rule cannot have
        raise NotCertified(f"The model's {kind} is incomplete or malformed.") from None
