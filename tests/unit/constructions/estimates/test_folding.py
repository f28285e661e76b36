"""Leaves that chance decided are marked and folded; nothing else changes."""

from __future__ import annotations

from fractions import Fraction

from privpac.concepts.literals.binarise import Test
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.constructions.estimates.folding import PAGE, fold
from privpac.constructions.estimates.leaf_counts import LeafCounts
from privpac.data.schema import Schema

SCHEMA = Schema.from_json(
    {
        "label": "ill",
        "classes": ["no", "yes"],
        "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
    }
)


def at_least(cut: int, low: Tree, high: Tree) -> Split:
    return Split(Test("age", cut, "at least"), low, high)


TREE = at_least(50, at_least(20, Leaf(0), Leaf(1)), at_least(80, Leaf(0), at_least(90, Leaf(1), Leaf(0))))


def counted(*rows: tuple[int, int]) -> LeafCounts:
    """At epsilon 1 the noise of a count has a standard deviation of about 2.7: a sum of up to 7 may be nobody."""
    return LeafCounts(rows, 20_000, Fraction(1))


MANY = (400, 20)


def test_a_branch_that_nobody_reaches_is_one_line() -> None:
    shown = fold(TREE, counted(MANY, (20, 400), MANY, (3, 1), (0, 2)), SCHEMA)
    assert shown.by_chance == 2
    assert shown.describe(SCHEMA).splitlines() == [
        "if age >= 50:",
        "  if age >= 80: no or yes, by chance (2 leaves)",
        "  if age < 80: no (about no: 400, yes: 20; risk of yes 5%)",
        "if age < 50:",
        "  if age >= 20: yes (about no: 20, yes: 400; risk of yes 95%)",
        "  if age < 20: no (about no: 400, yes: 20; risk of yes 5%)",
        '"By chance": the counts there are mostly noise, so nobody can tell whether any record arrives, or whether'
        " chance alone decided what the rule says. Read nothing into such a branch.",
    ]


def test_a_leaf_beside_one_that_counts_is_marked_and_stays() -> None:
    shown = fold(TREE, counted(MANY, (20, 400), MANY, (3, 1), (0, 200)), SCHEMA)
    assert shown.tree == TREE
    assert [leaf.by_chance for leaf in shown.leaves] == [False, False, False, True, False]
    assert "    if age < 90: yes, by chance" in shown.describe(SCHEMA).splitlines()


def test_no_more_records_are_told_than_there_are() -> None:
    """Of 50 records a leaf was said to have about 71, and the other one 20 more."""
    for rows in ([(43, 28), (9, 40)], [(50, 50), (50, 0)], [(33, 0), (0, 47)], [(0, 50), (10, 0)]):
        shown = fold(at_least(50, Leaf(0), Leaf(1)), LeafCounts(tuple(rows), 50, Fraction(1)), SCHEMA)
        told = [count for leaf in shown.leaves for count in leaf.counts]
        assert 46 <= sum(told) <= 50
        assert all(0 <= count <= before for count, before in zip(told, sum(rows, ()), strict=True))


def test_where_nothing_stands_out_from_noise_no_number_is_told() -> None:
    rows = LeafCounts(((18, 31), (14, 22)), 50, Fraction(1, 10))
    words = fold(at_least(50, Leaf(0), Leaf(1)), rows, SCHEMA).describe(SCHEMA).splitlines()
    assert words[:2] == ["if age >= 50: yes, by chance", "if age < 50: no, by chance"]


def test_even_shares_of_many_records_are_no_chance() -> None:
    assert fold(TREE, counted(*[(200, 200)] * 5), SCHEMA).by_chance == 0


def test_whole_only_marks_and_nothing_is_folded_where_nothing_stands_out() -> None:
    few = counted(MANY, MANY, MANY, (1, 1), (0, 2))
    assert fold(TREE, few, SCHEMA, whole=True).tree == TREE
    assert fold(TREE, counted(*[(1, 1)] * 5), SCHEMA).tree == TREE


