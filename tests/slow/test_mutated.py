"""Certificates changed at random are judged alike by both checkers.

`python -m tests.slow.test_mutated 20000` tries that many and prints the ones about which they differ.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from privpac.checker.document import digest
from tests.unit.checker.test_check import at, edits, leaves, places, put
from tests.unit.test_verification_forged import JUNK
from tests.vectors.frozen import Vector, vectors, written
from tests.vectors.judging import objection

DRIVERS = Path(__file__).parent / "javascript"
SHORT = [junk for junk in JUNK if len(str(junk)) < 100]
A_FEW = 400
AT_ONCE = 2000


def mutated(chance: random.Random, bases: list[Vector]) -> Iterator[tuple[str, str]]:
    """Kind and text of accepted files with one to three changes, sealed anew."""
    while True:
        base = chance.choice(bases)
        tree = json.loads(base.text)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            tree = _changed(chance, tree)
        if isinstance(tree, dict) and "digest" in tree:
            tree["digest"] = digest(tree)
        yield base.kind, written(tree)


def _changed(chance: random.Random, tree: Any) -> Any:
    """Another value at a place; most of the time inside a derivation."""
    inside = [path for path in leaves(tree) if path and ("fact" in path or "where" in path)]
    spots = inside if inside and chance.random() < 0.9 else [p for p in [*leaves(tree), *places(tree)] if p]
    if not spots:
        return tree
    path = chance.choice(spots)
    value = at(tree, path)
    kind = chance.random()
    if kind < 0.5:
        return put(tree, path, chance.choice([*edits(path, value), value]))
    if kind < 0.6:
        return put(tree, path, chance.choice(SHORT))
    if kind < 0.8:  # what stands elsewhere under the same name, or anywhere
        same = [p for p in spots if p[-1] == path[-1]]
        return put(tree, path, at(tree, chance.choice(same if chance.random() < 0.7 else spots)))
    return put(tree, path, _other_number(chance, value))


def _other_number(chance: random.Random, value: Any) -> Any:
    if type(value) is int:
        return chance.choice((value + chance.randrange(-3, 4), value * 2, value // 2, chance.randrange(12)))
    try:
        number = Fraction(value)
    except (TypeError, ValueError, ZeroDivisionError):
        return value
    near = 1 + Fraction(chance.randrange(-9, 10), 10 ** chance.randrange(1, 14))
    return str(chance.choice((number * near, number + 1, 1 - number, number / 2, number**2)))


def differing(files: list[tuple[str, str]]) -> list[tuple[str, str, str, str]]:
    """Those that one checker accepts and the other refuses: kind, text and what each says."""
    node = shutil.which("node")
    assert node is not None
    found = []
    for start in range(0, len(files), AT_ONCE):
        some = files[start : start + AT_ONCE]
        lines = "".join(json.dumps({"kind": kind, "text": text}) + "\n" for kind, text in some)
        done = subprocess.run(
            (node, "judge.mjs"),
            cwd=DRIVERS,
            input=lines,
            capture_output=True,
            text=True,
            timeout=1200,
            check=True,
        )
        verdicts = [json.loads(line) for line in done.stdout.split("\n") if line]
        for (kind, text), verdict in zip(some, verdicts, strict=True):
            own = objection(kind, text)
            if verdict["accepted"] is not (own == "") or "fault of the checker" in verdict["reason"]:
                found.append((kind, text, own, verdict["reason"]))
    return found


def made(count: int, seed: int) -> list[tuple[str, str]]:
    """So many of them."""
    chance = random.Random(seed)
    bases = [vector for vector in vectors() if vector.expected == "accepted" and len(vector.text) < 30_000]
    files = mutated(chance, bases)
    return [next(files) for _ in range(count)]


def test_both_checkers_agree_on_what_is_changed_at_random() -> None:
    files = made(A_FEW, 51)
    assert differing(files) == []
    accepted = sum(objection(kind, text) == "" for kind, text in files)
    assert 0 < accepted < len(files) / 2


if __name__ == "__main__":
    wrong = differing(made(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 51))
    for kind, text, python, javascript in wrong:
        print(
            kind,
            text[:3000],
            f"\n  Python: {python or 'accepted'}\n  JavaScript: {javascript or 'accepted'}\n",
        )
    raise SystemExit(f"{len(wrong)} of {sys.argv[1]} are judged otherwise")
