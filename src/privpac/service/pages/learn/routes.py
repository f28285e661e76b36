"""The Learn page: bring a table, declare its schema, see the price, learn, read the rule."""

from __future__ import annotations

import json
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup
from starlette.datastructures import UploadFile

from privpac.constructions.words import WORDS
from privpac.data.schema import Schema
from privpac.errors import PrivpacError, SchemaError
from privpac.guarantee.certificate import SEEDED
from privpac.guarantee.ledger.ledger import Ledger
from privpac.model import Model, load
from privpac.releasing import cost_of
from privpac.report.page import (
    confusion_table,
    estimate_figure,
    figures_list,
    headline,
    ranks_figure,
    report_html,
)
from privpac.report.pictures import picture
from privpac.report.summary import costs_text, no_accuracy, sql_text
from privpac.service.pages.drawers import Drawer
from privpac.service.pages.entrance import Form, Owner
from privpac.service.pages.guards import Refusal
from privpac.service.pages.learn.schema_form import KINDS
from privpac.service.pages.learn.work import Order, Table, ending, keep_model, open_table
from privpac.service.pages.render import page, part, place_of

__all__ = ["router"]

router = APIRouter(prefix="/learn")
LONGEST_NAME = 80
MOST_SCHEMA = 4 << 20


@router.get("")
def begin(request: Request, visitor: Owner) -> HTMLResponse:
    """Bring a table."""
    place = place_of(request)
    return page(
        request,
        "learn.html",
        section="learn",
        most=place.most_upload >> 20,
        tables=place.listed(),
        folder=place.folder,
    )


@router.post("/table")
def bring(request: Request, visitor: Owner, form: Form) -> Response:
    """Take an upload into a private folder, or remember a table of this machine, and go on to its schema."""
    place = place_of(request)
    schema = _schema_file(form.get("schema"))
    drawer = place.drawers.new(visitor.name)
    try:
        upload, name = form.get("file"), str(form.get("path", "")).strip()
        if name:
            path, shown, uploaded = place.named(name), name, False
        else:
            if not isinstance(upload, UploadFile) or not upload.filename:
                raise SchemaError("No table was chosen.", remedy="Choose a CSV or Parquet file.")
            path = drawer.take(f"table{ending(upload.filename)}", upload.file, most=place.most_upload)
            shown, uploaded = _displayed(upload.filename), True
        open_table(drawer, path, shown=shown, uploaded=uploaded, schema=schema, limits=place.upload_limits)
    except BaseException:
        drawer.remove()
        raise
    return RedirectResponse(f"{_root(request)}learn/{drawer.name}", status_code=303)


def _displayed(name: str) -> str:
    """The last part of a name, to show to the person who sent it; never a path."""
    bare = PureWindowsPath(PurePosixPath(name).name).name[:LONGEST_NAME]
    return bare if bare.isprintable() and bare else "table"


def _schema_file(upload: object) -> Schema | None:
    if not isinstance(upload, UploadFile) or not upload.filename:
        return None
    text = upload.file.read(MOST_SCHEMA + 1)
    if len(text) > MOST_SCHEMA:
        raise SchemaError("The schema file is too long.", remedy="A schema has a line per column.")
    try:
        words = text.decode("utf-8")
    except UnicodeDecodeError:
        raise SchemaError(
            "The schema file is not UTF-8 text.", remedy="Write a draft with: privpac schema DATA"
        ) from None
    if not words.lstrip().startswith("{"):
        raise SchemaError("The schema file is not a JSON object.", remedy='It starts with {"label": ...')
    return Schema.from_json(words)


@router.get("/model/{name}")
def result(request: Request, visitor: Owner, name: str) -> HTMLResponse:
    """The rule that was learnt, and everything to take away."""
    drawer, model = _model(request, visitor.name, name)
    return page(request, "model.html", section="learn", drawer=drawer, **_model_context(model, drawer))


@router.get("/model/{name}/{file}")
def download(request: Request, visitor: Owner, name: str, file: str) -> Response:
    """model.json, schema.json or report.html."""
    drawer, model = _model(request, visitor.name, name)
    if file == "report.html":
        content, kind = report_html(model), "text/html"
    elif file in ("model.json", "schema.json"):
        content, kind = drawer.file(file).read_text(encoding="utf-8"), "application/json"
    else:
        raise Refusal(404, "There is no such file.", "Take one of those on the page.")
    return Response(
        content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{file}"'}
    )


@router.get("/{name}")
def declare(request: Request, visitor: Owner, name: str) -> HTMLResponse:
    """The schema, column by column, the wishes, and the price."""
    place = place_of(request)
    table = Table(place.drawers.open(name, visitor.name))
    return page(
        request,
        "schema.html",
        section="learn",
        table=table,
        form=table.form(),
        kinds=KINDS,
        words=WORDS,
        ledger=_ledger(request),
        name=name,
    )


