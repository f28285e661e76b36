"""How a service carries the pages: behind its API keys, over its ledger and its bundle."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

__all__ = ["mount"]


def mount(app: FastAPI, settings: Any) -> None:
    """Put the pages under everything the service does not answer itself."""
    from privpac.service.pages.place import Place
    from privpac.service.pages.site import pages_app
    from privpac.service.pages.visitors import KeyGate

    app.mount("/", pages_app(Place(KeyGate(lambda key: None, lambda name: None))))
