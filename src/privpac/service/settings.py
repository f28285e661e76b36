"""What a service is told before it starts. Public, except for a password that a database URL may carry."""

from __future__ import annotations

import ipaddress
import json
from dataclasses import asdict, dataclass, field
from typing import Any

from privpac.coins import SystemCoins
from privpac.errors import ParameterError

__all__ = ["Limits", "Settings", "is_loopback"]

OWNER = "serve"
MOST_PORT = 65_535


@dataclass(frozen=True)
class Limits:
    """What one request, and one key, may ask of the server."""

    body_bytes: int = 1_048_576
    rows: int = 1_000
    requests_per_second: float = 100.0
    """Of one key in one worker process; bursts of twice as many pass."""
    connections: int = 500
    """Of one worker process. Systems often allow 1,024 open files to a process, and the ledger needs some of them."""
    header_seconds: float = 10.0
    """From the beginning of a connection, or of a request, to the end of its head."""
    body_seconds: float = 30.0
    """From there to the end of its body; and how long a client may take to read what it is sent."""
    idle_seconds: float = 5.0
    """From an answer to the next request of the same connection."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not value > 0:
                raise ParameterError(OWNER, name, value, allowed="a positive number")


@dataclass(frozen=True)
class Settings:
    """Everything `create_app` needs. Without a bundle there are pages and no answers."""

    bundle: str | None = None
    ledger: str | None = None
    """A database URL: sqlite:///FILE or postgresql+psycopg://...; None with declared answers means the bundle's own."""
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    limits: Limits = field(default_factory=Limits)
    pages: bool = True
    trusted: tuple[str, ...] = ()
    """Types of models that may be loaded from the bundle, besides scikit-learn's."""
    session: str = field(
        default_factory=lambda: f"{SystemCoins().below(1 << 256):064x}", repr=False, compare=False
    )
    """Seals the cookies of the pages; drawn anew at every start, and the same for all workers."""

    def __post_init__(self) -> None:
        if isinstance(self.workers, bool) or not isinstance(self.workers, int) or self.workers < 1:
            raise ParameterError(OWNER, "workers", self.workers, allowed="a positive whole number")
        if not 0 <= self.port <= MOST_PORT:
            raise ParameterError(OWNER, "port", self.port, allowed=f"a number from 0 to {MOST_PORT}")
        if self.pages and not is_loopback(self.host):
            raise ParameterError(
                OWNER,
                "host",
                self.host,
                allowed="a loopback address as long as pages are served, whose cookies must not travel in the clear",
                remedy="Add --no-pages, or keep 127.0.0.1 and put a reverse proxy that asks who comes before it.",
            )

    def to_text(self) -> str:
        """For a worker process, through its environment."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Settings:
        """The settings that `to_text` wrote."""
        tree: dict[str, Any] = json.loads(text)
        limits = Limits(**tree.pop("limits"))
        return cls(limits=limits, trusted=tuple(tree.pop("trusted")), **tree)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
