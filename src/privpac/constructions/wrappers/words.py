"""Words for learners around learners: `subsampled:WORD`, `confident:WORD`, `agnostic:WORD`.

Each may name a number before the word; without one it follows from the number of records, epsilon and the schema. What
is promised to people is what was asked for: the epsilon of the learner inside is the largest that keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import count
from math import ceil, exp, log

from privpac.constructions.base import Learner
from privpac.constructions.request import OWNER, Naming, Planned, Request, Word, inner_word
from privpac.constructions.wrappers.calibrate import (
    best_split,
    calibrate,
    calibrate_agnostic,
    relabelled_records,
)
from privpac.constructions.wrappers.confidence import Confidence
from privpac.constructions.wrappers.sampling import Resampled, Subsampled
from privpac.constructions.wrappers.transform import Empirical
from privpac.data.sample import Size
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.facts import Against
from privpac.numbers.exact import plain

__all__ = ["WORDS"]

PLACE = 70

HELD_SHARES = tuple(Fraction(k, 8) for k in (1, 2, 3, 4))
"""Shares of the records that may pick among the answers; that which promises most is taken."""

MOST_EPSILON = 50
"""e^50: nothing is protected any more, and nothing is left to be split."""

MOST_RUNS = 50
"""Answers to pick from, at most: a learner that fails nearly always is not worth more of them."""


def _records(request: Request, form: str, *, least: int) -> int:
    """How many records there are; refused if these are too few for any setting."""
    if request.size.labelled < least:
        raise SizeError(f"{form} needs at least {least} labelled records.")
    return request.size.labelled


def _within(request: Request, kept: int, epsilon: Fraction, delta: Fraction) -> Request:
    """What is asked of the learner inside. A delta near its epsilon would leave nothing of that to draw with, and while
    the largest epsilon is looked for, small ones are tried."""
    return request.inside(kept, epsilon, min(delta, epsilon / 4))


def _empirical(make: Callable[[Fraction], Learner], delta: Fraction, records: int) -> Learner:
    """The learner of this delta, if it is proved to follow the very records it is given; otherwise it gets independent
    draws of them, of which its promise for a distribution speaks. These lose a little more of delta: half is left."""
    learner = make(delta)
    return learner if isinstance(learner, Empirical) else Resampled(make(delta / 2), records)


def _subsampling(request: Request, rest: str, naming: Naming) -> Learner:
    form = "subsampled:WORD or subsampled:KEPT:WORD"
    number, word = inner_word(rest, form)
    n = _records(request, form, least=1)
    kept = number or max(1, n // 2)
    if kept > n:
        raise SizeError(
            f"subsampled:{kept}:WORD keeps more records than there are.", remedy="Name a smaller number."
        )
    target, delta, more = request.per_record, request.delta_per_record, n / kept
    # ln(1 + more·(e^target - 1)), which is the inner epsilon but for rounding
    start = target + Fraction(log(more - (more - 1) * exp(-target)))

    def around(epsilon: Fraction) -> Learner:
        return Subsampled(naming(word, _within(request, kept, epsilon, delta * n / kept)), kept)

    return calibrate(around, size=Size(n), epsilon=target, delta=delta, start=start)


def _agnostic(request: Request, rest: str, naming: Naming) -> Learner:
    form = "agnostic:WORD or agnostic:KEPT:WORD"
    number, word = inner_word(rest, form)
    request.refuse_costs("agnostic:WORD")
    request.require_two_classes("agnostic")
    _refuse_reference(word)
    n = _records(request, form, least=2)
    if number is not None and number >= n:
        raise SizeError(f"agnostic:{number}:WORD leaves nobody to vote.", remedy="Name a smaller number.")

    size, epsilon, delta = Size(n), request.per_record, request.delta_per_record
    if epsilon > MOST_EPSILON:
        raise ParameterError(
            "agnostic:WORD",
            "epsilon",
            plain(epsilon),
            allowed=f"at most {MOST_EPSILON} per record",
            remedy="So large an epsilon protects nobody: learn WORD itself.",
        )
    least = ceil(1 / best_split(epsilon).share)
    if number is None and n < least:
        raise SizeError(
            f"{form} needs at least {least} records at this epsilon, so that one of them can be relabelled.",
            remedy="Bring more, or ask for a larger epsilon.",
        )
    kept = number or relabelled_records(size, epsilon=epsilon)
    half = request.asking(failure=request.failure / 2)  # vote and learner may fail, both

    def inside(inner: Fraction) -> Learner:
        def make(epsilon: Fraction) -> Learner:
            return naming(word, _within(half, kept, inner, epsilon))

        return _empirical(make, delta * n / kept, kept)

    return calibrate_agnostic(
        inside, size=size, epsilon=epsilon, delta=delta, kept=number, failure=half.failure
    )


def _refuse_reference(word: str) -> None:
    """A cover of a reference promises for densities only, and draws from relabelled records have none."""
    if word.partition(":")[0] == "reference":
        raise ParameterError(
            OWNER,
            "word",
            f"agnostic:{word}",
            allowed="agnostic: and a word that promises for every distribution, not for some densities only",
            remedy="For noisy labels write reference:COLUMN:agnostic.",
        )


def _confident(request: Request, rest: str, naming: Naming) -> Learner:
    form = "confident:WORD or confident:RUNS:WORD"
    number, word = inner_word(rest, form)
    request.refuse_costs("confident:WORD")
    n, epsilon = _records(request, form, least=2), request.per_record

    def around(share: Fraction) -> Confidence | None:
        rest = max(1, int(share * n))
        runs = number or _runs_of(naming, word, request, n - rest)
        block = (n - rest) // runs
        if block < 1:
            return None
        inside = naming(word, request.inside(block, epsilon, request.delta_per_record))
        return Confidence(inside, runs, rest, epsilon, failure=request.failure / 2)

    learners = [learner for share in HELD_SHARES if (learner := around(share)) is not None]
    if not learners:
        raise SizeError(f"{form}: there are fewer records than runs.", remedy="Name fewer runs.")
    return min(learners, key=lambda learner: _error_of(learner, Size(n)))


def _runs_of(naming: Naming, word: str, request: Request, n: int) -> int:
    """So many that all of them fail with at most half of the failure; two where nothing is promised."""
    inner = naming(word, request.inside(n, request.per_record, request.delta_per_record))
    try:
        failures = [proof.fact.failure for proof in inner.certify(Size(n)).accuracy]
    except SizeError:
        failures = []
    failure = max(failures, default=request.failure)
    return next(runs for runs in count(2) if runs >= MOST_RUNS or failure**runs <= request.failure / 2)


def _error_of(learner: Learner, size: Size) -> Fraction:
    """The error that is promised where some rule makes none; 1 if nothing is, 2 if so few records are refused."""
    try:
        proofs = learner.certify(size).accuracy
    except (ParameterError, SizeError):
        return Fraction(2)
    errors = (proof.fact.error for proof in proofs if proof.fact.against is Against.REALIZABLE)
    return min(errors, default=Fraction(1))


WORDS: Mapping[str, Word] = {
    "agnostic": Word(
        "agnostic:WORD",
        "what WORD names, from labels that most records vote on: for noisy labels",
        _agnostic,
        transforms=True,
        planned=(
            Planned("agnostic:{word}", "most records vote on labels of the others, one draw follows them"),
        ),
    ),
    "subsampled": Word(
        "subsampled:WORD",
        "what WORD names, from a random half of the records (or subsampled:KEPT:WORD)",
        _subsampling,
        many_classes=True,
        transforms=True,
    ),
    "confident": Word(
        "confident:WORD",
        "the best of several rules that WORD names, by records of its own: fails less often",
        _confident,
        many_classes=True,
        transforms=True,
    ),
}
