"""Every registered construction, enumerated: the true loss is within its certificate, and both stay as they were."""

from __future__ import annotations

import json

import pytest

from privpac.audit.exact import audit
from privpac.audit.registry import REGISTRY
from tests.golden.audits import AUDIT, row

AUDITED = json.loads(AUDIT.read_text(encoding="utf-8"))
"""Claims and exact losses as they were: a change of either is seen, not only a broken promise."""


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


def test_the_registry_is_not_silently_empty() -> None:
    assert len(REGISTRY) >= 12
