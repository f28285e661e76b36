"""The only functions that make a `Proof`: one per theorem, each with its page in docs/proofs/; one file per family.

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
from privpac.guarantee.rules.mechanisms import (
    bounded_range,
    exponential_mechanism,
    geometric_noise,
    leafwise_exponential,
    permute_and_flip,
)
from privpac.guarantee.rules.sampling import sampling_with_replacement, subsampling

__all__ = [
    "assuming",
    "bounded_range",
    "confidence",
    "declared",
    "disjoint_parts",
    "empirical_draw",
    "exponential_mechanism",
    "geometric_noise",
    "group",
    "k_fold",
    "leafwise_exponential",
    "occam",
    "on_part",
    "permute_and_flip",
    "post_processing",
    "relabelling_accuracy",
    "resampling_accuracy",
    "resampling_empirical",
    "sampling_with_replacement",
    "sequential",
    "stable_accuracy",
    "subsampling",
    "subsampling_accuracy",
    "total_variation",
]
