"""What is wrong in print about points, shown: each test is a counterexample or an exact value."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from privpac.audit.exact import audit
from privpac.checker import directed
from privpac.concepts.sets.hashes import HashFamily
from privpac.constructions.points.sampled import StarLoss
from privpac.theory.floors import floor_points_proper
from privpac.theory.statements import REGISTER
from tests.exact.mutants.points import keys_by_rejection, one_sided_without_failure


def test_the_printed_weight_of_unseen_points_vanishes_once_there_are_as_many_records_as_points() -> None:
    """Lemma 3.4: T - m instead of T - distinct. T = 2 records of 2 values, against two equal ones: 0 / positive."""
    points, records = 2, 2
    assert (
        points - records == 0
    )  # an unseen value has printed weight 0, though it has probability when it is seen
    assert "infinite" in (REGISTER["points-outside-count"].erratum or "")


def test_mass_exactly_error_is_still_accepted() -> None:
    """Lemma 3.9: with mass exactly `error` on i, answering any third point errs by `error`, which PAC allows.

    So a learner that looks at no record has failure 0 on the printed family, where the bound asks for hundreds.
    """
    error, points = Fraction(1, 10), 5
    for i in range(1, points):
        masses = {0: 1 - error, i: error}
        third = next(j for j in range(1, points) if j != i)
        wrong = sum(mass for x, mass in masses.items() if (x == i) != (x == third))
        assert wrong == error  # not above it
    assert floor_points_proper(2**16, error="0.1", failure="0.05", epsilon=1) == 182
    assert "exactly" in (REGISTER["floor-points-proper"].erratum or "")


def test_the_printed_inequality_of_lemma_3_9_says_nothing_for_few_records() -> None:
    """(2^d - 2)·e^(-4·eps·a·m)·(1 - G) <= G with G = b + e^(-a·m/3): true at m = 1, as if one record were enough."""
    error, failure, m = 0.1, 0.05, 1
    failing = failure + math.exp(-error * m / 3)
    assert (2**64 - 2) * math.exp(-4 * error * m) * (1 - failing) <= failing


def test_theorem_4_11_may_select_from_nothing() -> None:
    """Its learner keeps the points some light hypothesis holds; the empty set is light and holds none."""
    light: list[set[int]] = [set(), set()]  # two runs that both answered with the zero hypothesis
    kept = {j for hypothesis in light for j in hypothesis}
    assert kept == set()  # no class is left to draw from, although runs were returned
    assert "empty" in (REGISTER["floor-points-light"].erratum or "")


def exact_one_sided(n: int, p: Fraction, share: Fraction) -> Fraction:
    """P/P' of a key that holds x and not j: n - 1 records (j, 1) and one (x, 1), against n records (j, 1).

    Without a failure outcome what is inconsistent counts as nothing seen; a key given x has weight 1/share.
    """
    left = 1 - p
    first = left**n + p * (1 - left ** (n - 1)) + p * left ** (n - 1) / share
    return first / left**n


@pytest.mark.parametrize(("n", "loss"), [(3, 0.72), (50, 0.97), (200, 7.264)])
def test_one_sided_sets_without_a_failure_outcome_lose_without_bound(n: int, loss: float) -> None:
    p = Fraction(1, 20)
    found = exact_one_sided(n, p, p)
    assert math.log(found) == pytest.approx(loss, abs=5e-3 if n < 200 else 5e-4)
    if n == 200:
        assert found > StarLoss(p, Fraction(19)).factor() ** 10


def test_the_pitfall_and_key_rejection_are_caught_by_the_audit() -> None:
    assert not audit(one_sided_without_failure(), stop_when_broken=True).holds
    finding = audit(keys_by_rejection())
    assert not finding.holds
    assert finding.exact is not None
    assert 0.36773 < math.log(finding.exact) <= 0.51083
    assert REGISTER["key-rejection"].status == "false"


def test_a_shift_repairs_what_rejection_breaks() -> None:
    """Conditioned without rejection, marginals are the family's own share, whatever the hash."""
    family = HashFamily("a", 7, 2, 5)
    assert family.share == Fraction(2, 7)


@pytest.mark.parametrize(("n", "chance"), [(5, "1/3"), (60, "1/10"), (400, "1/4"), (3000, "1/50")])
def test_the_checker_bounds_binomial_sums_from_above_and_closely(n: int, chance: str) -> None:
    p = Fraction(chance)
    powers = directed.powers_above(Fraction(3, 5), n)

    def outcome(k: int) -> int:
        return powers[min(k, len(powers) - 1)]

    exact = (1 - p * Fraction(2, 5)) ** n  # E[(3/5)^K]
    found = directed.mean_above(outcome, n=n, chance=p)
    assert exact <= found <= exact * (1 + Fraction(1, 10**12)) + Fraction(1, 2**180)
    few = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(3))
    assert few <= directed.few_above(n, chance=p, hits=3) <= few + Fraction(1, 2**300)
    assert p**7 <= directed.power_above(p, 7) <= p**7 * (1 + Fraction(1, 2**100))
