"""Web pages for people who do not use a terminal: plan, learn, certificate, budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

    from privpac.service.settings import Settings

__all__ = ["mount"]


def mount(app: FastAPI, settings: Settings) -> None:
    """Put the pages beside the API of a service (see `mounting`)."""
    # Here, since pages on one's own machine need no database.
    from privpac.service.pages.mounting import mount as mount_pages

    mount_pages(app, settings)
