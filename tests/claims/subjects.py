"""What is claimed about: words, learners, predictors, releases, rules, formulas and questions to a plan.

Words, rules, formulas and families are read off the catalogue: a new one is a subject without being listed here. What
no word names is a row of a list below. Everything is a function, so that nothing is computed while tests are collected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from inspect import Parameter, signature
from typing import Any

import numpy as np

from privpac import plan
from privpac.answering.offer import offer_for
from privpac.concepts.derived.reference import Uniform
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import intervals
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.sets.points import Points
from privpac.concepts.trees.trees import Trees
from privpac.constructions import catalogue
from privpac.constructions.base import Learner
from privpac.constructions.covers.sampled import SampledCover
from privpac.constructions.cuts.noisy import DenoisedCuts, NoisyCuts
from privpac.constructions.draw.occam import Merged, Occam
from privpac.constructions.few_labels.methods import METHODS as FEW_LABELS
from privpac.constructions.few_labels.methods import FewLabels
from privpac.constructions.points.ways import POINT_WAYS
from privpac.constructions.recipe import Recipe
from privpac.constructions.release.methods import METHODS as TABLES
from privpac.constructions.release.table import TableRequest
from privpac.constructions.request import Request
from privpac.constructions.stable.stable import Stable, listed_from_some, stable_from_some
from privpac.constructions.words import WORDS, learner_for
from privpac.constructions.wrappers.confidence import Confidence
from privpac.constructions.wrappers.relabelling import Agnostic, Relabelled, relabelling, relabelling_part
from privpac.constructions.wrappers.sampling import Resampled, Subsampled
from privpac.data.columns import Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Unit
from privpac.request import LearnRequest, ReleaseRequest
from tests.forms import written_out

ONE, HALF = Fraction(1), Fraction(1, 2)
MILLIONTH = Fraction(1, 10**6)
SCHEMA = Schema((Numeric("c", 0, 1023, integer=True), Numeric("d", 0, 15, integer=True)), label="y")
SIX = Schema(tuple(Numeric(name, 0, 1023, integer=True) for name in "cdefgh"), label="y")
"""As many columns as a small table has."""
KEYS = Schema((Numeric("c", 0, 2**20 - 1, integer=True),), label="y")
SIZES = (200, 5_000, 100_000)


def records(n: int, *, seed: int = 0, schema: Schema = SCHEMA) -> MemorySample:
    """A cut in the middle, a tenth of the labels wrong."""
    rng = np.random.default_rng(seed)
    cells = {column.name: rng.integers(0, column.size, n) for column in schema.columns}
    labels = ((2 * cells["c"] >= schema.columns[0].size) ^ (rng.random(n) < 0.1)).astype(int)
    return MemorySample.from_cells(schema, cells, labels)


def family_of(made: Any) -> str:
    """The folder of `constructions` that a function or class stands in; what stands elsewhere is common."""
    _, _, rest = made.__module__.partition("privpac.constructions.")
    return rest.partition(".")[0] if "." in rest else "common"


def listed(wishes: Mapping[str, Any]) -> list[str]:
    return [f"{key} {value}" for key, value in wishes.items()]


@dataclass(frozen=True)
class Asked:
    """A word and what is asked of it; `extras` are releases beside the rule."""

    word: str
    n: int = 1000
    wishes: Mapping[str, Any] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)
    schema: Schema = SCHEMA

    @property
    def request(self) -> Request:
        return Request(self.schema, Size(self.n), LearnRequest(**{"epsilon": ONE, **self.wishes}))

    @property
    def family(self) -> str:
        head = self.word.partition(":")[0]
        return family_of(WORDS[head].build) if head in WORDS else "common"

    def learner(self) -> Learner:
        return learner_for(self.word, self.request)

    def certify(self) -> Certificate:
        return Recipe(self.word, self.request, **self.extras).certify()

    def __str__(self) -> str:
        columns = [] if self.schema is SCHEMA else [{1: "keys", 6: "6 columns"}[len(self.schema.columns)]]
        return ", ".join([self.word, str(self.n), *columns, *listed(self.wishes), *listed(self.extras)])


DELTAS: Mapping[str, Fraction] = {"stable": Fraction(1, 10)}
"""Of words that a millionth is too small for."""


def plain_words() -> Iterator[Asked]:
    """Every word with every unit that it protects, as its form says."""
    for head, word in WORDS.items():
        written = written_out(word.form, "c", "d")
        wishes = {"delta": DELTAS.get(head, MILLIONTH)} if word.takes_delta else {}
        for protect in word.protects:
            yield Asked(written, wishes={**wishes, **({} if protect == "records" else {"protect": protect})})


def words() -> Iterator[Asked]:
    """Every word at three sizes, with less and with more epsilon, and what some words are besides."""
    for asked in plain_words():
        for n in SIZES:
            yield Asked(asked.word, n, asked.wishes)
        for epsilon in (Fraction(1, 10), Fraction(5)):
            yield Asked(asked.word, 5_000, {**asked.wishes, "epsilon": epsilon})
        yield Asked(asked.word, 5_000, {**asked.wishes, "records_per_person": 3})
    for n in (100, 200, 999, 1_000, 5_000, 6_000, 30_000, 50_000, 100_000):
        for wishes in ({}, {"protect": "labels"}):
            yield Asked("auto", n, wishes, schema=SIX)
    for way in POINT_WAYS:
        for n in SIZES:
            yield Asked(f"points:c:{way}", n)
            yield Asked(f"points:c:{way}", n, schema=KEYS)
    yield from (
        Asked("auto", 5_000, {"costs": (1, 3)}),
        Asked("auto", 5_000, extras={"leaf_epsilon": HALF}),
        Asked("auto", 5_000, extras={"estimate_epsilon": HALF}),
        Asked("trees:2", 5_000, extras={"estimate_epsilon": HALF, "holdout": Fraction(1, 5)}),
        Asked("thresholds:c:either", 5_000),
        Asked("rectangles:c,d:full", 5_000),
        Asked("card", 5_000, {"epsilon": Fraction(10), "delta": MILLIONTH}),
        Asked("reference:c:agnostic:0.4", 5_000),
        Asked("agnostic:50:intervals:c", 100_000),
        Asked("agnostic:recconcave:c", 40_000, {"delta": MILLIONTH}),
        Asked("subsampled:stumps"),
        Asked("subsampled:1000:thresholds:c"),
        Asked("subsampled:7:thresholds:c", 1000, {"records_per_person": 3}),
        Asked("subsampled:recconcave:c", 1000, {"delta": MILLIONTH, "records_per_person": 2}),
        Asked("subsampled:reference:c"),
        Asked("confident:5:points:c:clipped"),
        Asked("confident:points:c:sampled", 20_000),
    )


def refused() -> Iterator[Asked]:
    """Words that must not be built: strange ones of every form, and those of too few records or too little epsilon."""
    for head, word in WORDS.items():
        yield Asked(f"{head}s-")
        if "COLUMN" in word.form or "COL,COL" in word.form or word.transforms:
            yield Asked(f"{head}:")
            yield Asked(f"{head}:nothing")
        if not word.takes_delta:
            yield Asked(written_out(word.form, "c", "d"), 5_000, {"delta": Fraction(1)})
        yield Asked(written_out(word.form, "c", "d"), 5_000, {"epsilon": Fraction(0)})
        yield Asked(written_out(word.form, "c", "d"), 5_000, {"protect": "nobody"})
        yield Asked(written_out(word.form, "c", "d"), 5_000, {"records_per_person": 0})
    yield from (
        Asked("points:c:nothing"),
        Asked("unions:c:0"),
        Asked("trees:0"),
        Asked("rectangles:c,c"),
        Asked("subsampled:0:stumps"),
        Asked("subsampled:101:stumps", 100),
        Asked("subsampled:card"),
        Asked("subsampled:agnostic:stumps"),
        Asked("subsampled:reference:c", 100),
        Asked("agnostic:100:stumps", 100),
        Asked("agnostic:stumps", 100, {"costs": (1, 2)}),
        Asked("agnostic:stumps", 100, {"epsilon": Fraction(1, 1000)}),
        Asked("agnostic:stumps", 1000, {"epsilon": Fraction(51)}),
        Asked("agnostic:trees:2", 100, {"protect": "labels"}),
        Asked("agnostic:50:reference:c", 20_000),
        Asked("confident:60:stumps", 50),
        Asked("reference:c", 100),
    )


def further_refused() -> Iterator[Asked]:
    """What is refused besides, of which no sentence is stored."""
    three = Schema(SCHEMA.columns, SCHEMA.label, ("0", "1", "2"))
    for word in WORDS.values():
        if not word.many_classes and not word.transforms:
            yield Asked(written_out(word.form, "c", "d"), 5_000, schema=three)
    yield from (Asked("card:0"), Asked("card:1000"))
    yield Asked("card:mixed", 5_000, {"delta": MILLIONTH})
    yield Asked("card:mixed", 5_000, {"protect": "labels"})


@cache
def learners() -> Mapping[str, Learner]:
    """Learners used from Python; those that a word names are subjects by their words."""
    cuts = Thresholds(SCHEMA, "c")
    draw = Occam(cuts, ONE)
    noisy = NoisyCuts(Thresholds(SCHEMA, "c", "up"), ONE, Fraction(1, 10))
    return {
        "draw": draw,
        "draw with costs": Occam(cuts, ONE, (1, 3)),
        "draw of points": Occam(Points(SCHEMA, "c"), ONE),
        "merged": Merged(Occam(Trees(SCHEMA, 2, Binarisation.of(SCHEMA, cuts=3)), ONE)),
        "subsampled": Subsampled(draw, 50),
        "resampled": Resampled(draw, 40),
        "confidence": Confidence(draw, 3, 40, ONE),
        "confidence, of another column": Confidence(Occam(Thresholds(SCHEMA, "d"), ONE), 3, 40, ONE),
        "relabelled": Relabelled(draw, 60, HALF),
        "agnostic": Agnostic(draw, 60, HALF),
        "agnostic, few voters": Agnostic(draw, 190, HALF, Fraction(3, 2)),
        "agnostic, of another class": Agnostic(draw, 20, HALF, labelling=intervals(SCHEMA, "d")),
        "stack": Subsampled(Resampled(Confidence(Agnostic(draw, 20, HALF), 2, 5, ONE), 60), 100),
        "stable": Stable(cuts, 20, ONE),
        "noisy cuts": noisy,
        "denoised cuts": DenoisedCuts(noisy),
        "sampled cover": SampledCover(
            cuts,
            Uniform(SCHEMA, ("c",)),
            ONE,
            kappa=ONE,
            level=Fraction(1, 50),
            mass=Fraction(1, 60),
            error=Fraction(2, 5),
        ),
        **{
            f"points, {way}": learner_for(
                f"points:c:{way}", Request(KEYS, Size(5_000), LearnRequest(epsilon=ONE))
            )
            for way in POINT_WAYS
            if not way.startswith("boosted")
        },
    }


@dataclass(frozen=True)
class Other:
    """A subject that is no word: what certifies it, and the folder it belongs to."""

    name: str
    family: str
    certify: Callable[[], Certificate]

    def __str__(self) -> str:
        return self.name


def few_labels() -> Iterator[Other]:
    """Every method that takes records without labels."""
    for method in FEW_LABELS:
        for size in (Size(300, 6_000), Size(3_000, 30_000)):
            for wishes in ({}, {"delta": MILLIONTH}, {"records_per_person": 2}):
                yield Other(
                    ", ".join([f"method {method}", f"{size.labelled} + {size.unlabelled}", *listed(wishes)]),
                    "few_labels",
                    lambda m=method, s=size, w=wishes: FewLabels.chosen(
                        "thresholds:c", Request(SCHEMA, s, LearnRequest(**{"epsilon": ONE, **w})), method=m
                    ).certify(),
                )


PREDICTORS = (
    "vote:bayes",
    "weighted:bayes",
    "predict-by-vote:thresholds:c",
    "thresholds:c",
    "predict-by-relabelling:thresholds:c",
)
PREDICTORS += ("predict-by-net:thresholds:c", "auto", "vote:logistic", "vote:tree:1", "vote:neighbours:3")


def predictors() -> Iterator[Other]:
    """Every kind of predictor, answers one by one and declared beforehand."""
    wanted: tuple[dict[str, Any], ...] = (
        {"epsilon": Fraction(2)},
        {"epsilon": Fraction(1, 10), "answers": 40},
        {"epsilon": Fraction(1, 20), "answers": 100, "delta": MILLIONTH},
        {"epsilon": Fraction(2), "records_per_person": 2},
    )
    for base in PREDICTORS:
        for n in (1_000, 20_000):
            for wishes in wanted:
                models = (
                    {"models": 5} if base.partition(":")[0] in {"vote", "weighted", "predict-by-vote"} else {}
                )
                yield Other(
                    ", ".join([f"answers of {base}", str(n), *listed({**wishes, **models})]).replace(
                        "epsilon", "price"
                    ),
                    "prediction",
                    lambda b=base, n=n, w={**wishes, **models}: offer_for(
                        LearnRequest(concepts=b, protect="predictions", **w),
                        schema=SCHEMA,
                        size=Size(n),
                        coins="system",
                    ).certify(),
                )


def releases() -> Iterator[Other]:
    """Every method that releases a table."""
    for method in ("auto", *TABLES):
        delta = {"delta": MILLIONTH} if method in TABLES and TABLES[method].uses_delta else {}
        for n in SIZES:
            for more in ({}, {"records_per_person": 2}, {"error": Fraction(3, 10)}):
                wishes = {**delta, **more}
                yield Other(
                    ", ".join([f"table by {method}", str(n), *listed(wishes)]),
                    "release",
                    lambda m=method, n=n, w=wishes: TableRequest.of(
                        ReleaseRequest(**{"columns": ("d",), "epsilon": ONE, "method": m, **w}),
                        schema=SCHEMA,
                        size=Size(n),
                    ).certify(),
                )


@cache
def varied_rules() -> Mapping[str, tuple[Callable[..., Any], Any, Mapping[str, Any]]]:
    """A rule, its premise and parameters; checks try others in their place."""
    inner = premises()["inner"]
    vote = {"classes": 2, "kept": 2, "of": 5, "ratio": Fraction(3, 5), "change": 3, "mistake": 2}
    drawn = rules.bounded_range(ratio=Fraction(3, 5))
    return {
        "relabelling": (relabelling, inner, vote),
        "relabelling-part": (
            relabelling_part,
            inner,
            {"classes": 2, "ratio": Fraction(3, 5), "change": 3, "part": "left"},
        ),
        "listed-from-some": (listed_from_some, drawn, {"kept": 1, "of": 4}),
        "stable-from-some": (
            stable_from_some,
            rules.total_variation(drawn),
            {"kept": 1, "of": 4},
        ),
    }


@cache
def premises() -> Mapping[str, Any]:
    """A common premise, and strange ones."""
    inner = rules.declared(
        rules.exponential_mechanism(ratio=HALF), epsilon=Fraction(3, 2), delta=Fraction(1, 9)
    )
    return {
        "inner": inner,
        "labels only": rules.exponential_mechanism(ratio=HALF, unit=Unit.LABEL),
        "a part": rules.on_part(inner, part="left"),
    }


VALUES: Mapping[str, tuple[Any, ...]] = {
    "share": ("0.000001", "0.1", "0.5", "0.9"),
    "stability": ("0.1", "0.5", "0.99"),
    "epsilon": ("0.1", "1", "4", "60"),
    "inner": ("0.2", "1", "6"),
    "vote": ("0.05", "0.4", "2"),
    "weight": ("1", "0.01", "3"),
    "n": (50, 10_000, 10**6),
    "draws": (1, 300),
    "kept": (3, 2_000),
    "inner_error": ("0.01", "0.2"),
    "vc": (1, 8),
    "failure": ("0.05", "0.000001"),
    "error": ("0.01", "0.1", "0.4"),
    "excess": ("0.05", "0.3"),
    "delta": ("0.000001", "0.01"),
    "domain": (16, 2**20),
    "size": (2, 1_000),
    "records": (100, 20_000),
    "dimension": (1, 3),
    "cells": (16, 1_024),
    "models": (5, 51),
    "tolerated": ("0.05", "0.2"),
    "ratio": ("0.6", "0.95"),
    "rate": ("0.01", "0.2"),
    "points": (10, 400),
    "level": ("0.02", "0.2"),
    "kappa": ("1", "4"),
    "packing": (16, 1_000),
    "candidates": (16, 1_000),
    "spacing": (3, 40),
    "unlabelled": (50_000,),
    "labelled": (500,),
    "growth": ("5", "40"),
    "odds": ("15", "1000"),
    "seen": ("0.01", "0.1"),
    "spread": ("0.01", "0.3"),
    "fail": ("0.000001",),
    "depth": (2, 6),
    "success": ("0.5", "0.9"),
    "switches": (1, 2),
    "gap": ("0.05", "0.2"),
    "shift": ("0.01", "0.2"),
    "levels": (3, 8),
    "mass": ("0.01", "0.1"),
    "rounds": (3, 20),
    "cap": (2, 8),
    "tests": (10, 100),
    "width": (1, 2),
    "span": ("0.1", "0.4"),
    "above": (5, 30),
    "later": ("0.2", "1"),
    "draw": ("0.2", "1"),
    "base": ("0.2", "1"),
    "hypotheses": (17, 1_000),
    "log_cover": ("3", "20"),
    "wrong": (1, 2),
    "flip": ("0.1", "0.3"),
    "slip": ("0.000001",),
    "branching": (2, 16),
    "mistakes": (1, 2),
    "mistake": (1, 3),
    "low": ("0.1",),
    "high": ("0.4",),
    "flattery": ("0.01",),
    "modesty": ("0.02",),
    "features": (2, 5),
    "cutoffs": (1, 3),
    "counted": (40,),
    "units": (5,),
    "reach": (2, 4),
    "distance": ("0.2",),
    "threshold": (5, 30),
    "bits": (16, 64),
    "factor": ("1.1", "3"),
    "net": ("0.1",),
    "steps": (2, 10),
}
"""What parameters of these names are tried with, in every formula that has no other."""


def asked_of(formula: Callable[..., Any]) -> dict[str, tuple[Any, ...]] | None:
    """What its parameters are tried with; those with a default and no value here keep it. None: it needs an object."""
    given = {}
    for name, parameter in signature(formula).parameters.items():
        if parameter.default is not Parameter.empty and (name not in VALUES or name in OR_EPSILON):
            continue
        if name not in VALUES or str(parameter.annotation).partition(" ")[0] not in PLAIN:
            return None
        given[name] = VALUES[name]
    return given


PLAIN = ("int", "Number", "Fraction", "bool", "Size")
OR_EPSILON = ("ratio", "spacing", "candidates", "unlabelled", "above", "branching", "fail", "cap")
"""Parameters that stay at their default where there is one: the same said otherwise, or a limit."""


def formulas() -> Mapping[str, Callable[..., Any]]:
    """Formulas whose parameters have values above."""
    every = {name: one.function for name, one in catalogue.formulas().items()}
    return {name: one for name, one in every.items() if asked_of(one) is not None}


def questions() -> Iterator[tuple[str, Callable[[], Any]]]:
    """What plans are asked, in public numbers."""
    given: dict[str, Any] = {"schema": SCHEMA.to_json(), "epsilon": 1}
    for word in ("thresholds:c", "intervals:d", "points:c", "trees:2", "auto"):
        for more in ({}, {"protect": "labels"}):
            called = ", ".join([word, *listed(more)])
            yield f"{called}: needed", lambda w=word, m=more: plan.needed(w, error="0.1", **given, **m)
            yield (
                f"{called}: reachable",
                lambda w=word, m=more: plan.reachable(w, records=5_000, **given, **m),
            )
            yield (
                f"{called}: smallest epsilon",
                lambda w=word, m=more: plan.smallest_epsilon(
                    w, records=5_000, error="0.1", schema=SCHEMA.to_json(), **m
                ),
            )
    yield (
        "thresholds, predictions",
        lambda: plan.needed("thresholds:c", error="0.1", protect="predictions", **given),
    )
    yield (
        "thresholds, unlabelled",
        lambda: plan.needed("thresholds:c", error="0.1", unlabelled=100_000, **given),
    )
    yield "thresholds, delta", lambda: plan.needed("thresholds:c", error="0.1", delta="0.000001", **given)
    yield "thresholds, release", lambda: plan.needed("thresholds:c", error="0.1", release=True, **given)
