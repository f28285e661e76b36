"""Every registered construction, enumerated: the true loss is within its certificate, and both stay as they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privpac.audit.exact import audit
from privpac.audit.registry import REGISTRY
from privpac.audit.survey import at_limits
from tests.golden.audits import AUDIT, row

AUDITED = json.loads(AUDIT.read_text(encoding="utf-8"))
"""Claims and exact losses as they were: a change of either is seen, not only a broken promise."""

FIXED_SIZES = {
    "flipped-answers",
    "flipped-three-answers",
    "relabelled-vote",
    "net-relabelled",
    "active",
    "active-plain",
    "relabelled-isolated",
    "label-boost-isolated",
    "label-boost-isolated-unlabelled",
    "release-tree-lazy",
}
"""Rows that are made for one number of records, by their construction or for one pair, and one that takes too long."""


LOOSE = {
    **dict.fromkeys(("label-boost", "label-boost-draws", "label-boost-twice"), "label-boost-isolated"),
    "active": "active-plain",
    "ssl-relabel": "ssl-relabel-labelled",
    "relabelled": "relabelled-isolated",
    **dict.fromkeys((name for name in REGISTRY if name.startswith("agnostic")), "relabelling.md"),
    "relabelled-vote": "relabelled-vote.md",
    "net-relabelled": "net-relabelling.md",
    **dict.fromkeys(("confidence", "confident"), "confidence-rare"),
    "switches": "switches-tight",
    "graded-tree": "graded-tree-levels",
    **dict.fromkeys(("refined", "refined-three-classes"), "refined-tight"),
    "release-quantiles-batches": "release-quantiles-tight",
    "recconcave": "rec-concave.md",
    "generic-finite": "generic-learner.md",
    "reference-sampled": "reference-cover.md",
}
"""Rows that lose less than half of their certificates: where the same is seen to be tight, or the page that says why.

A loose row hides faults: twice the epsilon of a pick went unnoticed below one.
"""
PROOFS = Path(__file__).resolve().parents[2] / "docs" / "proofs"


@pytest.mark.long_cases(
    "points-boosted-keyed",
    "release-blocks-tight",
    "agnostic-unions",
    "rectangles-labels",
    "relabelled-vote",
    "reference-cube",
    "reference-sampled",
    "points-boosted",
    "reference-plane",
    "vote-three-classes",
    "active",
    "stumps-labels",
    "refined-tight",
    "flipped-three-answers",
    "reference-table",
    "vote-three-classes-two-answers",
    "vote-two-answers",
    "release-quantiles",
    "label-boost",
    "label-boost-blocks",
    "agnostic-points",
    "points-sampled",
    "nested",
    "generic-thresholds-labelled",
    "stable-lists",
    "graded-tree-levels",
    "graded-tree",
    "halfspaces",
    "stable-boxes",
    "switches-tight",
    "recconcave",
    "auto-mixture",
    "halfspaces-table",
    "scorecards",
    "vote-three-answers",
    "agnostic-intervals",
    "refined-three-classes",
    "agnostic-stumps",
    "agnostic-occam",
    "card-mixed",
    "card-rounds-mixed",
    "card-rounds-categories",
    "net-relabelled",
    "card-labels",
    "card-rounds",
    "label-boost-twice",
    "release-tree-lazy",
    "flipped-answers",
    "ssl-relabel",
    "refined",
    "agnostic-finite",
    "points-code",
    "blocks-tight",
)
@pytest.mark.parametrize("name", REGISTRY)
def test_true_loss_is_within_the_certificate(name: str) -> None:
    finding = audit(REGISTRY[name]())
    assert finding.complete
    assert row(finding) == AUDITED[name], "if the claim was meant to change: python -m tests.golden --audit"
    assert 0 < finding.compared <= finding.pairs
    if finding.claim.delta == 0:  # with a delta, some outputs may be impossible on a neighbour
        assert finding.exact is not None, "an output is impossible on a neighbour"
    assert finding.holds, f"true epsilon {finding.epsilon} of {finding.claim.epsilon}"
    assert finding.delta <= finding.claim.delta
    assert not finding.raised, "no input of a row is refused"
    if finding.tightness is not None:
        assert (finding.tightness < 0.5) <= (name in LOOSE), "find a tighter setting"
        assert (name in LOOSE.values()) <= (finding.tightness > 0.8)


def test_pages_say_why_a_row_is_not_tight() -> None:
    for name, why in LOOSE.items():
        assert name in REGISTRY
        if why not in REGISTRY:
            page = (PROOFS / why).read_text(encoding="utf-8")
            section = page.split("## How tight")[1].split("\n## ")[0]
            assert f"`{name}`" in section or (name.startswith("agnostic") and "`agnostic…`" in section)


@pytest.mark.long_cases(
    "label-boost-blocks",
    "ssl-relabel-blocks",
    "clauses-pairs",
    "clauses",
    "rectangles",
    "agnostic",
    "trees",
    "label-boost-draws",
    "release-blocks-tight",
    "points-boosted-keyed",
    "agnostic-unions",
    "stable-lists",
    "agnostic-trees",
    "blocks-tight",
    "release-blocks",
    "stable-unions",
    "release-histogram",
    "switches",
    "vote-classifiers",
    "points-cover",
    "stable-boxes",
    "rectangles-space",
    "halfspaces-table",
    "leaf-counts",
    "points-boosted",
    "card-mixed",
    "card-rounds-mixed",
    "card",
    "card-delta",
    "card-labels",
    "vote-three-answers",
    "agnostic-stumps",
    "vote-three-classes",
    "vote-three-classes-two-answers",
    "card-rounds-categories",
    "recconcave",
    "vote-two-answers",
    "halfspaces",
    "label-boost-twice",
    "refined-three-classes",
    "reference-table",
    "agnostic-occam",
    "auto-mixture",
    "refined",
    "card-rounds",
    "release-tree",
    "vote-concepts",
    "vote-even",
    "nested",
    "subsampled",
    "switches-tight",
    "generic-thresholds-labelled",
    "scorecards",
    "agnostic-adversary",
    "generic-thresholds-unlabelled",
    "reference-plane",
    "release-quantiles",
    "agnostic-finite",
    "agnostic-intervals",
    "estimate-same-records",
    "agnostic-points",
    "reference-cube",
    "reference-sampled",
    "leaf-counts-labels",
    "estimate-holdout",
    "lists",
    "graded-tree",
    "graded-tree-levels",
)
@pytest.mark.parametrize("name", REGISTRY)
def test_true_loss_is_within_the_certificate_at_limits(name: str) -> None:
    case = at_limits(REGISTRY[name]())
    if case is None:
        assert name in FIXED_SIZES, "nothing is certified of one record more"
        return
    assert name not in FIXED_SIZES
    finding = audit(case)
    assert finding.complete
    assert finding.holds, f"true epsilon {finding.epsilon} of {finding.claim.epsilon}"
    assert not finding.raised


def test_the_registry_is_not_silently_empty() -> None:
    assert len(REGISTRY) >= 12
