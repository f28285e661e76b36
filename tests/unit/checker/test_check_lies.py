"""Lies told consistently: every field of a derivation agrees with every other, only the rule's condition fails."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from privpac.checker.check import check_certificate, check_derivation
from privpac.checker.steps.carried import true_rate
from privpac.errors import NotCertified
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Against
from tests.contracts.examples import EXAMPLES, few_labels
from tests.together import together


def fact(factor: str, *, log: str = "0", delta: str = "0", **changes: str) -> dict[str, Any]:
    return {
        "kind": "privacy",
        "epsilon": {"log": log, "factor": factor},
        "delta": delta,
        "unit": "record",
        "part": "all records",
        "release": "hypothesis",
        "neighbours": "replace-one",
        **changes,
    }


def step(rule: str, claim: dict[str, Any], *premises: Any, **where: Any) -> dict[str, Any]:
    return {"rule": rule, "fact": claim, "where": where, "premises": list(premises)}


def pick(**changes: str) -> dict[str, Any]:
    """An exponential mechanism of ratio 1/2: e^epsilon = 4."""
    return step("exponential-mechanism", fact("4", **changes), ratio="1/2", sensitivity=1)


def loose(delta: str = "1/100", **changes: str) -> dict[str, Any]:
    """The same with a delta that was declared: epsilon 2 is above ln 4."""
    claim = fact("1", log="2", delta=delta, **changes)
    return step("declared", claim, pick(**changes), epsilon="2", delta=str(float(Fraction(delta))))


def on(part: str, premise: dict[str, Any]) -> dict[str, Any]:
    return step("on-part", {**premise["fact"], "part": part}, premise, part=part)


HONEST: dict[str, dict[str, Any]] = {
    "selection": pick(),
    "declared": loose(),
    "on a part": on("left", pick()),
    "sequential": step("sequential", fact("16"), pick(), pick()),
    "disjoint": step("disjoint-parts", fact("4"), on("left", pick()), on("right", pick())),
    "subsampling": step("subsampling-without-replacement", fact("5/2"), pick(), kept=1, of=2),
    "with replacement": step("sampling-with-replacement", fact("25/4"), pick(), draws=2, of=2),
    "batch": step("k-fold-composition", fact("1", delta="3/5"), pick(), times=2, saved=1),
}


def drawn_again(rule: str, premise: dict[str, Any], against: str, **where: Any) -> dict[str, Any]:
    """What would follow for draws from a table of 100,000, if the premise held for every distribution."""
    error, failure = Fraction(premise["fact"]["error"]), Fraction(premise["fact"]["failure"])
    if where:
        failure += Fraction(where["miss"])
        error = true_rate(error, 100_000, Fraction(where["miss"]), where["vc"], 1)
    claim = {"error": str(error), "failure": str(failure), "against": against, "records": 100_000}
    return step(rule, {**premise["fact"], **claim}, premise, of=100_000, **where)


def of_densities() -> dict[str, Any]:
    """An accuracy that assumes a density of at most 1, which a table's own distribution does not have."""
    return EXAMPLES["reference-cover-realizable"]().to_json()


def of_some(premise: dict[str, Any]) -> dict[str, Any]:
    """The same of a random part of the records: what it assumes stands one step below."""
    return step("subsampling-accuracy", {**premise["fact"], "records": 1000}, premise, of=1000)


HONEST |= {
    "draws of a table": drawn_again(
        "resampling-empirical", of_some(EXAMPLES["occam-realizable"]().to_json()), "empirical"
    ),
    "draws of a table, and its distribution": drawn_again(
        "resampling-accuracy", EXAMPLES["occam-realizable"]().to_json(), "realizable", vc=1, miss="1/20"
    ),
}

