"""Refusals in the words of the command line."""

from __future__ import annotations

import pytest

from privpac.cli import main
from privpac.cli.refusals import in_options
from privpac.errors import ParameterError, PrivpacError

TYPED = {"out": "--out", "estimate_epsilon": "--estimate-epsilon", "costs": "--costs", "data": "DATA"}


@pytest.mark.parametrize(
    ("parameter", "value", "sentence"),
    [
        ("out", None, "--out is missing: it must be so."),
        ("costs", (1,), "--costs is 1, but must be so."),
        ("costs", "a,b", "--costs is a,b, but must be so."),
        ("costs", "", "--costs is empty, but must be so."),
        ("out", "two words", "--out is 'two words', but must be so."),
        ("estimate_epsilon", True, "--estimate-epsilon is set, but must be so."),
        ("data", 7, "DATA is 7, but must be so."),
        ("bits of the seed", 7, "The bits of the seed is 7, but must be so."),
    ],
)
def test_a_parameter_is_named_as_it_is_typed(parameter: str, value: object, sentence: str) -> None:
    assert str(in_options(ParameterError("Occam", parameter, value, allowed="so"), TYPED)) == sentence


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Try epsilon=0.5.", "Try --epsilon 0.5."),
        ("Use concepts='trees:3', or costs=(1, 5).", "Use --concepts trees:3, or --costs 1,5."),
        ("Ask for probabilities=True.", "Ask for --probabilities."),
        ("A larger estimate_epsilon helps.", "A larger --estimate-epsilon helps."),
        ("Ask share(column=value, ...).", "Ask share(column=value, ...)."),
    ],
)
def test_what_to_do_is_said_in_options(text: str, said: str) -> None:
    problem = in_options(PrivpacError("No.", remedy=text), TYPED)
    assert (problem.remedy, str(problem)) == (said, f"No. {said}")


def test_without_a_verb_the_help_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["ledger"]):
        assert main(words) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("Usage: privpac")
        assert len(err.splitlines()) > 10


def test_every_verb_is_introduced_by_a_whole_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--help"], *([group, "--help"] for group in ("ledger", "keys", "active", "audit"))):
        assert main(words) == 0
        out, _ = capsys.readouterr()
        listed = out.partition("Commands:")[2].strip().splitlines()
        assert [line for line in listed if line.endswith("...")] == []
