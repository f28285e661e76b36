"""What a declared base rate says beside a plan: how often one who always names the commonest class errs, and what costs
would make all classes count the same.

`balance` is a rule of advice, as in `advice`. Tested by tests/unit/plan/test_base_rates.py.
"""

from __future__ import annotations

from fractions import Fraction

from privpac.plan.answer import Answer
from privpac.plan.columns import number_text
from privpac.plan.table import PlanTable

__all__ = ["balance", "beside_a_constant"]


def beside_a_constant(plan: PlanTable, row: Answer) -> list[str]:
    """Whether what is proved is better than always naming the commonest class; nothing where no rate is declared."""
    schema = plan.question.subject.schema
    if schema is None or schema.base_rate is None or row.option.purpose != "learn":
        return []
    rates = [Fraction(str(rate)) for rate in schema.base_rate]
    constant = f'always saying "{schema.class_names[rates.index(max(rates))]}"'
    errs = sum(rates) - max(rates)
    share = f"{float(errs):.4g}"
    return [f"By the base rate of the schema, {constant} errs {share} of the time{_comparison(row, errs)}"]


def _comparison(row: Answer, errs: Fraction) -> str:
    """The rule errs at most as often as the best one and what is proved on top of it."""
    room = errs - row.wish.error
    best = Fraction(0) if row.option.setting == "realizable" else row.wish.noise
    if best is not None and best < room:
        return ", which is more than the rule is proved to err."
    ways = "The" if row.simulated is not None else "--simulate or the"
    tells = f"{ways} private estimate after learning tells whether it does."
    if room <= 0:
        return f": the proof alone does not show that the rule beats that. {tells}"
    least = number_text(room, up=False)
    return f"; the proof alone shows that the rule beats that only if the best rule errs less than {least}. {tells}"


def balance(plan: PlanTable) -> str | None:
    """A declared base rate, and what it would make a mistake cost."""
    schema = plan.question.subject.schema
    if schema is None or schema.base_rate is None:
        return None
    from privpac.constructions.request import balanced_costs  # which loads what learns

    costs = balanced_costs(schema)
    prices = ", ".join(f"{name}: {cost}" for name, cost in zip(schema.class_names, costs, strict=True))
    if len(set(costs)) == 1:
        return None
    return (
        f"The schema declares how common each class is. With --costs balanced misjudging a record costs {prices}, so"
        " that rare classes count as much as common ones; without it a rule that never names a rare class may be"
        f" the most accurate one. Errors are then average costs divided by the largest, {max(costs)}."
    )
