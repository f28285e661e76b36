"""Keys: shown once, kept as hashes, with budgets that move only from where they were."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from privpac.cli.app import app
from privpac.errors import ParameterError
from privpac.guarantee.ledger.budget import Cost
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.service.access import keys
from privpac.service.access.keys import Presented
from privpac.service.store import migrating
from privpac.service.store.tables import API_KEY


@pytest.fixture
def store(tmp_path: Path) -> SqlStore:
    made = SqlStore.create(f"sqlite:///{tmp_path / 'ledger.db'}", promises=Promises(Fraction(1)))
    migrating.prepare(made, upgrade=True)
    return made


def found(store: SqlStore, text: str) -> keys.Key | None:
    presented = Presented.read(text)
    assert presented is not None
    with store.reading() as connection:
        return keys.find(connection, presented)


def test_a_key_opens_and_its_neighbour_does_not(store: SqlStore) -> None:
    key, text = keys.create(store, role="analyst", name="ann", epsilon="0.1")
    assert found(store, text) == key
    last = "0" if text[-1] != "0" else "1"
    assert found(store, text[:-1] + last) is None
    _, other = keys.create(store, role="owner")
    assert found(store, text.rpartition("_")[0] + "_" + other.rpartition("_")[2]) is None


def test_the_secret_is_nowhere_in_the_file(store: SqlStore, tmp_path: Path) -> None:
    _, text = keys.create(store, role="analyst")
    secret = text.rpartition("_")[2]
    store.close()
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert secret.encode() not in content
        assert bytes.fromhex(secret) not in content


def test_secrets_do_not_repeat_and_are_long(store: SqlStore) -> None:
    texts = {keys.create(store, role="analyst")[1] for _ in range(20)}
    assert len({text.rpartition("_")[2] for text in texts}) == 20
    assert all(len(text.rpartition("_")[2]) == 64 for text in texts)


def test_a_revoked_key_does_not_open_and_cannot_be_revoked_again(store: SqlStore) -> None:
    key, text = keys.create(store, role="analyst")
    keys.revoke(store, key.id)
    assert found(store, text) is None
    for identity in (key.id, "nothing", "' OR '1'='1"):
        with pytest.raises(ParameterError, match="keys list"):
            keys.revoke(store, identity)


def test_spending_moves_only_from_where_it_was(store: SqlStore) -> None:
    key, _ = keys.create(store, role="analyst", epsilon=1)
    for expected, amount in ((True, Fraction(1, 3)), (False, Fraction(1, 2))):
        with store.transact() as transaction:
            assert keys.spend(transaction.connection, key, spent=Cost(amount)) == expected
    assert keys.listed(store)[0].left == Fraction(2, 3)


def many(store: SqlStore, count: int) -> None:
    """Made in few different seconds, so that many were made in the same one."""
    rows = [
        {
            "id": f"{i * 7919 % count:012x}",
            "name": "",
            "role": "analyst",
            "salt": b"",
            "hash": b"",
            "created": f"2026-01-01T00:00:{i % 3:02d}+00:00",
            "revoked": None,
            "epsilon_total": None,
            "epsilon_spent": "0",
        }
        for i in range(count)
    ]
    with store.transact() as transaction:
        transaction.connection.execute(sa.insert(API_KEY), rows)


def test_pages_of_keys_hold_every_key_once(store: SqlStore) -> None:
    many(store, 250)
    pages, after = list[list[str]](), None
    while page := [key.id for key in keys.listed(store, after=after, most=100)]:
        pages.append(page)
        after = page[-1]
    assert [len(page) for page in pages] == [100, 100, 50]
    assert [one for page in pages for one in page] == [key.id for key in keys.listed(store)]
    with pytest.raises(ParameterError, match="the id of a key"):
        keys.listed(store, after="nothing")


def test_ten_thousand_keys_are_listed_a_page_at_a_time(store: SqlStore) -> None:
    many(store, 10_000)
    begin = time.process_time()
    plain = CliRunner().invoke(app(), ["keys", "list", "--ledger", store.where])
    assert len(plain.stdout.splitlines()) == 101
    last = plain.stdout.splitlines()[-1].split()[0]
    assert f"privpac keys list --after {last}" in plain.stderr
    again = CliRunner().invoke(
        app(), ["keys", "list", "--ledger", store.where, "--after", last, "--limit", "3", "--json"]
    )
    assert len(json.loads(again.stdout)) == 3
    assert time.process_time() - begin < 10
    assert keys.key_of(store, last) is not None
    assert keys.key_of(store, "nothing") is None
    assert keys.any_in_use(store)


@pytest.mark.parametrize(
    "wrong", [{"role": "king"}, {"role": "owner", "name": "a\nb"}, {"role": "owner", "epsilon": -1}]
)
def test_wrong_wishes_are_refused(store: SqlStore, wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        keys.create(store, **wrong)  # type: ignore[arg-type]
    assert keys.listed(store) == []


def test_the_command_line_makes_lists_and_revokes(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'fresh.db'}"
    SqlStore.create(url, promises=Promises(Fraction(1)))
    run = CliRunner()
    options = ["--ledger", url, "--json"]
    made = run.invoke(
        app(), ["keys", "create", "--role", "analyst", "--name", "ann", "--epsilon", "0.5", *options]
    )
    assert made.exit_code == 0, made.output
    key = json.loads(made.stdout)
    assert found(SqlStore.open(url), key["key"]) is not None
    listed = json.loads(run.invoke(app(), ["keys", "list", *options]).stdout)
    assert [entry["name"] for entry in listed] == ["ann"]
    assert "key" not in listed[0]
    plain = run.invoke(app(), ["keys", "list", "--ledger", str(tmp_path / "fresh.db")])
    assert key["id"] in plain.stdout
    assert key["key"] not in plain.stdout
    assert run.invoke(app(), ["keys", "revoke", key["id"], "--ledger", url]).exit_code == 0
    assert found(SqlStore.open(url), key["key"]) is None
