"""What a certified release costs in rho: read off the derivation of its privacy, with a derivation of its own.

A certificate says what is promised as (epsilon, delta). What it costs a ledger that adds rho follows from *why* that
holds: one exponential draw costs epsilon²/8, a release of which only epsilon is known epsilon·tanh(epsilon/2), and so
on through every step. Nothing is stored: the tests read the same number off a stored derivation.

The bad event of the price is that of the certificate: wherever a step has a delta, the price is that of its epsilon, or
the sum of what it is made of. Hence a ledger may hold a release against its epsilons or its rhos.
Proof: docs/proofs/concentrated.md.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import cast

from privpac.guarantee import rules
from privpac.guarantee.facts import Concentrated, Privacy, Range, Release
from privpac.guarantee.proof import Proof
from privpac.guarantee.rules.concentrated import DRAWS

__all__ = ["concentrated_price", "range_of"]

_THROUGH = ("declared", "assuming", "on-part", "post-processing")
"""Rules that keep a range: what they promise is no more than their premise does."""


def concentrated_price(proof: Proof[Privacy]) -> Proof[Concentrated]:
    """The cheapest price that the derivation shows: by its last step, or by its epsilon alone.

    >>> from fractions import Fraction
    >>> concentrated_price(rules.exponential_mechanism(ratio=Fraction(3, 5))).fact.rho < Fraction(131, 1000)
    True
    """
    alone = rules.pure_concentrated(proof)
    way = _BY_RULE.get(proof.rule)
    price = None if way is None else way(proof)
    return price if price is not None and price.fact.rho <= alone.fact.rho else alone


Price = Proof[Concentrated]


def _premise(proof: Proof[Privacy], index: int = 0) -> Proof[Privacy]:
    return cast(Proof[Privacy], proof.premises[index])


def _all(proof: Proof[Privacy]) -> list[Price]:
    return [concentrated_price(_premise(proof, i)) for i in range(len(proof.premises))]


def _draw(proof: Proof[Privacy]) -> Price:
    return rules.range_concentrated(rules.draw_range(proof))


def range_of(proof: Proof[Privacy]) -> Proof[Range] | None:
    """The range of the draw this is computed from, given what was assumed on the way; None if it is no single stage
    of exponential draws."""
    texts: list[str] = []
    while proof.rule in _THROUGH:
        texts += proof.assumes
        proof = _premise(proof)
    if proof.rule not in DRAWS:
        return None
    range_ = rules.draw_range(proof)
    for text in reversed(texts):
        range_ = rules.assuming(range_, text)
    return range_


def _post_processing(proof: Proof[Privacy]) -> Price:
    inner = concentrated_price(_premise(proof))
    release = Release(str(proof.where["release"]))
    return rules.concentrated_post_processing(inner, what=str(proof.where["what"]), release=release)


def _on_part(proof: Proof[Privacy]) -> Price:
    return rules.concentrated_on_part(concentrated_price(_premise(proof)), part=str(proof.where["part"]))


def _k_fold(proof: Proof[Privacy]) -> Price | None:
    """Without a delta it is the sum; with one, another price than that of its epsilon has another bad event."""
    if proof.fact.delta:
        return None
    return rules.concentrated_sum(concentrated_price(_premise(proof)), times=int(proof.where["times"]))


def _group(proof: Proof[Privacy]) -> Price | None:
    if proof.fact.delta:
        return None
    return rules.concentrated_group(concentrated_price(_premise(proof)), size=int(proof.where["size"]))


def _subsampling(proof: Proof[Privacy]) -> Price | None:
    inner = range_of(_premise(proof))
    if inner is None:
        return None
    kept, of = int(proof.where["kept"]), int(proof.where["of"])
    return rules.subsampled_concentrated(inner, kept=kept, of=of)


def _noise(proof: Proof[Privacy]) -> Price | None:
    """What the caller knows about single counts, else the worst split of a change of 1 or 2."""
    if proof.beside:
        return cast(Price, proof.beside[0])
    change = int(proof.where["change"])
    return rules.noise_concentrated(proof, largest=change) if change <= 2 else None


def _rounds(proof: Proof[Privacy]) -> Price:
    """Each round is one exponential draw, given what earlier ones released: prices of rounds add up."""
    where, fact = proof.where, proof.fact
    one = rules.exponential_mechanism(
        ratio=Fraction(str(where["ratio"])),
        sensitivity=2 * int(where["cap"]),
        unit=fact.unit,
        part=fact.part,
        release=fact.release,
    )
    return rules.concentrated_sum(_draw(one), times=int(where["rounds"]))


_BY_RULE: dict[str, Callable[[Proof[Privacy]], Price | None]] = {
    **dict.fromkeys(DRAWS, _draw),
    "declared": lambda proof: concentrated_price(_premise(proof)),
    "assuming": lambda proof: rules.assuming(concentrated_price(_premise(proof)), proof.assumes[0]),
    "post-processing": _post_processing,
    "on-part": _on_part,
    "sequential": lambda proof: rules.concentrated_sum(*_all(proof)),
    "disjoint-parts": lambda proof: rules.concentrated_parts(*_all(proof)),
    "group": _group,
    "k-fold-composition": _k_fold,
    "subsampling-without-replacement": _subsampling,
    "geometric-noise": _noise,
    "weighted-rounds": _rounds,
}
