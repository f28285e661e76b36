"""Asking for labels: settings, certificates for everyone who may look, sessions in folders, and every refusal."""

from __future__ import annotations

import json
import math
import os
import stat
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac.asking import Asking
from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.active import Active, Questions, inner_epsilon
from privpac.constructions.few_labels.boost import LabelBoost
from privpac.constructions.few_labels.methods import METHODS, FewLabels, LabelsOnly
from privpac.constructions.few_labels.questions import ASKING_METHODS, ask_settings
from privpac.constructions.words import Request
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import BudgetExceeded, DataError, ParameterError, PrivpacError, SizeError
from privpac.estimators.query import PrivateQuery
from privpac.guarantee.certificate import FROM_DATA
from privpac.guarantee.facts import Privacy, Release
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.parts import QUERIED, UNQUERIED, parts_of
from privpac.report.page import report_html
from privpac.request import LearnRequest
from privpac.verification import verify

ONE = Fraction(1)
SCHEMA = Schema((Numeric("age", 0, 119, integer=True),), "ill")
CUTS = Thresholds(SCHEMA, "age")
N = 5_000
AGES = np.arange(N) % 120
ILL = (AGES >= 60).astype(int)


def boosted(epsilon: int = 3) -> LabelBoost:
    return LabelBoost.calibrate(CUTS, Size(100, 900), epsilon=Fraction(epsilon))


# --- certificates ---


@pytest.mark.parametrize("method", ASKING_METHODS)
def test_every_session_that_can_be_started_has_a_certificate(method: str) -> None:
    session = Asking.start(400, schema=SCHEMA, concepts="thresholds:age", labels=40, method=method)
    assert check_certificate(session.certificate.to_json()) > 0


def test_a_method_without_a_promise_to_those_asked_is_refused_before_anybody_is_asked() -> None:
    assert set(METHODS) - set(ASKING_METHODS) == {"generic"}
    with pytest.raises(
        ParameterError, match=r"one of auto, plain, boost, relabel\. Of the other methods nothing"
    ):
        Asking.start(400, schema=SCHEMA, concepts="thresholds:age", labels=40, method="generic")


def test_three_numbers_for_three_kinds_of_eyes() -> None:
    learner = Active(boosted(), N, 1_000, 100, Fraction(2))
    certificate = learner.certify()
    inner = {
        part: float(fact.epsilon.upper) for part, fact in boosted().certify(Size(100, 900)).parts.items()
    }
    labelled, unlabelled = inner["labelled part"], inner["unlabelled part"]
    secret = certificate.privacy.premises[0].fact
    assert float(secret.epsilon.upper) == pytest.approx(math.log1p(0.2 * math.expm1(3)), abs=1e-9)  # type: ignore[union-attr]
    listed, leaked = (parts_of(proof.to_json()) for proof in certificate.also)
    assert float(listed[QUERIED].epsilon.upper) == pytest.approx(labelled, abs=1e-9)
    share = 900 / (N - 100)
    assert float(listed[UNQUERIED].epsilon.upper) == pytest.approx(
        math.log1p(share * math.expm1(unlabelled)), abs=1e-9
    )
    assert float(leaked[UNQUERIED].epsilon.upper) == pytest.approx(unlabelled, abs=1e-9)
    assert [proof.fact.release for proof in certificate.also] == [Release.WITH_LIST, Release.WITH_COINS]
    assert check_certificate(certificate.to_json()) > 20
    text = certificate.explain()
    assert "for those who know: hypothesis and positions asked" in text
    assert "unqueried part: (" in text


def test_everyone_who_was_kept_was_asked() -> None:
    certificate = Active(LabelsOnly(Occam(CUTS, Fraction(3))), N, 100, 100, ONE).certify()
    assert [list(parts_of(proof.to_json())) for proof in certificate.also] == [[QUERIED], [QUERIED]]
    assert (certificate.labelled, certificate.unlabelled) == (100, N - 100)


