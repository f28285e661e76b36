"""Relabelling, votes between two and turned answers are proved for two classes: rules, learners and checker refuse
three, where the loss would be larger."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from privpac.checker.check import check_document
from privpac.checker.document import digest
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels import boost
from privpac.constructions.prediction import fresh_draws, vote_law
from privpac.constructions.prediction import net_relabelled as net_votes
from privpac.constructions.wrappers import relabelling
from privpac.constructions.wrappers.relabelling import Agnostic, Relabelled
from privpac.data.numeric import Numeric
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import NotCertified, ParameterError, RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy, Release
from privpac.guarantee.proof import Proof
from privpac.theory.statements import statement
from tests.golden.corpus import CURRENT

HALF, ONE = Fraction(1, 2), Fraction(1)
GOLDEN = CURRENT / "models"
SCORES: dict[str, Any] = {"kept": 2, "of": 5, "ratio": HALF, "change": 1, "mistake": 1}
RULES: dict[str, Callable[[Proof[Privacy], int], Proof[Privacy]]] = {
    "relabelling": lambda inner, k: relabelling.relabelling(inner, classes=k, **SCORES),
    "relabelling-part": lambda inner, k: relabelling.relabelling_part(
        inner, classes=k, ratio=HALF, change=1, part="left"
    ),
    "label-boost-labelled": lambda inner, k: boost.label_boost_labelled(inner, classes=k, ratio=HALF),
    "label-boost-unlabelled": lambda inner, k: boost.label_boost_unlabelled(inner, classes=k),
    "net-relabelling": lambda inner, k: net_votes.net_relabelling(
        _answer(inner), classes=k, ratio=HALF, kept=2, of=5, net=HALF, vc=1
    ),
    "delta-removal": lambda inner, k: fresh_draws.delta_removal(_answer(inner), classes=k, flip=HALF),
    "vote": lambda inner, k: vote_law.vote(classes=k, ratio=HALF, models=3),
}


def _answer(inner: Proof[Privacy]) -> Proof[Privacy]:
    return rules.post_processing(inner, what="an answer", release=Release.ANSWER)


def _inner() -> Proof[Privacy]:
    return rules.exponential_mechanism(ratio=HALF)


def _schema(classes: int) -> Schema:
    names = tuple(str(number) for number in range(classes))
    return Schema((Numeric("a", lower=0, upper=3, integer=True),), "y", names)


@pytest.mark.parametrize("name", RULES)
def test_such_a_rule_takes_two_classes_and_says_so(name: str) -> None:
    assert RULES[name](_inner(), 2).rule == name
    with pytest.raises(RuleRefused, match="two classes"):
        RULES[name](_inner(), 3)
    assert "there are two classes" in statement(name).conditions


def test_with_three_classes_a_record_without_label_can_lose_more_than_four_times() -> None:
    """Two groups of labellings, the second one unlikely. Before the point is exchanged the first group gives it every
    label and the second one only one; afterwards it is the other way round."""

    def worst(labels: int, weight: Fraction = Fraction(1, 10**6)) -> Fraction:
        before, after = weight / (labels + weight), weight * labels / (1 + weight * labels)
        return after / before

    assert Fraction("3.99") < worst(2) <= 4
    assert Fraction("8.99") < worst(3) <= 9


def _procedure(schema: Schema) -> Proof[Privacy]:
    cuts = Thresholds(schema, "a")
    return boost.LabelBoost(cuts, Occam(cuts, ONE), boost.Round(ONE, 1, 1, 1), ONE).by_part(Size(1, 1))[1]


def _agnostic(schema: Schema) -> Proof[Privacy]:
    return Agnostic(Occam(Thresholds(schema, "a"), ONE), kept=2, epsilon=ONE).certify(Size(8)).privacy


def _relabelled(schema: Schema) -> Proof[Privacy]:
    return Relabelled(Occam(Thresholds(schema, "a"), ONE), kept=2, epsilon=ONE).certify(Size(8)).privacy


@pytest.mark.parametrize("certified", [_procedure, _agnostic, _relabelled])
def test_a_learner_that_relabels_certifies_nothing_for_three_classes(
    certified: Callable[[Schema], Proof[Privacy]],
) -> None:
    assert certified(_schema(2)).fact.epsilon
    with pytest.raises((ParameterError, RuleRefused), match=r"two (classes|labels)"):
        certified(_schema(3))


@pytest.mark.parametrize("name", ["few-labels-boost", "few-labels-relabel", "active-boost"])
def test_the_checker_alone_refuses_such_a_certificate_beside_three_classes(name: str) -> None:
    tree = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    assert check_document(tree).steps
    tree["schema"] = replace(Schema.from_json(tree["schema"]), classes=("0", "1", "2")).stored()
    tree["digest"] = digest(tree)
    with pytest.raises(NotCertified, match="two classes"):
        check_document(tree)
