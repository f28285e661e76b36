"""Three questions with consistent answers, exact names in JSON, one sentence for nonsense, nothing heavy imported."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction

import pytest

from privpac import plan
from privpac.constructions.words import WORDS
from privpac.errors import ParameterError
from privpac.planning.text import UNSIMULATED, in_short, rows
from privpac.theory.statements import REGISTER

ASK = {"bits": 32, "error": "0.1", "epsilon": 1}
KEYS = {"learner", "setting", "protects", "proper", "labelled", "unlabelled", "floor", "source", "command"}
CLASSES = [word for word, entry in WORDS.items() if not (entry.way_of or entry.transforms)]


def test_the_example_everybody_quotes() -> None:
    tree = plan.needed("thresholds", failure="0.05", **ASK).to_json()
    assert set(tree) == {"question", "options", "advice", "forecast", "simulation"}
    assert all(set(row) >= KEYS for row in tree["options"])
    occam = {row["setting"]: row for row in tree["options"] if row["learner"] == "occam"}
    assert occam["realizable"]["labelled"] == 683  # 628, and what the share of epsilon for the verdict takes
    assert occam["agnostic"]["labelled"] == 1422
    assert occam["realizable"]["floor"] == 154
    assert occam["realizable"]["floor_source"] == "floor-thresholds-proper"
    assert json.loads(json.dumps(tree)) == tree
    assert tree["question"]["asks"] == "needed"


def test_cheapest_first_and_one_draw_always() -> None:
    for protect in ("records", "labels", "predictions"):
        for word, given in (("points", {"bits": 16}), ("trees:2", {"columns": 5})):
            found = plan.needed(word, error="0.1", epsilon=1, protect=protect, **given)
            totals = [row.records + row.unlabelled for row in found.rows]
            assert totals == sorted(totals)
            draws = {row.setting for row in found.rows if row.learner == "occam"}
            assert draws == {"realizable", "agnostic"}


def test_the_three_questions_agree() -> None:
    n = plan.needed("points", bits=16, error="0.1", epsilon=1).option("occam", "realizable").records
    error = plan.reachable("points", bits=16, records=n, epsilon=1).option("occam", "realizable").error
    assert Fraction(99, 1000) < error <= Fraction(1, 10)
    epsilon = (
        plan.smallest_epsilon("points", bits=16, records=n, error="0.1").option("occam", "realizable").epsilon
    )
    assert Fraction(98, 100) < epsilon <= 1
    assert not plan.needed("points", bits=16, error="0.1", epsilon=1, records=n - 1).option("occam").enough
    assert plan.needed("points", bits=16, error="0.1", epsilon=1, records=n).option("occam").enough


def test_floors_are_in_the_unit_of_the_question_and_below_what_is_proved() -> None:
    reachable = plan.reachable("points", bits=16, records=300, epsilon=1)
    for found in (
        plan.needed("points", bits=16, error="0.1", epsilon=1),
        reachable,
        plan.smallest_epsilon("points", bits=16, records=400, error="0.1"),
    ):
        for row in found.rows:
            if row.learner == "occam":
                assert row.limit is not None
                assert 0 < row.limit.value <= row.proved
                assert row.ratio == pytest.approx(float(row.proved / row.limit.value))
                assert row.limit.source in REGISTER
    # The error the floor names is excluded no more, the one below it is.
    row = reachable.option("occam", "realizable")
    assert isinstance(row.floor, Fraction)
    just = plan.needed("points", bits=16, error=row.floor, epsilon=1).option("occam", "realizable")
    below = plan.needed("points", bits=16, error=row.floor - Fraction(1, 10_000), epsilon=1)
    assert (just.floor or 0) <= 300 < (below.option("occam", "realizable").floor or 0)


@pytest.mark.long_cases("reference", "unions", "intervals", "generated", "rectangles")
@pytest.mark.parametrize("word", CLASSES)
def test_every_class_is_answered_and_its_rows_are_complete(word: str) -> None:
    forms = {
        "reference": "reference:10",
        "finite": 'finite:["c1 >= 0.1","c1 >= 0.2"]',
        "generated": "generated:16",
    }
    word = forms.get(word, word)
    found = plan.needed(word, columns=6, error="0.2", epsilon=1)
    if word == "card":  # nothing is proved of it, and that is said
        assert not found.rows
        assert found.advice == ("Run: privpac learn DATA --schema SCHEMA --concepts card --epsilon 1",)
        return
    for row in found.rows:
        assert row.way.planned.title
        assert REGISTER[row.promise.theorem].status not in ("shape", "false"), (
            "an order of growth is not a number"
        )
    reached = plan.reachable(word, columns=6, records=10**7 if word == "clauses" else 6000, epsilon=1)
    assert found.rows
    assert reached.rows
    assert all(row.error < Fraction(1, 2) for row in reached.rows)
    assumed = "A column is taken to have 2^32 values" in str(found)
    assert assumed == ("COL" in found.rows[0].concepts)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"error": "0.5"}, "error is '0.5', but must be a number above 0 and below 0.5. A coin reaches 1/2"),
        ({"error": 0}, "error is 0, but must be a number above 0"),
        ({"error": "much"}, "error is 'much', but must be a number above 0 and below 0.5. A coin"),
        ({"failure": 0}, "failure is 0, but must be at least 1e-12 and below 1. No proof is certain"),
        ({"failure": 1}, "failure is 1"),
        (
            {"epsilon": 0},
            "epsilon is 0, but must be a positive number from 1e-12 to 1e6. Write it as a decimal",
        ),
        ({"epsilon": -1}, "epsilon is -1"),
        ({"epsilon": 10**7}, "epsilon is 10000000"),
        ({"delta": 1}, "delta is 1"),
        ({"records": -5}, "records is -5, but must be a positive whole number. Say how many people"),
        ({"records": 2.5}, "records is 2.5"),
        ({"unlabelled": -1}, "unlabelled is -1"),
        ({"protect": "nobody"}, "must be one of records, labels, predictions"),
        ({"bits": 10**6}, "bits is 1000000, but must be a whole number from 1 to 14,000"),
    ],
)
def test_nonsense_gets_one_sentence_with_the_remedy(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(ParameterError) as caught:
        plan.needed("points", **{**ASK, **changes})
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("word", "given", "sentence"),
    [
        ("any:3", {"bits": 32}, "any was removed: privpac.theory.sizes"),
        ("nonsense", {"bits": 32}, "must be one of auto, stumps"),
        ("threshold", {"bits": 32}, "Did you mean thresholds"),
        ("trees:2", {}, "columns is None, but must be given for trees:DEPTH"),
        ("reference:0.5", {}, "with a density KAPPA of at least 1"),
        ("sphere:x:2", {}, "of the form sphere:DIMENSION:KAPPA"),
    ],
)
def test_a_word_that_cannot_be_planned_is_refused_with_what_can(
    word: str, given: dict[str, int], sentence: str
) -> None:
    with pytest.raises(ParameterError, match=sentence):
        plan.needed(word, error="0.1", epsilon=1, **given)


@pytest.mark.parametrize("epsilon", [11, 50, 10**6])
def test_whatever_epsilon_is_learnt_with_is_planned_with_and_warned_of(epsilon: int) -> None:
    advice = plan.needed("thresholds", **{**ASK, "epsilon": epsilon}).advice
    assert advice[0].startswith(f"Epsilon {epsilon} is large")


def test_a_release_is_of_queries_about_a_column() -> None:
    with pytest.raises(ParameterError, match="points, thresholds, intervals for a release"):
        plan.needed("stumps", columns=3, release=True, error="0.1", epsilon=1)


def test_text_for_people() -> None:
    text = str(plan.needed("thresholds", **ASK))
    assert text.startswith("Records needed for thresholds: error 0.1, epsilon 1, failure 0.05\n")
    assert "one draw" in text
    assert "683" in text
    mixed = str(plan.reachable("thresholds", bits=16, records=300, epsilon=1, delta="1e-6"))
    assert "300 records" in mixed
    assert "delta 0.000001" in mixed


QUICK = """
import contextlib, io, sys
from privpac.cli import main
shown = io.StringIO()
with contextlib.redirect_stdout(shown):
    code = main({arguments!r})
