"""`privpac reproduce`: every table is printed, written and kept; figures are drawn from what was written."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from reproductions import agnostic, predictions, separations

from privpac.cli import console, main, reproduce
from privpac.cli.reproduce import REPRODUCTIONS, Reproduction
from privpac.pictures.curves import Curves, Series
from privpac.theory import sizes


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(("reproduce", *arguments))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Two reproductions, one of them with a figure, and a list of the times either was computed."""
    calls: list[str] = []

    def module(name: str, *, figure: bool) -> str:
        made = ModuleType(name)

        def rows(*, quick: bool, progress: console.Progress) -> list[dict[str, Any]]:
            calls.append(f"{name} {quick}")
            for done in range(1, 4):
                progress(done, 3)
            return [{"bits": bits, "needed": 10 * bits, "floor": None} for bits in (8, 16)]

        def drawing(rows: Sequence[Mapping[str, Any]]) -> Curves:
            bits = [row["bits"] for row in rows]
            return Curves(name, "bits", "records", [Series("needed", bits, [row["needed"] for row in rows])])

        made.rows = rows  # type: ignore[attr-defined]
        if figure:
            made.figure = drawing  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, made)
        return name

    table = {
        "plain": Reproduction("A table", module("privpac_plain", figure=False)),
        "curved": Reproduction("A figure", module("privpac_curved", figure=True)),
    }
    monkeypatch.setattr(reproduce, "REPRODUCTIONS", table)
    monkeypatch.setenv("PRIVPAC_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return calls


def test_without_the_source_it_says_where_the_reproductions_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """They are no part of the wheel; what there is can be listed all the same."""
    monkeypatch.setattr(reproduce, "FOLDER", tmp_path / "reproductions")
    assert all(name in run(capsys)[1] for name in REPRODUCTIONS)
    code, out, err = run(capsys, "sizes", "--quick", "--fresh")
    assert code == 2
    assert not out
    assert "not installed with the package" in err
    assert "Take the source" in err


def test_they_are_listed_and_unknown_names_are_told_the_known_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert all(name in run(capsys)[1] for name in REPRODUCTIONS)
    assert set(json.loads(run(capsys, "--json")[1])["reproductions"]) == set(REPRODUCTIONS)
    code, _, err = run(capsys, "nothing")
    assert code == 2
    assert "sizes" in err
    assert "all" in err


@pytest.mark.long_cases("continuous", "predictions", "agnostic", "separations", "few-labels")
@pytest.mark.parametrize("name", list(REPRODUCTIONS))
def test_a_reproduction_prints_and_writes_its_rows(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, name, "--quick", "--json", "--out", str(tmp_path))
    assert code == 0
    tree = json.loads(out)
    assert tree == json.loads((tmp_path / f"{name}.json").read_text())
    assert tree["rows"]
    assert len({tuple(row) for row in tree["rows"]}) == 1
    for end, start in (("svg", b"<?xml"), ("png", b"\x89PNG")):
        path = tmp_path / f"{name}.{end}"
        assert path.exists() == REPRODUCTIONS[name].has_figure
        assert not path.exists() or path.read_bytes().startswith(start)
    code, out, _ = run(capsys, name, "--quick")
    assert len(out.strip().splitlines()) == len(tree["rows"]) + 3


def test_sizes_are_ordered_as_theory_says(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run(capsys, "sizes", "--quick", "--json")[1])["rows"]
    for row in rows:
        assert row["floor"] <= (row["extremal"] or row["promised"]) <= row["promised"]
    assert {"concepts": "points", "domain_bits": 16, "promised": 351, "extremal": 328}.items() <= rows[
        1
    ].items()


def test_separations_tell_bits_from_no_bits(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run(capsys, "separations", "--quick", "--json")[1])["rows"]
    found = {(row["learner"], row["domain_bits"]): row for row in rows}
    assert all((row["floor"] or 0) <= row["needed"] for row in rows)
    assert all(row["failure_low"] <= 0.05 for row in rows)
    draw8, draw16 = found["points: one draw", 8], found["points: one draw", 16]
    assert (draw8["promised"], draw16["promised"]) == (213, 351)
    assert draw8["needed_low"] <= 201 <= (draw8["needed_high"] or 201)
    assert draw16["needed_low"] <= 328 <= draw16["needed_high"]
    sets8, sets16 = found["points: random sets", 8], found["points: random sets", 16]
    assert (sets8["promised"], sets8["needed"]) == (sets16["promised"], sets16["needed"])
    assert sets16["needed_high"] < draw16["needed_low"]
    figure = separations.figure(rows)
    assert {"a point, one draw", "floor, any answer"} <= {series.label for series in figure.series}
    assert all(sum(other.panel == series.panel for other in figure.series) <= 4 for series in figure.series)


def test_the_table_of_separations_grows_with_the_bits_where_it_should(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tree = json.loads(run(capsys, "separations-table", "--json")[1])["rows"]
    enough = {(row["concepts"], row["learner"], row["bits"]): row["enough"] for row in tree}
    for (concepts, learner, bits), n in enough.items():
        grows = learner in ("private, proper", "private, proper, efficient")
        assert (n < enough[concepts, learner, 128]) == (grows and bits < 128)
    assert enough["points", "not private", 32] == 29
    assert all(row["too_few"] is None or row["too_few"] < row["enough"] for row in tree)


def test_the_transformation_keeps_its_promise_and_a_direct_draw_needs_less(
    capsys: pytest.CaptureFixture[str],
) -> None:
    row, smaller = json.loads(run(capsys, "agnostic", "--quick", "--json")[1])["rows"]
    assert row["floor"] < row["clean"] < row["direct"] < row["transformed"] == row["subsampled"]
    assert smaller["transformed"] < smaller["subsampled"]
    assert 0 <= row["direct_measured"] <= row["excess"]
    assert 0 <= row["transformed_measured"] <= row["excess"]
    drawn = {series.label: list(series.y) for series in agnostic.figure([row, smaller]).series}
    assert drawn["transformed"] == [one["transformed"] - one["clean"] for one in (row, smaller)]
    assert drawn["excess 0.2"][0] == 1 > drawn["excess 0.2"][1]


def test_predictions_err_less_than_promised_and_name_who_needs_fewest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = json.loads(run(capsys, "predictions", "--quick", "--json")[1])["rows"]
    found = {row["construction"]: row for row in rows}
    for name in ("plain", "flipped", "flipped_printed", "relabelled_vote", "vote", "vote_printed"):
        assert 0 <= found[name]["measured"] <= found[name]["error"]
        assert found[name]["unmeasured"] == ""
    assert found["net_relabelled"]["measured"] is None  # millions of records
    assert found["net_relabelled"]["unmeasured"]
    # What is printed asks for more than it needs.
    assert found["vote"]["measured"] > found["vote_printed"]["measured"]
    winners = {name: row["fewest"] for name, row in found.items() if row["fewest"]}
    assert winners == {"plain": "all", "flipped": "answers", "vote": "clean"}
    panels = {series.label: series.panel for series in predictions.figure(rows).series}
    assert panels["flipped"] != panels["vote"] == panels["vote printed"]


def test_the_stored_separations_are_those_of_the_formulas() -> None:
    """The long run's numbers: what they promise is what is promised today, and what was measured lies in between."""
    stored = Path(__file__).parents[3] / "benchmarks" / "results" / "separations.json"
    rows = json.loads(stored.read_text(encoding="utf-8"))["rows"]
    wanted = {"error": "0.1", "failure": "0.05", "epsilon": 1}
    draws = [row for row in rows if row["learner"] == "points: one draw"]
    assert [row["needed"] for row in draws] == [201, 328, 575, 1057, 2001]
    assert [row["promised"] for row in draws] == [
        sizes.records_occam(2 ** row["domain_bits"], **wanted) for row in draws
    ]
    assert [row["floor"] for row in draws] == [114, 182, 312, 563, 1048]
    sets = [row for row in rows if row["learner"] == "points: random sets"]
    assert [row["floor"] for row in sets] == [32, 47, 47, 47, 47]
    for row in rows:
        assert (row["floor"] or 0) <= row["needed_low"] <= row["needed"] <= row["promised"]
        assert row["failure_low"] <= 0.05
