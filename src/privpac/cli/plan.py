"""`privpac plan`: how many records are enough, and how few are hopeless."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.cli.options import Aim, Protect, count, file, flag, number, option
from privpac.errors import ParameterError, PrivpacError

if TYPE_CHECKING:
    from privpac.plan import Plan
    from privpac.plan.optimum import OptimumTable
    from privpac.plan.question import Kind, Question

__all__ = ["plan"]

OWNER = "plan"
AGAINST = ("epsilon", "error", "bits")


def plan(
    *,
    concepts: Annotated[
        str,
        option(
            "WORD",
            "What to choose from: auto, thresholds, points, intervals, unions:K, rectangles:K, stumps, one-test,"
            " trees:DEPTH, staged:D1+D2, lists:K, conjunctions:K, disjunctions:K, clauses:K, scorecards:K,"
            " halfspaces:K, card, risk-tree, any:VC; with --schema as in privpac learn (thresholds:COLUMN).",
        ),
    ] = "auto",
    error: Annotated[
        str | None, number("Largest error to promise. Left out: the smallest one is computed.")
    ] = None,
    epsilon: Annotated[str | None, number("Privacy loss. Left out: the smallest one is computed.")] = None,
    records: Annotated[str | None, count("Records at hand. Left out: those needed are computed.")] = None,
    failure: Annotated[str, number("How likely the promise may fail.")] = "0.05",
    delta: Annotated[str, number("Privacy delta; 0 is pure privacy.")] = "0",
    noise: Annotated[str | None, number("The best rule is known to err at most so often.")] = None,
    unlabelled: Annotated[str | None, count("Records without labels at hand; left out: any number.")] = None,
    protect: Protect = "records",
    aim: Aim = "label",
    release: Annotated[
        bool,
        flag(
            "--release",
            "Not a rule but a whole table: records after which all points, thresholds or intervals (the"
            " word of --concepts) are answered within --error.",
        ),
    ] = False,
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
    bits: Annotated[
        int | None,
        option(
            "B",
            "A column has 2^B values; 2^32 if only --columns is given (any:VC: the class has 2^B members).",
        ),
    ] = None,
    columns: Annotated[
        int | None, option("C", "Columns of the table: enough for every word but any:VC and reference.")
    ] = None,
    tests: Annotated[
        int | None, option("P", "Yes-or-no tests of trees, lists and the like, instead of columns.")
    ] = None,
    schema: Annotated[str | None, file("Public description of the table, instead of numbers.")] = None,
    simulate: Annotated[
        bool,
        flag(
            "--simulate",
            "Also try it on invented records: what privacy costs, and how that falls with records and epsilon.",
        ),
    ] = False,
    table: Annotated[str | None, file("Simulate on this table, which must be public or synthetic.")] = None,
    marginals: Annotated[str | None, file("Simulate on tables with these public marginals (JSON).")] = None,
    seconds: Annotated[
        str,
        option(
            "S",
            "How long to simulate; longer gives narrower intervals. Numeric code that is compiled for the first"
            " time, which privpac warm does beforehand, is part of it.",
        ),
    ] = "40",
    optimum: Annotated[
        bool,
        flag(
            "--optimum",
            "Also how often the best private learner there is fails, by linear programming: thresholds or points"
            " on a few cells.",
        ),
    ] = False,
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
        _show_answers(answers, epsilon=epsilon, delta=delta, wrong=error, as_json=as_json)
        return
    from privpac.constructions.rule_lists import with_rules

    destination = _picture(picture, keep=(schema, table, marginals))
    # A plan multiplies no matrices, and starting threads for that takes a tenth of its time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from privpac.plan.plan import make
    from privpac.plan.question import Question

    question = Question.read(
        _kind(error, epsilon, records),
        with_rules(concepts),
        error=error,
        epsilon=epsilon,
        records=records,
        failure=failure,
        delta=delta,
        noise=noise,
        unlabelled=unlabelled,
        protect=protect,
        release=release,
        aim=aim,
        bits=bits,
        columns=columns,
        tests=tests,
        schema=schema,
    )
    if simulate or table is not None or marginals is not None:
        result = _simulate(question, table, marginals, seconds, as_json=as_json)
    else:
        result = make(question)
    best = None
    if optimum:
        with console.working("Solving", as_json=as_json):
            best = result.optimum()
    _show(result, best, as_json=as_json)
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


def _show_answers(answers: int, *, epsilon: str | None, delta: str, wrong: str | None, as_json: bool) -> None:
    """The price of one of many answers, and how many models it takes."""
    from privpac.plan.answers import answer_prices

    result = answer_prices(answers=answers, epsilon=epsilon, delta=delta, wrong=wrong)
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


def _kind(error: str | None, epsilon: str | None, records: str | None) -> Kind:
    """The question is the number that was left out."""
    if error is not None and epsilon is not None:
        return "needed"
    if records is not None and epsilon is not None:
        return "reachable"
    if records is not None and error is not None:
        return "smallest_epsilon"
    raise PrivpacError(
        "Two of --records, --error and --epsilon are needed; the third is computed.",
        remedy="For example: privpac plan --records 3000 --columns 12 --epsilon 0.5",
    )


def _simulate(
    question: Question, table: str | None, marginals: str | None, seconds: str, *, as_json: bool
) -> Plan:
    from privpac.cli.cache import Cache
    from privpac.plan.plan import make
    from privpac.plan.simulation import Simulation, read_seconds

    console.note(f"Simulating for up to {seconds} s.", as_json=as_json)
    with console.progress("Simulating", as_json=as_json) as bar:

        def progress(what: str, part: int, of: int) -> None:
            bar(part, of)

        return make(question, Simulation(table, marginals, Cache("plans"), progress, read_seconds(seconds)))


def _show(result: Plan, best: OptimumTable | None, *, as_json: bool) -> None:
    if as_json:
        console.show_json(result.to_json() | ({} if best is None else {"optimum": best.to_json()}))
        return
    from privpac.plan.columns import visible_table
    from privpac.plan.words import READING, further_advice, in_short, notes, question_text

    sections = [("", question_text(result))]
    if summary := in_short(result):
        sections.append(("", summary))
    if result.answers:
        table = visible_table(result)
        sections.append(("", console.table_text(table.heads, table.cells, right=table.right)))
        sections.append((READING, "\n".join(table.meanings)))
    remarks = notes(result)
    sections += [("", "\n".join(remarks))] if remarks else []
    if best is not None:
        sections.append(("The best private learner: how often it fails, beside the others", str(best)))
    advice = further_advice(result)
    sections += [("Advice", "\n".join(f"* {text}" for text in advice))] if advice else []
    console.show_sections(sections)
