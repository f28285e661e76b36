"""What is served has the law of the predictor; many requests in one transaction are many, not one."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import httpx
import pytest

from privpac import Ledger, PrivatePredictor
from privpac.coins import Coins, SeededCoins, law
from privpac.guarantee.budget import Budget
from privpac.guarantee.sql_store import SqlStore
from privpac.prediction.asked import Asked, draw
from privpac.prediction.bundle import load
from privpac.service import keys, migrating
from privpac.service.answering import Answering, Ask, Outcome, Reply
from privpac.service.problems import Problem
from privpac.service.rows import encoded
from tests.service.asking import AGES, SCHEMA, Served, row

NUMBERS = itertools.count()


def answering(bundle: Path, folder: Path, coins: Coins, *, epsilon: object = 10) -> tuple[Answering, str]:
    """A fresh ledger with one key, and what answers over it."""
    url = f"sqlite:///{folder / f'{next(NUMBERS)}.db'}"
    store = SqlStore.create(url, total=Budget.read("test", epsilon=epsilon))
    migrating.prepare(store, upgrade=True)
    key, _ = keys.create(store, role="analyst")
    return Answering(load(bundle), store, coins), key.id


def ask(service: Answering, key: str, *ages: int, again: str | None = None) -> Ask:
    cells = encoded([row(age) for age in ages], SCHEMA)
    return service.ask(cells, key=key, idempotency_key=again, digest=bytes(str(ages), "ascii"))


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
        cells = encoded([row(59), row(10), row(99)], SCHEMA)
        first, second, third = (SCHEMA.classes[label] for label in predictor_labels(predictor, cells))
        return (first, second), (second, third)

    def predictor_labels(predictor: object, cells: object) -> list[int]:
        asked = Asked.of(cells, predictor.offer.predictor)  # type: ignore[attr-defined,arg-type]
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
    cells = encoded([row(10)], SCHEMA)

    def run(coins: Coins) -> str:
        service, key = answering(made_bundle, tmp_path, coins)
        return served_answers(service.answer([ask(service, key, 10)])[0])[0]

    direct = law(lambda coins: int(prepared.answer(cells, coins)[0]))
    assert law(run) == {SCHEMA.classes[label]: chance for label, chance in direct.items()}
    assert len(direct) == 2


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
    spent = {found.id: found.spent for found in keys.listed(service.store)}
    assert spent == {key: Fraction(1), poor.id: Fraction(1, 2)}
    with service.store.reading() as connection:
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM answer").scalar() == 3
        entries = connection.exec_driver_sql("SELECT entry FROM request ORDER BY number").scalars().all()
    assert entries == [1, 2, 3]


def test_unpaid_answers_are_forgotten_and_drawn_again(made_bundle: Path, tmp_path: Path) -> None:
    """A refused question that is paid for later has coins of its own: the first draw leaves no trace."""
    service, key = answering(made_bundle, tmp_path, SeededCoins(5), epsilon="0.5")
    (refused,) = service.answer([ask(service, key, 1, 2)])
    assert isinstance(refused, Problem)
    with service.store.reading() as connection:
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM answer").scalar() == 0
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM request").scalar() == 0
    assert isinstance(service.answer([ask(service, key, 1)])[0], Reply)


def test_what_nobody_can_pay_for_is_not_drawn(made_bundle: Path, tmp_path: Path) -> None:
    """An empty budget must not be a way to keep the server busy."""

    class NoCoins(SeededCoins):
        def bits(self, count: int) -> int:
            raise AssertionError("a coin was tossed")

    service, key = answering(made_bundle, tmp_path, SeededCoins(1), epsilon="0.9")
    poor, _ = keys.create(service.store, role="analyst", epsilon="0.4")
    idle = Answering(service.bundle, service.store, NoCoins(1))
    with pytest.raises(AssertionError, match="coin"):  # the control
        idle.answer([ask(idle, key, 1)])
    (refused,) = idle.answer([ask(idle, poor.id, 1)])
    assert isinstance(refused, Problem)
    assert refused.code == "analyst_budget"
    assert isinstance(service.answer([ask(service, key, 1)])[0], Reply)
    known, refused = idle.answer([ask(idle, poor.id, 1), ask(idle, key, 2, 3)])
    assert isinstance(known, Reply)
    assert isinstance(refused, Problem)
    assert refused.code == "dataset_budget"


def test_what_another_process_answered_meanwhile_stays(made_bundle: Path, tmp_path: Path) -> None:
    """Between the look at known answers and the lock, somebody else answers: theirs counts and is free."""
    service, key = answering(made_bundle, tmp_path, SeededCoins(1))

    class Meddled(SeededCoins):
        done = False

        def flips(self, chances, picks):  # type: ignore[no-untyped-def]
            if not self.done:
                self.done = True
                with service.store.transact() as other:
                    other.connection.exec_driver_sql(
                        "INSERT INTO answer VALUES (?, ?, ?)", (service.bundle.digest, asked.asked.keys[0], 1)
                    )
            return super().flips(chances, picks)

    asked = ask(service, key, 10)
    meddled = Answering(service.bundle, service.store, Meddled(3))
    outcome = meddled.answer([asked])[0]
    assert served_answers(outcome) == (SCHEMA.classes[1],)
    assert isinstance(outcome, Reply)
    assert outcome.epsilon == 0
    assert str(service.store.account().spent) == "epsilon 0"


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
    predictor = PrivatePredictor("consistent:thresholds:age", 30, 900, schema=SCHEMA, models=3)
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
