"""What a user names as MODULE:NAME."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

from privpac.errors import ParameterError, PrivpacError

__all__ = ["imported"]


def imported(text: str, *, owner: str, parameter: str) -> tuple[Any, Any]:
    """The module and the object; the current folder is searched first, as `python -m` does."""
    module, _, name = text.partition(":")

    def wrong(requirement: str) -> ParameterError:
        return ParameterError(owner, parameter, text, allowed=requirement)

    if not module or not name:
        raise wrong("of the form MODULE:NAME")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        value = import_module(module)
    except ModuleNotFoundError as problem:
        if problem.name is not None and module.split(".")[0] == problem.name.split(".")[0]:
            raise wrong("a module that can be imported from this folder") from None
        raise PrivpacError(f"{module!r} needs the module {problem.name!r}, which is not installed.") from None
    except Exception as problem:
        raise PrivpacError(
            f"{module!r} cannot be imported: it raised a {type(problem).__name__}.",
            remedy=f"Try: python -c 'import {module}'.",
        ) from None
    if not hasattr(value, name):
        raise wrong(f"the name of something in {module!r}")
    return value, getattr(value, name)
