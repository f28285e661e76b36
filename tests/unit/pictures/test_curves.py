"""Curves: what is given is in the file, gaps stay gaps, and the same curves give the same file."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from privpac.errors import MissingExtra, ParameterError
from privpac.pictures.curves import Curves, Series

NS = "{http://www.w3.org/2000/svg}"
BITS = (8, 16, 32)
CURVES = Curves(
    "Records & bits $d$",
    "bits <of> the key",
    "records",
    [
        Series("promised", BITS, (213, 351, 628), dashed=True),
        Series("needed", BITS, (201, 328, 575), low=(190, 300, 550), high=(210, 340, 600)),
        Series("steps", BITS, (None, 264, 287), kind="step", low=(None, 250, 270), high=(None, 280, 300)),
        Series("floor", BITS, (114, 182, 312), kind="points"),
    ],
    log_x=True,
    log_y=True,
    x_ticks=BITS,
    note="how it was measured",
)


def svg_of(curves: Curves, folder: Path) -> ElementTree.Element:
    curves.save(folder / "a.svg")
    return ElementTree.fromstring((folder / "a.svg").read_bytes())


def words(tree: ElementTree.Element) -> str:
    return "\n".join("".join(text.itertext()).strip() for text in tree.iter(f"{NS}text"))


def test_every_word_is_text_in_the_svg(tmp_path: Path) -> None:
    said = words(svg_of(CURVES, tmp_path)).splitlines()
    for text in (CURVES.title, CURVES.x_label, CURVES.y_label, CURVES.note, "8", "16", "32"):
        assert text in said
    for series in CURVES.series:
        assert series.label in said


def test_every_point_has_its_marker_and_every_gap_none(tmp_path: Path) -> None:
    tree = svg_of(CURVES, tmp_path)
    (axes,) = (g for g in tree.iter(f"{NS}g") if g.get("id") == "axes_1")
    lines = [g for g in axes if (g.get("id") or "").startswith("line2d_")]
    assert [len(list(line.iter(f"{NS}use"))) for line in lines] == [3, 3, 2, 3]
    bands = [g for g in axes if "FillBetween" in (g.get("id") or "")]
    assert len(bands) == 2


def test_the_same_curves_give_the_same_svg_and_a_png_is_one(tmp_path: Path) -> None:
    CURVES.save(tmp_path / "a.svg")
    CURVES.save(tmp_path / "b.svg")
    CURVES.save(tmp_path / "a.png")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "a.svg", "b.svg"]


def test_many_points_are_drawn_without_markers(tmp_path: Path) -> None:
    long = Series("long", range(100), range(100))
    tree = svg_of(Curves("t", "x", "y", [long]), tmp_path)
    (axes,) = (g for g in tree.iter(f"{NS}g") if g.get("id") == "axes_1")
    lines = [g for g in axes if (g.get("id") or "").startswith("line2d_")]
    assert not list(lines[0].iter(f"{NS}use"))


@pytest.mark.parametrize(("low", "high"), [(None, None), ((1, 2, 3), None), ((1, 2), (3, 4))])
def test_ragged_series_and_half_bands_are_refused(
    low: tuple[float, ...] | None, high: tuple[float, ...] | None
) -> None:
    y = (1, 2) if low is None else (1, 2, 3)
    with pytest.raises(ParameterError, match="ragged"):
        Series("ragged", BITS, y, low=low, high=high)
    with pytest.raises(ParameterError, match="at least one"):
        Curves("t", "x", "y", [])


def test_other_endings_and_a_missing_package_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ParameterError, match=r"\.svg or \.png"):
        CURVES.save(tmp_path / "a.pdf")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"privpac\[plots\]"):
        CURVES.save(tmp_path / "a.svg")


PANELS = Curves(
    "Two stories",
    "bits",
    "records",
    [
        Series("one draw", (8, 16, 32), (200, 300, 600), panel="Values"),
        Series("a set", (8, 16, 32), (210, 310, 590), panel="Values"),
        Series("one draw, cuts", (32, 16, 8), (600, 300, None), group="one draw", panel="Cuts"),
    ],
    log_x=True,
    log_y=True,
    x_ticks=(8, 16, 32),
    note="how",
)


def test_panels_stand_one_below_the_other_with_names_at_the_ends(tmp_path: Path) -> None:
    tree = svg_of(PANELS, tmp_path)
    above, below = (g for g in tree.iter(f"{NS}g") if (g.get("id") or "").startswith("axes_"))
    assert {"Values", "one draw", "a set", "8"} <= set(words(above).splitlines())
    assert {"Cuts", "one draw, cuts", "16", "32"} <= set(words(below).splitlines())
    assert "8" not in words(below).splitlines()  # no value there
    assert not [g for g in tree.iter(f"{NS}g") if (g.get("id") or "").startswith("legend")]
    assert "Two stories" in words(tree)
    assert "how" in words(tree)


def test_one_thing_looks_alike_in_every_panel(tmp_path: Path) -> None:
    tree = svg_of(PANELS, tmp_path)
    colours = [
        re.search(r"fill: (#[0-9a-f]{6})", text.get("style") or "")
        for text in tree.iter(f"{NS}text")
        if "".join(text.itertext()).strip() in ("one draw", "one draw, cuts", "a set")
    ]
    found = [colour[1] for colour in colours if colour]
    assert len(found) == 3
    assert len(set(found)) == 2


def test_names_at_the_ends_do_not_lie_on_each_other(tmp_path: Path) -> None:
    tree = svg_of(PANELS, tmp_path)
    (above, _) = (g for g in tree.iter(f"{NS}g") if (g.get("id") or "").startswith("axes_"))
    places = [
        float(text.get("y") or 0)
        for text in above.iter(f"{NS}text")
        if "".join(text.itertext()).strip() in ("one draw", "a set")
    ]
    assert len(places) == 2
    assert abs(places[0] - places[1]) >= 12
