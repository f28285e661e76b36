"""Every kind of class a plan can be made for, by its word: the same numbers as those of the classes themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product

from privpac.concepts.grids import (
    BOX_GROUPS,
    CUTOFFS,
    HALFSPACE_POINTS,
    LEVELS,
    MOST_BOX_COLUMNS,
    MOST_FEATURES,
    POINTS,
    TABLE_SIZE,
    Bins,
    box_grid,
    grid_of_word,
    linear_grid,
    tabled_grid,
)
from privpac.constructions import catalogue
from privpac.constructions.class_facts import MOST_BITS, OWNER, ClassFacts, Description
from privpac.constructions.draw.stages import SHARES, outcomes_of, trees_up_to
from privpac.errors import ParameterError
from privpac.numbers.parameters import at_least, rational

__all__ = ["AUTO", "KINDS", "facts_of"]


def _line(word: str, kind: str, size: int, vc: int, cells: int, parts: int = 1, *, named: bool) -> ClassFacts:
    return ClassFacts(word, kind, size, Fraction(size - 1), vc, vc, cells, parts=parts, named=named)


def _points(rest: str, description: Description) -> ClassFacts:
    name, way = _point_way(rest, description)
    cells = description.cells(name, "points:COLUMN")
    facts = _line(f"points:{name or 'COLUMN'}", "points", cells, 1, cells, named=bool(name))
    return replace(facts, way=way)


def _point_way(rest: str, description: Description) -> tuple[str, str]:
    """The column and the one way that was asked for, if any; a column whose name ends like a way is that column."""
    ways = sorted({option.way for option in catalogue.options() if option.way})
    if ":" not in rest or (description.schema is not None and rest in description.schema.names):
        return ("", rest) if rest in ways and description.schema is None else (rest, "")
    name, _, way = rest.rpartition(":")
    if way not in ways:
        raise ParameterError(
            OWNER,
            "concepts",
            f"points:{rest}",
            allowed="points:COLUMN or points:COLUMN:WAY, WAY one of " + ", ".join(ways),
            remedy="Other ways fail too often for a promise.",
        )
    return name, way


def _generated(rest: str, description: Description) -> ClassFacts:
    """Points a public generator makes of few bits."""
    name, _, count = rest.rpartition(":")
    bits = at_least(1, count or description.need_bits("generated:BITS"), owner=OWNER, name="bits of the seed")
    word = f"generated:{name or 'COLUMN'}:{bits}"
    return ClassFacts(word, "generated", 2**bits, Fraction(2**bits - 1), 1, 1, named=bool(name))


def _thresholds(rest: str, description: Description) -> ClassFacts:
    name, _, direction = rest.rpartition(":")
    if direction not in ("up", "down", "either") or (description.schema is not None and not name):
        name, direction = rest, "up"
    cells = description.cells(name, "thresholds:COLUMN")
    either = direction == "either"
    word = f"thresholds:{name or 'COLUMN'}" + ("" if direction == "up" else f":{direction}")
    size = 2 * cells if either else cells + 1
    return _line(word, "thresholds", size, 2 if either else 1, cells, named=bool(name))


def _unions_size(cells: int, changes: int) -> int:
    return sum(math.comb(cells, k) for k in range(changes + 1))


def _intervals(rest: str, description: Description) -> ClassFacts:
    cells = description.cells(rest, "intervals:COLUMN")
    changes = min(2, cells)
    size = _unions_size(cells, changes)
    return _line(f"intervals:{rest or 'COLUMN'}", "intervals", size, changes, cells, named=bool(rest))


def _unions(rest: str, description: Description) -> ClassFacts:
    name, _, count = rest.rpartition(":")
    if description.schema is None and not count:
        count = "2"
    if not count.isdecimal() or int(count) < 1:
        raise ParameterError(
            OWNER, "concepts", f"unions:{rest}", allowed="of the form unions:COLUMN:K or unions:K"
        )
    cells, parts = description.cells(name, "unions:COLUMN:K"), int(count)
    changes = min(2 * parts, cells)
    word = f"unions:{name or 'COLUMN'}:{parts}"
    return _line(word, "unions", _unions_size(cells, changes), changes, cells, parts, named=bool(name))


def _rectangles(rest: str, description: Description) -> ClassFacts:
    columns, bins = grid_of_word(rest)
    if description.schema is not None:
        names = [description.schema.column(name.strip()).name for name in columns.split(",")]
        sizes = [description.schema.column(name).size for name in names]
    else:
        parts = int(columns) if columns.isdecimal() else columns.count(",") + 1 if columns else 2
        if not 1 <= parts <= MOST_BOX_COLUMNS:
            names, sizes = [], []
        else:
            names, sizes = ["COLUMN"] * parts, [description.cells("", "rectangles:K")] * parts
    if not 1 <= len(sizes) <= MOST_BOX_COLUMNS:
        raise ParameterError(
            OWNER,
            "concepts",
            f"rectangles:{rest}",
            allowed="boxes in one to five columns",
            remedy="Use trees.",
        )
    groups = _groups(sizes, bins, rest)
    size = math.prod(g * (g + 1) // 2 for g in groups) + 1
    vc = 2 * len(sizes)
    return ClassFacts(
        f"rectangles:{','.join(names)}{rest[len(columns) :]}",
        "rectangles",
        size,
        Fraction(size - 1),
        vc,
        vc if min(groups) >= 3 else 1,
        parts=len(sizes),
        groups=tuple(groups),
        grid=box_grid(names, sizes, groups),
        named=description.schema is not None,
    )


def _groups(sizes: list[int], bins: Bins, rest: str) -> list[int]:
    """Cells of each column that boxes tell apart."""
    if isinstance(bins, str):
        return sizes
    if bins is None:
        return [min(size, BOX_GROUPS.get(len(sizes), 1)) for size in sizes]
    counts = bins if isinstance(bins, tuple) else (bins,) * len(sizes)
    if len(counts) != len(sizes):
        raise ParameterError(
            OWNER, "concepts", f"rectangles:{rest}", allowed="given one number of groups, or one per column"
        )
    return [min(size, count) for size, count in zip(sizes, counts, strict=True)]


def _stumps(rest: str, description: Description) -> ClassFacts:
    if description.schema is not None:
        useful = [(c.size, c.ordered) for c in description.schema.columns if c.size > 1]
    else:
        useful = [(description.cells("", "stumps"), True)] * (description.columns or 1)
    sizes = [2, *(2 * (size - 1) if ordered or size == 2 else 2 * size for size, ordered in useful)]
    points = 1
    while 2 ** (points + 1) <= 2 * len(useful) * (points + 1) + 2:
        points += 1
    odds = Fraction(len(sizes) * max(sizes)) - 1
    named = description.schema is not None
    return ClassFacts("stumps", "stumps", sum(sizes), odds, points, 1, table=tuple(useful), named=named)


def _levels(word: str, rest: str) -> int:
    levels = int(rest or 3) if (rest or "3").isdecimal() else 0
    if not 1 <= levels <= 4:
        raise ParameterError(
            OWNER,
            "concepts",
            f"{word}:{rest}",
            allowed=f"{word}:1 to {word}:4",
            remedy="Deeper ones: staged:3+3.",
        )
    return levels


def _tested(
    kind: str, levels: int, size: int, tests: int, description: Description, shatters: int = 1
) -> ClassFacts:
    return ClassFacts(
        f"{kind}:{levels}" if kind != "one-test" else kind,
        kind,
        size,
        Fraction(size - 1),
        size.bit_length() - 1,
        min(shatters, size.bit_length() - 1),
        tests=tests,
        parts=levels,
        labels=_classes(description),
        named=description.schema is not None,
    )


def _trees(rest: str, description: Description) -> ClassFacts:
    levels = _levels("trees", rest)
    tests, leaves = description.number_of_tests("trees"), 2**levels
    size = tests ** (leaves - 1) * _classes(description) ** leaves
    # With a question of its own on every level, the leaves of a full tree can be labelled in every way.
    return _tested(
        "trees", levels, size, tests, description, 2 ** min(levels, description.number_of_columns())
    )


def _staged(rest: str, description: Description) -> ClassFacts:
    """Trees grown in stages; a promise is against the best of the first."""
    depths = (rest or "3+3").split("+")
    if not all(depth.isdecimal() and 1 <= int(depth) <= 4 for depth in depths) or len(depths) not in SHARES:
        raise ParameterError(
            OWNER,
            "concepts",
            f"staged:{rest}",
            allowed=f"one to {len(SHARES)} depths from 1 to 4, such as staged:3+3",
        )
    stages, classes = tuple(map(int, depths)), _classes(description)
    first = _trees(depths[0], description)
    if len(stages) == 1:
        return first
    tests = first.tests or 0
    later = [(trees_up_to(depth, tests, classes), sum(stages[:k])) for k, depth in enumerate(stages) if k]
    size = outcomes_of(first.size, later, trees=trees_up_to(sum(stages), tests, classes))
    return replace(
        first,
        word=f"staged:{'+'.join(depths)}",
        kind="staged",
        size=size,
        vc=size.bit_length() - 1,
        parts=sum(stages),
        stages=stages,
    )


def _mixed(description: Description) -> tuple[ClassFacts, ...]:
    """All that `auto` draws from, under its prior; unknown where only a number of tests was given."""
    from privpac.constructions.draw.default import default_mixture
    from privpac.data.schema import Schema

    schema = description.schema
    if schema is None:
        if description.columns is None:
            return ()
        column = {"kind": "numeric", "lower": 0, "upper": 1}
        columns = [{**column, "name": f"x{i}"} for i in range(description.columns)]
        schema = Schema.from_json({"label": "y", "columns": columns})
    mixture = default_mixture(schema, n=description.records or 1000)
    named = description.schema is not None
    size = mixture.size
    return (
        ClassFacts("auto", "auto", size, mixture.odds, size.bit_length() - 1, 1, schema=schema, named=named),
    )


def _lists(rest: str, description: Description) -> ClassFacts:
    levels, tests, classes = (
        _levels("lists", rest),
        description.number_of_tests("lists"),
        _classes(description),
    )
    return _tested("lists", levels, classes * (2 * tests * classes) ** levels, tests, description)


def _monomials(kind: str) -> Callable[[str, Description], ClassFacts]:
    def facts(rest: str, description: Description) -> ClassFacts:
        levels, tests = _levels(kind, rest), description.number_of_tests(kind)
        size = sum(math.comb(tests, k) << k for k in range(levels + 1))
        return _tested(kind, levels, size, tests, description)

    return facts


def _one_test(rest: str, description: Description) -> ClassFacts:
    tests, classes = description.number_of_tests("one-test"), _classes(description)
    return _tested("one-test", 1, tests * classes * (classes - 1), tests, description)


def _classes(description: Description) -> int:
    return description.classes if description.schema is None else len(description.schema.classes)


def _scorecards(rest: str, description: Description) -> ClassFacts:
    """Up to K features of the table."""
    if rest and not rest.isdecimal():
        raise ParameterError(OWNER, "concepts", f"scorecards:{rest}", allowed="of the form scorecards:K")
    count = int(rest or "2")
    features = _features(description, None)
    return _linear_facts(f"scorecards:{count}", "scorecards", features, count, POINTS, description)


def _halfspaces(rest: str, description: Description) -> ClassFacts:
    """All features of the columns named: every pattern of points up to five of them, beyond that a public table."""
    if description.schema is None:
        names = ["COLUMN"] * (int(rest) if rest.isdecimal() else rest.count(",") + 1 if rest else 2)
        features = len(names)
    else:
        names = [description.schema.column(name.strip()).name for name in rest.split(",")]
        features = _features(description, names)
    if len(names) > max(HALFSPACE_POINTS):
        return _tabled(f"halfspaces:{','.join(names)}", features, len(names), description)
    points = HALFSPACE_POINTS[len(names)]
    return _linear_facts(
        f"halfspaces:{','.join(names)}", "halfspaces", features, len(names), points, description
    )


def _tabled(word: str, features: int, columns: int, description: Description) -> ClassFacts:
    """Half-spaces of many columns: single features, pairs, and the public table of directions."""
    from privpac.concepts.linear.direction_table import direction_table

    if not 2 <= features <= MOST_FEATURES:
        raise ParameterError(
            OWNER, "concepts", word, allowed=f"2 to {MOST_FEATURES} features", remedy="Use scorecards:K."
        )
    table = direction_table(features, TABLE_SIZE)
    listed = sum(2 * min(CUTOFFS, sum(map(abs, points)) * (LEVELS - 1) + 1) for points in table)
    sizes = [features * _cutoffs(1, 1), math.comb(features, 2) * _cutoffs(2, 1), listed]
    size = sum(sizes)
    return ClassFacts(
        word,
        "halfspaces",
        size,
        Fraction(len(sizes) * max(sizes) - 1),
        min(features + 1, size.bit_length() - 1),
        1,
        parts=columns,
        grid=tabled_grid(features, TABLE_SIZE, LEVELS),
        named=description.schema is not None,
    )


def _features(description: Description, names: list[str] | None) -> int:
    """Ordered columns are one feature each, the categories of others one each (of two, one)."""
    if description.schema is None:
        if description.columns is None:
            raise ParameterError(
                OWNER, "columns", None, allowed="given for scorecards", remedy="Give --columns NUMBER."
            )
        return description.columns
    columns = [column for column in description.schema.columns if names is None or column.name in names]
    return sum(
        0 if column.size < 2 else 1 if column.ordered or column.size == 2 else column.size
        for column in columns
    )


def _linear_facts(
    word: str, kind: str, features: int, count: int, points: int, description: Description
) -> ClassFacts:
    if features < 1:
        raise ParameterError(
            OWNER,
            "concepts",
            word,
            allowed="given a column of two values",
            remedy="A constant tells nobody apart.",
        )
    sizes = [math.comb(features, k) * _cutoffs(k, points) for k in range(1, min(count, features) + 1)]
    size = sum(sizes)
    return ClassFacts(
        word,
        kind,
        size,
        Fraction(len(sizes) * max(sizes) - 1),
        min(features + 1, size.bit_length() - 1),
        1,
        parts=count,
        grid=linear_grid(min(count, features), points, LEVELS),
        named=description.schema is not None,
    )


@lru_cache(maxsize=64)
def _cutoffs(chosen: int, points: int) -> int:
    """Cut-offs and sides of all coprime points for so many features, up to a common sign."""
    total = 0
    for sizes in product(range(1, points + 1), repeat=chosen):
        if math.gcd(*sizes) == 1:
            total += 2 ** (chosen - 1) * 2 * min(CUTOFFS, sum(sizes) * (LEVELS - 1) + 1)
    return total


def _density(text: str, form: str) -> Fraction:
    if not text:
        raise ParameterError(
            OWNER,
            "kappa",
            None,
            allowed=f"given, as in {form}",
            remedy="On a continuous domain nothing can be promised without a bound on the density: no number of records"
            " suffices (floor-thresholds-smooth).",
        )
    kappa = rational(text, owner=OWNER, name="kappa", allowed="a number of at least 1")
    if kappa < 1:
        raise ParameterError(
            OWNER, "kappa", text, allowed="a number of at least 1, since no density is smaller"
        )
    return kappa


def _reference(rest: str, description: Description) -> ClassFacts:
    """Cuts of the unit interval, densities up to kappa times the uniform one."""
    kappa = _density(rest, "reference:10")
    return ClassFacts(f"reference:{rest}", "reference", 2, Fraction(1), 1, 1, kappa=kappa, named=False)


def _sphere(rest: str, description: Description) -> ClassFacts:
    """Half-spaces through the origin, densities up to kappa times the uniform one on the sphere."""
    dimension, _, density = rest.partition(":")
    d = at_least(2, dimension or 3, owner=OWNER, name="dimension")
    kappa = _density(density or "1", "sphere:3:10")
    return ClassFacts(f"sphere:{rest}", "sphere", 2, Fraction(1), d, d, parts=d, kappa=kappa, named=False)


def _any(rest: str, description: Description) -> ClassFacts:
    """Any class of a VC dimension and a number of members: what is true of all of them."""
    if rest in ("inf", "infinite", "infinity"):
        raise ParameterError(
            OWNER,
            "concepts",
            f"any:{rest}",
            allowed="any:D with a finite VC dimension D",
            remedy="A class of infinite dimension cannot be learnt, private or not: coarsen it, or bound its size"
            " with any:D --bits B.",
        )
    vc = at_least(1, rest or 1, owner=OWNER, name="VC dimension")
    bits = description.need_bits("any:D")
    if bits < vc:
        raise ParameterError(
            OWNER,
            "bits",
            bits,
            allowed=f"at least {vc}, since a class that shatters {vc} points has 2^{vc} members",
            remedy=f"Give --bits {vc} or more, or a dimension of at most {bits}: any:{bits}.",
        )
    return ClassFacts(f"any:{vc}", "any", 2**bits, Fraction(2**bits - 1), vc, vc, named=False)


KINDS: Mapping[str, tuple[str, Callable[[str, Description], ClassFacts]]] = {
    "points": ("points --bits B", _points),
    "generated": ("generated:BITS", _generated),
    "thresholds": ("thresholds --bits B", _thresholds),
    "intervals": ("intervals --bits B", _intervals),
    "unions": ("unions:K --bits B", _unions),
    "rectangles": ("rectangles:K --bits B", _rectangles),
    "stumps": ("stumps --columns C --bits B", _stumps),
    "one-test": ("one-test --columns C", _one_test),
    "trees": ("trees:DEPTH --columns C", _trees),
    "staged": ("staged:D1+D2 --columns C", _staged),
    "lists": ("lists:K --columns C", _lists),
    "conjunctions": ("conjunctions:K --columns C", _monomials("conjunctions")),
    "disjunctions": ("disjunctions:K --columns C", _monomials("disjunctions")),
    "scorecards": ("scorecards:K --columns C", _scorecards),
    "halfspaces": ("halfspaces:K", _halfspaces),
    "reference": ("reference:KAPPA", _reference),
    "sphere": ("sphere:DIMENSION:KAPPA", _sphere),
    "any": ("any:VC --bits B", _any),
    **catalogue.kinds(),
}
"""Every class a plan can be made for: how it is written without a schema, and its facts."""

AUTO = ("one-test", "trees:1", "trees:2", "trees:3", "staged:3+3")
"""What `auto` may end in."""


def facts_of(word: str, description: Description) -> tuple[ClassFacts, ...]:
    """The class a word names; for `auto`, those it chooses among.

    >>> facts_of("thresholds", Description(bits=32))[0].size == 2**32 + 1
    True
    """
    _check(description)
    if word == "auto":
        return (*_mixed(description), *(fact for name in AUTO for fact in facts_of(name, description)))
    head, _, rest = word.partition(":")
    if head not in KINDS:
        forms = ", ".join(form.partition(" ")[0] for form, _ in KINDS.values())
        raise ParameterError(OWNER, "concepts", word, allowed=f"one of auto, {forms}")
    facts = KINDS[head][1](rest, description)
    if facts.size < 2:
        raise ParameterError(
            OWNER,
            "concepts",
            word,
            allowed="a class of at least two members",
            remedy="There is nothing to learn.",
        )
    return (facts,)


def _check(description: Description) -> None:
    for name in ("bits", "columns", "tests"):
        value = getattr(description, name)
        if value is not None:
            most = MOST_BITS if name == "bits" else 10**6
            if at_least(1, value, owner=OWNER, name=name) > most:
                raise ParameterError(OWNER, name, value, allowed=f"a whole number from 1 to {most}")
