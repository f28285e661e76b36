"""Every registered construction, enumerated: the true loss is within its certificate, and both stay as they were."""

from __future__ import annotations

import json

import pytest

from privpac.audit.exact import audit
from privpac.audit.limits import at_limits
from privpac.audit.registry import REGISTRY
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
    "release-tree-lazy",
}
"""Rows of constructions that are made for one number of records, and one that takes too long with another."""


@pytest.mark.parametrize("name", REGISTRY)
def test_true_loss_is_within_the_certificate(name: str) -> None:
    finding = audit(REGISTRY[name]())
    assert finding.complete
    assert row(finding) == AUDITED[name], "if the claim was meant to change: python -m tests.golden --audit"
    assert finding.pairs > 0
    if finding.claim.delta == 0:  # with a delta, some outputs may be impossible on a neighbour
        assert finding.exact is not None, "an output is impossible on a neighbour"
    assert finding.holds, f"true epsilon {finding.epsilon} of {finding.claim.epsilon}"
    assert finding.delta <= finding.claim.delta
    assert not finding.raised, "no input of a row is refused"


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
