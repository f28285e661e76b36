"""Writes docs/theory/images and the picture of the README anew."""

from __future__ import annotations

from pathlib import Path

from docs.pictures.demo import MODEL, demo
from docs.pictures.flows import FLOWS
from docs.pictures.lines import LINES
from docs.pictures.shapes import SHAPES

__all__ = ["PICTURES", "main"]

PICTURES = {**FLOWS, **SHAPES, **LINES}
PLACE = Path(__file__).resolve().parents[1] / "theory" / "images"


def main() -> None:
    PLACE.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (PLACE / f"{name}.svg").write_text(draw().svg(), encoding="utf-8", newline="\n")
    MODEL.with_name("tree.svg").write_text(demo().svg(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
