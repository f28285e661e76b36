"""SIGKILL of the whole service at random moments, on SQLite and PostgreSQL: exact money, nothing lost, nothing changed.

`PRIVPAC_KILLS=10` makes a longer run of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
import sqlalchemy as sa

from privpac import Ledger
from privpac.guarantee.ledger.budget import Cost
from privpac.guarantee.ledger.sql_store import SqlStore
from tests.slow.postgres import postgres
from tests.slow.service_kills import (
    PRICE,
    Client,
    Run,
    Server,
    clients,
    kill_and_restart,
    make_bundle,
    privpac,
)

KILLS = int(os.environ.get("PRIVPAC_KILLS", "2"))
ANSWERS = 400 + 200 * KILLS
"""How many questions the budget pays for."""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bundle(tmp_path_factory.mktemp("service") / "bundle")


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'ledger.db'}"
    else:
        with postgres() as url:
            yield url


def test_kills_lose_no_answer_and_charge_none_twice(bundle: Path, ledger: str) -> None:
    total = ANSWERS * PRICE
    Ledger.create(ledger, epsilon=total)
    token = privpac("keys", "create", "--role", "analyst", "--ledger", ledger)["key"]
    server = Server(bundle, ledger)
    run = Run(server, token)
    try:
        for job in kill_and_restart(run, total, kills=KILLS, seed=KILLS):
            job.result()
        check_replies(run)
        check_replayed(run)
        assert server.stop() in (0, -15)
    finally:
        server.kill()
    check_books(run, ledger, total)
    print(
        f"{KILLS} kills, {len(run.acknowledged)} replies, {ANSWERS} charged answers, {run.refusals} refusals, "
        f"{run.attempts} attempts; charged and not yet acknowledged at the kills: {list(map(str, run.unheard))}"
    )


NOTEBOOK = """
import sys
from privpac import Ledger
from privpac.errors import BudgetExceeded
ledger = Ledger.open(sys.argv[1])
while True:
    try:
        entry = ledger.charge(epsilon="0.05", note=f"notebook {sys.argv[2]}")
    except BudgetExceeded:
        break
    print(entry.hash, flush=True)
"""


def test_notebooks_and_a_killed_service_share_a_filter_and_never_exceed_it(bundle: Path, ledger: str) -> None:
    """(12, 1e-6): what they charge together adds up to far more than epsilon 12, and exactly fits the rho."""
    Ledger.create(ledger, epsilon=12, delta="1e-6", pure_epsilon=200)
    token = privpac("keys", "create", "--role", "analyst", "--ledger", ledger)["key"]
    run = Run(Server(bundle, ledger), token)
    notebooks = []
    try:
        run.server.start()
        with clients(run) as jobs:
            notebooks = [
                subprocess.Popen(
                    [sys.executable, "-c", NOTEBOOK, ledger, str(number)], stdout=subprocess.PIPE, text=True
                )
                for number in range(2)
            ]
            for number in range(KILLS):
                while run.paid < 2 + 2 * number and not all(job.done() for job in jobs):
                    time.sleep(0.01)
                run.server.kill()
                run.look()
                run.server.start()
            hashes = {
                line.strip() for book in notebooks for line in book.communicate(timeout=300)[0].splitlines()
            }
        for job in jobs:
            job.result()
        assert run.server.stop() in (0, -15)
    finally:
        run.server.kill()
        for book in notebooks:
            book.kill()
    check_replies(run)
    check_shared(run, Ledger.open(ledger), hashes)


def check_shared(run: Run, book: Ledger, hashes: set[str]) -> None:
    """The sums are those of the rows, each charge fitted, and not even one more answer does."""
    book.verify()
    account, entries = book.account(), book.entries()
    assert hashes == {entry.hash for entry in entries if entry.note.startswith("notebook")}
    assert sum((entry.rho for entry in entries), Fraction(0)) == account.spent.rho
    other = account.promises.approximate
    assert other is not None
    assert account.spent.rho <= other.rho
    assert account.spent.epsilon > other.epsilon  # adding would have ended it long before
    assert account.room(Cost.covering(PRICE)) == 0
    assert run.paid == sum((entry.epsilon for entry in entries if "key" in entry.note), Fraction(0))


def answers_of(run: Run) -> dict[int, str]:
    """The one answer every acknowledged question has."""
    found: dict[int, str] = {}
    for one in run.acknowledged:
        for age, answer in zip(one.rows, one.reply.answers, strict=True):
            assert found.setdefault(age, answer) == answer, "two answers to one question"
    return found


def check_replies(run: Run) -> None:
    """All keys differ, and no more was paid than there were different questions."""
    assert len({one.key for one in run.acknowledged}) == len(run.acknowledged)
    assert run.refusals >= 64  # everybody was sent away in the end
    assert run.paid == len(answers_of(run)) * PRICE


def check_replayed(run: Run) -> None:
    """Whoever sends again gets the very reply; whoever asks again gets the same answers for nothing."""
    with Client(run.server.url, run.token) as client:
        for one in run.acknowledged[:: max(1, len(run.acknowledged) // 200)]:
            again = client.predict([{"age": age} for age in one.rows], idempotency_key=one.key)
            assert again == one.reply
        known = answers_of(run)
        ages = list(known)
        for start in range(0, len(ages), 500):
            some = ages[start : start + 500]
            reply = client.predict([{"age": age} for age in some])
            assert reply.price == 0
            assert list(reply) == [known[age] for age in some]
        assert client.budget()["left"]["answers"] == 0


def check_books(run: Run, ledger: str, total: Fraction) -> None:
    """The run stopped exactly on the limit, and every row of every table belongs to an answer."""
    book = Ledger.open(ledger)
    book.verify()
    entries = book.entries()
    assert sum((entry.epsilon for entry in entries), Fraction(0)) == book.spent.epsilon == total
    with SqlStore.open(ledger).reading() as connection:
        answers = connection.scalar(sa.text("SELECT count(*) FROM answer"))
        charged = (
            connection.execute(sa.text("SELECT entry FROM request WHERE entry IS NOT NULL")).scalars().all()
        )
        requests = connection.execute(sa.text("SELECT idempotency_key FROM request")).scalars().all()
    assert answers == ANSWERS
    assert len(answers_of(run)) == ANSWERS  # all were acknowledged in the end: lost replies were sent again
    assert sorted(charged) == list(range(1, len(entries) + 1))
    keys = [key for key in requests if key is not None]
    assert len(set(keys)) == len(keys)
    assert {one.key for one in run.acknowledged} <= set(keys)
