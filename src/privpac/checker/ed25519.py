"""Checking an Ed25519 signature with the standard library alone (RFC 8032, section 5.1.7).

For places where no package can be installed, such as a page in a browser. It only checks: nothing secret passes
through here, so that how long it takes tells nothing. Keys and signatures in any but their one spelling are refused,
and so are the eight keys of small order, under which anybody can sign.
"""

from __future__ import annotations

import hashlib

__all__ = ["holds"]

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
"""The order of the base point."""
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)
"""A square root of -1."""

Point = tuple[int, int, int, int]
"""X, Y, Z and T of a point (X/Z, Y/Z) of the curve, with T = X·Y/Z."""


def holds(key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether this is the signature of the message by the private half of this public key.

    >>> key = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    >>> holds(key, bytes(64), b"")
    False
    """
    if len(key) != 32 or len(signature) != 64:
        return False
    point, scalar = _point(key), int.from_bytes(signature[32:], "little")
    if point is None or scalar >= _ORDER or _is_neutral(_times(point, 8)):
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    challenge = int.from_bytes(digest, "little") % _ORDER
    x, y, z, t = point
    back: Point = (-x % _P, y, z, -t % _P)
    return _bytes(_add(_times(_BASE, scalar), _times(back, challenge))) == signature[:32]


def _point(text: bytes) -> Point | None:
    """The point that 32 bytes stand for: its y, and in the last bit the parity of its x."""
    number = int.from_bytes(text, "little")
    y, odd = number & (2**255 - 1), number >> 255
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (x == 0 and odd):
        return None
    x = _P - x if x & 1 != odd else x
    return x, y, 1, x * y % _P


def _bytes(point: Point) -> bytes:
    x, y, z, _ = point
    over = pow(z, -1, _P)
    x, y = x * over % _P, y * over % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _add(first: Point, second: Point) -> Point:
    """The sum of two points; a point may be added to itself."""
    x1, y1, z1, t1 = first
    x2, y2, z2, t2 = second
    a, b = (y1 - x1) * (y2 - x2) % _P, (y1 + x1) * (y2 + x2) % _P
    c, d = 2 * t1 * t2 * _D % _P, 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(point: Point, count: int) -> Point:
    total: Point = (0, 1, 1, 0)
    while count:
        if count & 1:
            total = _add(total, point)
        point, count = _add(point, point), count >> 1
    return total


def _is_neutral(point: Point) -> bool:
    x, y, z, _ = point
    return x % _P == 0 and (y - z) % _P == 0


def _base() -> Point:
    point = _point((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    if point is None:
        raise ArithmeticError("the base point is not on the curve")
    return point


_BASE = _base()
