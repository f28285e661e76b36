"""What is served has the law of the predictor; many requests in one transaction are many, not one."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from privpac import Ledger, PrivatePredictor
from privpac.answering.bundle.bundle import load
from privpac.answering.questions import AskedRows, draw
from privpac.coins import Coins, SeededCoins, law
from privpac.concepts.base import Cells
from privpac.errors import PrivpacError
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.service.access import keys
from privpac.service.answering.answering import Answering
from privpac.service.answering.requests import Ask, Outcome, Reply
from privpac.service.api.problems import Ended, Problem
from privpac.service.api.rows import cells_of, plain
from privpac.service.store import migrating
from tests.service.asking import AGES, SCHEMA, Served, row

NUMBERS = itertools.count()


def answering(
    bundle: Path, folder: Path, coins: Coins, *, epsilon: str = "10", delta: str = "0"
) -> tuple[Answering, str]:
    """A fresh ledger with one key, and what answers over it."""
    url = f"sqlite:///{folder / f'{next(NUMBERS)}.db'}"
    promises = Promises.read("test", epsilon=epsilon, delta=delta, reserved_delta=0, pure_epsilon=None)
    store = SqlStore.create(url, promises=promises)
    migrating.prepare(store, upgrade=True)
    key, _ = keys.create(store, role="analyst")
    return Answering(load(bundle), store, coins), key.id


def encode(*ages: int) -> Cells:
    return cells_of(plain([row(age) for age in ages], SCHEMA), SCHEMA)


def ask(service: Answering, key: str, *ages: int, again: str | None = None) -> Ask:
    rows = AskedRows.of(encode(*ages), service.bundle.offer.predictor)
    return Ask(key, rows, again, bytes(str(ages), "ascii"))


def served_answers(outcome: Outcome) -> tuple[str, ...]:
    assert isinstance(outcome, Reply)
    return tuple(json.loads(outcome.text)["answers"])


def test_served_answers_have_exactly_the_law_of_the_predictor(made_bundle: Path, tmp_path: Path) -> None:
    """Every branch of the coins, through the whole of `Answering`, against the same rows through the predictor.

    Two requests of one group share a question: it is drawn once for both, and the other questions independently.
    """

    def through_the_service(coins: Coins) -> tuple[tuple[str, ...], ...]:
        service, key = answering(made_bundle, tmp_path, coins)
        outcomes = service.answer([ask(service, key, 59, 10), ask(service, key, 10, 99)])
        return tuple(map(served_answers, outcomes))

    def through_the_predictor(coins: Coins) -> tuple[tuple[str, ...], ...]:
        predictor = load(made_bundle).predictor(Ledger(epsilon=10), coins=coins)
        cells = encode(59, 10, 99)
        first, second, third = (SCHEMA.classes[label] for label in predictor_labels(predictor, cells))
        return (first, second), (second, third)

    def predictor_labels(predictor: object, cells: object) -> list[int]:
        asked = AskedRows.of(cells, predictor.offer.predictor)  # type: ignore[attr-defined,arg-type]
        drawn = draw([asked], predictor.prepared, predictor._coins, known={})  # type: ignore[attr-defined]
        return [int(label) for label in asked.labels(drawn)]

    service = law(through_the_service)
    assert service == law(through_the_predictor)
    assert sum(service.values()) == 1
    assert len(service) == 8
    assert all(len(set(pair)) == 1 for pair in ((first[1], second[0]) for first, second in service))


def test_one_answer_is_what_the_prepared_predictor_gives(made_bundle: Path, tmp_path: Path) -> None:
    """Nothing between the mechanism and the reply changes the chance of an answer."""
    prepared = load(made_bundle).prepared
    cells = encode(10)

    def run(coins: Coins) -> str:
        service, key = answering(made_bundle, tmp_path, coins)
        return served_answers(service.answer([ask(service, key, 10)])[0])[0]

    direct = law(lambda coins: int(prepared.answer(cells, coins)[0]))
    assert law(run) == {SCHEMA.classes[label]: chance for label, chance in direct.items()}
    assert len(direct) == 2


def test_a_total_with_a_delta_gives_more_answers_to_all_and_to_one_key(
    made_bundle: Path, tmp_path: Path
) -> None:
    """Answers of 0.5 each: (8, 0.1) has room for 19 of them where 8 adds up to 16; a key of (4, 0.1) for 8."""
    service, key = answering(made_bundle, tmp_path, SeededCoins(1), epsilon="8", delta="0.1")
    small, _ = keys.create(service.store, role="analyst", epsilon="4", delta="0.1")
    whole = service.store.account().room(service.terms.cost)
    assert whole > 16
    own = small.promises.room(small.spent, service.terms.cost)  # type: ignore[union-attr]
    assert own >= 8
    refused = service.answer([ask(service, small.id, *range(own + 1))])[0]
    assert isinstance(refused, Problem)
    assert (refused.code, refused.facts["left"]["answers"]) == ("analyst_budget", own)
    given = service.answer([ask(service, small.id, *range(own))])[0]
    assert isinstance(given, Reply)
    left = json.loads(given.text)["left"]
    assert (left["answers"], set(left)) == (0, {"epsilon", "rho", "answers"})
    last = service.answer([ask(service, key, *range(whole))])[0]  # those of the other key are free
    assert isinstance(last, Reply)
    assert json.loads(last.text)["left"]["answers"] == 0
    full = service.answer([ask(service, key, 99)])[0]
    assert isinstance(full, Problem)
    assert full.code == "dataset_budget"
    account = service.store.account()
    assert account.spent == whole * service.terms.cost
    entry = service.store.entries()[-1]
    assert entry.purchase is not None
    assert (entry.purchase.word, entry.purchase.schema) == ("answers", service.bundle.schema.digest())
    Ledger.over(service.store).verify()


def test_a_refusal_in_the_middle_of_a_group_spoils_nobody(made_bundle: Path, tmp_path: Path) -> None:
    service, key = answering(made_bundle, tmp_path, SeededCoins(1), epsilon="1.5")
    poor, _ = keys.create(service.store, role="analyst", epsilon="0.5")
    asks = [
        ask(service, key, 1),
        ask(service, poor.id, 2, 3),  # does not fit into the analyst's own budget
        ask(service, "nobody", 4),
        ask(service, key, 5, 6, 7),  # does not fit into the dataset's
        ask(service, poor.id, 8, again="k"),
        ask(service, poor.id, 8, again="k"),  # the same again, in the same group
        ask(service, poor.id, 9, again="k"),  # another under the same key
        ask(service, key, 10),
        ask(service, key, 1),  # known by now
        ask(service, key, 11),
    ]
    outcomes = service.answer(asks)
    codes = [outcome.code if isinstance(outcome, Problem) else str(outcome.epsilon) for outcome in outcomes]
    assert codes == [
        "1/2",
        "analyst_budget",
        "unauthorised",
        "dataset_budget",
        "1/2",
        "0",
        "idempotency_key_reused",
        "1/2",
        "0",
        "dataset_budget",
    ]
    assert str(service.store.account().spent) == "epsilon 1.5"
    Ledger.over(service.store).verify()
    spent = {found.id: found.spent.epsilon for found in keys.listed(service.store)}
    assert spent == {key: Fraction(1), poor.id: Fraction(1, 2)}
    with service.store.reading() as connection:
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM answer").scalar() == 3
        entries = connection.exec_driver_sql("SELECT entry FROM request ORDER BY number").scalars().all()
    assert entries == [1, 2, 3]


def test_a_refused_question_leaves_no_trace(made_bundle: Path, tmp_path: Path) -> None:
    service, key = answering(made_bundle, tmp_path, SeededCoins(5), epsilon="0.5")
    (refused,) = service.answer([ask(service, key, 1, 2)])
    assert isinstance(refused, Problem)
    assert rows_of(service, "answer") == rows_of(service, "request") == 0
    assert isinstance(service.answer([ask(service, key, 1)])[0], Reply)


class NoCoins(SeededCoins):
    """Whoever tosses one fails."""

    def bits(self, count: int) -> int:
        raise AssertionError("a coin was tossed")


def test_what_nobody_can_pay_for_is_not_drawn(made_bundle: Path, tmp_path: Path) -> None:
    """An empty budget must not be a way to keep the server busy."""
    service, key = answering(made_bundle, tmp_path, SeededCoins(1), epsilon="0.9")
    poor, _ = keys.create(service.store, role="analyst", epsilon="0.4")
    idle = Answering(service.bundle, service.store, NoCoins(1))
    (refused,) = idle.answer([ask(idle, poor.id, 1)])
    assert isinstance(refused, Problem)
    assert refused.code == "analyst_budget"
    assert isinstance(service.answer([ask(service, key, 1)])[0], Reply)
    known, refused = idle.answer([ask(idle, poor.id, 1), ask(idle, key, 2, 3)])
    assert isinstance(known, Reply)
    assert isinstance(refused, Problem)
    assert refused.code == "dataset_budget"


def rows_of(service: Answering, table: str) -> int:
    with service.store.reading() as connection:
        return int(connection.exec_driver_sql(f"SELECT COUNT(*) FROM {table}").scalar() or 0)


def test_a_draw_that_fails_is_paid_for_once_and_is_the_last(made_bundle: Path, tmp_path: Path) -> None:
    """Whether a draw fails may depend on the records: it is no question that can be asked again, here or elsewhere."""
    service, key = answering(made_bundle, tmp_path, SeededCoins(1))
    before = service.answer([ask(service, key, 1)])
    assert isinstance(before[0], Reply)
    broken = Answering(service.bundle, service.store, NoCoins(1))
    with pytest.raises(Ended) as caught:
        broken.answer([ask(broken, key, 2), ask(broken, key, 3)])
    assert isinstance(caught.value.__cause__, AssertionError)
    assert str(service.store.account().spent) == "epsilon 1.5"
    for other in (broken, service, Answering(load(made_bundle), service.store, SeededCoins(2))):
        for ages in ((2,), (4,), (1,)):
            with pytest.raises(Ended):
                other.answer([ask(other, key, *ages)])
        assert other.ended
    assert str(service.store.account().spent) == "epsilon 1.5"
    assert rows_of(service, "bundle_end") == 1
    Ledger.over(service.store).verify()


def test_a_process_whose_database_is_gone_still_remembers_that_a_draw_failed(
    made_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, key = answering(made_bundle, tmp_path, NoCoins(1))
    monkeypatch.setattr(Answering, "_end", lambda self: (_ for _ in ()).throw(PrivpacError("no database")))
    for age in (1, 2):  # that it failed is not told before it is on disk
        with pytest.raises(PrivpacError, match="no database"):
            service.answer([ask(service, key, age)])
    monkeypatch.undo()
    with pytest.raises(Ended):
        service.answer([ask(service, key, 2)])
    assert rows_of(service, "bundle_end") == 1
    assert str(service.store.account().spent) == "epsilon 0.5"


def test_nothing_leaves_before_a_commit_that_waited_for_the_disk(
    made_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The charge is written before the draw; the commit after the draw waits for the disk, and so has the charge."""
    service, key = answering(made_bundle, tmp_path, SeededCoins(1))
    done: list[str] = []

    def noted(connection: Any, cursor: Any, statement: str, *_: object) -> None:
        if statement.startswith("PRAGMA synchronous"):
            done.append(statement.rpartition(" ")[2])

    sa.event.listen(service.store.engine, "before_cursor_execute", noted)
    sa.event.listen(service.store.engine, "commit", lambda connection: done.append("commit"))
    prepared = type(service.bundle.prepared)
    answer = prepared.answer
    monkeypatch.setattr(prepared, "answer", lambda *given: done.append("draw") or answer(*given))
    service.answer([ask(service, key, 1)])
    assert done == ["NORMAL", "commit", "draw", "FULL", "commit"]
    done.clear()
    service.answer([ask(service, key, 1)])
    assert done == ["NORMAL", "commit"]  # nothing was charged, and nothing is new
    done.clear()
    broken = Answering(service.bundle, service.store, NoCoins(1))
    with pytest.raises(Ended):
        broken.answer([ask(broken, key, 2)])
    assert done == ["NORMAL", "commit", "draw", "FULL", "commit"]


