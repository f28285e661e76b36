"""Gone: `privpac.former` says where its names are."""

from __future__ import annotations

from privpac.former import former_names

__all__: list[str] = []

__getattr__ = former_names(__name__)
