"""Curves: what is given is in the file, gaps stay gaps, and the same curves give the same file."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

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
