"""The pictures of ranks and risks: everything lies on the sheet, and the noisy say nothing."""

from __future__ import annotations

from pathlib import Path

from privpac.constructions.estimates.ranks import Group, RankFigures
from privpac.pictures.drawing import Box, Line
from privpac.pictures.ranks import HEIGHT, WIDTH, ranks_picture

GROUPS = (Group(0.1, 0, 800, 60), Group(0.4, 0, 200, 140), Group(0.8, 1, 100, 300))


def test_everything_is_on_the_sheet_and_each_group_has_a_dot(tmp_path: Path) -> None:
    drawing = ranks_picture(RankFigures(GROUPS, 4, ("<no>", "yes")), "ill")
    assert drawing is not None
    for shape in drawing.shapes:
        places = shape.points if isinstance(shape, Line) else ((shape.x, shape.y),)
        assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in places)
    assert sum(isinstance(shape, Box) and shape.style == "k1" for shape in drawing.shapes) == len(GROUPS) + 1
    assert sum(isinstance(shape, Line) and shape.style == "curve" for shape in drawing.shapes) == 1
    drawing.save(tmp_path / "ranks.png")
    assert (tmp_path / "ranks.png").stat().st_size > 5000


def test_what_is_too_noisy_is_not_drawn() -> None:
    assert ranks_picture(RankFigures(GROUPS, 400, ("no", "yes")), "ill") is None