class Killed(BaseException):
    """Stands for a process that is gone: nothing of it runs any more."""


class Dying(SeededCoins):
    def flips(self, chances, picks):  # type: ignore[no-untyped-def]
        raise Killed


def test_what_was_paid_for_before_a_kill_is_drawn_later_for_nothing(
    made_bundle: Path, tmp_path: Path
) -> None:
    """The charge is durable before the first coin; the request that is sent again tells the price it had."""
    service, key = answering(made_bundle, tmp_path, SeededCoins(1))
    dying = Answering(service.bundle, service.store, Dying(1))
    with pytest.raises(Killed):
        dying.answer([ask(dying, key, 7, 8, again="k"), ask(dying, key, 9)])
    assert str(service.store.account().spent) == "epsilon 1.5"
    assert rows_of(service, "answer") == 3
    other, first, again, reused = service.answer(
        [
            ask(service, key, 9, 8),
            ask(service, key, 7, 8, again="k"),
            ask(service, key, 7, 8, again="k"),
            ask(service, key, 7, again="k"),
        ]
    )
    assert isinstance(other, Reply)
    assert isinstance(first, Reply)
    assert isinstance(again, Reply)
    assert (other.epsilon, first.epsilon, again.epsilon) == (0, 0, 0)
    assert json.loads(other.text)["price"] == "0"
    assert json.loads(first.text)["price"] == "1"
    assert first.text == again.text
    assert served_answers(other)[1] == served_answers(first)[1]
    assert isinstance(reused, Problem)
    assert reused.code == "idempotency_key_reused"
    assert str(service.store.account().spent) == "epsilon 1.5"
    assert service.answer([ask(service, key, 7, 8, again="k")])[0].text == first.text  # type: ignore[union-attr]
    Ledger.over(service.store).verify()


