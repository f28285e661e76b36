"""Bundles that somebody else wrote: any content under right tags, and bundles of the former format."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import skops.io

from privpac.answering.bundle.bundle import load
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
    if not secret.exists():
        types = skops.io.get_untrusted_types(data=content) if name.endswith(".skops") else []
        files = {name: "sha256:" + hashlib.sha256(content).hexdigest()}
        edit(folder, lambda tree: tree.update(files=files, types=types))
        return folder
    tree = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
    sealed = json.loads(secret.read_text(encoding="utf-8"))
    message = f"{tree['digest']}\0{name}\0".encode() + content
    sealed["tags"] = {name: hmac.new(bytes.fromhex(sealed["key"]), message, hashlib.sha256).hexdigest()}
    secret.write_text(json.dumps(sealed), encoding="utf-8")
    return folder


def former(folder: Path) -> Path:
    """The same bundle as the former format had it: digests of secret files, and bare one-class blocks."""
    name = next(file.name for file in folder.iterdir() if file.name.startswith(("models", "records")))
    content = (folder / name).read_bytes()
    if name.endswith(".skops"):
        voters = load(folder).prepared.models  # type: ignore[attr-defined]
        content = skops.io.dumps(
            [voter.otherwise if voter.model is None else voter.model for voter in voters]
        )
    (folder / "secret.json").unlink()

    def change(tree: dict[str, Any]) -> None:
        del tree["id"]
        tree["format"] = "privpac-bundle/1"

    edit(folder, change, sealed=False)
    return replace(folder, name, content)
