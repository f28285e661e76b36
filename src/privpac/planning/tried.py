"""The simulation of the request that a question is about, or why there is none (`simulation`)."""

from __future__ import annotations

from privpac.errors import ParameterError
from privpac.planning.question import OWNER, Question
from privpac.planning.simulation import NotSimulated, Progress, Simulation, Trial, simulate
from privpac.request import LearnRequest

__all__ = ["tried"]


def tried(
    question: Question, *, seconds: float, table: object = None, progress: Progress | None = None
) -> Simulation | NotSimulated:
    """What `learn` would give with the records and the epsilon of a question."""
    asked = question.asked
    for name, value in (("records", asked.records), ("epsilon", asked.epsilon)):
        if value is None:
            raise ParameterError(
                OWNER,
                name,
                None,
                allowed="given for a simulation",
                remedy="Name the numbers that it is about: --records and --epsilon.",
            )
    assert asked.records is not None
    assert asked.epsilon is not None
    if asked.release:
        return NotSimulated("rules are tried, not released tables")
    if asked.unlabelled:
        return NotSimulated(
            "rules from labelled records are tried, not those that use records without labels"
        )
    if asked.protect == "predictions":
        return NotSimulated("rules are tried, not single answers")
    if question.kappa is not None:
        return NotSimulated(f"{asked.concepts} is about every density of its size: name a column")
    wishes = LearnRequest(
        epsilon=asked.epsilon,
        delta=asked.delta,
        concepts=question.word,
        protect=asked.protect,
        estimate_epsilon="auto",
        aim=asked.aim,
        failure=asked.failure,
        attainable=asked.attainable,
    )
    return simulate(Trial(question.schema, wishes, asked.records, table), seconds=seconds, progress=progress)
