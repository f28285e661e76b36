"""The checker: it accepts what the rules make and refuses every single edit, but for words and weaker true claims."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privpac.checker import check
from privpac.checker.check import check_certificate, check_derivation
from privpac.constructions.few_labels import active, boost
from privpac.errors import NotCertified
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Against, Release, Unit
from privpac.guarantee.proof import Proof
from tests.contracts.examples import EXAMPLES, few_labels

HALF = Fraction(1, 2)
Path_ = tuple[Any, ...]
PREMISE = ("privacy", "premises", 0)
"""Where the derivation under the declared numbers stands."""


def noise(**scope: Any) -> Proof[Any]:
    return rules.geometric_noise(ratio=Fraction(7, 9), change=2, **scope)


def selection(**scope: Any) -> Proof[Any]:
    return rules.exponential_mechanism(ratio=Fraction(6, 7), sensitivity=3, **scope)


def with_delta(**scope: Any) -> Proof[Any]:
    return rules.k_fold(selection(**scope), times=7, saved=2)


def stated(proof: Proof[Any]) -> Proof[Any]:
    """Round numbers on top, so that every field below has a counterpart above."""
    above = proof.fact.epsilon.upper + Fraction(1, 100)
    return rules.declared(proof, epsilon=above, delta=proof.fact.delta)


DERIVATIONS: dict[str, Proof[Any]] = {
    "exponential-mechanism": stated(selection()),
    "labels only": stated(selection(unit=Unit.LABEL)),
    "one answer": stated(selection(release=Release.ANSWER)),
    "a ratio of 64 bits": stated(
        rules.exponential_mechanism(ratio=Fraction(2**63 + 9, 2**64), sensitivity=90)
    ),
    "permute-and-flip": stated(rules.permute_and_flip(ratio=Fraction(6, 7))),
    "geometric-noise": stated(noise()),
    "post-processing": stated(rules.post_processing(noise(), what="rounded")),
    "sequential": stated(rules.sequential(selection(), noise(), with_delta())),
    "disjoint-parts": stated(
        rules.disjoint_parts(
            rules.on_part(with_delta(), part="training part"), rules.on_part(noise(), part="hold-out part")
        )
    ),
    "group": stated(rules.group(with_delta(), size=3)),
    "group of a declared epsilon": stated(
        rules.group(rules.declared(noise(), epsilon=Fraction("0.6"), delta=Fraction("1e-9")), size=4)
    ),
    "group of one": stated(rules.group(noise(), size=1)),
    "subsampling": stated(rules.subsampling(with_delta(), kept=30, of=70)),
    "subsampling of a declared epsilon": stated(rules.subsampling(stated(with_delta()), kept=30, of=70)),
    "sampling with replacement": stated(rules.sampling_with_replacement(with_delta(), draws=30, of=70)),
    "k-fold-composition": stated(with_delta()),
    "k-fold, long": stated(rules.k_fold(stated(noise()), times=90, saved=20)),
    "k-fold, nothing saved": stated(rules.k_fold(noise(), times=9, saved=0)),
    "assuming": stated(rules.assuming(rules.assuming(noise(), "the schema is public"), "it rains")),
    "relabelling": stated(
        rules.disjoint_parts(
            boost.label_boost_labelled(with_delta(), classes=2, ratio=Fraction(6, 7)),
            boost.label_boost_unlabelled(stated(with_delta()), classes=2),
        )
    ),
    "positions-known": stated(
        rules.disjoint_parts(
            active.positions_known(with_delta(), part="queried part", release=Release.WITH_LIST),
            active.positions_known(selection(), part="unqueried part", release=Release.WITH_LIST),
        )
    ),
    "a mechanism on its own": noise(),
}

SIDE: dict[str, Proof[Any]] = {
    "bounded-range": rules.bounded_range(ratio=Fraction(6, 7), sensitivity=2),
    "total-variation": rules.total_variation(rules.bounded_range(ratio=Fraction(6, 7), unit=Unit.LABEL)),
    "total-variation, nothing moves": rules.total_variation(rules.bounded_range(ratio=Fraction(1))),
    **{key: EXAMPLES[key]() for key in EXAMPLES if key.startswith(("label-boost", "ssl-relabel"))},
    **{key: make() for key, make in few_labels.MORE.items()},
}
"""Derivations of other facts than privacy."""


def accuracy(against: Against, records: int) -> Proof[Any]:
    return rules.occam(
        odds=99,
        records=records,
        ratio=HALF,
        tilt=Fraction(3, 4),
        error=HALF,
        failure=Fraction(1, 20),
        against=against,
    )


def certificate(name: str) -> dict[str, Any]:
    made = Certificate(
        privacy=DERIVATIONS[name],
        accuracy=(accuracy(Against.REALIZABLE, 60), accuracy(Against.AGNOSTIC, 200)),
        learner={"name": "occam", "costs": [1, 2]},
        labelled=60,
        request={"concepts": "stumps"},
    )
    tree = made.to_json()
    tree["accuracy"] = tree["accuracy"][:1]  # all accuracy statements speak of the same number of records
    return json.loads(json.dumps(tree))


def rules_in(tree: dict[str, Any]) -> set[str]:
    return {tree["rule"]}.union(*(rules_in(premise) for premise in tree.get("premises", ())))


def test_every_rule_is_exercised() -> None:
    trees = [proof.to_json() for proof in (*DERIVATIONS.values(), *SIDE.values())]
    trees += [accuracy(against, 200).to_json() for against in (Against.REALIZABLE, Against.AGNOSTIC)]
    trees += [make().to_json() for make in EXAMPLES.values()]
    assert set().union(*(rules_in(tree) for tree in trees)) == set(check.book().rules)


@pytest.mark.parametrize("name", DERIVATIONS)
def test_what_the_rules_make_is_accepted(name: str) -> None:
    tree = certificate(name)
    assert check_certificate(tree) == 1 + sum(1 for path in leaves(tree["privacy"]) if path[-1] == "rule")


@pytest.mark.parametrize("name", SIDE)
def test_other_facts_are_accepted(name: str) -> None:
    assert check_derivation(SIDE[name].to_json()) == len(list(_nodes(SIDE[name].to_json())))


def _nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield tree
    for premise in tree.get("premises", ()):
        yield from _nodes(premise)


# --- edits ---


def leaves(tree: Any, path: Path_ = ()) -> Iterator[Path_]:
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from leaves(value, (*path, key))
    else:
        yield path


def places(tree: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Every object and list."""
    if isinstance(tree, dict | list):
        yield path
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from places(value, (*path, key))


