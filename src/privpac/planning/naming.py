"""What rows of a plan are called in sentences, with the number that was asked for and what they take for granted."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from privpac.numbers.exact import plain
from privpac.planning.answer import Answer
from privpac.planning.columns import PLAIN, SETTINGS, visible_answers
from privpac.planning.table import PlanTable

__all__ = ["amount", "condition", "row_names"]


def amount(row: Answer, number: str) -> str:
    """The number that was asked for, with its unit."""
    return {
        "needed": f"{number} records",
        "reachable": f"an error of at most {number}"
        + " above that of the best rule" * (row.option.purpose == "learn"),
        "smallest_epsilon": f"epsilon {number}",
    }[row.asks]


def condition(row: Answer) -> str:
    """What is taken for granted of the records, in a sentence."""
    if row.option.setting == "realizable":
        return "if some rule never errs"
    noise = row.wish.noise
    return (
        "whatever the records are like"
        if noise is None
        else f"if the best rule errs at most {plain(noise)} of the time"
    )


def row_names(plan: PlanTable, some: Iterable[Answer]) -> str:
    """Some rows of the table in its words: by their method, by what they hold for and by the kind of rule, each where
    the others of that name are not among them."""
    these, names = list(some), []
    for learner, rows in _by(visible_answers(plan), lambda row: row.option.learner).items():
        name = PLAIN.get(learner, learner)
        parts = []
        for setting, alike in _by(rows, lambda row: row.option.setting).items():
            among = [row.concepts.word for row in alike if row in these]
            if among:
                kinds = "" if len(among) == len(alike) else f": {', '.join(dict.fromkeys(among))}"
                parts.append(SETTINGS.get(setting, setting) + kinds)
        if all(row in these for row in rows):
            names.append(name)
        elif parts:
            names.append(f"{name} ({'; '.join(parts)})")
    return ", ".join(names)


def _by(rows: Iterable[Answer], key: Callable[[Answer], str]) -> dict[str, list[Answer]]:
    groups: dict[str, list[Answer]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups
