"""The time of a line is what the standard library would write."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.service.watch.observing import now


@given(st.integers(0, 4_000_000_000_000))
def test_milliseconds_of_any_moment(milliseconds: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time_ns", lambda: milliseconds * 1_000_000 + 999_999)
        told = now()
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC).replace(microsecond=milliseconds % 1000 * 1000)
    assert told == moment.isoformat(timespec="milliseconds")
