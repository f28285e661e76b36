"""Every printed statement that is wrong or incomplete: the register says how, and a test shows it.

The table names the erratum, the statement that carries it, words of what is said there, and the test. Errata without a
test of their own elsewhere are shown at the end of this file.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import product
from pathlib import Path

from privpac.theory.statements import REGISTER
from privpac.theory.vc import growth
from tests.together import together

TESTS = Path(__file__).resolve().parents[2]
HERE = "unit/theory/test_register_errata.py"
POINTS, SIZES = "exact/test_point_errata.py", "unit/constructions/points/test_formulas.py"
FEW, FEW_EXACT = "unit/constructions/few_labels/test_boost.py", "exact/test_few_labels.py"
RELABELLED, ANSWERS = (
    "unit/constructions/wrappers/test_statements_errata.py",
    "unit/constructions/prediction/test_statements_errata.py",
)
REBUILT, COVERS = "statistical/test_reconstruction.py", "unit/constructions/covers/test_covers.py"
THEORY, EXACT, GENERIC = (
    "unit/constructions/prediction/test_formulas.py",
    "exact/test_relabelling.py",
    "unit/constructions/few_labels/test_generic.py",
)

ERRATA: dict[str, tuple[str, str, str, str]] = {
    "BBKN Lemma 3.4": ("points-outside-count", "2^d − m", POINTS, "test_the_printed_weight_of_unseen"),
    "BBKN Lemma 3.9": ("floor-points-proper", "exactly `error`", POINTS, "test_mass_exactly_error"),
    "BBKN Lemma 5.2": ("floor-thresholds-proper", "1/failure", REBUILT, "test_a_floor_with_one_over_failure"),
    "BBKN Claim 4.3": ("sampled-point", "ln 4 is loose", SIZES, "test_the_printed_bound_of_claim_4_3"),
    "BBKN Claim 4.3, one-sided": ("sampled-point", "7.264", POINTS, "test_one_sided_sets_without"),
    "BBKN Claim 4.5": ("boosted-points", "3/b²", SIZES, "test_the_printed_constants_of_claim_4_5"),
    "BBKN Lemma 4.1": ("reed-solomon-points", "Nothing that can be run", SIZES, "test_lemma_4_1_is_no"),
    "BBKN Theorem 4.8": (
        "key-rejection",
        "hides the marginals",
        POINTS,
        "test_the_pitfall_and_key_rejection",
    ),
    "BBKN Theorem 4.11": ("floor-points-light", "empty class", POINTS, "test_theorem_4_11_may_select"),
    "BBKN Theorem 5.8": ("noise-reconstruction", "biases the noise", REBUILT, "test_mean_noise_given"),
    "BBKN Theorem 5.4": ("switch-reconstruction", "2^Omega(d)", REBUILT, "test_with_as_many_switches"),
    "BBKN Theorem 5.4, rate": (
        "switch-reconstruction",
        "1/error²",
        REBUILT,
        "test_uniform_convergence_on_both",
    ),
    "BBKN Section 6": ("floor-generated-points", "2^l/2^d", REBUILT, "test_the_image_of_a_generator"),
    "BBKN Theorem 6.1": ("floor-generated-points", "15/16", REBUILT, "test_three_quarters_do_not"),
    "BBKN Theorem 7.2": ("floor-point-counts", "two queries", REBUILT, "test_usefulness_for_two_queries"),
    "CH Definition 6": ("density-bound", "absolute continuity", COVERS, "test_absolute_continuity_is_no"),
    "CH Lemma 25": ("halfspace-doubling-printed", "pairwise angles", COVERS, "test_lemma_25_fails"),
    "CH Lemma 20": ("band-density", "negative", COVERS, "test_the_printed_density_of_a_band"),
    "CH Theorem 9": (
        "reference-cover-realizable",
        "drops the privacy",
        COVERS,
        "test_the_exponential_step_needs",
    ),
    "CH Lemma 11": ("floor-label-sample", "exp(−8sm)", COVERS, "test_lemma_11_needs_the_privacy"),
    "CH Theorem 7": (
        "reference-cover-agnostic",
        "error rate change by 1",
        COVERS,
        "test_an_error_rate_moves",
    ),
    "CH Theorem 5": ("floor-thresholds-smooth", "1/eta − 2", COVERS, "test_targets_are_whole_numbers"),
    "CH Theorem 8": ("reference-cover-agnostic", "universal", COVERS, "test_no_universal_constant"),
    "CH Theorem 10": ("floor-label-ball", "none is needed", COVERS, "test_the_ball_floor_needs_no"),
    "BNS Claim 5.7": ("active-subsampling", "(7 + E)", FEW, "test_delta_of_asking_is_below_both"),
    "BNS Algorithm 4": ("active-subsampling", "1.619", FEW_EXACT, "test_asking_the_smallest_positions"),
    "BNS Lemma 4.6": ("label-boost", "2476", FEW, "test_printed_constants_of_the_sampling_lemmas"),
    "BNS Lemma 4.1": ("label-boost-labelled", "e^3", FEW_EXACT, "test_relabelling_loses_what_is_certified"),
    "BNS Theorem 3.3": ("generic-learner", "lacks the term", GENERIC, "test_the_printed_step_alone"),
    "BNS Observation 3.2": ("differences-vc", "10·d", GENERIC, "test_the_bound_on_the_vc_dimension"),
    "BNS Theorem B.2": ("sauer", "needs n of at least d", HERE, "test_the_closed_form_of_sauer"),
    "BNS Claim 4.2": ("label-boost-realizable", "may be below vc", HERE, "test_the_closed_form_of_sauer"),
    "BNS Theorem B.3": (
        "floor-labels",
        "62.5",
        "statistical/test_few_labels.py",
        "test_the_printed_floor_of",
    ),
    "BNS Theorem B.5": (
        "relative-deviation-printed",
        "48·eps",
        GENERIC,
        "test_the_printed_sizes_of_two_tools",
    ),
    "BNS Theorem B.6": (
        "uniform-convergence-printed",
        "tends to 0",
        GENERIC,
        "test_the_printed_sizes_of_two",
    ),
    "BNS Theorem 5.6": ("floor-labels-transcript", "hides", FEW, "test_the_floor_of_private_questions"),
    "BNS Lemma 4.12": ("label-boost", "improper base", FEW, "test_an_improper_base_is_promised_no"),
    "BNS Algorithm 3": ("label-boost", "90,000", FEW, "test_printed_constants_ask_for_millions"),
    "BNS Claim 4.3": ("subsampling-without-replacement", "index order", EXACT, "test_without_a_shuffle"),
    "BNS Algorithm 1": ("dichotomy-representatives", "arbitrary concept", FEW_EXACT, "test_a_representative"),
    "DF Lemma 9": ("net-relabelling", "6·alpha with 2·beta", HERE, "test_the_proof_of_lemma_9_adds_up"),
    "DF Section 4.2": ("net-relabelling", "eta near epsilon/d", ANSWERS, "test_a_net_of_epsilon"),
    "DF equation (8)": ("net-relabelling", "labellings of S_I", HERE, "test_weights_are_divided_by"),
    "DF Remark 2": ("net-relabelling", "Remark 2", ANSWERS, "test_the_quoted_base_learner"),
    "DF Lemma 8": ("net-relabelling", "growth at n", ANSWERS, "test_the_draw_is_among_the_labellings"),
    "DF Theorems 1 and 3": ("stable-from-some", "log(d/alpha)", ANSWERS, "test_a_logarithm_of_one"),
    "DF Corollary 1": ("delta-removal", "epsilon·alpha/2", THEORY, "test_the_overview_and_the_text"),
    "DF Section 2": ("private-prediction-stability", "exceeds 1", THEORY, "test_private_answers_are_more"),
    "DF Lemma 7": ("listed-from-some", "other records", FEW_EXACT, "test_a_representative_chosen_by"),
    "DF Lemma 5": ("subsampling-without-replacement", "rate", ANSWERS, "test_twice_epsilon_times"),
    "DF Lemma 10": ("net-relabelling", "2·eta·n", ANSWERS, "test_matched_concepts_differ"),
    "LWY Lemma 15, epsilon": ("relabelling", "at most 1/3", RELABELLED, "test_printed_losses_of_relabelling"),
    "LWY Claim 16": (
        "relabelling-accuracy",
        "ln(3·size/failure)",
        "statistical/test_relabelling.py",
        "test_the_vote_misses_as_often",
    ),
    "LWY Lemma 15, symmetry": ("relabelling", "inequalities twice", HERE, "test_one_inequality_twice"),
    "LWY Lemma 17": ("relabelling-part", "twice as large", RELABELLED, "test_errors_on_half_of_the"),
    "LWY Lemma 12": ("private-generalisation", "pure privacy", RELABELLED, "test_a_pure_inner_learner"),
    "LWY Lemma 15, order": ("relabelling", "no shuffle", EXACT, "test_without_a_shuffle"),
    "LWY Definition 13": ("relabelling-accuracy", "not promised for", HERE, "test_a_learner_for_one_number"),
    "LWY Lemma 21": (
        "resampling-empirical",
        "not needed",
        RELABELLED,
        "test_sampling_with_replacement_needs",
    ),
    "LWY Lemma 19": (
        "vote",
        "does not say which",
        "unit/constructions/prediction/test_vote.py",
        "test_the_exponential_mechanism_on",
    ),
    "LWY Theorem 18": ("relabelled-vote", "30 to 180", RELABELLED, "test_splitting_the_budget"),
}


@together(ERRATA)
def test_the_register_says_it_and_a_test_shows_it(name: str) -> None:
    key, words, file, test = ERRATA[name]
    entry = REGISTER[key]
    assert entry.erratum is not None
    assert words in entry.erratum or words in entry.says
    # What is printed wrongly is refuted, repaired, proved anew, or (where only an order is stated) never a number.
    assert entry.status in ("repaired", "derived", "false", "shape") or key in (
        "sauer",
        "resampling-empirical",
    )
    assert re.search(rf"def {test}\w*\(", (TESTS / file).read_text(encoding="utf-8")), test


def test_every_erratum_of_the_register_is_in_the_table() -> None:
    """Those that only sharpen a constant of ours, or speak of running time, have no printed statement to refute."""
    named = {key for key, *_ in ERRATA.values()}
    others = {key for key, entry in REGISTER.items() if entry.erratum is not None} - named
    assert others == {
        "floor-thresholds-few-switches",
        "flipped-answers",
        "improper-few-labels",
        "label-boost-tower",
        "label-cover",
        "relabelling-scores",
        "representation-existence",
        "sampling-with-replacement",
        "stable-accuracy",
        "star-entries",
        "vote-accuracy",
    }


# --- errata that are shown here ---


def test_the_closed_form_of_sauer_fails_for_fewer_points_than_the_dimension() -> None:
    """(e·n/d)^d, applied to n below d as Claim 4.2 does: 3 points have 8 labellings, it counts less than one."""
    assert (math.e * 3 / 20) ** 20 < 1 < growth(3, vc=20) == 8
    assert (math.e * 20 / 20) ** 20 >= growth(20, vc=20)


def test_the_proof_of_lemma_9_adds_up_to_six() -> None:
    """Dagan–Feldman: 4·alpha but for beta is stated. The steps of the proof, in units of alpha and of beta."""
    steps = {
        "a net, but for alpha": (2, 0),
        "the draw": (1, 0),
        "from the records to the distribution, and back for the best": (2, 1),
        "the private vote": (1, 1),
    }
    error, failure = (sum(part) for part in zip(*steps.values(), strict=True))
    assert (error, failure) == (6, 2)
    assert error > 4
    assert failure > 1


def test_weights_are_divided_by_the_sum_over_their_own_list() -> None:
    """Equation (8) divides the weights of the labellings of T by the sum over those of S_I: no law."""
    records = [(0, 0), (1, 0), (2, 1), (3, 1)]

    def weights(points: list[int]) -> list[Fraction]:
        """Cuts behind each of these points, and before the first: one a labelling."""
        cuts = [0, *(p + 1 for p in points)]
        wrong = [sum((x >= cut) != y for x, y in records) for cut in cuts]
        return [Fraction(1, 2) ** mistakes for mistakes in wrong]

    own, other = weights([0, 2]), weights([3])
    assert sum(weight / sum(own) for weight in own) == 1
    assert sum(weight / sum(other) for weight in own) != 1


def test_one_inequality_twice_is_not_a_sensitivity() -> None:
    """Lemma 15 prints q2 ≤ q1 + 1/w and, 'by symmetry', the same again: a score that falls by anything satisfies it."""
    before, after, step = 5.0, 0.0, 1.0
    assert after <= before + step
    assert not before <= after + step
    # The scores themselves move by one step at most, in both directions: all labels of three voters and one change.
    cuts = range(4)

    def score(labels: tuple[int, ...]) -> list[int]:
        return [sum((x >= cut) != y for x, y in enumerate(labels)) for cut in cuts]

    for labels in product((0, 1), repeat=3):
        for place in range(3):
            turned = tuple(y ^ (i == place) for i, y in enumerate(labels))
            assert all(abs(a - b) <= 1 for a, b in zip(score(labels), score(turned), strict=True))


def test_a_learner_for_one_number_of_records_promises_nothing_for_others() -> None:
    """Definition 13 speaks of data sets of exactly m records; this learner keeps it, and learns nothing from m + 1."""
    m = 4

    def learner(records: list[tuple[int, int]]) -> int:
        """A cut without mistakes on m records, the largest cut on any other number."""
        return min((x for x, y in records if y), default=9) if len(records) == m else 9

    def wrong(cut: int, records: list[tuple[int, int]]) -> int:
        return sum((x >= cut) != y for x, y in records)

    for target in range(10):
        records = [(x, int(x >= target)) for x in (0, 3, 5, 8)]
        assert wrong(learner(records), records) == 0
    more = [(x, 1) for x in (0, 3, 5, 8, 8)]
    assert wrong(learner(more), more) == len(more)
