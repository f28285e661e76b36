"""Every command that a plan prints is one that the command line reads, and runs."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import typer

from privpac import plan
from privpac.cli.app import app
from privpac.planning.table import Row

SCHEMA = """{"label": "y", "columns": [
  {"name": "c", "kind": "numeric", "lower": 0, "upper": 65535, "integer": true},
  {"name": "d", "kind": "numeric", "lower": 0, "upper": 255, "integer": true}]}"""

ASKED = ("thresholds:c", "unions:c:2", "trees:2", "generated:c:8")


def planned(word: str, folder: Path, **more: object) -> list[Row]:
    file = folder / "schema.json"
    file.write_text(SCHEMA, encoding="utf-8")
    return [*plan.needed(word, schema=str(file), error="0.1", epsilon=1, **more).rows]


@pytest.mark.parametrize("word", ASKED)
@pytest.mark.parametrize("protect", ["records", "labels", "predictions"])
def test_every_printed_command_is_one_the_command_line_reads(word: str, protect: str, tmp_path: Path) -> None:
    rows = planned(word, tmp_path, protect=protect, unlabelled=50_000)
    assert rows
    group = typer.main.get_command(app())
    for row in rows:
        name, *arguments = shlex.split(row.command)
        assert name == "privpac"
        command = group
        while hasattr(command, "commands"):
            command = command.commands[arguments.pop(0)]
        context = command.make_context("plan", list(arguments), resilient_parsing=False)
        assert context.params["concepts"].partition(":")[0]
        assert context.params["epsilon"] == "1"


@pytest.mark.parametrize("word", ["thresholds:c", "points:c"])
def test_every_release_command_is_one_the_command_line_reads(word: str, tmp_path: Path) -> None:
    for row in planned(word, tmp_path, release=True):
        name, verb, *arguments = shlex.split(row.command)
        context = typer.main.get_command(app()).commands[verb].make_context(verb, arguments)
        assert (name, context.params["columns"]) == ("privpac", "c")
