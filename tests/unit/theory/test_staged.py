"""Draws in stages: reference values, what is monotone, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import cast

import pytest

from privpac.checker import check
from privpac.errors import NotCertified, ParameterError, RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.facts import Accuracy, Against, Unit
from privpac.guarantee.proof import Proof
from privpac.theory.staged import Stage, error_staged, excess_staged, slack_staged

STAGES = (Stage(Fraction(1000), Fraction(4, 5)), Stage(Fraction(20), Fraction(1, 2)))
FAILURE = Fraction(1, 20)


def slack(parts: int) -> float:
    each = 0.05 / parts
    return math.log(1000 / each) / math.log(5 / 4) + math.log(20 / each) / math.log(2)


def test_the_bounds_are_those_of_the_statements() -> None:
    n, size, growth = 20_000, 10**9, Fraction(3, 2)
    one, many = (math.sqrt(math.log(count * 4 / 0.05) / (2 * n)) for count in (1, size))
    found = float(excess_staged(n, STAGES, failure=FAILURE, size=size))
    assert found == pytest.approx(slack(4) / n + one + many, abs=1e-11)
    found = float(excess_staged(n, STAGES, failure=FAILURE, growth=growth))
    assert found == pytest.approx(slack(4) / n + 2 * one + math.tanh(math.log(1.5) / 4), abs=1e-11)
    roots = [math.sqrt(slack(3) / n) + math.sqrt(math.log(count * 3 / 0.05) / n) for count in (size, 1)]
    assert float(error_staged(n, STAGES, failure=FAILURE, size=size)) == pytest.approx(
        roots[0] ** 2, abs=1e-11
    )
    rate = roots[1] ** 2
    found = float(error_staged(n, STAGES, failure=FAILURE, growth=growth))
    assert found == pytest.approx(1.5 * rate / (1 + 0.5 * rate), abs=1e-11)


def test_a_stage_that_can_hardly_change_anything_adds_nothing() -> None:
    assert slack_staged([Stage(Fraction(1, 100), Fraction(1, 2))], failure=FAILURE) == 0
    assert slack_staged([*STAGES, Stage(Fraction(1, 100), Fraction(1, 2))], failure=FAILURE) == slack_staged(
        STAGES, failure=FAILURE
    )


def test_too_few_records_prove_nothing() -> None:
    assert error_staged(10, STAGES, failure=FAILURE, size=100) == 1
    for against in (Against.REALIZABLE, Against.AGNOSTIC):
        with pytest.raises(RuleRefused, match="prove nothing"):
            rules.staged_draws(stages=STAGES, records=10, size=100, failure=FAILURE, against=against)


def test_a_ratio_without_weight_is_refused() -> None:
    with pytest.raises(ParameterError, match="ratio"):
        slack_staged([Stage(Fraction(10), Fraction(1))], failure=FAILURE)


@pytest.mark.parametrize("unit", [Unit.LABEL, Unit.RECORD])
def test_only_the_privacy_of_whole_records_stands_for_the_size(unit: Unit) -> None:
    private = rules.exponential_mechanism(ratio=Fraction(3, 5), unit=unit)
    if unit is Unit.RECORD:
        private = rules.k_fold(private, times=3, saved=1)  # with a delta
    with pytest.raises(RuleRefused, match="whole records"):
        rules.staged_draws(
            private, stages=STAGES, records=20_000, size=1, failure=FAILURE, against=Against.AGNOSTIC
        )


ENOUGH, TOO_LITTLE = Fraction(2, 5), Fraction(41, 100)
"""Ratios of one draw that loses (5/4)²·2², as `STAGES` do together, and of one that loses less."""


def by_privacy(ratio: Fraction, against: Against) -> Proof[Accuracy]:
    private = rules.exponential_mechanism(ratio=ratio)
    return rules.staged_draws(
        private, stages=STAGES, records=20_000, size=1, failure=FAILURE, against=against
    )


@pytest.mark.parametrize("against", [Against.AGNOSTIC, Against.REALIZABLE])
def test_a_premise_smaller_than_what_the_draws_lose_is_not_theirs(against: Against) -> None:
    assert by_privacy(ENOUGH, against).fact.error < 1
    with pytest.raises(RuleRefused, match="lose more than the privacy"):
        by_privacy(TOO_LITTLE, against)


@pytest.mark.parametrize(
    ("against", "bound"), [(Against.AGNOSTIC, excess_staged), (Against.REALIZABLE, error_staged)]
)
def test_the_checker_refuses_such_a_premise_too(against: Against, bound: Callable[..., Fraction]) -> None:
    """The forged error is the one that would follow from the premise."""
    honest = by_privacy(ENOUGH, against).to_json()
    assert check.check_derivation(honest) == 2
    error = bound(20_000, STAGES, failure=FAILURE, growth=1 / TOO_LITTLE**2)
    forged = {
        **honest,
        "fact": {**cast("dict[str, object]", honest["fact"]), "error": str(error)},
        "premises": [rules.exponential_mechanism(ratio=TOO_LITTLE).to_json()],
    }
    with pytest.raises(NotCertified, match="lose more than the privacy"):
        check.check_derivation(forged)


def test_the_checker_refuses_another_premise_fewer_rules_and_smaller_odds() -> None:
    private = rules.declared(rules.exponential_mechanism(ratio=Fraction(3, 5)), epsilon=Fraction(2))
    by_privacy = rules.staged_draws(
        private, stages=STAGES, records=20_000, size=1, failure=FAILURE, against=Against.AGNOSTIC
    ).to_json()
    counted = rules.staged_draws(
        stages=STAGES, records=20_000, size=10**9, failure=FAILURE, against=Against.AGNOSTIC
    ).to_json()
    assert check.check_derivation(by_privacy) == 3
    assert check.check_derivation(counted) == 1
    labels = rules.declared(
        rules.exponential_mechanism(ratio=Fraction(3, 5), unit=Unit.LABEL), epsilon=Fraction(2)
    ).to_json()
    forged = [
        {**by_privacy, "premises": [labels]},
        {**by_privacy, "premises": []},
        *(
            {**counted, "where": {**counted["where"], **change}}
            for change in (  # type: ignore[dict-item]
                {"size": "1000"},
                {"odds": "1000 2"},
                {"odds": "1000"},
                {"ratios": "4/5 1/4"},
                {"records": 30_000},
                {"ratios": "4/5 1"},
                {"odds": 7},
            )
        ),
        {**counted, "fact": {**counted["fact"], "proper": True}},  # type: ignore[dict-item]
    ]
    for tree in forged:
        with pytest.raises(NotCertified):
            check.check_derivation(tree)
