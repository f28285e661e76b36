"""The Plan page: three questions, live answers and curves, simulation on demand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from privpac.data.schema import Schema
from privpac.errors import PrivpacError
from privpac.planning.making import Plan
from privpac.planning.text import grid_notes, headings, question_text, verdict
from privpac.report.forecast import on_pages
from privpac.service.pages.drawers import Drawer
from privpac.service.pages.entrance import Form, SignedIn
from privpac.service.pages.jobs import Tell, seconds_since
from privpac.service.pages.plan.form import AGAINST, QUESTIONS, PlanForm
from privpac.service.pages.plan.view import COLUMNS, chart, headline, table
from privpac.service.pages.render import leading_to, page, place_of, rendered, root_of
from privpac.service.pages.schema_files import schema_sent
from privpac.service.pages.visitors import Visitor

__all__ = ["router"]

router = APIRouter(prefix="/plan")
RESULT, SCHEMA = "result.html", "schema.json"
SECONDS = 15.0
"""About how long somebody waits for a simulation."""


@router.get("")
def whole(request: Request, visitor: SignedIn) -> HTMLResponse:
    """The form, with the answer to what the address says."""
    form = _form_of(request, visitor, request.query_params)
    return page(request, "plan.html", section="plan", **_form_context(form), **_result_context(form))


@router.post("/schema")
def describe(request: Request, visitor: SignedIn, fields: Form) -> Response:
    """Plan for the columns of a schema instead of numbers; a wrong one is told where it was pasted."""
    try:
        schema = schema_sent(fields)
    except PrivpacError as error:
        form, text = PlanForm.of({}), str(fields.get("pasted", ""))
        context = {**_form_context(form), "refused": error, "pasted": text, **_result_context(form)}
        return page(request, "plan.html", section="plan", status=422, **context)
    if schema is None:
        return leading_to(request, "plan")
    drawer = place_of(request).drawers.new(visitor.name)
    drawer.write(SCHEMA, json.dumps(schema.to_json(), ensure_ascii=False))
    return leading_to(request, f"plan?schema={drawer.name}")


def _form_of(request: Request, visitor: Visitor, fields: Mapping[str, str]) -> PlanForm:
    """The form, with the schema whose drawer it names."""
    name = str(fields.get("schema", ""))
    if not name:
        return PlanForm.of(fields)
    file = place_of(request).drawers.open(name, visitor.name).file(SCHEMA)
    return PlanForm.of(fields, Schema.from_json(file.read_text(encoding="utf-8")))


@router.get("/result")
def result(request: Request, visitor: SignedIn) -> HTMLResponse:
    """The answer alone, while a person edits; wrong numbers are a sentence beside the form, not an error."""
    form = _form_of(request, visitor, request.query_params)
    answer = page(request, "parts/plan_answer.html", **_form_context(form), **_result_context(form))
    answer.headers["HX-Replace-Url"] = f"{request.scope.get('root_path', '')}/plan?{form.query}"
    return answer


@router.get("/curves")
def curves(request: Request, visitor: SignedIn) -> HTMLResponse:
    """The picture's data, apart from the numbers since it takes longer."""
    form = _form_of(request, visitor, request.query_params)
    data = chart(form)
    text = json.dumps(data, separators=(",", ":"))
    return page(request, "parts/plan_curves.html", form=form, chart=text, data=data)


@router.post("/simulate")
def simulate(request: Request, visitor: SignedIn, fields: Form) -> HTMLResponse:
    """Begin to simulate what was asked; the answer follows in the background."""
    form = _form_of(request, visitor, {name: str(value) for name, value in fields.items()})
    form.ask()  # wrong numbers are refused at once
    place = place_of(request)
    drawer = place.drawers.new(visitor.name)
    place.jobs.start(drawer, lambda tell: _simulate(drawer, form, tell, request))
    return _progress(request, drawer)


@router.get("/simulate/{name}")
def simulated(request: Request, visitor: SignedIn, name: str) -> HTMLResponse:
    """How far it is; when it is done, the answer."""
    drawer = place_of(request).drawers.open(name, visitor.name)
    if drawer.state.get("job") != "done":
        return _progress(request, drawer)
    text = drawer.file(RESULT).read_text(encoding="utf-8")
    drawer.remove()
    # The whole answer anew, not inside the corner where the progress was.
    return HTMLResponse(text, headers={"HX-Retarget": "#answer", "HX-Reswap": "innerHTML"})


def _progress(request: Request, drawer: Drawer) -> HTMLResponse:
    state = drawer.state
    return page(
        request,
        "parts/progress.html",
        state=state,
        poll=f"plan/simulate/{drawer.name}",
        cancel=None,
        decision=None,
        seconds=seconds_since(state),
        title="Simulating",
    )


def _simulate(drawer: Drawer, form: PlanForm, tell: Tell, request: Request) -> None:
    plan = form.simulate(SECONDS, lambda done, of: tell("simulating", done, of))
    context = {**_form_context(form), **_context(form, plan)}
    drawer.write(RESULT, rendered("parts/plan_answer.html", root=root_of(request), **context))


def _form_context(form: PlanForm) -> dict[str, Any]:
    return {
        "form": form,
        "questions": QUESTIONS,
        "classes": form.classes,
        "axes": AGAINST,
        "refused": None,
        "pasted": "",
    }


def _result_context(form: PlanForm) -> dict[str, Any]:
    try:
        plan = form.ask()
    except PrivpacError as error:
        problem = error.problem.removeprefix("plan: ").capitalize()
        return {"wrong": {"problem": problem, "remedy": error.remedy}}
    return _context(form, plan)


def _context(form: PlanForm, plan: Plan) -> dict[str, Any]:
    return {
        "wrong": None,
        "sentence": question_text(plan),
        "headline": headline(plan),
        "verdict": " ".join(verdict(plan)),
        "rows": table(plan),
        "heads": dict(zip(COLUMNS, headings(plan), strict=True)),
        "expected": [] if plan.expected is None else [*map(on_pages, plan.expected.lines)],
        "advice": [
            *(f"{text}." for text in grid_notes(plan)),
            *(text.replace("--simulate", "Simulate (below)") for text in plan.advice),
        ],
        "command": form.command(),
        "can_simulate": plan.simulated is None
        and None not in (plan.question.asked.records, plan.question.asked.epsilon),
        "simulated": [] if plan.simulated is None else [*map(on_pages, plan.simulated.lines)],
    }
