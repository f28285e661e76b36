"""The exact audit: every pair once, symmetry changes nothing but the work, time is kept, records stay hidden."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from privpac.audit.exact import Audit, Case, Symmetry, audit
from privpac.audit.registry import REGISTRY, learner_case, mirrored, records_of, reordered, tiny_schema
from privpac.audit.symmetry import Record
from privpac.coins import Coins
from privpac.concepts.points import Points
from privpac.concepts.thresholds import Thresholds
from privpac.errors import ParameterError
from privpac.guarantee.facts import Loss, Privacy, Unit
from privpac.learners.occam import Occam

ONE = Fraction(1)


def response(*, keep: Fraction = Fraction(3, 4), factor: int = 3, n: int = 1, **more: object) -> Case:
    """Randomized response on the first record's bit: loss exactly keep/(1 - keep)."""

    def run(data: Sequence[Record], coins: Coins) -> int:
        bit = int(str(data[0][0]))
        return bit if coins.flip(keep) else 1 - bit

    return Case("response", run, ((0,), (1,)), n, Privacy(Loss(factor=Fraction(factor))), **more)  # type: ignore[arg-type]


def test_a_claim_that_is_exactly_true_holds_and_is_tight() -> None:
    finding = audit(response())
    assert (finding.exact, finding.delta, finding.holds) == (3, 0, True)
    assert finding.tightness == pytest.approx(1)


def test_a_claim_that_is_a_little_too_small_is_broken_with_its_exact_delta() -> None:
    finding = audit(response(keep=Fraction(4, 5)))
    assert finding.exact == 4
    assert not finding.holds
    assert finding.delta == Fraction(4, 5) - 3 * Fraction(1, 5)
    assert finding.worst is not None


def test_an_output_impossible_on_a_neighbour_is_infinite() -> None:
    finding = audit(response(keep=ONE))
    assert finding.exact is None
    assert finding.epsilon == "infinite"
    assert finding.tightness is None
    assert finding.delta == 1


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("unit", list(Unit))
@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_pair_is_met_once(ordered: bool, unit: Unit, n: int) -> None:
    records = records_of(tiny_schema(2))
    claim = Privacy(Loss(factor=ONE), unit=unit)
    case = Case("constant", lambda data, coins: 0, records, n, claim, ordered=ordered)
    finding = audit(case)
    assert finding.complete
    assert finding.pairs == finding.compared == finding.total == case.pairs > 0
    assert finding.exact == 1


def _points(cells: int, n: int) -> Case:
    schema = tiny_schema(cells)
    case = learner_case("points", Occam(Points(schema, "a"), ONE), schema, n)
    return reordered(case, cells=cells, output=lambda point, row: replace(point, cell=row[point.cell]))


def _thresholds(cells: int, n: int) -> Case:
    schema = tiny_schema(cells)
    return mirrored(learner_case("cuts", Occam(Thresholds(schema, "a"), ONE), schema, n), cells=cells)


@pytest.mark.parametrize("cells", [2, 3, 4])
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("make", [_points, _thresholds])
def test_symmetry_gives_the_finding_of_the_full_audit(make: object, cells: int, n: int) -> None:
    case = make(cells, n)  # type: ignore[operator]
    whole, cut = audit(case, symmetry=False), audit(case)
    assert (cut.exact, cut.delta, cut.pairs, cut.complete) == (whole.exact, whole.delta, whole.pairs, True)
    assert cut.compared < whole.compared == whole.pairs


SYMMETRIC = [name for name, make in REGISTRY.items() if make().symmetries and name != "subsampled"]


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetries_of_the_registry_are_true_of_every_pair(name: str) -> None:
    case = REGISTRY[name]()
    whole, cut = audit(case, symmetry=False), audit(case)
    assert (cut.exact, cut.pairs, cut.complete) == (whole.exact, whole.pairs, True)
    assert cut.compared <= whole.compared


