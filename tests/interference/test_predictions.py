"""Predictors: what they say, cost and write besides their answers is the same for all tables of one size."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from privpac import Ledger, PrivatePredictor
from privpac.answering.bundle import bundle, writing
from privpac.verification import verify
from tests.interference.artefacts import Released, attempt, shown, text
from tests.interference.cases import ANSWERED, ANSWERS_FOR_SURE, CLASSES, PREFIXES, VOTES
from tests.interference.coins import SteadyCoins, steady
from tests.interference.comparing import Artefacts, Refused, Result, Run, compared
from tests.interference.tables import FEW, PAIRS, SCHEMA, TABLES, Pair, Table, sized

__all__ = ["steady"]

pytestmark = pytest.mark.usefixtures("steady")

ENOUGH = {"predict-by-net": 10}
"""How many times as many records a predictor needs."""

QUESTIONS = {name: column[:2] for name, column in TABLES["base"].items() if name != SCHEMA.label}

BUNDLES = (
    *VOTES,
    "thresholds:age",
    "rectangles:age,dose",
    "predict-by-vote:intervals:age",
    "predict-by-relabelling:stumps",
    "predict-by-net:thresholds:age",
)
"""Every kind of secret that a bundle keeps: records, concepts, and models of every sort."""

ONE_CLASS_AND_EQUAL: tuple[Pair, ...] = (*FEW, ("all equal", "all equal but one"))


def predictor(word: str, seed: int, book: Ledger) -> PrivatePredictor:
    voted = word == "auto" or word.startswith(("vote:", "weighted:", "predict-by-vote:"))
    return PrivatePredictor(word, 1, book, schema=SCHEMA, models=5 if voted else None, random_state=seed)


def tables_for(word: str) -> dict[str, Table]:
    return dict(sized(ENOUGH.get(word.partition(":")[0], 2)))


def pairs_for(word: str) -> tuple[Pair, ...]:
    if word == "vote:boosting":  # a hundred trees for every model
        return FEW[2:]
    return ONE_CLASS_AND_EQUAL if word.startswith(("vote:", "weighted:", "predict-by-net:")) else PAIRS


def answering(word: str) -> Run:
    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            made = predictor(word, seed, book)
            before = shown(made)
            answers = made.fit(table).predict(QUESTIONS).tolist()
            known = made.certificate
            said = {
                "predictor": before + shown(made) + text([made.answers_left, made.answers_given]),
                "offer": shown(made.offer),
                "certificate": text(known.to_json()) + shown(known) + text(known.explain()),
            }
            return str(answers), lambda: said

        return attempt(release)

    return run


def in_turn() -> Iterator[ParameterSet]:
    """Every predictor; of those that a prefix makes of a class, `make test` tries one for each class, in turn."""
    for word in ANSWERED:
        prefix, _, inner = word.partition(":")
        made = word not in CLASSES and prefix in PREFIXES
        turn = made and PREFIXES.index(prefix) != CLASSES.index(inner) % len(PREFIXES)
        slow = made and inner == "agnostic:thresholds:age"
        later = slow or (turn and word not in ANSWERS_FOR_SURE)
        yield pytest.param(word, marks=(pytest.mark.long,) if later else ())


@pytest.mark.long_cases(
    "predict-by-net:confident:thresholds:age",
    "predict-by-net:denoised-cuts:age:0.01",
    "predict-by-net:points:age",
)
@pytest.mark.parametrize("word", list(in_turn()))
def test_nothing_but_the_answers_depends_on_the_records(word: str) -> None:
    told = compared(answering(word), tables_for(word), pairs_for(word))
    assert isinstance(told, int) or word not in ANSWERS_FOR_SURE


@pytest.fixture
def known_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The random name of a bundle is drawn with steady coins."""
    for module in (bundle, writing):
        monkeypatch.setattr(module, "SystemCoins", lambda: SteadyCoins(1))


@pytest.mark.long_cases("vote:boosting")
@pytest.mark.usefixtures("known_names")
@pytest.mark.parametrize("word", BUNDLES)
def test_the_public_part_of_a_bundle_does_not_depend_on_the_records(word: str, tmp_path: Path) -> None:
    """Nothing is drawn until somebody asks, so that there is one outcome."""

    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            place = tmp_path / "bundle"
            shutil.rmtree(place, ignore_errors=True)
            predictor(word, seed, book).fit(table).save(place)
            public = of_bundle(place)
            return "", lambda: public

        return attempt(release)

    assert isinstance(
        compared(run, tables_for(word), FEW[2:] if word == "vote:boosting" else ONE_CLASS_AND_EQUAL), int
    )


def of_bundle(place: Path) -> Artefacts:
    """All that is not secret: the description, which files there are, and what is said about them."""
    loaded = bundle.load(place)
    return {
        "bundle.json": (place / "bundle.json").read_bytes(),
        "names of files": text(sorted(path.name for path in place.iterdir())),
        "modes of files": text(sorted((path.name, path.stat().st_mode) for path in place.iterdir())),
        "loaded": shown(type(loaded)) + text([loaded.certificate, loaded.digest]),
        "verification": text(asdict(verify(place))),
    }
