"""Who may look: a person who holds the link that was printed, or an API key; a signed cookie remembers it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from privpac.service.pages.drawers import drawn_name

__all__ = ["Gate", "KeyGate", "Seal", "TokenGate", "Visitor"]

Role = Literal["analyst", "owner"]
SESSION_SECONDS = 12 * 3600
"""A working day; after it a person signs in again."""


@dataclass(frozen=True)
class Visitor:
    """A person who signed in. `name` is public: the name of a key, not the key."""

    name: str
    role: Role
    shown: str = ""
    """What the person is called on the pages."""

    @property
    def is_owner(self) -> bool:
        """Whether the visitor may see and do everything."""
        return self.role == "owner"


class Seal:
    """Signs what a cookie says, with a secret of this server."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def sign(self, name: str, *, now: float | None = None) -> str:
        """The name and the time until which it is believed, sealed."""
        until = int((time.time() if now is None else now) + SESSION_SECONDS)
        body = base64.urlsafe_b64encode(f"{until}:{name}".encode()).decode().rstrip("=")
        return f"{body}.{self._mac(body)}"

    def read(self, text: str | None) -> str | None:
        """The name in a cookie this server sealed, unless it is too old."""
        body, _, mac = (text or "").partition(".")
        if not body or not hmac.compare_digest(mac.encode(), self._mac(body).encode()):
            return None
        try:
            until, _, name = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)).decode().partition(":")
        except (binascii.Error, ValueError):
            return None
        return name if time.time() < int(until) else None

    def _mac(self, body: str) -> str:
        return hmac.new(self._secret, b"privpac-pages:" + body.encode(), hashlib.sha256).hexdigest()


class TokenGate:
    """For one person on her own machine: the first to bring the printed token is let in, and nobody after."""

    asks_for_key = False

    def __init__(self) -> None:
        self.token: str | None = drawn_name()
        self.seal = Seal(drawn_name().encode())
        self._lock = threading.Lock()

    def enter(self, secret: str) -> Visitor | None:
        """Who brings this secret; None if nobody may enter with it."""
        with self._lock:
            if self.token is None or not hmac.compare_digest(secret.encode(), self.token.encode()):
                return None
            self.token = None
        return self.visitor("you")

    def visitor(self, name: str) -> Visitor | None:
        """Who signed in under this name before; None if they may no longer enter."""
        return Visitor("you", "owner") if name == "you" else None


class KeyGate:
    """For a service: an API key is looked up once, its name again at every request, so that revoking it shuts."""

    asks_for_key = True

    def __init__(
        self,
        by_key: Callable[[str], Visitor | None],
        by_name: Callable[[str], Visitor | None],
        *,
        secret: bytes | None = None,
    ) -> None:
        self._by_key, self._by_name = by_key, by_name
        self.seal = Seal(drawn_name().encode() if secret is None else secret)

    def enter(self, secret: str) -> Visitor | None:
        return self._by_key(secret)

    def visitor(self, name: str) -> Visitor | None:
        return self._by_name(name)


Gate = TokenGate | KeyGate
"""How somebody gets in, and whether a name in a cookie still may."""
