"""The failure that is asked for: learners are tuned for it, certificates name it, and nobody changes it afterwards."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import privpac
from privpac import NotCertified, PrivateClassifier, learn, load, plan
from privpac.checker.document import digest
from privpac.constructions.points.clipped import ClippedPoints
from privpac.constructions.request import Request, request_from_json
from privpac.constructions.words import WORDS, learner_for
from privpac.data.columns import Numeric
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.request import FAILURE, LearnRequest
from privpac.verification import verify_document
from tests.claims.subjects import KEYS, SCHEMA, plain_words
from tests.unit.test_verification import edited

ONE, HUNDREDTH = Fraction(1), Fraction(1, 100)
LONG = Schema((Numeric("c", 0, 2**32 - 1, integer=True),), label="y")
SHORT = Schema((Numeric("c", 0, 2**16 - 1, integer=True),), label="y")
TABLE = {"c": [7 * i % 1024 for i in range(2000)], "d": [0] * 2000, "y": [int(i % 2) for i in range(2000)]}

SURER = {"noisy-cuts:c:0.01", "denoised-cuts:c:0.01"}
"""Words whose own noise fails more often than a hundredth, whatever is asked."""


@pytest.mark.parametrize("asked", list(plain_words()), ids=str)
def test_every_word_is_tuned_for_what_is_asked(asked: Any) -> None:
    """No certificate fails more often, and where errors are promised, a smaller failure has a larger error."""
    wishes = {"epsilon": ONE, **asked.wishes}
    facts = {}
    for failure in (FAILURE, HUNDREDTH):
        request = Request(SCHEMA, Size(100_000), LearnRequest(failure=failure, **wishes))
        learner = learner_for(asked.word, request)
        facts[failure] = {p.fact.against: p.fact for p in learner.certify(request.size).accuracy}
        if asked.word not in SURER:
            assert all(fact.failure <= failure for fact in facts[failure].values())
    for against, fact in facts[HUNDREDTH].items():
        assert fact.failure < facts[FAILURE][against].failure or asked.word in SURER
        assert fact.error >= facts[FAILURE][against].error


def test_clipped_points_are_run_as_they_are_planned() -> None:
    row = plan.needed("points", bits=32, error="0.1", epsilon=1, failure="0.01").option("clipped-points")
    assert row.records == 485
    assert row.command.endswith("--epsilon 1 --failure 0.01")
    learner = learner_for(
        "points:c:clipped", Request(LONG, Size(485), LearnRequest(epsilon=ONE, failure=HUNDREDTH))
    )
    assert isinstance(learner, ClippedPoints)
    assert (learner.clip.threshold, learner.clip.margin) == (39, 29)
    (proof,) = learner.certify(Size(485)).accuracy
    assert proof.fact.error <= Fraction(1, 10)
    assert proof.fact.failure == HUNDREDTH


def test_sparse_sets_are_certified_where_they_are_planned() -> None:
    row = plan.needed("points", bits=16, error="0.03", epsilon=1, failure="0.2").option("sparse-points")
    assert row.records >= 651  # the counts behind a verdict take a part of epsilon
    request = Request(SHORT, Size(651), LearnRequest(epsilon=ONE, failure=Fraction(1, 5)))
    (proof,) = learner_for("points:c:gibbs", request).certify(request.size).accuracy
    assert proof.fact.error <= Fraction(3, 100)
    assert proof.fact.failure == Fraction(1, 5)


def test_a_usual_failure_is_not_printed() -> None:
    row = plan.needed("points", bits=32, error="0.1", epsilon=1).option("clipped-points")
    assert "failure" not in row.command


@pytest.mark.parametrize("word", ["points:c:clipped", "recconcave:c", "noisy-cuts:c:0.00001", "thresholds:c"])
def test_what_votes_first_leaves_half_of_the_failure_to_any_learner(word: str) -> None:
    delta = Fraction(1, 10**6) if WORDS[word.partition(":")[0]].takes_delta else Fraction(0)
    request = Request(KEYS, Size(20_000), LearnRequest(epsilon=ONE, delta=delta, failure=HUNDREDTH))
    certificate = learner_for(f"agnostic:{word}", request).certify(request.size)
    assert all(proof.fact.failure <= HUNDREDTH for proof in certificate.accuracy)


def test_one_run_is_promised_no_more_surely_than_it_can_be() -> None:
    for failure, promised in ((HUNDREDTH, Fraction(1, 2)), (Fraction(3, 5), Fraction(3, 5))):
        request = Request(KEYS, Size(100_000), LearnRequest(epsilon=ONE, failure=failure))
        (proof,) = learner_for("points:c:sampled", request).certify(request.size).accuracy
        assert proof.fact.failure == promised
    request = Request(KEYS, Size(100_000), LearnRequest(epsilon=ONE, failure=HUNDREDTH))
    (proof,) = learner_for("confident:points:c:sampled", request).certify(request.size).accuracy
    assert proof.fact.failure <= HUNDREDTH


@pytest.mark.parametrize("failure", [0, 1, -1, "nan", "1e-13", True, None, "often"])
def test_a_failure_that_none_can_be_is_refused(failure: object) -> None:
    with pytest.raises(ParameterError, match="failure"):
        LearnRequest.read(epsilon=1, failure=failure)


@pytest.mark.parametrize("failure", [Fraction(0), ONE, Fraction(1, 10**13)])
def test_so_is_one_that_was_stored(failure: Fraction) -> None:
    with pytest.raises(ParameterError, match="failure"):
        Request(SCHEMA, Size(100), LearnRequest(epsilon=ONE, failure=failure))


def test_a_request_is_read_again_as_it_was() -> None:
    request = Request(SCHEMA, Size(100), LearnRequest(epsilon=ONE, failure=Fraction(1, 3)))
    assert request_from_json(request.to_json(), schema=SCHEMA, size=Size(100)) == request


@pytest.mark.parametrize(
    "more", [{}, {"unlabelled": {"c": [1] * 3000, "d": [0] * 3000}}], ids=["plain", "few labels"]
)
def test_the_file_names_it_and_nobody_changes_it(more: dict[str, Any], tmp_path: Path) -> None:
    wishes = {"concepts": "thresholds:c", "epsilon": 1, "failure": "0.01", "random_state": 1, **more}
    learn(TABLE, schema=SCHEMA, **wishes).save(tmp_path / "model.json")
    model = load(tmp_path / "model.json")
    assert model.certificate["request"]["failure"] == "0.01"
    assert {Fraction(proof["fact"]["failure"]) for proof in model.certificate["accuracy"]} == {HUNDREDTH}
    privpac.verify(tmp_path / "model.json")
    tree = json.loads((tmp_path / "model.json").read_text())
    for forged in ("0.001", "0.05", "0", "2", None, 0.01, "1e-400", "0.0100"):
        with pytest.raises(NotCertified):
            verify_document(signed(edited(tree, ("certificate", "request", "failure"), forged)))


def signed(tree: dict[str, Any]) -> dict[str, Any]:
    """With the digest of what it holds now."""
    return {**tree, "digest": digest(tree)}


def test_estimators_ask_for_it() -> None:
    cells = [[value, 0] for value in TABLE["c"]]
    classifier = PrivateClassifier("thresholds:c", schema=SCHEMA, failure=0.01, random_state=1)
    fitted = classifier.fit(cells, TABLE["y"])
    assert fitted.model_.certificate["request"]["failure"] == "0.01"
