"""The process that listens: one worker here, or several that are started afresh (no fork, the same on every system)."""

from __future__ import annotations

import errno
import gc
import os
import socket
from functools import partial
from typing import cast

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from privpac.errors import ParameterError
from privpac.service.app import create_app
from privpac.service.connections import Connection
from privpac.service.serving import Service
from privpac.service.settings import OWNER, Settings
from privpac.service.watch.logs import log_to_stderr
from privpac.service.watch.metrics import FOLDER, metric_folder

__all__ = ["SETTINGS", "listen", "run", "worker"]

SETTINGS = "PRIVPAC_SERVICE"
"""The environment variable through which workers learn their settings."""
GRACE_SECONDS = 30
"""How long requests that wait may take after the service was told to stop."""
BACKLOG = 2048

HEALTH_SECONDS = 120
"""A worker that loads a large bundle on a busy machine is silent for long; it is not dead."""


def listen(settings: Settings) -> socket.socket:
    """The socket of a service, before anything else is opened: refused if somebody else has the address."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=BACKLOG)
    except OSError as problem:
        in_use = problem.errno == errno.EADDRINUSE
        requirement = (
            "a port that nobody listens on" if in_use else "an address of this machine that may be used"
        )
    where = f"{settings.host}:{settings.port}"
    raise ParameterError(
        OWNER, "port", where, allowed=requirement, remedy="Give another --port, or --port 0 for any."
    )


def run(settings: Settings, service: Service, listening: socket.socket) -> None:
    """Serve until told to stop (an interrupt or SIGTERM); whoever waits is answered first.

    `service` is what was opened already; several workers open their own.
    """
    log_to_stderr()
    if settings.workers == 1:
        app = create_app(settings, service=service)
        _settle()
        try:
            uvicorn.Server(_config(app, settings)).run(sockets=[listening])
        finally:
            gc.unfreeze()  # else what is never collected is complained about, in lines that are no JSON
        return
    service.stop()
    with metric_folder() as folder:
        os.environ |= {SETTINGS: settings.to_text(), FOLDER: str(folder)}
        target = f"{__name__}:{worker.__name__}"
        listening.set_inheritable(True)
        Multiprocess(_config(target, settings), sockets=[listening]).run()


def worker() -> FastAPI:
    """The application of one worker process."""
    log_to_stderr()
    app = create_app(Settings.from_text(os.environ[SETTINGS]))
    _settle()
    return app


def _settle() -> None:
    """What is there now stays: no search for unused objects needs to walk through all of it again and again."""
    gc.collect()
    gc.freeze()


def _config(app: FastAPI | str, settings: Settings) -> uvicorn.Config:
    connection = cast(type[Connection], partial(Connection, limits=settings.limits))
    return uvicorn.Config(
        app,
        factory=isinstance(app, str),
        workers=settings.workers,
        host=settings.host,
        port=settings.port,
        http=connection,
        ws="none",
        backlog=BACKLOG,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=max(1, round(settings.limits.idle_seconds)),
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_worker_healthcheck=HEALTH_SECONDS,
    )
