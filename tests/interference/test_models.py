"""Every word, on every engine: a model, whatever it is written to and whatever it says depend on the draw alone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from privpac import Ledger, Model, learn
from privpac.asking import Asking
from privpac.constructions.few_labels.questions import ASKING_METHODS
from tests.interference.artefacts import Released, attempt, drawn, of_model, shown, text
from tests.interference.cases import BESIDE, FEW_LABELS, LEARNT, Case, by_name
from tests.interference.coins import steady
from tests.interference.comparing import Refused, Result, Run, compared
from tests.interference.engines import ENGINES, Engine
from tests.interference.tables import FEW, SCHEMA, TABLES, Table, sized

__all__ = ["steady"]

pytestmark = pytest.mark.usefixtures("steady")


ELSEWHERE = FEW[1:2]
"""One pair: that engines agree with memory is tested in `contracts/`, and each look at a file takes its time."""


def learning(case: Case, engine: Engine, place: Path) -> Run:
    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            model = learn(
                engine.of(table),
                schema=case.schema,
                concepts=case.word,
                random_state=seed,
                ledger=book,
                **engine.wishes,
                **case.wishes,
            )
            return drawn(model), lambda: of_model(model, place)

        return attempt(release)

    return run


@pytest.mark.long_cases(
    "one-test epsilon=0.01",
    "card:mixed epsilon=0.01",
    "confident:thresholds:age epsilon=0.01",
    "reference:dose epsilon=1",
    "reference:dose:agnostic:0.5 epsilon=1",
    "points:key:gibbs epsilon=0.01",
    "points:key:boosted epsilon=4",
    "points:age epsilon=0.01 protect=labels",
    'finite:["age >= 30","age >= 60","dose < 10"] epsilon=0.01 protect=labels',
    "points:key:clipped epsilon=0.2",
    "subsampled:stumps epsilon=0.01",
    "agnostic:trees:1 epsilon=1",
    "halfspaces:age,dose epsilon=0.01",
    "agnostic:unions:age:2 epsilon=1",
    "thresholds:age epsilon=0.01 protect=labels",
    "rectangles:age,dose epsilon=0.01",
    "agnostic:thresholds:age epsilon=1",
    "graded-tree epsilon=0.01",
    "card:2 epsilon=0.01",
    "card:2 epsilon=0.01 protect=labels",
    "scorecards:2 epsilon=0.01",
    "points:key:cover epsilon=0.01",
    "conjunctions:2 epsilon=0.01",
    "disjunctions:2 epsilon=0.01",
    "halfspaces:age,dose epsilon=0.01 protect=labels",
    "thresholds:age:either epsilon=0.01 protect=labels",
    "trees:2 epsilon=0.01 protect=labels",
    "rectangles:age,dose epsilon=0.01 protect=labels",
    "unions:age:2 epsilon=0.01 protect=labels",
    "intervals:age epsilon=0.01 protect=labels",
    "points:key:improper epsilon=0.01",
)
@pytest.mark.parametrize("case", LEARNT + BESIDE, ids=by_name)
def test_a_model_depends_on_the_draw_alone(case: Case, tmp_path: Path) -> None:
    run = learning(case, ENGINES["memory"], tmp_path)
    assert isinstance(compared(run, sized(case.times), case.pairs), int)


def everywhere() -> Iterator[ParameterSet]:
    """Every case on every engine; `make test` tries every third, on one of them, in turn."""
    engines = [name for name in ENGINES if name != "memory"]
    for number, case in enumerate(LEARNT):
        for place, engine in enumerate(engines):
            turn = number % 3 == 0 and place == number // 3 % len(engines)
            marks = () if turn else (pytest.mark.long,)
            yield pytest.param(case, engine, id=f"{case}-{engine}", marks=marks)


@pytest.mark.parametrize(("case", "engine"), list(everywhere()))
def test_wherever_the_records_live(case: Case, engine: str, tmp_path: Path) -> None:
    with ENGINES[engine].working():
        run = learning(case, ENGINES[engine], tmp_path)
        assert isinstance(compared(run, sized(case.times), ELSEWHERE), int)


def without_labels(table: Table) -> dict[str, list[object]]:
    """Of three records in four nobody knows the label; the victim keeps hers."""
    some = {name: list(column) for name, column in table.items()}
    some["ill"] = [label if i % 4 == 3 else None for i, label in enumerate(table["ill"])]
    return some


@pytest.mark.long_cases(
    "trees:1 epsilon=1 method=boost",
    "trees:1 epsilon=1 method=relabel",
    "thresholds:age epsilon=1 method=plain",
    "thresholds:age epsilon=1 method=generic",
    "thresholds:age epsilon=1 method=auto",
)
@pytest.mark.parametrize("case", FEW_LABELS, ids=by_name)
def test_from_few_labels(case: Case, tmp_path: Path) -> None:
    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            model = learn(
                without_labels(table),
                schema=case.schema,
                concepts=case.word,
                unlabelled=True,
                anyway=True,
                random_state=seed,
                ledger=book,
                **case.wishes,
            )
            return drawn(model), lambda: of_model(model, tmp_path)

        return attempt(release)

    assert isinstance(compared(run, sized(case.times), case.pairs), int)


ASKED = [case for case in FEW_LABELS if case.wishes["method"] in ASKING_METHODS]


@pytest.mark.long_cases(
    "thresholds:age epsilon=1 method=relabel",
    "thresholds:age epsilon=1 method=auto",
    "trees:1 epsilon=1 method=relabel",
    "trees:1 epsilon=1 method=boost",
    "thresholds:age epsilon=1 method=boost",
)
@pytest.mark.parametrize("case", ASKED, ids=by_name)
def test_from_a_session_of_questions(case: Case, tmp_path: Path) -> None:
    """The list, the public part of the session and the model; who was kept is secret."""

    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            n = len(table["ill"])
            asking = Asking.start(
                n, schema=SCHEMA, concepts=case.word, labels=20, random_state=seed, **case.wishes
            )
            folder = Path(tempfile.mkdtemp(dir=tmp_path))  # a session has a folder of its own
            asking.save(folder)
            files = {name: (folder / name).read_bytes() for name in ("session.json", "ask.csv")}
            asking = asking.tell({place: table["ill"][place] for place in asking.asked})
            told = shown(asking.certificate), text(asking.certificate.to_json()), text(asking.waiting)
            model = asking.learn(table, ledger=book, random_state=seed)
            session = {**files, "session": b"".join(told)}
            return drawn(model) + str(asking.asked), lambda: {**session, **of_model(model, tmp_path)}

        return attempt(release)

    assert isinstance(compared(run, sized(case.times), case.pairs), int)


def test_a_picture_in_png(tmp_path: Path) -> None:
    case = Case("trees:2", {"epsilon": "0.05"})

    def run(table: Table, seed: int) -> Result | Refused:
        def release(book: Ledger) -> Released:
            model = learn(
                table, schema=SCHEMA, concepts=case.word, random_state=seed, ledger=book, **case.wishes
            )
            return drawn(model), lambda: {"PNG": _png(model, tmp_path)}

        return attempt(release)

    assert isinstance(compared(run, TABLES, FEW[:1]), int)


def _png(model: Model, place: Path) -> bytes:
    model.save_picture(place / "rule.png")
    return (place / "rule.png").read_bytes()
