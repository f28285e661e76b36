"""Writing a bundle: all of its files at once, or none (what they are is said in `bundle`)."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privpac import __version__
from privpac.answering.bundle.storage import content_of, file_of
from privpac.answering.offer import Offer
from privpac.checker import document
from privpac.checker.document import MANIFEST
from privpac.coins import Coins, SystemCoins
from privpac.constructions.prediction.predictor import Prepared
from privpac.errors import ParameterError, PrivpacError
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.store import close_connections

__all__ = ["FORMAT", "METER", "OWNER", "SECRET", "check_target", "tag", "write"]

FORMAT = document.BUNDLE
OWNER = "bundle"
SECRET, METER = "secret.json", "meter.sqlite"
BITS_OF_NAME, BITS_OF_KEY = 128, 256


def check_target(path: str | os.PathLike[str]) -> Path:
    """The folder to make, refused before any work if it cannot be."""
    target = Path(path)
    if target.exists():
        raise ParameterError(
            OWNER, "out", str(path), allowed="a folder that does not exist yet", remedy="Choose another name."
        )
    if not target.parent.is_dir():
        raise ParameterError(OWNER, "out", str(path), allowed="in an existing folder")
    return target


def write(
    path: str | os.PathLike[str], offer: Offer, prepared: Prepared, *, coins: Coins | None = None
) -> Path:
    """Make the folder, whole or not at all.

    `coins` name it and make its key: those of the operating system, whatever the answers are drawn with, so that two
    bundles are never taken for one.
    """
    target = check_target(path)
    source = coins or SystemCoins()
    tree: dict[str, Any] = {
        "format": FORMAT,
        "version": __version__,
        "schema": offer.schema.stored(),
        "certificate": offer.certify().to_json(),
        "id": _random_hex(source, BITS_OF_NAME),
    }
    tree["digest"] = document.digest(tree)
    name, content = file_of(offer.predictor), content_of(prepared)
    key = _random_hex(source, BITS_OF_KEY)
    secret = {"key": key, "tags": {name: tag(key, tree["digest"], name, content)}}
    manifest = (json.dumps(tree, indent=1, ensure_ascii=False) + "\n").encode()
    _write_folder(target, {name: content, SECRET: json.dumps(secret).encode(), MANIFEST: manifest}, offer)
    return target


def _random_hex(coins: Coins, bits: int) -> str:
    return f"{coins.below(1 << bits):0{bits // 4}x}"


def tag(key: str, digest: str, name: str, content: bytes) -> str:
    """Of a file under its name in this very bundle."""
    tag = hmac.new(bytes.fromhex(key), f"{digest}\0{name}\0".encode(), hashlib.sha256)
    tag.update(content)
    return tag.hexdigest()


def _write_folder(target: Path, files: Mapping[str, bytes], offer: Offer) -> None:
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        os.mkdir(draft, 0o700)
        for name, content in files.items():
            _write_secret(draft / name, content)
        if offer.answers is not None:
            _make_meter(draft / METER, offer)
        os.rename(draft, target)
    except OSError as problem:
        raise PrivpacError(
            f"The bundle {str(target)!r} cannot be written: {problem.strerror}.",
            remedy="What was charged for its answers stays charged.",
        ) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _make_meter(path: Path, offer: Offer) -> None:
    Ledger(epsilon=(offer.answers or 0) * offer.price, path=path)
    os.chmod(path, 0o600)  # until then nobody else can enter the folder
    close_connections()  # an open file cannot be renamed everywhere


def _write_secret(path: Path, content: bytes) -> None:
    """Made with its mode: between making and changing it others could look."""
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
