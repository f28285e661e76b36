"""The Learn page: bring a table, declare its schema, see the price, make something of it, take it away."""

from __future__ import annotations

import json
import time
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import FormData, UploadFile

from privpac.constructions.release.methods import METHODS
from privpac.constructions.words import WORDS
from privpac.data.schema import Schema
from privpac.errors import PrivpacError, SchemaError
from privpac.guarantee.ledger.ledger import Ledger
from privpac.report.forecast import on_pages
from privpac.report.summary import no_accuracy
from privpac.service.pages.drawers import Drawer
from privpac.service.pages.entrance import Form, Owner
from privpac.service.pages.jobs import BUSY, Tell, Withdrawal, seconds_since
from privpac.service.pages.learn.making import BASES
from privpac.service.pages.learn.orders import Order
from privpac.service.pages.learn.results import content_of, made_of, result_of, works_of
from privpac.service.pages.learn.sample_table import SAMPLE_NAME, SAMPLE_SCHEMA, sample_csv
from privpac.service.pages.learn.schema_form import KINDS, FieldProblem
from privpac.service.pages.learn.tables import Table, ending, open_table
from privpac.service.pages.render import leading_to, page, place_of, root_of
from privpac.service.pages.schema_files import schema_sent

__all__ = ["router"]

router = APIRouter(prefix="/learn")
LONGEST_NAME = 80


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
        sample=SAMPLE_NAME,
        work=works_of(place.drawers.owned(visitor.name)),
    )


@router.post("/table")
def bring(request: Request, visitor: Owner, form: Form) -> Response:
    """Take an upload into a private folder, or remember a table of this machine, and go on to its schema."""
    place = place_of(request)
    schema = schema_sent(form)
    with place.drawers.filling(visitor.name) as drawer:
        upload, name = form.get("file"), str(form.get("path", "")).strip()
        if name:
            path, title, is_upload = place.named(name), name, False
        else:
            if not isinstance(upload, UploadFile) or not upload.filename:
                raise SchemaError("No table was chosen.", remedy="Choose a CSV or Parquet file.")
            path = drawer.take(f"table{ending(upload.filename)}", upload.file, most=place.most_upload)
            title, is_upload = _display_name(upload.filename), True
        open_table(drawer, path, shown=title, uploaded=is_upload, schema=schema, limits=place.upload_limits)
    return leading_to(request, f"learn/{drawer.name}")


@router.post("/sample")
def try_sample(request: Request, visitor: Owner) -> Response:
    """A table of invented people, its schema filled in, to see how everything works."""
    place = place_of(request)
    drawer = place.drawers.new(visitor.name)
    path = drawer.write("table.csv", sample_csv())
    schema = Schema.from_json(SAMPLE_SCHEMA)
    open_table(
        drawer, path, shown=SAMPLE_NAME, uploaded=True, schema=schema, limits=place.upload_limits
    ).drawer.note(invented=True)
    return leading_to(request, f"learn/{drawer.name}")


def _display_name(name: str) -> str:
    """The last part of a name, to show to the person who sent it; never a path."""
    bare = PureWindowsPath(PurePosixPath(name).name).name[:LONGEST_NAME]
    return bare if bare.isprintable() and bare else "table"


@router.get("/model/{name}")
def result(request: Request, visitor: Owner, name: str) -> HTMLResponse:
    """What was made, and everything to take away."""
    template, context = result_of(place_of(request).drawers.open(name, visitor.name))
    return page(request, template, section="learn", **context)


@router.get("/model/{name}/{file}")
def download(request: Request, visitor: Owner, name: str, file: str) -> Response:
    """One of the files of what was made."""
    content, kind = content_of(place_of(request).drawers.open(name, visitor.name), file)
    return Response(
        content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{file}"'}
    )


@router.get("/{name}")
def declare(request: Request, visitor: Owner, name: str) -> Response:
    """The schema, column by column, the wishes, and the price.

    Of an upload that was learnt from, which is gone, the way to what was made.
    """
    drawers = place_of(request).drawers
    drawer = drawers.open(name, visitor.name)
    result = made_of(drawer, drawers.owned(visitor.name))
    if result and drawer.state.get("uploaded"):
        return leading_to(request, f"learn/model/{result.name}")
    return _declare(request, Table(drawer), made=result)


def _declare(request: Request, table: Table, *, status: int = 200, **more: object) -> HTMLResponse:
    form = table.form()
    return page(
        request,
        "schema.html",
        status=status,
        section="learn",
        **{
            "table": table,
            "form": form,
            "columns": json.dumps([column.to_json() for column in form.columns], ensure_ascii=False),
            "kinds": KINDS,
            "words": WORDS,
            "bases": BASES,
            "methods": METHODS,
            "ledger": _ledger(request),
            "name": table.drawer.name,
            "pasted": "",
            "refused": None,
            "made": None,
            "busy": table.drawer.state.get("job") in BUSY,
            **more,
        },
    )


@router.post("/{name}/schema")
def fill(request: Request, visitor: Owner, name: str, form: Form) -> Response:
    """Fill the form in with a schema that somebody has already; a wrong one is told where it was pasted."""
    table = Table(place_of(request).drawers.open(name, visitor.name))
    try:
        schema = schema_sent(form)
    except PrivpacError as error:
        return _declare(request, table, status=422, pasted=str(form.get("pasted", "")), refused=error)
    if schema is not None and table.drawer.state.get("job") not in BUSY:
        table.fill(schema)
    return leading_to(request, f"learn/{name}")


