"""The learner: its two mechanisms, what it certifies, what it refuses."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privpac.audit.registry import sample_of, tiny_schema
from privpac.coins import law
from privpac.concepts.finite import Finite
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.draw.occam import Occam
from privpac.data.sample import Size
from privpac.errors import ParameterError, SizeError

SCHEMA = tiny_schema(3)
DATA = [(0, 0), (1, 1), (2, 1), (2, 1), (0, 1)]
ONE = Fraction(1)


def _expected_mistakes(learner: Occam) -> Fraction:
    sample = sample_of(SCHEMA, DATA)
    block = sample.block()
    return sum(
        (p * int((h.predict(block.cells) != block.labels).sum()))
        for h, p in law(lambda coins: learner.learn(sample, coins)).items()
    )


def test_permute_and_flip_is_as_private_and_no_worse() -> None:
    concepts = Thresholds(SCHEMA, "a")
    walk, draw = Occam(concepts, ONE, mechanism="permute-and-flip"), Occam(concepts, ONE)
    assert walk.certify(Size(5)).privacy.fact == draw.certify(Size(5)).privacy.fact
    assert walk.certify(Size(5)).privacy.premises[0].rule == "permute-and-flip"
    assert _expected_mistakes(walk) < _expected_mistakes(draw)


@pytest.mark.parametrize(
    "concepts", [Stumps(tiny_schema(3, 2)), Finite(SCHEMA, ["a >= 1", "a >= 2"], weights=[1, 2])]
)
def test_permute_and_flip_needs_a_uniform_prior(concepts: Stumps | Finite) -> None:
    with pytest.raises(ParameterError, match="uniform prior"):
        Occam(concepts, ONE, mechanism="permute-and-flip")


def test_permute_and_flip_refuses_what_it_cannot_walk_through() -> None:
    with pytest.raises(ParameterError, match="million"):
        Occam(Thresholds(tiny_schema(2**21), "a"), ONE, mechanism="permute-and-flip")


def test_costs_divide_what_one_record_may_move() -> None:
    costly = Occam(Thresholds(SCHEMA, "a"), ONE, costs=(1, 4))
    assert costly.ratio ** (-8) <= Fraction(271829, 100000)
    assert costly.certify(Size(100)).privacy.premises[0].where["sensitivity"] == 4


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"epsilon": Fraction(0)}, "epsilon"),
        ({"epsilon": ONE, "costs": (1,)}, "costs"),
        ({"epsilon": ONE, "costs": (1, 0)}, "costs"),
        ({"epsilon": ONE, "mechanism": "gumbel"}, "mechanism"),
    ],
)
def test_wrong_parameters_are_named(parameters: dict[str, object], name: str) -> None:
    with pytest.raises(ParameterError) as problem:
        Occam(Thresholds(SCHEMA, "a"), **parameters)  # type: ignore[arg-type]
    assert problem.value.parameter == name


def test_no_records_no_certificate() -> None:
    with pytest.raises(SizeError):
        Occam(Thresholds(SCHEMA, "a"), ONE).certify(Size(0))
