"""`privpac.Client` and the service, over a real socket."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

import pandas as pd
import pytest
import uvicorn

from privpac import AsyncClient, Client
from privpac.client import Answers
from privpac.errors import AccessDenied, BudgetExceeded, DataError, ServiceError, SizeError
from privpac.service.app import create_app
from tests.service.asking import SCHEMA, Served, row


@contextmanager
def listening(served: Served) -> Iterator[str]:
    """The service's address while it listens."""
    service = served.service
    app = create_app(service.settings, service=service)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def test_a_client_asks_pays_and_is_refused(serve: Callable[..., Served]) -> None:
    served = serve(2, rows=5)  # room for four answers
    with listening(served) as url, Client(url, served.analyst) as client:
        assert client.schema() == SCHEMA
        assert client.certificate() == served.service.bundle.certificate
        first = client.predict(pd.DataFrame({"kind": ["u", "v"], "age": [10, 90], "name": ["x", "y"]}))
        assert (first.price, first.left.epsilon, first.left.answers) == (1, 1, 2)
        assert set(first) <= {"no", "yes"}
        again = client.predict([row(10), row(90, "v")])
        assert (again.answers, again.price) == (first.answers, 0)
        with pytest.raises(BudgetExceeded, match="room for 2") as caught:
            client.predict([row(1), row(2), row(3)])
        assert caught.value.left == 2
        kept = client.predict([row(1), row(2)], idempotency_key="mine")
        assert client.predict([row(1), row(2)], idempotency_key="mine") == kept
        assert client.budget()["dataset"]["epsilon"] == {"total": "2", "spent": "2", "left": "0"}
    assert served.book.left.epsilon == Fraction(0)


def test_refusals_become_our_exceptions(serve: Callable[..., Served]) -> None:
    served = serve(100, rows=5)
    with listening(served) as url, Client(url, served.analyst) as client:
        with pytest.raises(DataError) as wrong:
            client.predict([row("old")])
        assert wrong.value.column == "age"
        with pytest.raises(SizeError):
            client.predict([row(age) for age in range(6)])
        client.predict([row(1)], idempotency_key="one")
        with pytest.raises(ServiceError) as reused:
            client.predict([row(2)], idempotency_key="one")
        assert (reused.value.status, reused.value.code) == (409, "idempotency_key_reused")
        with pytest.raises(AccessDenied):
            Client(url, "wrong").budget()
    assert len(served.book.entries()) == 1


@pytest.mark.long
def test_a_rate_limit_is_waited_for(serve: Callable[..., Served]) -> None:
    served = serve(100, requests_per_second=1.0)
    with listening(served) as url, Client(url, served.analyst) as client:
        begin = time.monotonic()
        for age in range(4):
            client.predict([row(age)])
        assert time.monotonic() - begin >= 2
    assert len(served.book.entries()) == 4


def test_an_async_client_asks_many_questions_at_once(serve: Callable[..., Served]) -> None:
    served = serve(100)

    async def ask(url: str) -> list[Answers]:
        async with AsyncClient(url, served.analyst, connections=8) as client:
            assert await client.schema() == SCHEMA
            assert await client.certificate() == served.service.bundle.certificate
            answers = await asyncio.gather(*(client.predict([row(age)]) for age in range(20)))
            assert (await client.budget())["dataset"]["epsilon"]["spent"] == "10"
            with pytest.raises(DataError):
                await client.predict([row("old")])
            return answers

    with listening(served) as url:
        answers = asyncio.run(ask(url))
        assert repr(AsyncClient(url, "key")) == f"AsyncClient({url!r})"
    assert all(len(one) == 1 for one in answers)
    assert len(served.book.entries()) == 20
