"""What a search calls enough is proved for the very parameters that are run: on a grid of wishes, large epsilons too.

Searches run in floats; a number of records that is not proved would be a promise that the certificate does not keep.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from privpac import Schema, Size, Thresholds
from privpac.constructions.few_labels.after_labels import Family
from privpac.constructions.few_labels.boost import BOOSTING
from privpac.constructions.few_labels.relabel import RELABELLING
from privpac.constructions.points import clipped as points
from privpac.constructions.points import coded as representations
from privpac.constructions.points import covered as covered_points
from privpac.constructions.points import sparse as sparse_points
from privpac.constructions.points.coded import CodedPoints
from privpac.constructions.points.covered import CoveredPoints
from privpac.constructions.prediction import fresh_draws
from privpac.constructions.prediction import net_relabelled as net_votes
from privpac.constructions.prediction import relabelled_vote as relabelled_votes
from privpac.constructions.prediction.fresh_draws import FreshDraws
from privpac.constructions.prediction.relabelled_vote import RelabelledVote
from privpac.errors import SizeError
from privpac.numbers.exact import ratio_for

SCHEMA = Schema.from_json(
    {
        "label": "y",
        "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 2**20 - 1, "integer": True}],
    }
)
ERRORS, FAILURES, EPSILONS = ("0.018", "0.1", "0.3"), ("0.001", "0.2"), ("0.1", "1", "5", "9")
GRID = [tuple(map(Fraction, wish)) for wish in product(ERRORS, FAILURES, EPSILONS)]
Wish = tuple[Fraction, Fraction, Fraction]


@pytest.mark.parametrize("wish", GRID, ids=lambda wish: "-".join(str(float(part)) for part in wish))
def test_codes_and_covers(wish: Wish) -> None:
    error, failure, epsilon = wish
    asked = {"error": error, "failure": failure, "epsilon": epsilon}
    n, code, tolerated = representations.plan_code(2**20, **asked)
    ratio = ratio_for(epsilon / 2)
    coded = representations.CodeAccuracy(2**20, code.prime, code.digits, tolerated, ratio)
    assert coded.proves(n, error, failure)
    n, cover = covered_points.plan_cover(**asked)
    drawn = covered_points.cover_ratio(epsilon)
    bound = covered_points.CoverAccuracy(cover.keys, cover.share, covered_points.GOOD, drawn)
    assert bound.proves(n, error, failure)
    assert drawn >= ratio, "never more than epsilon allows"


@pytest.mark.parametrize("epsilon", ["1", "6.5"])
def test_a_code_certifies_what_is_planned_for_it(epsilon: str) -> None:
    asked = {"error": Fraction(1, 10), "failure": Fraction(1, 20), "epsilon": Fraction(epsilon)}
    n = representations.plan_code(2**20, **asked)[0]
    learner = CodedPoints.tuned(SCHEMA, "x", epsilon=asked["epsilon"], size=Size(n))
    assert learner is not None
    (accuracy,) = learner.certify(Size(n)).accuracy
    assert accuracy.fact.error <= asked["error"]


@pytest.mark.parametrize("epsilon", ["1", "6.5", "9"])
def test_a_cover_certifies_what_is_planned_for_it(epsilon: str) -> None:
    """At epsilon 6 and more a draw at its full rate would prove nothing, however many records."""
    asked = {"error": Fraction(1, 10), "failure": Fraction(1, 20), "epsilon": Fraction(epsilon)}
    n = covered_points.plan_cover(**asked)[0]
    learner = CoveredPoints.tuned(SCHEMA, "x", epsilon=asked["epsilon"], size=Size(n))
    (accuracy,) = learner.certify(Size(n)).accuracy
    assert accuracy.fact.error <= asked["error"]
    (bound,) = learner.bounds(Size(n))
    full = replace(bound, ratio=ratio_for(Fraction(7, 2)), good=covered_points.GOOD)
    assert not full.proves(10**9, asked["error"], asked["failure"])


@pytest.mark.parametrize(
    "wish",
    [wish for wish in GRID if wish[2] >= 1 and wish[0] > Fraction(1, 50)][::3],
    ids=lambda wish: "-".join(str(float(part)) for part in wish),
)
def test_cells_one_by_one_and_clipped(wish: Wish) -> None:
    error, failure, epsilon = wish
    asked = {"error": error, "failure": failure, "epsilon": epsilon}
    n, sparsity = sparse_points.plan_sparse(**asked)
    assert sparsity.proves(n, error, failure)
    n, clip = points.plan_clipped(2**40, **asked)
    assert points.ClippedAccuracy(**vars(clip)).proves(n, error, failure)
    assert math.log(points.ClippedLoss(**vars(clip)).factor()) <= epsilon * (1 + 1e-12)


PREDICTIONS = [wish for wish in GRID if wish[2] >= 1 or wish[0] > Fraction(1, 50)][::3]


@pytest.mark.parametrize("wish", PREDICTIONS, ids=lambda wish: "-".join(str(float(part)) for part in wish))
def test_answers(wish: Wish) -> None:
    error, failure, epsilon = wish
    asked = {"failure": failure, "epsilon": epsilon, "vc": 1}
    concepts = Thresholds(SCHEMA, "x")
    n = fresh_draws.records_flipped(error, **asked)
    (accuracy,) = FreshDraws.planned(concepts, epsilon, records=n, failure=failure).certify(Size(n)).accuracy
    assert accuracy.fact.error <= error
    n = relabelled_votes.records_relabelled_vote(error, **asked)
    vote = RelabelledVote.planned(concepts, epsilon, records=n, failure=failure)
    assert vote.certify(Size(n)).accuracy[0].fact.error <= error
    if epsilon < 1 and error <= Fraction(1, 10):  # more models would have to vote than a checker follows
        with pytest.raises(SizeError):
            net_votes.records_net_relabelled(error, **asked)
        return
    n = net_votes.records_net_relabelled(error, **asked)
    assert net_votes.error_net_relabelled(n, **asked) <= error


def test_theorem_2_where_rounding_a_net_cost_the_most() -> None:
    """34 million records: a net rounded to nine digits would let matched concepts differ on one record more."""
    error, asked = Fraction(1, 50), {"failure": Fraction(27, 25000), "epsilon": Fraction(1), "vc": 1}
    n = net_votes.records_net_relabelled(error, **asked)
    plan = net_votes.plan_net_relabelled(n, **asked)
    assert plan is not None
    reach = math.floor(plan.net * (n - 1)) + 1
    assert reach == math.floor((plan.net - Fraction(1, 10**14)) * (n - 1)) + 1
    assert reach < math.floor(Fraction(math.ceil(plan.net * 10**9), 10**9) * (n - 1)) + 1
    assert net_votes.error_net_relabelled(n, **asked) <= error


@pytest.mark.parametrize("wish", GRID[1::5], ids=lambda wish: "-".join(str(float(part)) for part in wish))
def test_few_labels(wish: Wish) -> None:
    error, failure, epsilon = wish
    family = Family(2**100, 3, Fraction(2**100 - 1))
    asked = {"error": error, "failure": failure, "epsilon": epsilon}
    for way in (BOOSTING, RELABELLING):
        size = replace(way.fewest(family, unlabelled=10**9, **asked), unlabelled=10**9)
        assert way.enough(family, size, **asked) is not None