def at(tree: Any, path: Path_) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def put(tree: Any, path: Path_, value: Any) -> Any:
    """The tree with another value at a place. What lies beside the way to it is shared: whole copies took most time."""
    changed = tree.copy()
    changed[path[0]] = put(tree[path[0]], path[1:], value) if len(path) > 1 else value
    return changed


WORDS = {
    "unit": ("record", "label"),
    "release": ("hypothesis", "one answer", "several answers", "noisy numbers"),
    "part": ("all records", "training part", "hold-out part"),
    "against": ("realizable", "agnostic"),
    "coins": (),
}


def edits(path: Path_, value: Any) -> Iterator[Any]:
    yield None
    yield [value]
    if isinstance(value, bool):
        yield not value
        return
    if isinstance(value, int):
        yield from (value + 1, value - 1, float(value), str(value), -value or 3)
        return
    if isinstance(value, str):
        yield from (value + "x", value + " ", "", value.upper() if value != value.upper() else value + "0")
        yield from WORDS.get(str(path[-1]), ())
        try:
            number = Fraction(value)
        except ValueError:
            return
        tiny = Fraction(1, number.denominator * 10**12)
        step = Fraction(1, number.denominator)
        for moved in (number + step, number - step, number + tiny, number - tiny, -number, number * 2):
            yield str(moved)
        yield f"{2 * number.numerator}/{2 * number.denominator}"
        yield int(number) if number.denominator == 1 else float(number)


def harmless(path: Path_, tree: dict[str, Any], value: Any) -> bool:
    """The explicit list: what a certificate says for reading only, and claims about nothing."""
    if path[0] in ("learner", "request"):  # for reading; `verification.verify` makes them anew
        return path[1:] != () or value is None
    if path == ("unlabelled",):
        return type(value) is int and value >= 0
    if path[-2:] == ("where", "what"):  # a description of the processing
        return isinstance(value, str) and value != ""
    if path == (*PREMISE, "premises", 0, "fact", "release"):
        # One exponential mechanism may make any release, and several kinds together are a hypothesis at most.
        return at(tree, PREMISE)["rule"] == "sequential" and value in WORDS["release"]
    if path == ("privacy", "fact", "unit"):  # a mechanism on its own: what it protects is its caller's word
        return "premises" not in tree["privacy"] and value in WORDS["unit"]
    return False


def occam_holds(node: dict[str, Any]) -> bool:
    """The claim of an accuracy node, in plain fractions."""
    where, fact = node["where"], node["fact"]
    odds, ratio, tilt = (Fraction(where[name]) for name in ("odds", "ratio", "tilt"))
    error, failure = Fraction(fact["error"]), Fraction(fact["failure"])
    base = 1 - error * (1 - tilt)
    sound = 0 < ratio <= tilt <= 1 and 0 < error <= 1 and 0 < failure < 1 and odds >= 0
    return sound and odds * base ** where["records"] <= failure


