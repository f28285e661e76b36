"""One profile for all property tests: the same examples in every run, and no clock, since machines are busy."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("steady")
