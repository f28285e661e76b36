"""Every case of the corpus: one list. `test_complete` asks for one of every word, method, class and kind there is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from privpac.concepts.boxes.rectangles import Rectangles
from privpac.concepts.derived.reference import Uniform
from privpac.concepts.finite import Finite
from privpac.concepts.line.cuts import Cuts
from privpac.concepts.line.stumps import Stumps
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions, intervals
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.concepts.linear.halfspaces import Halfspaces, Scorecards
from privpac.concepts.linear.plane import Halfplanes
from privpac.concepts.linear.tabled import TabledHalfspaces
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.conjunctions import Conjunctions, Disjunctions
from privpac.concepts.sets.codes import CodeSets
from privpac.concepts.sets.generated import GeneratedPoints
from privpac.concepts.sets.points import Points
from privpac.concepts.trees.lists import DecisionLists
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import Constants, OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.covers.sampled import SampledCover
from privpac.constructions.cuts.noisy import DenoisedCuts, NoisyCuts
from privpac.constructions.draw.occam import Occam
from privpac.constructions.prediction.vote import Vote
from privpac.constructions.prediction.voters import Concepts
from privpac.constructions.stable.stable import Stable
from privpac.constructions.words import WORDS
from privpac.constructions.wrappers.confidence import Confidence
from privpac.constructions.wrappers.relabelling import Agnostic, Relabelled
from privpac.constructions.wrappers.sampling import Resampled, Subsampled
from privpac.data.schema import Schema
from tests.contracts.examples import EXAMPLES
from tests.forms import written_out
from tests.golden.bundles import Answered, Offered
from tests.golden.kinds import (
    Asked,
    Case,
    Compared,
    Derived,
    Drawn,
    FewLabelled,
    Learnt,
    Tabled,
)
from tests.golden.ledgers import Charged, Copied, Signed, Totalled

__all__ = ["CASES", "CLASSIFIED", "WORDED"]

HALF, ONE = Fraction(1, 2), Fraction(1)
LABELS = {"protect": "labels"}


def _tests(schema: Schema) -> Binarisation:
    return Binarisation.of(schema, cuts=3)


RULES = '["age >= 30","age >= 60","age < 20 or age >= 90"]'
"""A list of rules, as a word holds it once its file is read."""


def _learnt(word: str, schema: str, **wishes: Any) -> Learnt:
    """Named after the word and what else was wished for."""
    others = [f"{key}-{value}" for key, value in wishes.items() if key != "epsilon"]
    name = re.sub(r"[^a-z0-9.]+", "-", "-".join([word, *others])).strip("-")
    return Learnt(name, schema, word, wishes)


_CHOSEN: tuple[Learnt, ...] = (
    _learnt("auto", "clinic"),
    _learnt("auto", "clinic", **LABELS),
    Learnt("auto-one-test", "clinic", "auto", {"epsilon": "0.25", "leaf_epsilon": "0.1"}),
    Learnt("auto-mixture", "short", "auto", {"epsilon": 5}),
    Learnt("auto-three-classes", "wards", "auto", {"leaf_epsilon": "0.5", "estimate_epsilon": 1}),
    Learnt("auto-costs", "short", "auto", {"costs": (1, 3), "records_per_person": 2}),
    _learnt("stumps", "clinic"),
    _learnt("stumps", "clinic", **LABELS),
    _learnt("stumps", "clinic", costs=(1, 4)),
    _learnt("stumps", "clinic", records_per_person=3, estimate_epsilon="0.5"),
    Learnt("auto-titles", "titled", "auto", {"epsilon": 3}),
    Learnt("card-meanings", "worded", "card:3", {"epsilon": 3}),
    Learnt("stumps-constant", "marks", "stumps", {"epsilon": "0.01"}, seed=0),
    Learnt("stumps-match", "marks", "stumps", {"epsilon": "0.01"}, seed=2),
    _learnt("thresholds:age", "age"),
    _learnt("thresholds:age", "age", **LABELS),
    Learnt("finite", "age", f"finite:{RULES}", {}),
    Learnt("finite-labels", "age", f"finite:{RULES}", LABELS),
    Learnt("agnostic-finite", "age", f"agnostic:finite:{RULES}", {}),
    _learnt("thresholds:dose:down", "dose"),
    _learnt("thresholds:dose:either", "dose", epsilon="1/3"),
    _learnt("thresholds:age", "age", costs=(2, 1), estimate_epsilon="0.5", holdout="0.25"),
    Learnt("thresholds-from-data", None, "thresholds:code", engines=("memory",)),
    _learnt("intervals:age", "age"),
    _learnt("intervals:age", "age", **LABELS),
    _learnt("unions:age:2", "age"),
    _learnt("unions:age:2", "age", **LABELS),
    _learnt("rectangles:age,dose", "two"),
    _learnt("rectangles:age,dose", "two", **LABELS),
    _learnt("points:key", "keys"),
    _learnt("points:key", "keys", **LABELS),
    _learnt("points:key", "keys", costs=(1, 2)),
    _learnt("points:key:clipped", "keys"),
    _learnt("points:key:improper", "keys"),
    _learnt("points:key:cover", "keys"),
    _learnt("points:code:gibbs", "codes"),
    _learnt("points:key:sampled", "keys"),
    _learnt("points:key:keyed", "keys"),
    _learnt("points:key:boosted", "keys", epsilon=40),
    _learnt("points:key:boosted-keyed", "keys", epsilon=40),
    _learnt("generated:key:6", "keys"),
    _learnt("switches:age:3", "age"),
    _learnt("recconcave:key", "keys", delta="1e-6"),
    _learnt("blocks:key", "keys", delta="1e-6"),
    _learnt("blocks:key:down", "keys", epsilon=3, delta="1e-6", records_per_person=2),
    _learnt("recconcave:key", "keys", epsilon=3, delta="1e-6", records_per_person=2),
    Learnt("recconcave-no-answer", "codes", "recconcave:code", {"epsilon": 3, "delta": "1e-6"}, seed=4),
    _learnt("clauses:2", "short"),
    _learnt("clauses:1", "two", epsilon=4, records_per_person=2),
    _learnt("one-test", "clinic"),
    _learnt("one-test", "wards", leaf_epsilon="0.25"),
    _learnt("trees:2", "short"),
    _learnt("trees:2", "short", **LABELS),
    _learnt("trees:1", "wards", **LABELS),
    _learnt("trees:2", "short", leaf_epsilon="0.2", estimate_epsilon="0.5", holdout="0.2"),
    _learnt("trees:2", "wards", costs=(1, 2, 5)),
    _learnt("lists:2", "short"),
    _learnt("lists:2", "wards", estimate_epsilon=1),
    _learnt("conjunctions:2", "short"),
    _learnt("disjunctions:2", "short"),
    _learnt("scorecards:2", "short"),
    _learnt("card", "clinic"),
    _learnt("card", "clinic", epsilon=10, delta="1e-6"),
    _learnt("card:mixed", "clinic", epsilon=25),
    _learnt("card:3", "clinic", **LABELS),
    _learnt("card:2", "short", costs=(1, 3), estimate_epsilon=1),
    _learnt("graded-tree", "clinic"),
    Learnt("graded-tree-levels", "clinic", "graded-tree", {"epsilon": 25}),
    _learnt("halfspaces:age,dose", "two"),
    _learnt("halfspaces:age,dose", "two", **LABELS),
    _learnt("reference:dose", "dose"),
    _learnt("reference:age,dose", "square", epsilon=2),
    _learnt("reference:dose:agnostic:0.4", "dose", epsilon=2),
    _learnt("noisy-cuts:age:0.1", "age"),
    _learnt("denoised-cuts:dose:down:0.00001", "dose"),
    _learnt("agnostic:thresholds:age", "age"),
    _learnt("agnostic:40:recconcave:key", "keys", epsilon=4, delta="1e-6"),
    _learnt("subsampled:trees:2", "wards", records_per_person=2),
    _learnt("subsampled:100:stumps", "clinic", costs=(1, 2)),
    _learnt("confident:3:intervals:age", "age"),
    _learnt("stable:thresholds:age", "age", delta="0.1"),
)
"""Words with wishes, on schemas and with seeds that show something."""


def _as_its_form_says(head: str, protect: str) -> Learnt:
    word = WORDS[head]
    wishes = {"delta": "1e-6"} if word.takes_delta else {}
    return _learnt(
        written_out(word.form, "age", "dose"), "two", **wishes, **({} if protect == "records" else LABELS)
    )


WORDED: tuple[Learnt, ...] = (
    *_CHOSEN,
    *(
        _as_its_form_says(head, protect)
        for head, word in WORDS.items()
        for protect in word.protects
        if (head, protect) not in {case.promise for case in _CHOSEN}
    ),
)
"""Every word, with every unit of protection it knows: a new one is tried without being listed."""


def _object(name: str, schema: str, made: Callable[[Schema], Any], **wishes: Any) -> Learnt:
    return Learnt(f"class-{name}", schema, made, wishes)


_ABOVE = ("age >= 30", "age >= 60", "age < 20")

OBJECTS: tuple[Learnt, ...] = (
    _object("centred-halfspaces", "square", lambda s: CentredHalfspaces(s, ("age", "dose"), reach=3)),
    _object("code-sets", "age", lambda s: CodeSets(s, "age", 11, 2)),
    _object("conjunctions", "short", lambda s: Conjunctions(s, 2, _tests(s))),
    _object("cuts", "age", lambda s: Cuts(s, "age", cells=(10, 40, 77))),
    _object("decision-lists", "short", lambda s: DecisionLists(s, 2, _tests(s), stop=Fraction(1, 3))),
    _object("disjunctions", "short", lambda s: Disjunctions(s, 2, _tests(s))),
    _object("finite", "age", lambda s: Finite(s, _ABOVE, weights=(1, 2, 3))),
    _object("finite-matrix", "age", lambda s: Finite.of_matrix(s, "age", _matrix())),
    _object("generated-points", "keys", lambda s: GeneratedPoints(s, "key", 5, salt="golden")),
    _object("halfplanes", "two", lambda s: Halfplanes(s, ("age", "dose")), **LABELS),
    _object(
        "halfspaces", "two", lambda s: Halfspaces(s, ("age", "dose"), ((1, 0), (1, 1), (2, -1)), levels=8)
    ),
    _object("tabled-halfspaces", "two", lambda s: TabledHalfspaces(s, ("age", "dose"), 40, levels=8)),
    _object("intervals", "age", lambda s: intervals(s, "age")),
    _object("one-test", "short", lambda s: OneTest(s, _tests(s))),
    _object("constants", "short", lambda s: Constants(s, _tests(s))),
    _object("points", "keys", lambda s: Points(s, "key")),
    _object("rectangles", "two", lambda s: Rectangles(s, ("age", "dose"), bins=(6, 4), inside=0)),
    _object("scorecards", "short", lambda s: Scorecards(s, 2, 1, 4)),
    _object("stumps", "short", Stumps),
    _object("thresholds", "dose", lambda s: Thresholds(s, "dose", "either")),
    _object(
        "tree-mixture",
        "short",
        lambda s: TreeMixture((Trees(s, 1, _tests(s)), Trees(s, 2, _tests(s))), (1, 2)),
    ),
    _object("trees", "short", lambda s: Trees(s, 2, _tests(s), stop=Fraction(1, 2), root_splits=False)),
    _object("unions", "age", lambda s: Unions(s, "age", 3, inside=0)),
)
"""Every class that a certificate can name, with options of its own."""


def _matrix() -> list[list[int]]:
    """Four sets of the 121 ages: by their remainder."""
    return [[int(age % 4 == row) for age in range(121)] for row in range(4)]


def _cuts(schema: Schema, epsilon: Fraction = ONE) -> Occam:
    return Occam(Thresholds(schema, "age"), epsilon)


LEARNERS: Mapping[str, Callable[[Schema], Learner]] = {
    "subsampled": lambda s: Subsampled(_cuts(s), 60),
    "resampled": lambda s: Resampled(_cuts(s), 100),
    "confidence": lambda s: Confidence(_cuts(s), runs=3, held=60, epsilon=HALF),
    "relabelled": lambda s: Relabelled(_cuts(s), 30, HALF),
    "agnostic": lambda s: Agnostic(_cuts(s), 30, HALF),
    "agnostic-twice": lambda s: Agnostic(Agnostic(_cuts(s), 15, HALF), 60, HALF),
    "stable": lambda s: Stable(Thresholds(s, "age"), 20, ONE),
    "noisy-cuts": lambda s: NoisyCuts(Thresholds(s, "age", "up"), ONE, Fraction(1, 10)),
    "denoised-cuts": lambda s: DenoisedCuts(NoisyCuts(Thresholds(s, "age", "up"), ONE, Fraction(1, 10))),
    "sampled-cover": lambda s: SampledCover(
        Thresholds(s, "age"),
        Uniform(s, ("age",)),
        ONE,
        kappa=ONE,
        level=Fraction(1, 50),
        mass=Fraction(1, 60),
        error=Fraction(2, 5),
    ),
}
"""Learners that no word names."""

FEW_LABELS: tuple[Case, ...] = (
    FewLabelled("few-labels-auto", "auto", 300, 3_000),
    FewLabelled("few-labels-plain", "plain", 100, 100),
    FewLabelled("few-labels-generic", "generic", 300, 6_000),
    FewLabelled("few-labels-boost", "boost", 1_000, 5_000),
    FewLabelled("few-labels-relabel", "relabel", 1_000, 5_000),
    FewLabelled("few-labels-boost-delta", "boost", 1_500, 20_000, "key", wishes={"delta": "0.000001"}),
    FewLabelled("few-labels-relabel-delta", "relabel", 1_500, 20_000, "key", wishes={"delta": "0.000001"}),
    FewLabelled("few-labels-people", "plain", 100, 100, wishes={"records_per_person": 2}),
    Asked("active-plain", "plain", 2_000, 60),
    Asked("active-boost", "boost", 6_000, 400),
    Asked("active-people", "auto", 2_000, 60, {"records_per_person": 2, "epsilon": 2}),
)

TABLES: tuple[Case, ...] = (
    Tabled("points", "short", ("ward", "smokes", "ill")),
    Tabled("tree", "age", ("age",), {"method": "tree"}),
    Tabled("quantiles", "age", ("age",), {"method": "quantiles"}),
    Tabled("blr", "age", ("age",), {"method": "blr"}),
    Tabled("blocks", "age", ("age",), {"method": "blocks", "delta": "0.000001"}),
    Tabled("auto", "age", ("age",), {"error": "0.3", "epsilon": 2}),
    Tabled("people", "short", ("smokes", "ward"), {"method": "points", "records_per_person": 2}),
)

CLASSIFIED = ("auto", "vote:logistic", "vote:tree:1", "vote:forest:2", "vote:boosting", "vote:neighbours:3")
"""Votes of classifiers: their models belong to scikit-learn, so only what is promised about them is stored."""

BUNDLES: tuple[Case, ...] = (
    Answered("vote-bayes", "two", "vote:bayes", wishes={"models": 3}),
    Answered("vote-three-classes", "wards", "vote:bayes", wishes={"models": 5}),
    Answered("vote-weighted", "two", "weighted:bayes", wishes={"models": 3}),
    Answered("consistent", "age", "predict-by-vote:thresholds:age", wishes={"models": 5}),
    Answered("consistent-class", "age", lambda s: Vote(Concepts(intervals(s, "age")), Fraction(2), 3)),
    Answered("fresh-draws", "age", "thresholds:age"),
    Answered("fresh-draws-class", "age", lambda s: intervals(s, "age"), wishes={"records_per_person": 2}),
    Answered("fresh-draws-keys", "keys", "points:key"),
    Answered("relabelled", "age", "predict-by-relabelling:thresholds:age", 8),
    Answered("reference", "age", "predict-by-net:thresholds:age", 8),
    Answered("declared", "age", "thresholds:age", "0.1", {"answers": 40}),
    Answered(
        "declared-with-delta",
        "age",
        "predict-by-vote:thresholds:age",
        "0.05",
        {"answers": 100, "delta": "1e-6", "models": 5},
        questions=9,
    ),
)

OTHERS: tuple[Case, ...] = (
    Compared("models", WORDED[0], WORDED[6]),
    Compared("models-people", WORDED[0], WORDED[6], {"records_per_person": 2}),
    *map(Charged, ("charged", "filtering")),
    *map(Copied, ("charged", "filtering")),
    Totalled("filtering"),
    Signed("paid"),
)

CASES: tuple[Case, ...] = (
    *WORDED,
    *OBJECTS,
    *(Drawn(name, "age", made) for name, made in LEARNERS.items()),
    *FEW_LABELS,
    *TABLES,
    *BUNDLES,
    *(Offered(re.sub(":.*", "", word.removeprefix("vote:")), "two", word) for word in CLASSIFIED),
    *(Derived(key, make) for key, make in EXAMPLES.items()),
    *OTHERS,
)
