"""Formulas made of other formulas, evaluated a second time from their statements, in floats and without the library's
own searches: what is promised is what the statement gives, plans keep their epsilon, and fewer records would not do.

That the parts hold is checked elsewhere, against exact laws and in simulation. Losses of sampling are computed here
over all samples, for the mechanism that attains them.
"""

from __future__ import annotations

import math
from fractions import Fraction

from scipy.stats import binom

from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.cuts.recursive_formulas import (
    Plan,
    error_rec_concave,
    failure_rec_concave,
    plan_rec_concave,
    records_rec_concave,
    records_rec_concave_laplace,
    widths,
)
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.active import records_active
from privpac.constructions.few_labels.after_labels import Budget, Family, mistakes_of_draw
from privpac.constructions.few_labels.boost import (
    BOOSTING,
    Round,
    best_round,
    error_label_boost,
    keep_labelled,
    keep_unlabelled,
    labels_as_printed,
)
from privpac.constructions.few_labels.relabel import RELABELLING, Votes, best_votes, error_ssl_relabel
from privpac.constructions.prediction.net_relabelled import (
    excess_net_relabelled,
    plan_net_relabelled,
    records_net_relabelled,
)
from privpac.constructions.prediction.relabelled_vote import (
    error_relabelled_vote,
    excess_relabelled_vote,
    plan_relabelled_vote,
    records_relabelled_vote,
)
from privpac.constructions.prediction.vote import (
    error_vote,
    models_vote,
    models_vote_printed,
    records_vote,
    records_vote_printed,
)
from privpac.constructions.prediction.vote_law import vote_wrong
from privpac.constructions.wrappers.calibrate import best_split
from privpac.constructions.wrappers.relabelling import Agnostic
from privpac.data.numeric import Numeric
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.numbers.exact import ratio_for
from tests.statistical.claims import claims, field, moved, scaled

ONE, FAILURE = Fraction(1), Fraction(1, 20)
HAIR = 1e-9


# --- the parts, in floats ---


def ln_growth(n: int, vc: int) -> float:
    return math.log(min(2**n, sum(math.comb(n, i) for i in range(vc + 1))))


def erm(n: int, failure: float, vc: int) -> float:
    return math.sqrt(2 * ln_growth(n, vc) / n) + 2 * math.sqrt(math.log(2 / failure) / (2 * n))


def relative(seen: float, n: int, failure: float, vc: int) -> float:
    """For pairs of concepts."""
    a = (2 * ln_growth(2 * n, vc) + math.log(4 / failure)) / n
    return seen + 2 * math.sqrt(seen * a) + 4 * a


def net(n: int, failure: float, vc: int, *, times: int) -> float:
    logs = math.log(2) + times * ln_growth(2 * n, vc) - math.log(failure)
    return max(8 / n, 2 * logs / (n * math.log(2)))


def vote(average: float, models: int, epsilon: float) -> float:
    ratio = ratio_for(Fraction(epsilon))
    wrong = [float(vote_wrong(w, models=models, ratio=ratio)) for w in range(models + 1)]
    return wrong[0] + models * average * max((wrong[w] - wrong[0]) / w for w in range(1, models + 1))


def carried(rate: float, points: int, family: Family, failure: float, *, times: int = 1) -> float:
    square = 2 * (times * math.log(family.size) - math.log(failure)) / points
    if family.vc is not None:
        grown = times * ln_growth(2 * points, family.vc)
        square = min(square, 4 * (grown + math.log(4 / failure)) / points)
    return rate + square / 2 + math.sqrt(square * (rate + square / 4))


# --- losses of sampling: every sample, and the mechanism e^(epsilon·#changed records) that attains them ---


def relabelled(n: int, kept: int, vote: Fraction, inner: Fraction, weight: Fraction = Fraction(1)) -> float:
    """The statement of `relabelling`, in floats."""
    q, a, lam = kept / n, math.exp(vote / 2), float(weight)
    heavy = a * (1 + a) / 2 if lam * (1 - q) >= q else a * a
    moved = 4 * math.exp(lam * float(vote) * (1 - q) / q + float(inner))
    return math.log(((1 - q) * a * a + q * heavy * moved) / (1 - q + q * heavy))


@claims(best_split=field("inner", scaled(1.05)))
def test_a_split_keeps_its_epsilon() -> None:
    for epsilon in ("0.1", "1", "3"):
        split = best_split(epsilon)
        spent = relabelled(10**6, int(split.share * 10**6), split.vote, split.inner)
        assert spent <= float(epsilon) + HAIR
        assert 0 < split.share < 1


