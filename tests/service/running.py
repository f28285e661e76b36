"""A service as people run it: processes of its own, started by the command and stopped by a signal."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

MAIN = "import sys; from privpac.cli import main; sys.exit(main())"
PATIENCE = 240.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", MAIN, *arguments], capture_output=True, text=True, check=True
    )


@contextmanager
def running(
    bundle: Path, ledger: str, *options: str, log: Path | None = None
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Its address, once it is ready; told to stop at the end. Much that is logged needs a file: a pipe gets full."""
    port = free_port()
    arguments = ["serve", str(bundle), "--ledger", ledger, "--port", str(port), "--no-pages", *options]
    with ExitStack() as opened:
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if log is None else opened.enter_context(log.open("wb")),
            text=True,
            env=dict(os.environ),
        )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until_ready(url, process)
        yield url, process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def wait_until_ready(url: str, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        try:
            if asked(f"{url}/readyz")[0] == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the service did not start: {process.poll()}")


def asked(url: str, body: Any = None, key: str = "") -> tuple[int, dict[str, Any]]:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, content, headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read())
