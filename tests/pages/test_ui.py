"""`privpac ui` as a process: it prints an address that works, on this machine alone."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from privpac.cli.app import run


@pytest.mark.long
def test_the_printed_address_opens_the_pages(tmp_path: Path) -> None:
    start = "from privpac.cli import main; main()"
    command = [sys.executable, "-c", start, "ui", "--no-browser", "--ledger", str(tmp_path / "l.sqlite")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=([0-9a-f]{32})", line)
        assert found is not None, line
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{found[1]}/plan", timeout=60)
        with urllib.request.urlopen(found[0], timeout=60) as answer:
            assert answer.status == 200
            assert "HttpOnly" in answer.headers["set-cookie"]
    finally:
        process.terminate()
        assert process.wait(timeout=30) is not None


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["--port", "70000"], "port"), (["--folder", "nowhere"], "folder"), (["--port", "-1"], "port")],
)
def test_wrong_options_are_sentences(
    arguments: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["ui", "--no-browser", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_a_port_that_is_taken_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        assert run(["ui", "--no-browser", "--port", str(other.getsockname()[1])]) == 2
    assert "a free port" in capsys.readouterr().err