assert code == 0, code
heavy = ("numba", "sklearn", "scipy", "matplotlib", "pandas", "privpac.pictures.curves", "privpac.answering")
print(sorted(name for name in heavy if name in sys.modules))
"""


@pytest.mark.long_cases("arguments1", "arguments2")
@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "--concepts", "thresholds", "--bits", "32", "--error", "0.1", "--epsilon", "1", "--json"],
        ["plan", "--records", "3000", "--columns", "12", "--epsilon", "0.5"],
        ["plan", "--schema", "examples/breast_cancer.schema.json", "--records", "500", "--epsilon", "1"],
    ],
)
def test_a_plan_without_simulation_imports_nothing_heavy(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", QUICK.format(arguments=arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_an_option_that_is_not_there_is_named_with_those_that_are() -> None:
    found = plan.needed("thresholds", bits=8, error=0.1, epsilon=1)
    with pytest.raises(ParameterError, match=r"occam \(agnostic\)"):
        found.option("recconcave")


def test_records_without_labels_are_asked_for_and_named() -> None:
    """Nothing that needs them is told to somebody who has none."""
    asked = {"bits": 16, "records": 3000, "epsilon": 1}
    found = plan.reachable("thresholds", **asked)
    assert not any(row.unlabelled for row in found.rows)
    rich = plan.reachable("thresholds", **asked, unlabelled=10**6)
    pool = next(row for row in rich.rows if row.unlabelled)
    cells = next(cells for cells in rows(rich) if cells[0] == pool.learner)
    assert cells[5].endswith(f"with {pool.unlabelled:,} unlabelled")
    assert {row.learner for row in rich.rows if row.unlabelled} == {
        "active",
        "generic",
        "label-boost",
        "ssl-relabel",
    }
    assert rich.advice[0] == found.advice[0], "the command of the headline, which needs none of them"
    assert any(" records without labels " in text and ": privpac " in text for text in rich.advice[1:])


def test_the_first_paragraph_speaks_of_the_row_that_the_advice_is_about() -> None:
    found = plan.needed("trees:2", columns=12, error="0.1", epsilon=1)
    assert found.headline is not None
    assert found.headline.setting == "agnostic"
    assert in_short(found) == (
        f"Proved: {found.headline.records:,} records are enough, whatever the records are like;"
        f" {found.option('occam', 'realizable').records:,} if some rule never errs. Where labels are"
        " noisy, no method that releases a rule, private or not, can do it with fewer than"
        f" {found.headline.floor} records."
        f" {UNSIMULATED}"
    )
    assert in_short(plan.reachable("thresholds", bits=16, records=900, epsilon=1)).startswith(
        "Proved: an error of at most"
    )
    least = plan.smallest_epsilon("thresholds", bits=32, records=2000, error="0.05")
    assert in_short(least).startswith("Proved: epsilon")


def test_a_plan_for_the_default_leads_with_the_default() -> None:
    found = plan.reachable("auto", columns=12, records=3000, epsilon="0.5")
    assert found.headline is not None
    assert found.headline.concepts == "auto"
    assert {row.concepts for row in found.rows} == {"auto", "one-test", "trees:1", "trees:2", "trees:3"}


WAYS = {
    "clipped": ("clipped-points", 416),
    "improper": ("coded-points", 287),
    "cover": ("covered-points", 275),
    "boosted": ("boosted-points", 17_200),
}


@pytest.mark.parametrize("way", sorted(WAYS))
def test_one_way_to_find_a_value_is_planned_alone(way: str) -> None:
    """As `privpac learn` spells it; it was taken for a column of that name."""
    columns = [{"name": "k", "kind": "numeric", "lower": 0, "upper": 2**32 - 1, "integer": True}]
    schema = {"label": "y", "columns": columns}
    found = plan.needed(f"points:k:{way}", schema=schema, error="0.1", epsilon=1)
    assert [(row.learner, row.records) for row in found.rows] == [WAYS[way]]
    assert f"--concepts points:k:{way} " in found.rows[0].command
    short = plan.needed(f"points:{way}", bits=32, error="0.1", epsilon=1)
    assert [row.learner for row in short.rows] == [WAYS[way][0]]


def test_a_column_named_like_a_way_is_that_column() -> None:
    columns = [{"name": "k:cover", "kind": "numeric", "lower": 0, "upper": 65535, "integer": True}]
    found = plan.needed("points:k:cover", schema={"label": "y", "columns": columns}, error="0.1", epsilon=1)
    assert {row.learner for row in found.rows} >= {"occam", "covered-points"}


@pytest.mark.parametrize(
    ("word", "learner"),
    [
        ("blocks", "blocks"),
        ("switches:3", "switches"),
        ("agnostic:trees:2", "agnostic"),
        ("confident:thresholds", "confidence"),
    ],
)
def test_a_way_to_learn_is_planned_alone(word: str, learner: str) -> None:
    found = plan.needed(word, bits=32, columns=2, error="0.2", epsilon=1, delta="1e-6")
    assert {row.learner for row in found.rows} == {learner}
    assert all(row.limit is not None for row in found.rows)


def test_a_way_without_a_promise_says_that_there_is_none() -> None:
    found = plan.needed("points:sampled", bits=32, error="0.1", epsilon=1)
    assert not found.rows
    assert "Nothing can be promised" in str(found)


def test_a_floor_of_a_release_is_the_function_s() -> None:
    """It was one record below: the function spoke of answers strictly within the error."""
    from privpac.theory.floors import floor_point_counts

    for bits in (8, 16, 32, 64):
        found = plan.needed("points", bits=bits, error="0.1", epsilon=1, release=True)
        floor = floor_point_counts(2**bits, error=0.1, failure=0.05, epsilon=1)
        assert {row.floor for row in found.rows} == {floor}


def test_a_plan_names_the_grid_and_takes_one_on_which_sums_are_done() -> None:
    coarse = plan.needed("rectangles:2:64", bits=16, error="0.1", epsilon=1)
    assert "64 groups of c1 (65,536 cells, 1,024 at most per group)" in str(coarse)
    assert coarse.rows[0].to_json()["grid"].startswith("boxes have their edges between groups")
    space = plan.needed("rectangles:3", bits=16, error="0.1", epsilon=1)
    assert {row.concepts for row in space.rows} == {
        "rectangles:COLUMN,COLUMN,COLUMN:128",
        "rectangles:COLUMN,COLUMN,COLUMN:64",
    }
    assert "Sums over all boxes of a finer grid take too long for so many records" in str(space)
    narrow = plan.needed("rectangles:3", bits=8, error="0.1", epsilon=1)
    assert narrow.rows[0].concepts == "rectangles:COLUMN,COLUMN,COLUMN"
    assert "Grid of halfspaces:COLUMN,COLUMN" in str(
        plan.needed("halfspaces:2", columns=2, error="0.1", epsilon=1)
    )
    assert "Grid" not in str(plan.needed("thresholds", bits=16, error="0.1", epsilon=1))


def test_counted_columns_are_those_of_real_numbers() -> None:
    by_bits = plan.needed("stumps", columns=6, bits=32, error="0.2", epsilon=1)
    counted = plan.needed("stumps", columns=6, error="0.2", epsilon=1)
    assert [row.proved for row in counted.rows] == [row.proved for row in by_bits.rows]


def test_where_nothing_can_be_promised_it_is_said_so() -> None:
    made = plan.reachable("clauses:2", columns=6, records=300, epsilon=1)
    assert "Nothing can be promised with these numbers: a larger error" in str(made)
    assert not made.advice
