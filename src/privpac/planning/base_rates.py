"""What a declared base rate says beside a plan: how often one who always names the commonest class errs."""

from __future__ import annotations

from fractions import Fraction

from privpac.planning.answer import Answer
from privpac.planning.columns import number_text
from privpac.planning.table import PlanTable

__all__ = ["beside_a_constant"]


def beside_a_constant(plan: PlanTable, row: Answer) -> list[str]:
    """Whether what is proved is better than always naming the commonest class; nothing where no rate is declared."""
    schema = plan.question.subject.schema
    if schema is None or schema.base_rate is None or row.option.purpose != "learn":
        return []
    rates = [Fraction(str(rate)) for rate in schema.base_rate]
    constant = f'always saying "{schema.class_names[rates.index(max(rates))]}"'
    errs = sum(rates) - max(rates)
    share = f"{float(errs):.4g}"
    return [
        f"By the base rate of the schema, {constant} errs {share} of the time{_comparison(plan, row, errs)}"
    ]


def _comparison(plan: PlanTable, row: Answer, errs: Fraction) -> str:
    """The rule errs at most as often as the best one and what is proved on top of it."""
    room = errs - row.wish.error
    best = Fraction(0) if row.option.setting == "realizable" else row.wish.noise
    if best is not None and best < room:
        return ", which is more than the rule is proved to err."
    ways = "--simulate or the" if plan.simulated is None else "The"
    tells = f"{ways} private estimate after learning tells whether it does."
    if room <= 0:
        return f": the proof alone does not show that the rule beats that. {tells}"
    least = number_text(room, up=False)
    return f"; the proof alone shows that the rule beats that only if the best rule errs less than {least}. {tells}"
