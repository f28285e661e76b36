"""Where something happened that nobody foresaw: all that may be said of it, for its own words may quote records."""

from __future__ import annotations

import os
import traceback

__all__ = ["place_of"]

PACKAGE = __name__.partition(".")[0]


def place_of(fault: BaseException) -> str:
    """The last line of the package's own code that the fault came through, or else of anybody's.

    A frame is the package's own by the name of its module. Its path says where somebody keeps the sources, and any
    folder may be called privpac.
    """
    frames = list(traceback.walk_tb(fault.__traceback__))
    ours = [frame for frame in frames if str(frame[0].f_globals.get("__name__")).split(".")[0] == PACKAGE]
    if not frames:  # it was handed over, and never raised
        return "an unknown place"
    frame, line = (ours or frames)[-1]
    return f"{os.path.basename(frame.f_code.co_filename)}, line {line}"
