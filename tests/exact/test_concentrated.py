"""The rho of what ships: divergences of enumerated laws against prices, and mistakes a price must not make."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest

from privpac.audit.exact import Record
from privpac.audit.registry import records_of, sample_of, tiny_schema
from privpac.checker.check import check_derivation
from privpac.coins import Coins, law
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.draw.occam import Occam
from privpac.constructions.draw.refined_trees import RefinedTrees
from privpac.constructions.estimates.confusion import estimate_privacy
from privpac.constructions.prediction.vote_law import VoteLaw
from privpac.constructions.wrappers.sampling import Subsampled
from privpac.data.sample import Size
from privpac.errors import NotCertified, RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.facts import Loss
from privpac.guarantee.price import concentrated_price
from privpac.mechanisms import gibbs
from privpac.mechanisms.geometric import add_noise
from privpac.mechanisms.plurality import PluralityLaw
from privpac.numbers.concentrated import (
    approximate_epsilon,
    log_odds_rho,
    noise_rho,
    order_epsilon,
    pure_rho,
    range_rho,
    rho_up,
    spendable,
    subsampled_range,
)
from tests.exact.divergences import (
    ORDERS,
    Law,
    covered,
    entropy,
    moment,
    neighbour_laws,
    per_order,
    worst_moment,
)

RATIO = Fraction(3, 5)
ONCE, TWICE = Loss(factor=1 / RATIO).upper, Loss(factor=1 / RATIO**2).upper


def _bit(p: Fraction) -> Law:
    return {1: p, 0: 1 - p}


def _draws(scores: Sequence[int], prior: Sequence[int] = (1, 1, 1), ratio: Fraction = RATIO) -> Law:
    weights = [share * ratio**score for share, score in zip(prior, scores, strict=True)]
    return {i: weight / sum(weights) for i, weight in enumerate(weights)}


# What must hold.


@pytest.mark.parametrize("models", [1, 3, 5, 11])
def test_an_odd_vote_is_randomised_response(models: int) -> None:
    chances = VoteLaw(models, RATIO).chances
    pairs = [(_bit(a), _bit(b)) for a, b in pairwise(chances)]
    x = 1 / RATIO
    for order in ORDERS:
        assert worst_moment(pairs, order) == (x**order + x ** (1 - order)) / (1 + x)
        assert covered(worst_moment(pairs, order), order, pure_rho(ONCE))
    assert math.log(worst_moment(pairs, 2)) == pytest.approx(0.236388778, abs=6e-10)


def test_an_even_vote_costs_a_little_less() -> None:
    chances = VoteLaw(4, Fraction(1) / 2).chances
    pairs = [(_bit(a), _bit(b)) for a, b in pairwise(chances)]
    for order in ORDERS:
        assert covered(worst_moment(pairs, order), order, pure_rho(Loss(factor=Fraction(2)).upper))


def _noisy(*counts: int) -> Law:
    return law(lambda coins: tuple(add_noise(counts, ratio=RATIO, low=0, high=12, coins=coins)))


def test_noise_on_one_count_that_moves_by_one_is_randomised_response() -> None:
    x = 1 / RATIO
    for order in ORDERS:
        assert moment(_noisy(5), _noisy(6), order) == (x**order + x ** (1 - order)) / (1 + x)


def test_noise_on_one_count_that_moves_by_two_follows_its_curve() -> None:
    a = RATIO
    for order in ORDERS:
        found = moment(_noisy(5), _noisy(7), order)
        power = lambda u: a ** (-2 * u)  # noqa: E731  e^(u·epsilon)
        # 2·cosh((order - 1/2)·epsilon) + 1 - a over 2·cosh(epsilon/2) + 1 - a, times e^(epsilon/2) above and below
        above = power(order) + power(1 - order) + (1 - a) / a
        below = power(1) + 1 + (1 - a) / a
        assert found == above / below
        assert covered(above / below, order, noise_rho(TWICE, counts=1, largest=2))
    assert math.log(moment(_noisy(5), _noisy(7), 2) or 1) == pytest.approx(0.676566025, abs=6e-10)
    assert entropy(_noisy(5), _noisy(7)) == pytest.approx(0.408660499, abs=6e-10)


def test_noise_on_two_counts_that_move_by_one_costs_half() -> None:
    pairs = [(_noisy(5, 3), _noisy(6, 2))]
    for order in ORDERS[:3]:
        assert covered(worst_moment(pairs, order), order, noise_rho(TWICE, counts=2, largest=1))
    assert entropy(*pairs[0]) == pytest.approx(0.255412812, abs=6e-10)


def test_an_exponential_draw_costs_at_most_an_eighth_of_its_square() -> None:
    worst = 0.0
    for prior, scores in product(((1, 1, 1), (1, 2, 5)), product(range(4), repeat=3)):
        one = _draws(scores, prior)
        for move in product((-1, 0, 1), repeat=3):
            other = _draws([s + m for s, m in zip(scores, move, strict=True)], prior)
            for order in (2, 4):
                value = moment(one, other, order) or Fraction(1)
                worst = max(worst, per_order(value, order))
    assert worst == pytest.approx(0.125163143, abs=6e-10)
    assert worst <= float(range_rho(TWICE)) == pytest.approx(0.130471409, abs=6e-10)


def test_the_least_possible_price_of_a_range_lies_just_below() -> None:
    for epsilon, least in ((0.1, 0.00124983), (0.5, 0.0311421), (1, 0.123302), (2, 0.474475), (4, 1.66985)):
        g = epsilon / -math.expm1(-epsilon)
        assert g - 1 - math.log(g) == pytest.approx(least, rel=5e-6)
        assert least < float(range_rho(Fraction(str(epsilon))))


def test_draws_in_two_leaves_cost_one_stage() -> None:
    """Four records in two leaves; in each a member is drawn by its mistakes there, with the library's coins."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        drawn = []
        for leaf in (0, 1):
            labels = [label for where, label in data if where == leaf]
            scores = [sum(label != guess for label in labels) for guess in (0, 1)]
            drawn.append(gibbs.draw_index(scores, RATIO, coins))
        return tuple(drawn)

    pairs = neighbour_laws(run, tuple(product((0, 1), repeat=2)), 4)
    for order, value in ((2, 0.125163143), (4, 0.111308230)):
        assert per_order(worst_moment(pairs, order), order) == pytest.approx(value, abs=6e-10)
        assert covered(worst_moment(pairs, order), order, range_rho(TWICE))


