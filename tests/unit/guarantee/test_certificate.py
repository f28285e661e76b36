"""Certificates: what stands on top, what it rests on, how it reads, and that it comes from public numbers alone."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from privpac.audit.registry import tiny_schema
from privpac.checker.check import check_certificate
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.draw.occam import Occam
from privpac.constructions.recipe import Recipe
from privpac.constructions.words import Request
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.guarantee import rules
from privpac.guarantee.certificate import FROM_DATA, SEED_WARNING, Certificate, explain_certificate
from privpac.guarantee.facts import Loss
from privpac.guarantee.parts import proofs_by_part
from privpac.guarantee.proof import explain
from privpac.numbers.exact import ratio_for
from privpac.request import LearnRequest

SCHEMA = tiny_schema(40, 30, categories=3)


def certificate(**changes: Any) -> Certificate:
    made = Occam(Thresholds(SCHEMA, "a"), Fraction(1)).certify(Size(1000))
    return replace(made, **changes)


# --- what stands on top ---


@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "1/3", "1", "17.25", "1000", "3000"])
@pytest.mark.parametrize("costs", [None, (1, 7), (1000, 1)])
def test_the_declared_epsilon_is_above_the_true_one_and_hardly(
    epsilon: str, costs: tuple[int, int] | None
) -> None:
    declared = Fraction(epsilon)
    privacy = Occam(Stumps(SCHEMA), declared, costs).certify(Size(50)).privacy
    true = privacy.premises[0].fact.epsilon
    worst = max(costs or (1,))
    assert privacy.fact.epsilon == Loss(log=declared)
    assert true <= privacy.fact.epsilon
    ratio = ratio_for(declared / (2 * worst))
    assert privacy.premises[0].where == {"ratio": str(ratio), "sensitivity": worst}
    if declared / (2 * worst) <= 600:  # beyond, the weight of a mistake is cut at 2^-900
        assert Loss(log=declared - Fraction(2 * worst, 2**51)) <= true


def test_an_epsilon_that_is_no_decimal_is_charged_rounded_up() -> None:
    bare = certificate(privacy=rules.geometric_noise(ratio=Fraction(1, 2), change=1))
    tree = bare.to_json()
    assert tree["epsilon"] == "0.69314718056"  # ln 2 = 0.6931471805599...
    assert bare.privacy.fact.epsilon <= Loss(log=bare.epsilon)
    assert check_certificate(tree) == 3


# --- what it rests on ---


def test_assumptions_float_to_the_top_each_once() -> None:
    made = certificate().assuming("it rains").assuming("the sun shines").assuming("it rains")
    assert made.assumptions == ("it rains", "the sun shines")
    tree = made.to_json()
    assert tree["assumptions"] == ["it rains", "the sun shines"]
    assert made.epsilon == certificate().epsilon
    assert made.explain().startswith("Assumes that it rains.\nAssumes that the sun shines.\n")
    assert check_certificate(tree) > check_certificate(certificate().to_json())


def test_a_person_behind_several_records_and_a_schema_from_data_are_assumptions() -> None:
    read = Schema(SCHEMA.columns, SCHEMA.label, SCHEMA.classes, origin="from_data")
    request = Request(read, Size(100), LearnRequest(epsilon=Fraction(1), records_per_person=3))
    made = Recipe("stumps", request).certify()
    assert made.assumptions == (FROM_DATA, "no person stands behind more than 3 records")
    assert made.epsilon == 1
    inner = made.privacy.premises[0].premises[0]
    assert inner.fact.epsilon == Loss(log=Fraction(1, 3))


def test_seeded_coins_are_shouted_about() -> None:
    assert certificate().for_release
    seeded = certificate().with_coins("seeded")
    assert not seeded.for_release
    assert seeded.explain().startswith(SEED_WARNING)
    assert SEED_WARNING not in certificate().explain()
    assert check_certificate(seeded.to_json()) == check_certificate(certificate().to_json())


# --- how it reads, and how it travels ---


def test_a_stored_certificate_reads_the_same() -> None:
    for made in (certificate(), certificate().assuming("it rains"), certificate(accuracy=())):
        stored = json.loads(json.dumps(made.to_json()))
        assert explain_certificate(stored) == made.explain()
        assert explain(stored["privacy"]) == made.privacy.explain()


def test_certificates_and_proofs_survive_copies_and_processes() -> None:
    made = certificate().assuming("it rains")
    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301
        assert other == made
        assert other.to_json() == made.to_json()
        with pytest.raises(TypeError):
            other.privacy.where["ratio"] = "1"  # type: ignore[index]


def test_only_disjoint_parts_are_told_apart() -> None:
    draw = rules.exponential_mechanism(ratio=Fraction(1, 2))
    one, other = (rules.on_part(draw, part=name) for name in ("one", "other"))
    apart = rules.declared(rules.disjoint_parts(one, other), epsilon=Fraction(2))
    assert proofs_by_part(apart) == {"one": one, "other": other}
    assert proofs_by_part(rules.declared(rules.sequential(draw, draw), epsilon=Fraction(3))) == {}
