"""A fault is told by its place in the package, whatever the folders around it are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest

from privpac.faults import place_of


def _function(source: str, *, path: str, module: str, **names: object) -> Callable[[], None]:
    """A function as if it stood in that file of that module."""
    space = {"__name__": module, **names}
    exec(compile(source, path, "exec"), space)
    return cast(Callable[[], None], space["call"])


@pytest.mark.parametrize("module", ["tests.service", "privpacs.own", "privpac_tools", "__main__"])
def test_the_place_of_a_fault_is_asked_of_the_module_and_not_of_the_path(module: str) -> None:
    """In a folder called privpac every path says so, of tests and of other packages too."""
    broken = _function(
        "def call():\n raise RuntimeError", path="/srv/privpac/.venv/privpac/theirs.py", module=module
    )
    own = _function(
        "\ndef call():\n broken()", path="/elsewhere/ours.py", module="privpac.prediction.ours", broken=broken
    )
    with pytest.raises(RuntimeError) as caught:
        own()
    assert place_of(caught.value) == "ours.py, line 3"
    with pytest.raises(RuntimeError) as caught:
        broken()
    assert place_of(caught.value) == "theirs.py, line 2"


def test_a_fault_that_was_never_raised_has_no_place() -> None:
    assert place_of(RuntimeError("private")) == "an unknown place"
