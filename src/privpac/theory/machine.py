"""Which rules of the book are theorems that a proof assistant has checked, and why the others are not."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["BESIDE", "PROVED", "machine_checked", "said_of"]

PROVED = "proved"
BESIDE = "beside"
"""A theorem of something that is no rule of the book."""


@cache
def machine_checked() -> dict[str, tuple[str, str]]:
    """By rule: `proved`, `paper`, `accuracy` or `beside`, and why it is on paper or how much is proved."""
    text = files(__package__).joinpath("machine_checked.txt").read_text(encoding="utf-8")
    found: dict[str, tuple[str, str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            rule, _, told = line.partition(": ")
            status, _, reason = told.partition(", ")
            found[rule] = (status, reason)
    return found


def said_of(rule: str) -> str | None:
    """How the rule was proved, or nothing for what is no rule of privacy."""
    status, reason = machine_checked().get(rule, ("accuracy", ""))
    theorem = f"machine-checked, theorem {rule.replace('-', '_')}_sound"
    if status == PROVED:
        return theorem
    if status == BESIDE:
        return f"{theorem}: {reason}"
    return f"on paper: {reason}" if status == "paper" else None
