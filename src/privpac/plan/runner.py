"""Simulated numbers for all rows of a plan, within the seconds that were asked for, kept for the next time.

Exact on the built-in hard distribution where a row has one, by trials of what ships otherwise; a row that can be
neither summed nor tried says why. How many trials there are is told by public estimates of their seconds, so that the
numbers are the same on every machine that is quick enough; on others the clock ends them.
Tested by tests/unit/plan/test_runner.py.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from privpac.errors import PrivpacError, SizeError
from privpac.plan.answer import Answer, Estimate, Loss, hard_estimate
from privpac.plan.question import Question
from privpac.plan.simulation import Simulation
from privpac.plan.table import PlanTable
from privpac.plan.trials import Experiment, Unsimulated, estimate, privacy_loss

__all__ = ["simulated"]

MOST = 0.35
"""The part of the seconds that one row may take."""

Outcome = Estimate | str
"""A number, or why there is none."""


def simulated(
    question: Question, simulation: Simulation, rows: Sequence[Answer], *, share: float = 1.0
) -> list[Answer]:
    """Every row with its number, or with the reason why there is none, within a share of the seconds."""
    tables = simulation.on_tables and question.subject.schema is not None
    outcomes: list[Outcome | None] = [None if tables else hard_estimate(question, row) for row in rows]
    places = [place for place, former in enumerate(outcomes) if former is None]
    for place, outcome in zip(
        places, _outcomes(question, simulation, [rows[k] for k in places], share), strict=True
    ):
        outcomes[place] = outcome
    return [
        replace(row, unsimulated=former) if isinstance(former, str) else replace(row, simulated=former)
        for row, former in zip(rows, outcomes, strict=True)
    ]


def _outcomes(question: Question, simulation: Simulation, rows: list[Answer], share: float) -> list[Outcome]:
    """From an earlier run of the same code on the same numbers, or tried and kept."""
    keep, options = simulation.keep, _digest(question, simulation, rows)
    if keep is not None and options is not None:
        trees = keep.get("plan", options=options)
        if isinstance(trees, list) and len(trees) == len(rows):
            return [_from_json(tree) for tree in trees]
    outcomes = _simulate(question, simulation, rows, share * simulation.seconds) if rows else []
    # What is left out for want of time is tried again the next time.
    if keep is not None and options is not None and not simulation.clock.is_up:
        keep.put("plan", [_to_json(outcome) for outcome in outcomes], options=options)
    return outcomes


def _digest(question: Question, simulation: Simulation, rows: list[Answer]) -> str | None:
    """What the numbers depend on; None for a table that is an object in memory."""
    schema = question.subject.schema
    parts: list[Any] = [question.to_json(), [(row.option.key, row.concepts.word) for row in rows]]
    parts += [simulation.seconds, None if schema is None else schema.digest()]
    for source in (simulation.table, simulation.marginals):
        if isinstance(source, str | Path):
            try:
                parts.append(hashlib.blake2b(Path(source).read_bytes(), digest_size=12).hexdigest())
            except OSError:
                return None
        elif source is None or isinstance(source, Mapping):
            parts.append(source)
        else:
            return None
    return hashlib.blake2b(json.dumps(parts, default=str).encode(), digest_size=12).hexdigest()


def _simulate(
    question: Question, simulation: Simulation, rows: list[Answer], seconds: float
) -> list[Outcome]:
    """What was asked about first, and then the cheapest rows, so that the others share the seconds these leave."""
    from privpac.plan.runs import Supply, experiment_for

    supply = Supply(question, simulation.table, simulation.marginals, seconds)
    first = PlanTable(question, tuple(sorted(rows, key=lambda row: row.order))).headline
    outcomes: dict[int, Outcome] = {}
    ready: list[tuple[bool, float, int, Experiment]] = []
    for place, row in enumerate(rows):
        try:
            simulation.clock.require(0.0)
            experiment = experiment_for(row, supply)
            other = row is not first
            cost = experiment.seconds(question.records or row.need.labelled)
            ready.append((other, cost, place, experiment))
        except PrivpacError as problem:
            outcomes[place] = _reason(row, problem)
    left = seconds
    for number, (_, _, place, experiment) in enumerate(sorted(ready, key=lambda one: one[:3])):
        row, share = rows[place], min(MOST * seconds, left / (len(ready) - number))
        progress = _progress(simulation, row, number, len(ready))
        try:
            outcomes[place], spent = estimate(
                question, row, experiment, seconds=share, clock=simulation.clock, progress=progress
            )
            if row is first:
                outcomes[place] = _with_loss(question, row, experiment, outcomes[place], simulation)
        except PrivpacError as problem:
            outcomes[place] = _reason(row, problem)
            spent = problem.spent if isinstance(problem, Unsimulated) else 0.0
        left -= spent
        progress(1, 1)
    return [outcomes[place] for place in range(len(rows))]


def _with_loss(
    question: Question, row: Answer, experiment: Experiment, outcome: Outcome, simulation: Simulation
) -> Outcome:
    """What is said first is what privacy cost, where errors are asked for."""
    if question.kind != "reachable" or question.records is None or isinstance(outcome, str):
        return outcome
    setting = (question.records, row.wish.epsilon)
    return replace(outcome, loss=privacy_loss(experiment, setting, simulation.clock))


def _reason(row: Answer, problem: PrivpacError) -> str:
    """Why there is no number; what is wrong with the words or files of the user is theirs to see."""
    if row.concepts.named and not isinstance(problem, Unsimulated | SizeError):
        raise problem
    return str(problem)


def _progress(simulation: Simulation, row: Answer, number: int, of: int) -> Any:
    show = simulation.progress
    if show is None:
        return lambda part, whole: None
    what = f"{row.option.learner}, {row.concepts.word}, {row.option.setting}"
    return lambda part, whole: show(what, 100 * number + 100 * part // whole, 100 * of)


def _to_json(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, str):
        return {"why": outcome}
    high = None if outcome.high is None else str(outcome.high)
    numbers = {"value": str(outcome.value), "low": str(outcome.low), "high": high}
    loss = None if outcome.loss is None else outcome.loss.to_json()
    return {**numbers, "on": outcome.on, "repetitions": outcome.repetitions, "loss": loss}


def _from_json(tree: dict[str, Any]) -> Outcome:
    def number(text: str) -> int | Fraction:
        return int(text) if text.isdecimal() else Fraction(text)

    if "why" in tree:
        return str(tree["why"])
    high = None if tree["high"] is None else number(tree["high"])
    loss = None if tree["loss"] is None else Loss(**tree["loss"])
    return Estimate(
        number(tree["value"]),
        number(tree["low"]),
        high,
        tree["on"],
        repetitions=tree["repetitions"],
        loss=loss,
    )