@pytest.mark.long_cases(
    "relabelling",
    "k-fold, long",
    "positions-known",
)
@pytest.mark.parametrize("name", DERIVATIONS)
def test_every_edit_of_one_field_is_refused(name: str) -> None:
    tree = certificate(name)
    check_certificate(tree)
    tried, unnoticed = 0, []
    for path in leaves(tree):
        value = at(tree, path)
        for other in edits(path, value):
            if type(other) is type(value) and other == value:
                continue
            changed = put(tree, path, other)
            if harmless(path, tree, other):
                check_certificate(changed)
                continue
            tried += 1
            try:
                check_certificate(changed)
            except NotCertified:
                continue
            # An accuracy bound with room to spare holds for other parameters too: then it must be true.
            if path[0] != "accuracy" or not occam_holds(changed["accuracy"][path[1]]):
                unnoticed.append((path, value, other))
    assert unnoticed == []
    assert tried > 100


@pytest.mark.parametrize("name", DERIVATIONS)
def test_every_missing_or_additional_field_is_refused(name: str) -> None:
    tree = certificate(name)
    for path in places(tree):
        if path and path[0] in ("learner", "request"):
            continue
        here = at(tree, path)
        for key in list(here) if isinstance(here, dict) else range(len(here)):
            less = here.copy()
            del less[key]
            changed = put(tree, path, less) if path else less
            if path == ("accuracy",):  # one promise less is no lie
                check_certificate(changed)
                continue
            if name == "disjoint-parts" and path == (*PREMISE, "premises") and key == 1:
                check_certificate(changed)  # one release less, and not the worst, is no lie
                continue
            with pytest.raises(NotCertified):
                check_certificate(changed)
        more = {**here, "note": "x"} if isinstance(here, dict) else [*here, "x"]
        with pytest.raises(NotCertified):
            check_certificate(put(tree, path, more) if path else more)


TWINS = {"exponential-mechanism", "permute-and-flip"}
"""Three mechanisms with one formula: which of them ran is said by the code, not by the numbers."""


@pytest.mark.long_cases(
    "relabelling",
)
@pytest.mark.parametrize("name", DERIVATIONS)
def test_no_step_goes_by_another_rules_name(name: str) -> None:
    tree = certificate(name)
    for path in leaves(tree):
        if path[-1] != "rule":
            continue
        old = at(tree, path)
        for other in check.book().rules:
            if other != old and not {old, other} <= TWINS:
                with pytest.raises(NotCertified):
                    check_certificate(put(tree, path, other))


def test_premises_cannot_be_dropped_doubled_or_exchanged() -> None:
    tree = certificate("sequential")
    path = ("privacy", "premises", 0, "premises")
    premises = at(tree, path)
    for wrong in (premises[:-1], premises[1:], [*premises, premises[0]], [premises[0]] * 3, [], premises[0]):
        with pytest.raises(NotCertified):
            check_certificate(put(tree, path, wrong))
    check_certificate(put(tree, path, premises[::-1]))  # a sum does not mind


@pytest.mark.parametrize(
    "junk", [None, 3, "x", [], {}, {"rule": "sequential"}, {"rule": ["sequential"]}, True]
)
def test_junk_is_not_certified(junk: Any) -> None:
    with pytest.raises(NotCertified):
        check_derivation(junk)
    with pytest.raises(NotCertified):
        check_certificate(junk)
    with pytest.raises(NotCertified):
        check_certificate({**certificate("group"), "privacy": junk})
    with pytest.raises(NotCertified):
        check_certificate({**certificate("group"), "accuracy": [junk]})


def test_a_derivation_without_end_is_not_certified() -> None:
    tree: dict[str, Any] = noise().to_json()
    for _ in range(300):
        tree = {"rule": "assuming", "fact": tree["fact"], "assumes": ["x"], "premises": [tree]}
    with pytest.raises(NotCertified, match="steps on top of each other"):
        check_derivation(tree)


def test_a_headline_rounded_down_or_up_too_far_is_refused() -> None:
    tree = certificate(
        "a mechanism on its own"
    )  # its derivation ends with a factor, whose logarithm is rounded up
    epsilon, step = Fraction(tree["epsilon"]), Fraction(1, 10**12)
    for wrong in (epsilon - step, epsilon + step, epsilon + 1):
        with pytest.raises(NotCertified):
            check_certificate({**tree, "epsilon": str(float(wrong)) if wrong > 1 else f"{float(wrong):.12f}"})


def test_the_checker_shares_no_code_with_the_rules() -> None:
    files = sorted(Path(str(check.__file__)).parent.rglob("*.py"))
    assert len(files) >= 8
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("privpac"):
                assert str(node.module).startswith(("privpac.checker", "privpac.errors"))
            if isinstance(node, ast.Import):
                assert all(not alias.name.startswith(("privpac", "flint")) for alias in node.names)
