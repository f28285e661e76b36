"""A plan as the page shows it: the headline number, rows, and curves as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from privpac.data.schema import Schema
from privpac.errors import PrivpacError
from privpac.planning import Plan
from privpac.planning.curves import PlanDisplay
from privpac.planning.table import Row
from privpac.planning.text import name_in_words, name_of, rows, visible_rows
from privpac.service.pages.plan.form import PlanForm
from privpac.theory.statements import REGISTER

__all__ = ["COLUMNS", "Headline", "chart", "headline", "table"]

COLUMNS = ("method", "kind", "holds", "protects", "gives", "proved", "floor", "gap")
"""What the page calls the columns of a plan's table, in the order of `headings`."""
OTHERS = 3
"""Options drawn beside the one that is bold: more could not be told apart."""
SETTINGS = {
    "realizable": "some rule of the class is always right",
    "agnostic": "nothing is assumed about the best rule",
}


@dataclass(frozen=True)
class Headline:
    """The answer in one line."""

    number: str
    unit: str
    text: str


def table(plan: Plan) -> list[dict[str, Any]]:
    """All options, cheapest first: the cells of the plan's table by column, and what the page says besides."""
    return [_row(answer, cells) for answer, cells in zip(visible_rows(plan), rows(plan), strict=True)]


def _row(answer: Row, cells: tuple[str, ...]) -> dict[str, Any]:
    source = REGISTER.get(answer.promise.theorem)
    return {
        **dict(zip(COLUMNS, cells, strict=True)),
        "answer": answer,
        "holds_if": SETTINGS[answer.setting],
        "source": answer.promise.theorem if source is None else f"{source.title} ({source.source})",
    }


def headline(plan: Plan) -> Headline | None:
    """The answer to show large."""
    answer = plan.headline
    if answer is None:
        return None
    how = f"by {name_of(answer)}: {answer.way.planned.title}; {SETTINGS[answer.setting]}"
    if answer.asks == "needed":
        more = f" and {answer.unlabelled:,} without labels" if answer.unlabelled else ""
        return Headline(f"{answer.records:,}", f"records suffice{more}", how)
    number = _up(Fraction(answer.proved))
    unit = "error is proved" if answer.asks == "reachable" else "epsilon is enough"
    return Headline(number, unit, how)


def _up(value: Fraction) -> str:
    """Rounded up, as a promise is."""
    return f"{math.ceil(value * 10_000) / 10_000:.4f}".rstrip("0").rstrip(".")


def chart(form: PlanForm) -> dict[str, Any]:
    """Curves of the options, for the script that draws them; empty where nothing is promised."""
    return _chart(tuple(sorted(form.values.items())), form.described)


@lru_cache(maxsize=64)
def _chart(values: tuple[tuple[str, str], ...], schema: Schema | None) -> dict[str, Any]:
    form = PlanForm(dict(values), schema)
    plan = form.ask()
    answer = plan.headline
    if answer is None:
        return {}
    others = [row for row in plan.rows if row is not answer]
    excerpt = replace(plan, rows=(answer, *others[:OTHERS]))
    try:
        display = PlanDisplay.of(excerpt, form.against)
    except PrivpacError:
        return {}
    return {
        "x": display.curves.x_label,
        "y": display.curves.y_label,
        "ticks": list(display.curves.x_ticks or ()),
        "series": [
            {"option": name, "what": what, "points": points}
            for name, what, points in _series(display.rows)
            if points
        ],
        "main": _name(plan),
        "here": _here(plan, form.against),
    }


def _series(all_rows: Any) -> Iterator[tuple[str, str, list[list[float]]]]:
    for series in all_rows:
        name, _, what = series.label.rpartition(": ")
        yield (
            name,
            what,
            [[x, y] for x, y in zip(series.x, series.y, strict=True) if y is not None],
        )


def _name(plan: Plan) -> str | None:
    """The option that is drawn boldly, as curves name it."""
    row = plan.headline
    if row is None:
        return None
    name = name_in_words(row)
    return f"{name}, {row.concepts}" if plan.question.asked.concepts == "auto" else name


def _here(plan: Plan, against: str) -> dict[str, float] | None:
    """Where the question itself stands on the main curve."""
    best = plan.headline
    if best is None:
        return None
    along = {"epsilon": best.epsilon, "error": best.error, "bits": plan.question.asked.bits}[against]
    if along is None:
        return None
    have = plan.question.asked.records
    return {"x": float(along), "y": float(best.records)} | ({} if have is None else {"have": float(have)})
