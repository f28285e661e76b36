"""The private estimate: what it counts, how wide its interval must be, what it costs, and when it is refused."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from privpac.audit.registry import sample_of, tiny_schema
from privpac.coins import SeededCoins, law
from privpac.concepts.line.thresholds import Threshold
from privpac.constructions.estimates.confusion import (
    CONFIDENCE,
    Confusion,
    ConfusionCounts,
    estimate_privacy,
    release_confusion,
    sum_half_width,
    summarise,
)
from privpac.constructions.estimates.figures import figures_of
from privpac.constructions.estimates.sampling import Choice
from privpac.constructions.recipe import HOLDOUT, TRAINING, Recipe
from privpac.constructions.words import Request
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.facts import Loss, Unit
from privpac.mechanisms.geometric import add_noise
from privpac.numbers.exact import ratio_for
from privpac.report.page import estimate_figure
from privpac.request import LearnRequest
from privpac.theory.generalisation import gap_class, gap_holdout

QUIET = Fraction(1000)
"""An epsilon at which noise other than 0 is less likely than e^-500."""

SCHEMA = tiny_schema(8)
RULE = Threshold("a", 4, up=True)


def records(n: int, *, flipped: float, seed: int) -> MemorySample:
    """Records whose label is the rule's, but for a share of them."""
    generator = np.random.default_rng(seed)
    a = generator.integers(0, 8, n)
    wrong = generator.random(n) < flipped
    return MemorySample.from_cells(SCHEMA, {"a": a}, ((a >= 4) ^ wrong).astype(np.uint8))


# --- the half-width of a sum of noises ---


def tail(ratio: Fraction, counts: tuple[int, ...], n: int, reach: int) -> Fraction:
    """Pr[|sum of noises| > reach] of noises clamped to 0..n around these counts, by the code that adds them."""
    sums = law(lambda coins: sum(add_noise(counts, ratio=ratio, low=0, high=n, coins=coins)))
    return sum((p for total, p in sums.items() if abs(total - sum(counts)) > reach), Fraction(0))


@pytest.mark.parametrize("ratio", [Fraction(1, 10), Fraction(1, 3), Fraction(3, 5)])
@pytest.mark.parametrize("failure", [Fraction(1, 4), Fraction(1, 20)])
def test_no_clamped_sum_leaves_the_half_width_more_often_than_promised(
    ratio: Fraction, failure: Fraction
) -> None:
    n, seen = 12, set()
    for terms, counts in ((1, (0, 3, 6, 12)), (2, (0, 6, 12))):
        reach = sum_half_width(ratio, terms, failure)
        for around in product(counts, repeat=terms):
            found = tail(ratio, around, n, reach)
            assert found <= failure
            seen.add(found > 0)
    assert True in seen, "the bound was never put to a test"


def noises(ratio: float, terms: int, *, far: int) -> np.ndarray:
    """Probabilities of the sum -far·terms..far·terms of noises, each cut at ±far."""
    one = ratio ** np.abs(np.arange(-far, far + 1)) * (1 - ratio) / (1 + ratio)
    law_of_sum = np.ones(1)
    for _ in range(terms):
        law_of_sum = np.convolve(law_of_sum, one)
    return law_of_sum


@pytest.mark.parametrize("terms", [1, 2, 3, 10])
@pytest.mark.parametrize("epsilon", ["0.05", "0.5", "2"])
def test_the_half_width_is_neither_too_small_nor_far_too_large(terms: int, epsilon: str) -> None:
    ratio, failure = ratio_for(Fraction(epsilon) / 2), Fraction(1, 40)
    far = int(40 / float(Fraction(epsilon))) * 2
    probabilities = noises(float(ratio), terms, far=far)
    distance = np.abs(np.arange(-far * terms, far * terms + 1))
    beyond = [float(probabilities[distance > k].sum()) for k in range(far)]
    smallest = next(k for k, chance in enumerate(beyond) if chance <= failure)
    found = sum_half_width(ratio, terms, failure)
    assert smallest <= found <= 2 * smallest + 2
    assert smallest == 0 or beyond[smallest - 1] > failure


# --- counting ---


def test_counts_are_true_class_by_predicted_class() -> None:
    sample = sample_of(SCHEMA, [(0, 0), (1, 0), (5, 0), (6, 1), (7, 1), (7, 1), (3, 1)])
    found = sample.reduce(ConfusionCounts(RULE, 2, ("a",)))
    assert found.tolist() == [[2, 1], [1, 3]]


