"""Facts by part: what is promised to labelled, unlabelled, queried and unqueried people apart.

A certificate promises the worst of its parts to everybody. Whoever knows to which part she belongs may read the finer
number below: the premises of the rule `disjoint-parts`, on which the headline rests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privpac.guarantee.facts import Privacy, fact_from_json
from privpac.guarantee.proof import Proof

__all__ = ["LABELLED", "QUERIED", "UNLABELLED", "UNQUERIED", "parts_of", "proofs_by_part"]

LABELLED, UNLABELLED = "labelled part", "unlabelled part"
QUERIED, UNQUERIED = "queried part", "unqueried part"

_WEAKER = ("declared", "assuming", "post-processing")
"""Rules that promise no more than their premise, so that facts below them still hold. The group rule is not among them:
the records of one person may lie in several parts."""


def proofs_by_part(proof: Proof[Privacy]) -> dict[str, Proof[Privacy]]:
    """The proofs of the parts, to build on; empty if the derivation does not tell parts apart."""
    inner: Proof[Any] = proof
    while inner.rule in _WEAKER:
        inner = inner.premises[0]
    premises: tuple[Proof[Any], ...] = inner.premises if inner.rule == "disjoint-parts" else ()
    return {premise.fact.part: premise for premise in premises}


def parts_of(derivation: Mapping[str, Any]) -> dict[str, Privacy]:
    """The fact of every part of a stored derivation, in its order; empty if it does not tell parts apart."""
    while derivation["rule"] in _WEAKER:
        derivation = derivation["premises"][0]
    if derivation["rule"] != "disjoint-parts":
        return {}
    facts = [fact_from_json(premise["fact"]) for premise in derivation["premises"]]
    return {fact.part: fact for fact in facts if isinstance(fact, Privacy)}
