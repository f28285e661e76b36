"""What browsers let the Verify page do, wherever it is opened."""

from __future__ import annotations

__all__ = ["POLICY"]

POLICY = (
    "default-src 'none'; script-src 'self'; worker-src blob:; style-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'"
)
"""What a browser lets the page do: it connects to nothing, not even to where it came from. The worker comes from a
blob, which inherits this wherever the page lies; a worker from a file would obey a server's headers alone."""
