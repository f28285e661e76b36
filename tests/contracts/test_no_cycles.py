"""No module needs, directly or through others, one that needs it: not even where the import waits in a function."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest


def needs() -> dict[str, set[str]]:
    """Without the root: it holds the public names, loads them on first use, and is imported for its version."""
    graph = grimp.build_graph("privpac", cache_dir=None)
    return {
        module: graph.find_modules_directly_imported_by(module) - {"privpac"}
        for module in graph.modules - {"privpac"}
    }


def test_imports_have_no_cycle_even_lazily() -> None:
    TopologicalSorter(needs()).prepare()  # a CycleError names the modules


def test_a_cycle_would_be_found() -> None:
    known = needs()
    known["privpac.planning.table"] |= {"privpac.planning.making"}
    with pytest.raises(CycleError):
        TopologicalSorter(known).prepare()
