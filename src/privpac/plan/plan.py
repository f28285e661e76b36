"""A plan: all options that answer a question, cheapest first, with advice in words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from privpac.errors import ParameterError
from privpac.plan.answer import Answer, Estimate, answer, hard_estimate
from privpac.plan.question import Question

if TYPE_CHECKING:
    from privpac.plan.curves import PlanDisplay
    from privpac.plan.populations import Population

__all__ = ["Keep", "Plan", "Simulation", "make"]

Progress = Callable[[str, int, int], None]
"""(what, done, of)."""


class Keep(Protocol):
    """Somewhere to keep what simulations found."""

    def get(self, name: str, *, options: str) -> Any | None: ...

    def put(self, name: str, value: Any, *, options: str) -> None: ...


@dataclass(frozen=True)
class Simulation:
    """What to simulate on: nothing given means the built-in hard distributions, or synthetic tables."""

    table: Any = None
    marginals: str | Path | Mapping[str, Any] | None = None
    keep: Keep | None = None
    progress: Progress | None = None

    @property
    def on_tables(self) -> bool:
        return self.table is not None or self.marginals is not None


@dataclass(frozen=True)
class Plan:
    """The answer to one question. `str` and `to_json` for people and programs, `curves` for pictures."""

    question: Question
    answers: tuple[Answer, ...]
    advice: tuple[str, ...] = ()

    @property
    def best(self) -> Answer | None:
        """The cheapest answer; None where nothing can be promised."""
        return self.answers[0] if self.answers else None

    def option(self, learner: str, setting: str | None = None) -> Answer:
        """The first answer of a learner, in a setting if given."""
        for found in self.answers:
            if found.option.learner == learner and setting in (None, found.option.setting):
                return found
        offered = ", ".join(sorted({f"{row.option.learner} ({row.option.setting})" for row in self.answers}))
        raise ParameterError(
            "Plan.option", "learner", learner, allowed=f"one of {offered or 'none: nothing is promised'}"
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "question": self.question.to_json(),
            "options": [found.to_json() for found in self.answers],
            "advice": list(self.advice),
        }

    def curves(self, against: str = "epsilon", *, learner: str | None = None) -> PlanDisplay:
        """Records against epsilon, error or bits: proved, simulated and floor (see `privpac.plan.curves`)."""
        from privpac.plan.curves import PlanDisplay

        return PlanDisplay.of(self, against, learner=learner)

    def __str__(self) -> str:
        from privpac.plan.words import plan_text

        return plan_text(self)


def make(question: Question, simulation: Simulation | None = None) -> Plan:
    """Ask every option, simulate if wanted, and say what follows."""
    from privpac.plan.advice import advise

    found = [
        made
        for concepts in question.classes
        for option in question.options(concepts)
        if (made := answer(question, option, concepts)) is not None
    ]
    if simulation is not None:
        runner = _Runner(question, simulation, rows=sum(made.option.runs for made in found))
        found = [replace(made, simulated=runner.estimate(made)) for made in found]
    ordered = tuple(sorted(found, key=lambda made: made.order))
    plan = Plan(question, ordered)
    return replace(plan, advice=tuple(advise(plan)))


class _Runner:
    """Simulations of one plan; populations are made once."""

    def __init__(self, question: Question, simulation: Simulation, *, rows: int) -> None:
        self._question, self._simulation = question, simulation
        self._seconds = min(MOST_SECONDS, SECONDS / max(1, rows))
        self._populations: dict[object, Population] = {}

    def estimate(self, made: Answer) -> Estimate | None:
        tables = self._simulation.on_tables and self._question.given.schema is not None
        if not tables:
            exact = hard_estimate(self._question, made)
            if exact is not None:
                return exact
        # Among the classes of `auto` most have no perfect member, and each takes its seconds: the honest setting only.
        several = self._question.word == "auto" and made.option.setting == "realizable"
        runs = made.option.runs and made.concepts.kind != "any" and not several
        return self._kept(made) if runs else None

    def _kept(self, made: Answer) -> Estimate | None:
        """From an earlier run of the same code on the same numbers, or simulated and kept."""
        keep, options = self._simulation.keep, self._digest(made)
        if keep is not None and options is not None:
            stored = keep.get("plan", options=options)
            if isinstance(stored, dict):
                return _from_json(stored)
        found = self._simulated(made)
        if keep is not None and options is not None and found is not None:
            keep.put("plan", _to_json(found), options=options)
        return found

    def _digest(self, made: Answer) -> str | None:
        """What the number depends on; None for a table that is an object in memory."""
        given = self._question.given
        parts: list[Any] = [self._question.to_json(), made.option.key, made.concepts.word]
        parts.append(None if given.schema is None else given.schema.digest())
        for source in (self._simulation.table, self._simulation.marginals):
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

    def _simulated(self, made: Answer) -> Estimate | None:
        from privpac.plan.trials import best_error, runnable, table_estimate

        progress = self._simulation.progress
        what = f"{made.concepts.word}, {made.option.setting}"
        population = best_error(runnable(made.concepts.word), self._population(made))
        return table_estimate(
            self._question,
            made,
            population,
            seconds=self._seconds,
            progress=None if progress is None else lambda done, of: progress(what, done, of),
        )

    def _population(self, made: Answer) -> Population:
        from privpac.plan.populations import from_table, lone_value, read_marginals, synthetic
        from privpac.plan.trials import Run, as_schema

        schema = as_schema(self._question.given, columns=made.concepts.word.count("COLUMN"))
        realizable = made.option.setting == "realizable"
        if self._simulation.table is not None:
            if None not in self._populations:
                self._populations[None] = from_table(self._simulation.table, schema)
            return self._populations[None]
        if made.concepts.kind == "points" and realizable and self._simulation.marginals is None:
            column = Run.of(made).word.removeprefix("consistent:").split(":")[1]
            return lone_value(schema, column, share=float(made.wish.error))
        noise = self._question.noise
        flipped = 0.0 if realizable else float(FLIPPED if noise is None else noise)
        if flipped not in self._populations:
            marginals = read_marginals(self._simulation.marginals)
            self._populations[flipped] = synthetic(schema, flipped=flipped, marginals=marginals)
        return self._populations[flipped]


SECONDS, MOST_SECONDS = 40.0, 20.0
"""What all rows together, and one of them, may take by the public estimates of their classes."""

FLIPPED = Fraction(1, 10)
"""Labels that are flipped in synthetic tables, when nothing is said about the noise."""


def _to_json(found: Estimate) -> dict[str, Any]:
    high = None if found.high is None else str(found.high)
    numbers = {"value": str(found.value), "low": str(found.low), "high": high}
    return {**numbers, "on": found.on, "repetitions": found.repetitions}


def _from_json(tree: dict[str, Any]) -> Estimate:
    def number(text: str) -> int | Fraction:
        return int(text) if text.isdecimal() else Fraction(text)

    high = None if tree["high"] is None else number(tree["high"])
    return Estimate(
        number(tree["value"]), number(tree["low"]), high, tree["on"], repetitions=tree["repetitions"]
    )
