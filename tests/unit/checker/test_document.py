"""Documents: read within public limits, in the one way they are written, or refused."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from privpac import NotCertified, Schema, learn, load, verify
from privpac.checker import document
from privpac.checker.document import DEEPEST, digest, parsed_json, read_document, same
from privpac.constructions.words import Request
from privpac.data.columns import Numeric
from privpac.errors import DataError
from privpac.fields import MOST_DIGITS, Malformed, as_list, flag, record, text, whole, written_whole
from privpac.request import LearnRequest
from privpac.verification import verify_document
from tests.unit.limits import within

KEYS = Schema((Numeric("k", lower=0, upper=2**20, integer=True),), label="y")


def coded() -> dict[str, Any]:
    """A model whose rule is a set of a code."""
    model = learn(
        {"k": [0, 3] * 40},
        y=[0, 1] * 40,
        schema=KEYS,
        epsilon=4,
        concepts="points:k:improper",
        random_state=1,
    )
    tree: dict[str, Any] = json.loads(json.dumps(model.to_json()))
    return tree


def written(tree: dict[str, Any], folder: Path) -> Path:
    path = folder / "model.json"
    path.write_text(json.dumps({**tree, "digest": digest(tree)}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "change", [{"digits": 10**7}, {"digits": 10**7, "prime": 10**4000}, {"prime": 10**4000}]
)
def test_a_small_file_cannot_ask_for_a_huge_power(change: dict[str, int], tmp_path: Path) -> None:
    tree = coded()
    tree["hypothesis"].update(change)
    path = written(tree, tmp_path)
    for look in (load, verify):
        with within(2), pytest.raises(NotCertified, match="no room"):
            look(path)


def nested(levels: int) -> Any:
    node: Any = {"label": 1}
    for _ in range(levels):
        node = {"test": {"column": "k", "cell": "5", "kind": "at least"}, "low": node, "high": {"label": 0}}
    return {"kind": "tree", "root": node}


@pytest.mark.parametrize("levels", [DEEPEST, 900, 5_000])
def test_a_rule_nested_beyond_the_limit_is_refused(levels: int, tmp_path: Path) -> None:
    tree = {**coded(), "hypothesis": nested(100), "digest": ""}
    text_of = json.dumps(tree).replace(json.dumps(nested(100)), "HERE")
    deep = '{"kind": "tree", "root": ' + '{"low": ' * levels + "1" + "}" * levels + "}"
    path = tmp_path / "model.json"
    path.write_text(text_of.replace("HERE", deep), encoding="utf-8")
    with within(2), pytest.raises(NotCertified, match="cannot be read as JSON"):
        load(path)


@pytest.mark.parametrize(
    "literal", ["9" * (MOST_DIGITS + 1), "9" * 10**6, "1e999", "-1e999", "NaN", "Infinity"]
)
def test_numbers_beyond_the_limit_are_refused(literal: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text('{"format": "privpac-model/2", "n": ' + literal + "}", encoding="utf-8")
    with within(2), pytest.raises(NotCertified, match="cannot be read as JSON"):
        load(path)


def test_files_and_numbers_of_values_have_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(coded(), tmp_path)
    load(path)
    monkeypatch.setattr(document, "MOST_VALUES", 50)
    with pytest.raises(NotCertified, match="cannot be read as JSON"):
        load(path)
    monkeypatch.setattr(document, "MOST_VALUES", 10**6)
    monkeypatch.setattr(document, "MOST_BYTES", 1000)
    with pytest.raises(NotCertified, match="cannot be read as JSON"):
        load(path)
    with pytest.raises(DataError, match="no file"):
        read_document(tmp_path / "none", document.MODEL)


def test_values_are_counted_before_they_are_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty megabytes of empty objects would become a gigabyte."""
    monkeypatch.setattr(document, "MOST_BYTES", 2**25)  # so much room is made to read into
    path = tmp_path / "model.json"
    path.write_bytes(b'{"format": "privpac-model/2", "x": [' + b"{}," * document.MOST_VALUES + b"{}]}")
    tracemalloc.start()
    try:
        with within(5), pytest.raises(NotCertified, match="cannot be read as JSON"):
            load(path)
        assert tracemalloc.get_traced_memory()[1] < 2**27
    finally:
        tracemalloc.stop()