def test_symmetry_finds_a_broken_claim_as_the_full_audit_does() -> None:
    schema = tiny_schema(3)
    claim = Privacy(Loss(factor=Fraction(3, 2)))
    made = learner_case("points", Occam(Points(schema, "a"), ONE), schema, 3, claim=claim)
    case = replace(made, symmetries=_points(3, 3).symmetries)
    whole, cut = audit(case, symmetry=False), audit(case)
    assert not whole.holds
    assert (cut.exact, cut.delta) == (whole.exact, whole.delta)


def test_symmetry_with_labels_only_and_with_ordered_inputs() -> None:
    schema = tiny_schema(3)
    claim = Privacy(Loss(log=ONE), unit=Unit.LABEL)
    labels = learner_case("points", Occam(Points(schema, "a"), ONE), schema, 2, claim=claim)
    for case in (labels, replace(_points(3, 2), ordered=True)):
        moved = replace(case, symmetries=_points(3, 2).symmetries)
        whole, cut = audit(moved, symmetry=False), audit(moved)
        assert (cut.exact, cut.pairs) == (whole.exact, whole.pairs)
        assert cut.compared < whole.compared


def test_a_symmetry_that_is_none_is_refused() -> None:
    cuts = _thresholds(3, 2)
    backwards = Symmetry(lambda r: (2 - int(str(r[0])), r[1]), lambda h: h)
    with pytest.raises(ParameterError, match="moved law"):
        audit(replace(cuts, symmetries=(backwards,)))
    onto_one = Symmetry(cuts.symmetries[0].record, lambda h: 0)
    with pytest.raises(ParameterError, match="two outputs to one"):
        audit(replace(cuts, symmetries=(onto_one,)))
    not_onto = Symmetry(lambda r: (0, r[1]), lambda h: h)
    with pytest.raises(ParameterError, match="permute the records"):
        audit(replace(cuts, symmetries=(not_onto,)))
    mixing = Symmetry(lambda r: (r[1], r[0]), lambda h: h)
    claim = replace(cuts.claim, unit=Unit.LABEL)
    two = Case("two", lambda data, coins: 0, records_of(tiny_schema(2)), 1, claim, symmetries=(mixing,))
    with pytest.raises(ParameterError, match="same features"):
        audit(two)


def test_thresholds_on_four_points_and_five_records_take_seconds() -> None:
    begin = time.process_time()
    finding = audit(_thresholds(4, 5))
    assert finding.complete
    assert finding.pairs == 9240
    assert time.process_time() - begin < 20


def test_time_is_kept_and_what_was_covered_is_said() -> None:
    def slow(data: Sequence[Record], coins: Coins) -> int:
        time.sleep(0.02)
        return coins.below(2)

    case = Case("slow", slow, ((0,), (1,), (2,)), 3, Privacy(Loss(factor=ONE)))
    finding = audit(case, budget_seconds=0.25)
    assert not finding.complete
    assert 0 < finding.pairs < finding.total == 18
    assert finding.seconds < 1
    assert finding.holds


def test_the_deadline_ends_a_law_that_would_take_ages() -> None:
    def endless(data: Sequence[Record], coins: Coins) -> int:
        return sum(coins.below(2) for _ in range(40))

    finding = audit(Case("endless", endless, ((0,), (1,)), 1, Privacy(Loss())), budget_seconds=0.2)
    assert not finding.complete
    assert finding.pairs == 0
    assert finding.seconds < 2


def test_an_audit_can_be_carried_on() -> None:
    work = Audit(_thresholds(3, 3))
    seen: list[int] = []
    while not work.finished:
        work.advance(0.0, progress=seen.append)
        work.advance(0.05, progress=seen.append)
    assert work.finding().exact == audit(_thresholds(3, 3)).exact
    assert seen == sorted(seen)
    assert seen[-1] == work.finding().total


def test_no_repr_shows_a_record() -> None:
    secret = (("patient-4711",), ("patient-1147",))
    case = replace(
        response(keep=Fraction(4, 5)), records=secret, run=lambda data, coins: data[0] == secret[0]
    )
    finding = audit(case)
    assert finding.worst is not None
    assert "patient" in str(finding.worst)
    assert "patient" not in repr(case) + repr(finding)