def test_those_asked_are_random_among_those_kept() -> None:
    learner = Active(boosted(), 50, 20, 5, Fraction(3))
    smallest = 0
    for seed in range(200):
        questions = learner.ask(SeededCoins(seed))
        kept = {*questions.asked, *questions.kept}
        assert (len(kept), len(questions.asked)) == (20, 5)
        smallest += set(questions.asked) == set(sorted(kept)[:5])
    assert smallest == 0, "one in 15,504 choices has this form"
    assert "kept" not in repr(questions)


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ParameterError, match="no more asked than kept"):
        Active(boosted(), 10, 5, 6, ONE)
    learner = Active(LabelsOnly(Occam(CUTS, ONE)), 10, 2, 2, ONE)
    sample = MemorySample.of({"age": [1] * 9}, SCHEMA, labelled=False)
    labels = np.zeros(2, dtype=np.uint8)
    with pytest.raises(SizeError, match="drawn for 10 records, but there are 9"):
        learner.learn(sample, Questions((0, 1), ()), labels, SeededCoins(1))
    ten = MemorySample.of({"age": [1] * 10}, SCHEMA, labelled=False)
    with pytest.raises(SizeError, match="2 labels are needed, and 1 are there"):
        learner.learn(ten, Questions((0, 1), ()), labels[:1], SeededCoins(1))


# --- settings ---


def request(records: int, epsilon: str = "1") -> Request:
    return Request(SCHEMA, Size(0, unlabelled=records), LearnRequest(epsilon=Fraction(epsilon)))


def test_a_learner_on_few_of_many_may_be_less_private() -> None:
    assert float(inner_epsilon(100, 10_000, epsilon=ONE)) == pytest.approx(
        math.log1p(100 * math.expm1(1)), abs=1e-3
    )
    assert inner_epsilon(10, 10, epsilon=ONE) == 1
    assert inner_epsilon(1, 10**30, epsilon=ONE) == 40


def test_labels_needed_hardly_depend_on_epsilon_if_there_are_records() -> None:
    asked = [
        session.asked
        for e in ("1", "0.1")
        if (
            session := ask_settings(
                "thresholds:age", request(10**6, e), labels=None, error=Fraction(1, 10)
            ).session
        )
    ]
    assert asked[0] <= asked[1] <= 1.3 * asked[0]
    plain = Occam(CUTS, Fraction(1, 10)).certify(Size(asked[1])).accuracy
    assert all(proof.fact.error > Fraction(1, 10) for proof in plain)


def test_refusals_say_what_would_do() -> None:
    with pytest.raises(SizeError, match=r"promises an error of .* at best, not 0\.1\. \d+ labels would do"):
        ask_settings("thresholds:age", request(10**4), labels=20, error=Fraction(1, 10))
    with pytest.raises(SizeError, match="Even with all 50 labels"):
        ask_settings("thresholds:age", request(50), labels=None, error=Fraction(1, 100), method="plain")
    for wrong in (
        {"labels": None, "error": None},
        {"labels": 0, "error": None},
        {"labels": 99, "error": None},
    ):
        with pytest.raises(ParameterError, match="labels"):
            ask_settings("thresholds:age", request(50), **wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="method"):
        ask_settings("thresholds:age", request(50), labels=5, error=None, method="guess")
    with pytest.raises(ParameterError, match="one member is drawn"):
        ask_settings("card", request(50), labels=5, error=None)


# --- sessions ---