def test_adaptive_stages_have_no_range_and_still_cost_their_sum() -> None:
    def first(m: int) -> tuple[Fraction, Fraction]:
        return RATIO**m / (RATIO**m + 1), RATIO ** (m - 1) / (RATIO ** (m - 1) + RATIO)

    (low, high), (one, two) = first(10), first(1)
    p = dict(enumerate((one * low, one * (1 - low), (1 - one) * high, (1 - one) * (1 - high))))
    q = dict(enumerate((two * high, two * (1 - high), (1 - two) * low, (1 - two) * (1 - low))))
    quotients = [q[i] / p[i] for i in p]
    assert math.log(max(quotients) / min(quotients)) > 2.9 * float(TWICE)
    value = worst_moment([(p, q)], 2)
    stage = rules.range_concentrated(rules.draw_range(rules.exponential_mechanism(ratio=RATIO)))
    total = rules.concentrated_sum(stage, stage).fact.rho
    assert math.log(min(moment(p, q, 2) or 1, moment(q, p, 2) or 1)) <= math.log(value)
    assert math.log(value) == pytest.approx(0.252663813, abs=6e-10)
    assert 2 * float(total) == pytest.approx(0.521885636, abs=6e-10)
    assert covered(value, 2, total)


def test_log_odds_of_events_at_one() -> None:
    second = math.log(math.sinh(1.5) / (3 * math.sinh(0.5)))
    assert second == pytest.approx(0.308993676, abs=6e-10)
    assert second <= 2 * float(log_odds_rho(Fraction(1))) == pytest.approx(2 * 0.163953414, abs=2e-9)


MENU = tuple(
    (Fraction(a), Fraction(b))
    for a, b in (
        ("0.5", "0.6"),
        ("0.6", "0.5"),
        ("0.2", "0.35"),
        ("0.35", "0.2"),
        ("0.9", "0.95"),
        ("0.95", "0.9"),
        ("0.05", "0.01"),
        ("0.45", "0.55"),
    )
)
"""Releases of one bit: its chances on the two inputs."""


def _menu_price(pair: tuple[Fraction, Fraction]) -> Fraction:
    """By the range: for two outcomes it is what the log-odds move by."""
    p, q = pair
    odds = p * (1 - q) / (q * (1 - p))
    return range_rho(Loss(factor=max(odds, 1 / odds)).upper)