def test_counts_of_blocks_add_up() -> None:
    statistic = ConfusionCounts(RULE, 2, ("a",))
    parts = [records(n, flipped=0.3, seed=n).block() for n in (5, 9)]
    apart = [statistic.absorb(statistic.zero(), part) for part in parts]
    in_turn = statistic.absorb(apart[0].copy(), parts[1])
    assert (statistic.merge(*apart) == in_turn).all()
    assert in_turn.sum() == 14


# --- the interval ---


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_the_terms_of_the_interval(classes: int) -> None:
    counts = tuple(tuple(250 if i == j else 3 for j in range(classes)) for i in range(classes))
    epsilon, n, half = Fraction(1, 2), 2000, (1 - CONFIDENCE) / 2
    # Of two classes all four counts tell the share, for their number is known, and half of either noise cancels.
    terms, unit = (4, 2 * n) if classes == 2 else (classes, n)
    width = Fraction(sum_half_width(ratio_for(epsilon / 2), terms, half), unit)
    right = Fraction(n + 2 * 250 - 2 * 3, 2 * n) if classes == 2 else Fraction(250 * classes, n)
    aside = summarise(counts, records=n, epsilon=epsilon, choice=None)
    same = summarise(counts, records=n, epsilon=epsilon, choice=Choice(10**6))
    assert aside.accuracy == same.accuracy == right
    assert aside.noise == same.noise == width
    assert (aside.holdout, aside.sampling) == (True, gap_holdout(n, failure=half))
    assert (same.holdout, same.sampling) == (False, gap_class(n, size=10**6, failure=half))
    assert same.sampling > aside.sampling
    assert aside.low == aside.accuracy - width - aside.sampling
    assert aside.high == aside.accuracy + width + aside.sampling


def test_the_interval_stays_within_0_and_1() -> None:
    for counts in (((0, 3), (4, 0)), ((7, 0), (0, 7))):  # noise may make more right records than there are
        found = summarise(counts, records=7, epsilon=Fraction(1), choice=Choice(5))
        assert 0 <= found.low <= found.accuracy <= found.high <= 1


def coverage(n: int, p: Fraction, ratio: Fraction, *, width: Fraction) -> float:
    """Pr[the interval covers p], exactly up to rounding: binomial hits, then noise on the two right counts.

    Hits are shared evenly between the classes; clamping only brings the sum nearer, so leaving it out is harder.
    """
    noise = noises(float(ratio), 2, far=200)
    offsets = np.arange(-400, 401)
    covered = 0.0
    for hits in range(n + 1):
        chance = comb(n, hits) * float(p) ** hits * float(1 - p) ** (n - hits)
        seen = (hits + offsets) / n
        covered += chance * float(noise[np.abs(seen - float(p)) <= float(width) + 1e-12].sum())
    return covered


