"""What cannot be run is refused by `certify`, from public numbers: at the limit it works, one more is refused.

`certify` sees no records, so a refusal is the same whatever they are; the tests that run at a limit take the extremes:
all records equal, and all of them different.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privpac import Ledger, PrivatePredictor, learn
from privpac.answering.offer import offer_for
from privpac.coins import SeededCoins
from privpac.concepts.base import ConceptClass
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.finite import Finite
from privpac.concepts.grids import BOX_STEPS, box_steps
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import intervals
from privpac.concepts.linear.halfspaces import Halfspaces, Scorecards
from privpac.concepts.linear.plane import Halfplanes
from privpac.concepts.literals.conjunctions import Conjunctions
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.draw.occam import Occam
from privpac.constructions.few_labels.boost import LabelBoost, Round
from privpac.constructions.few_labels.methods import FewLabels
from privpac.constructions.few_labels.relabel import SSLRelabel, Votes
from privpac.constructions.labels.classes import LabelPrivateDichotomies
from privpac.constructions.prediction.fresh_draws import FreshDraws
from privpac.constructions.prediction.net_relabelled import NetRelabelled
from privpac.constructions.prediction.relabelled_vote import RelabelledVote
from privpac.constructions.prediction.vote import Vote
from privpac.constructions.prediction.voters import Concepts
from privpac.constructions.stable.stable import Stable
from privpac.constructions.wrappers.relabelling import Agnostic, Relabelled
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.errors import SizeError
from privpac.request import LearnRequest
from privpac.theory import listing

ONE = Fraction(1)
MOST = 65_536
"""Points on whose runs records can vote."""


def schema_of(*cells: int) -> Schema:
    columns = (Numeric(name, 0, size - 1, integer=True) for name, size in zip("abcdef", cells, strict=False))
    return Schema(tuple(columns), label="y")


WIDE = schema_of(2**32, 2**32)
INTERVALS = intervals(WIDE, "a")


def boosted(kept: int) -> LabelBoost:
    return LabelBoost(INTERVALS, Occam(INTERVALS, ONE), Round(ONE, 1, kept, kept - 1), Fraction(20))


def voted(kept: int) -> SSLRelabel:
    return SSLRelabel(INTERVALS, Occam(INTERVALS, ONE), Votes(ONE, kept, kept, 1), Fraction(20))


def fresh(kept: int) -> FreshDraws:
    return FreshDraws.with_subset(INTERVALS, Fraction(8), kept=kept, records=80_000)


def relabelled(kept: int) -> RelabelledVote:
    return RelabelledVote(INTERVALS, Fraction(40), kept, 160_000, ONE, ONE, 5, ONE)


def net(kept: int) -> NetRelabelled:
    half = Fraction(1, 2)
    return NetRelabelled(INTERVALS, Fraction(400), kept, 80_000, half, half, 5, half, Fraction(1, 4))


AT_INTERVALS: dict[str, tuple[Callable[[int], Any], Size]] = {
    "stable": (lambda kept: Stable(INTERVALS, kept, ONE), Size(80_000)),
    "relabelled": (lambda kept: Relabelled(Occam(INTERVALS, ONE), kept, ONE), Size(80_000)),
    "agnostic": (lambda kept: Agnostic(Occam(INTERVALS, ONE), kept, ONE), Size(80_000)),
    "label-boost": (boosted, Size(1, 80_000)),
    "ssl-relabel": (voted, Size(1, 80_000)),
    "fresh-draws": (fresh, Size(80_000)),
    "relabelled-vote": (relabelled, Size(160_000)),
    "net-relabelled": (net, Size(80_000)),
}


VOTES = ("relabelled", "agnostic", "ssl-relabel", "relabelled-vote")
"""What asks for the nearest interval to every labelling."""


@pytest.mark.parametrize("name", VOTES)
def test_records_vote_on_the_labels_of_a_public_number_of_points(name: str) -> None:
    """As many records as are kept, whatever their values: the number of different values is private."""
    made, size = AT_INTERVALS[name]
    made(MOST).require(size)
    made(MOST).certify(size)
    for refusing in (made(MOST + 1).require, made(MOST + 1).certify):
        with pytest.raises(SizeError, match="65536 whose runs are voted on") as caught:
            refusing(size)
        assert "at most 65536 cells" in str(caught.value)


@pytest.mark.parametrize("name", [name for name in AT_INTERVALS if name not in VOTES])
def test_mistakes_of_intervals_are_summed_for_any_number_of_points(name: str) -> None:
    made, size = AT_INTERVALS[name]
    made(MOST + 1).require(size)


def test_a_column_with_few_cells_has_few_points_whatever_the_records() -> None:
    for cells, fits in ((MOST, True), (MOST + 1, False)):
        learner = Agnostic(Occam(intervals(schema_of(cells), "a"), ONE), 90_000, ONE)
        if fits:
            learner.certify(Size(100_000))
        else:
            with pytest.raises(SizeError, match="whose runs are voted on"):
                learner.certify(Size(100_000))


def records(schema: Schema, n: int, *, same: bool) -> MemorySample:
    """All equal, or as different as the columns allow."""
    places = np.zeros(n, np.int64) if same else np.arange(n)
    cells = {
        column.name: (places * (7 * i + 1) % column.size).astype(column.dtype)
        for i, column in enumerate(schema.columns)
    }
    return MemorySample.from_cells(schema, cells, (np.arange(n) % 2).astype(np.uint8))


SMALL = schema_of(40, 40)
LISTING: dict[str, tuple[str, int, ConceptClass]] = {
    "stumps": ("LARGEST_SETS", 10 * 2, Stumps(SMALL)),
    "finite": (
        "LARGEST_TABLE",
        3 * 10,
        Finite(SMALL, ["a >= 3", "b >= 3", "a < 9"]),
    ),
}


@pytest.fixture(params=LISTING)
def listable(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ConceptClass:
    """A class whose limit was lowered to ten points."""
    name, limit, concepts = LISTING[request.param]
    for module in ("privpac.theory.listing", "privpac.concepts.labellings.table"):
        monkeypatch.setattr(f"{module}.{name}", limit, raising=False)
    return concepts


@pytest.mark.parametrize("same", [True, False])
def test_at_the_limit_it_runs_and_one_more_is_refused_before_it_runs(
    listable: ConceptClass, same: bool
) -> None:
    ten, eleven = records(SMALL, 10, same=same), records(SMALL, 11, same=same)
    learner = LabelPrivateDichotomies(listable, ONE)
    learner.certify(ten.size)
    learner.learn(ten, SeededCoins(1))
    refusals = set()
    for refused in (lambda: learner.certify(Size(11)), lambda: learner.learn(eleven, SeededCoins(1))):
        with pytest.raises(SizeError) as caught:
            refused()
        refusals.add(str(caught.value))
    assert len(refusals) == 1


def test_half_planes_are_refused_by_the_number_of_records() -> None:
    concepts = Halfplanes(WIDE, ("a", "b"))
    assert listing.MOST_SEPARATED == 5000
    LabelPrivateDichotomies(concepts, ONE).require(Size(5000))
    for refusing in ("require", "certify"):
        with pytest.raises(SizeError, match="5001 records may have more different points than the 5000"):
            getattr(LabelPrivateDichotomies(concepts, ONE), refusing)(Size(5001))
    RelabelledVote(concepts, Fraction(40), 1000, 5000, ONE, ONE, 5, ONE).require(Size(5000))
    with pytest.raises(SizeError, match="different points"):
        RelabelledVote(concepts, Fraction(40), 1000, 5001, ONE, ONE, 5, ONE).certify(Size(5001))


@pytest.mark.parametrize("elsewhere", [False, True])
def test_half_planes_answer_wherever_the_records_lie(elsewhere: bool) -> None:
    """One record off the points of all others was a refusal, which told that there is one."""
    n = 300
    a = np.where(np.arange(n) % 2, 10, 20)
    if elsewhere:
        a[7] = 15
    table = {"a": a, "b": np.full(n, 5)}
    predictor = PrivatePredictor(
        Halfplanes(schema_of(40, 40), ("a", "b")), 1, 5, schema=schema_of(40, 40), random_state=1
    )
    predictor.fit(table, y=(np.arange(n) % 2).astype(int))
    assert len(predictor.predict({"a": [10, 20, 3], "b": [5, 5, 9]})) == 3


def test_boxes_of_the_whole_grid_answer_unless_their_sums_take_too_long() -> None:
    ledger = Ledger(epsilon=10)
    predictor = PrivatePredictor("rectangles:a,b", "0.5", ledger, schema=WIDE, answers=3, random_state=1)
    table = {"a": np.arange(500), "b": np.arange(500)}
    predictor.fit(table, y=np.arange(500) % 2)
    assert len(predictor.predict({"a": [1], "b": [2]})) == 1
    spent = ledger.spent.epsilon
    deep = schema_of(*(2**32,) * 3)
    refused = PrivatePredictor("rectangles:a,b,c", "0.5", ledger, schema=deep, answers=3, random_state=1)
    with pytest.raises(SizeError, match="take too long"):
        refused.fit({name: np.arange(20_000) for name in "abc"}, y=np.arange(20_000) % 2)
    assert ledger.spent.epsilon == spent


def test_boxes_are_voted_on_by_as_many_records_as_their_sums_can_take() -> None:
    """Boxes are drawn themselves, by the mistakes on the voters: only their number and the grid count."""

    def voting(concepts: Rectangles, voters: int) -> tuple[RelabelledVote, Size]:
        kept = min(voters // 3, 20_000)
        size = Size(kept + voters)
        return RelabelledVote(concepts, Fraction(40), kept, size.total, ONE, ONE, 5, ONE), size

    fine, coarse = Rectangles(WIDE, ("a", "b")), Rectangles(SMALL, ("a", "b"))
    first = next(n for n in range(1000, 10**6, 1000) if box_steps(fine.groups, n) > BOX_STEPS)
    for concepts, voters in ((coarse, 300), (coarse, 10**5), (fine, first - 1000)):
        learner, size = voting(concepts, voters)
        learner.require(size)
        learner.certify(size)
    learner, size = voting(fine, first)
    for refusing in (learner.require, learner.certify):
        with pytest.raises(SizeError, match=f"take too long for {first:,} records"):
            refusing(size)


def learnt_with_few_labels(word: str, method: str, ledger: Ledger) -> None:
    n, pool = 4000, 400_000
    learn(
        {"a": np.zeros(n, int), "b": np.zeros(n, int)},
        y=np.arange(n) % 2,
        unlabelled={"a": np.zeros(pool, int), "b": np.zeros(pool, int)},
        schema=WIDE,
        concepts=word,
        epsilon=2,
        method=method,
        ledger=ledger,
        random_state=1,
    )


@pytest.mark.parametrize(
    ("word", "method", "reason"),
    [
        ("intervals:a", "relabel", "runs are voted on"),
        ("rectangles:a,b", "boost", "sums over all boxes take too long"),
        ("rectangles:a,b", "relabel", "sums over all boxes take too long"),
    ],
)
def test_few_labels_are_refused_before_the_charge(word: str, method: str, reason: str) -> None:
    ledger = Ledger(epsilon=10)
    with pytest.raises(SizeError, match=reason):
        learnt_with_few_labels(word, method, ledger)
    assert ledger.spent.epsilon == 0


@pytest.mark.long_cases(
    "boost-rectangles:a,b:64",
    "boost-unions:a:2",
)
@pytest.mark.parametrize("word", ["unions:a:2", "rectangles:a,b:64"])
@pytest.mark.parametrize("method", ["boost", "relabel"])
def test_few_labels_are_enough_where_members_stand_for_labellings(word: str, method: str) -> None:
    ledger = Ledger(epsilon=10)
    learnt_with_few_labels(word, method, ledger)
    assert ledger.spent.epsilon == 2


def test_the_best_method_is_one_that_can_run() -> None:
    """With `auto`, a method that would be refused is no choice."""
    from privpac.constructions.words import Request

    size = Size(4000, 400_000)
    chosen = FewLabels.chosen("intervals:a", Request(WIDE, size, LearnRequest(epsilon=Fraction(2))))
    assert chosen.settings.method in ("plain", "generic")
    chosen.certify()


LINEAR = [
    Halfspaces(SMALL, ("a", "b"), ((1, 1), (1, -1))),
    Scorecards(SMALL, 2),
]


@pytest.mark.parametrize("concepts", LINEAR, ids=lambda concepts: type(concepts).__name__)
def test_half_spaces_vote(concepts: ConceptClass) -> None:
    """The first candidate with the fewest mistakes, over all parts of the class."""
    block = records(SMALL, 60, same=False)
    cells, labels = block.block().cells, block.block().labels
    assert labels is not None
    rule = Concepts(concepts).train(block)
    scores = concepts.scores(block.reduce(concepts.statistic), costs=(1, 1))  # type: ignore[attr-defined]
    assert int((rule.predict(cells) != labels).sum()) == scores.histogram(None).best
    predictor = PrivatePredictor(Vote(Concepts(concepts), ONE, 5), 1, 3, schema=SMALL, random_state=1)
    predictor.fit({name: cells[name].astype(int) for name in "ab"}, y=labels.astype(int))
    assert len(predictor.predict({"a": [1, 30], "b": [2, 4]})) == 2


@pytest.mark.parametrize("word", ["halfspaces:a,b", "scorecards:2"])
def test_words_of_half_spaces_vote(word: str) -> None:
    offer = offer_for(
        LearnRequest(concepts=f"predict-by-vote:{word}", epsilon=ONE, models=5, protect="predictions"),
        schema=SMALL,
        size=Size(600),
        coins="seeded",
    )
    assert offer.certify().epsilon <= 1
    prepared = offer.predictor.prepare(records(SMALL, 600, same=True), SeededCoins(1))
    assert (
        len(prepared.answer({"a": np.array([1], np.uint8), "b": np.array([2], np.uint8)}, SeededCoins(1)))
        == 1
    )


MANY = 2**31 - 1


@pytest.mark.parametrize(
    "concepts",
    [
        OneTest(SMALL),
        Trees(SMALL, 1),
        TreeMixture((Trees(SMALL, 1),), (1,)),
        Conjunctions(SMALL, 1),
    ],
    ids=lambda concepts: type(concepts).__name__,
)
def test_counts_of_32_bits_are_refused_beforehand(concepts: ConceptClass) -> None:
    with pytest.raises(SizeError, match="2,147,483,647"):
        Occam(concepts, ONE).certify(Size(MANY + 1))


def test_scores_that_no_table_holds_are_refused_before_they_are_counted() -> None:
    """Permute-and-flip looks at all of them, whatever the epsilon."""
    concepts = Conjunctions(SMALL, 1)
    costs, size = (1, 2**10), Size(10**5)
    Occam(concepts, ONE, costs).certify(size)
    with pytest.raises(SizeError, match="too many different scores"):
        Occam(concepts, ONE, costs, mechanism="permute-and-flip").certify(size)


@pytest.mark.parametrize("protect", ["records", "labels"])
@pytest.mark.parametrize("concepts", ["stumps", "thresholds:a", "thresholds:b:either"])
@pytest.mark.parametrize("label", ["0", "1"])
def test_costs_that_take_gigabytes_for_some_labels_are_refused_for_all(
    concepts: str, protect: str, label: str
) -> None:
    """Whether tables of so many powers fit into memory would depend on the labels, after the charge."""
    ledger = Ledger(epsilon=100)
    wishes: dict[str, Any] = {"concepts": concepts, "protect": protect, "epsilon": 50, "schema": SMALL}
    learn({"a": [1], "b": [1]}, y=[label], costs=(5, 10**11), ledger=ledger, **wishes)
    with pytest.raises(SizeError, match="too many different scores"):
        learn({"a": [1], "b": [1]}, y=[label], costs=(5, 10**18), ledger=ledger, **wishes)
    assert ledger.spent.epsilon == 50


@pytest.mark.parametrize(
    ("concepts", "protect", "epsilon"),
    [("points:a:improper", "records", "1e6"), ("points:a:improper", "records", "1e5")]
    + [(word, "labels", "1e-9") for word in ("stumps", "intervals:a", "rectangles:a", "points:a")],
)
def test_epsilons_beyond_what_decimals_show_are_learnt_with(
    concepts: str, protect: str, epsilon: str
) -> None:
    learn(
        {"a": [1, 2], "b": [1, 1]},
        y=["0", "1"],
        schema=SMALL,
        concepts=concepts,
        protect=protect,
        epsilon=epsilon,
    )


def test_thresholds_have_no_limit() -> None:
    FreshDraws.with_subset(Thresholds(WIDE, "a"), ONE, kept=10**6, records=10**7).certify(Size(10**7))


def test_a_semi_sample_at_the_limit_is_learnt_from() -> None:
    """Boosting at a lowered limit: all values equal, and all of them different."""
    concepts = intervals(SMALL, "a")
    learner = LabelBoost(concepts, Occam(concepts, ONE), Round(ONE, 4, 10, 6), Fraction(20))
    for same in (True, False):
        labelled, others = records(SMALL, 4, same=same), records(SMALL, 10, same=same)
        unlabelled = MemorySample.from_cells(SMALL, others.block().cells)
        learner.learn(SemiSample(labelled, unlabelled), SeededCoins(1))
