"""What a certificate costs in rho, by the library and by the checker."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from privpac.checker.check import check_derivation
from privpac.constructions.cuts import rules as cuts_rules
from privpac.constructions.estimates.confusion import estimate_privacy
from privpac.constructions.prediction import vote_law
from privpac.constructions.release import quantiles
from privpac.errors import NotCertified
from privpac.guarantee import rules
from privpac.guarantee.facts import Loss, Privacy
from privpac.guarantee.price import concentrated_price
from privpac.guarantee.proof import SEAL, Proof
from privpac.numbers.concentrated import pure_rho, rho_up
from privpac.numbers.exact import power_up, ratio_for
from tests.contracts.examples import EXAMPLES
from tests.unit.guarantee.stored_price import price_of, stored_price

TENTH = Fraction(1, 10)


def _draw(epsilon: Fraction = TENTH) -> Proof[Privacy]:
    return rules.declared(rules.exponential_mechanism(ratio=ratio_for(epsilon / 2)), epsilon=epsilon)


def _vote(epsilon: Fraction = TENTH) -> Proof[Privacy]:
    return rules.declared(vote_law.vote(classes=2, ratio=ratio_for(epsilon), models=5), epsilon=epsilon)


def _stages() -> Proof[Privacy]:
    first = rules.exponential_mechanism(ratio=ratio_for(TENTH / 2))
    later = rules.exponential_mechanism(ratio=ratio_for(TENTH))
    return rules.declared(rules.sequential(first, later), epsilon=3 * TENTH)


def _medians() -> Proof[Privacy]:
    return rules.sequential(*[quantiles.leafwise_medians(ratio=ratio_for(TENTH / 4))] * 3)


def _choice() -> Proof[Privacy]:
    """A draw, a choice with a delta, another draw."""
    draw = rules.exponential_mechanism(ratio=ratio_for(TENTH / 2))
    return rules.sequential(draw, cuts_rules.stable_choice(ratio=ratio_for(TENTH / 2), threshold=50), draw)


def _parts() -> Proof[Privacy]:
    table = estimate_privacy(epsilon=TENTH)
    return rules.disjoint_parts(
        rules.on_part(_draw(), part="training part"), rules.on_part(table, part="holdout part")
    )


PRICES: dict[str, tuple[Callable[[], Proof[Privacy]], Fraction]] = {
    "exponential draw": (_draw, TENTH**2 / 8),
    "vote": (_vote, pure_rho(TENTH)),
    "permute-and-flip": (lambda: rules.permute_and_flip(ratio=ratio_for(TENTH / 2)), pure_rho(TENTH)),
    "stages": (_stages, TENTH**2 / 8 + (2 * TENTH) ** 2 / 8),
    "medians": (_medians, 3 * TENTH**2 / 8),
    "a choice with a delta": (_choice, 2 * TENTH**2 / 8 + pure_rho(TENTH)),
    "noise, a change of 2": (
        lambda: estimate_privacy(epsilon=TENTH, difference=True),
        Fraction(4877057550, 10**12),
    ),
    "disjoint parts": (_parts, Fraction(2499479297, 10**12)),
    "two records per person": (lambda: rules.group(_draw(), size=2), TENTH**2 / 2),
    "two records per person, pure": (lambda: rules.group(_vote(), size=2), pure_rho(2 * TENTH)),
    "declared batch": (lambda: rules.k_fold(_draw(), times=7, saved=0), 7 * TENTH**2 / 8),
    "an assumption": (lambda: rules.assuming(_draw(), "an example is an example"), TENTH**2 / 8),
    "computed from a draw": (lambda: rules.post_processing(_draw(), what="a table"), TENTH**2 / 8),
}


@pytest.mark.parametrize("name", PRICES)
def test_a_release_costs_what_its_derivation_shows(name: str) -> None:
    make, rho = PRICES[name]
    price = concentrated_price(make())
    assert price.fact.rho == rho
    assert (price.fact.unit, price.fact.part, price.fact.release) == (
        make().fact.unit,
        make().fact.part,
        make().fact.release,
    )
    assert price.fact.delta <= make().fact.delta


def _private() -> list[str]:
    return [key for key, make in EXAMPLES.items() if isinstance(make().fact, Privacy)]


@pytest.mark.parametrize("key", _private())
def test_the_price_of_every_rule_is_derived_again_and_never_above_that_of_epsilon_alone(key: str) -> None:
    proof: Proof[Any] = EXAMPLES[key]()
    price = concentrated_price(proof)
    assert check_derivation(price.to_json()) >= 2
    assert price.fact.rho <= pure_rho(max(Fraction(0), proof.fact.epsilon.upper))
    assert price_of(proof.to_json()) == rho_up(price.fact.rho)


@pytest.mark.parametrize("name", PRICES)
def test_the_checker_reads_the_same_price_off_the_stored_steps(name: str) -> None:
    proof = PRICES[name][0]()
    known = name == "disjoint parts"  # a document does not say that cells of a table move by 1
    assert (price_of(proof.to_json()) > concentrated_price(proof).fact.rho) == known
    assert known or price_of(proof.to_json()) == rho_up(concentrated_price(proof).fact.rho)
    assert check_derivation(concentrated_price(proof).to_json()) >= 2


def test_the_checker_gives_no_price_to_a_step_that_does_not_follow() -> None:
    tree: dict[str, Any] = _draw().to_json()
    tree["premises"][0]["where"]["ratio"] = "9/10"
    with pytest.raises(NotCertified):
        price_of(tree)


def test_a_batch_with_a_delta_of_its_own_is_not_priced_by_the_sum_of_its_releases() -> None:
    batch = rules.k_fold(_draw(), times=100, saved=30)
    price = concentrated_price(batch).fact
    assert (price.rho, price.delta) == (pure_rho(batch.fact.epsilon.upper), batch.fact.delta)
    assert price.rho > 100 * TENTH**2 / 8


def test_a_card_costs_the_sum_of_its_rounds() -> None:
    """Twenty rounds of epsilon 0.05 each: far below the price of their sum."""
    ratio, cap, rounds = ratio_for(Fraction(1, 160)), 2, 20
    fact = Privacy(Loss(factor=power_up(1 / ratio, 4 * cap * rounds)))
    where: dict[str, str | int] = {"ratio": str(ratio), "cap": cap, "rounds": rounds}
    card = Proof(fact, "weighted-rounds", where=where, seal=SEAL)
    price = concentrated_price(card)
    assert price.fact.rho == rounds * Fraction(1, 20) ** 2 / 8 == stored_price(card.to_json())
    assert check_derivation(price.to_json()) == 4
    assert pure_rho(Fraction(1)) > 70 * price.fact.rho
