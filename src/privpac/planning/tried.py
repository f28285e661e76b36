"""The simulation of the request that a question is about, or why there is none (`simulation`)."""

from __future__ import annotations

from privpac.constructions.wish import OWNER
from privpac.errors import ParameterError
from privpac.planning.question import Question
from privpac.planning.simulation import NotSimulated, Progress, Simulation, Trial, simulate
from privpac.planning.subject import as_schema, runnable
from privpac.request import LearnRequest

__all__ = ["tried"]


def tried(
    question: Question, *, seconds: float, table: object = None, progress: Progress | None = None
) -> Simulation | NotSimulated:
    """What `learn` would give with the records and the epsilon of a question."""
    for name, value in (("records", question.asked.records), ("epsilon", question.asked.epsilon)):
        if value is None:
            raise ParameterError(
                OWNER,
                name,
                None,
                allowed="given for a simulation",
                remedy="Name the numbers that it is about: --records and --epsilon.",
            )
    assert question.asked.records is not None
    assert question.asked.epsilon is not None
    if question.asked.release:
        return NotSimulated("rules are tried, not released tables")
    if question.asked.unlabelled:
        return NotSimulated(
            "rules from labelled records are tried, not those that use records without labels"
        )
    if question.asked.protect == "predictions":
        return NotSimulated("rules are tried, not single answers")
    facts = question.classes[0]
    if facts.kind in UNNAMED:
        return NotSimulated(f"{question.asked.concepts} stands for every class of its size: name one")
    wishes = LearnRequest(
        epsilon=question.asked.epsilon,
        delta=question.asked.delta,
        concepts=runnable(facts.word if question.asked.concepts != "auto" else "auto"),
        protect=question.asked.protect,
        estimate_epsilon="auto",
        aim=question.asked.aim,
        failure=question.asked.failure,
        attainable=question.asked.attainable,
    )
    schema = as_schema(question.subject, columns=facts.word.count("COLUMN"))
    noise = None if question.asked.noise is None else float(question.asked.noise)
    return simulate(
        Trial(schema, wishes, question.asked.records, noise, table), seconds=seconds, progress=progress
    )


UNNAMED = ("any", "reference", "sphere")
"""Words that name no rules of a table."""
