"""What was simulated, in words: what to expect of a row, on what it was tried, and why a row was not."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from privpac.numbers.exact import plain
from privpac.plan.answer import Answer, Estimate
from privpac.plan.columns import PLAIN, SETTINGS, number_text, visible_answers
from privpac.plan.table import PlanTable

__all__ = ["amount", "condition", "expected", "row_names", "simulations"]

INVENTED = "invented records"


def expected(row: Answer) -> str:
    """What was simulated: first what privacy cost, then the number that was asked for."""
    trial = row.simulated
    assert trial is not None
    if row.asks != "reachable":
        verb = "were" if row.asks == "needed" else "was"
        return f"Simulated on {_where(trial)}: about {amount(row, number_text(trial.value))} {verb} enough."
    return f"Simulated on {_where(trial)}: {_cost(trial)}{_within(row, trial)}."


def _where(trial: Estimate) -> str:
    """In a few words: the notes say the rest."""
    return "invented records (see below)" if INVENTED in trial.on else trial.on


def _cost(trial: Estimate) -> str:
    """What privacy cost, which is what carries over from invented records to others."""
    loss = trial.loss
    if loss is None:
        return ""
    if loss.low <= 0:
        return f"privacy cost nothing that {loss.runs} runs could show (at most {max(loss.high, 0.001):.3f} of error); "
    return f"privacy cost {loss} of error, in the mean of {loss.runs} runs; "


def _within(row: Answer, trial: Estimate) -> str:
    """How far the error was from the best, in all but a few runs."""
    above = " above that of the best rule" * (row.option.purpose == "learn")
    if trial.value == 0 and not trial.exact:
        high = "" if trial.high is None else f" (at most {number_text(trial.high)})"
        return f"too few runs to tell the error from that of the best rule{high}"
    share = f"{float(1 - row.wish.failure):.4g}"
    return f"the error was at most {number_text(trial.value)}{above}, with probability {share}"


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


def simulations(plan: PlanTable) -> list[str]:
    """Which rows were simulated on what, and which were not and why: a line each."""
    on: dict[str, list[Answer]] = {}
    why: dict[str, list[Answer]] = {}
    for row in visible_answers(plan):
        if row.simulated is not None:
            on.setdefault(row.simulated.on, []).append(row)
        elif row.unsimulated is not None:
            why.setdefault(row.unsimulated.rstrip("."), []).append(row)
    several = len(on) > 1
    lines = [
        f"Simulated on {what}" + (f" ({row_names(plan, who)})" if several else "") for what, who in on.items()
    ]
    lines += _without_rates(plan, on)
    return lines + [f"Not simulated: {row_names(plan, who)}, since {what}" for what, who in why.items()]


def _without_rates(plan: PlanTable, on: Iterable[str]) -> list[str]:
    """Built-in hard cases are what they are, and so is a table of the user's own."""
    schema = plan.question.subject.schema
    if schema is None or schema.base_rate is None:
        return []
    apart = [what for what in on if "base rate" not in what]
    return [f"The base rate of the schema plays no part on {' or '.join(apart)}"] if apart else []


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
