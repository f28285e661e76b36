"""The suite fails if a planted fault survives."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.exact import audit
from privpac.audit.registry import REGISTRY
from privpac.coins import EnclosureError
from privpac.errors import RuleRefused
from privpac.guarantee import rules
from privpac.mechanisms.gibbs import PowerWeights
from privpac.numbers.exact import ratio_for
from tests.exact.mutants import MUTANTS
from tests.exact.mutants.kernels import KERNEL_FAULTS
from tests.exact.mutants.plain import subsampled_pair


@pytest.mark.parametrize("name", MUTANTS)
def test_the_audit_catches(name: str) -> None:
    finding = audit(MUTANTS[name](), stop_when_broken=True)
    assert finding.holds is False, f"survived: true epsilon {finding.epsilon} of {finding.claim.epsilon}"


@pytest.mark.parametrize("name", KERNEL_FAULTS)
def test_a_planted_kernel_fault_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = KERNEL_FAULTS[name]
    fault.check()
    fault.plant(monkeypatch)
    with pytest.raises((AssertionError, EnclosureError, IndexError)):
        fault.check()


def test_shuffling_is_what_makes_subsampling_right() -> None:
    assert audit(subsampled_pair("shuffled", shuffled=True)).holds


def test_enough_mutants() -> None:
    assert len(MUTANTS) >= 12


@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "7.3"])
def test_a_ratio_rounded_the_wrong_way_is_refused(epsilon: str) -> None:
    wanted = Fraction(epsilon)
    right = ratio_for(wanted / 2)
    wrong = Fraction(float(np.nextafter(float(right), 0.0)))
    rules.declared(rules.exponential_mechanism(ratio=right), epsilon=wanted)
    with pytest.raises(RuleRefused):
        rules.declared(rules.exponential_mechanism(ratio=wrong), epsilon=wanted)


def test_a_kernel_outside_its_error_bound_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = PowerWeights.floats

    def biased(self: PowerWeights[object]) -> tuple[Sequence[float], float]:
        values, error = honest(self)
        tilted = values.copy()
        tilted[0] *= 1 + 1e-12
        return tilted, error

    monkeypatch.setattr(PowerWeights, "floats", biased)
    with pytest.raises(EnclosureError):
        audit(REGISTRY["thresholds-up"]())
