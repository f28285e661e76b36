"""Learners of points: what they lose beyond plain draws, and how right they are."""

from __future__ import annotations

from fractions import Fraction

from privpac.constructions.points.cover_formulas import Cover, proves_cover
from privpac.constructions.points.formulas import Clip, loss_clipped, proves_clipped
from privpac.constructions.points.representation_formulas import Code, proves_code
from privpac.constructions.points.sampled_formulas import (
    Boost,
    Draw,
    loss_sampled,
    loss_star,
    proves_boosted,
    proves_sampled,
)
from privpac.constructions.points.sparse_formulas import Sparsity, proves_sparse
from privpac.guarantee.facts import Accuracy, Against, Loss, Privacy
from privpac.guarantee.proof import ONE, SEAL, Proof, Value, need, need_small, parameters
from privpac.numbers.exact import about_log, written
from privpac.numbers.primes import prime_from

__all__ = [
    "boosted_points",
    "clipped_points",
    "clipped_points_accuracy",
    "pairwise_cover",
    "reed_solomon_points",
    "sampled_point",
    "sampled_point_accuracy",
    "sparse_sets_accuracy",
    "star_entries",
]

_UNPROVED = "the bound is larger than the failure probability asked for"


def _accurate(error: Fraction, failure: Fraction, records: int, *, proper: bool = False) -> Accuracy:
    return Accuracy(error, failure, Against.REALIZABLE, records, proper)


def _need_promise(rule: str, error: Fraction, failure: Fraction, records: int) -> None:
    need(rule, 0 < error < 1 and 0 < failure < 1, "error and failure must lie in (0, 1)")
    need(rule, records >= 0, "the number of records must not be negative")


def _need_clip(rule: str, domain: int, clip: Clip) -> None:
    need(rule, domain >= 2, "there must be two values at least")
    need(rule, 0 < clip.ratio < 1, "the ratio must lie in (0, 1)")
    need(rule, 1 <= clip.margin <= clip.threshold, "the margin must lie between 1 and the threshold")


def clipped_points(*, domain: int, clip: Clip) -> Proof[Privacy]:
    """A point drawn by its clipped margin loses e^epsilon = (1/r)·(T - 1 + W)/(T - 1 + W·r).

    Register `clipped-points`. Holds if the parameters are public and class-0 records are not looked at (assumed of the
    caller).
    """
    rule = "clipped-points"
    _need_clip(rule, domain, clip)
    need_small(rule, (clip.surplus + 2) * about_log(1 / clip.ratio))
    fact = Privacy(Loss(factor=loss_clipped(domain, clip=clip)))
    return Proof(fact, rule, where=_clip(domain, clip), seal=SEAL)


def _clip(domain: int, clip: Clip) -> dict[str, Value]:
    return parameters(domain=written(domain), **vars(clip))


def clipped_points_accuracy(
    *, domain: int, clip: Clip, records: int, error: Fraction, failure: Fraction
) -> Proof[Accuracy]:
    """The clipped choice errs by more than `error` with probability at most `failure` if one value carries class 1.

    Register `clipped-points-accuracy`. Holds for independent records.
    """
    rule = "clipped-points-accuracy"
    _need_promise(rule, error, failure, records)
    _need_clip(rule, domain, clip)
    need(rule, proves_clipped(records, domain=domain, error=error, failure=failure, clip=clip), _UNPROVED)
    fact = _accurate(error, failure, records, proper=True)
    return Proof(fact, rule, where={**_clip(domain, clip), "records": records}, seal=SEAL)


def sparse_sets_accuracy(
    *, sparsity: Sparsity, records: int, error: Fraction, failure: Fraction
) -> Proof[Accuracy]:
    """A set drawn cell by cell errs by more than `error` with probability at most `failure` if one value carries
    class 1. Register `sparse-sets-accuracy`. Holds for independent records."""
    rule = "sparse-sets-accuracy"
    _need_promise(rule, error, failure, records)
    need(rule, 0 < sparsity.flip < 1 and 0 < sparsity.ratio < 1, "flip and ratio must lie in (0, 1)")
    need(rule, proves_sparse(records, error=error, failure=failure, sparsity=sparsity), _UNPROVED)
    where = parameters(**vars(sparsity), records=records)
    return Proof(_accurate(error, failure, records), rule, where=where, seal=SEAL)


def reed_solomon_points(
    *,
    domain: int,
    code: Code,
    tolerated: Fraction,
    ratio: Fraction,
    records: int,
    error: Fraction,
    failure: Fraction,
) -> Proof[Accuracy]:
    """A set of the code drawn at `ratio` a mistake errs by more than `error` with probability at most `failure`.

    Register `reed-solomon-points`. Holds for independent records, every target and every distribution.
    """
    rule = "reed-solomon-points"
    _need_promise(rule, error, failure, records)
    need(rule, 0 < ratio < 1, "the ratio must lie in (0, 1)")
    need(rule, code.prime >= 2 and prime_from(code.prime) == code.prime, "a code stands over a prime")
    need(rule, code.digits >= 2, "one digit is no code: points are drawn themselves")
    need(
        rule,
        code.prime >= 2 and prime_from(code.prime) == code.prime,
        "a field has a prime number of elements",
    )
    need(rule, 1 <= domain <= code.prime**code.digits, "the code has no room for the domain")
    holds = proves_code(records, code=code, tolerated=tolerated, error=error, failure=failure, ratio=ratio)
    need(rule, holds, _UNPROVED)
    where = parameters(
        domain=written(domain), **vars(code), tolerated=tolerated, ratio=ratio, records=records
    )
    return Proof(_accurate(error, failure, records), rule, where=where, seal=SEAL)


