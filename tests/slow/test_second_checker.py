"""The checker in TypeScript says of every vector what was frozen, and its compiled modules are those of its sources.

Without node it is left out, and the end of the report says so (`conftest.py`).
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from privpac.answering.stored_offers import offer_from_json
from privpac.checker.document import MODEL, TABLE
from privpac.checker.steps import RULES
from privpac.constructions.few_labels.methods import FewLabels
from privpac.constructions.few_labels.settings import Settings
from privpac.constructions.recipe import Recipe
from privpac.constructions.release.table import TableRequest
from privpac.constructions.words import concepts_from_json, request_from_json
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import PrivpacError
from privpac.guarantee.certificate import Certificate
from privpac.numbers.exact import read_number
from tests.contracts.worked_example import planted
from tests.contracts.worked_example import run as run_in
from tests.unit.checker.test_check import DERIVATIONS, at, certificate, edits, leaves, put
from tests.unit.test_verification_forged import JUNK
from tests.vectors.frozen import accepted, vectors
from tests.vectors.judging import objection

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "checker-ts"
COMPILED = ROOT / "src" / "privpac" / "checker" / "js"
NODE, NPM = shutil.which("node"), shutil.which("npm")
VALUES = [junk for junk in JUNK if len(str(junk)) < 100]


def run(*command: str, cwd: Path, given: str | None = None) -> str:
    done = subprocess.run(
        command, cwd=cwd, input=given, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def judged(files: list[tuple[str, str]]) -> list[dict[str, Any]]:
    lines = "".join(json.dumps({"kind": kind, "text": text}) + "\n" for kind, text in files)
    return [
        json.loads(line) for line in run(str(NODE), "judge.mjs", cwd=SOURCES, given=lines).split("\n") if line
    ]


def test_both_checkers_agree_on_every_vector() -> None:
    files = list(vectors())
    verdicts = judged([(file.kind, file.text) for file in files])
    wrong = []
    for file, verdict in zip(files, verdicts, strict=True):
        expected = file.expected != "refused"
        # A rule that there is not is one that it does not know: it says so instead of refusing.
        unknown = not expected and bool(verdict["notChecked"]) and "there is no rule named" in file.reason
        if verdict["accepted"] is not expected and not (unknown and verdict["accepted"] is None):
            wrong.append((file.name, file.expected, file.reason, verdict["reason"]))
        assert "fault of the checker" not in verdict["reason"], file.name
    assert wrong == []


def test_every_rule_is_checked_twice() -> None:
    script = (
        "import { CHECKED } from '../src/privpac/checker/js/checker.js'; console.log(JSON.stringify(CHECKED))"
    )
    known = json.loads(run(str(NODE), "--input-type=module", "-e", script, cwd=SOURCES))
    assert set(known) == set(RULES)


def test_a_rule_it_does_not_know_is_never_accepted() -> None:
    tree = next(json.loads(file.text) for file in vectors() if file.name == "certificate-group")
    tree["privacy"]["premises"][0]["rule"] = "a-rule-of-next-year"
    (verdict,) = judged([("document", json.dumps(tree))])
    assert verdict["accepted"] is None
    assert verdict["notChecked"] == ["a-rule-of-next-year"]
    assert "not checked by this implementation" in verdict["reason"]


def test_the_compiled_modules_are_those_of_the_sources(tmp_path: Path) -> None:
    for name in ("src", "listing.mjs", "package.json", "package-lock.json", "tsconfig.json"):
        place = SOURCES / name
        (shutil.copytree if place.is_dir() else shutil.copy)(place, tmp_path / name)
    run(str(NPM), "ci", "--silent", "--no-audit", "--no-fund", cwd=tmp_path)
    run(str(NPM), "run", "--silent", "build", "--", "--outDir", "out", cwd=tmp_path)
    made = {path.relative_to(tmp_path / "out"): path.read_text() for path in (tmp_path / "out").rglob("*.js")}
    kept = {path.relative_to(COMPILED): path.read_text() for path in COMPILED.rglob("*.js")}
    assert made == kept, "run npm run build in checker-ts"


def test_the_worked_example_is_judged_alike(tmp_path: Path) -> None:
    """A rule that is added as CONTRIBUTING.md says: compiled, known to both, and judged alike by both."""
    tree = planted(tmp_path / "privpac")
    for command in (("ci", "--silent", "--no-audit", "--no-fund"), ("run", "--silent", "build")):
        run(str(NPM), *command, cwd=tree / "checker-ts")
    chosen = "every_vector or checked_twice"
    run_in(tree, "python", "-m", "pytest", "tests/slow/test_second_checker.py", "-m", "", "-k", chosen)


def test_both_checkers_accept_every_stored_wish_with_other_numbers() -> None:
    """Certificates of every word, method and predictor that was stored, at another epsilon, delta and size."""
    chance, made = random.Random(1127), {}
    for file in accepted():
        tree = json.loads(file.text)
        if file.kind == "document" and "schema" in tree:
            for _ in range(2):
                with suppress(PrivpacError):  # so few records, so small an epsilon: nothing is certified
                    made[f"{file.name} {len(made)}"] = json.dumps(recertified(tree, chance).to_json())
    assert len(made) > 200
    verdicts = judged([("document", text) for text in made.values()])
    for (name, text), verdict in zip(made.items(), verdicts, strict=True):
        assert objection("document", text) == "", name
        assert verdict["accepted"], (name, verdict["reason"])


def recertified(tree: dict[str, Any], chance: random.Random) -> Certificate:
    """The certificate that the stored wishes lead to with other numbers."""
    schema, wishes = Schema.from_json(tree["schema"]), dict(tree["certificate"]["request"])
    wishes["epsilon"] = chance.choice(("0.1", "1/3", "1", "4", "25"))
    if wishes.get("delta", "0") != "0":
        wishes["delta"] = chance.choice(("0.001", "0.000000001"))
    if tree["format"] == TABLE:
        size = Size(chance.choice((100, 12_345)), 0)
        return TableRequest.from_json(wishes, schema=schema, size=size).certify()
    if tree["format"] != MODEL:
        return offer_from_json(wishes, schema=schema, coins="system").certify()
    concepts = concepts_from_json(wishes["concepts"], schema)
    if "few_labels" in wishes:
        size = Size(wishes["labelled"], wishes["unlabelled"])
        request = replace(request_from_json(wishes, schema=schema, labelled=size.labelled), size=size)
        return FewLabels(concepts, request, Settings.from_json(wishes["few_labels"])).certify()
    labelled = chance.choice((100, 4567, 1_000_000))
    request = request_from_json(wishes, schema=schema, labelled=labelled)
    shares = {
        name: None if wishes[name] is None else read_number(wishes[name])
        for name in ("estimate_epsilon", "leaf_epsilon")
    }
    return Recipe(concepts, request, holdout=read_number(wishes["holdout"]), **shares).certify()


def test_both_checkers_agree_on_every_edit_of_one_field() -> None:
    """Everything that `tests/unit/checker` tries on certificates of every kind, and values of any kind anywhere."""
    chance, files = random.Random(27), []
    for name in DERIVATIONS:
        tree = certificate(name)
        for path in leaves(tree):
            tried = [*edits(path, at(tree, path)), *chance.sample(VALUES, 2)]
            files += [json.dumps(put(tree, path, value)) for value in tried]
    assert len(files) > 10_000
    verdicts = judged([("document", text) for text in files])
    differing = []
    for text, verdict in zip(files, verdicts, strict=True):
        found = objection("document", text)
        unknown = verdict["accepted"] is None and "there is no rule named" in found
        if verdict["accepted"] is not (found == "") and not unknown:
            differing.append((found, verdict["reason"], text))
    assert differing == []
