"""The three questions, answered by certificates alone: what is not certified is not in a plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privpac.errors import SizeError
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Against
from privpac.numbers.exact import first_whole, read_number
from privpac.numbers.search import first_by_value
from privpac.planning.ways import Way, queries_of

__all__ = ["SETTINGS", "Promise", "fewest_records", "promise", "smallest_epsilon", "smallest_error"]

SETTINGS = ("realizable", "agnostic")

HOPELESS = 10**10
"""Records beyond which a way that still promises nothing is given up."""

LARGEST_EPSILON = 50
"""e^50: nothing is protected any more, so that no search for an epsilon goes further."""

FAR = 128

ANY_ERROR = Fraction(1, 4)
"""What a word that names an error is tried with where none is asked for."""


@dataclass(frozen=True)
class Promise:
    """What a certificate says of errors in one setting."""

    error: Fraction
    proper: bool
    theorem: str
    """Key of the statement in the register."""
    learner: str
    """The name of the learner, as certificates have it."""
    delta: Fraction
    grid: str = ""
    """What the rules lie on, and how far others may be from them; empty where no cell is left out."""


def promise(way: Way, setting: str, records: int, epsilon: Fraction, error: Fraction) -> Promise | None:
    """The error that this many records are certified to reach; None where nothing is."""
    certificate = way.certificate(records, epsilon, error)
    if certificate is None or not _is_dense_enough(way, certificate):
        return None
    learner = str(certificate.learner["name"]).replace(" ", "-")
    if learner == "occam" and not way.planned.drawn:
        return None
    delta, failure = certificate.privacy.fact.delta, way.question.asked.failure
    grid = str(certificate.learner.get("grid", ""))
    if way.question.asked.release:
        for answers in certificate.answers if setting == "agnostic" else ():
            fact = answers.fact
            if fact.queries is queries_of(way.question) and fact.failure <= failure and fact.error < 1:
                return Promise(fact.error, True, answers.rule, learner, delta)
        return None
    against: dict[str, Promise] = {}
    for proof in certificate.accuracy:
        known = against.get(proof.fact.rivals)
        if (
            proof.fact.against is not Against(setting)
            or proof.fact.failure > failure
            or proof.fact.error >= 1
        ):
            continue
        if known is None or proof.fact.error < known.error:
            found = Promise(proof.fact.error, proof.fact.proper, proof.rule, learner, delta, grid)
            against[proof.fact.rivals] = found
    # Against most rivals, where there are several classes of them.
    return max(against.values(), key=lambda one: one.error, default=None)


def _is_dense_enough(way: Way, certificate: Certificate) -> bool:
    """Whether continuous features may have the density that was asked for."""
    kappa = way.question.kappa
    return kappa is None or read_number(certificate.learner["kappa"]) >= kappa


def fewest_records(
    way: Way, setting: str, error: Fraction, epsilon: Fraction, *, most: int = HOPELESS
) -> int | None:
    """The fewest records that are certified to be enough; None if no number up to about `most` is."""

    def value(n: int) -> float:
        reached = promise(way, setting, n, epsilon, error)
        if reached is None and (n > most or _is_silent(way, setting, n, epsilon, error)):
            raise SizeError("So many records prove nothing.")
        return math.inf if reached is None else float(reached.error)

    def enough(n: int) -> bool:
        reached = promise(way, setting, n, epsilon, error)
        return reached is not None and reached.error <= error

    start = int(30 / (error * min(epsilon, Fraction(2))))
    try:
        while math.isinf(value(start)):
            start = start * 5 // 4 if way.protects == "predictions" else start * 2
        near = first_by_value(value, float(error), start=start, owner="plan")
    except SizeError:
        return None
    return first_whole(enough, start=near, smallest=1, step=near // 8192 + 1)


def _is_silent(way: Way, setting: str, n: int, epsilon: Fraction, error: Fraction) -> bool:
    """Whether a way that already proved something for far fewer records, if some rule never errs, still says nothing
    of other records: then it never will."""
    few = n // FAR
    return setting == "agnostic" and few > 0 and promise(way, "realizable", few, epsilon, error) is not None


def smallest_error(way: Way, setting: str, records: int, epsilon: Fraction) -> Fraction | None:
    """The error that is certified; of a word that names an error the smallest of two digits that it keeps."""
    if not way.planned.aims:
        reached = promise(way, setting, records, epsilon, ANY_ERROR)
        return None if reached is None or reached.error >= Fraction(1, 2) else reached.error

    def keeps(error: Fraction) -> bool:
        reached = promise(way, setting, records, epsilon, error)
        return reached is not None and reached.error <= error

    return _first(_digits(2, Fraction(1, 2)), keeps)


def smallest_epsilon(way: Way, setting: str, error: Fraction, records: int) -> Fraction | None:
    """The smallest epsilon of four digits that is certified to be enough."""

    def enough(epsilon: Fraction) -> bool:
        reached = promise(way, setting, records, epsilon, error)
        return reached is not None and reached.error <= error

    coarse = _first(_digits(2, Fraction(LARGEST_EPSILON)), enough)
    if coarse is None:
        return None
    step = Fraction(10) ** (math.floor(math.log10(coarse)) - 1)
    finer = [coarse - step + Fraction(k, 100) * step for k in range(1, 101)]
    return _first([trial for trial in finer if trial > 0], enough)


def _first(row: Sequence[Fraction], meets: Callable[[Fraction], bool]) -> Fraction | None:
    """The first of a row of ever easier trials that meets a goal; None if none does."""
    if not meets(row[-1]):
        return None
    low, high = -1, len(row) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if meets(row[middle]) else (middle, high)
    return row[high]


@lru_cache(maxsize=4)
def _digits(count: int, end: Fraction) -> Sequence[Fraction]:
    """All numbers of so many digits from 0.001 up to, not including, an end."""
    first = 10 ** (count - 1)
    row = [
        Fraction(k) * Fraction(10) ** power
        for power in range(-2 - count, 3 - count)
        for k in range(first, 10 * first)
    ]
    return [number for number in row if number < end]
