"""`privpac plan`: how many records are enough, and how few are hopeless."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.cli.options import asks, count, file, flag, option
from privpac.errors import ParameterError, PrivpacError
from privpac.request import PlanRequest

if TYPE_CHECKING:
    from privpac.planning import Plan
    from privpac.planning.question import Question

__all__ = ["plan"]

OWNER = "plan"
AGAINST = ("epsilon", "error", "bits")


@asks(PlanRequest)
def plan(
    asked: PlanRequest,
    *,
    costs: Annotated[
        str | None, typer.Option(hidden=True, help="Not of a plan: says how to read its numbers with costs.")
    ] = None,
    answers: Annotated[
        int | None,
        count(
            "What one of N answers may cost under a total of --epsilon and --delta; --error is how often models"
            " that all agree may be contradicted."
        ),
    ] = None,
    schema: Annotated[str | None, file("Public description of the table, instead of numbers.")] = None,
    simulate: Annotated[
        bool,
        flag(
            "--simulate",
            "Also try it on invented records with these --records and --epsilon: the error, and what privacy cost.",
        ),
    ] = False,
    table: Annotated[str | None, file("Simulate on this table, which must be public or synthetic.")] = None,
    seconds: Annotated[
        str,
        option(
            "S",
            "About how long to simulate; longer gives narrower intervals.",
        ),
    ] = "20",
    picture: Annotated[str | None, file("Draw records against --against, as .svg or .png.")] = None,
    against: Annotated[str, option("WHAT", "What --picture varies: epsilon, error or bits.")] = "epsilon",
    as_json: Json = False,
) -> None:
    """How many records are enough, and what they can promise.

    Which error or epsilon is within reach, and below what it is hopeless. Needs no data and costs no privacy.
    Give two of --records, --error and --epsilon; with all three it says whether they are enough. Example:
    privpac plan --concepts thresholds --bits 32 --error 0.1 --epsilon 1
    """
    if against not in AGAINST:
        raise ParameterError(OWNER, "against", against, allowed="one of " + ", ".join(AGAINST))
    if costs is not None:
        raise _without_costs()
    if answers is not None:
        _show_answers(answers, asked, as_json=as_json)
        return
    from privpac.constructions.rule_lists import with_rules

    destination = _picture(picture, keep=(schema, table))
    # A plan multiplies no matrices, and starting threads for that takes a tenth of its time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from privpac.planning.making import make
    from privpac.planning.question import Question

    question = Question.of(replace(asked, concepts=with_rules(asked.concepts)), schema)
    if simulate or table is not None:
        result = _simulate(question, table, seconds, as_json=as_json)
    else:
        result = make(question)
    _show(result, as_json=as_json)
    if destination is not None:
        with console.working("Drawing", as_json=as_json):
            result.curves(against).save(destination.path)
        console.note(f"Wrote the picture to {destination.path}.", as_json=as_json)


def _without_costs() -> PrivpacError:
    """Advice names learning with costs, so that people try them here too."""
    return PrivpacError(
        "A plan takes no costs: for any records, the default and one draw of a rule prove the same numbers with costs"
        " and without.",
        remedy="Leave --costs out here and give it to privpac learn. Then an error is the average cost of a record,"
        " divided by the largest cost: with costs 1,5 an error of 0.1 is an average cost of 0.5. For a perfect fit, and"
        " where labels alone are protected, less may be proved with costs: the certificate says what holds.",
    )


def _show_answers(answers: int, asked: PlanRequest, *, as_json: bool) -> None:
    """The price of one of many answers, and how many models it takes."""
    from privpac.planning.answers import answer_prices

    result = answer_prices(answers=answers, epsilon=asked.epsilon, delta=asked.delta, wrong=asked.error)
    if as_json:
        console.show_json(result.to_json())
        return
    console.show(f"{answers:,} answers under a total of {result.promises}: what one of them may cost.\n")
    headings = ("paid by", "epsilon of an answer", "rho", "models")
    console.show(console.table_text(headings, result.cells(), right=headings[1:]))
    console.show(
        f"\nModels: so many, each learnt from records of its own, must agree for an answer to contradict them with "
        f"probability at most {float(result.wrong):g}. Fewest: {result.best.way}."
    )


def _picture(path: str | None, *, keep: tuple[str | None, ...]) -> Destination | None:
    if path is None:
        return None
    from privpac.pictures.curves import require_matplotlib
    from privpac.pictures.drawing import checked_path

    checked_path(path)
    require_matplotlib()
    return Destination.of(path, owner=OWNER, option="picture", keep=keep, force=True)


def _simulate(question: Question, table: str | None, seconds: str, *, as_json: bool) -> Plan:
    from privpac.planning.making import make, read_seconds

    console.note(f"Simulating for about {seconds} s.", as_json=as_json)
    with console.progress("Simulating", as_json=as_json) as bar:
        return make(question, seconds=read_seconds(seconds), table=table, progress=bar)


def _show(result: Plan, *, as_json: bool) -> None:
    if as_json:
        console.show_json(result.to_json())
        return
    from privpac.planning.text import READING, in_short, notes, question_text, visible_table

    sections = [("", question_text(result))]
    if result.expected is not None:
        sections.append(("", "\n".join(result.expected.lines)))
    if result.simulated is not None:
        sections.append(("", "\n".join(result.simulated.lines)))
    sections.append(("", in_short(result)))
    if result.rows:
        table = visible_table(result)
        sections.append(("", console.table_text(table.heads, table.cells, right=table.right)))
        sections.append((READING, "\n".join(table.meanings)))
    remarks = notes(result)
    sections += [("", "\n".join(remarks))] if remarks else []
    advice = "\n".join(f"* {text}" for text in result.advice)
    sections += [("Advice", advice)] if advice else []
    console.show_sections(sections)
