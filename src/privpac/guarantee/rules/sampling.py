"""Sampling: running on some of the records, picked by coins, loses less than running on all of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from privpac.guarantee.facts import Loss, Privacy
from privpac.guarantee.proof import ONE, SEAL, Proof, need, need_record, need_secret, power, rational
from privpac.numbers.exact import shortened

__all__ = ["sampling_with_replacement", "subsampling"]


def subsampling(premise: Proof[Privacy], *, kept: int, of: int) -> Proof[Privacy]:
    """Run on a uniform `kept`-subset, in uniformly random order: e^eps' = 1 + q(e^eps - 1), delta' = q·delta.

    Source: Beimel–Nissim–Stemmer Claim 4.3 and Dagan–Feldman L5, with the tight constant; register
    `subsampling-without-replacement`. Refused unless whole records are protected: where only labels are, features may
    tell which records were kept. Holds if the kept records are shuffled (or the inner run ignores order).
    """
    rule = "subsampling-without-replacement"
    need(rule, 1 <= kept <= of, "the number kept must lie between 1 and the number of records")
    q = Fraction(kept, of)
    old = premise.fact
    need_record(rule, old)
    need_secret(rule, old)
    factor = shortened(1 + q * (rational(rule, old.epsilon) - 1))
    fact = replace(old, epsilon=Loss(factor=factor), delta=shortened(q * old.delta))
    return Proof(fact, rule, (premise,), {"kept": kept, "of": of}, seal=SEAL)


def sampling_with_replacement(premise: Proof[Privacy], *, draws: int, of: int) -> Proof[Privacy]:
    """Run on `draws` independent uniform records of `of`: e^eps' = (1 + (e^eps - 1)/of)^draws.

    delta' = delta·(e^eps' - 1)/(e^eps - 1). Source: Beimel–Nissim–Stemmer Claim 4.5 and Li–Wang–Ye L21, tight
    constant; register `sampling-with-replacement`. Refused unless whole records are protected, as `subsampling`.
    """
    rule = "sampling-with-replacement"
    need(rule, draws >= 1 and of >= 1, "the numbers of draws and of records must be positive")
    old = premise.fact
    need_record(rule, old)
    need_secret(rule, old)
    inner = rational(rule, old.epsilon)
    factor = power(rule, 1 + (inner - 1) / of, draws)
    scale = Fraction(draws, of) if inner == 1 else (factor - 1) / (inner - 1)
    delta = shortened(min(ONE, old.delta * scale))
    fact = Privacy(Loss(factor=factor), delta, old.unit, old.part, old.release)
    return Proof(fact, rule, (premise,), {"draws": draws, "of": of}, seal=SEAL)