def test_folding_moves_no_record_between_what_is_shown() -> None:
    rows = (MANY, (20, 400), MANY, (3, 1), (0, 2))
    shown = fold(TREE, counted(*rows), SCHEMA)
    assert [sum(leaf.counts[label] for leaf in shown.leaves) for label in (0, 1)] == [
        sum(row[label] for row in rows) for label in (0, 1)
    ]
    assert all(abs(sum(leaf.shares) - 1) < 1e-9 for leaf in shown.leaves)


def comb(leaves: int, *, first: int = 0) -> Tree:
    """Answers take turns along a row of so many leaves; the deepest is the last."""
    tree: Tree = Leaf((first + leaves - 1) % 2)
    for place in reversed(range(first, first + leaves - 1)):
        tree = at_least(place + 1, Leaf(place % 2), tree)
    return tree


def test_a_page_folds_first_what_changes_the_fewest_answers() -> None:
    rows = [(400, 20) if place % 2 == 0 else (20, 300) for place in range(6)]
    rows[4] = (15, 10)
    shown = fold(comb(6), counted(*rows), SCHEMA, most=4)
    assert [leaf.leaves for leaf in shown.leaves] == [1, 1, 1, 3]
    assert shown.beyond == 2
    last = shown.leaves[-1]
    assert (last.answer, last.otherwise, last.name(SCHEMA)) == (1, 25, "mostly yes")
    note = shown.describe(SCHEMA).splitlines()[-1]
    assert note.startswith("The rule has 6 leaves; 2 of its questions are folded to fit a page.")
    assert '"Mostly" is what most records there are answered: about 1.4% of all records' in note


def test_without_counts_a_page_folds_the_last_questions_and_says_both_answers() -> None:
    shown = fold(comb(30), None, SCHEMA)
    assert len(shown.leaves) == PAGE
    assert shown.leaves[-1].text(SCHEMA) == "no or yes (6 more questions)"
    assert shown.leaves[-1].undecided
    assert len(shown.describe(SCHEMA).splitlines()) == 2 * PAGE - 2 + 1
    assert fold(comb(30), None, SCHEMA, whole=True).tree == comb(30)


def test_folding_for_a_page_moves_no_record() -> None:
    rows = [(10 * place, 300 - 7 * place) for place in range(30)]
    shown = fold(comb(30), counted(*rows), SCHEMA)
    assert sum(leaf.leaves for leaf in shown.leaves) == 30
    assert [sum(leaf.counts[label] for leaf in shown.leaves) for label in (0, 1)] == [
        sum(row[label] for row in rows) for label in (0, 1)
    ]
    assert [sum(leaf.answered[label] for leaf in shown.leaves) for label in (0, 1)] == [
        sum(sum(row) for row in rows[label::2]) for label in (0, 1)
    ]


USUAL = Schema.from_json(
    {
        "label": "ill",
        "classes": ["no", "yes"],
        "columns": [
            {"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True, "usual": [15, 70]}
        ],
    }
)


def test_without_counts_a_branch_of_unusual_values_is_one_grey_line() -> None:
    shown = fold(TREE, None, USUAL)
    assert shown.describe(USUAL).splitlines() == [
        "if age >= 50:",
        "  if age >= 80: no or yes (2 leaves, unusual values only)",
        "  if age < 80: no",
        "if age < 50:",
        "  if age >= 20: yes",
        "  if age < 20: no",
        '"Unusual values only": the schema says that most values lie elsewhere. Read nothing into such a branch.',
    ]
    assert shown.beyond == 0
    assert fold(TREE, None, USUAL, whole=True).tree == TREE
    assert fold(TREE, None, SCHEMA).marks == ()


def test_counts_know_better_than_the_schema() -> None:
    shown = fold(TREE, counted(MANY, (20, 400), MANY, MANY, MANY), USUAL)
    assert (shown.tree, shown.marks) == (TREE, ())
