"""What the Verify page says of good, forged and foreign files: its modules in node, without a browser."""

from __future__ import annotations

import base64
import copy
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from privpac import Model, learn
from privpac.checker.check import check_document
from privpac.checker.document import CERTIFICATE, digest
from privpac.checker.signature import Receipt, with_signature
from privpac.guarantee.guesses import guessed_at_most
from privpac.numbers.exact import read_number
from privpac.report.derivation import Step
from privpac.report.meaning import does_not_mean, means, protected
from privpac.report.wording import fact_in_words
from privpac.signing.keys import SigningKey
from privpac.theory.statements import REGISTER
from tests.pages.conftest import SCHEMA
from tests.vectors.frozen import accepted

DRIVER = Path(__file__).parent / "javascript" / "look.mjs"
GOLDEN = Path(__file__).parents[1] / "golden"
DOCUMENTS = sorted(
    [
        *GOLDEN.glob("*/models/*.json"),
        *GOLDEN.glob("*/tables/*.json"),
        *GOLDEN.glob("*/bundles/*/bundle.json"),
    ]
)
TITLES = {rule: (statement.title, statement.source) for rule, statement in REGISTER.items()}


class Page:
    """The page in a process of node: a question and an answer per line."""

    def __init__(self) -> None:
        command = [str(shutil.which("node")), str(DRIVER), json.dumps(TITLES)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, *files: bytes | str | dict[str, Any], kept: tuple[Any, ...] = ()) -> dict[str, Any]:
        """What the page shows of these files."""
        kept_pairs, pairs = (
            [(f"file {at}", base64.b64encode(raw(one)).decode()) for at, one in enumerate(some)]
            for some in (kept, files)
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"kept": kept_pairs, "brought": pairs}) + "\n")
        self.process.stdin.flush()
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


@pytest.fixture(scope="module")
def seen() -> Iterator[Page]:
    page = Page()
    yield page
    page.close()


def raw(file: bytes | str | dict[str, Any]) -> bytes:
    if isinstance(file, bytes):
        return file
    return (file if isinstance(file, str) else json.dumps(file)).encode()


@pytest.fixture(scope="module")
def model() -> Model:
    table = {
        "age": list(range(100)) * 4,
        "smoker": [0, 1] * 200,
        "ill": [int(i % 100 > 50) for i in range(400)],
    }
    return learn(table, schema=SCHEMA, concepts="thresholds:age", epsilon=1, records_per_person=2)


@pytest.fixture(scope="module")
def tree(model: Model) -> dict[str, Any]:
    return json.loads(json.dumps(model.to_json()))


@pytest.fixture(scope="module")
def key() -> SigningKey:
    return SigningKey.make()


