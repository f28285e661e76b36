"""A tree drawn from left to right: tests in the columns' own units, leaves in the colour and name of their class.

It grows downwards with the leaves and sideways with the depth, so long names and many leaves never collide. With leaf
counts each leaf also shows its noisy shares. What chance decided, or what only unusual values reach, is grey and folded
(`estimates.folding`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from privpac.concepts.base import Hypothesis
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.cell_sets import edge
from privpac.concepts.literals.questions import Questions
from privpac.concepts.shapes import PointsSheet
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.constructions.estimates.folding import FoldedTree, fold
from privpac.constructions.estimates.leaf_counts import LeafCounts
from privpac.data.columns import Boolean, Numeric
from privpac.data.schema import Schema
from privpac.pictures.card import card_picture
from privpac.pictures.drawing import CLASS_STYLES, SMALL, Box, Drawing, Line, Words, text_width

__all__ = ["as_tree", "picture"]

MARGIN, GAP, HEADING = 16.0, 58.0, 34.0
NODE, PADDING = 28.0, 12.0
ROW, ROW_WITH_COUNTS = 38.0, 50.0
BAR = 6.0
BOLD = 1.12  # how much wider heavy letters are
LONGEST = 40
"""Letters of a test or class; the middle of a longer text is left out, and a pointer shows it."""

DIGITS = 6
"""Of a cut in a picture; text, SQL and the model file have all of them."""

GREY = "Grey: by the schema, hardly any record arrives there, or none."


def picture(
    hypothesis: Hypothesis, schema: Schema, *, leaf_counts: LeafCounts | None = None, promise: str = ""
) -> Drawing:
    """The drawing of any rule: a card, with its promise, a tree, or words where it asks no questions one after the
    other."""
    shape = hypothesis.shape(schema)
    if isinstance(shape, PointsSheet):
        return card_picture(shape, schema, promise=promise)
    tree = as_tree(hypothesis, schema)
    if tree is None:
        return _in_words(hypothesis, schema)
    return _Layout(fold(tree, leaf_counts, schema), schema, tree).drawing()


def as_tree(hypothesis: Hypothesis, schema: Schema) -> Tree | None:
    """A rule that asks one thing after the other as a tree, which is one picture for all of them; else None."""
    questions = hypothesis.questions(schema)
    return None if questions is None else _from_questions(questions)


def _from_questions(questions: Questions) -> Tree:
    if isinstance(questions, int):
        return Leaf(questions)
    return Split(questions.test, _from_questions(questions.fails), _from_questions(questions.holds))


def _in_words(hypothesis: Hypothesis, schema: Schema) -> Drawing:
    lines = hypothesis.describe(schema).splitlines()
    width = 2 * MARGIN + max(text_width(line) for line in (*lines, _heading(schema)))
    words = [Words(MARGIN, MARGIN + 13, _heading(schema), "heading", "start")]
    words += [
        Words(MARGIN, HEADING + MARGIN + 20 * i + 13, line, "test", "start") for i, line in enumerate(lines)
    ]
    height = HEADING + 2 * MARGIN + 20 * len(lines)
    return Drawing(width, height, tuple(words), hypothesis.describe(schema))


def _heading(schema: Schema) -> str:
    return f"Predicted {schema.label_called}"


@dataclass(frozen=True)
class _Place:
    """A node with its level, its height on the sheet and, if it is a leaf, its number in the order of `leaves()`."""

    node: Tree
    level: int
    y: float
    number: int
    children: tuple[_Place, ...] = ()

    def all(self) -> Iterator[_Place]:
        yield self
        for child in self.children:
            yield from child.all()


@dataclass(frozen=True)
class _Layout:
    """Where everything goes: a row per leaf, a column per level as wide as its widest node."""

    shown: FoldedTree
    schema: Schema
    whole: Tree
    """The rule itself, of which `shown` may be folded."""

    @cached_property
    def places(self) -> tuple[_Place, ...]:
        return tuple(self._place(self.shown.tree, 0, 0, count()).all())

    def _place(self, node: Tree, level: int, number: int, rows: Iterator[int]) -> _Place:
        if not isinstance(node, Split):
            y = HEADING + MARGIN + (next(rows) + 0.5) * (ROW_WITH_COUNTS if self.shown.counted else ROW)
            return _Place(node, level, y, number)
        # Where the test holds comes first, as in words; leaves are numbered the other way round.
        below = sum(1 for _ in node.low.leaves())
        high = self._place(node.high, level + 1, number + below, rows)
        low = self._place(node.low, level + 1, number, rows)
        return _Place(node, level, (high.y + low.y) / 2, number, (high, low))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What is answered in each leaf."""
        return tuple(leaf.name(self.schema) for leaf in self.shown.leaves)

    @cached_property
    def pill(self) -> float:
        """The width of every leaf."""
        names = (_short(name) for name in self.names)
        return max(56.0, BOLD * max(text_width(name) for name in names) + 2 * PADDING)

    def _width(self, place: _Place) -> float:
        if isinstance(place.node, Split):
            return text_width(_short(_question(place.node.test, self.schema))) + 2 * PADDING
        return self.pill

    @cached_property
    def lefts(self) -> tuple[float, ...]:
        """The left edge of every level, and of the level after the last."""
        edges = [MARGIN]
        for level in range(1 + max(place.level for place in self.places)):
            widest = max(self._width(place) for place in self.places if place.level == level)
            edges.append(edges[-1] + widest + GAP)
        return tuple(edges)

    def drawing(self) -> Drawing:
        shapes = [shape for place in self.places for shape in self._edges(place)]
        for place in self.places:
            shapes += self._test(place) if isinstance(place.node, Split) else self._leaf(place)
        lowest = max(place.y for place in self.places) + ROW / 2
        note = self._note()
        if note:
            lowest += 22
            shapes.append(Words(MARGIN, lowest, note, "soft", "start"))
        heading = _heading(self.schema)
        shapes.append(Words(MARGIN, MARGIN + 13, heading, "heading", "start"))
        beside = max((text_width(self._number(place), SMALL) + 10 for place in self.places), default=0.0)
        right = max(self.lefts[place.level] + self._width(place) for place in self.places) + beside
        width = max(right, MARGIN + text_width(heading), MARGIN + text_width(note, SMALL)) + MARGIN
        return Drawing(width, lowest + MARGIN, tuple(shapes), self.whole.describe(self.schema))

    def _edges(self, place: _Place) -> Iterator[Box | Line | Words]:
        if not place.children:
            return
        start, end = self.lefts[place.level] + self._width(place), self.lefts[place.level + 1]
        bend = end - GAP + 16
        high, low = place.children
        yield Line(((start, place.y), (bend, place.y)))
        yield Line(((end, high.y), (bend, high.y), (bend, low.y), (end, low.y)))
        for child, answer in ((high, "yes"), (low, "no")):
            yield Words(bend + 4, child.y - 4, answer, "soft", "start")

    def _test(self, place: _Place) -> Iterator[Box | Line | Words]:
        assert isinstance(place.node, Split)
        full = _question(place.node.test, self.schema)
        width, left = self._width(place), self.lefts[place.level]
        yield Box(left, place.y - NODE / 2, width, NODE, "node", 6)
        cut = place.node.test.describe(self.schema)
        yield Words(left + width / 2, place.y + 4.5, _short(full), "test", full=cut)

    def _leaf(self, place: _Place) -> Iterator[Box | Line | Words]:
        assert isinstance(place.node, Leaf)
        left, name = self.lefts[place.level], self.names[place.number]
        leaf = self.shown.leaves[place.number]
        colour = "chance" if leaf.undecided else f"k{place.node.label % CLASS_STYLES}"
        yield Box(left, place.y - NODE / 2, self.pill, NODE, colour, 6)
        short, style = _short(name), "test" if leaf.undecided else "on"
        yield Words(left + self.pill / 2, place.y + 4.5, short, style, full=name if short != name else "")
        if leaf.counts and not leaf.mark:
            yield from self._bar(left, place.y + NODE / 2 + 3, leaf.shares)
        if number := self._number(place):
            yield Words(left + self.pill + 8, place.y + 4, number, "soft", "start")

    def _bar(self, left: float, top: float, shares: Iterable[float]) -> Iterator[Box]:
        for label, share in enumerate(shares):
            yield Box(left, top, share * self.pill, BAR, f"k{label % CLASS_STYLES}")
            left += share * self.pill

    def _number(self, place: _Place) -> str:
        """How many records arrive, about, which share of them has the leaf's class, and what is folded."""
        if not isinstance(place.node, Leaf):
            return ""
        leaf = self.shown.leaves[place.number]
        if leaf.mark:
            return f"{leaf.mark}, {leaf.leaves} leaves" if leaf.leaves > 1 else leaf.mark
        counts = f"{sum(leaf.counts):,} · {leaf.shares[place.node.label]:.0%}" if leaf.counts else ""
        return " · ".join(part for part in (counts, leaf.folded if leaf.leaves > 1 else "") if part)

    def _note(self) -> str:
        if not self.shown.counted:
            return GREY if self.shown.marks else ""
        return "Beside a leaf: records counted with noise, and the share of its class; below it: all shares."


def _question(test: Test, schema: Schema) -> str:
    """A test in the column's own units, with a cut of few digits."""
    column = schema.column(test.column)
    if test.kind != "at least" or isinstance(column, Boolean):
        return Test(test.column, test.cell, "equals").describe(schema)
    if not isinstance(column, Numeric):
        return f"{column.called} ≥ {column.show(test.cell)}"
    sign, cut = edge(
        column, test.cell, ("≥", ">")
    )  # as in words: whoever has just the number must find the same side
    if not column.integer and len(cut) > DIGITS + 2:
        cut = f"{float(cut):.{DIGITS}g}"
    return f"{column.called} {sign} {column.with_unit(cut)}"


def _short(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - 16]}…{text[-15:]}"
