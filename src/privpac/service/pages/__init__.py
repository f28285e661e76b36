"""Web pages for people who do not use a terminal: plan, learn, certificate, budget."""

from privpac.service.pages.mounting import mount

__all__ = ["mount"]