def started(**changes: Any) -> Asking:
    wishes = {"schema": SCHEMA, "concepts": "thresholds:age", "epsilon": 1, "labels": 120, "method": "plain"}
    return Asking.start(N, **{**wishes, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["plain", "boost", "relabel"])
def test_a_session_survives_a_week(tmp_path: Path, method: str) -> None:
    first = started(method=method)
    first.save(tmp_path / "s")
    later = Asking.load(tmp_path / "s")
    assert later == first
    half = later.asked[:50]
    later.tell({p: int(ILL[p]) for p in half}).save(tmp_path / "s")
    again = Asking.load(tmp_path / "s")
    assert len(again.waiting) == 70
    with pytest.raises(SizeError, match="70 of 120 labels are missing"):
        again.learn({"age": AGES})
    model = again.tell({p: str(ILL[p]) for p in again.waiting}).learn({"age": AGES})
    assert np.mean(model.predict({"age": AGES}) == ILL) > 0.8
    model.save(tmp_path / "m.json")
    checked = verify(tmp_path / "m.json")
    assert checked.rebuilt
    assert checked.for_release
    assert "positions kept" in model.explain()
    assert "for those who know: hypothesis and positions asked" in report_html(model)


def test_secrets_and_answers_are_for_their_owner_only(tmp_path: Path) -> None:
    session = started(method="boost")
    session.tell({session.asked[0]: 1}).save(tmp_path)
    names = {"session.json", "ask.csv", "answers.json", "secret.json"}
    assert {path.name for path in tmp_path.iterdir()} == names
    if os.name == "posix":
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
        assert modes["secret.json"] == modes["answers.json"] == 0o600
    handed_out = (tmp_path / "ask.csv").read_text() + (tmp_path / "session.json").read_text()
    kept = json.loads((tmp_path / "secret.json").read_text())["kept"]
    assert len(kept) > 0
    assert str(kept) not in handed_out
    rows = (tmp_path / "ask.csv").read_text().split()
    assert rows[0] == "record,label"
    assert len(rows) == 120, "a heading, and those still waited for"
    assert rows[1] == f"{session.waiting[1] + 1}," or int(rows[1].rstrip(",")) - 1 in session.asked


def test_answers_about_others_and_broken_folders_are_refused(tmp_path: Path) -> None:
    session = started()
    stranger = next(p for p in range(N) if p not in session.asked)
    with pytest.raises(DataError, match="1 of 1 answers are about records that were not asked"):
        session.tell({stranger: 1})
    with pytest.raises(DataError, match="not a declared class"):
        session.tell({session.asked[0]: "s3cret"})
    with pytest.raises(DataError, match="There is no file"):
        Asking.load(tmp_path / "nowhere")
    session.save(tmp_path)
    for name, text in (("session.json", "[]"), ("secret.json", "{}"), ("answers.json", "no")):
        kept = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text)
        with pytest.raises(DataError):
            Asking.load(tmp_path)
        (tmp_path / name).write_text(kept)
    public = json.loads((tmp_path / "session.json").read_text())
    (tmp_path / "session.json").write_text(json.dumps({**public, "format": "other"}))
    with pytest.raises(DataError, match="not a session of format"):
        Asking.load(tmp_path)


def test_a_ledger_is_charged_when_something_is_learnt_and_not_before() -> None:
    ledger = Ledger(epsilon=1)
    session = started()
    session = session.tell({p: int(ILL[p]) for p in session.asked})
    assert ledger.spent.epsilon == 0
    session.learn({"age": AGES}, ledger=ledger)
    assert ledger.spent.epsilon == 1
    other = started()
    other = other.tell({p: int(ILL[p]) for p in other.asked})
    with pytest.raises(BudgetExceeded):
        other.learn({"age": AGES}, ledger=ledger)
    other.learn({"age": AGES})  # a refused charge has used nothing up


def test_a_list_serves_for_one_rule(tmp_path: Path) -> None:
    """Two rules from the same people kept would lose more than twice what one loses."""
    session = started()
    session.save(tmp_path)
    answers = {p: int(ILL[p]) for p in session.asked}
    first, second = Asking.load(tmp_path).tell(answers), Asking.load(tmp_path).tell(answers)
    first.learn({"age": AGES})
    for again in (first, first.tell({}), second, Asking.load(tmp_path).tell(answers)):
        with pytest.raises(PrivpacError, match="learnt from this list already"):
            again.learn({"age": AGES})


def test_a_list_in_memory_and_in_a_folder_is_one_list(tmp_path: Path) -> None:
    session = started()
    told = session.tell({p: int(ILL[p]) for p in session.asked})
    told.save(tmp_path / "s")
    with pytest.raises(ParameterError, match="the one this session was saved in"):
        told.save(tmp_path / "other")
    told.learn({"age": AGES})
    for again in (told, Asking.load(tmp_path / "s")):
        with pytest.raises(PrivpacError, match="learnt from this list already"):
            again.learn({"age": AGES})


def test_another_table_is_refused_before_anything_is_charged_or_used_up(tmp_path: Path) -> None:
    """How many records there are is public, so the refusal costs nothing."""
    session = started()
    session.tell({p: int(ILL[p]) for p in session.asked}).save(tmp_path)
    ledger = Ledger(epsilon=1)
    with pytest.raises(SizeError, match="drawn for"):
        Asking.load(tmp_path).learn({"age": AGES[:-1]}, ledger=ledger)
    assert ledger.spent.epsilon == 0
    Asking.load(tmp_path).learn({"age": AGES}, ledger=ledger)


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("session.json", lambda tree: "[" * 100_000),
        ("session.json", lambda tree: json.dumps({**tree, "records": 1e400})),
        ("session.json", lambda tree: json.dumps({**tree, "records": float(N)})),
        ("session.json", lambda tree: json.dumps({**tree, "few_labels": {"active": {"asked": 120}}})),
        ("session.json", lambda tree: json.dumps({**tree, "coins": "mine"})),
        ("answers.json", lambda tree: '{"0": 1e999}'),
        ("answers.json", lambda tree: '{"0": 2}'),
        ("secret.json", lambda tree: json.dumps({**tree, "asked": ["x"] * 120})),
    ],
)
def test_edited_sessions_are_refused_in_a_sentence(tmp_path: Path, name: str, edit: Any) -> None:
    started().save(tmp_path)
    (tmp_path / name).write_text(edit(json.loads((tmp_path / name).read_text())))
    with pytest.raises(DataError):
        Asking.load(tmp_path)


