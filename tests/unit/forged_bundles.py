"""Bundles that somebody else wrote: any content under right tags."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import numpy as np
import skops.io

from privpac.checker.document import digest


def edit(folder: Path, change: Any, *, sealed: bool = True) -> None:
    """Change the description, with a new digest unless told otherwise."""
    path = folder / "bundle.json"
    tree = json.loads(path.read_text(encoding="utf-8"))
    change(tree)
    if sealed:
        tree["digest"] = digest(tree)
    path.write_text(json.dumps(tree), encoding="utf-8")


def replace(folder: Path, name: str, content: bytes) -> Path:
    """Put another secret file into a bundle, tagged as its writer would."""
    (folder / name).write_bytes(content)
    secret = folder / "secret.json"
    tree = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
    sealed = json.loads(secret.read_text(encoding="utf-8"))
    message = f"{tree['digest']}\0{name}\0".encode() + content
    sealed["tags"] = {name: hmac.new(bytes.fromhex(sealed["key"]), message, hashlib.sha256).hexdigest()}
    secret.write_text(json.dumps(sealed), encoding="utf-8")
    return folder


def voting(models: list[Any]) -> bytes:
    """The file of models that are all asked, as a bundle holds it, whatever they are."""
    asked = {"otherwise": np.zeros(len(models), dtype=np.int64), "asked": np.ones(len(models), dtype=bool)}
    content: bytes = skops.io.dumps({**asked, "models": models})
    return content
