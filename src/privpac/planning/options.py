"""Every way to learn that the library has, one row each, as the catalogue finds them in `options.py` of each family."""

from __future__ import annotations

from privpac.constructions import catalogue
from privpac.constructions.option import Need, Option

__all__ = ["OPTIONS", "Need", "Option"]

OPTIONS: tuple[Option, ...] = catalogue.options()