@pytest.mark.parametrize(("n", "p", "epsilon"), [(50, "1/2", "1"), (200, "4/5", "0.5"), (300, "1/2", "4")])
def test_the_interval_covers_the_truth_as_often_as_promised(n: int, p: str, epsilon: str) -> None:
    ratio = ratio_for(Fraction(epsilon) / 2)
    found = summarise(((n // 2, 0), (0, n // 2)), records=n, epsilon=Fraction(epsilon), choice=None)
    whole = found.noise + found.sampling
    assert coverage(n, Fraction(p), ratio, width=whole) >= CONFIDENCE
    assert coverage(n, Fraction(p), ratio, width=whole / 4) < CONFIDENCE  # the check can fail


def test_released_intervals_cover_the_truth() -> None:
    """By simulation, through the code that releases: a rule that is right with probability 0.7."""
    coins, covered = SeededCoins(3), 0
    for seed in range(300):
        sample = records(150, flipped=0.3, seed=seed)
        found = release_confusion(sample, RULE, epsilon=Fraction(1), coins=coins, choice=None)
        covered += found.low <= Fraction(7, 10) <= found.high
    assert covered >= 285


def test_counts_stay_between_0_and_n() -> None:
    coins = SeededCoins(5)
    for seed in range(50):
        sample = records(20, flipped=0.5, seed=seed)
        found = release_confusion(sample, RULE, epsilon=Fraction(1, 10), coins=coins, choice=None)
        assert all(0 <= count <= 20 for row in found.counts for count in row)


# --- what it costs ---


@pytest.mark.parametrize("unit", list(Unit))
def test_the_price_is_at_most_what_was_declared_and_hardly_less(unit: Unit) -> None:
    proof = estimate_privacy(epsilon=Fraction(1, 10), unit=unit)
    assert (proof.fact.epsilon, proof.fact.delta, proof.fact.unit) == (Loss(log=Fraction(1, 10)), 0, unit)
    true = proof.premises[0].fact.epsilon
    assert true.factor == ratio_for(Fraction(1, 20)) ** -2
    assert Loss(log=Fraction("0.0999999999999")) <= true <= Loss(log=Fraction(1, 10))


def test_an_epsilon_too_small_for_noise_of_finite_size_is_refused() -> None:
    with pytest.raises(ParameterError, match="finite size"):
        estimate_privacy(epsilon=Fraction(1, 10**20))


def request(**wishes: object) -> Request:
    return Request(SCHEMA, Size(100), LearnRequest(**{"epsilon": Fraction(1), **wishes}))  # type: ignore[arg-type]


def test_on_the_same_records_the_epsilons_add_up() -> None:
    certificate = Recipe("thresholds:a", request(), Fraction(1, 4)).certify()
    assert certificate.epsilon == Fraction(5, 4)
    assert certificate.privacy.rule == "sequential"
    assert certificate.labelled == 100


def test_on_a_part_kept_aside_the_larger_epsilon_counts() -> None:
    for share, total in ((Fraction(1, 4), 1), (Fraction(3), 3)):
        certificate = Recipe("thresholds:a", request(), share, Fraction(1, 5)).certify()
        assert certificate.epsilon == total
        assert certificate.privacy.rule == "disjoint-parts"
        assert [p.fact.part for p in certificate.privacy.premises] == [TRAINING, HOLDOUT]
        assert certificate.labelled == 80  # accuracy is promised for what was learnt from


def test_several_records_per_person_share_the_epsilons() -> None:
    certificate = Recipe("thresholds:a", request(records_per_person=4), Fraction(1, 4)).certify()
    assert certificate.epsilon == Fraction(5, 4)
    assert certificate.privacy.rule == "group"
    learnt, estimated = certificate.privacy.premises[0].premises
    assert learnt.fact.epsilon == Loss(log=Fraction(1, 4))
    assert estimated.fact.epsilon == Loss(log=Fraction(1, 16))


def test_the_estimate_speaks_of_the_rule_that_was_drawn_and_of_the_right_records() -> None:
    sample = records(100, flipped=0.1, seed=4)
    same = Recipe("thresholds:a", request(), QUIET).run(sample, SeededCoins(8))
    assert same.estimate is not None
    true = sample.reduce(ConfusionCounts(same.hypothesis, 2, ("a",)))
    assert same.estimate.counts == tuple(map(tuple, true.tolist()))
    assert not same.estimate.holdout

    coins = SeededCoins(8)
    aside = Recipe("thresholds:a", request(), QUIET, Fraction(1, 5)).run(sample, coins)
    kept = sample.take(np.array(SeededCoins(8).subset(100, 20)))
    assert aside.estimate is not None
    true = kept.reduce(ConfusionCounts(aside.hypothesis, 2, ("a",)))
    assert aside.estimate.counts == tuple(map(tuple, true.tolist()))
    assert (aside.estimate.records, aside.estimate.holdout) == (20, True)


def test_the_estimate_follows_from_its_counts() -> None:
    for holdout in (Fraction(0), Fraction(1, 5)):
        recipe = Recipe("thresholds:a", request(records_per_person=2), Fraction(1, 2), holdout)
        released = recipe.run(records(100, flipped=0.1, seed=4), SeededCoins(8))
        assert released.estimate is not None
        assert recipe.estimate_from(released.estimate.counts) == released.estimate
    assert Recipe("thresholds:a", request()).estimate_from(((1, 0), (0, 1))) is None


def test_where_fifty_records_tell_nothing_no_figure_is_printed() -> None:
    """Once: ±1.600 for the noise, ±0.000 for sampling, gains about 0.300, balanced accuracy about 1.000."""
    lost = summarise(((20, 1), (0, 35)), records=50, epsilon=Fraction(1, 10), choice=None)
    assert not lost.tells
    figures = figures_of(lost, ("no", "yes"))
    text = "\n".join([str(lost), lost.remedy, *figures.lines()])
    assert "Nothing can be said about the accuracy" in text
    assert not re.search(r"\d\.\d{3}", text)
    assert figures.recalls == (None, None)
    assert "Nothing can be said" in estimate_figure(lost)
    assert "svg" not in estimate_figure(lost)


def test_an_interval_as_long_as_all_accuracies_is_not_told_wherever_it_is_cut_off() -> None:
    """Once: a card that always says 1 had "accuracy about 0.550, between 0.013 and 1.000", balanced about 0.605."""
    for right in (15, 28, 50):
        found = summarise(
            ((0, 50 - right), (0, right)), records=50, epsilon=Fraction(1, 2), choice=Choice(1000)
        )
        assert found.noise + found.sampling >= Fraction(1, 2)
        assert found.low > 0 or found.high < 1 or right == 28
        assert not found.tells


@pytest.mark.parametrize("epsilon", ["0.001", "0.03", "1"])
def test_the_noise_of_two_classes_is_less_than_half_of_what_the_moment_bound_gave(epsilon: str) -> None:
    """It was 16.4 over records times epsilon: Chernoff's bound for the two counts of the diagonal."""
    found = summarise(((40, 10), (10, 40)), records=100, epsilon=Fraction(epsilon), choice=None)
    assert float(found.noise) * 100 * float(epsilon) <= 0.45 * 16.4


def test_cut_noise_of_all_four_counts_is_covered() -> None:
    """The clamp removes errors on one side only, so the sum drifts where a rule is always right."""
    n, ratio, failure = 6, Fraction(1, 3), Fraction(1, 4)
    reach, seen = sum_half_width(ratio, 4, failure), 0.0
    for counts in ((3, 0, 0, 3), (6, 0, 0, 0), (0, 3, 3, 0), (2, 1, 1, 2)):
        errors = [law_of_error(count, ratio, n) for count in counts]
        beyond = 0.0
        for each in product(*(one.items() for one in errors)):
            total = sum(sign * error for sign, (error, _) in zip((1, -1, -1, 1), each, strict=True))
            beyond += float(np.prod([p for _, p in each])) * (abs(total) > reach)
        assert beyond <= failure
        seen = max(seen, beyond)
    assert seen > float(failure) / 4


def law_of_error(count: int, ratio: Fraction, n: int) -> dict[int, float]:
    noisy = law(lambda coins: add_noise([count], ratio=ratio, low=0, high=n, coins=coins)[0])
    return {value - count: float(p) for value, p in noisy.items()}


ONE = Fraction(1)


def test_unlabelled_records_are_refused() -> None:
    sample = MemorySample.from_cells(SCHEMA, {"a": np.arange(8)})
    with pytest.raises(SizeError, match="labelled"):
        sample.reduce(ConfusionCounts(RULE, 2, ("a",)))


def test_a_stored_estimate_is_read_back() -> None:
    found = summarise(((40, 3), (5, 52)), records=100, epsilon=Fraction(1, 3), choice=Choice(9))
    assert Confusion.from_json(found.to_json()) == found
    assert "records it was learnt from" in str(found)
    aside = summarise(((40, 3), (5, 52)), records=100, epsilon=Fraction(1, 3), choice=None)
    assert "records kept aside" in str(aside)
    assert (found.to_json()["way"], aside.to_json()["way"]) == ("class", "hold-out")
    tiny = Fraction(1, 100)
    private = summarise(((40, 3), (5, 52)), records=100, epsilon=ONE, choice=Choice(10**9, tiny, tiny))
    assert private.to_json()["way"] == "privacy"
    assert Confusion.from_json(private.to_json()) == private
    for one, way in ((found, "hold-out"), (found, "guess"), (found, 7), (aside, "privacy")):
        with pytest.raises(ValueError, match=r"way|Way"):
            Confusion.from_json({**one.to_json(), "way": way})
    with pytest.raises(ValueError, match="confidence"):
        Confusion.from_json({**found.to_json(), "confidence": "0.5"})
    assert found.fits(2)
    assert not found.fits(3)
    for counts in ([[101, 3], [5, 52]], [[40, 3], [5, -1]]):
        assert not Confusion.from_json({**found.to_json(), "counts": counts}).fits(2)
