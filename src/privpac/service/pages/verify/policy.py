"""What browsers let the Verify page do, wherever it is served from."""

from __future__ import annotations

__all__ = ["POLICY"]

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; connect-src 'self'; "
    "style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
)
"""What a browser lets the page do. Workers come from blobs, which inherit it on whatever server the page lies; a worker
from a file would obey that server's headers alone."""