LIES: dict[str, dict[str, Any]] = {
    "draws of a table that need a density": drawn_again("resampling-empirical", of_densities(), "empirical"),
    "draws of a table that need a density below": drawn_again(
        "resampling-empirical", of_some(of_densities()), "empirical"
    ),
    "a distribution by draws of a table that need a density": drawn_again(
        "resampling-accuracy", of_densities(), "realizable", vc=1, miss="1/20"
    ),
    "a base for some densities, on draws from points": {
        **few_labels.boosted_draws().to_json(),
        "premises": [of_densities()],
    },
    "a base that follows other points": {
        **few_labels.boosted_blocks().to_json(),
        "premises": [EXAMPLES["occupied-blocks-empirical"]().to_json()],
    },
    "relabelled points before a base that follows others": {
        **few_labels.relabelled_blocks().to_json(),
        "premises": [EXAMPLES["occupied-blocks-empirical"]().to_json()],
    },
    "relabelled points before a base for draws": {
        **few_labels.relabelled_blocks().to_json(),
        "premises": few_labels.boosted_draws().to_json()["premises"],
    },
    "less than the truth is declared": step("declared", fact("1", log="1"), pick(), epsilon="1", delta="0"),
    "a smaller delta is declared": step(
        "declared", fact("1", log="2", delta="1/1000"), loose(), epsilon="2", delta="0.001"
    ),
    "a ratio above 1": step("exponential-mechanism", fact("4/9"), ratio="3/2", sensitivity=1),
    "a negative ratio": step("exponential-mechanism", fact("4"), ratio="-1/2", sensitivity=1),
    "no sensitivity": step("exponential-mechanism", fact("1"), ratio="1/2", sensitivity=0),
    "a sensitivity in words": step("exponential-mechanism", fact("4"), ratio="1/2", sensitivity="1"),
    "a sensitivity that is true": step("exponential-mechanism", fact("4"), ratio="1/2", sensitivity=True),
    "noise without end": step("geometric-noise", fact("1", release="noisy numbers"), ratio="1", change=1),
    "noise that is a hypothesis": step("geometric-noise", fact("2"), ratio="1/2", change=1),
    "a mechanism with a premise": step(
        "exponential-mechanism", fact("4"), pick(), ratio="1/2", sensitivity=1
    ),
    "a mechanism with a delta": step(
        "exponential-mechanism", fact("4", delta="1/2"), ratio="1/2", sensitivity=1
    ),
    "a negative delta": step("sequential", fact("16", delta="-1/2"), pick(delta="-1/2"), pick()),
    "a part of a part": on("inner", on("left", pick())),
    "a part that is everything": on("all records", pick()),
    "a nameless part": on("", pick()),
    "parts in sequence": step("sequential", fact("16"), on("left", pick()), on("right", pick())),
    "units in sequence": step("sequential", fact("16"), pick(), pick(unit="label")),
    "nothing in sequence": step("sequential", fact("1")),
    "the same part twice": step("disjoint-parts", fact("4"), on("left", pick()), on("left", pick())),
    "everything next to a part": step("disjoint-parts", fact("4"), on("left", pick()), pick()),
    "disjoint parts that stay a part": step(
        "disjoint-parts", fact("4", part="left"), on("left", pick()), on("right", pick())
    ),
    "the better part counts": step(
        "disjoint-parts", fact("4"), on("left", pick()), on("right", HONEST["sequential"])
    ),
    "the smaller delta counts": step(
        "disjoint-parts",
        fact("1", log="2", delta="1/100"),
        on("left", loose()),
        on("right", loose("1/50")),
    ),
    "more kept than there are": step("subsampling-without-replacement", fact("7"), pick(), kept=2, of=1),
    "nothing kept": step("subsampling-without-replacement", fact("1"), pick(), kept=0, of=2),
    "no draws": step("sampling-with-replacement", fact("1"), pick(), draws=0, of=2),
    "a group of nobody": step("group", fact("1"), pick(), size=0),
    "a group nobody assumes": step("group", fact("16"), pick(), size=2),
    "a batch of releases with deltas": step(
        "k-fold-composition", fact("1", log="2", delta="1/100"), loose(), times=1, saved=0
    ),
    "more saved than half": step("k-fold-composition", fact("1", delta="3/5"), pick(), times=2, saved=2),
    "post-processing that gains": step(
        "post-processing", fact("3"), pick(), what="rounded", release="hypothesis"
    ),
    "post-processing without words": step(
        "post-processing", fact("4"), pick(), what="", release="hypothesis"
    ),
    "neighbours of another kind": pick(neighbours="add-remove"),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_steps_written_by_hand_are_accepted(name: str) -> None:
    check_derivation(HONEST[name])


@pytest.mark.parametrize("name", LIES)
def test_consistent_lies_are_refused(name: str) -> None:
    with pytest.raises(NotCertified):
        check_derivation(LIES[name])


def test_a_part_is_not_the_whole() -> None:
    honest = rules.exponential_mechanism(ratio=Fraction(1, 2))
    tree = Certificate(privacy=honest, accuracy=(), learner={}, labelled=3).to_json()
    assert tree["epsilon"] == "1.38629436112"  # ln 4, rounded up
    check_certificate(tree)
    tree["privacy"] = on("left", pick())
    with pytest.raises(NotCertified, match="part of the records"):
        check_certificate(tree)


def stable(gamma: str, unit: str = "record") -> dict[str, Any]:
    """From log-odds that move by ln 16: probabilities move by tanh(ln 2) = 3/5."""
    moved = {"kind": "bounded-range", "epsilon": {"log": "0", "factor": "16"}, "unit": "record"}
    premise = step("bounded-range", moved, ratio="1/2", sensitivity=2)
    return step("total-variation", {"kind": "stability", "gamma": gamma, "unit": unit}, premise)


def test_a_stability_is_the_smallest_that_holds() -> None:
    check_derivation(stable("3/5"))
    step_up, step_down = (str(Fraction(3, 5) + sign * Fraction(1, 10**12)) for sign in (1, -1))
    for wrong in (step_up, step_down, "2/3", "1", "2", "-3/5", "0"):
        with pytest.raises(NotCertified):
            check_derivation(stable(wrong))
    with pytest.raises(NotCertified):
        check_derivation(stable("3/5", unit="label"))


@pytest.mark.parametrize("assumes", [[""], [], ["a", "b"], [3], "it rains", None])
def test_an_assumption_is_one_sentence(assumes: Any) -> None:
    honest = {**step("assuming", pick()["fact"], pick()), "assumes": ["it rains"]}
    check_derivation(honest)
    with pytest.raises(NotCertified):
        check_derivation({**honest, "assumes": assumes})


def test_a_role_that_nobody_has_is_refused_in_words() -> None:
    """Part and parameter agree with each other, and with nothing else: once that ended with a fault of the checker."""
    for part in ("some part", "labelled part"):
        claim = fact("4", part=part, release="hypothesis and positions asked")
        lie = step("positions-known", claim, pick(), part=part, release="hypothesis and positions asked")
        with pytest.raises(NotCertified, match="no such role"):
            check_derivation(lie)


def test_an_assumption_keeps_the_fact_to_the_letter() -> None:
    """120.0 is equal to 120, and 1 to true, but not the same text: nobody would have read the middle one."""
    claim = rules.occam(
        odds=99,
        records=120,
        ratio=Fraction(1, 2),
        tilt=Fraction(3, 4),
        error=Fraction(1, 2),
        failure=Fraction(1, 20),
        against=Against.REALIZABLE,
    ).to_json()
    for change in ({}, {"records": 120.0}, {"proper": 1}):
        above = claim
        for words in ("it rains", "it pours"):
            edited = {**claim["fact"], **(change if words == "it rains" else {})}
            above = {"rule": "assuming", "fact": edited, "assumes": [words], "premises": [above]}
        if not change:
            check_derivation(above)
            continue
        with pytest.raises(NotCertified, match="differs from its premise"):
            check_derivation(above)


@together([key for key in EXAMPLES if "records" in EXAMPLES[key]().to_json().get("where", {})])
def test_a_number_of_records_has_one_spelling(key: str) -> None:
    tree: dict[str, Any] = EXAMPLES[key]().to_json()
    check_derivation(tree)
    for other in (float(tree["where"]["records"]), str(tree["where"]["records"])):
        with pytest.raises(NotCertified):
            check_derivation({**tree, "where": {**tree["where"], "records": other}})


@pytest.mark.parametrize("domain", ["65536000000000001/1000000000000", "131071/2", "-65536", "0"])
def test_a_domain_is_a_whole_number_of_values(domain: str) -> None:
    tree: dict[str, Any] = EXAMPLES["reed-solomon-points"]().to_json()
    check_derivation(tree)
    with pytest.raises(NotCertified):
        check_derivation({**tree, "where": {**tree["where"], "domain": domain}})
