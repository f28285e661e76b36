"""The exact audit: every pair once, symmetry changes nothing but the work, time is kept, records stay hidden."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from privpac.audit.exact import Audit, Case, Symmetry, audit, count_pairs
from privpac.audit.registry import REGISTRY, learner_case, mirrored, records_of, reordered, tiny_schema
from privpac.audit.survey import at_limits, survey
from privpac.coins import Coins, Raised
from privpac.compiled import processor_time
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.sets.points import Points
from privpac.constructions.cases import Record
from privpac.constructions.draw.occam import Occam
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.facts import Loss, Privacy, Unit
from tests.golden.audits import AUDIT, row

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
    assert finding.pairs == finding.compared == finding.total == count_pairs(case) > 0
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


AUDITED = json.loads(AUDIT.read_text(encoding="utf-8"))


@pytest.mark.long_cases("reference-table", "agnostic", "agnostic-occam")
@pytest.mark.parametrize("name", [name for name in REGISTRY if name != "subsampled"])
def test_symmetries_of_the_registry_are_true_of_every_pair(name: str) -> None:
    """Without them the finding is the same; `claims/test_exact.py` holds the finding with them to the same row."""
    case = REGISTRY[name]()
    if not case.symmetries:
        return
    whole = audit(case, symmetry=False)
    assert whole.complete
    assert row(whole) == AUDITED[name]
    assert whole.compared == whole.pairs


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
    with pytest.raises(ParameterError) as refused:
        audit(replace(cuts, symmetries=(backwards,)))
    assert refused.value.parameter == "symmetries"
    onto_one = Symmetry(cuts.symmetries[0].record, lambda h: 0)
    with pytest.raises(ParameterError) as refused:
        audit(replace(cuts, symmetries=(onto_one,)))
    assert refused.value.parameter == "symmetries"
    not_onto = Symmetry(lambda r: (0, r[1]), lambda h: h)
    with pytest.raises(ParameterError) as refused:
        audit(replace(cuts, symmetries=(not_onto,)))
    assert refused.value.parameter == "symmetries"
    mixing = Symmetry(lambda r: (r[1], r[0]), lambda h: h)
    claim = replace(cuts.claim, unit=Unit.LABEL)
    two = Case("two", lambda data, coins: 0, records_of(tiny_schema(2)), 1, claim, symmetries=(mixing,))
    with pytest.raises(ParameterError) as refused:
        audit(two)
    assert refused.value.parameter == "symmetries"


def test_thresholds_on_four_points_and_five_records_take_seconds() -> None:
    begin = time.process_time()
    finding = audit(_thresholds(4, 5))
    assert finding.complete
    assert finding.pairs == 9240
    assert time.process_time() - begin < 20


def test_a_refusal_that_depends_on_a_record_breaks_the_claim() -> None:
    def run(data: Sequence[Record], coins: Coins) -> int:
        if coins.flip(Fraction(1, 2)) and len(set(data)) > 1:
            raise SizeError("Too many different values.")
        return 0

    finding = audit(Case("refuses", run, ((0,), (1,)), 2, Privacy(Loss(log=Fraction(100)))))
    assert (finding.exact, finding.delta, finding.holds) == (None, Fraction(1, 2), False)
    assert finding.raised == {"SizeError"}
    assert finding.worst is not None
    assert finding.worst[2] == Raised.of(SizeError("Too many different values."))


def test_a_refusal_of_everybody_alike_is_no_loss() -> None:
    def run(data: Sequence[Record], coins: Coins) -> int:
        if coins.flip(Fraction(1, 3)):
            raise SizeError("Not today.")
        return 0

    finding = audit(Case("refuses", run, ((0,), (1,)), 2, Privacy(Loss())))
    assert (finding.exact, finding.holds) == (1, True)


def test_a_case_that_only_raises_or_has_no_pair_is_not_said_to_hold() -> None:
    def run(data: Sequence[Record], coins: Coins) -> int:
        raise TypeError("a slip in the case itself")

    finding = audit(Case("slip", run, ((0,), (1,)), 2, Privacy(Loss())))
    assert finding.compared > 0
    assert finding.holds is None
    lonely = audit(Case("lonely", lambda data, coins: 0, ((0,),), 2, Privacy(Loss())))
    assert (lonely.complete, lonely.compared, lonely.holds) == (True, 0, None)


def test_a_symmetry_leaves_refusals_alone() -> None:
    def run(data: Sequence[Record], coins: Coins) -> int:
        if coins.flip(Fraction(1, 3)):
            raise SizeError("Not today.")
        return int(str(data[0][0])) if coins.flip(Fraction(3, 4)) else 1 - int(str(data[0][0]))

    swap = Symmetry(lambda record: (1 - int(str(record[0])),), lambda bit: 1 - bit)
    case = Case("swapped", run, ((0,), (1,)), 1, Privacy(Loss(factor=Fraction(3))), symmetries=(swap,))
    assert (audit(case).exact, audit(case).holds) == (3, True)


def test_limits_are_one_record_more_all_alike_of_one_class_or_all_different() -> None:
    case = _points(3, 3)
    edge = at_limits(case)
    assert edge is not None
    assert edge.n == 4
    assert edge.inputs is not None
    equal, one_class, different = edge.inputs
    assert len(set(equal)) == 1
    assert {label for _, label in one_class} == {0}
    assert len(set(different)) == 4
    finding = audit(edge)
    assert finding.pairs == finding.compared == finding.total == count_pairs(edge) > 0
    assert finding.holds
    assert finding.exact is not None
    whole = audit(_points(3, 4)).exact
    assert whole is not None
    assert finding.exact <= whole


def test_a_fault_beyond_the_size_of_a_row_is_found_at_its_limits() -> None:
    """Whatever is right for two records, and goes wrong at the third different one."""

    def run(data: Sequence[Record], coins: Coins) -> int:
        if len(set(data)) > 2:
            raise SizeError("Too many different values.")
        return 0

    claim = Privacy(Loss(log=ONE))
    case = Case("counts", run, ((0,), (1,), (2,)), 2, claim, certified=lambda records: claim)
    assert audit(case).holds
    finding = survey({"counts": lambda: case})["counts"]
    assert finding.holds is False
    assert finding.limit is not None
    assert finding.limit.exact is None
    assert at_limits(replace(case, certified=None)) is None


def _compute(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_time_spent_waiting_is_not_counted() -> None:
    def waits(data: Sequence[Record], coins: Coins) -> int:
        time.sleep(0.02)
        return coins.below(2)

    case = Case("waits", waits, ((0,), (1,)), 2, Privacy(Loss(factor=ONE)))
    finding = audit(case, budget_seconds=0.1)
    assert finding.complete
    assert finding.seconds < 0.1


def test_time_is_kept_and_what_was_covered_is_said() -> None:
    def slow(data: Sequence[Record], coins: Coins) -> int:
        _compute(0.02)
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
    assert finding.holds is None
    assert finding.seconds < 2


def test_a_law_that_was_cut_short_is_gone_on_with() -> None:
    runs: list[object] = []

    def long(data: Sequence[Record], coins: Coins) -> int:
        runs.append(data)
        _compute(0.002)
        return sum(coins.below(2) for _ in range(6))

    work = Audit(Case("long", long, ((0,), (1,)), 1, Privacy(Loss())))
    turns = 0
    while not work.finished:
        work.advance(deadline=processor_time() + 0.03)
        turns += 1
    assert turns > 3
    assert len(runs) <= 2 * 64  # every branch of both laws once
    assert work.finding().exact == 1


def test_the_smallest_are_settled_first_and_told_at_once() -> None:
    def taking(seconds: float) -> Case:
        def run(data: Sequence[Record], coins: Coins) -> int:
            _compute(seconds)
            return coins.below(2)

        return Case(f"{seconds}", run, tuple((i,) for i in range(6)), 1, Privacy(Loss(factor=ONE)))

    seconds = {"endless": 0.5, "slow": 0.05, "quick": 0.0, "middling": 0.01}
    told: list[str] = []
    shares: list[float] = []
    findings = survey(
        {name: lambda spent=spent: taking(spent) for name, spent in seconds.items()},  # type: ignore[misc]
        budget_seconds=2,
        settled=lambda name, finding: told.append(name) if finding.settled else None,
        progress=shares.append,
    )
    assert told == ["quick", "middling", "slow"]
    assert list(findings) == list(seconds)
    assert not findings["endless"].settled
    assert shares[-1] == pytest.approx(1, abs=0.2) or max(shares) >= 0.75


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
