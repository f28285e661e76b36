"""Rows say what the learners themselves certify, and the reference numbers of the theory come out."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from privpac import plan
from privpac.concepts.base import AnyClass
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import intervals
from privpac.constructions.class_facts import ClassFacts, Description
from privpac.constructions.few_labels.generic import GenericLearner
from privpac.constructions.prediction.floors import floor_private_prediction
from privpac.constructions.wish import Wish
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.numbers.exact import plain
from privpac.planning.kinds import KINDS, facts_of
from privpac.planning.options import OPTIONS, Option
from privpac.theory import any_floors, floors, sizes
from tests.forms import written_out

ASK = {"error": "0.1", "failure": "0.05", "epsilon": 1}


def labelled(word: str, learner: str, setting: str = "realizable", **given: object) -> int:
    """What the learner itself needs with all of epsilon."""
    row = plan.needed(word, **{**ASK, **given}).option(learner, setting)
    need = row.option.needs(row.wish)
    assert need is not None
    return need.labelled


REFERENCE = {
    # learner, class, setting, further numbers: records needed at error 0.1, failure 0.05, epsilon 1
    ("occam", "points", "realizable", ("bits", 8)): 213,
    ("occam", "points", "realizable", ("bits", 16)): 351,
    ("occam", "points", "realizable", ("bits", 32)): 628,
    ("occam", "points", "realizable", ("bits", 64)): 1180,
    ("occam", "points", "realizable", ("bits", 128)): 2285,
    ("occam", "points", "agnostic", ("bits", 16)): 2804,
    ("occam", "points", "agnostic", ("bits", 32)): 5011,
    ("occam", "points", "agnostic", ("bits", 64)): 9424,
    ("occam", "thresholds", "realizable", ("bits", 8)): 213,
    ("occam", "thresholds", "realizable", ("bits", 64)): 1180,
    ("clipped-points", "points", "realizable", ("bits", 16)): 279,
    ("clipped-points", "points", "realizable", ("bits", 32)): 416,
    ("clipped-points", "points", "realizable", ("bits", 64)): 678,
    ("clipped-points", "points", "realizable", ("bits", 128)): 1167,
    ("reed-solomon-points", "points", "realizable", ("bits", 16)): 264,
    ("reed-solomon-points", "points", "realizable", ("bits", 32)): 287,
    ("reed-solomon-points", "points", "realizable", ("bits", 64)): 308,
    (
        "reed-solomon-points",
        "points",
        "realizable",
        ("bits", 128),
    ): 326,  # 331 with the prime 2963 and 12 digits; the search finds a better code
    ("pairwise-cover", "points", "realizable", ("bits", 64)): 275,
    ("occam", "generated:16", "realizable", ("bits", 64)): 351,
    ("occam", "generated:20", "realizable", ("bits", 64)): 420,
    ("occam", "generated:24", "realizable", ("bits", 64)): 490,
    ("occam", "any:8", "realizable", ("bits", 5000)): 86_412,
    ("reference-cover", "reference:1", "realizable", ("bits", 1)): 206,
    ("reference-cover", "reference:10", "realizable", ("bits", 1)): 270,
    ("reference-cover", "reference:100", "realizable", ("bits", 1)): 332,
    ("reference-cover", "reference:1000000", "realizable", ("bits", 1)): 577,
    ("reference-cover", "reference:1", "agnostic", ("bits", 1)): 1672,
    ("reference-cover", "reference:10", "agnostic", ("bits", 1)): 2185,
}


@pytest.mark.parametrize("case", REFERENCE, ids=str)
def test_reference_numbers(case: tuple[str, str, str, tuple[str, int]]) -> None:
    learner, word, setting, (name, value) = case
    assert labelled(word, learner, setting, **{name: value}) == REFERENCE[case]


@pytest.mark.parametrize(("epsilon", "values"), [("0.1", (2882, 5150, 9687))])
def test_reference_numbers_at_small_epsilon(epsilon: str, values: tuple[int, ...]) -> None:
    found = [labelled("points", "occam", bits=bits, epsilon=epsilon) for bits in (16, 32, 64)]
    assert tuple(found) == values
    assert labelled("any:8", "occam", bits=5000, epsilon=epsilon) == 709_499
    assert labelled("points", "occam", "agnostic", bits=32, epsilon=epsilon) == 6698


def test_reference_floors() -> None:
    numbers = {"error": "0.1", "failure": "0.05", "epsilon": 1}
    half = {**numbers, "epsilon": "0.5"}
    bits = (8, 16, 32, 64, 128)
    assert [floors.floor_points_proper(2**b, **numbers) for b in bits] == [114, 182, 312, 563, 1048]
    assert [floors.floor_points_proper(2**b, **half) for b in bits] == [201, 328, 575, 1057, 2001]
    assert [floors.floor_thresholds_proper(2**b, **numbers) for b in bits[:4]] == [56, 90, 154, 278]
    assert [floors.floor_points_any(2**b, **numbers) for b in (4, 6, 8, 10, 12, 16)] == [
        10,
        20,
        32,
        40,
        45,
        47,
    ]
    assert [floors.floor_point_counts(2**b, **numbers) for b in bits[:4]] == [40, 70, 125, 235]
    light = {"success": "0.45", "error": "0.1", "epsilon": 1}
    found = [floors.floor_points_light(2**32, weight=w, **light) for w in (2, 2**8, 2**16, 2**24)]
    assert found == [202, 154, 99, 45]
    found = [
        floors.floor_thresholds_few_switches(2**32, switches=z, **light) for z in (2, 2**8, 2**16, 2**24)
    ]
    assert found == [101, 80, 53, 26]
    assert floor_private_prediction(101, error="0.1", epsilon=1) == 279
    exact = [sizes.records_points(2**b, **numbers) for b in bits[:4]]
    assert exact == [201, 328, 575, 1057]


COLUMN = {"name": "x", "kind": "numeric", "lower": 0, "upper": 2**32 - 1, "integer": True}
SCHEMA = Schema.from_json({"label": "y", "columns": [COLUMN]})


@pytest.mark.parametrize(("word", "concepts"), [("thresholds", Thresholds), ("intervals", intervals)])
def test_the_plan_of_a_sanitised_table_is_what_the_learner_certifies(
    word: str, concepts: Callable[..., AnyClass]
) -> None:
    row = plan.needed(word, bits=32, error="0.2", epsilon=1).option("generic-learner")
    learner = GenericLearner(concepts(SCHEMA, "x"), Fraction(1))
    certificate = learner.certify(Size(row.need.labelled, row.need.unlabelled))
    assert certificate.accuracy, "the learner promises something at this size"
    assert min(proof.fact.error for proof in certificate.accuracy) <= Fraction(1, 5)


CLASSES = [
    facts_of(word, Description(bits=bits))[0]
    for word, bits in (
        ("points", 16),
        ("thresholds", 32),
        ("any:3", 300),
        ("reference:10", 1),
        ("thresholds", 12),
        ("points", 2),
    )
] + [facts_of(word, Description(columns=5))[0] for word in ("clauses:2", "auto")]


def _served(option: Option) -> list[ClassFacts]:
    """Classes that a row serves: of those above, or else of those of its family."""
    known = [concepts for concepts in CLASSES if option.serves(concepts)]
    family = option.needs.__module__.rpartition(".")[0]
    forms = [form for form, facts in KINDS.values() if facts.__module__.rpartition(".")[0] == family]
    words = [written_out(form.partition(" ")[0], "", "") for form in forms]
    own = [facts_of(word, Description(bits=16, columns=5, tests=5))[0] for word in words if not known]
    return known or [concepts for concepts in own if option.serves(concepts)]


@pytest.mark.long_cases(
    "default-agnostic",
    "default-realizable",
)
@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: f"{option.learner}-{option.setting}")
def test_every_row_serves_some_class_and_needs_fewer_records_for_less(option: Option) -> None:
    served = _served(option)
    assert served
    # Asking few for their noisy labels saves nothing at epsilon 1: there the noise of labels is what costs.
    epsilon = Fraction(1, 10) if option.key == ("active", "agnostic") else Fraction(1)
    easy = Wish(served[0], Fraction(1, 5), Fraction(1, 20), epsilon, Fraction(1, 10**6))
    need = option.needs(easy)
    assert need is not None
    for harder in (easy.at("error", Fraction(1, 10)), easy.at("epsilon", epsilon / 2)):
        more = option.needs(harder)
        assert more is not None
        assert more.labelled + more.unlabelled >= need.labelled
        if option.at is not None:
            assert option.at(harder, 2 * more.labelled) is not None
            assert option.at(harder, more.labelled // 2) is None


@pytest.mark.parametrize("setting", ["realizable", "agnostic"])
def test_the_default_never_needs_more_for_a_larger_epsilon_and_its_command_keeps_the_promise(
    setting: str,
) -> None:
    """Refinements enter with a handicap, so that nowhere a larger epsilon has to be left unspent."""
    (option,) = (row for row in OPTIONS if row.key == ("default", setting))
    wishes = [
        Wish(CLASSES[-1], Fraction(1, 5), Fraction(1, 20), Fraction(epsilon), Fraction(0))
        for epsilon in ("0.1", "0.2", "0.5", "1", "2")
    ]
    needs = [option.needs(wish) for wish in wishes]
    records = [need.labelled for need in needs if need is not None]
    assert len(records) == len(wishes)
    assert records == sorted(records, reverse=True)
    for wish, need in zip(wishes, needs, strict=True):
        assert need is not None
        assert option.error is not None
        assert option.command is not None
        spent = Fraction(need.parameters.get("epsilon", wish.epsilon))
        assert spent <= wish.epsilon
        assert f"--epsilon {plain(spent)}" in (option.command(wish, need) or "")
        for n in (need.labelled, 2 * need.labelled, math.floor(5_000 / spent) + 1, math.ceil(40_000 / spent)):
            error = option.error(wish.at("epsilon", spent), max(n, need.labelled))
            assert error is not None
            assert error <= wish.error
        assert not need.parameters, "the whole of epsilon is spent"


def test_floors_by_a_few_points_do_not_bind_under_a_density_bound() -> None:
    """They put all mass on shattered points, which no density allows; a sphere was said to need two records by them."""
    made = plan.needed("sphere:3:1", error="0.3", epsilon=1)
    assert {row.floor for row in made.answers} == {None}
    close = plan.needed("sphere:3:1", error="0.1", epsilon="0.1", failure="0.01")
    assert {row.floor_source for row in close.answers} == {"floor-label-halfspaces"}


def test_further_floors_bind_where_they_hold() -> None:
    """Two rules, with labels private too (neighbouring cuts exclude 21 records there), and half-spaces of a sphere."""
    short = plan.needed("thresholds", bits=1, error="0.45", epsilon="0.1", failure="0.01").option(
        "occam", "realizable"
    )
    assert (short.floor, short.floor_source) == (
        any_floors.floor_two_rules(error="0.45", failure="0.01", epsilon="0.1"),
        "floor-two-rules",
    )
    assert short.floor > floors.floor_minimal_class(3, failure="0.01", epsilon="0.1")
    labels = plan.needed("thresholds", bits=16, error="0.1", epsilon=1, protect="labels")
    bound = [
        row
        for row in labels.answers
        if row.option.protects == "labels" and row.option.setting == "realizable"
    ]
    assert {(row.floor_source, row.floor) for row in bound if row.option.proper} == {("floor-two-rules", 56)}
    round_ = plan.needed("sphere:3:1", error="0.02", epsilon="0.1").option("reference-cover", "realizable")
    assert round_.floor_source == "floor-label-halfspaces"
    assert (round_.floor or 0) > 100