@pytest.mark.parametrize("again", [None, "k"])
def test_of_two_processes_that_draw_a_question_the_first_to_keep_it_counts(
    made_bundle: Path, tmp_path: Path, again: str | None
) -> None:
    """While one draws what it paid for, another asks the same, draws it for nothing and is quicker."""
    service, key = answering(made_bundle, tmp_path, SeededCoins(1))
    quicker: list[Outcome] = []

    class Overtaken(SeededCoins):
        def flips(self, chances, picks):  # type: ignore[no-untyped-def]
            if not quicker:
                quicker.extend(service.answer([ask(service, key, 10, again=again)]))
            return 1 - super().flips(chances, picks)

    slow = Answering(service.bundle, service.store, Overtaken(1))
    (outcome,) = slow.answer([ask(slow, key, 10, again=again)])
    assert isinstance(outcome, Reply)
    assert served_answers(outcome) == served_answers(quicker[0])
    assert isinstance(quicker[0], Reply)
    assert (outcome.epsilon, quicker[0].epsilon) == (Fraction(1, 2), 0)
    assert (outcome.text == quicker[0].text) == (again is not None)
    assert str(service.store.account().spent) == "epsilon 0.5"
    assert rows_of(service, "answer") == 1


@pytest.mark.parametrize("budget", [1, 20])
def test_many_at_once_are_charged_once_and_never_beyond_the_limit(
    serve: Callable[..., Served], budget: int
) -> None:
    """64 clients ask the same eight questions, with and without room for all of them."""
    served = serve(epsilon=budget)

    async def all_of_them() -> list[httpx.Response]:
        transport = httpx.ASGITransport(served.client.app)  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            calls = (
                client.post("/v1/predict", json={"rows": [row(number % 8)]}, headers=served.bearer())
                for number in range(64)
            )
            return await asyncio.gather(*calls)

    replies = asyncio.run(all_of_them())
    paid = [reply for reply in replies if reply.status_code == 200 and reply.json()["price"] != "0"]
    room = min(8, 2 * budget)
    assert len(paid) == room
    assert {reply.status_code for reply in replies} == ({200} if room == 8 else {200, 429})
    assert served.spent == f"epsilon {room // 2}"
    assert len(served.book.entries()) == room
    by_age = [
        {reply.json()["answers"][0] for reply in replies[age::8] if reply.status_code == 200}
        for age in range(8)
    ]
    assert all(len(answers) <= 1 for answers in by_age)
    served.book.verify()


