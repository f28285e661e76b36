"""Faults in how numbers are drawn: no law of a tiny domain shows them, so each names the check that must fail.

A fault is planted in the very function that ships, by changing one piece of its text; a check that holds without it
must fail with it.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType

import pytest

from privpac.coins.tosses import BitCoins
from privpac.concepts.trees.mixture import PartWeights
from privpac.mechanisms.gibbs import MixtureWeights, PowerWeights
from tests.unit import test_coins
from tests.unit.concepts.trees import test_mixture
from tests.unit.mechanisms import test_gibbs


@dataclass(frozen=True)
class KernelFault:
    """`wrong` instead of `right` in the method `name` of `owner`, and what must notice it."""

    owner: type
    name: str
    right: str
    wrong: str
    check: Callable[[], None]

    def plant(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Until the end of the test."""
        honest: FunctionType = vars(self.owner)[self.name]
        source = textwrap.dedent(inspect.getsource(honest))
        assert source.count(self.right) == 1, f"{self.right!r} is no longer in {honest.__qualname__}"
        space: dict[str, FunctionType] = {}
        exec(
            "from __future__ import annotations\n" + source.replace(self.right, self.wrong),
            honest.__globals__,
            space,
        )
        monkeypatch.setattr(self.owner, self.name, space[self.name])


def _ties() -> None:
    for digits, rest in test_coins.TIED:
        test_coins.test_flips_that_tie_in_64_digits_are_decided_by_the_digits_beyond(digits, rest)


def _ends() -> None:
    test_coins.test_flips_that_tie_with_a_chance_that_ends_are_tails_and_a_chance_of_one_is_heads()


def _dropped_terms() -> None:
    test_gibbs.TestFloats().test_dropped_terms_are_in_the_bound()


def _dropped_parts() -> None:
    test_gibbs.TestFloats().test_dropped_parts_of_a_mixture_are_in_the_bound()


def _dropped_trees() -> None:
    test_mixture.test_parts_that_floats_drop_are_in_the_bound(2**950)
    test_mixture.test_parts_that_floats_drop_are_in_the_bound(2**880)


TIE = "self.flip(products[which[i]] - digits[which[i]])"

KERNEL_FAULTS: dict[str, KernelFault] = {
    "a tie of 64 digits is heads": KernelFault(BitCoins, "flips", TIE, "True", _ties),
    "a tie of 64 digits is tails": KernelFault(BitCoins, "flips", TIE, "False", _ties),
    "a tie of 64 digits is tossed afresh": KernelFault(
        BitCoins, "flips", TIE, "self.flip(chances[which[i]])", _ties
    ),
    "a chance of 1 may fail": KernelFault(BitCoins, "flips", "words == edges", "words > edges", _ends),
    "dropped scores weigh nothing": KernelFault(
        PowerWeights, "floats", "_at_least(near.beyond >> shift)", "0.0", _dropped_terms
    ),
    "dropped parts weigh nothing": KernelFault(
        MixtureWeights, "floats", "float(rest / largest)", "0.0", _dropped_parts
    ),
    "dropped parts of trees weigh nothing": KernelFault(
        PartWeights,
        "floats",
        "loss += 1.01 * self.shares[i] * mass * SMALLEST_POWER",
        "loss += 0.0",
        _dropped_trees,
    ),
}
