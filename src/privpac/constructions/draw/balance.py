"""Prices that make up for rare classes, from a publicly known share of each class.

With plain costs a rule that never names a class of 6 % is right 94 times in 100. If misjudging a record costs the
inverse of its class's share, every class weighs the same, and what is drawn for is balanced accuracy. The shares must
be public: counted from the records they would be a release of their own.
Tested by tests/unit/constructions/draw/test_balance.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import count

from privpac.concepts.base import Costs
from privpac.constructions.draw.occam import read_costs
from privpac.data.schema import Schema
from privpac.errors import ParameterError

__all__ = ["BALANCED", "balanced_costs", "costs_for"]

BALANCED = "balanced"

TOLERANCE = Fraction(1, 20)
"""Costs are the smallest whole numbers within 5 % of the inverse shares, so that tables of powers stay short."""


def costs_for(costs: Iterable[int] | str | None, schema: Schema) -> Costs | None:
    """The costs that were asked for; those of a declared base rate for `balanced`."""
    if costs is None:
        return None
    if isinstance(costs, str):
        if costs != BALANCED:
            raise ParameterError(
                "learn", "costs", costs, allowed=f"one positive integer per class, or {BALANCED!r}"
            )
        return balanced_costs(schema)
    return read_costs(tuple(costs), len(schema.classes), "learn")


def balanced_costs(schema: Schema) -> Costs:
    """One positive integer per class, within 5 % in proportion to the inverse of its share.

    >>> columns = [{"name": "x", "kind": "boolean"}]
    >>> balanced_costs(Schema.from_json({"label": "y", "base_rate": 0.06, "columns": columns}))
    (1, 16)
    """
    if schema.base_rate is None:
        raise ParameterError(
            "learn",
            "costs",
            BALANCED,
            allowed="costs of your own where the schema declares no base rate",
            remedy='Write the publicly known share of the classes into the schema, such as "base_rate": 0.06.',
        )
    shares = [Fraction(rate) for rate in schema.base_rate]
    wanted = [max(shares) / share for share in shares]  # the commonest class costs 1
    for unit in count(1):
        costs = [max(1, round(unit * ratio)) for ratio in wanted]
        if all(
            abs(cost - unit * ratio) <= TOLERANCE * unit * ratio
            for cost, ratio in zip(costs, wanted, strict=True)
        ):
            break
    return tuple(costs)
