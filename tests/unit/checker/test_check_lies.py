"""Lies told consistently: every field of a derivation agrees with every other, only the rule's condition fails."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privpac.checker.book import book
from privpac.checker.check import check_certificate, check_derivation
from privpac.checker.functions import Broken, Loss
from privpac.errors import NotCertified
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Against
from tests.contracts.examples import EXAMPLES, few_labels
from tests.together import together


def fact(factor: str, *, log: str = "0", delta: str = "0", **changes: Any) -> dict[str, Any]:
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


def pick(**changes: Any) -> dict[str, Any]:
    """An exponential mechanism of ratio 1/2: e^epsilon = 4."""
    return step("exponential-mechanism", fact("4", **changes), ratio="1/2", sensitivity=1)


def loose(delta: str = "1/100", **changes: str) -> dict[str, Any]:
    """The same with a delta that was declared: epsilon 2 is above ln 4."""
    claim = fact("1", log="2", delta=delta, **changes)
    return step("declared", claim, pick(**changes), epsilon="2", delta=str(float(Fraction(delta))))


def of_two(premise: dict[str, Any], factor: str = "16", **changes: Any) -> dict[str, Any]:
    """A person behind two records, each of which loses e^epsilon = 4."""
    claim = {**fact(factor), "records_per_person": 2, **changes}
    words = "no person stands behind more than 2 records"
    return {**step("group", claim, premise, size=2), "assumes": [words]}


TWO: dict[str, Any] = {"records_per_person": 2}


def on(part: str, premise: dict[str, Any]) -> dict[str, Any]:
    return step("on-part", {**premise["fact"], "part": part}, premise, part=part)


KEPT = "hypothesis and positions kept"


def labelled(roles: int = 2) -> dict[str, Any]:
    """Those whose labels decide, before `pick`: e^epsilon = 4 (1 + 2)^2."""
    claim = {**fact("36", part="labelled part"), "roles": roles}
    return step("label-boost-labelled", claim, pick(), ratio="1/2")


def unlabelled(part: str = "unlabelled part", roles: int | None = 2) -> dict[str, Any]:
    """All others: e^epsilon = 16."""
    claim = fact("16", part=part) | ({} if roles is None else {"roles": roles})
    return step("label-boost-unlabelled", claim, pick(), part=part)


HONEST: dict[str, dict[str, Any]] = {
    "relabelling": step("disjoint-parts", fact("36"), labelled(), unlabelled()),
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
        numbers = (error, 100_000, where["miss"], where["vc"], 1)
        error = book().scope.functions["true_rate"](*map(Fraction, numbers))
    claim = {"error": str(error), "failure": str(failure), "against": against, "records": 100_000}
    return step(rule, {**premise["fact"], **claim}, premise, of=100_000, **where)


def of_densities() -> dict[str, Any]:
    """An accuracy that assumes a density of at most 1, which a table's own distribution does not have."""
    return EXAMPLES["reference-cover-realizable"]().to_json()


def of_some(premise: dict[str, Any]) -> dict[str, Any]:
    """The same of a random part of the records: what it assumes stands one step below."""
    return step("subsampling-accuracy", {**premise["fact"], "records": 1000}, premise, of=1000)


def told(tree: dict[str, Any]) -> dict[str, Any]:
    """The same derivation, of a run that tells which positions it looked at."""
    premises = [told(premise) for premise in tree.get("premises", ())]
    fact_ = {**tree["fact"], **({"release": KEPT} if "release" in tree["fact"] else {})}
    return {**tree, "fact": fact_, "premises": premises}


def labels_only(tree: dict[str, Any]) -> dict[str, Any]:
    """The same derivation, of labels instead of whole records throughout."""
    premises = [labels_only(premise) for premise in tree.get("premises", ())]
    return {**tree, "fact": {**tree["fact"], "unit": "label"}, "premises": premises}


