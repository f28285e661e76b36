"""Notebooks show what the code of today gives: every one is run, and its outputs are those in the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from examples.notebooks import executed, notebooks, text_of


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_outputs_are_those_of_today(path: Path) -> None:
    stored = path.read_text(encoding="utf-8")
    assert text_of(executed(json.loads(stored))) == stored, "run `python -m examples.notebooks`"
