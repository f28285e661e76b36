"""What is printed wrongly about private answers: where a number can show it, it does; the register says the rest."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from privpac import MemorySample, Schema, Thresholds
from privpac.constructions.prediction.net_relabelled import net_failure
from privpac.theory.statements import REGISTER
from privpac.theory.vc import growth, ln_growth, records_net


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("net-relabelling", "4·alpha with failure beta where its proof gives 6·alpha with 2·beta"),
        ("net-relabelling", "equation (8) sums over the labellings of S_I"),
        ("net-relabelling", "Lemma 8 asks growth at n"),
        ("net-relabelling", "Section 4.2"),
        ("net-relabelling", "Remark 2"),
        ("relabelled-vote", "by 30 to 180"),
    ],
)
def test_the_register_names_the_error(key: str, words: str) -> None:
    erratum = REGISTER[key].erratum
    assert erratum is not None
    assert words in erratum


def test_a_net_of_epsilon_does_not_reach_the_error_and_one_of_alpha_does() -> None:
    """Dagan–Feldman, Section 4.2, eta near epsilon/d: subsets that small miss the best concept by half of all."""
    n, alpha, epsilon = 100_000, Fraction(1, 10), Fraction(1)

    def missed(net: Fraction) -> float:
        kept = next(k for k in range(2, n) if net_failure(n, kept=k, net=net, vc=1) <= Fraction(1, 100))
        return (float(ln_growth(n, vc=1)) + math.log(kept)) / kept

    assert missed(epsilon) > 5 * alpha
    assert missed(alpha) < alpha


def test_the_quoted_base_learner_grows_with_the_square_and_the_needed_one_does_not() -> None:
    """Remark 2 quotes (d + log(1/beta))/alpha^2: a hundred times the records for a tenth of the error."""
    needed = [records_net(Fraction(1, m), failure=Fraction(1, 20), vc=1) for m in (10, 100, 1000)]
    quoted = [(1 + math.log(20)) * m**2 for m in (10, 100, 1000)]
    assert all(later < 20 * before for before, later in itertools.pairwise(needed))
    assert all(later > 99 * before for before, later in itertools.pairwise(quoted))
    assert needed[-1] < quoted[-1] / 50


def test_the_draw_is_among_the_labellings_of_the_subset_alone() -> None:
    """Lemma 8 pays for growth(n) outcomes; there are growth(n') of them."""
    column = {"name": "x", "kind": "numeric", "lower": 0, "upper": 9999, "integer": True}
    schema = Schema.from_json({"label": "y", "columns": [column]})
    x = np.random.default_rng(3).choice(10_000, 1000, replace=False)
    sample = MemorySample.from_cells(schema, {"x": x}, (x > 4000).astype(np.uint8))
    kept = sample.take(np.arange(50))
    listed = Thresholds(schema, "x").dichotomies(kept)
    members = {listed.member(place).cut for place in range(51)}
    assert len(members) == growth(50, vc=1) == 51 < growth(1000, vc=1)


@pytest.mark.parametrize("vc", [16, 64, 256])
def test_a_logarithm_of_one_over_alpha_is_enough(vc: int) -> None:
    """Theorem 3 has log(d/alpha) a dimension where Theorem 1 has log(1/alpha): growth asks for the smaller."""
    alpha = Fraction(1, 10)
    a_dimension = float(ln_growth(int(vc / alpha), vc=vc)) / vc
    assert a_dimension < math.log(math.e / alpha)
    assert a_dimension < math.log(vc / alpha)


def test_twice_epsilon_times_the_share_fails_for_large_epsilon() -> None:
    """Lemma 5 says 2·eps·eta. One record of a hundred, told by randomised response at 3: 0.17 is lost, 0.06 allowed."""

    def lost(epsilon: float, share: float) -> float:
        lie = 1 / (1 + math.exp(epsilon))
        told = (1 - share) * lie + share * (1 - lie)
        return math.log(told / lie)

    assert lost(3, 0.01) > 2 * 3 * 0.01
    assert lost(0.99, 0.01) < 2 * 0.99 * 0.01


def test_matched_concepts_differ_on_half_of_the_printed_records() -> None:
    """Lemma 10 counts 2·eta·n: at the printed g = 2/(eta·n) and 1/(eta·n) it loses e^6 where e^3 and a little do."""
    n, eta = 1000, Fraction(1, 20)
    together = 3 / (eta * n)
    assert together * 2 * eta * n == 6
    assert together * (math.floor(eta * (n - 1)) + 1) <= 3