@claims(keep_labelled=scaled(1.01), keep_unlabelled=scaled(1.01), records_active=scaled(0.99))
def test_kept_parts_keep_their_epsilon() -> None:
    for epsilon, later, draw in ((0.5, 0.1, 1.0), (1.0, 1.0, 2.0)):
        asked = {"epsilon": Fraction(epsilon), "later": Fraction(later)}
        labelled = keep_labelled(10_000, draw=Fraction(draw), **asked) / 10_000
        others = keep_unlabelled(10_000, **asked) / 10_000
        relabelled = math.exp(later) * (1 + math.exp(draw / 2)) ** 2
        assert math.log1p(labelled * (relabelled - 1)) <= epsilon + HAIR
        assert math.log1p(others * (4 * math.exp(later) - 1)) <= epsilon + HAIR
        need = records_active(500, inner=later, epsilon=epsilon / 10)
        assert math.log1p(500 / need * math.expm1(later)) <= epsilon / 10 + HAIR


# --- excesses ---


def test_the_excess_of_relabelling() -> None:
    n, kept, loss = 50_000, 5_000, 0.5
    cuts = Thresholds(Schema((Numeric("a", 0, 2**10 - 1, integer=True),), label="y"), "a")
    learner = Agnostic(Occam(cuts, Fraction(1)), kept, Fraction(1, 2), Fraction(2))
    (proof,) = learner.certify(Size(n)).accuracy
    (inner,) = proof.premises
    part, voters = float(learner.failure) / 4, n - kept
    drawn = 2 * (ln_growth(kept, 1) - math.log(part)) / (loss * voters)
    wanted = erm(voters, 2 * part, 1) + drawn + relative(float(inner.fact.error) + drawn / 2, kept, part, 1)
    assert wanted - HAIR <= proof.fact.error <= wanted + 1e-6


