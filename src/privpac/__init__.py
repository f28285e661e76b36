"""Certified private learning: readable classifiers with guarantees you can print, store, re-check and audit."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.3.0.dev0"

_NAMES = {
    "AsyncClient": "client",
    "BudgetExceeded": "errors",
    "Client": "client",
    "Comparison": "comparison",
    "Certificate": "guarantee.certificate",
    "intervals": "concepts.line.unions",
    "Ledger": "guarantee.ledger.ledger",
    "MemorySample": "data.engines.memory",
    "Model": "model",
    "NotCertified": "errors",
    "Occam": "constructions.draw.occam",
    "Points": "concepts.sets.points",
    "ReleasedTable": "constructions.release.table",
    "PrivateClassifier": "estimators.classifier",
    "PrivatePredictor": "answering.predictor",
    "PrivateQuery": "estimators.query",
    "PrivpacError": "errors",
    "Schema": "data.schema",
    "SeededCoins": "coins",
    "Size": "data.sample",
    "StableClassifier": "estimators.stable",
    "Stumps": "concepts.line.stumps",
    "SystemCoins": "coins",
    "Thresholds": "concepts.line.thresholds",
    "Unions": "concepts.line.unions",
    "compare_models": "comparison",
    "learn": "learning",
    "load_table": "constructions.release.table",
    "release_table": "sanitising",
    "load": "model",
    "plan": "planning",
    "verify": "verification",
}
"""Public name → module. Loaded on first use, so that `import privpac` and the command line start quickly."""

__all__ = ["__version__", *sorted(_NAMES)]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module 'privpac' has no attribute {name!r}")
    value = getattr(import_module(f"privpac.{_NAMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_NAMES])


if TYPE_CHECKING:
    from privpac.answering.predictor import PrivatePredictor as PrivatePredictor
    from privpac.client import AsyncClient as AsyncClient
    from privpac.client import Client as Client
    from privpac.coins import SeededCoins as SeededCoins
    from privpac.coins import SystemCoins as SystemCoins
    from privpac.comparison import Comparison as Comparison
    from privpac.comparison import compare_models as compare_models
    from privpac.concepts.line.stumps import Stumps as Stumps
    from privpac.concepts.line.thresholds import Thresholds as Thresholds
    from privpac.concepts.line.unions import Unions as Unions
    from privpac.concepts.line.unions import intervals as intervals
    from privpac.concepts.sets.points import Points as Points
    from privpac.constructions.draw.occam import Occam as Occam
    from privpac.constructions.release.table import ReleasedTable as ReleasedTable
    from privpac.constructions.release.table import load_table as load_table
    from privpac.data.engines.memory import MemorySample as MemorySample
    from privpac.data.sample import Size as Size
    from privpac.data.schema import Schema as Schema
    from privpac.errors import BudgetExceeded as BudgetExceeded
    from privpac.errors import NotCertified as NotCertified
    from privpac.errors import PrivpacError as PrivpacError
    from privpac.estimators.classifier import PrivateClassifier as PrivateClassifier
    from privpac.estimators.query import PrivateQuery as PrivateQuery
    from privpac.estimators.stable import StableClassifier as StableClassifier
    from privpac.guarantee.certificate import Certificate as Certificate
    from privpac.guarantee.ledger.ledger import Ledger as Ledger
    from privpac.learning import learn as learn
    from privpac.model import Model as Model
    from privpac.model import load as load
    from privpac.planning import plan as plan
    from privpac.sanitising import release_table as release_table
    from privpac.verification import verify as verify
