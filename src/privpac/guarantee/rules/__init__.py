"""The only functions that make a `Proof`: one a theorem, each with its page in docs/proofs/; one file a family.

A rule checks its own conditions and refuses (`RuleRefused`) when one fails. Conditions about the code (a class that
does not look at the records, coins that are fresh) cannot be checked here: they are named in the docstring, and the
exact audits in tests/exact/ test them on the code that ships.
"""

from privpac.guarantee.rules.accuracy import occam
from privpac.guarantee.rules.carried import (
    confidence,
    empirical_draw,
    relabelling_accuracy,
    resampling_accuracy,
    resampling_empirical,
    stable_accuracy,
    subsampling_accuracy,
)
from privpac.guarantee.rules.composition import (
    assuming,
    declared,
    disjoint_parts,
    group,
    k_fold,
    on_part,
    post_processing,
    sequential,
    total_variation,
)
from privpac.guarantee.rules.covers import label_cover, label_thresholds, reference_cover
from privpac.guarantee.rules.few_labels import (
    label_boost_accuracy,
    label_boost_labelled,
    label_boost_unlabelled,
    positions_known,
    ssl_relabel_accuracy,
)
from privpac.guarantee.rules.mechanisms import (
    bounded_range,
    exponential_mechanism,
    geometric_noise,
    leafwise_exponential,
    permute_and_flip,
)
from privpac.guarantee.rules.points import (
    boosted_points,
    clipped_points,
    clipped_points_accuracy,
    pairwise_cover,
    reed_solomon_points,
    sampled_point,
    sampled_point_accuracy,
    sparse_sets_accuracy,
    star_entries,
)
from privpac.guarantee.rules.prediction import (
    delta_removal,
    flipped_answers,
    net_relabelling,
    net_relabelling_accuracy,
    plurality,
    relabelled_vote,
    vote,
    vote_accuracy,
)
from privpac.guarantee.rules.reconstruction import (
    independent_noise,
    noise_reconstruction,
    rec_concave,
    stable_choice,
    switch_reconstruction,
)
from privpac.guarantee.rules.relabelling import (
    listed_from_some,
    rank_relabelling,
    relabelling,
    relabelling_part,
    stable_from_some,
)
from privpac.guarantee.rules.release import (
    candidate_answers,
    generic_learner,
    histogram_answers,
    leafwise_medians,
    quantile_answers,
    ranges_from_thresholds,
    tree_answers,
)
from privpac.guarantee.rules.sampling import sampling_with_replacement, subsampling

__all__ = [
    "assuming",
    "boosted_points",
    "bounded_range",
    "candidate_answers",
    "clipped_points",
    "clipped_points_accuracy",
    "confidence",
    "declared",
    "delta_removal",
    "disjoint_parts",
    "empirical_draw",
    "exponential_mechanism",
    "flipped_answers",
    "generic_learner",
    "geometric_noise",
    "group",
    "histogram_answers",
    "independent_noise",
    "k_fold",
    "label_boost_accuracy",
    "label_boost_labelled",
    "label_boost_unlabelled",
    "label_cover",
    "label_thresholds",
    "leafwise_exponential",
    "leafwise_medians",
    "listed_from_some",
    "net_relabelling",
    "net_relabelling_accuracy",
    "noise_reconstruction",
    "occam",
    "on_part",
    "pairwise_cover",
    "permute_and_flip",
    "plurality",
    "positions_known",
    "post_processing",
    "quantile_answers",
    "ranges_from_thresholds",
    "rank_relabelling",
    "rec_concave",
    "reed_solomon_points",
    "reference_cover",
    "relabelled_vote",
    "relabelling",
    "relabelling_accuracy",
    "relabelling_part",
    "resampling_accuracy",
    "resampling_empirical",
    "sampled_point",
    "sampled_point_accuracy",
    "sampling_with_replacement",
    "sequential",
    "sparse_sets_accuracy",
    "ssl_relabel_accuracy",
    "stable_accuracy",
    "stable_choice",
    "stable_from_some",
    "star_entries",
    "subsampling",
    "subsampling_accuracy",
    "switch_reconstruction",
    "total_variation",
    "tree_answers",
    "vote",
    "vote_accuracy",
]
