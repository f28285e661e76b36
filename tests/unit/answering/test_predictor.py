"""PrivatePredictor: pays before it answers, answers repeats for nothing, never overspends."""

from __future__ import annotations

import math
import multiprocessing
import threading
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from privpac import BudgetExceeded, Ledger, PrivatePredictor, Schema, Thresholds
from privpac.answering.answers import FileAnswers, MemoryAnswers
from privpac.answering.predictor import PrivatePredictor as Class
from privpac.answering.price import composed, epsilon_an_answer
from privpac.answering.questions import AskedRows
from privpac.checker.check import check_certificate
from privpac.constructions.prediction.forms import CLASSIFIERS
from privpac.errors import ParameterError, PrivpacError, SchemaError
from privpac.guarantee.ledger.budget import WIDEST

SCHEMA = Schema.from_json(
    {
        "label": "y",
        "classes": ["no", "yes"],
        "columns": [
            {"name": "x", "kind": "numeric", "lower": 0, "upper": 999, "integer": True},
            {"name": "kind", "kind": "categorical", "categories": ["u", "v"], "other": "w"},
        ],
    }
)


def table(n: int = 400) -> dict[str, list[object]]:
    return {"x": [i * 999 // (n - 1) for i in range(n)], "kind": ["u", "v"] * (n // 2)}


def labels(n: int = 400) -> list[str]:
    return ["yes" if 2 * i >= n else "no" for i in range(n)]


def rows(*xs: int) -> dict[str, list[object]]:
    return {"x": list(xs), "kind": ["u"] * len(xs)}


def fitted(price: object = 1, budget: object = 10, **wishes: object) -> Class:
    wishes = {"schema": SCHEMA, "models": 5, **wishes}
    return PrivatePredictor(LogisticRegression(), price, budget, **wishes).fit(table(), y=labels())  # type: ignore[arg-type]


def test_answers_are_classes_of_the_schema_and_cost_their_price_each() -> None:
    ledger = Ledger(epsilon=100)
    predictor = fitted(20, ledger)
    assert predictor.predict(rows(10, 990)).tolist() == ["no", "yes"]
    assert ledger.spent.epsilon == 40
    assert (predictor.answers_given, predictor.answers_left) == (2, 3)
    assert [entry.note for entry in ledger.entries()] == ["2 answers"]


def test_repeats_are_free_within_a_batch_between_batches_and_within_a_cell() -> None:
    ledger = Ledger(epsilon=10)
    predictor = fitted(1, ledger)
    first = predictor.predict(rows(1, 2, 1, 2, 1))
    assert ledger.spent.epsilon == 2
    assert len(set(first[[0, 2, 4]])) == 1
    again = predictor.predict(
        {"x": [1.9, -5, 2], "kind": ["u"] * 3}
    )  # 1.9 is cell 1, -5 is cell 0: one new question
    assert ledger.spent.epsilon == 3
    assert again[0] == first[0]
    assert again[2] == first[1]
    other = predictor.predict({"x": [1, 1], "kind": ["anything", "w"]})
    assert ledger.spent.epsilon == 4
    assert other[0] == other[1]


def test_a_batch_is_one_entry_of_the_ledger_and_an_empty_one_is_none() -> None:
    ledger = Ledger(epsilon=10)
    predictor = fitted("0.01", ledger)
    predictor.predict(rows(*range(100)))
    nothing = {"x": np.empty(0, np.uint32), "kind": np.empty(0, np.uint32)}
    assert len(predictor.classify_cells(nothing)) == 0
    (entry,) = ledger.entries()
    assert entry.epsilon == 1


def test_a_budget_that_runs_out_says_how_many_were_given_and_spends_nothing() -> None:
    ledger = Ledger(epsilon=5)
    predictor = fitted(1, ledger)
    given = predictor.predict(rows(1, 2, 3))
    with pytest.raises(BudgetExceeded, match="has room for 2; 3 were answered so far") as refused:
        predictor.predict(rows(1, 4, 5, 6))
    assert (refused.value.given, refused.value.left) == (3, 2)
    assert refused.value.exit_code == 3
    assert ledger.spent.epsilon == 3
    assert predictor.answers_given == 3
    assert predictor.predict(rows(3, 1)).tolist() == [given[2], given[0]]
    predictor.predict(rows(4, 5))
    assert (ledger.left.epsilon, predictor.answers_left) == (0, 0)
    with pytest.raises(BudgetExceeded):
        predictor.predict(rows(6))


def test_the_charge_is_durable_before_the_answer_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(epsilon=5)
    predictor = fitted(1, ledger)

    def fails(self: object, cells: object, coins: object) -> None:
        assert ledger.spent.epsilon == 2
        raise KeyboardInterrupt

    monkeypatch.setattr(type(predictor.prepared), "answer", fails)
    with pytest.raises(KeyboardInterrupt):
        predictor.predict(rows(1, 2))
    assert ledger.spent.epsilon == 2
    assert predictor.answers_given == 0


def test_declared_answers_are_charged_once_by_the_optimal_composition() -> None:
    ledger = Ledger(epsilon=1, delta="1e-6", reserved_delta="1e-6")
    price = epsilon_an_answer(answers=100, epsilon=Fraction(1), delta=Fraction(1, 10**6))
    assert price > Fraction(2, 100)  # twice the hundredth part of what 100 answers may cost
    predictor = fitted(price, ledger, answers=100, delta="1e-6")
    assert len(ledger.entries()) == 1
    assert 0.99 < float(ledger.spent.epsilon) <= 1
    assert 0 < ledger.spent.delta <= Fraction(1, 10**6)
    assert predictor.answers_left == 100
    predictor.predict(rows(*range(97)))
    assert len(ledger.entries()) == 1
    with pytest.raises(BudgetExceeded, match="room for 3; 97 were"):
        predictor.predict(rows(*range(200, 204)))
    predictor.predict(rows(*range(200, 203)))
    assert predictor.answers_left == 0
    certificate = predictor.certificate
    assert certificate.privacy.premises[0].rule == "k-fold-composition"
    assert "several answers are given" in str(certificate.privacy.fact)
    assert (certificate.epsilon, certificate.delta) == (ledger.spent.epsilon, ledger.spent.delta)
    assert check_certificate(certificate.to_json()) >= 3


def test_a_proved_delta_too_long_for_a_ledger_is_charged_rounded_up() -> None:
    ledger = Ledger(epsilon=100, delta="1e-6", reserved_delta="1e-6")
    certificate = fitted("0.1", ledger, answers=40, delta="1e-6").certificate
    assert certificate.delta.denominator.bit_length() > WIDEST
    assert certificate.epsilon == ledger.spent.epsilon < 4
    assert certificate.delta < ledger.spent.delta < certificate.delta * (1 + Fraction(1, 10**12))


def test_rounding_charges_no_more_than_was_declared() -> None:
    exact = fitted("0.1", 100, answers=40, delta="1e-6").certificate.delta
    declared = Fraction(math.ceil(exact * 10**40), 10**40)  # closer than the digits a ledger keeps
    ledger = Ledger(epsilon=100, delta=declared, reserved_delta=declared)
    fitted("0.1", ledger, answers=40, delta=declared)
    assert ledger.left.delta == 0


def test_declared_answers_beyond_the_budget_are_refused_before_any_record_is_used() -> None:
    ledger = Ledger(epsilon=1)
    with pytest.raises(BudgetExceeded):
        fitted("0.1", ledger, answers=11)
    assert not ledger.entries()


@pytest.mark.parametrize("answers", [1, 2, 10, 60])
def test_the_price_of_an_answer_is_the_largest_that_fits(answers: int) -> None:
    total, delta = Fraction(1), Fraction(1, 10**5)
    price = epsilon_an_answer(answers=answers, epsilon=total, delta=delta)
    for step, fits in ((0, True), (2, False)):
        one = fitted(price + Fraction(step, 10**6), 10).offer.one_answer
        fact = composed(one, answers=answers, delta=delta).fact
        assert (fact.epsilon.upper <= total and fact.delta <= delta) == fits


def test_a_person_behind_several_records_is_protected_by_the_price() -> None:
    predictor = fitted(3, 30, records_per_person=3)
    certificate = predictor.certificate
    assert certificate.epsilon == 3
    assert "no person stands behind more than 3 records" in certificate.assumptions
    assert predictor.offer.predictor.epsilon == 1  # type: ignore[attr-defined]


def test_a_seed_marks_the_certificate_and_repeats_everything() -> None:
    answers = [fitted("0.2", 100, random_state=7).predict(rows(*range(0, 999, 9))).tolist() for _ in range(2)]
    assert answers[0] == answers[1]
    assert fitted(1, 10, random_state=7).certificate.coins == "seeded"
    assert fitted(1, 10).certificate.for_release


def test_a_schema_read_from_the_data_is_assumed_public() -> None:
    predictor = PrivatePredictor(LogisticRegression(), 1, 5, schema="from_data", models=3).fit(
        table(), y=labels()
    )
    assert any("read from the data" in text for text in predictor.certificate.assumptions)


@pytest.mark.parametrize(
    "base", ["auto", *(f"vote:{name}" for name in CLASSIFIERS), "vote:tree:2", "predict-by-vote:thresholds:x"]
)
def test_words_and_what_they_name(base: str) -> None:
    predictor = PrivatePredictor(base, 30, 300, schema=SCHEMA, models=3).fit(table(), y=labels())
    assert predictor.predict(rows(20, 980)).tolist() == ["no", "yes"]
    assert check_certificate(predictor.certificate.to_json()) >= 2


def test_only_columns_that_decide_make_a_question() -> None:
    predictor = PrivatePredictor("predict-by-vote:thresholds:x", 1, 9, schema=SCHEMA, models=3).fit(
        table(), y=labels()
    )
    predictor.predict({"x": [5, 5, 5], "kind": ["u", "v", "w"]})
    assert predictor.answers_given == 1


def test_wrong_wishes_are_refused_in_words() -> None:
    with pytest.raises(ParameterError) as refused:
        PrivatePredictor("forests", 1, 5, schema=SCHEMA).fit(table(), y=labels())
    assert refused.value.parameter == "base"
    with pytest.raises(ParameterError) as refused:
        PrivatePredictor("vote:tree:deep", 1, 5, schema=SCHEMA).fit(table(), y=labels())
    assert refused.value.parameter == "base"
    with pytest.raises(ParameterError) as refused:
        fitted(1, 10, delta="1e-6")
    assert refused.value.parameter == "delta"
    for wishes in ({"answers": 0}, {"answers": 10**6}, {"records_per_person": 0}, {"random_state": "x"}):
        with pytest.raises(ParameterError):
            fitted(1, 10, **wishes)
    for price in (0, -1, "much"):
        with pytest.raises(ParameterError) as refused:
            fitted(price)
        assert refused.value.parameter == "epsilon"
    with pytest.raises(PrivpacError, match="Call fit first"):
        PrivatePredictor(LogisticRegression(), 1, 5, schema=SCHEMA).predict(rows(1))
    dear = fitted(5, 10).offer.predictor
    with pytest.raises(ParameterError) as refused:
        PrivatePredictor(dear, 1, 5, schema=SCHEMA).fit(table(), y=labels())
    assert refused.value.parameter == "epsilon_per_answer"
    other = Schema(SCHEMA.columns, label="z")
    ready = fitted().offer.predictor
    with pytest.raises(SchemaError, match="another schema"):
        PrivatePredictor(ready, 1, 5, schema=other).fit({**table(), "z": [0, 1] * 200})
    class_given = PrivatePredictor(Thresholds(SCHEMA, "x"), 30, 90, schema=SCHEMA).fit(table(), y=labels())
    assert class_given.predict(rows(2)).tolist() == ["no"]


def test_reprs_tell_nothing_private() -> None:
    predictor = fitted()
    assert repr(predictor) == "<PrivatePredictor: 10 answers left>"
    assert "no records" in repr(PrivatePredictor(LogisticRegression(), 1, 5, schema=SCHEMA))


# --- questions and stores ---


def test_questions_of_wide_columns_are_told_apart() -> None:
    wide = Schema.from_json(
        {
            "label": "y",
            "columns": [{"name": "w", "kind": "numeric", "lower": 0, "upper": 2**80, "integer": True}],
        }
    )
    values = np.array([2**79, 2**79 + 1, 2**79, 5], dtype=object)
    rows = AskedRows.of({"w": values}, SimpleNamespace(schema=wide, columns=("w",)))  # type: ignore[arg-type]
    assert len(rows.keys) == 3
    assert rows.which.tolist() == [0, 1, 0, 2]
    assert rows.first.tolist() == [0, 1, 3]


def test_stores_keep_the_first_of_two_answers(tmp_path: Path) -> None:
    for store in (MemoryAnswers(), FileAnswers(tmp_path / "answers.sqlite")):
        keys = [bytes([i]) * 16 for i in range(3)]
        assert store.keep({keys[0]: 1, keys[1]: 0}) == {keys[0]: 1, keys[1]: 0}
        assert store.keep({keys[0]: 0, keys[2]: 1}) == {keys[0]: 1, keys[2]: 1}
        assert store.known([*keys, b"?" * 16]) == {keys[0]: 1, keys[1]: 0, keys[2]: 1}
        assert store.count() == 3
    many = {i.to_bytes(16, "big"): i % 2 for i in range(7, 1700)}
    assert FileAnswers(tmp_path / "answers.sqlite").keep(many) == many
    (tmp_path / "broken.sqlite").write_text("this is no database, but long enough to be looked at" * 50)
    with pytest.raises(PrivpacError, match="could not be used"):
        FileAnswers(tmp_path / "broken.sqlite")


# --- many at once ---


def test_threads_never_overspend() -> None:
    ledger = Ledger(epsilon=20)
    predictor = fitted(1, ledger)
    refused: list[BudgetExceeded] = []

    def ask(number: int) -> None:
        for x in range(number, 60, 4):
            try:
                predictor.predict(rows(x))
            except BudgetExceeded as error:
                refused.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.spent.epsilon == 20 == predictor.answers_given
    assert len(refused) == 40
    ledger.verify()


def _process(path: str, first: int, given: object) -> None:
    predictor = fitted("0.5", Ledger.open(path))
    count = 0
    for x in range(first, first + 15):
        try:
            predictor.predict(rows(x))
            count += 1
        except BudgetExceeded:
            pass
    given.put(count)  # type: ignore[attr-defined]


@pytest.mark.long
def test_processes_never_overspend(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger(epsilon=10, path=path)
    spawn = multiprocessing.get_context("spawn")
    given = spawn.Queue()
    workers = [spawn.Process(target=_process, args=(str(path), 100 * i, given)) for i in range(2)]
    for worker in workers:
        worker.start()
    counts = [given.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join(timeout=60)
    assert sum(counts) == 20
    assert ledger.spent.epsilon == 10
    ledger.verify()


@pytest.mark.parametrize("in_files", [False, True])
def test_a_draw_that_fails_is_charged_and_ends_the_predictor(
    in_files: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever made it fail might be a record: asked again and again, it would tell more than was paid for."""
    predictor = fitted(1, 20)
    if in_files:
        predictor._answers = FileAnswers(tmp_path / "answers.sqlite")
    before = predictor.predict(rows(1)).tolist()

    def failing(*_: object, **__: object) -> None:
        raise ZeroDivisionError("because of a record")

    with monkeypatch.context() as patched:
        patched.setattr("privpac.answering.predictor.draw", failing)
        with pytest.raises(ZeroDivisionError):
            predictor.predict(rows(2))
    assert predictor.budget.spent.epsilon == 2
    for _ in range(3):
        with pytest.raises(PrivpacError, match="answers nothing new"):
            predictor.predict(rows(3))
    assert predictor.budget.spent.epsilon == 2
    assert predictor.predict(rows(1)).tolist() == before


def test_a_ledger_that_fails_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was drawn, so nothing can have told about a record."""
    predictor = fitted(1, 20)

    def failing(*_: object, **__: object) -> None:
        raise PrivpacError("The ledger cannot be written.")

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "charge", failing)
        with pytest.raises(PrivpacError, match="cannot be written"):
            predictor.predict(rows(2))
    assert predictor.budget.spent.epsilon == 0
    assert len(predictor.predict(rows(2))) == 1
