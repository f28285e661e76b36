"""`privpac serve` with processes of its own: workers share one budget, a signal ends it after everyone was answered."""

from __future__ import annotations

import json
import signal
import socket
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from privpac import Ledger
from privpac.cli.app import app
from privpac.errors import ParameterError
from privpac.service.watch.metrics import metric_folder
from tests.service.asking import row
from tests.service.running import PATIENCE, asked, command, running


@pytest.mark.long
def test_two_workers_share_one_budget_and_stop_when_told(made_bundle: Path, tmp_path: Path) -> None:
    """Twenty questions, room for twelve; questions that wait when the signal comes are answered or never charged."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    with running(made_bundle, url, "--epsilon", "6", "--workers", "2") as (address, process):
        key = json.loads(command("keys", "create", "--role", "analyst", "--ledger", url, "--json").stdout)[
            "key"
        ]

        def ask(age: int) -> tuple[int, dict[str, object]]:
            return asked(f"{address}/v1/predict", {"rows": [row(age)], "idempotency_key": f"k{age}"}, key)

        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(ask, range(20)))
            paid = [age for age, (status, _) in enumerate(replies) if status == 200]
            assert len(paid) == 12
            assert {status for status, _ in replies} == {200, 429}
            again = list(pool.map(ask, paid))
            assert [reply for _, reply in again] == [replies[age][1] for age in paid]
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert f"Answers at {address}/v1/predict" in out
    lines = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
    assert sum(line.get("route") == "/v1/predict" for line in lines) == 32
    assert key.rpartition("_")[2] not in err
    book = Ledger.open(tmp_path / "ledger.db")
    book.verify()
    assert str(book.left) == "epsilon 0"
    assert len(book.entries()) == 12


@pytest.mark.parametrize(
    ("options", "mentions"),
    [
        (["--ledger", "sqlite:///nowhere.db"], "Add --epsilon TOTAL"),
        ([], "Add --ledger sqlite:///ledger.db"),
        (["--ledger", "sqlite:///x.db", "--epsilon", "-1"], "epsilon"),
        (["--ledger", "mysql://me:hunter2@host/db"], "postgresql+psycopg"),
        (["--host", "0.0.0.0", "--pages", "--ledger", "x.db"], "--no-pages"),
        (["--workers", "0", "--ledger", "x.db"], "workers"),
        (["--max-rows", "0", "--ledger", "x.db"], "rows"),
    ],
)
def test_what_is_wrong_is_said_before_anything_listens(
    made_bundle: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    mentions: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app(), ["serve", str(made_bundle), *options])
    assert result.exit_code != 0
    assert mentions in str(result.exception)
    assert "hunter2" not in str(result.exception)
    assert not list(tmp_path.glob("*.db"))


def test_a_port_in_use_is_said_in_one_sentence_before_anything_else(
    made_bundle: Path, tmp_path: Path
) -> None:
    ledger = tmp_path / "ledger.db"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        arguments = [
            "serve",
            str(made_bundle),
            "--ledger",
            str(ledger),
            "--epsilon",
            "1",
            "--port",
            str(port),
        ]
        result = CliRunner().invoke(app(), arguments)
    assert isinstance(result.exception, ParameterError)
    assert result.exception.exit_code == 2
    assert f"port is '127.0.0.1:{port}', but must be a port that nobody listens on" in str(result.exception)
    assert "Answers at" not in result.output
    assert not ledger.exists()


def test_an_address_of_another_machine_is_said(made_bundle: Path, tmp_path: Path) -> None:
    arguments = [
        "serve",
        str(made_bundle),
        "--ledger",
        str(tmp_path / "x.db"),
        "--host",
        "192.0.2.1",
        "--no-pages",
    ]
    result = CliRunner().invoke(app(), arguments)
    assert "an address of this machine that may be used" in str(result.exception)


def test_folders_of_killed_services_are_removed_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    abandoned = tmp_path / "privpac-metrics-killed"
    abandoned.mkdir()
    (abandoned / "in-use").touch()
    with metric_folder() as living:
        assert not abandoned.exists()
        with metric_folder() as second:
            assert living.exists()
            assert second != living
        assert not second.exists()
    assert not living.exists()


def test_a_folder_that_is_no_bundle_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app(), ["serve", str(tmp_path), "--ledger", str(tmp_path / "x.db"), "--epsilon", "1"]
    )
    assert result.exit_code != 0
    assert not (tmp_path / "x.db").exists()
