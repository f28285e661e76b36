"""Nobody but `releasing` charges a ledger for a release or takes coins for one: read off the source, not believed.

Two kinds of calls are looked for in every module: those that spend, and those that make coins. Each may stand only in
the modules named here, each with its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import privpac

SOURCE = Path(privpac.__file__).parent

MAY_CHARGE = {
    "releasing.py": "the one way out",
    "guarantee/ledger/ledger.py": "what a charge is",
    "service/answering.py": "charges and keeps answers in one transaction of the ledger's database",
}

MAY_MAKE_COINS = {
    "coins.py": "what coins are",
    "releasing.py": "the one way out",
    "asking.py": "draws whom to ask, without a look at any record",
    "estimators/stable.py": "stability is no privacy loss: there is nothing to charge",
    "audit/sample.py": "plays the attacker against made-up records",
    "audit/one_run.py": "plays the attacker against made-up records",
    "prediction/bundle.py": "a bundle's identity, and coins for its predictor, which pays through `releasing`",
    "service/settings.py": "a token",
    "service/keys.py": "API keys",
    "service/serving.py": "coins for `answering`",
    "service/pages/drawers.py": "names of drawers",
}

SPENDING = {"charge", "Charge"}
COINS = {"SystemCoins", "coins_for"}


def called(tree: ast.AST) -> Iterator[str]:
    """The last name of everything that is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    yield name


def callers(names: set[str]) -> set[str]:
    return {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if names & set(called(ast.parse(path.read_text(encoding="utf-8"))))
    }


@pytest.mark.parametrize(("names", "allowed"), [(SPENDING, MAY_CHARGE), (COINS, MAY_MAKE_COINS)])
def test_only_these_modules_charge_or_make_coins(names: set[str], allowed: dict[str, str]) -> None:
    assert callers(names) == set(allowed)


def test_a_hidden_charge_would_be_seen() -> None:
    hidden = ast.parse("def f(ledger):\n    with lock:\n        return ledger.charge(epsilon=1)\n")
    assert SPENDING & set(called(hidden))
