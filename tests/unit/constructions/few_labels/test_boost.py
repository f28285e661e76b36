"""LabelBoost and its formulas: reference values, the recursion, settings that meet a target, and every refusal."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privpac.audit.registry import tiny_schema
from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.trees.lists import DecisionLists
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.active import positions_known, records_active
from privpac.constructions.few_labels.after_labels import (
    Budget,
    Drawn,
    Family,
    mistakes_of_draw,
    transfer_error,
    transfer_excess,
)
from privpac.constructions.few_labels.boost import (
    BOOSTING,
    LabelBoost,
    LabelBoostRealizable,
    Round,
    best_round,
    error_label_boost,
    keep_labelled,
    keep_unlabelled,
    label_boost_labelled,
    label_boost_loss,
    label_boost_unlabelled,
    labels_as_printed,
)
from privpac.constructions.few_labels.floors import labels_floor, transcript_labels_floor
from privpac.constructions.few_labels.relabel import RELABELLING, best_votes, error_ssl_relabel
from privpac.constructions.wrappers.sampling import Resampled
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.errors import ParameterError, RuleRefused, SizeError
from privpac.guarantee import rules
from privpac.guarantee.facts import Against, Release
from privpac.guarantee.parts import LABELLED, UNLABELLED, UNQUERIED
from privpac.numbers.exact import ratio_for
from tests.statistical.claims import claims, moved

ONE, HALF, FAILURE = Fraction(1), Fraction(1, 2), Fraction(1, 20)
WIDE = Family(2**32 + 1, 1, Fraction(2**32))


def wide_schema(bits: int = 32) -> Schema:
    return Schema((Numeric("a", 0, 2**bits - 1, integer=True),), "y")


# --- reference values ---


def test_the_losses_of_the_reference_code() -> None:
    """Values of an independent implementation in floats."""
    assert float(label_boost_loss(1, draw=1)) == pytest.approx(2.94815, abs=1e-5)
    inner = rules.declared(rules.exponential_mechanism(ratio=ratio_for(Fraction(1, 2))), epsilon=ONE)
    drawn = rules.sampling_with_replacement(inner, draws=1000, of=1000).fact
    assert float(drawn.epsilon.upper) == pytest.approx(1.71681, abs=1e-5)
    big = rules.exponential_mechanism(ratio=ratio_for(Fraction(5)))
    assert float(rules.subsampling(big, kept=1, of=2).fact.epsilon.upper) == pytest.approx(
        math.log1p(math.expm1(10) / 2), abs=1e-6
    )
    ln_244 = rules.geometric_noise(ratio=Fraction(1, 244), change=1)
    factor = rules.subsampling(ln_244, kept=1, of=247).fact.epsilon
    assert float(factor.upper) == pytest.approx(0.68502, abs=1e-5)


def test_printed_constants_of_the_sampling_lemmas_are_far_from_needed() -> None:
    """ln 244 and 2467·delta at m = N, epsilon 1, where (1.7169, 2.66·delta) holds."""
    exact = rules.k_fold(rules.exponential_mechanism(ratio=ratio_for(Fraction(1, 6))), times=3, saved=1)
    one = rules.declared(exact, epsilon=ONE, delta=Fraction(1, 10))
    drawn = rules.sampling_with_replacement(one, draws=1000, of=1000).fact
    assert float(drawn.epsilon.upper) < 1.72 < math.log(244)
    assert float(drawn.delta / one.fact.delta) == pytest.approx(2.65773, abs=1e-4)


@claims(keep_labelled=moved(1), keep_unlabelled=moved(1))
def test_keep_rates_at_epsilon_one_and_printed_ones() -> None:
    assert keep_labelled(10**6, epsilon=ONE, later=ONE, draw=ONE) == 95_086
    assert keep_unlabelled(10**6, epsilon=ONE, later=ONE) == 174_036
    assert 10**6 // 100 < 95_086
    kept = keep_labelled(1000, epsilon=Fraction(3), later=Fraction(1, 2), draw=ONE)
    assert kept == 1000, "nothing is thrown away where epsilon pays for relabelling everybody"


@pytest.mark.parametrize(("kept", "inner", "epsilon", "need"), [(1000, 1, 0.1, 16_338), (10, 1, 2, 10)])
def test_records_for_questions(kept: int, inner: int, epsilon: float, need: int) -> None:
    assert records_active(kept, inner=inner, epsilon=epsilon) == need
    printed = kept / epsilon * (3 + math.exp(2 * inner))
    assert need < printed


@pytest.mark.parametrize("inner", [1, 2, 4])
def test_delta_of_asking_is_below_both_printed_versions(inner: int) -> None:
    """The claim states (7 + E) where its proof has (7 + e^E), times epsilon·delta/(3 + e^(2E)); ours is once that."""
    epsilon = 0.5
    share = epsilon / (3 + math.exp(2 * inner))
    assert share < share * (7 + inner) <= share * (7 + math.exp(inner))
    assert math.log1p(share * math.expm1(inner)) < epsilon


def test_floors_of_labels() -> None:
    assert labels_floor(2, error=Fraction(1, 1000), failure=Fraction(1, 20)) == 107
    assert labels_floor(1, error=0.01, failure=0.05) == 0
    assert transcript_labels_floor(error=0.01, failure=0.05, epsilon=0.1) == 8
    assert transcript_labels_floor(error=0.01, failure=0.05, epsilon=0.1, delta=1e-3, records=10**6) == 0
    assert transcript_labels_floor(error=0.2, failure=0.05, epsilon=1) == 0
    with pytest.raises(ParameterError, match="strictly between 0 and"):
        labels_floor(2, error=0.3, failure=0.05)


def test_the_floor_of_private_questions_has_a_term_that_the_printed_order_hides() -> None:
    """An order of 1/error would stay; with delta·n it vanishes, and with epsilon it shrinks like e^(-2·epsilon)."""
    at = [transcript_labels_floor(error=Fraction(1, 10**4), failure=0.05, epsilon=e) for e in (1, 2)]
    assert at[0] / at[1] == pytest.approx(math.exp(2), rel=0.05)


@claims(mistakes_of_draw=moved(-1))
def test_mistakes_of_a_draw_are_the_smallest_that_hold() -> None:
    for odds, ratio, failure in (
        (2**32, Fraction(3, 5), FAILURE),
        (7, Fraction(9, 10), Fraction(1, 3)),
        (1, Fraction(1, 2), FAILURE),
    ):
        most = mistakes_of_draw(odds, ratio=ratio, failure=failure)
        assert odds * ratio ** (most + 1) <= failure
        assert most == 0 or odds * ratio**most > failure
    assert mistakes_of_draw(0, ratio=Fraction(1, 2), failure=FAILURE) == 0


def test_rates_are_carried_over_by_the_better_of_growth_and_size() -> None:
    small, huge = Family(2**8, 1, Fraction(255)), Family(2**5000, 8, Fraction(2**5000))
    assert transfer_error(0, points=1000, family=small, failure=FAILURE).basis == "size"
    assert transfer_error(0, points=1000, family=huge, failure=FAILURE).basis == "growth"
    assert transfer_excess(0, points=1000, family=huge, failure=FAILURE).basis == "growth"
    assert transfer_error(0, points=1000, family=Family(10, None, ONE), failure=FAILURE).basis == "size"
    pairs = transfer_error(0, points=1000, family=small, failure=FAILURE, pairs=True)
    assert pairs.error > transfer_error(0, points=1000, family=small, failure=FAILURE).error


# --- how many ---


def test_printed_constants_ask_for_millions() -> None:
    printed = labels_as_printed(1, error=0.1, failure=0.05)
    assert printed > 10**8
    assert BOOSTING.fewest(WIDE, error=0.1, failure=0.05, epsilon=1).labelled < printed / 50_000


def test_thresholds_over_32_bits_need_fewer_labels_than_announced() -> None:
    plan = BOOSTING.fewest(WIDE, error=0.1, failure=0.05, epsilon=1, unlabelled=180_280)
    assert plan.labelled <= 2_293
    assert plan.unlabelled <= 180_280
    found = best_round(WIDE, Size(plan.labelled, 180_280), epsilon=ONE, failure=FAILURE)
    assert error_label_boost(*found, labelled=plan.labelled, family=WIDE, failure=0.05) <= Fraction(1, 10)


def test_large_classes_gain_most() -> None:
    """VC dimension 8, 5000 bits, epsilon 1: the plain mechanism needs 86,412 labels."""
    large = Family(2**5000, 8, Fraction(2**5000 - 1))
    boost = BOOSTING.fewest(large, error=0.1, failure=0.05, epsilon=1)
    relabel = RELABELLING.fewest(large, error=0.1, failure=0.05, epsilon=1)
    assert relabel.labelled < 13_168
    assert boost.labelled < 22_126
    found = best_votes(large, relabel, epsilon=ONE, failure=FAILURE)
    assert error_ssl_relabel(*found, labelled=relabel.labelled, family=large, failure=0.05) <= Fraction(1, 10)


def test_more_noise_needs_more() -> None:
    found = best_round(WIDE, Size(2293, 180_280), epsilon=ONE, failure=FAILURE)
    clean, noisy = (
        error_label_boost(*found, labelled=2293, family=WIDE, failure=FAILURE, noisy=noisy)
        for noisy in (False, True)
    )
    assert clean < noisy < 1
    few = Round(ONE, 1, 5, 5), Budget(ONE)
    assert error_label_boost(*few, labelled=5, family=WIDE, failure=FAILURE) == 1
    tiny = best_votes(WIDE, Size(3, 100), epsilon=ONE, failure=FAILURE)
    assert error_ssl_relabel(*tiny, labelled=3, family=WIDE, failure=FAILURE) == 1


def test_too_few_unlabelled_records_are_refused_whatever_the_labels() -> None:
    with pytest.raises(SizeError, match="whatever the number of labels"):
        BOOSTING.fewest(WIDE, error=1e-6, failure=0.05, epsilon=1, unlabelled=2)


# --- the learner ---


def concepts(bits: int = 32) -> Thresholds:
    return Thresholds(wide_schema(bits), "a")


def sample(labelled: int, unlabelled: int, *, cut: float = 0.4, seed: int = 1) -> SemiSample:
    schema = wide_schema()
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 2**32, labelled + unlabelled)
    first, rest = points[:labelled], points[labelled:]
    labels = (first >= int(cut * 2**32)).astype(np.uint8)
    return SemiSample(
        MemorySample.from_cells(schema, {"a": first}, labels), MemorySample.from_cells(schema, {"a": rest})
    )


def test_calibrated_it_meets_the_target_for_every_part_and_learns() -> None:
    size = Size(2_000, 60_000)
    learner = LabelBoost.calibrate(concepts(), size, epsilon=ONE)
    certificate = learner.certify(size)
    assert certificate.epsilon == 1
    assert list(certificate.parts) == [LABELLED, UNLABELLED]
    assert all(float(fact.epsilon.upper) > 0.98 for fact in certificate.parts.values())
    assert check_certificate(certificate.to_json()) > 5
    rule = learner.learn(sample(2_000, 60_000), SeededCoins(1))
    assert abs(rule.cut / 2**32 - 0.4) < certificate.accuracy[0].fact.error  # type: ignore[attr-defined]
    assert learner.outcomes == 2**32 + 1


def test_without_records_of_either_part_it_is_refused() -> None:
    with pytest.raises(SizeError, match="needs labelled and unlabelled records"):
        LabelBoost.calibrate(concepts(), Size(500), epsilon=ONE)


def test_a_base_of_ones_own_gets_independent_draws() -> None:
    size, cut = Size(3_000, 100_000), concepts()
    base = Resampled(Occam(cut, Fraction(1, 2)), 3_000)
    learner = LabelBoost(cut, base, Round(Fraction(27, 20), 200, 100_000, 15_000), ONE)
    certificate = learner.certify(size)
    assert "sampling-with-replacement" in str(certificate.to_json())
    assert check_certificate(certificate.to_json()) > 5
    assert certificate.accuracy[0].premises[0].fact.records == 15_200  # type: ignore[union-attr]
    rule = learner.learn(sample(3_000, 100_000), SeededCoins(2))
    assert abs(rule.cut / 2**32 - 0.4) < 0.1  # type: ignore[attr-defined]


def test_two_rounds_are_certified_by_the_recursion() -> None:
    size, cut, end = Size(20_000, 40_000), concepts(), Fraction(1, 10)
    steps = [Round(Fraction(27, 20), 2_000, 20_000, 4_000), Round(Fraction(27, 20), 100, 20_000, 4_000)]
    inner = LabelBoost(cut, Occam(cut, end), steps[1], ONE)
    learner = LabelBoost(cut, inner, steps[0], ONE)
    labelled, first, second = (float(proof.fact.epsilon.upper) for proof in learner.by_part(size))
    later = float(end)
    for step, count, block in ((steps[1], 6_000, second), (steps[0], 20_000, first)):
        share = step.kept_unlabelled / step.taken
        assert block == pytest.approx(math.log1p(share * (4 * math.exp(later) - 1)), abs=1e-9)
        grown = math.exp(later) * (1 + math.exp(float(step.draw_epsilon) / 2)) ** 2
        later = math.log1p(step.kept_labelled / count * (grown - 1))
    assert labelled == pytest.approx(later, abs=1e-9)
    certificate = learner.certify(size)
    assert list(certificate.parts) == [LABELLED, f"{UNLABELLED}, block 1", f"{UNLABELLED}, block 2"]
    assert certificate.accuracy == ()
    assert check_certificate(certificate.to_json()) > 5
    learner.learn(sample(20_000, 40_000), SeededCoins(3))


def test_what_cannot_be_run_is_refused() -> None:
    cut, base = concepts(), Occam(concepts(), ONE)
    with pytest.raises(ParameterError, match="no more others kept than taken"):
        Round(ONE, 1, 1, 2)
    inner = LabelBoost(cut, base, Round(ONE, 3, 1, 1), ONE)
    with pytest.raises(SizeError, match="at least 3 labelled and 1 unlabelled"):
        LabelBoost(cut, inner, Round(ONE, 1, 1, 1), ONE).certify(Size(1, 2))
    with pytest.raises(RuleRefused, match="larger than declared"):
        LabelBoost(cut, base, Round(ONE, 1, 1, 1), ONE).certify(Size(1, 1))
    with pytest.raises(SizeError, match="set up for at least 5 labelled and 7 unlabelled"):
        LabelBoost(cut, base, Round(ONE, 5, 7, 1), ONE).certify(Size(4, 9))
    with pytest.raises(SizeError, match="too few to keep a random part"):
        LabelBoost.calibrate(cut, Size(1, 100), epsilon=Fraction(1, 100))
    with pytest.raises(ParameterError, match="whose labellings of given points can be drawn from"):
        LabelBoost.calibrate(
            DecisionLists(replace(tiny_schema(3), classes=("a", "b", "c")), 2), Size(10, 10), epsilon=ONE
        )


def test_an_improper_base_is_promised_no_accuracy() -> None:
    """The printed lemma speaks of concepts of the class only; a base that may answer otherwise is not covered by it."""
    both = Occam(Thresholds(wide_schema(), "a", "either"), Fraction(1, 20))
    learner = LabelBoost(concepts(), both, Round(ONE, 200, 100_000, 15_000), ONE)
    assert learner.certify(Size(3_000, 100_000)).accuracy == ()


# --- rules ---


def test_rules_refuse_what_they_cannot_prove() -> None:
    inner = rules.exponential_mechanism(ratio=Fraction(1, 2))
    for ratio in (Fraction(0), Fraction(2)):
        with pytest.raises(RuleRefused, match="ratio"):
            label_boost_labelled(inner, classes=2, ratio=ratio)
    with pytest.raises(RuleRefused, match="records whose labels were drawn"):
        label_boost_unlabelled(rules.on_part(inner, part=UNLABELLED), classes=2)
    with pytest.raises(RuleRefused, match="what is known besides"):
        positions_known(inner, part=LABELLED, release=Release.ANSWER)
    with pytest.raises(RuleRefused, match="no such role"):
        positions_known(inner, part=LABELLED, release=Release.WITH_LIST)
    with pytest.raises(RuleRefused, match="people in this role"):
        positions_known(rules.on_part(inner, part=LABELLED), part=UNQUERIED, release=Release.WITH_COINS)


def test_the_bound_for_distributions_is_not_one_for_the_records_themselves() -> None:
    with pytest.raises(RuleRefused, match="errors under the distribution"):
        rules.occam(
            odds=1,
            records=100,
            ratio=Fraction(1, 2),
            tilt=Fraction(1, 2),
            error=Fraction(1, 2),
            failure=FAILURE,
            against=Against.EMPIRICAL,
        )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kept": 2000}, "more are kept than there are"),
        ({"kept": 1}, "prove nothing"),
        ({"points": 20, "kept": 10, "near": Drawn(Fraction(1000), HALF, FAILURE / 10)}, "prove nothing"),
        ({"near": Drawn(Fraction(1000), HALF, Fraction(99, 100))}, "add up to one"),
    ],
)
def test_an_accuracy_that_does_not_follow_is_refused(change: dict[str, Any], reason: str) -> None:
    bound = LabelBoostRealizable(
        1000, 10_000, HALF, Family(1001, 1, Fraction(1000)), Drawn(Fraction(1000), HALF, FAILURE / 10)
    )
    assert bound.promise(1000, FAILURE)
    assert replace(bound, **change).promise(1000, FAILURE) == ()
    with pytest.raises(RuleRefused, match=reason):
        replace(bound, **change).derived(1000, FAILURE)