def test_lists_of_nobody_or_of_somebody_twice_are_refused_uncharged(tmp_path: Path) -> None:
    session = started()
    session.tell({p: int(ILL[p]) for p in session.asked}).save(tmp_path)
    secret = json.loads((tmp_path / "secret.json").read_text())
    ledger = Ledger(epsilon=1)
    for position in (N, -1, secret["asked"][1]):
        edited = (
            {**secret, "kept": [*secret["kept"][1:], position]}
            if secret["kept"]
            else {**secret, "asked": [position, *secret["asked"][1:]]}
        )
        (tmp_path / "secret.json").write_text(json.dumps(edited))
        told = json.loads((tmp_path / "answers.json").read_text())
        (tmp_path / "answers.json").write_text(json.dumps({**told, str(position): 0}))
        with pytest.raises(SizeError, match="each once"):
            Asking.load(tmp_path).learn({"age": AGES}, ledger=ledger)
    assert ledger.spent.epsilon == 0


def test_a_list_drawn_with_a_seed_is_not_for_release() -> None:
    session = started(random_state=5)
    assert session.asked == started(random_state=5).asked
    model = session.tell({p: int(ILL[p]) for p in session.asked}).learn({"age": AGES})
    assert model.certificate["coins"] == "seeded"


def test_people_behind_several_records_lose_no_more_than_declared() -> None:
    session = started(records_per_person=2)
    assert session.certificate.epsilon == 1
    assert session.certificate.parts == {}


def test_what_those_who_know_more_are_told_counts_people_too() -> None:
    """One record's number, in front of somebody behind two of them, would be half of the truth."""
    for known in started(records_per_person=2).certificate.also:
        assert known.rule == "group"
        (one,) = known.premises
        assert isinstance(one.fact, Privacy)
        assert known.fact.epsilon.upper >= 2 * one.fact.epsilon.upper > 0
        assert known.fact.release is one.fact.release
    assert all(known.rule != "group" for known in started().certificate.also)


def test_a_schema_read_from_the_data_marks_every_number() -> None:
    schema = replace(SCHEMA, origin="from_data")
    settings = ask_settings("thresholds:age", request(N), labels=100, error=None)
    certificate = FewLabels("thresholds:age", replace(request(N), schema=schema), settings).certify()
    for proof in (certificate.privacy, *certificate.also):
        assert FROM_DATA in proof.assumptions


# --- in the manner of scikit-activeml ---


@pytest.mark.parametrize("missing", [-1, np.nan])
def test_query_until_nobody_is_left_then_fit(missing: float) -> None:
    y = np.full(N, missing)
    strategy = PrivateQuery("thresholds:age", schema=SCHEMA, labels=120, method="plain", random_state=3)
    rounds = 0
    while len(asked := strategy.query(AGES.reshape(-1, 1), y, batch_size=50)):
        assert len(asked) <= 50
        y[asked] = ILL[asked]
        rounds += 1
    assert rounds == 3
    model = strategy.fit(AGES.reshape(-1, 1), y)
    assert np.mean(model.classify({"age": AGES}) == ILL) > 0.9


def test_labels_of_those_who_were_not_asked_are_not_read() -> None:
    strategy = PrivateQuery("thresholds:age", schema=SCHEMA, labels=30, method="plain", random_state=3)
    asked = strategy.query(AGES.reshape(-1, 1))
    y = np.full(N, 77.0)  # no class at all
    y[asked] = ILL[asked]
    strategy.fit(AGES.reshape(-1, 1), y)
    with pytest.raises(PrivpacError, match="drawn for 5000 records, not 10"):
        strategy.query(AGES[:10].reshape(-1, 1))
