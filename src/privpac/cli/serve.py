"""`privpac serve`: answers over HTTP from a bundle, each charged to a ledger."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.options import argument, count, flag, number, option
from privpac.errors import MissingExtra, ParameterError

if TYPE_CHECKING:
    from privpac.service.serving import Service

__all__ = ["ledger_address", "serve"]

LedgerUrl = Annotated[
    str | None, option("URL", "The ledger: sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME.")
]


def ledger_address(place: str) -> str:
    """A URL as it is, and a plain path as the URL of that file."""
    from privpac.service.serving import file_url

    return place if "://" in place else file_url(place)


def require_serve() -> None:
    """Refuse with the name of the extra if the packages of the service are not installed."""
    try:
        import alembic
        import fastapi
        import prometheus_client
        import sqlalchemy
        import uvicorn
    except ImportError:
        raise MissingExtra("The prediction service", "serve") from None
    del alembic, fastapi, prometheus_client, sqlalchemy, uvicorn


def serve(
    bundle: Annotated[
        str | None, argument("BUNDLE", "What `privpac learn --protect predictions` made.")
    ] = None,
    *,
    demo: Annotated[
        bool, flag("--demo", "Serve a bundle of simulated records, to try it: no BUNDLE, no data.")
    ] = False,
    ledger: LedgerUrl = None,
    epsilon: Annotated[str | None, number("Make the ledger with this total, if there is none.")] = None,
    delta: Annotated[str, number("The total's delta: with one, many more answers fit.")] = "0",
    host: Annotated[str, option("ADDRESS", "Where to listen.")] = "127.0.0.1",
    port: Annotated[int, count("Where to listen; 0: any free port.")] = 8000,
    workers: Annotated[int, count("Processes that answer.")] = 1,
    pages: Annotated[
        bool | None, flag("--pages/--no-pages", "Pages for people; by default on a loopback address.")
    ] = None,
    rate: Annotated[float, number("Requests per second of one key, in each process.")] = 100.0,
    max_rows: Annotated[int, count("Rows of one request.")] = 1_000,
    max_bytes: Annotated[int, count("Bytes of one request.")] = 1_048_576,
    connections: Annotated[int, count("Connections to each process.")] = 500,
    trust: Annotated[
        list[str] | None,
        option("TYPE", "A further type of models that may be loaded, besides scikit-learn's."),
    ] = None,
    migrate: Annotated[
        bool, flag("--migrate", "Bring the tables of a PostgreSQL ledger up to date first.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Serve answers over HTTP, each of them charged.

    BUNDLE answers at POST /v1/predict, and every request needs a key (`privpac keys create`). Every new
    question is charged to the ledger before it is answered; a bundle with answers declared beforehand counts
    them itself and takes no ledger.
    """
    require_serve()
    if demo:
        with tempfile.TemporaryDirectory(prefix="privpac-demo-") as folder:
            if bundle is not None or ledger is not None or epsilon is not None:
                raise ParameterError("serve", "demo", True, allowed="alone: it brings a bundle and a ledger")
            _demonstrate(Path(folder), host=host, port=port, as_json=as_json)
        return
    if bundle is None:
        raise ParameterError(
            "serve", "BUNDLE", None, allowed="a folder that answers", remedy="Try --demo to see one at work."
        )
    from privpac.service.server import listen, run
    from privpac.service.serving import Service
    from privpac.service.settings import Limits, Settings, is_loopback

    address = None if ledger is None else ledger_address(ledger)
    settings = Settings(
        bundle,
        address,
        host=host,
        port=port,
        workers=workers,
        limits=Limits(max_bytes, max_rows, rate, connections=connections),
        pages=is_loopback(host) if pages is None else pages,
        trusted=tuple(trust or ()),
    )
    with contextlib.closing(listen(settings)) as listening:
        settings = replace(settings, port=listening.getsockname()[1])
        with console.collecting() as warning_texts:
            service = Service.open(settings, epsilon=epsilon, delta=delta, upgrade=migrate)
        console.warn(*warning_texts, as_json=as_json)
        _announce(service, as_json=as_json)
        run(settings, service, listening)


def _demonstrate(folder: Path, *, host: str, port: int, as_json: bool) -> None:
    """Make a bundle, a ledger and a key in a folder that is removed afterwards, and serve them."""
    from privpac.service.demo import make_demo
    from privpac.service.server import listen, run
    from privpac.service.serving import Service
    from privpac.service.settings import Settings, is_loopback

    with console.working("Preparing", as_json=as_json):
        demo = make_demo(folder)
    settings = Settings(str(demo.bundle), demo.ledger, host=host, port=port, pages=is_loopback(host))
    with contextlib.closing(listen(settings)) as listening:
        settings = replace(settings, port=listening.getsockname()[1])
        url = f"http://{settings.host}:{settings.port}"
        service = Service.open(settings)
        facts = {"url": url, "key": demo.key, "question": demo.question}
        console.show_result(facts, demo.words(url), as_json=as_json)
        sys.stdout.flush()
        run(settings, service, listening)


def _announce(service: Service, *, as_json: bool) -> None:
    from privpac.service.access import keys

    place = service.settings
    facts = {"url": f"http://{place.host}:{place.port}", "ledger": service.store.where}
    text = f"Answers at {facts['url']}/v1/predict, charged to {facts['ledger']}."
    console.show_result(facts, text, as_json=as_json)
    sys.stdout.flush()  # whoever waits for this line through a pipe should not wait until the end
    if not keys.any_in_use(service.store):
        console.note(
            "Nobody has a key yet. Make one with: privpac keys create --role analyst "
            f"--ledger {service.store.where}",
            as_json=as_json,
        )