@router.post("/{name}/price")
def price(request: Request, visitor: Owner, name: str, form: Form) -> HTMLResponse:
    """What it would cost and promise; nothing is charged, and only a person's explicit wish reads records."""
    table = Table(place_of(request).drawers.open(name, visitor.name))
    return page(request, "parts/price.html", **_price(request, table, form))


@router.post("/{name}/run")
def run(request: Request, visitor: Owner, name: str, form: Form) -> HTMLResponse:
    """Begin; what is made follows in the background."""
    place = place_of(request)
    drawer = place.drawers.open(name, visitor.name)
    if drawer.state.get("job") in BUSY:
        return _progress(request, drawer)
    order = Order.of(Table(drawer), form)
    if problems := order.problems():
        problem = f"{_blanks(problems)}."
        return page(request, "parts/problem.html", problem=problem, remedy="Nothing was charged.")
    quote = order.quote()
    ledger, where = _ledger(request), place.books.where
    if order.charged and ledger is not None and quote.cost is not None:
        ledger.account().check(quote.cost)
    withdrawal = Withdrawal(drawer)

    def work(tell: Tell) -> None:
        with place.drawers.filling(visitor.name) as result:
            result.note(command=order.command(where), source=order.table.shown)
            order.run(ledger, tell, result, last_call=withdrawal.pay)
            withdrawal.pay()  # where nothing was charged, this is the last call
        result.note(charged=order.charged and quote.cost is not None, since=time.time())
        if order.table.uploaded:
            order.table.path.unlink(missing_ok=True)
        drawer.note(made=result.name)

    place.jobs.start(drawer, work, made=None)
    return _progress(request, drawer)


@router.get("/{name}/progress")
def progress(request: Request, visitor: Owner, name: str) -> HTMLResponse:
    """How far it is; when it is done, the way to what was made."""
    return _progress(request, place_of(request).drawers.open(name, visitor.name))


@router.post("/{name}/cancel")
def cancel(request: Request, visitor: Owner, name: str) -> HTMLResponse:
    """Withdraw, as long as nothing is charged; what is charged for is delivered."""
    drawer = place_of(request).drawers.open(name, visitor.name)
    if drawer.state.get("job") in BUSY:
        Withdrawal(drawer).cancel()
    return _progress(request, drawer)


@router.post("/{name}/remove")
def remove(request: Request, visitor: Owner, name: str) -> Response:
    """Forget the upload now."""
    place_of(request).drawers.open(name, visitor.name).remove()
    return leading_to(request, "learn")


def _progress(request: Request, drawer: Drawer) -> HTMLResponse:
    state = drawer.state
    answer = page(
        request,
        "parts/progress.html",
        state=state,
        poll=f"learn/{drawer.name}/progress",
        cancel=f"learn/{drawer.name}/cancel",
        decision=Withdrawal(drawer).decision,
        seconds=seconds_since(state),
        title="Learning",
    )
    if state.get("job") == "done":
        answer.headers["HX-Redirect"] = f"{root_of(request)}learn/model/{state['made']}"
    return answer


def _ledger(request: Request) -> Ledger | None:
    """What learning may be charged to."""
    books = place_of(request).books
    return books.ledger if books.charges_learning else None


def _price(request: Request, table: Table, form: FormData) -> dict[str, Any]:
    """The price, or what is still in its way: quietly while a form is filled in, as a problem once it was sent."""
    was_sent = form.get("attempted") == "yes"
    problems: list[FieldProblem] = []
    try:
        order = Order.of(table, form)
        problems = order.problems()
        if not problems:
            return {"problems": "[]", "wrong": None, "blanks": None, **_quote(request, order)}
    except PrivpacError as error:
        sentence = place_of(request).drawers.nameless(error.problem).removeprefix("learn: ")
        problems = [FieldProblem(sentence[0].upper() + sentence[1:], error.parameter or "")]
        was_sent = was_sent or error.parameter is None
    return {
        "problems": json.dumps([one.to_json() for one in problems] if was_sent else []),
        "wrong": [one for one in problems if one.column is None] if was_sent else None,
        "blanks": _blanks(problems),
    }


def _blanks(problems: list[FieldProblem]) -> str:
    """What is left to fill in, in one line."""
    columns = sum(1 for one in problems if one.column is not None)
    texts = ["choose the label"] if any(one.field == "label" for one in problems) else []
    texts += [f"fill in {columns:,} column{'s' * (columns > 1)}"] if columns else []
    text = " and ".join(texts) or problems[0].text.rstrip(".")
    return text[0].upper() + text[1:]


def _quote(request: Request, order: Order) -> dict[str, Any]:
    quote, ledger = order.quote(), _ledger(request) if order.charged else None
    account = None if ledger is None or quote.cost is None else ledger.account()
    certificate = quote.certificate
    schema = None if order.reads_data else json.dumps(order.fields.to_json(), indent=1, ensure_ascii=False)
    return {
        "certificate": certificate,
        "later": quote.cost is None,
        "facts": [str(proof.fact) for proof in certificate.accuracy],
        "unproved": no_accuracy(certificate.to_json()),
        "expected": [] if quote.expected is None else [*map(on_pages, quote.expected.lines)],
        "advice": None if quote.advice is None else on_pages(quote.advice),
        "asks_anyway": quote.is_doubtful,
        "order": order,
        "left": None if account is None else account.remainder,
        "afterwards": None if account is None or quote.cost is None else account.remainder_after(quote.cost),
        "command": order.command(place_of(request).books.where),
        "schema": schema,
    }