HONEST |= {
    "what is told stays told": step(
        "post-processing", fact("4", release=KEPT), pick(release=KEPT), what="a rule", release=KEPT
    ),
    "what is told stays told, in rho": {
        **told(EXAMPLES["concentrated-post-processing"]().to_json()),
        "where": {"what": "a rule", "release": KEPT},
    },
    "a person with two records": of_two(pick()),
    "what is declared to a person": step(
        "declared", fact("1", log="3", **TWO), of_two(pick()), epsilon="3", delta="0"
    ),
    "two releases about a person": step("sequential", fact("256", **TWO), of_two(pick()), of_two(pick())),
    "a batch about a person": step(
        "k-fold-composition", fact("256", **TWO), of_two(pick()), times=2, saved=0
    ),
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
    "one role for all": step("disjoint-parts", fact("16"), unlabelled()),
    "one role that says it is alone": step("disjoint-parts", fact("16"), unlabelled(roles=None)),
    "one role under two names": step(
        "disjoint-parts", fact("16"), unlabelled(), unlabelled("unlabelled part, block 1")
    ),
    "those without a label as those who have one": step(
        "disjoint-parts", fact("16"), unlabelled(), unlabelled("labelled part")
    ),
    "more roles than there are": step("disjoint-parts", fact("36"), labelled(), unlabelled(roles=3)),
    "two of three roles": step("disjoint-parts", fact("36"), labelled(roles=3), unlabelled(roles=3)),
    "a role among parts": step("disjoint-parts", fact("36"), labelled(), on("unlabelled part", pick())),
    "a role of roles": step("disjoint-parts", {**fact("36"), "roles": 2}, labelled(), unlabelled()),
    "a role that becomes everything": step(
        "declared", fact("1", log="9"), unlabelled(), epsilon="9", delta="0"
    ),
    "a role that loses its count": step("sequential", fact("16", part="unlabelled part"), unlabelled()),
    "those who decide, in a later round": step(
        "later-round", {**fact("36", part="labelled part"), "roles": 3}, labelled()
    ),
    "a later round of one release": step(
        "later-round", {**fact("4", part="left"), "roles": 2}, on("left", pick())
    ),
    "rounds before a run on a part": step(
        "label-boost-labelled",
        {**fact("36", part="labelled part"), "roles": 2},
        on("labelled part", pick()),
        ratio="1/2",
    ),
    "a draw in one of two roles": step(
        "exponential-mechanism", {**fact("4", part="labelled part"), "roles": 2}, ratio="1/2", sensitivity=1
    ),
    "rounds before what others lose": step(
        "label-boost-labelled",
        {**fact("144", part="labelled part"), "roles": 3},
        unlabelled(),
        ratio="1/2",
    ),
    "positions computed from a rule": step(
        "post-processing", fact("4", release=KEPT), pick(), what="who was kept", release=KEPT
    ),
    "a sample of which everybody knows": step(
        "subsampling-without-replacement", fact("5/2", release=KEPT), pick(release=KEPT), kept=1, of=2
    ),
    "draws of which everybody knows": step(
        "sampling-with-replacement", fact("25/4", release=KEPT), pick(release=KEPT), draws=2, of=2
    ),
    "relabelling by a run that tells whom it looked at": told(EXAMPLES["relabelling"]().to_json()),
    "a sample's cost of which everybody knows": told(EXAMPLES["subsampled-concentrated"]().to_json()),
    "votes of nobody in particular": step(
        "relabelling-votes", {**fact("4", part="left"), "roles": 2}, ratio="1/2", mistake=1, part="left"
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
    "labels of some records, whose features tell who they are": step(
        "subsampling-without-replacement", fact("5/2", unit="label"), pick(unit="label"), kept=1, of=2
    ),
    "labels of records drawn, whose features tell who they are": step(
        "sampling-with-replacement", fact("25/4", unit="label"), pick(unit="label"), draws=2, of=2
    ),
    "labels of some records, in rho": labels_only(EXAMPLES["subsampled-concentrated"]().to_json()),
    "labels drawn for points before a run that protects labels": labels_only(
        EXAMPLES["label-boost-labelled"]().to_json()
    ),
    "the same of points without label": labels_only(EXAMPLES["label-boost-unlabelled"]().to_json()),
    "relabelled records without a part of their own": {
        **EXAMPLES["relabelling-part"]().to_json(),
        "fact": {**EXAMPLES["relabelling-part"]().to_json()["fact"], "part": "all records"},
        "where": {**EXAMPLES["relabelling-part"]().to_json()["where"], "part": "all records"},
    },
    "more kept than there are": step("subsampling-without-replacement", fact("7"), pick(), kept=2, of=1),
    "nothing kept": step("subsampling-without-replacement", fact("1"), pick(), kept=0, of=2),
    "no draws": step("sampling-with-replacement", fact("1"), pick(), draws=0, of=2),
    "a mechanism of persons": pick(**TWO),
    "a group that names no number": {**of_two(pick()), "fact": fact("16")},
    "a group that names another number": of_two(pick(), records_per_person=3),
    "a group of a group": of_two(of_two(pick()), "256"),
    "one record, written out": pick(records_per_person=1),
    "a number of records in words": of_two(pick(), records_per_person="2"),
    "half a record more": of_two(pick(), records_per_person=2.0),
    "a person forgotten when declared": step(
        "declared", fact("1", log="3"), of_two(pick()), epsilon="3", delta="0"
    ),
    "a person invented when declared": step(
        "declared", fact("1", log="3", **TWO), pick(), epsilon="3", delta="0"
    ),
    "a person forgotten by an assumption": {
        **step("assuming", fact("16"), of_two(pick())),
        "assumes": ["it rains"],
    },
    "a person and a record in sequence": step("sequential", fact("64", **TWO), of_two(pick()), pick()),
    "some records of a person": step(
        "subsampling-without-replacement", fact("17/2", **TWO), of_two(pick()), kept=1, of=2
    ),
    "some records of a person, forgotten": step(
        "subsampling-without-replacement", fact("17/2"), of_two(pick()), kept=1, of=2
    ),
    "a person in one part": step("on-part", fact("16", part="left", **TWO), of_two(pick()), part="left"),
    "a person whose records lie in several parts": step(
        "disjoint-parts",
        fact("16", **TWO),
        of_two(on("left", pick()), part="left"),
        of_two(on("right", pick()), part="right"),
    ),
    "labels drawn for the points of a person": step(
        "label-boost-unlabelled",
        fact("64", part="unlabelled part", **TWO),
        of_two(pick()),
        part="unlabelled part",
    ),
    "labels drawn for one of the points of a person": step(
        "label-boost-unlabelled", fact("64", part="unlabelled part"), of_two(pick()), part="unlabelled part"
    ),
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


def test_what_holds_besides_is_about_all_records() -> None:
    honest = rules.exponential_mechanism(ratio=Fraction(1, 2))
    tree = Certificate(privacy=honest, accuracy=(), learner={}, labelled=3, also=(honest,)).to_json()
    assert check_certificate(tree) == 2
    tree["also"] = [pick(), on("left", pick())]
    with pytest.raises(NotCertified, match="part of the records"):
        check_certificate(tree)


@pytest.mark.parametrize(("log", "factor"), [("0", "1/2"), ("-1", "4"), ("2", "1/4"), ("-1/7", "1")])
def test_a_loss_below_nothing_is_refused(log: str, factor: str) -> None:
    """`group` and others round upwards only from 1 on."""
    honest = {"kind": "bounded-range", "epsilon": {"log": "0", "factor": "1"}, "unit": "record"}
    assert book().fact(honest)["epsilon"] == Loss(Fraction(0), Fraction(1))
    with pytest.raises(Broken) as refused:
        book().fact({**honest, "epsilon": {"log": log, "factor": factor}})
    assert refused.value.formula == "no_gain(fact.epsilon)"


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
        with pytest.raises(NotCertified, match="queried part"):
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
        with pytest.raises(NotCertified, match=r"a whole number|yes or no|same"):
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


def _asked(row: str) -> set[str]:
    """The rules that a row of the table of what rules ask names."""
    page = (Path(__file__).parents[3] / "docs/proofs/README.md").read_text(encoding="utf-8")
    table = page.split("## What rules ask")[1].split("\n## ")[0]
    (line,) = (line for line in table.splitlines() if line.startswith(f"| {row}"))
    return set(re.findall(r"`([a-z-]+)`", line))


def test_the_page_says_what_rules_ask() -> None:
    forms = [form for forms in book().rules.values() for form in forms]
    assert _asked("two classes") == {form.name for form in forms if form.two_classes}
    assert _asked("one record of a person") == {form.name for form in forms if "persons" in form.instead}
    for key in _asked("whole records"):
        tree = EXAMPLES[key]().to_json()
        check_derivation(tree)
        with pytest.raises(NotCertified, match="does not hold"):
            check_derivation(labels_only(tree))
