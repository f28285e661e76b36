"""The only functions that make a `Proof`: one per theorem, each with its page in docs/proofs/; one file per family.

A rule checks its own conditions and refuses (`RuleRefused`) when one fails. Conditions about the code (a class that
does not look at the records, coins that are fresh) cannot be checked here: they are named in the docstring, and the
exact audits in tests/exact/ test them on the code that ships.
"""

from privpac.guarantee.rules.accuracy import occam, refined_draw
from privpac.guarantee.rules.carried import (
    confidence,
    empirical_draw,
    relabelling_accuracy,
    resampling_accuracy,
    resampling_empirical,
    stable_accuracy,
    subsampling_accuracy,
)
from privpac.guarantee.rules.concentrated import (
    concentrated_group,
    concentrated_mixture,
    concentrated_on_part,
    concentrated_parts,
    concentrated_post_processing,
    concentrated_privacy,
    concentrated_sum,
    draw_range,
    log_odds_concentrated,
    noise_concentrated,
    pure_concentrated,
    range_concentrated,
    range_log_odds,
    subsampled_concentrated,
)
from privpac.guarantee.rules.privacy import (
    assuming,
    bounded_range,
    declared,
    disjoint_parts,
    exponential_mechanism,
    geometric_noise,
    group,
    k_fold,
    on_part,
    permute_and_flip,
    post_processing,
    range_fold,
    sequential,
    total_variation,
)
from privpac.guarantee.rules.sampling import sampling_with_replacement, subsampling

__all__ = [
    "assuming",
    "bounded_range",
    "concentrated_group",
    "concentrated_mixture",
    "concentrated_on_part",
    "concentrated_parts",
    "concentrated_post_processing",
    "concentrated_privacy",
    "concentrated_sum",
    "confidence",
    "declared",
    "disjoint_parts",
    "draw_range",
    "empirical_draw",
    "exponential_mechanism",
    "geometric_noise",
    "group",
    "k_fold",
    "log_odds_concentrated",
    "noise_concentrated",
    "occam",
    "on_part",
    "permute_and_flip",
    "post_processing",
    "pure_concentrated",
    "range_concentrated",
    "range_fold",
    "range_log_odds",
    "refined_draw",
    "relabelling_accuracy",
    "resampling_accuracy",
    "resampling_empirical",
    "sampling_with_replacement",
    "sequential",
    "stable_accuracy",
    "subsampled_concentrated",
    "subsampling",
    "subsampling_accuracy",
    "total_variation",
]
