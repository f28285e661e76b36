"""Each learner has a row on which a look at the records that nobody paid for is seen, at the end and at the start."""

from __future__ import annotations

import importlib

import pytest

from privpac.audit.exact import audit
from privpac.audit.registry import REGISTRY
from tests.claims.faults import STARTS, learners, outermost, redrawn

ROWS = {
    "Active": "active-plain",
    "Agnostic": "agnostic-adversary",
    "BlockCuts": "blocks",
    "BoostedPoints": "points-boosted",
    "CardLearner": "card",
    "ClauseCounts": "clauses-tight",
    "ClippedPoints": "points-clipped-long",
    "CodedPoints": "points-code",
    "Confidence": "confidence-rare",
    "CoveredPoints": "points-cover",
    "DenoisedCuts": "denoised-cuts",
    "GenericLearner": "generic-thresholds-labelled",
    "LabelPrivateCard": "card-labels",
    "LabelPrivateDichotomies": "thresholds-labels",
    "Merged": "trees-labels",
    "NoisyCuts": "noisy-cuts",
    "Occam": "thresholds-down",
    "RecConcave": "recconcave",
    "ReferenceCover": "reference-uniform",
    "RefinedTrees": "refined",
    "Relabelled": "relabelled",
    "Resampled": "resampled",
    "SSLRelabel": "ssl-relabel-labelled",
    "SampledCover": "reference-sampled",
    "SampledPoint": "points-sampled-printed",
    "SparsePoints": "points-gibbs",
    "Stable": "stable",
    "Subsampled": "subsampled-places",
    "SwitchCuts": "switches",
}
"""The cheapest row of each learner on which the fault dies."""

IN_PARTS = {"GradedTrees": "graded-tree-levels", "LabelBoost": "label-boost-isolated"}
"""Learners of which only a part can be enumerated far enough."""

SPARED = {
    "Adversary": "what audits put inside of transforms, for nobody to learn with",
    "Rare": "as Adversary",
    "Declared": "learns as the learner in it, with another certificate",
    "LabelsOnly": "learns as the learner in it, from labelled records alone",
    "_OfCuts": "a part of GenericLearner",
    "_OfList": "a part of GenericLearner",
}

ENOUGH = 6
"""Records from which a start that follows from them shows: with two, code with and without the fault loses the same."""


@pytest.mark.long_cases("GradedTrees", "LabelPrivateCard", "RecConcave")
@pytest.mark.parametrize("name", {**ROWS, **IN_PARTS})
def test_an_outcome_that_is_redrawn_by_the_records_is_seen(name: str) -> None:
    make = REGISTRY[{**ROWS, **IN_PARTS}[name]]
    assert outermost(make()) == (name if name in ROWS else None)
    assert audit(redrawn(make()), stop_when_broken=True).holds is False


def test_learners_of_new_families_are_tried_on_a_row_of_their_own() -> None:
    for name in set(learners()) - {*ROWS, *IN_PARTS, *SPARED}:
        family = learners()[name].__module__.split(".")[2]
        cases = importlib.import_module(f"privpac.constructions.{family}.cases").ROWS
        row = next((make for make in cases.values() if outermost(make()) == name), None)
        assert row is not None, f"{name}: name a row of the audit on which the fault is seen"
        assert audit(redrawn(row()), stop_when_broken=True).holds is False


@pytest.mark.parametrize("name", STARTS)
def test_a_start_from_the_records_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = audit(STARTS[name]().case(monkeypatch, n=ENOUGH, faulty=False))
    assert sound.complete
    assert sound.holds
    faulty = audit(STARTS[name]().case(monkeypatch, n=ENOUGH, faulty=True), stop_when_broken=True)
    assert faulty.holds is False
    assert not faulty.raised
