"""What an estimate allows for: which bounds a learner has, which of them is taken, and that either may be."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from privpac.audit.registry import tiny_schema
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Merged, Occam
from privpac.constructions.draw.refined_trees import RefinedTrees
from privpac.constructions.estimates.sampling import Choice, Way, choice_of, span
from privpac.constructions.recipe import MOST_ASIDE, Recipe
from privpac.data.sample import Size
from privpac.guarantee.facts import Unit
from privpac.request import LearnRequest
from privpac.theory.generalisation import gap_class, gap_holdout, interval_private

ONE, HALF, FAILURE = Fraction(1), Fraction(1, 2), Fraction(1, 40)
SCHEMA = tiny_schema(8)
WIDE = tiny_schema(32, 32, 32)
THRESHOLDS = Thresholds(SCHEMA, "a")
TESTS = Binarisation.of(SCHEMA)
REFINED = RefinedTrees(
    TreeMixture((OneTest(SCHEMA, TESTS),), (1,)),
    TreeMixture((Trees(SCHEMA, 1, TESTS),), (1,)),
    ONE,
    Fraction(3, 10),
    (1,),
    (0,),
)


def choice(learner: Learner) -> Choice:
    return choice_of(learner, learner.certify(Size(100)).privacy.fact)


@pytest.mark.parametrize(
    ("learner", "modesty"),
    [
        (Occam(THRESHOLDS, ONE), Fraction(0)),
        (Merged(Occam(THRESHOLDS, ONE)), Fraction(0)),
        (Occam(THRESHOLDS, ONE, (2, 2)), Fraction(0)),
        (Occam(THRESHOLDS, ONE, (1, 2)), ONE),
        (Occam(THRESHOLDS, ONE, mechanism="permute-and-flip"), ONE),
        (REFINED, Fraction(3, 10)),
        (replace(REFINED, costs=(1, 2)), ONE),
    ],
)
def test_only_draws_by_equally_priced_mistakes_never_look_too_bad(
    learner: Learner, modesty: Fraction
) -> None:
    found = choice(learner)
    assert (found.rules, found.flattery, found.modesty) == (learner.outcomes, ONE, modesty)
    assert found.ways == (Way.CLASS, Way.PRIVACY)


def test_a_delta_or_labels_alone_bound_nothing() -> None:
    learner = Occam(THRESHOLDS, ONE)
    fact = learner.certify(Size(100)).privacy.fact
    for weaker in (replace(fact, delta=Fraction(1, 10**6)), replace(fact, unit=Unit.LABEL)):
        assert choice_of(learner, weaker) == Choice(learner.outcomes)
        assert choice_of(learner, weaker).ways == (Way.CLASS,)


def test_a_single_bound_may_fail_as_often_as_both_together() -> None:
    n, rate = 1000, Fraction(9, 10)
    aside = span(rate, rate, n, choice=None, failure=FAILURE)
    assert (aside.high - rate, aside.way) == (gap_holdout(n, failure=FAILURE), Way.HOLDOUT)
    alone = span(rate, rate, n, choice=Choice(10**6), failure=FAILURE)
    assert (rate - alone.low, alone.way) == (gap_class(n, size=10**6, failure=FAILURE), Way.CLASS)
    private = span(rate, rate, n, choice=Choice(None, ONE, ONE), failure=FAILURE)
    ends = interval_private(rate, rate, n, flattery=ONE, modesty=ONE, failure=FAILURE)
    assert private == (*ends, Way.PRIVACY)


def test_both_bounds_share_the_failure_and_each_end_is_the_better_one() -> None:
    n, rate = 1000, Fraction(9, 10)
    gap = gap_class(n, size=10**6, failure=FAILURE / 2)
    low, high = interval_private(rate, rate, n, flattery=ONE, modesty=Fraction(0), failure=FAILURE / 2)
    both = span(rate, rate, n, choice=Choice(10**6, ONE, Fraction(0)), failure=FAILURE)
    assert low < rate - gap
    assert high < rate + gap
    assert both == (rate - gap, high, Way.BOTH)
    tiny = Fraction(1, 100)
    assert span(rate, rate, n, choice=Choice(10**6, tiny, tiny), failure=FAILURE).way is Way.PRIVACY
    large = Fraction(50)
    assert span(rate, rate, n, choice=Choice(10**6, large, large), failure=FAILURE).way is Way.CLASS


# --- which records an estimate takes ---


def recipe(n: int, epsilon: Fraction = ONE, concepts: str = "thresholds:a", **wishes: object) -> Recipe:
    wished = LearnRequest.read(epsilon=epsilon, concepts=concepts, **wishes)  # type: ignore[arg-type]
    return Recipe.of(wished, schema=WIDE, size=Size(n))


def test_records_are_kept_aside_where_that_promises_a_narrower_interval() -> None:
    few = recipe(100, estimate_epsilon=1)
    many = recipe(50_000, concepts="auto", estimate_epsilon=1)
    assert (few.holdout, many.holdout) == (0, Fraction(1, 5))
    assert recipe(10**6, concepts="auto", estimate_epsilon=1).holdout == Fraction(MOST_ASIDE, 10**6)
    assert recipe(50_000, Fraction(1, 100), "auto", estimate_epsilon="0.01").holdout == 0
    for n in (100, 1000, 5000, 50_000):
        chosen, other = recipe(n, estimate_epsilon=1), recipe(n, estimate_epsilon=1, holdout="0.2")
        assert width(chosen) <= width(other)


def width(one: Recipe) -> Fraction:
    tested = one.certify().learner["estimate"]["records"]
    found = one.estimate_from(((tested * 4 // 5, 0), (0, 0)))
    assert found is not None
    return found.high - found.low


def test_the_share_that_a_person_asks_for_stands() -> None:
    assert recipe(50_000, concepts="auto", estimate_epsilon=1, holdout=0).holdout == 0
    assert recipe(100, estimate_epsilon=1, holdout="0.5").holdout == HALF
    assert recipe(50_000, concepts="auto").holdout == 0, "nothing is kept aside for no estimate"


def test_the_certificate_tells_on_which_records_and_by_which_bounds() -> None:
    aside = recipe(50_000, concepts="auto", estimate_epsilon=1).certify()
    same = recipe(100, estimate_epsilon=1).certify()
    assert aside.learner["estimate"]["records"] == 10_000
    assert aside.learner["estimate"]["ways"] == ["hold-out"]
    assert same.learner["estimate"]["ways"] == ["class", "privacy"]
    assert (aside.epsilon, same.epsilon) == (1, 2), "kept aside, the estimate costs no more than the rule"
    assert "estimate" not in recipe(100).certify().learner