def pairwise_cover(
    *, cover: Cover, good: int, ratio: Fraction, records: int, error: Fraction, failure: Fraction
) -> Proof[Accuracy]:
    """One of this many random sets drawn at `ratio` a mistake errs by more than `error` with probability at most
    `failure`, the luck of the keys included.

    Register `pairwise-cover`. Holds for independent records, and keys drawn without a look at them (assumed of the
    caller).
    """
    rule = "pairwise-cover"
    _need_promise(rule, error, failure, records)
    need(rule, 0 < ratio < 1 and 0 < cover.share < 1, "ratio and share must lie in (0, 1)")
    need(rule, 1 <= good <= cover.keys, "the number of good sets must lie between 1 and the keys")
    holds = proves_cover(records, cover=cover, good=good, error=error, failure=failure, ratio=ratio)
    need(rule, holds, _UNPROVED)
    where = parameters(**vars(cover), good=good, ratio=ratio, records=records)
    return Proof(_accurate(error, failure, records), rule, where=where, seal=SEAL)


def star_entries(*, rate: Fraction, spread: Fraction) -> Proof[Privacy]:
    """Records kept with probability `rate` each and starred otherwise: (1 - p + p·c)/(1 - p + p/c), c = `spread`.

    Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Lemma 4.4; register `star-entries`. Holds if a star in place of
    one record changes every probability by a factor between 1/spread and spread (assumed of the caller).
    """
    rule = "star-entries"
    need(rule, 0 <= rate <= 1, "the rate must lie in [0, 1]")
    need(rule, spread >= 1, "the spread must be at least 1")
    fact = Privacy(Loss(factor=loss_star(rate=rate, spread=spread)))
    return Proof(fact, rule, where={"rate": written(rate), "spread": written(spread)}, seal=SEAL)


def sampled_point(*, rate: Fraction, fail: Fraction, spread: Fraction) -> Proof[Privacy]:
    """The sampled learner with a failure outcome: the larger of 1 + p(1 - fail)/fail and 1 + p·c/(1 - p).

    Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Claim 4.3; register `sampled-point`. Holds if one more record
    looked at multiplies the probability of an answer by at most `spread`, and can only add to "no answer" (assumed of
    the caller).
    """
    rule = "sampled-point"
    need(rule, 0 < rate < 1 and 0 < fail < 1, "rate and fail must lie in (0, 1)")
    need(rule, spread >= 1, "the spread must be at least 1")
    fact = Privacy(Loss(factor=loss_sampled(rate=rate, fail=fail, spread=spread)))
    return Proof(fact, rule, where=parameters(rate=rate, fail=fail, spread=spread), seal=SEAL)


def sampled_point_accuracy(
    *, draw: Draw, fail: Fraction, light: Fraction, records: int, error: Fraction, failure: Fraction
) -> Proof[Accuracy]:
    """One sampled run errs by more than `error` with probability at most fail + (1 - p·x)^n + f + f/(error - x).

    Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Claim 4.3; register `sampled-point-accuracy`. Holds for
    independent records and pairwise independent cells (for keyed sets: assume it).
    """
    rule = "sampled-point-accuracy"
    _need_promise(rule, error, failure, records)
    need(rule, 0 < draw.rate <= 1 and 0 < draw.flip < 1, "rate and flip must lie in (0, 1)")
    need(rule, 0 <= fail < 1 and 0 < light < error, "fail or light is out of range")
    holds = proves_sampled(records, draw=draw, light=light, error=error, failure=failure, fail=fail)
    need(rule, holds, _UNPROVED)
    where = parameters(**vars(draw), fail=fail, light=light, records=records)
    return Proof(_accurate(error, failure, records), rule, where=where, seal=SEAL)


def boosted_points(
    run: Proof[Accuracy], *, boost: Boost, ratio: Fraction, tilt: Fraction, error: Fraction, failure: Fraction
) -> Proof[Accuracy]:
    """Of `runs` runs one is chosen at `ratio` a mistake: bad with probability at most g^N + (N - 1)·base^n.

    Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Claim 4.5, repaired; register `boosted-points`. Holds for
    independent records and parts fixed beforehand (assumed of the caller).
    """
    rule = "boosted-points"
    _need_promise(rule, error, failure, boost.records)
    one = run.fact
    need(rule, one.against is Against.REALIZABLE, "the runs must be compared with a rule without errors")
    need(rule, one.records == boost.each and one.error <= boost.tolerated, "the premise is about other runs")
    need(rule, 0 < ratio <= tilt < ONE, "the tilt must lie between the ratio and 1")
    holds = proves_boosted(boost, missed=one.failure, ratio=ratio, tilt=tilt, error=error, failure=failure)
    need(rule, holds, _UNPROVED)
    where = parameters(
        runs=boost.runs,
        selecting=boost.selecting,
        tolerated=boost.tolerated,
        ratio=ratio,
        tilt=tilt,
        records=boost.records,
    )
    return Proof(_accurate(error, failure, boost.records), rule, (run,), where, seal=SEAL)
