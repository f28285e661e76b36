"""Refusals in the words of the command line: options as they are typed, no name or value as Python writes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from privpac.errors import ParameterError, PrivpacError

__all__ = ["in_options", "options_of"]

_ASSIGNED = re.compile(
    r"(?<![\w(])([a-z][a-z_]*)=(?:'([^']*)'|\"([^\"]*)\"|\(([^)]*)\)|(\d[\w.]*\w|\d)|(True))(?=\W|$)"
)
"""A parameter and its value as Python writes them."""


def options_of(command: Any) -> dict[str, str]:
    """How each parameter of a command, and of the commands below it, is typed: `--out`, or `DATA` for an argument."""
    spellings: dict[str, str] = {}
    for below in getattr(command, "commands", {}).values():
        spellings |= options_of(below)
    for parameter in command.params:
        long_names = [name for name in parameter.opts if name.startswith("--")]
        spellings[parameter.name] = (
            long_names[0] if long_names else parameter.metavar or parameter.name.upper()
        )
    return spellings


def in_options(problem: PrivpacError, spellings: Mapping[str, str]) -> PrivpacError:
    """The same refusal for somebody who typed a command."""
    if isinstance(problem, ParameterError):
        problem.problem = _sentence(problem, spellings)
    problem.problem = _with_dashes(problem.problem, spellings)
    problem.remedy = _with_dashes(problem.remedy, spellings)
    problem.args = (f"{problem.problem} {problem.remedy}".strip(),)
    return problem


def _sentence(problem: ParameterError, spellings: Mapping[str, str]) -> str:
    name = spellings.get(problem.parameter or "", f"The {str(problem.parameter).replace('_', ' ')}")
    if problem.value is None:
        return f"{name} is missing: it must be {problem.allowed}."
    return f"{name} is {_as_typed(problem)}, but must be {problem.allowed}."


def _as_typed(problem: ParameterError) -> str:
    """The value as it was typed."""
    value = problem.value
    if value is True:
        return "set"
    if isinstance(value, (tuple, list)):
        return ",".join(str(item) for item in value) or "empty"
    if isinstance(value, str):
        short = problem.shown[1:-1]
        return "empty" if not short else problem.shown if " " in short else short
    return problem.shown


def _with_dashes(text: str, spellings: Mapping[str, str]) -> str:
    """Parameters in a text as options; names of one word stay as they are, for they are also words."""

    def option(match: re.Match[str]) -> str:
        name, *values = match.groups()
        value = next((text for text in values if text is not None), "")
        flag = f"--{name.replace('_', '-')}"
        return flag if value == "True" else f"{flag} {value.replace(', ', ',')}"

    text = _ASSIGNED.sub(option, text)
    for name, spelling in spellings.items():
        if "_" in name:
            text = re.sub(rf"\b{re.escape(name)}\b", spelling, text)
    return text
