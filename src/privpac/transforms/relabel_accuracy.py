"""What SSL-Relabel proves about errors, if some concept makes none.

Proof: docs/proofs/ssl-relabel.md. Tested by tests/statistical/test_few_labels.py.
"""

from __future__ import annotations

from fractions import Fraction

from privpac.guarantee import rules
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.proof import Proof
from privpac.guarantee.rules.few_labels import Drawn
from privpac.numbers.exact import ratio_for
from privpac.theory.ssl_relabel import Relabel, relabel_promise
from privpac.theory.transfer import Family
from privpac.transforms.boost_accuracy import carried_by

__all__ = ["relabel_accuracy"]


def relabel_accuracy(relabel: Relabel, *, family: Family, failure: Fraction) -> Proof[Accuracy] | None:
    """The accuracy as a proof; None where nothing is proved."""
    promise = relabel_promise(relabel, family=family, failure=failure)
    if promise is None:
        return None
    quarter = failure / 4
    points = {"near": relabel.labelled, "apart": relabel.kept}
    near, apart = (
        carried_by(found, points=points[name], family=family, failure=quarter, pairs=name == "apart")
        for name, found in (("near", promise.near), ("apart", promise.apart))
    )
    return rules.ssl_relabel_accuracy(
        labelled=relabel.labelled,
        change=relabel.change,
        mistake=relabel.mistake,
        draw=Drawn(family.labellings(relabel.kept) - 1, relabel.ratio, promise.score, quarter),
        base=Drawn(family.odds, ratio_for(relabel.base_epsilon / 2), promise.mistakes, quarter),
        near=near,
        apart=apart,
        parts=(promise.near.error, promise.apart.error),
        failure=failure,
    )