def another(path: Path, *, turned: bool) -> Path:
    """A bundle as `made_bundle`, with answers that are as good as certain; `turned`, they are the other way round."""
    table = {"age": AGES, "kind": ["u", "v"] * (len(AGES) // 2)}
    predictor = PrivatePredictor("predict-by-vote:thresholds:age", 30, 900, schema=SCHEMA, models=3)
    predictor.fit(table, y=["yes" if turned or age >= 60 else "no" for age in AGES]).save(path)
    return path


def test_answers_of_another_bundle_are_not_its_own(tmp_path: Path) -> None:
    """One ledger, one key, the same question to two bundles: each answers from its own records, and is paid for it."""
    first = another(tmp_path / "first", turned=False)
    service, key = answering(first, tmp_path, SeededCoins(1), epsilon=900)
    turned = Answering(load(another(tmp_path / "second", turned=True)), service.store, SeededCoins(2))
    same = Answering(load(another(tmp_path / "third", turned=False)), service.store, SeededCoins(3))
    assert len({part.bundle.digest for part in (service, turned, same)}) == 3
    for number, (part, expected) in enumerate([(service, "no"), (turned, "yes"), (same, "no")]):
        (outcome,) = part.answer([ask(part, key, 5)])
        assert served_answers(outcome) == (expected,)
        assert isinstance(outcome, Reply)
        assert outcome.epsilon == 30
        assert service.store.account().spent.epsilon == 30 * (number + 1)
    for part, expected in [
        (service, "no"),
        (turned, "yes"),
        (same, "no"),
    ]:  # asked again, each remembers its own
        (outcome,) = part.answer([ask(part, key, 5)])
        assert served_answers(outcome) == (expected,)
        assert isinstance(outcome, Reply)
        assert outcome.epsilon == 0


def test_an_idempotency_key_speaks_of_one_bundle(tmp_path: Path) -> None:
    first = another(tmp_path / "first", turned=False)
    service, key = answering(first, tmp_path, SeededCoins(1), epsilon=900)
    turned = Answering(load(another(tmp_path / "second", turned=True)), service.store, SeededCoins(2))
    assert served_answers(service.answer([ask(service, key, 5, again="k")])[0]) == ("no",)
    (refused,) = turned.answer([ask(turned, key, 5, again="k")])
    assert isinstance(refused, Problem)
    assert refused.code == "idempotency_key_reused"
