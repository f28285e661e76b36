"""The process that listens: one worker here, or several that are started afresh (no fork, the same on every system)."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any

import uvicorn
from fastapi import FastAPI

from privpac.service.app import create_app
from privpac.service.serving import Service
from privpac.service.settings import Settings
from privpac.service.watch.logs import log_to_stderr
from privpac.service.watch.metrics import FOLDER

__all__ = ["SETTINGS", "run", "worker"]

SETTINGS = "PRIVPAC_SERVICE"
"""The environment variable through which workers learn their settings."""
GRACE_SECONDS = 30
"""How long requests that wait may take after the service was told to stop."""

HEALTH_SECONDS = 120
"""A worker that loads a large bundle on a busy machine is silent for long; it is not dead."""


def run(settings: Settings, service: Service | None = None) -> None:
    """Serve until told to stop (an interrupt or SIGTERM); whoever waits is answered first.

    `service` is what was opened already; several workers open their own.
    """
    if settings.workers == 1:
        log_to_stderr()
        uvicorn.run(create_app(settings, service=service), **_options(settings))
        return
    if service is not None:
        service.stop()
    folder = tempfile.mkdtemp(prefix="privpac-metrics-")
    os.environ |= {SETTINGS: settings.to_text(), FOLDER: folder}
    try:
        log_to_stderr()
        target = f"{__name__}:{worker.__name__}"
        uvicorn.run(target, factory=True, workers=settings.workers, **_options(settings))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def worker() -> FastAPI:
    """The application of one worker process."""
    log_to_stderr()
    return create_app(Settings.from_text(os.environ[SETTINGS]))


def _options(settings: Settings) -> dict[str, Any]:
    return {
        "host": settings.host,
        "port": settings.port,
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "timeout_graceful_shutdown": GRACE_SECONDS,
        "timeout_worker_healthcheck": HEALTH_SECONDS,
    }
