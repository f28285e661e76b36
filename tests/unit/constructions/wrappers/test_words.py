"""Words around words: what they build, what it promises, and what is refused before anything is charged."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from privpac import Ledger, Schema, Size, learn, verify
from privpac.constructions.request import Request
from privpac.constructions.words import learner_for, require_useful_delta, takes_many_classes
from privpac.constructions.wrappers.agnostic import Agnostic
from privpac.constructions.wrappers.calibrate import Declared
from privpac.constructions.wrappers.confidence import Confidence
from privpac.constructions.wrappers.subsample import Subsampled
from privpac.errors import ParameterError, PrivpacError, SizeError
from privpac.guarantee.facts import Against

COLUMN = {"name": "c", "kind": "numeric", "lower": 0, "upper": 1023, "integer": True}
SCHEMA = Schema.from_json({"label": "y", "columns": [COLUMN]})
ONE = Fraction(1)


def request(n: int, **more: Any) -> Request:
    return Request(SCHEMA, Size(n), more.pop("epsilon", ONE), **more)


@pytest.mark.parametrize(
    ("word", "more"),
    [
        ("agnostic:thresholds:c", {}),
        ("agnostic:50:intervals:c", {}),
        ("agnostic:recconcave:c", {"delta": Fraction(1, 10**6)}),
        ("subsampled:stumps", {}),
        ("subsampled:7:thresholds:c", {"records_per_person": 3}),
        ("subsampled:recconcave:c", {"delta": Fraction(1, 10**6), "records_per_person": 2}),
        ("subsampled:reference:c", {}),
        ("confident:thresholds:c", {}),
        ("confident:points:c:clipped", {}),
        ("stable:points:c", {"delta": Fraction(1, 20), "records_per_person": 2}),
    ],
)
def test_people_are_promised_what_was_asked_for(word: str, more: dict[str, Any]) -> None:
    asked = request(1000, **more)
    fact = asked.for_people(learner_for(word, asked).certify(asked.size).privacy).fact
    assert float(fact.epsilon.upper) <= 1
    assert float(fact.epsilon.upper) > 0.99 or "stable" in word
    assert fact.delta <= asked.delta


def test_the_number_before_the_word_says_how_many() -> None:
    sub = learner_for("subsampled:7:thresholds:c", request(100))
    assert isinstance(sub, Declared)
    assert isinstance(sub.learner, Subsampled)
    assert sub.learner.kept == 7
    vote = learner_for("agnostic:9:thresholds:c", request(100))
    assert isinstance(vote, Declared)
    assert isinstance(vote.learner, Agnostic)
    assert vote.learner.kept == 9
    best = learner_for("confident:5:thresholds:c", request(100))
    assert isinstance(best, Confidence)
    assert best.runs == 5


def test_half_of_the_records_are_learnt_from_at_more_than_epsilon() -> None:
    sub = learner_for("subsampled:thresholds:c", request(100))
    assert isinstance(sub, Declared)
    assert isinstance(sub.learner, Subsampled)
    assert sub.learner.kept == 50
    inner = sub.learner.learner.certify(Size(50)).epsilon
    assert Fraction(148, 100) < inner < Fraction(149, 100)  # ln(1 + 2(e - 1))


def test_a_learner_that_fails_every_second_time_is_run_until_it_does_not() -> None:
    asked = request(20_000)
    once = learner_for("points:c:sampled", asked).certify(asked.size).accuracy[0].fact
    often = learner_for("confident:points:c:sampled", asked).certify(asked.size).accuracy[0].fact
    assert once.failure > Fraction(1, 3)
    assert often.failure <= Fraction(1, 20)


def test_the_vote_promises_for_noisy_labels() -> None:
    asked = request(100_000)
    facts = [p.fact for p in learner_for("agnostic:intervals:c", asked).certify(asked.size).accuracy]
    assert [fact.against for fact in facts] == [Against.AGNOSTIC]
    assert facts[0].failure <= Fraction(1, 20)
    assert facts[0].error < Fraction(1, 5)


@pytest.mark.parametrize(
    ("word", "more", "says"),
    [
        ("subsampled:", {}, "of the form subsampled:WORD"),
        ("subsampled:0:stumps", {}, "of the form subsampled:WORD"),
        ("subsampled:101:stumps", {}, "more records than there are"),
        ("subsampled:card", {}, "tell no risks"),
        ("subsampled:agnostic:stumps", {}, "stands for itself"),
        ("agnostic:100:stumps", {}, "nobody to vote"),
        ("agnostic:stumps", {"costs": (1, 2)}, "left out for agnostic"),
        ("agnostic:stumps", {"epsilon": Fraction(1, 1000)}, "needs at least"),
        ("agnostic:trees:2", {"protect": "labels"}, "does not exist yet"),
        ("agnostic:reference:c", {"size": 20_000}, "promises for every distribution"),
        ("agnostic:50:reference:c", {}, "reference:COLUMN:agnostic"),
        ("subsampled:reference:c", {}, "so few records at any epsilon that keeps the target"),
        ("confident:60:stumps", {"size": 50}, "fewer records than runs"),
        ("stable:stumps", {}, "share of records"),
        ("stable:3:stumps", {"delta": Fraction(1, 10)}, "delta says how many"),
        ("stable:recconcave:c", {"delta": Fraction(1, 10)}, "one member is drawn"),
        ("confident:nothing", {}, "one of auto"),
    ],
)
def test_what_cannot_be_built_is_refused_in_words(word: str, more: dict[str, Any], says: str) -> None:
    asked = request(more.pop("size", 100), **more)
    with pytest.raises(PrivpacError, match=says):
        learner_for(word, asked).certify(asked.size)


def test_a_delta_goes_to_the_word_that_has_a_use_for_it() -> None:
    delta = Fraction(1, 10**6)
    require_useful_delta("agnostic:recconcave:c", delta)
    require_useful_delta("stable:stumps", delta)
    with pytest.raises(ParameterError, match="has no use for it"):
        require_useful_delta("agnostic:20:stumps", delta)


def test_many_classes_pass_where_nobody_votes_on_two() -> None:
    assert takes_many_classes("subsampled:20:trees:2")
    assert not takes_many_classes("subsampled:stumps")
    assert not takes_many_classes("agnostic:trees:2")
    assert not takes_many_classes("subsampled:nothing")


def test_delta_beside_unlabelled_records_is_refused_before_the_charge() -> None:
    table = {"c": [i % 1024 for i in range(400)], "y": [int(i % 1024 >= 500) for i in range(400)]}
    ledger = Ledger(epsilon=3, delta="0.1")
    with pytest.raises(ParameterError, match="delta"):
        learn(
            table,
            schema=SCHEMA,
            concepts="thresholds:c",
            delta="1e-6",
            method="boost",
            unlabelled={"c": [1] * 4000},
            ledger=ledger,
        )
    assert ledger.spent.epsilon == 0


@pytest.mark.parametrize("word", ["noisy-cuts:k:0.0000001", "denoised-cuts:k:down:0.0000001"])
def test_noise_on_more_cells_than_have_a_coin_each(word: str, tmp_path: Any) -> None:
    """A billion cells: about a hundred of them are flipped, and the file verifies."""
    key = {"name": "k", "kind": "numeric", "lower": 0, "upper": 2**30 - 1, "integer": True}
    schema = {"label": "y", "columns": [key]}
    step = 2**30 // 1000
    up = "down" not in word
    table = {"k": [i * step for i in range(1000)], "y": [int((i >= 400) == up) for i in range(1000)]}
    model = learn(table, schema=schema, concepts=word, epsilon=2, random_state=1)
    model.save(tmp_path / "model.json")
    verify(tmp_path / "model.json")
    ranges = getattr(model.hypothesis, "intervals", ())
    assert 40 < len(ranges) < 250 if word.startswith("noisy") else not ranges


def test_more_flips_than_fit_are_refused_by_public_numbers() -> None:
    key = {"name": "k", "kind": "numeric", "lower": 0, "upper": 2**30 - 1, "integer": True}
    schema = Schema.from_json({"label": "y", "columns": [key]})
    with pytest.raises(ParameterError, match="smaller rate"):
        learner_for("noisy-cuts:k:0.01", Request(schema, Size(100), ONE))


def test_too_few_records_are_refused() -> None:
    for word in ("agnostic:thresholds:c", "confident:thresholds:c"):
        with pytest.raises(SizeError):
            learner_for(word, request(1))