def test_a_document_in_memory_is_verified_as_a_file_is() -> None:
    tree = coded()
    assert verify_document(tree).rebuilt
    with pytest.raises(NotCertified, match="digest"):
        verify_document({**tree, "version": "0"})
    with pytest.raises(NotCertified, match="format"):
        verify_document({**tree, "format": "privpac-model/9"})
    with pytest.raises(NotCertified, match="too large"):
        verify_document({**tree, "certificate": float("nan")})


def test_equal_numbers_are_not_the_same_text() -> None:
    assert same({"a": [1, 2]}, {"a": (1, 2)})
    for other in (True, 1.0, "1"):
        assert not same({"a": 1}, {"a": other})


@pytest.mark.parametrize(
    ("read", "good", "bad"),
    [
        (whole, [0, -3, 10**30], [True, 2.0, "2", None]),
        (written_whole, ["0", "-3", "12"], [12, "012", "+1", "1_0", "-0", "²", "", " 1", "9" * 5000]),
        (flag, [True, False], [1, 0, "true", None]),
        (text, ["", "x"], [1, None, ["x"]]),
        (as_list, [[], (1,)], ["ab", {}, None]),
        (lambda value: record(value, "a"), [{"a": 1}], [{}, {"a": 1, "b": 2}, ["a"], None]),
    ],
)
def test_fields_are_read_by_their_exact_type(read: Any, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        assert read(value) == value or str(read(value)) == value
    for value in bad:
        with pytest.raises(Malformed):
            read(value)


def test_a_request_has_public_limits() -> None:
    from fractions import Fraction

    from privpac.data.sample import Size
    from privpac.errors import ParameterError, SizeError

    for wrong in ({"epsilon": Fraction(0)}, {"delta": Fraction(-1)}, {"delta": Fraction(1)}):
        with pytest.raises(ParameterError):
            Request(KEYS, Size(3), LearnRequest(**{"epsilon": Fraction(1), **wrong}))
    with pytest.raises(SizeError):
        Request(KEYS, Size(10**13), LearnRequest(epsilon=Fraction(1)))


@pytest.mark.parametrize("epsilon", ["1000000000000", "1" + "0" * 300])
@pytest.mark.parametrize("word", ["points:k:keyed", "points:k:improper", "thresholds:k"])
def test_an_epsilon_beyond_all_numbers_does_not_end_the_process(word: str, epsilon: str) -> None:
    """Exponentials of such numbers once stopped the interpreter itself, with no error to catch."""
    model = learn({"k": [0, 3] * 40}, y=[0, 1] * 40, schema=KEYS, epsilon=4, concepts=word, random_state=1)
    tree: dict[str, Any] = json.loads(json.dumps(model.to_json()))
    tree["certificate"]["request"]["epsilon"] = epsilon
    with within(4), pytest.raises(NotCertified):
        verify_document({**tree, "digest": digest(tree)})


@pytest.mark.parametrize(
    ("before", "levels"),
    [("", 256), ("", 257), ('"]",' * 500, 255), ('"]",' * 500, 256), ('"\\"[",' * 500, 255)],
)
def test_depth_is_counted_before_anything_is_parsed(
    before: str, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A parser that calls itself would end the whole process where the stack is small, as in a browser."""
    raw = ("[" * (before != "") + before + "[" * levels + "]" * (levels + (before != ""))).encode()
    if levels + (before != "") <= 256:
        parsed_json(raw)
        return
    monkeypatch.setattr(json, "loads", lambda *_, **__: pytest.fail("it was parsed"))
    with pytest.raises(Malformed, match="nested too deeply"):
        parsed_json(raw)


@pytest.mark.parametrize(
    "beginning", ["<!doctype html>\n<html", "\n <HTML lang='en'>", "\ufeff<!DOCTYPE HTML>"]
)
def test_whoever_checks_a_report_hears_which_file_to_check(beginning: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(beginning, encoding="utf-8")
    with pytest.raises(NotCertified, match=r"looks like a report .*Verify the model file .JSON.") as refusal:
        read_document(page)
    assert "privpac explain MODEL --report" in str(refusal.value)


@pytest.mark.parametrize("content", ['{"format": "<html', "<svg>", "", "see <!doctype html>"])
def test_other_files_that_are_no_json_are_not_taken_for_reports(content: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(content, encoding="utf-8")
    for place in (path, tmp_path):
        with pytest.raises(NotCertified, match="cannot be read as JSON"):
            read_document(place)
