"""`privpac ui`: the web pages on one's own machine."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.options import count, file, flag, option
from privpac.errors import MissingExtra, ParameterError

__all__ = ["ui"]

HOST = "127.0.0.1"
LEDGER = "ledger.sqlite"


def ui(
    *,
    port: Annotated[int, count("Port on 127.0.0.1; 0 takes a free one.")] = 0,
    ledger: Annotated[
        str, file("The ledger to show and charge; made on the page if it does not exist.")
    ] = LEDGER,
    folder: Annotated[
        str | None, option("DIR", "Tables and models in it may be opened without uploading them.")
    ] = None,
    browser: Annotated[bool, flag("--browser/--no-browser", "Open a browser.")] = True,
    as_json: Json = False,
) -> None:
    """Plan, learn and check in a browser, on this machine alone.

    The address that is printed holds a token that works once: other users of the machine cannot use the pages, and
    neither can web sites that are open in the same browser.
    """
    if not 0 <= port <= 65_535:
        raise ParameterError("ui", "port", port, allowed="a number from 0 to 65535")
    if folder is not None and not Path(folder).is_dir():
        raise ParameterError("ui", "folder", folder, allowed="an existing folder")
    try:
        import uvicorn

        from privpac.service.pages.budget.books import FileBooks
        from privpac.service.pages.place import Place
        from privpac.service.pages.site import pages_app
        from privpac.service.pages.visitors import TokenGate
    except ModuleNotFoundError:
        raise MissingExtra("The server of the web pages", "serve") from None

    with contextlib.closing(_bound(port)) as listening:
        port_in_use = listening.getsockname()[1]
        gate = TokenGate()
        place = Place(
            gate,
            FileBooks(Path(ledger)),
            folder=None if folder is None else Path(folder),
            hosts=frozenset({f"{HOST}:{port_in_use}", f"localhost:{port_in_use}"}),
        )
        address = f"http://{HOST}:{port_in_use}/?token={gate.token}"
        text = f"privpac is at {address}\nStop it with Ctrl-C."
        console.show_result({"address": address}, text, as_json=as_json)
        sys.stdout.flush()
        if browser:
            with contextlib.suppress(webbrowser.Error):
                webbrowser.open(address)
        config = uvicorn.Config(pages_app(place), log_level="warning", access_log=False, server_header=False)
        uvicorn.Server(config).run(sockets=[listening])


def _bound(port: int) -> socket.socket:
    """A socket that listens on this machine only, taken before the address is printed."""
    listening = socket.socket()
    if os.name == "posix":  # elsewhere it would let two programs share a port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()  # a browser may be faster than the server
    except OSError as problem:
        listening.close()
        raise ParameterError(
            "ui",
            "port",
            port,
            allowed=f"a free port ({problem.strerror})",
            remedy="Leave it out for any free one.",
        ) from None
    return listening