@router.post("/{name}/price")
def price(request: Request, visitor: Owner, name: str, form: Form) -> HTMLResponse:
    """What it would cost and promise; nothing is charged, and only a person's explicit wish reads records."""
    place = place_of(request)
    order = Order.of(Table(place.drawers.open(name, visitor.name)), form)
    return part(request, "parts/price.html", **_price_context(request, order), name=name)


@router.post("/{name}/run")
def run(request: Request, visitor: Owner, name: str, form: Form) -> HTMLResponse:
    """Begin to learn; the rule follows in the background."""
    place = place_of(request)
    drawer = place.drawers.open(name, visitor.name)
    if drawer.state.get("job") in ("waiting", "running"):
        return _progress(request, drawer)
    order = Order.of(Table(drawer), form)
    _, certificate = order.certify()
    ledger, where = _ledger(request), place.books.where
    if order.charged and ledger is not None:
        ledger.account().check(cost_of(certificate))

    def work(tell: Any) -> None:
        model = order.run(ledger, tell)
        made = place.drawers.new(visitor.name)
        keep_model(made, model, order, where)
        drawer.note(made=made.name)
        if order.table.uploaded:
            order.table.path.unlink(missing_ok=True)

    place.jobs.start(drawer, work, made=None)
    return _progress(request, drawer)


@router.get("/{name}/progress")
def progress(request: Request, visitor: Owner, name: str) -> HTMLResponse:
    """How far it is; when it is done, the way to the rule."""
    return _progress(request, place_of(request).drawers.open(name, visitor.name))


@router.post("/{name}/remove")
def remove(request: Request, visitor: Owner, name: str) -> Response:
    """Forget the upload now."""
    place_of(request).drawers.open(name, visitor.name).remove()
    return RedirectResponse(f"{_root(request)}learn", status_code=303)


def _progress(request: Request, drawer: Drawer) -> HTMLResponse:
    state = drawer.state
    answer = part(
        request, "parts/progress.html", state=state, poll=f"learn/{drawer.name}/progress", title="Learning"
    )
    if state.get("job") == "done":
        if Table(drawer).uploaded:
            drawer.remove()
        answer.headers["HX-Redirect"] = f"{_root(request)}learn/model/{state['made']}"
    return answer


def _ledger(request: Request) -> Ledger | None:
    """What learning may be charged to."""
    books = place_of(request).books
    return books.ledger if books.charges_learning else None


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", "")).rstrip("/") + "/"


def _price_context(request: Request, order: Order) -> dict[str, Any]:
    books = place_of(request).books
    try:
        recipe, certificate = order.certify()
    except PrivpacError as error:
        return {
            "wrong": {
                "problem": place_of(request).drawers.nameless(error.problem).removeprefix("learn: "),
                "remedy": error.remedy,
            }
        }
    ledger = _ledger(request) if order.charged else None
    account = None if ledger is None else ledger.account()
    return {
        "wrong": None,
        "certificate": certificate,
        "facts": [str(proof.fact) for proof in certificate.accuracy],
        "none": no_accuracy(certificate.to_json()),
        "advice": recipe.advice,
        "order": order,
        "left": None if account is None else account.remainder,
        "afterwards": None if account is None else account.remainder_after(cost_of(certificate)),
        "command": order.command(books.where),
        "schema": None
        if order.reads_data
        else json.dumps(order.fields.to_json(), indent=1, ensure_ascii=False),
        "factor": certificate.epsilon,
    }


def _model(request: Request, visitor: str, name: str) -> tuple[Drawer, Model]:
    drawer = place_of(request).drawers.open(name, visitor)
    if "command" not in drawer.state:
        raise Refusal(404, "There is no rule here.", "Learn one first.")
    return drawer, load(drawer.file("model.json"))


def _model_context(model: Model, drawer: Drawer) -> dict[str, Any]:
    tree, estimate = model.certificate, model.estimate
    return {
        "model": model,
        "headline": headline(model),
        "seeded": SEEDED if tree["coins"] != "system" else None,
        "records": (tree["request"] or tree)["labelled"],
        "picture": Markup(picture(model.hypothesis, model.schema, leaf_counts=model.leaf_counts)),
        "estimate": None if estimate is None else Markup(estimate_figure(estimate)),
        "figures": Markup(figures_list(model)),
        "ranks": Markup(ranks_figure(model)),
        "costs": costs_text(model),
        "confusion": None if estimate is None else Markup(confusion_table(estimate, model.schema.classes)),
        "sql": sql_text(model),
        "command": drawer.state["command"],
        "charged": drawer.state.get("charged"),
    }
