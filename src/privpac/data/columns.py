"""The kinds of columns, by the word a schema file uses for them."""

from __future__ import annotations

from privpac.data.boolean import Boolean
from privpac.data.categorical import Categorical
from privpac.data.column import Column
from privpac.data.date import Date
from privpac.data.numeric import RESOLUTION, Numeric

__all__ = ["KINDS", "RESOLUTION", "Boolean", "Categorical", "Column", "Date", "Numeric"]

KINDS: dict[str, type[Column]] = {kind.kind: kind for kind in (Numeric, Categorical, Boolean, Date)}
