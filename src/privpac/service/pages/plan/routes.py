"""The Plan page: three questions, live answers and curves, simulation on demand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from privpac.errors import PrivpacError
from privpac.plan.words import grid_notes, question_text
from privpac.service.pages.drawers import Drawer
from privpac.service.pages.entrance import Form, SignedIn
from privpac.service.pages.jobs import Tell
from privpac.service.pages.plan.form import AGAINST, CLASSES, QUESTIONS, PlanForm
from privpac.service.pages.plan.view import chart, headline, table
from privpac.service.pages.render import page, part, place_of, rendered

__all__ = ["router"]

router = APIRouter(prefix="/plan")
RESULT = "result.html"
SECONDS = 15
"""About how long somebody waits for a simulation."""


@router.get("")
def whole(request: Request, visitor: SignedIn) -> HTMLResponse:
    """The form, with the answer to what the address says."""
    form = PlanForm.of(request.query_params)
    return page(request, "plan.html", section="plan", **_form_context(form), **_result_context(form))


@router.get("/result")
def result(request: Request, visitor: SignedIn) -> HTMLResponse:
    """The answer alone, while a person edits; wrong numbers are a sentence beside the form, not an error."""
    form = PlanForm.of(request.query_params)
    answer = part(request, "parts/plan_answer.html", **_form_context(form), **_result_context(form))
    answer.headers["HX-Replace-Url"] = f"{request.scope.get('root_path', '')}/plan?{form.query}"
    return answer


@router.get("/curves")
def curves(request: Request, visitor: SignedIn) -> HTMLResponse:
    """The picture's data, apart from the numbers since it takes longer."""
    form, dots = PlanForm.of(request.query_params), "dots" in request.query_params
    data = chart(form, dots=dots)
    return part(request, "parts/plan_curves.html", form=form, chart=_json(data), data=data, dots=dots)


@router.post("/simulate")
def simulate(request: Request, visitor: SignedIn, fields: Form) -> HTMLResponse:
    """Begin to simulate what was asked; the answer follows in the background."""
    form = PlanForm.of({name: str(value) for name, value in fields.items()})
    form.ask()  # wrong numbers are refused at once
    place = place_of(request)
    drawer = place.drawers.new(visitor.name)
    place.jobs.start(drawer, lambda tell: _simulated(drawer, form, tell, request))
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
    return part(
        request, "parts/progress.html", state=state, poll=f"plan/simulate/{drawer.name}", title="Simulating"
    )


def _simulated(drawer: Drawer, form: PlanForm, tell: Tell, request: Request) -> None:
    plan = form.ask(simulate=True, seconds=SECONDS, progress=tell)
    context = {"root": request.scope.get("root_path", "").rstrip("/") + "/"}
    drawer.write(
        RESULT,
        rendered(
            "parts/plan_answer.html", **context, **_form_context(form), **_context(form, plan, simulated=True)
        ),
    )


def _form_context(form: PlanForm) -> dict[str, Any]:
    return {"form": form, "questions": QUESTIONS, "classes": CLASSES, "axes": AGAINST}


def _result_context(form: PlanForm) -> dict[str, Any]:
    try:
        plan = form.ask()
    except PrivpacError as error:
        return {"wrong": {"problem": _about(error), "remedy": error.remedy}}
    return _context(form, plan)


def _about(error: PrivpacError) -> str:
    return error.problem.removeprefix("plan: ").capitalize()


def _context(form: PlanForm, plan: Any, *, simulated: bool = False) -> dict[str, Any]:
    return {
        "wrong": None,
        "sentence": question_text(plan),
        "headline": headline(plan),
        "rows": table(plan),
        "advice": [
            *(f"{text}." for text in grid_notes(plan)),
            *(text.replace("--simulate", "Simulate (below)") for text in plan.advice),
        ],
        "command": form.command(),
        "simulated": simulated,
    }


def _json(tree: Mapping[str, Any]) -> str:
    return json.dumps(tree, separators=(",", ":"))
