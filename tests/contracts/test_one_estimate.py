"""Pages, plans and messages advise one kind of estimate: a fifth of the records kept aside, the epsilon of the rule."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from privpac import plan
from privpac.estimators.uncertified import SCORE_WARNING

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("how-to", "tutorials", "understand")
PAGES = [
    ROOT / "README.md",
    *(ROOT / "docs" / name for name in ("start.md", "index.md")),
    *sorted(page for folder in FOLDERS for page in (ROOT / "docs" / folder).glob("*.md")),
]
COMMAND = re.compile(r"privpac learn [^\n`]*")
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
HOLDOUT = "0.2"

Advice = tuple[str | None, str | None, str | None]
"""Epsilon of the rule, share kept aside, epsilon of the estimate."""


def commands(text: str) -> Iterator[Advice]:
    """Every command that asks for an estimate."""
    for command in COMMAND.findall(text.replace("\\\n", " ")):
        options = dict(pairwise(shlex.split(command.rstrip(".").replace("…", "DATA"))))
        if "--estimate-epsilon" in options:
            yield (
                options.get("--epsilon"),
                options.get("--holdout"),
                options["--estimate-epsilon"].rstrip("."),
            )


def calls(text: str) -> Iterator[Advice]:
    """Every call in Python that does."""
    for block in BLOCK.findall(text):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.Call):
                given = {word.arg: ast.unparse(word.value).strip("'\"") for word in node.keywords}
                if "estimate_epsilon" in given:
                    yield given.get("epsilon"), given.get("holdout"), given["estimate_epsilon"]


def advice(text: str) -> list[Advice]:
    return [*commands(text), *calls(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_ask_for_the_same_kind_of_estimate(page: Path) -> None:
    for rule, holdout, estimate in advice(page.read_text(encoding="utf-8")):
        assert (holdout, estimate) == (HOLDOUT, rule)


def test_some_pages_do_ask_for_one() -> None:
    assert sum(bool(advice(page.read_text(encoding="utf-8"))) for page in PAGES) >= 4


def test_a_plan_advises_the_same() -> None:
    found = plan.reachable("card", columns=5, records=3_000, epsilon="0.5")
    assert list(commands(" ".join(found.advice))) == [("0.5", HOLDOUT, "0.5")]


def test_a_warning_advises_the_same() -> None:
    assert f"holdout={HOLDOUT}, and estimate_epsilon the same as epsilon" in SCORE_WARNING


def test_another_kind_would_be_found() -> None:
    assert advice("privpac learn F --epsilon 1 --estimate-epsilon 0.1") == [("1", None, "0.1")]
    assert advice("```python\nlearn(f, epsilon=1, estimate_epsilon='0.1')\n```") == [("1", None, "0.1")]
