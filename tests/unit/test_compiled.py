"""Kernels: compiled when first called, the same bits without the compiler, and a word where a person would wait."""

from __future__ import annotations

import copy
import logging
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from privpac import compiled
from privpac.compiled import COMPILING, Watch, interpreted, plainly
from privpac.mechanisms import gibbs


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_person_is_told_once_when_compiling_takes_long(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    watch = Watch(clock)
    with caplog.at_level(logging.WARNING):
        watch.begin()
        clock.now = 1.9
        watch.begin()  # on behalf of the first
        watch.end()
        watch.end()
        clock.now = 100.0  # work in between is not compiling
        watch.begin()
        assert not caplog.messages
        clock.now = 100.2
        watch.begin()
        watch.begin()
    assert caplog.messages == [COMPILING]


def test_a_kernel_is_sent_by_its_name() -> None:
    assert copy.copy(gibbs._powers) is gibbs._powers


@pytest.mark.parametrize("ratio", [Fraction(2, 3), Fraction(999, 1000), Fraction(1, 10**30), Fraction(1)])
def test_the_interpreter_gives_the_bits_of_the_kernel(ratio: Fraction) -> None:
    high = float(ratio)
    arguments = high, float(ratio - Fraction(high)), 3000, 2.0**-900
    assert interpreted(gibbs._powers)(*arguments).tobytes() == gibbs._powers(*arguments).tobytes()


def test_numpy_works_until_the_compiler_would_have_been_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch()
    monkeypatch.setattr(compiled, "WATCH", watch)
    monkeypatch.setattr(compiled, "PLAIN", 100)
    monkeypatch.setattr(compiled, "_plain", 0)
    monkeypatch.setattr(compiled, "_compiler", type("Unused", (), {"cache_info": lambda: Info(0)}))
    assert [plainly(60), plainly(60), plainly(40), plainly(1)] == [True, False, True, False]
    monkeypatch.setattr(compiled, "_plain", 0)
    monkeypatch.setattr(compiled, "_compiler", type("Used", (), {"cache_info": lambda: Info(1)}))
    assert not plainly(1)
    watch.begin()
    watch.end()  # the kernels are not compiled yet, so that loading them takes longer
    assert [plainly(250), plainly(150), plainly(1)] == [True, True, False]


class Info:
    def __init__(self, currsize: int) -> None:
        self.currsize = currsize


LEARN = """
import sys, privpac
from privpac.data.schema import Schema
columns = [{"name": f"c{i}", "kind": "numeric", "lower": 0, "upper": 9, "integer": True} for i in range(30)]
table = {f"c{i}": [(k * (i + 3)) % 10 for k in range(569)] for i in range(30)}
table["y"] = [int(v >= 5) for v in table["c1"]]
privpac.learn(table, schema={"label": "y", "columns": columns}, epsilon=1)
print(sorted({"numba", "sklearn", "pandas", "scipy"} & sys.modules.keys()))
"""


def test_a_small_table_is_learnt_from_without_the_compiler() -> None:
    run = subprocess.run([sys.executable, "-c", LEARN], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["[]"]
    assert run.stderr == "" or "Compiling" not in run.stderr


def test_popcount_is_the_number_of_bits() -> None:
    assert compiled.popcount(np.uint64(2**64 - 1)) == 64
