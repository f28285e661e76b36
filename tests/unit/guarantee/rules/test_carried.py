"""Accuracy carried over: the rules, their refusals, and the checker's own logarithms and roots."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privpac.checker import directed
from privpac.checker.book import book
from privpac.concepts.sets.points import Points
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.after_labels import mistakes_of_draw
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.facts import Accuracy, Against
from privpac.numbers.exact import ln_down, ln_up, sqrt_up
from privpac.theory.vc import erm_excess, ln_growth, relative_error
from tests.contracts.examples import covers
from tests.contracts.examples.relabelling import EXAMPLES, empirical, inner

HALF = Fraction(1, 2)


def test_an_empirical_bound_counts_whole_mistakes() -> None:
    """Among 2^k members a mistake each at ratio 1/2: k + 5 mistakes or more have probability 1/32."""
    proof = rules.empirical_draw(
        odds=2**10, records=100, ratio=HALF, error=Fraction(15, 100), failure=Fraction(1, 60)
    )
    assert proof.fact.against is Against.EMPIRICAL
    with pytest.raises(RuleRefused):
        rules.empirical_draw(
            odds=2**10, records=100, ratio=HALF, error=Fraction(14, 100), failure=Fraction(1, 60)
        )


@pytest.mark.parametrize("epsilon", [Fraction(1, 4), Fraction(1), Fraction(3)])
def test_a_draw_certifies_the_fewest_mistakes_that_the_rule_allows(epsilon: Fraction) -> None:
    column = {"name": "x", "kind": "numeric", "lower": 0, "upper": 255, "integer": True}
    learner = Occam(Points(Schema.from_json({"label": "y", "columns": [column]}), "x"), epsilon)
    proof = learner.certify_empirical(Size(1000))
    assert proof is not None
    mistakes = proof.fact.error * 1000
    assert mistakes == mistakes_of_draw(255, ratio=learner.ratio, failure=learner.failure)
    fewer = {"odds": 255, "records": 1000, "ratio": learner.ratio, "failure": learner.failure}
    with pytest.raises(RuleRefused):
        rules.empirical_draw(error=(mistakes - 1) / 1000, **fewer)


def test_empirical_says_nothing_of_other_records_and_the_other_way_round() -> None:
    found, realizable = empirical().fact, inner(Against.REALIZABLE).fact
    assert not found.implies(Accuracy(found.error, found.failure, Against.REALIZABLE, found.records))
    assert not realizable.implies(Accuracy(HALF, HALF, Against.EMPIRICAL, realizable.records))
    assert inner(Against.AGNOSTIC).fact.implies(Accuracy(HALF, HALF, Against.REALIZABLE, 1000))
    assert "records mistaken" in str(found)
    with pytest.raises(RuleRefused) as refused:
        rules.subsampling_accuracy(empirical(), of=100)
    assert refused.value.owner == "subsampling-accuracy"
    with pytest.raises(RuleRefused) as refused:
        rules.relabelling_accuracy(
            inner(Against.REALIZABLE),
            kept=1000,
            of=9000,
            ratio=HALF,
            change=1,
            mistake=1,
            vc=1,
            miss=Fraction(1, 100),
        )
    assert refused.value.owner == "relabelling-accuracy"


@pytest.mark.parametrize("name", ["reference-cover-realizable", "reference-cover-agnostic"])
def test_what_assumes_a_density_says_nothing_of_draws_from_a_table(name: str) -> None:
    """A table is a discrete distribution: all of it may lie where the cover of a reference has no cut."""
    proof = covers.EXAMPLES[name]()
    for premise in (proof, rules.subsampling_accuracy(proof, of=10**4)):
        assert premise.assumptions
        with pytest.raises(RuleRefused) as refused:
            rules.resampling_empirical(premise, of=5000)
        assert refused.value.owner == "resampling-empirical"
        with pytest.raises(RuleRefused) as refused:
            rules.resampling_accuracy(premise, of=10**5, vc=1, miss=Fraction(1, 20))
        assert refused.value.owner == "resampling-accuracy"


def test_the_learner_inside_must_be_promised_for_exactly_the_kept_records() -> None:
    with pytest.raises(RuleRefused) as refused:
        rules.relabelling_accuracy(
            empirical(10**5),
            kept=10**4,
            of=10**6,
            ratio=HALF,
            change=1,
            mistake=1,
            vc=1,
            miss=Fraction(1, 100),
        )
    assert refused.value.owner == "relabelling-accuracy"


def test_failures_multiply() -> None:
    proof = EXAMPLES["confidence"]()
    assert isinstance(proof.fact, Accuracy)
    assert proof.fact.error == Fraction(1, 5)
    assert Fraction(1, 20) ** 3 < proof.fact.failure < Fraction(1, 20) ** 3 + Fraction(1, 1000)
    with pytest.raises(RuleRefused) as refused:
        rules.confidence(
            inner(Against.REALIZABLE), runs=3, held=2000, of=4999, ratio=HALF, tilt=HALF, gap=Fraction(1, 10)
        )
    assert refused.value.owner == "confidence"


@pytest.mark.parametrize(
    "value",
    [Fraction(2), Fraction(1, 3), Fraction(10**40, 3), Fraction(10**400), Fraction(10**12 + 1, 10**12)],
)
def test_logarithms_and_roots_are_those_of_the_theory(value: Fraction) -> None:
    assert directed.ln_ceiling(value) == ln_up(value)
    assert directed.ln_floor(value) == ln_down(value)
    assert directed.root_ceiling(value) == sqrt_up(value)


@pytest.mark.parametrize(("n", "vc"), [(1, 3), (10, 1), (1000, 2), (10**6, 7)])
def test_deviations_are_those_of_the_theory(n: int, vc: int) -> None:
    miss = Fraction(1, 100)
    of_the_book, records, dimension = book().scope.functions, Fraction(n), Fraction(vc)
    assert of_the_book["ln_labellings"](records, dimension) == ln_growth(n, vc=vc)
    assert of_the_book["near_best"](records, miss, dimension) == erm_excess(n, failure=miss, vc=vc)
    for pairs in (False, True):
        expected = relative_error(Fraction(1, 50), n=n, failure=miss, vc=vc, pairs=pairs)
        sides = Fraction(2 if pairs else 1)
        assert of_the_book["true_rate"](Fraction(1, 50), records, miss, dimension, sides) == expected