@pytest.mark.parametrize("total", [Fraction(1, 4), Fraction(3, 5)])
@pytest.mark.parametrize("order", [2, 4])
def test_the_best_adversary_of_four_adaptive_releases_stays_within_the_total(
    total: Fraction, order: int
) -> None:
    """Which release comes next depends on all outcomes; the sum of prices stays within the total on every path."""

    @cache
    def best(left: Fraction, depth: int) -> Fraction:
        # The moment of a path is a product, so what comes next is best chosen by what is left alone.
        found = Fraction(1)
        for pair in MENU if depth else ():
            price = _menu_price(pair)
            if price <= left:
                after = best(left - price, depth - 1)
                value = moment(_bit(pair[0]), _bit(pair[1]), order) or Fraction(1)
                found = max(found, value * after)
        return found

    assert best(total, 4) > 1
    assert covered(best(total, 4), order, total)


TINY = tiny_schema(2)


def _refined() -> RefinedTrees:
    tests = Binarisation.of(TINY)
    first = TreeMixture((Trees(TINY, 1, tests, threads=1),), (1,))
    fresh = TreeMixture((OneTest(TINY, tests),), (1,))
    return RefinedTrees(fresh, first, Fraction(1), Fraction(1, 4), (1,), (0,), threads=1)


@pytest.mark.parametrize(
    "name",
    ["thresholds", "refined", "subsampled"],
)
def test_the_price_of_a_learner_covers_its_divergences(name: str) -> None:
    epsilon = Fraction(1)
    learner = {
        "thresholds": lambda: Occam(Thresholds(TINY, "a"), epsilon),
        "refined": _refined,
        "subsampled": lambda: Subsampled(Occam(Thresholds(TINY, "a"), epsilon), 1),
    }[name]()
    n = 2
    pairs = neighbour_laws(
        lambda data, coins: learner.learn(sample_of(TINY, data), coins), records_of(TINY), n
    )
    rho = learner.certify(Size(n)).rho
    assert rho < pure_rho(learner.certify(Size(n)).epsilon)
    for order in (2, 4):
        assert covered(worst_moment(pairs, order), order, rho)


# Mistakes that a price must not make.


def test_permute_and_flip_has_no_range() -> None:
    ratio = Fraction(9, 10)
    epsilon = Loss(factor=ratio**-2).upper
    best, other = 1 - ratio / 2, ratio / 2
    value = worst_moment([(_bit(best), _bit(other))], 2)
    assert per_order(value, 2) == pytest.approx(0.019804569, abs=6e-10)
    assert not covered(value, 2, range_rho(epsilon))
    assert covered(value, 2, concentrated_price(rules.permute_and_flip(ratio=ratio)).fact.rho)
    p, q = (
        law(lambda coins, v=votes: int(PluralityLaw(ratio).draw(np.array([v]), coins)[0]))  # type: ignore[misc]
        for votes in ((0, 2, 3), (0, 3, 2))
    )
    assert per_order(moment(p, q, 2) or Fraction(1), 2) == pytest.approx(0.010805971, abs=6e-10)
    assert not covered(moment(p, q, 2) or Fraction(1), 2, range_rho(epsilon))
    with pytest.raises(RuleRefused):
        rules.draw_range(rules.permute_and_flip(ratio=ratio))


def test_a_vote_is_not_priced_as_a_draw() -> None:
    p, q = (_bit(chance) for chance in VoteLaw(3, RATIO).chances[1:3])
    value = worst_moment([(p, q)], 2)
    assert per_order(value, 2) == pytest.approx(0.118194, abs=6e-7)
    assert float(range_rho(ONCE)) == pytest.approx(0.032618, abs=6e-7)
    assert not covered(value, 2, range_rho(ONCE))
    assert covered(value, 2, pure_rho(ONCE))


def test_log_odds_of_events_are_not_a_range() -> None:
    x, cells = Fraction(27, 10), 8
    edges = [x * Fraction(i, cells) / (1 + (x - 1) * Fraction(i, cells)) for i in range(cells + 1)]
    q = {i: b - a for i, (a, b) in enumerate(pairwise(edges))}
    p = dict.fromkeys(q, Fraction(1, cells))
    for event in product((0, 1), repeat=cells):
        a, b = (sum((chance for i, chance in one.items() if event[i]), Fraction()) for one in (p, q))
        assert not 0 < a < 1 or 1 / x <= b * (1 - a) / (a * (1 - b)) <= x
    epsilon = Loss(factor=x).upper
    assert entropy(q, p) == pytest.approx(0.158046309, abs=6e-10)
    assert float(range_rho(epsilon)) == pytest.approx(0.123318636, abs=6e-10)
    assert float(range_rho(epsilon)) < entropy(q, p) <= float(log_odds_rho(epsilon))


