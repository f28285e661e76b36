"""What there is no longer, and what takes its place: one table, which the command line answers from.

The changelog holds the same table for readers; docs/reference/stability.md says when something may go. A verb is
written as it is typed, an option with its dashes, a word as it begins, a class or function by its dotted name.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["REMOVED", "replacement_of"]

REMOVED: Mapping[str, str] = {
    "auto:1": "auto, which is one design; privpac 0.2.0 verifies files of the first one",
    "staged": "auto, which refines a first tree wherever that helps, or trees:3",
    "risk-tree": "graded-tree, whose classes are those of the default tree, with what is proved of them",
    "card:pairs": "card, which draws two answers at once where there are records enough",
    "consistent": "predict-by-vote:CLASS, with --protect predictions",
    "relabelled": "predict-by-relabelling:CLASS, with --protect predictions",
    "ledger migrate": "make a new ledger of what is left; privpac 0.2.0 reads and migrates older ones",
    "verify-page": "verify --page OUT, which needs no Pyodide",
    "--noise": "nothing: what is proved holds for every noise",
    "--tests": "--columns or --schema, from which tests follow",
    "any": "privpac.theory.sizes in Python, for any size and dimension",
    "--optimum": "privpac.theory.best_mechanism in Python, for any finite class",
    "privpac.Ledger.migrate": "make a new ledger of what is left; privpac 0.2.0 reads and migrates older ones",
    "privpac.errors.ExposedRecords": "nothing: bundles of 0.1.0, which it warned of, are refused",
    "privpac.PrivateClassifier.feature_importances_": "model_.importances, or permutation_importance of scikit-learn",
    "privpac.data.statistics.GridCounts": "privpac.data.grid_counts.GridCounts",
    "privpac.numbers.binomial.first_whole": "privpac.numbers.exact.first_whole",
    "privpac.numbers.powers.power_table": "privpac.mechanisms.gibbs.power_table",
}
"""What was removed → what to use instead."""


def replacement_of(typed: str) -> str:
    """The sentence for somebody who typed something that was removed; empty if it never was there.

    >>> replacement_of("ledger migrate")
    'ledger migrate was removed: make a new ledger of what is left; privpac 0.2.0 reads and migrates older ones.'
    >>> replacement_of("learn")
    ''
    """
    parts = typed.split(":")
    for length in range(len(parts), 0, -1):
        name = ":".join(parts[:length])
        if name in REMOVED:
            return f"{name} was removed: {REMOVED[name]}."
    return ""
