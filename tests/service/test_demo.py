"""`privpac serve --demo`: what it makes answers, and the words it prints are a question that works."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from privpac.cli import main
from privpac.service.app import create_app
from privpac.service.demo import PRICE, make_demo
from privpac.service.settings import Settings
from tests.service.running import MAIN, PATIENCE, free_port, wait_until_ready


def test_the_printed_question_is_answered_and_charged_once(tmp_path: Path) -> None:
    demo = make_demo(tmp_path)
    words = demo.words("http://127.0.0.1:8000")
    body = json.loads(re.search(r"-d '(.*)'", words)[1])  # type: ignore[index]
    bearer = re.search(r"Authorization: (Bearer \S+)'", words)[1]  # type: ignore[index]
    with TestClient(create_app(Settings(str(demo.bundle), demo.ledger))) as client:
        replies = [client.post("/v1/predict", json=body, headers={"Authorization": bearer}) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [200, 200]
    assert [reply.json()["price"] for reply in replies] == [PRICE, "0"]


def test_a_demo_takes_nothing_else_and_a_service_needs_a_bundle(capsys: object) -> None:
    assert main(["serve", "bundle", "--demo"]) == 2
    assert main(["serve"]) == 2


@pytest.mark.long
def test_a_demo_that_ends_says_nothing_but_lines_of_json() -> None:
    """Ctrl-C as soon as it answers: no library complains about what it did not put away."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "serve", "--demo", "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until_ready(f"http://127.0.0.1:{port}", process)
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert [json.loads(line) for line in log.splitlines()]