def test_the_curve_of_half_a_randomised_response_is_too_small_for_a_range() -> None:
    odds = Fraction(51, 100)
    p, q = (_bit(o / (1 + o)) for o in (odds, odds * Fraction(27, 10)))
    half = Loss(factor=Fraction(27, 10)).upper / 2
    assert entropy(p, q) == pytest.approx(0.121662844, abs=6e-10) or entropy(q, p) == pytest.approx(
        0.121662844, abs=6e-10
    )
    assert float(pure_rho(half)) == pytest.approx(0.120845045, abs=6e-10)
    assert float(pure_rho(half)) < max(entropy(p, q), entropy(q, p)) <= float(range_rho(2 * half))


def test_a_group_costs_the_square_of_its_size() -> None:
    ratio = Fraction(9, 10)
    one = rules.range_concentrated(rules.draw_range(rules.exponential_mechanism(ratio=ratio)))
    p, q = _draws((0, 2), (1, 1), ratio), _draws((2, 0), (1, 1), ratio)
    value = worst_moment([(p, q)], 2)
    assert per_order(value, 2) == pytest.approx(0.021801654, abs=6e-10)
    assert float(2 * one.fact.rho) == pytest.approx(0.011100838, abs=6e-10)
    assert not covered(value, 2, 2 * one.fact.rho)
    assert covered(value, 2, rules.concentrated_group(one, size=2).fact.rho)


def test_one_count_that_moves_by_two_is_not_priced_as_two_that_move_by_one() -> None:
    table = concentrated_price(estimate_privacy(epsilon=Fraction(1))).fact.rho
    difference = concentrated_price(estimate_privacy(epsilon=Fraction(1), difference=True)).fact.rho
    cells = noise_rho(TWICE, counts=2, largest=1)
    assert float(cells) == pytest.approx(0.255412812, abs=6e-10)
    assert float(cells) < entropy(_noisy(5), _noisy(7))
    assert table < difference
    unknown = rules.geometric_noise(ratio=RATIO, change=2)
    assert concentrated_price(unknown).fact.rho == noise_rho(TWICE, counts=1, largest=2)


def test_a_conversion_rounded_to_nearest_promises_too_much() -> None:
    for epsilon, nearest, found in ((1, "0.024356", 1.00000065), (3, "0.185070", 3.0000014)):
        total, delta = spendable(Fraction(epsilon), Fraction(1, 10**6)), Fraction(1, 10**6)
        promised = approximate_epsilon(Fraction(nearest), delta)
        assert promised > epsilon
        assert float(promised) == pytest.approx(found, abs=5e-7)
        assert order_epsilon(total.rho, delta, total.order) <= epsilon


def _delta(pairs: Sequence[tuple[Fraction, Fraction]], factor: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - factor * q) for p, q in pairs), Fraction())


def test_some_order_that_still_fits_is_no_filter() -> None:
    factor = Fraction(10)
    first, yes, no = (
        (Fraction(a), Fraction(b))
        for a, b in (("0.0515", "0.0915"), ("0.1343", "0.8656"), ("0.99848", "0.97646"))
    )

    def tree(p: Fraction, q: Fraction, then: tuple[Fraction, Fraction]) -> list[tuple[Fraction, Fraction]]:
        return [(p * then[0], q * then[1]), (p * (1 - then[0]), q * (1 - then[1]))]

    after_yes, after_no = tree(*first, yes), tree(1 - first[0], 1 - first[1], no)
    truth = max(
        _delta([*after_yes, *after_no], factor),
        _delta([(q, p) for p, q in (*after_yes, *after_no)], factor),
    )

    def claim(*pairs: tuple[Fraction, Fraction]) -> float:
        """By the better of two orders: delta = c·e^(-(order - 1)·epsilon)·(product of moments)."""
        found = []
        for order in (3, 9):
            c = (order - 1) ** (order - 1) / order**order
            product_ = math.prod(float(worst_moment([(_bit(p), _bit(q))], order)) for p, q in pairs)
            found.append(c * float(factor) ** (1 - order) * product_)
        return min(found)

    claims = (claim(first, yes), claim(first, no))
    assert sorted(claims) == pytest.approx([0.0108603, 0.0109402], abs=6e-8)
    assert float(truth) == pytest.approx(0.0170068, abs=6e-8)
    assert float(truth) > 1.5 * max(claims)