def relabelled_vote(n: int, plan, failure: float, vc: int) -> float:
    """The statement of `excess_relabelled_vote`."""
    part, voters, labels = failure / 5, n - plan.kept, float(plan.labels)
    drawn = 2 * (ln_growth(plan.kept, vc) - math.log(part)) / (voters * labels)
    near = relative(drawn / float(plan.weight), plan.kept, part, vc)
    average = net(plan.kept // plan.models, part / plan.models, vc, times=2)
    return erm(voters, 2 * part, vc) + drawn + near + vote(average, plan.models, float(plan.inner))


@claims(
    excess_relabelled_vote=scaled(0.999),
    error_relabelled_vote=scaled(0.999),
    plan_relabelled_vote=field("inner", scaled(1.05)),
    records_relabelled_vote=scaled(0.95),
)
def test_votes_on_relabelled_records() -> None:
    asked = {"failure": "0.05", "vc": 1}
    n = records_relabelled_vote("0.2", epsilon=2, **asked)
    plan = plan_relabelled_vote(n, epsilon=2, **asked)
    assert relabelled(n, plan.kept, plan.labels, plan.inner, plan.weight) <= 2 + HAIR
    wanted = relabelled_vote(n, plan, 0.05, 1)
    assert wanted <= 0.2
    ratios = {"ratio": ratio_for(plan.labels / 2), "inner": ratio_for(plan.inner), "mistake": 1}
    found = excess_relabelled_vote(
        n, kept=plan.kept, weight=plan.weight, models=plan.models, **ratios, **asked
    )
    for value in (found, error_relabelled_vote(n, epsilon=2, **asked)):
        assert wanted - HAIR <= value <= wanted + 1e-6


def net_relabelled(n: int, plan, failure: float, vc: int) -> float:
    """The statement of `excess_net_relabelled`, slip = 1/kept."""
    part, slip = failure / 2, 1 / plan.kept
    average = net(n // plan.models, part / plan.models, vc, times=2)
    near = (ln_growth(n, vc) - math.log(slip)) / plan.kept + slip
    drawn = 2 * ln_growth(plan.kept, vc) / (n * float(plan.drawing))
    voted = vote(average, plan.models, float(plan.inner))
    return erm(n, part, vc) + near + drawn + voted + float(plan.flip)


@claims(
    excess_net_relabelled=scaled(0.999),
    plan_net_relabelled=field("inner", scaled(1.05)),
    records_net_relabelled=scaled(0.9),
)
def test_votes_on_all_records_relabelled() -> None:
    asked = {"failure": "0.05", "vc": 1}
    n = records_net_relabelled("0.2", epsilon=8, **asked)
    plan = plan_net_relabelled(n, epsilon=8, **asked)
    assert plan is not None
    q, reach = plan.kept / n, math.floor(plan.net * (n - 1)) + 1
    both = float(plan.drawing + plan.inner)
    assert math.log((1 - q) * math.exp(both) + 4 * q * math.exp(both * reach)) <= 8 + HAIR
    missed = q * min(1.0, math.exp(2 * ln_growth(n - 1, 1) - float(plan.net) * (plan.kept - 1)) / 2)
    assert float(plan.flip) >= missed / (math.expm1(8) + 2 * missed) - 1e-12
    wanted = net_relabelled(n, plan, 0.05, 1)
    assert wanted <= 0.2 + 1e-6
    ratios = {"ratio": ratio_for(plan.drawing / 2), "inner": ratio_for(plan.inner)}
    slip = Fraction(1, plan.kept)
    found = excess_net_relabelled(
        n, kept=plan.kept, models=plan.models, flip=plan.flip, slip=slip, **ratios, **asked
    )
    assert wanted - HAIR <= found <= wanted + 1e-6


# --- votes ---


@claims(models_vote=moved(2), models_vote_printed=moved(-1))
def test_numbers_of_models() -> None:
    """By trying all: what r models ask for together is r over the average error that a vote of 1/10 leaves them."""
    for epsilon in (0.5, 1.0):

        def price(models: int, epsilon: float = epsilon) -> float:
            base, slope = vote(0, models, epsilon), vote(1, models, epsilon) - vote(0, models, epsilon)
            return models * slope / (0.1 - base) if base < 0.1 else math.inf

        best = models_vote("0.1", epsilon=str(epsilon))
        assert price(best) == min(price(r) for r in range(1, 60, 2))
        printed = models_vote_printed("0.1", epsilon=str(epsilon))
        assert printed - 1 < 6 * math.log(40) / epsilon <= printed


@claims(records_vote=scaled(0.9), records_vote_printed=scaled(0.9), error_vote=scaled(0.99))
def test_votes_of_consistent_concepts() -> None:
    for models in (5, 7):
        n = records_vote("0.1", failure="0.05", epsilon=1, vc=1, models=models)
        wanted = vote(net(n // models, 0.05 / models, 1, times=1), models, 1.0)
        assert wanted <= 0.1
        found = error_vote(n, models=models, ratio=ratio_for(ONE), failure="0.05", vc=1)
        assert wanted - HAIR <= found <= wanted + 1e-6
    models = models_vote_printed("0.1", epsilon=1)
    n = records_vote_printed("0.1", failure="0.05", epsilon=1, vc=1)
    assert net(n // models, 0.05 / models, 1, times=1) <= 0.1 / 4


# --- few labels ---

WIDE = Family(2**16 + 1, 1, Fraction(2**16))


def excess_of_two_sides(n: int, log_size: float, failure: float, rate: float) -> float:
    """The worst case over the best error, solved: size·(cosh s - D·sinh s)^n = failure, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        gap = (low + high) / 2
        s = min(rate, math.atanh(gap))
        fails = log_size + n * math.log(math.cosh(s) - gap * math.sinh(s)) > math.log(failure)
        low, high = (gap, high) if fails else (low, gap)
    return high


@claims(error_label_boost=scaled(0.99), mistakes_of_draw=moved(-2))
def test_promises_of_label_boost() -> None:
    boost, base = Round(ONE, 2_000, 200_000, 40_000), Budget(Fraction(1, 2))
    asked = {"labelled": 4_000, "family": WIDE, "failure": "0.05"}
    points, labellings = boost.points, ln_growth(boost.points, 1)
    own = math.exp(-float(base.epsilon) / 2)
    mistakes = mistakes_of_draw(WIDE.odds, ratio=ratio_for(Fraction(1, 4)), failure="0.005")
    # All 2^16 others make exactly one mistake more than allowed: then the draw misses at most that often.
    others = float(WIDE.odds) * own ** (mistakes + 1)
    assert others / (1 + others) <= 0.005
    drawn = -math.expm1((math.log(0.04) - labellings) / boost.kept_labelled) / -math.expm1(-0.5)
    wanted = carried(drawn + mistakes / points, points, WIDE, 0.005)
    assert wanted - 1e-6 <= error_label_boost(boost, base, **asked) <= wanted + 2e-4
    drawn = excess_of_two_sides(boost.kept_labelled, labellings, 0.04, 0.5)
    single = math.sqrt(math.log(2 / 0.005) / (2 * points))
    uniform = math.sqrt(2 * ln_growth(points, 1) / points) + single
    uniform = min(uniform, math.sqrt(math.log(2 * WIDE.size / 0.005) / (2 * points)))
    wanted = drawn + mistakes / points + uniform + single
    assert wanted - 1e-6 <= error_label_boost(boost, base, noisy=True, **asked) <= wanted + 2e-3


def test_records_of_label_boost_prove_their_error_and_keep_their_epsilon() -> None:
    need = BOOSTING.fewest(WIDE, error="0.2", failure="0.05", epsilon=1)
    step, base = best_round(WIDE, need, epsilon=ONE, failure=Fraction(1, 20))
    promise = error_label_boost(step, base, labelled=need.labelled, family=WIDE, failure="0.05")
    assert Fraction(18, 100) <= promise <= Fraction(1, 5)
    later = {"epsilon": ONE, "later": base.epsilon}
    assert step.kept_labelled <= keep_labelled(need.labelled, draw=step.draw_epsilon, **later)
    assert step.kept_unlabelled <= keep_unlabelled(step.taken, **later)


@claims(error_ssl_relabel=scaled(0.99))
def test_promises_of_ssl_relabel() -> None:
    relabel, base = Votes(ONE, 8_000, 100_000, 8), Budget(Fraction(1, 2))
    part, labellings = 0.05 / 4, ln_growth(8_000, 1)
    score = math.ceil((labellings - math.log(part)) * 2 * relabel.mistake) - 1
    mistakes = math.ceil((math.log(WIDE.odds) - math.log(part)) * 4) - 1
    near = carried((score // 16) / 5_000, 5_000, WIDE, part)
    wanted = near + carried((score // 8 + mistakes) / 8_000, 8_000, WIDE, part, times=2)
    found = error_ssl_relabel(relabel, base, labelled=5_000, family=WIDE, failure="0.05")
    assert abs(float(found) - wanted) < 3e-4


def test_records_of_ssl_relabel_prove_their_error_and_keep_their_epsilon() -> None:
    need = RELABELLING.fewest(WIDE, error="0.2", failure="0.05", epsilon=1)
    votes, base = best_votes(WIDE, need, epsilon=ONE, failure=Fraction(1, 20))
    promise = error_ssl_relabel(votes, base, labelled=need.labelled, family=WIDE, failure="0.05")
    assert Fraction(18, 100) <= promise <= Fraction(1, 5)
    assert votes.draw_epsilon <= 1
    moves = math.exp(float(base.epsilon) + votes.change / votes.mistake)
    assert math.log1p(votes.kept / votes.taken * (4 * moves - 1)) <= 1 + HAIR


@claims(labels_as_printed=scaled(0.99))
def test_what_is_printed_for_label_boost() -> None:
    a, b = 0.1 / 11, 0.05 / 2
    wanted = 96_000 / a * 3 * math.log(2240 / (a * b))
    assert 0 <= labels_as_printed(3, error="0.1", failure="0.05") - wanted <= 1


# --- one level of recursion ---


def recursion_fails(n: int, bits: int, error: float, plan: Plan) -> float:
    first, second, third = (float(ratio) for ratio in plan.ratios)
    steps = bits * first ** (plan.slack + 1) + 1 / plan.blocks + second**plan.margin / (1 + second)
    steps += (2 * plan.blocks + 1) * third ** (plan.last + 1)
    return steps + 2 * float(binom.cdf(plan.mistakes, n, error))


@claims(
    failure_rec_concave=scaled(0.99),
    plan_rec_concave=field("slack", moved(-1)),
    records_rec_concave=scaled(0.99),
    error_rec_concave=scaled(0.99),
    widths=moved(-1),
)
def test_recursion_over_widths() -> None:
    bits, asked = 24, {"failure": "0.05", "epsilon": 1, "delta": "0.0001"}
    assert widths(2**bits) == max(k for k in range(99) if 2**k <= 2**bits + 1)
    plan = plan_rec_concave(2**bits, **asked)
    first, second, third = plan.ratios
    assert sum(-2 * math.log(ratio) for ratio in plan.ratios) <= 1 + HAIR
    assert second**plan.threshold / (1 + second) <= Fraction(1, 10**4)
    assert widths(2**bits) * first ** (plan.slack + 1) <= FAILURE / 5
    assert (2 * plan.blocks + 1) * third ** (plan.last + 1) <= FAILURE / 5
    n = records_rec_concave(2**bits, error="0.1", **asked)
    wanted = recursion_fails(n, bits, 0.1, plan)
    assert wanted <= 0.05
    found = failure_rec_concave(n, domain=2**bits, error="0.1", plan=plan)
    assert wanted * (1 - HAIR) <= found <= wanted * (1 + 1e-6)
    error = error_rec_concave(n, domain=2**bits, failure="0.05", plan=plan)
    assert recursion_fails(n, bits, float(error), plan) <= 0.05


@claims(records_rec_concave_laplace=scaled(0.99))
def test_recursion_with_noise_of_laplace() -> None:
    bits, share, slip = 64, 0.01, 1e-6
    each = 1 / 3
    mistakes = (
        2 * (2 / each) * math.log((bits + 2) / share) + 2 + (2 / each) * math.log(1 / (4 * slip * share))
    )
    mistakes += (2 / each) * math.log((2 * math.ceil(1 / share) + 3) / share)
    n = records_rec_concave_laplace(bits, error="0.1", failure="0.05", epsilon=1, delta="0.000001")
    assert 2 * binom.cdf(math.floor(mistakes), n, 0.1) <= share
    assert 2 * binom.cdf(math.floor(mistakes), n - 1, 0.1) > share
