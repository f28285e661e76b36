"""Nobody but `releasing` charges a ledger for a release or takes coins for one: read off the source, not believed.

Three kinds of names are looked for in every module: those that spend, make coins, or belong to other sources of
chance. Each may stand only in the modules named here, each with its reason. A name counts wherever it stands, not only
where it is called: imported under another name, taken without a call, or as text for `getattr`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import privpac
from tests.contracts.sources import nodes, syntax

SOURCE = Path(privpac.__file__).parent

MAY_CHARGE = {
    "releasing.py": "the one way out",
    "cli/ledger.py": "a person charges what was released elsewhere: no draw follows",
    "guarantee/ledger/ledger.py": "what a charge is",
    "guarantee/ledger/account.py": "what a charge is",
    "guarantee/ledger/store.py": "writes charges down",
    "guarantee/ledger/sql_store.py": "writes charges down",
    "service/answering/groups.py": "charges and keeps answers in one transaction of the ledger's database",
    "service/pages/learn/orders.py": "a field of a form is called so",
}

MADE_UP = "plays with made-up records"
MAY_MAKE_COINS = {
    "__init__.py": "exported",
    "coins/__init__.py": "exported",
    "coins/tosses.py": "what coins are",
    "releasing.py": "the one way out",
    "asking.py": "draws whom to ask, without a look at any record",
    "estimators/stable.py": "stability is no privacy loss: there is nothing to charge",
    "audit/controls.py": MADE_UP,
    "audit/sample.py": MADE_UP,
    "audit/one_run.py": MADE_UP,
    "answering/bundle/bundle.py": "coins for a bundle's predictor, which pays through `releasing`",
    "answering/bundle/writing.py": "a bundle's identity",
    "planning/invented.py": MADE_UP,
    "planning/simulation.py": MADE_UP,
    "service/settings.py": "a token",
    "service/access/keys.py": "API keys",
    "service/serving.py": "coins for `answering`",
    "service/pages/drawers.py": "names of drawers",
}

MAY_USE_CHANCE = {
    "coins/tosses.py": "what coins are",
    "answering/bundle/writing.py": "the name of a draft",
    "client.py": "idempotency keys, for questions",
    "drafts.py": "the name of a draft",
    "guarantee/ledger/store.py": "names of ledgers",
    "guarantee/ledger/sql_store.py": "names of ledgers",
    "service/watch/observing.py": "names of requests",
}

SPENDING = {"charge", "Charge"}
COINS = {"SystemCoins", "SeededCoins", "coins_for"}
CHANCE = {"default_rng", "getrandbits", "random", "RandomState", "secrets", "token_bytes", "urandom", "uuid4"}


def named(tree: ast.Module) -> Iterator[str]:
    """Every name in a module, and every text that could be one."""
    for node in nodes(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                yield name
            case ast.alias(name=name):
                yield name.rpartition(".")[2]


@cache
def named_in(path: Path) -> set[str]:
    return set(named(syntax(path.read_text(encoding="utf-8"))))


def namers(names: set[str]) -> set[str]:
    return {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if names & named_in(path)}


@pytest.mark.parametrize(
    ("names", "allowed"), [(SPENDING, MAY_CHARGE), (COINS, MAY_MAKE_COINS), (CHANCE, MAY_USE_CHANCE)]
)
def test_only_these_modules_charge_make_coins_or_use_chance(names: set[str], allowed: dict[str, str]) -> None:
    assert namers(names) == set(allowed)


@pytest.mark.parametrize(
    "hidden",
    [
        "def f(ledger):\n    with lock:\n        return ledger.charge(epsilon=1)\n",
        "pay = ledger.charge\npay(epsilon=1)\n",
        "getattr(ledger, 'charge')(epsilon=1)\n",
        "from privpac.guarantee.ledger.account import Charge as Note\n",
    ],
)
def test_a_hidden_charge_would_be_seen(hidden: str) -> None:
    assert SPENDING & set(named(ast.parse(hidden)))