def sealed(tree: dict[str, Any], edit: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """An edited document with a new digest, as a forger makes it."""
    forged = copy.deepcopy(tree)
    edit(forged)
    forged["digest"] = digest(forged)
    return forged


class TestVerdict:
    def test_every_stored_document_gets_the_verdict_of_the_checker(self, seen: Page) -> None:
        for path in DOCUMENTS:
            found, promise = seen(path.read_bytes()), check_document(json.loads(path.read_text("utf-8")))
            assert found["verdict"] == "caution", path  # they were drawn with known seeds
            assert found["steps"] == promise.steps == sum(one["count"] for one in found["derivations"])
            assert (found["epsilon"], found["delta"]) == (promise.epsilon, promise.delta)
            assert "NOT FOR RELEASE" in " ".join(found["warnings"])

    def test_a_model_for_release_is_verified_with_all_it_says(self, seen: Page, tree: dict[str, Any]) -> None:
        found = seen(tree)
        assert found["verdict"] == "verified"
        assert found["guess"] == "73.2 %"
        assert found["warnings"] == ["Assumes that no person stands behind more than 2 records."]
        assert "up to 2" in found["means"][0]
        assert ["Released", "a rule that predicts ill (0, 1)"] in found["stated"]
        assert ["Digest", tree["digest"]] in found["stated"]
        assert found["columns"] == [["age", "numeric"], ["smoker", "boolean"]]
        assert found["signers"] == []
        assert "privpac verify FILE" in found["not_checked"][0]
        assert any("nobody signed it" in text for text in found["not_checked"])
        top = found["derivations"][0]
        assert top["heading"] == "Privacy"
        assert top["step"]["assumes"] == ["no person stands behind more than 2 records"]
        assert "roup" in top["step"]["title"]

    def test_a_certificate_on_its_own_is_verified_without_a_digest(
        self, seen: Page, tree: dict[str, Any]
    ) -> None:
        found = seen(tree["certificate"])
        assert found["verdict"] == "verified"
        assert not found["sealed"]
        assert "has no digest" in found["not_checked"][0]

    @pytest.mark.parametrize(
        ("edit", "reason"),
        [
            (lambda tree: tree["certificate"].update(epsilon="0.5"), "headline epsilon"),
            (lambda tree: tree["certificate"].update(assumptions=[]), "assumptions are not the derivation's"),
            (lambda tree: tree["certificate"]["privacy"].update(rule="trust-me"), "no rule named"),
            (lambda tree: tree["certificate"]["privacy"]["where"].update(size=1), "group"),
            (lambda tree: tree.update(more=1), "does not write"),
            (lambda tree: tree.update(version="<img src=x>"), "does not write"),
            (lambda tree: tree.update(schema=7), "nothing that privpac writes"),
            (lambda tree: tree.update(certificate=None), "not a certificate"),
        ],
    )
    def test_forgeries_with_a_new_digest_are_refused(
        self, seen: Page, tree: dict[str, Any], edit: Callable[[dict[str, Any]], None], reason: str
    ) -> None:
        found = seen(sealed(tree, edit))
        assert found["verdict"] == "refused"
        assert reason in found["reason"]

    def test_any_changed_byte_is_refused(self, seen: Page, tree: dict[str, Any]) -> None:
        text = raw(tree)
        for at in range(0, len(text), 97):
            changed = bytes([*text[:at], text[at] ^ 1, *text[at + 1 :]])
            assert seen(changed)["verdict"] == "refused", at

    @pytest.mark.parametrize(
        "file",
        [
            b"",
            b"not JSON",
            b"\xff\xfe\x00",
            b"[" * 100_000,
            b'{"format": "privpac-model/2"}',
            b'{"format": "privpac-model/2", "format": "privpac-model/2"}',
            b'{"format": NaN}',
            b'{"format": ["privpac-model/2"]}',
            b'{"format": {"$eval": "1"}, "__proto__": {}}',
            b"[1, 2]",
            b"7",
            b"1" * 5_000,
            b'{"a": ' + b"9" * 10_000 + b"}",
            b"function () { return 1 }",
            b"__import__('os').system('true')",
        ],
    )
    def test_what_is_no_document_is_refused_in_words(self, seen: Page, file: bytes) -> None:
        found = seen(file)
        assert found["verdict"] == "refused"
        assert re.fullmatch(r"The (file|document).*\.", found["reason"]), found["reason"]

    def test_a_right_certificate_beside_nonsense_is_refused(self, seen: Page, tree: dict[str, Any]) -> None:
        for schema in ([], {}, {**tree["schema"], "columns": 7}, {**tree["schema"], "label": {}}):
            found = seen(sealed(tree, lambda tree, schema=schema: tree.update(schema=schema)))
            assert found["verdict"] == "refused"
            assert "beside it in the file" in found["reason"]

    def test_a_false_condition_is_the_reason(self, seen: Page, tree: dict[str, Any]) -> None:
        """Below the step and what it is called, in the words of the book."""

        found = seen(sealed(tree, lambda tree: tree["certificate"]["privacy"]["where"].update(size=3)))
        assert found["verdict"] == "refused"
        assert found["reason"].startswith("privacy > group: ")
        assert found["reason"].endswith("because this does not hold:")
        assert "fact.records_per_person == size" in found["formula"]
        rules = (files("privpac.checker") / "rules.txt").read_text("utf-8")
        assert found["formula"] in " ".join(rules.split())

    def test_what_a_hostile_file_shows_stays_small(self, seen: Page, tree: dict[str, Any]) -> None:
        """Thousands of steps and assumptions that all hold, and names without end: checked, counted, not drawn."""
        step = tree["certificate"]["privacy"]
        fact = {**step["fact"], "epsilon": {"log": "0", "factor": "1"}}
        del fact["records_per_person"]  # the steps are those of one record
        leaf = {"rule": "exponential-mechanism", "fact": fact, "where": {"ratio": "1", "sensitivity": 1}}
        many = 3000
        assumed = [
            {"rule": "assuming", "fact": fact, "assumes": [f"it is {i}"], "premises": [leaf]}
            for i in range(many)
        ]

        def edit(tree: dict[str, Any]) -> None:
            tree["schema"]["label"] = "x" * 1_000_000
            tree["certificate"] |= {
                "epsilon": "0",
                "privacy": {"rule": "sequential", "fact": fact, "premises": assumed},
                "also": [leaf] * many,
                "assumptions": [f"it is {i}" for i in range(many)],
            }

        found = seen(sealed(tree, edit))
        assert found["verdict"] == "verified"
        assert found["steps"] >= 3 * many + 1
        assert found["derivations"][0]["count"] == 2 * many + 1
        drawn = json.dumps(found)
        assert len(drawn) < 400_000
        assert drawn.count('"premises"') <= 500 + 50
        hidden = found["derivations"][0]["step"]["more"]
        assert hidden + found["derivations"][0]["step"]["premises"][0]["more"] > many
        assert "And 2,950 more." in found["warnings"]

    def test_what_cannot_be_seen_is_shown_in_codes(self, seen: Page, tree: dict[str, Any]) -> None:
        """Names that turn the line around, or look like lines of ours, are written out."""

        def edit(tree: dict[str, Any]) -> None:
            tree["schema"]["label"] = "ill\u202edesrever"
            tree["schema"]["columns"][0]["name"] = "age\nVerified"

        found = seen(sealed(tree, edit))
        text = json.dumps(found, ensure_ascii=False)
        assert "\u202e" not in text
        assert r"\nVerified" not in text.replace(r"\\n", "")


class TestSignatures:
    RECEIPT = Receipt("c0ffee00" * 4, 1017, "ab" * 32)

    def test_a_signature_inside_names_signer_and_charge(
        self, seen: Page, tree: dict[str, Any], key: SigningKey
    ) -> None:
        signed = with_signature(tree, key.sign(tree, signer="Data office", receipt=self.RECEIPT))
        (signer,) = seen(signed)["signers"]
        assert signer == {
            "name": "Data office",
            "trusted": False,
            "key": key.public_text,
            "rebuilt": False,
            "receipt": {"ledger": "c0ffee00" * 4, "entry": "1,017", "head": "ab" * 32},
        }
        trusted = f"# those we know\n{key.public_text} St. Anna\n"
        for brought in ((signed, trusted), (trusted, signed)):
            found = seen(*brought)
            assert [(one["name"], one["trusted"]) for one in found["signers"]] == [("St. Anna", True)]
            assert any("privpac ledger verify" in text for text in found["not_checked"])

    def test_signatures_beside_it_in_any_order(
        self, seen: Page, tree: dict[str, Any], key: SigningKey
    ) -> None:
        beside = key.sign(tree, signer="Data office").to_json()
        assert seen(beside)["verdict"] == "waiting"
        for found in (seen(tree, beside), seen(beside, tree), seen(tree, kept=(beside,))):
            assert found["verdict"] == "verified"
            assert [one["name"] for one in found["signers"]] == ["Data office"]
        both = with_signature(tree, key.sign(tree, signer="inside"))
        assert [one["name"] for one in seen(both, beside)["signers"]] == ["inside", "Data office"]

    def test_a_forged_signature_is_refused(self, seen: Page, tree: dict[str, Any], key: SigningKey) -> None:
        row = key.sign(tree, signer="Data office").to_json()
        inside = seen({**tree, "signatures": [{**row, "signer": "Minister"}]})
        assert inside["verdict"] == "refused"
        beside = seen(tree, {**row, "signer": "Minister"})
        assert beside["verdict"] == "refused"
        assert "'Minister' is not that of its key" in beside["reason"]
        assert seen(tree, {"format": row["format"]})["verdict"] == "refused"

    def test_a_new_document_takes_the_place_of_the_old_one_and_its_signatures(
        self, seen: Page, tree: dict[str, Any], key: SigningKey
    ) -> None:
        other = sealed(tree, lambda tree: tree.update(version="0.1.0"))
        keys = f"{key.public_text} St. Anna"
        kept = (tree, key.sign(tree, signer="Data office").to_json(), keys)
        found = seen(other, kept=kept)
        assert [(file["at"], file["role"]) for file in found["files"]] == [(2, "keys"), (3, "document")]
        assert found["verdict"] == "verified"
        assert found["signers"] == []
        stays = seen(key.sign(tree, signer="Second").to_json(), kept=kept)
        assert [file["role"] for file in stays["files"]] == ["document", "signature", "keys", "signature"]
        assert len(stays["signers"]) == 2


class TestWords:
    """The sentences of Python's own reports, which are written a second time here."""

    def test_every_stored_certificate_reads_as_in_reports(self, seen: Page) -> None:
        read = 0
        for file in accepted():
            tree = json.loads(file.text)
            if file.kind != "document":
                continue
            found, stored = seen(file.text), tree.get("certificate", tree)
            assert found["means"] == means(stored), file.name
            assert found["does_not_mean"] == does_not_mean(stored)
            assert found["protected"] == protected(stored)
            epsilon, delta = (read_number(stored[name]) for name in ("epsilon", "delta"))
            assert found["guess"] == guessed_at_most(epsilon, delta)
            assert found["privacy"] == fact_in_words(stored["privacy"]["fact"])
            assert found["accuracy"] == [fact_in_words(proof["fact"]) for proof in stored["accuracy"]]
            promise = check_document(tree)
            assert found["warnings"] == list(promise.warnings)
            assert found["steps"] == promise.steps
            proofs = (stored["privacy"], *stored.get("also", ()), *stored["accuracy"])
            drawn = [flat(one["step"]) for one in found["derivations"]]
            assert drawn == [flat(Step.of(proof, TITLES).to_json()) for proof in proofs], file.name
            read += 1
        assert read > 100

    @pytest.mark.parametrize("epsilon", ["0", "0.001", "1/3", "4.999", "5.001", "10.5", "39", "41", "700"])
    @pytest.mark.parametrize("delta", ["0", "0.000000001", "1/7", "0.999999999"])
    @pytest.mark.parametrize("several", [1, 4])
    @pytest.mark.parametrize("unit", ["record", "label"])
    def test_every_promise_reads_as_in_reports(
        self, seen: Page, epsilon: str, delta: str, several: int, unit: str
    ) -> None:
        """Of certificates that hold: a declared promise on a draw that costs nothing, for one record or several."""
        fact = {
            "kind": "privacy",
            "epsilon": {"log": "0", "factor": "1"},
            "delta": "0",
            "unit": unit,
            "part": "all records",
            "release": "hypothesis",
            "neighbours": "replace-one",
        }
        step: dict[str, Any] = {
            "rule": "exponential-mechanism",
            "fact": fact,
            "where": {"ratio": "1", "sensitivity": 1},
        }
        assumes = []
        if several > 1:
            assumes = [f"no person stands behind more than {several} records"]
            fact = {**fact, "records_per_person": several}
            step = {
                "rule": "group",
                "fact": fact,
                "where": {"size": several},
                "assumes": assumes,
                "premises": [step],
            }
        log = str(read_number(epsilon))
        fact = {**fact, "epsilon": {"log": log, "factor": "1"}, "delta": str(read_number(delta))}
        where = {"epsilon": epsilon, "delta": delta}
        certificate = {
            "format": CERTIFICATE,
            "epsilon": epsilon,
            "delta": delta,
            "assumptions": assumes,
            "coins": "system",
            "labelled": 12_345_678,
            "unlabelled": 0,
            "request": None,
            "learner": {},
            "privacy": {"rule": "declared", "fact": fact, "where": where, "premises": [step]},
            "accuracy": [],
        }
        found = seen(certificate)
        assert found["verdict"] == "verified", found
        assert found["means"] == means(certificate)
        assert found["guess"] == guessed_at_most(read_number(epsilon), read_number(delta))
        assert found["privacy"] == fact_in_words(fact)
        assert found["does_not_mean"] == does_not_mean(certificate)
        assert ["Records it was made from", "12,345,678"] in found["stated"]


def flat(step: dict[str, Any]) -> list[Any]:
    """Everything that is said of a step and those below it."""
    own = [step["fact"], step["title"], step["source"], step["where"], step["assumes"]]
    return [own, [flat(below) for below in step["premises"]]]
