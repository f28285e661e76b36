"""A PostgreSQL server of our own, in a temporary folder, for as long as a test needs it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["postgres"]


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


@contextmanager
def postgres() -> Iterator[str]:
    """The address of a fresh, empty database."""
    folder = tempfile.mkdtemp(prefix="pg-")
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    data, port = f"{folder}/data", _free_port()
    init = [_tool("initdb"), "-D", data, "-U", "tester", "--auth=trust", "-E", "UTF8", "--no-sync"]
    subprocess.run(_as_server(init), check=True, capture_output=True)
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    control = [_tool("pg_ctl"), "-D", data, "-w", "-l", f"{folder}/log"]
    subprocess.run(_as_server([*control, "-o", options, "start"]), check=True, capture_output=True)
    try:
        yield f"postgresql+psycopg://tester@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run(_as_server([*control, "-m", "immediate", "stop"]), check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)