def test_a_batch_formula_is_no_filter_for_unequal_releases() -> None:
    def bits(*factors: Fraction) -> list[tuple[Fraction, Fraction]]:
        pairs = [(Fraction(1), Fraction(1))]
        for x in factors:
            shown = ((x / (1 + x), 1 / (1 + x)), (1 / (1 + x), x / (1 + x)))
            pairs = [(p * a, q * b) for p, q in pairs for a, b in shown]
        return pairs

    two, four, more = Fraction(2), Fraction(4), Fraction(11, 4)
    (p0, q0), (p1, q1) = bits(two)
    chosen = [(p0 * p, q0 * q) for p, q in bits(four)] + [(p1 * p, q1 * q) for p, q in bits(more, more)]
    assert max(_delta(bits(two, four), two), _delta(bits(two, more, more), two)) <= Fraction(2, 5)
    assert float(_delta(chosen, two)) == pytest.approx(0.484444, abs=6e-7)
    # Their prices add on every path, so the sum covers the tree that the formula does not.
    path = max(pure_rho(Loss(factor=four).upper), 2 * pure_rho(Loss(factor=more).upper))
    tree = {i: p for i, (p, _) in enumerate(chosen)}, {i: q for i, (_, q) in enumerate(chosen)}
    assert covered(worst_moment([tree], 2), 2, pure_rho(Loss(factor=two).upper) + path)


def test_a_subsample_does_not_cost_the_square_of_its_share() -> None:
    epsilon, share = Fraction(1), Fraction(1, 10)
    x = Fraction(27182818284, 10**10)  # just below e
    worst = 0.0
    for odds in (Fraction(i, 200) for i in range(1, 200, 4)):
        a, b, c = (_bit(o / (1 + o)) for o in (odds, odds * x, odds))
        p, q = ({y: (1 - share) * a[y] + share * one[y] for y in a} for one in (b, c))
        worst = max(worst, entropy(p, q), entropy(q, p))
    assert worst > float(share**2 * epsilon**2 / 8)
    assert worst <= float(range_rho(subsampled_range(epsilon, share)))


def test_a_delta_that_is_left_out_is_noticed() -> None:
    """A release that tells everything once in a hundred times has no rho at all without its delta."""
    delta = Fraction(1, 100)
    p, q = {"a": delta, "-": 1 - delta}, {"b": delta, "-": 1 - delta}
    assert moment(p, q, 2) is None
    half = rules.declared(rules.exponential_mechanism(ratio=RATIO), epsilon=Fraction(2), delta=delta)
    price = rules.concentrated_sum(rules.pure_concentrated(half), rules.pure_concentrated(half))
    assert price.fact.delta == 2 * delta
    promise = rules.concentrated_privacy(price, delta=delta, order=Fraction(3)).fact
    assert promise.delta == 3 * delta  # that of the conversion and those of the releases
    for step in (price, rules.concentrated_privacy(price, delta=delta, order=Fraction(3))):
        forged = step.to_json()
        forged["fact"] = {**forged["fact"], "delta": str(delta)}  # type: ignore[dict-item]
        with pytest.raises(NotCertified):
            check_derivation(forged)


def test_parts_chosen_by_value_do_not_cost_the_dearest_part() -> None:
    """A part of the records with a value has as many records as have it, and sizes of parts are public."""

    def run(data: Sequence[int], coins: Coins) -> Hashable:
        parts = [[record for record in data if record == value] for value in (0, 1)]
        return tuple((len(part), gibbs.draw_index([0, len(part)], RATIO, coins)) for part in parts)

    p, q = (law(lambda coins, data=data: run(data, coins)) for data in ((0, 1, 1), (0, 0, 1)))  # type: ignore[misc]
    assert moment(p, q, 2) is None


def test_a_price_read_off_the_votes_tells_neighbours_apart() -> None:
    """Charging less when all models agree would be a release of its own: the balance differs for sure."""

    def run(votes: int, coins: Coins) -> Hashable:
        certain = votes in (0, 3)
        answer = coins.flip(VoteLaw(3, RATIO).chances[votes])
        return answer, "0.01" if certain else "0.5"

    p, q = law(lambda coins: run(3, coins)), law(lambda coins: run(2, coins))
    assert moment(p, q, 2) is None


def test_prices_are_known_before_any_record() -> None:
    """A certificate needs no sample, and so does its price: nothing private can enter it."""
    certificate = Occam(Thresholds(TINY, "a"), Fraction(1)).certify(Size(5))
    assert certificate.rho == rho_up(concentrated_price(certificate.privacy).fact.rho)
