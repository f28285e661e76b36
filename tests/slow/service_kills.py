"""A prediction service under 64 clients whose budget runs out, killed again and again."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from privpac import Client, Ledger, PrivatePredictor, Schema
from privpac.client import Answers
from privpac.errors import BudgetExceeded

CLIENTS = 64
WORKERS = 2
PRICE = Fraction(1, 10)  # far from certain answers: one drawn a second time would often differ
PATIENCE = 3600.0  # between two kills there may be seconds, and a client that waits for ten can miss them
START_SECONDS = 120.0
SHARED = 5  # every fifth question is one that others ask too
SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "classes": ["no", "yes"],
        "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 10**9, "integer": True}],
    }
)


def make_bundle(path: Path) -> Path:
    ages = list(range(0, 3_000_000, 10_000))
    labels = ["yes" if age >= 1_500_000 else "no" for age in ages]
    predictor = PrivatePredictor(
        "predict-by-vote:thresholds:age", PRICE, 1, schema=SCHEMA, models=3, random_state=1
    )
    predictor.fit({"age": ages}, y=labels).save(path)
    return path


def privpac(*arguments: str) -> dict[str, Any]:
    """What a verb of the command line says with --json."""
    command = [
        sys.executable,
        "-c",
        "import privpac.cli; raise SystemExit(privpac.cli.main())",
        *arguments,
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    tree: dict[str, Any] = json.loads(done.stdout)
    return tree


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Server:
    """`privpac serve` in a process group of its own."""

    bundle: Path
    ledger: str
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        options = ["--port", str(self.port), "--workers", str(WORKERS), "--no-pages", "--rate", "1000000"]
        command = [sys.executable, "-c", "import privpac.cli; raise SystemExit(privpac.cli.main())", "serve"]
        self.process = subprocess.Popen(
            [*command, str(self.bundle), "--ledger", self.ledger, *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        end = time.monotonic() + START_SECONDS
        while not self._ready():
            assert self.process.poll() is None, "the service ended by itself"
            assert time.monotonic() < end, "the service did not start"
            time.sleep(0.1)

    def _ready(self) -> bool:
        with suppress(OSError, HTTPException):
            connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        return False

    def kill(self) -> None:
        """No goodbye for anybody: the parent and its workers at once."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def stop(self) -> int:
        """A polite end; its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@dataclass(frozen=True)
class Acknowledged:
    """A request whose reply arrived."""

    key: str
    rows: tuple[int, ...]
    reply: Answers


@dataclass
class Run:
    """The clients of one run, and everything they were told."""

    server: Server
    token: str
    acknowledged: list[Acknowledged] = field(default_factory=list)
    refusals: int = 0
    attempts: int = 0
    unheard: list[Fraction] = field(default_factory=list)
    """At every kill: what was charged and not yet acknowledged."""
    ended: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def paid(self) -> Fraction:
        with self.lock:
            return sum((one.reply.price for one in self.acknowledged), Fraction(0))

    def use(self, number: int) -> None:
        """One client: asks one to three questions at a time, and stops when not even one is paid for."""
        with _Counting(self.server.url, self.token, timeout=20, patience=PATIENCE) as client:
            client.run = self
            most = 3
            for turn in range(1_000_000):
                asked = tuple(self._question(number, turn, place) for place in range(1 + turn % most))
                key = f"{number}-{turn}"
                try:
                    reply = client.predict([{"age": age} for age in asked], idempotency_key=key)
                except BudgetExceeded:
                    self._count(refusals=1)
                    if len(asked) == 1:
                        break
                    most = 1  # there may be room for one
                    continue
                with self.lock:
                    self.acknowledged.append(Acknowledged(key, asked, reply))
            self._count(attempts=client.attempts)

    def look(self) -> None:
        """While nobody serves: the books add up and hold at least what was acknowledged."""
        book = Ledger.open(self.server.ledger)
        book.verify()
        self.unheard.append(book.spent.epsilon - self.paid)
        assert self.unheard[-1] >= 0, "an acknowledged answer was lost"

    @staticmethod
    def _question(number: int, turn: int, place: int) -> int:
        if turn % SHARED == SHARED - 1 and place == 0:
            return turn  # of everybody
        return 1_000_000 + 10_000 * (turn * 3 + place) + number

    def _count(self, *, refusals: int = 0, attempts: int = 0) -> None:
        with self.lock:
            self.refusals += refusals
            self.attempts += attempts


class _Counting(Client):
    attempts = 0
    run: Run

    def _send(self, *args: Any) -> Any:
        assert not self.run.ended, "the test gave up"
        self.attempts += 1
        return super()._send(*args)


@contextmanager
def clients(run: Run) -> Iterator[list[Future[None]]]:
    with ThreadPoolExecutor(CLIENTS) as pool:
        jobs = [pool.submit(run.use, number) for number in range(CLIENTS)]
        try:
            yield jobs
        except BaseException:
            run.ended = True
            run.server.kill()
            raise


def kill_and_restart(run: Run, total: Fraction, *, kills: int, seed: int) -> list[Future[None]]:
    """Spread the kills over the run: each at a random moment after another part of the budget was paid."""
    moments = random.Random(seed)
    run.server.start()
    with clients(run) as jobs:
        for number in range(kills):
            part = total * Fraction(number * 9 + moments.randrange(1, 9), kills * 10)
            while run.paid < part:
                for job in jobs:
                    if job.done():
                        job.result()
                        raise AssertionError("a client was sent away before the budget was spent")
                time.sleep(0.01)
            time.sleep(moments.random() * 0.1)
            run.server.kill()
            time.sleep(moments.random() * 0.3)  # the clients read what had been sent
            run.look()
            run.server.start()
    return jobs
