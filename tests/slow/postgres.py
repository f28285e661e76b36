"""A PostgreSQL server of our own, in a temporary folder, for as long as a test needs it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.places import TEMPORARY

__all__ = ["Server", "postgres", "postgres_server"]


def _tool(name: str) -> str:
    """A server's program; distributions keep them off the path."""
    found = shutil.which(name)
    if found:
        return found
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    assert places, f"PostgreSQL is not installed: there is no {name}"
    return str(places[-1])


def _as_server(command: list[str]) -> list[str]:
    """The server refuses to run as root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Server:
    """A database server that can be made to crash."""

    folder: str
    port: int

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://tester@127.0.0.1:{self.port}/postgres"

    def _control(self, *arguments: str, check: bool = True) -> None:
        control = [_tool("pg_ctl"), "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log"]
        subprocess.run(_as_server([*control, *arguments]), check=check, capture_output=True)

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        self._control("-o", options, "start")

    def crash(self) -> None:
        """All its processes end at once, without a checkpoint; the next start recovers from the log."""
        self._control("-m", "immediate", "stop", check=False)


@contextmanager
def postgres_server() -> Iterator[Server]:
    """A fresh server with an empty database."""
    folder = tempfile.mkdtemp(prefix="pg-", dir=TEMPORARY)  # the server's own user must be able to enter it
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    server = Server(folder, _free_port())
    init = [
        _tool("initdb"),
        "-D",
        f"{folder}/data",
        "-U",
        "tester",
        "--auth=trust",
        "-E",
        "UTF8",
        "--no-sync",
    ]
    subprocess.run(_as_server(init), check=True, capture_output=True)
    server.start()
    try:
        yield server
    finally:
        server.crash()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def postgres() -> Iterator[str]:
    """The address of a fresh, empty database."""
    with postgres_server() as server:
        yield server.url
