"""`privpac warm`: what people learn most is compiled beforehand."""

from __future__ import annotations

import json

import pytest

from privpac.cli import main
from privpac.cli.warm import STEPS


def test_warming_twice_compiles_nothing_the_second_time(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert main(["warm", "thresholds", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert set(told) == {"kernels", "seconds"}
    assert told["kernels"] == 0


def test_several_words_are_compiled_side_by_side(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["warm", "stumps", "thresholds", "--json"]) == 0
    assert set(json.loads(capfd.readouterr().out)) == {"kernels", "seconds"}


def test_an_unknown_word_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warm", "forests"]) == 2
    problem = capsys.readouterr().err
    assert all(step.kind in problem for step in STEPS)
