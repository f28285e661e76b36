"""What a running service holds: the bundle, the ledger, the thread that commits, and who may ask how often."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from fastapi.concurrency import run_in_threadpool

from privpac.answering.bundle import bundle as bundles
from privpac.answering.bundle.bundle import Bundle
from privpac.coins import Coins, SystemCoins
from privpac.errors import ParameterError, PrivpacError
from privpac.guarantee.ledger.budget import Amount
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.guarantee.ledger.store import SQLITE, sqlite_file
from privpac.service.access import keys
from privpac.service.access.keys import Key, Presented
from privpac.service.access.rate import Rate
from privpac.service.answering.answering import Answering
from privpac.service.answering.group_commit import GroupCommit
from privpac.service.answering.reading import Reading, Submission
from privpac.service.answering.requests import Ask, Reply
from privpac.service.api.bodies import Body
from privpac.service.api.problems import Problem
from privpac.service.api.rows import plain
from privpac.service.settings import Settings
from privpac.service.store import migrating
from privpac.service.watch.metrics import Metrics

__all__ = ["Service", "file_url", "ledger_url"]

OWNER = "serve"
REMEMBERED_SECONDS = 1.0
"""How long a key that was found right is not looked up again before a body is read. What is charged or answered is
decided by the key's state inside the transaction, so a revoked key gets nothing even within it."""
MOST_REMEMBERED = 10_000
UNAUTHORISED = 401
MANY_ROWS = 64
"""From this many rows on a request is encoded by itself in another thread, so that no other waits for it."""
WRONG_KEYS_PER_SECOND = 10.0
PROBED_SECONDS = 1.0
"""How long a write that went well stands for others."""


def ledger_url(bundle: Bundle, place: str | None) -> str:
    """The ledger a bundle is served with: its own if answers were declared and paid for, else the one that is named."""
    if bundle.offer.answers is not None:
        if place is not None:
            raise ParameterError(
                OWNER,
                "ledger",
                place.partition("://")[0] + "://...",
                allowed="left out: the answers of this bundle were declared and paid for, and it counts them itself",
            )
        return file_url(bundle.path / bundles.METER)
    if place is None:
        raise ParameterError(
            OWNER,
            "ledger",
            None,
            allowed="a ledger, since every answer of this bundle is charged",
            remedy="Add --ledger sqlite:///ledger.db, and --epsilon TOTAL to make a new one.",
        )
    return place


def file_url(path: str | Path) -> str:
    """The address of a ledger in a file."""
    return SQLITE + str(Path(path).resolve()).replace("%", "%25").replace("?", "%3F")


class Service:
    """Open from `open` to `close`. Its methods are for any thread."""

    def __init__(
        self, settings: Settings, bundle: Bundle, store: SqlStore, *, coins: Coins | None = None
    ) -> None:
        self.settings, self.bundle, self.store = settings, bundle, store
        self.answering = Answering(bundle, store, coins or SystemCoins())
        self.reading = Reading(self.answering)
        self.metrics = Metrics()
        self._rate = Rate(settings.limits.requests_per_second)
        self.wrong_keys = Rate(WRONG_KEYS_PER_SECOND, what="wrong keys per second came from this address")
        """By address. Whoever tries keys is slowed down; keys that were found right before are not."""
        self._remembered: dict[Presented, tuple[float, Key]] = {}
        self._commits: GroupCommit[Submission | Ask] | None = None
        self._probing, self._probed = threading.Lock(), 0.0

    @classmethod
    def open(
        cls,
        settings: Settings,
        *,
        epsilon: Amount | None = None,
        delta: Amount = 0,
        upgrade: bool = False,
    ) -> Service:
        """Load the bundle and open its ledger, made with `epsilon` and `delta` as its total if there is none.

        The service's tables are made if there are none; `upgrade` brings older ones up to date in any database.
        """
        bundle = bundles.load(settings.bundle or "", trusted=settings.trusted)
        bundle.offer.certify()  # refuses a price below what an answer loses
        url = ledger_url(bundle, settings.ledger)
        in_file = url.startswith(SQLITE)
        if epsilon is not None and settings.ledger is not None:
            Ledger(epsilon=epsilon, delta=delta, path=url)
        elif in_file and not Path(sqlite_file(url)).exists():
            raise PrivpacError(
                f"There is no ledger {sqlite_file(url)!r}.", remedy="Add --epsilon TOTAL to make one."
            )
        store = SqlStore.open(url)
        migrating.prepare(store, upgrade=upgrade or in_file)
        return cls(settings, bundle, store)

    def start(self) -> None:
        """Begin to commit answers in groups."""
        self._commits = GroupCommit(self.reading.answer, committed=self.metrics.committed)

    def stop(self) -> None:
        """Answer everyone who waits, then let go of the ledger."""
        if self._commits is not None:
            self._commits.stop()
        self.store.close()

    def ready(self) -> bool:
        """Whether a request could be charged and answered now; an error of the ledger says why not.

        It tries a write, at most once in `PROBED_SECONDS`: anybody may ask, and a write costs others time.
        """
        if self._commits is None or self.answering.ended:
            return False
        with self._probing:
            if time.monotonic() < self._probed:
                return True
            if not migrating.is_current(self.store):
                return False
            migrating.try_write(self.store)
            self._probed = time.monotonic() + PROBED_SECONDS
        return True

    def remembered(self, credential: Presented) -> Key | None:
        """A key that was found right a moment ago."""
        until, key = self._remembered.get(credential, (0.0, None))
        return key if time.monotonic() < until else None

    def knows(self, credential: Presented) -> bool:
        """Whether this key was right before; it may have been revoked since."""
        return credential in self._remembered

    def find(self, credential: Presented) -> Key | None:
        """The key, as it is stored now."""
        with self.store.reading() as connection:
            key = keys.find(connection, credential)
        if key is not None:
            self._remember(credential, key, REMEMBERED_SECONDS)
        return key

    def _remember(self, credential: Presented, key: Key, seconds: float) -> None:
        if len(self._remembered) > MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[credential] = (time.monotonic() + seconds, key)

    def count(self, key: Key) -> None:
        """One more request of this key; refused if they come too fast."""
        self._rate.check(key.id)
        self._rate.count(key.id)

    async def predict(self, credential: Presented, key: Key, body: Body) -> Reply:
        """Pay, answer, keep: durable before it returns. A refusal is a `Problem`."""
        assert self._commits is not None
        new = Submission(key.id, plain(body.rows, self.bundle.schema), body.idempotency_key, body.digest)
        ask = new if len(new.rows) < MANY_ROWS else await run_in_threadpool(self.reading.one, new)
        if isinstance(ask, Problem):
            raise ask
        outcome = await self._commits.submit(ask)
        # The transaction has looked at the key: nobody needs to for as long as after any other look.
        if isinstance(outcome, Problem):
            if outcome.status == UNAUTHORISED:
                self._remember(credential, key, 0)
            raise outcome
        self._remember(credential, key, REMEMBERED_SECONDS)
        return outcome
