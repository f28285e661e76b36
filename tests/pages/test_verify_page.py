"""The Verify page without a browser: what it says of good, forged and foreign files, and what stands in its folder."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from privpac import Model, learn
from privpac.checker.check import check_document
from privpac.checker.document import digest
from privpac.checker.signature import Receipt, with_signature
from privpac.cli import cache, main
from privpac.constructions.catalogue import REGISTER
from privpac.errors import DataError, ParameterError, PrivpacError
from privpac.service.pages.place import Place
from privpac.service.pages.site import pages_app
from privpac.service.pages.verify import runtime
from privpac.service.pages.verify.folder import contents, sources, write_page
from privpac.service.pages.verify.look import look
from privpac.service.pages.verify.policy import POLICY
from privpac.service.pages.visitors import TokenGate
from privpac.signing.keys import SigningKey
from tests.pages.conftest import HOST, ORIGIN, SCHEMA

GOLDEN = Path(__file__).parents[1] / "golden"
DOCUMENTS = sorted(
    [
        *GOLDEN.glob("*/models/*.json"),
        *GOLDEN.glob("*/tables/*.json"),
        *GOLDEN.glob("*/bundles/*/bundle.json"),
    ]
)
TITLES = {rule: (statement.title, statement.source) for rule, statement in REGISTER.items()}


def seen(*files: bytes | str | dict[str, Any], kept: tuple[Any, ...] = ()) -> dict[str, Any]:
    """What the page shows of these files; everything in it must be JSON."""
    pairs = [[(f"file {at}", raw(one)) for at, one in enumerate(some)] for some in (kept, files)]
    found: dict[str, Any] = json.loads(json.dumps(look(pairs[1], TITLES, former=pairs[0])))
    return found


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
    def test_every_stored_document_gets_the_verdict_of_the_checker(self) -> None:
        for path in DOCUMENTS:
            found, promise = seen(path.read_bytes()), check_document(json.loads(path.read_text("utf-8")))
            assert found["verdict"] == "caution", path  # they were drawn with known seeds
            assert found["steps"] == promise.steps == sum(one["count"] for one in found["derivations"])
            assert (found["epsilon"], found["delta"]) == (promise.epsilon, promise.delta)
            assert "NOT FOR RELEASE" in " ".join(found["warnings"])
            assert "not for release" in found["title"]

    def test_a_model_for_release_is_verified_with_all_it_says(self, tree: dict[str, Any]) -> None:
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

    def test_a_certificate_on_its_own_is_verified_without_a_digest(self, tree: dict[str, Any]) -> None:
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
        self, tree: dict[str, Any], edit: Callable[[dict[str, Any]], None], reason: str
    ) -> None:
        found = seen(sealed(tree, edit))
        assert found["verdict"] == "refused"
        assert reason in found["reason"]

    def test_any_changed_byte_is_refused(self, tree: dict[str, Any]) -> None:
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
            b'{"format": "privpac-model/1"}',
            b'{"format": "privpac-model/1", "format": "privpac-model/1"}',
            b'{"format": NaN}',
            b'{"format": ["privpac-model/1"]}',
            b'{"format": {"$eval": "1"}, "__proto__": {}}',
            b"[1, 2]",
            b"7",
            b"1" * 5_000,
            b'{"a": ' + b"9" * 10_000 + b"}",
            b"function () { return 1 }",
            b"__import__('os').system('true')",
        ],
    )
    def test_what_is_no_document_is_refused_in_words(self, file: bytes) -> None:
        found = seen(file)
        assert found["verdict"] == "refused"
        assert re.fullmatch(r"The (file|document).*\.", found["reason"]), found["reason"]

    def test_a_right_certificate_beside_nonsense_is_no_disagreement(self, tree: dict[str, Any]) -> None:
        """The second checker does not read the schema either: it is not asked, so that nobody sees it contradict."""
        found = seen(sealed(tree, lambda tree: tree.update(schema=[])))
        assert found["verdict"] == "refused"
        assert found["beside"]

    def test_what_a_hostile_file_shows_stays_small(self, tree: dict[str, Any]) -> None:
        """Thousands of steps and assumptions that all hold, and names without end: checked, counted, not drawn."""
        step = tree["certificate"]["privacy"]
        fact = {**step["fact"], "epsilon": {"log": "0", "factor": "1"}}
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

    def test_what_cannot_be_seen_is_shown_in_codes(self, tree: dict[str, Any]) -> None:
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

    def test_a_signature_inside_names_signer_and_charge(self, tree: dict[str, Any], key: SigningKey) -> None:
        signed = with_signature(tree, key.sign(tree, signer="Data office", receipt=self.RECEIPT))
        (signer,) = seen(signed)["signers"]
        assert signer == {
            "name": "Data office",
            "trusted": False,
            "key": key.public_text,
            "receipt": {"ledger": "c0ffee00" * 4, "entry": "1,017", "head": "ab" * 32},
        }
        trusted = f"# those we know\n{key.public_text} St. Anna\n"
        for files in ((signed, trusted), (trusted, signed)):
            found = seen(*files)
            assert [(one["name"], one["trusted"]) for one in found["signers"]] == [("St. Anna", True)]
            assert any("privpac ledger verify" in text for text in found["not_checked"])

    def test_signatures_beside_it_in_any_order(self, tree: dict[str, Any], key: SigningKey) -> None:
        beside = key.sign(tree, signer="Data office").to_json()
        assert seen(beside)["verdict"] == "waiting"
        for found in (seen(tree, beside), seen(beside, tree), seen(tree, kept=(beside,))):
            assert found["verdict"] == "verified"
            assert [one["name"] for one in found["signers"]] == ["Data office"]
        both = with_signature(tree, key.sign(tree, signer="inside"))
        assert [one["name"] for one in seen(both, beside)["signers"]] == ["inside", "Data office"]

    def test_a_forged_signature_is_refused(self, tree: dict[str, Any], key: SigningKey) -> None:
        row = key.sign(tree, signer="Data office").to_json()
        inside = seen({**tree, "signatures": [{**row, "signer": "Minister"}]})
        assert inside["verdict"] == "refused"
        assert "beside" not in inside
        beside = seen(tree, {**row, "signer": "Minister"})
        assert beside["verdict"] == "refused"
        assert beside["beside"]  # the document itself is right, and the second checker is not asked
        assert "'Minister' is not that of its key" in beside["reason"]
        assert seen(tree, {"format": row["format"]})["verdict"] == "refused"

    def test_a_new_document_takes_the_place_of_the_old_one_and_its_signatures(
        self, tree: dict[str, Any], key: SigningKey
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


RUNTIME = {name: name.encode() for name in runtime.FILES}
"""In the place of the real one, where nothing runs."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {name: hashlib.sha256(content).hexdigest() for name, content in RUNTIME.items()}
    monkeypatch.setattr(runtime, "FILES", known)


def archive(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as packed:
        for name, content in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    return stream.getvalue()


class TestFolder:
    def test_the_checker_in_the_folder_runs_on_the_standard_library_alone(self, tmp_path: Path) -> None:
        """Without site-packages, without the working folder: the archive is all that Python can import from."""
        (tmp_path / "checker.zip").write_bytes(sources())
        code = (
            "import json, sys, pathlib; sys.path.insert(0, 'checker.zip');"
            "from privpac.service.pages.verify.look import look;"
            "files = [pathlib.Path(name) for name in json.load(sys.stdin)];"
            "found = [look([(file.name, file.read_bytes())], {}) for file in files];"
            "loaded = sorted(name for name in sys.modules if name.split('.')[0] == 'privpac');"
            "print(json.dumps([[one['verdict'], one['steps']] for one in found] + [loaded]))"
        )
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code],
            input=json.dumps([str(path) for path in DOCUMENTS]),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        *found, loaded = json.loads(done.stdout)
        expected = [seen(path.read_bytes()) for path in DOCUMENTS]
        assert found == [[one["verdict"], one["steps"]] for one in expected]
        with zipfile.ZipFile(io.BytesIO(sources())) as packed:
            names = {
                name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                for name in packed.namelist()
            }
        unused = {"privpac.checker.__main__", "privpac.checker.budget"}
        signed = {"privpac.checker.ed25519"}  # looked into only where there is a signature
        assert names - unused - signed == set(loaded) - signed

    def test_the_same_sources_make_the_same_folder(self) -> None:
        assert contents(RUNTIME) == contents(RUNTIME)

    def test_the_page_holds_no_script_of_its_own_and_asks_nobody(self, tmp_path: Path) -> None:
        write_page(tmp_path, RUNTIME)
        page = (tmp_path / "index.html").read_text("utf-8")
        assert f'content="{POLICY}"' in page
        assert "{{" not in page
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bon\w+=|\bstyle=", page)
        named = re.findall(r'(?:src|href)="([^"#]+)"', page)
        assert named
        assert all((tmp_path / name).is_file() for name in named)
        for path in [*tmp_path.glob("*.js"), *tmp_path.glob("*.css"), tmp_path / "index.html"]:
            text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"https?://|\beval\(|innerHTML|insertAdjacentHTML|document\.write", text), (
                path
            )

    def test_every_rule_has_a_title(self) -> None:
        titles = json.loads(contents(RUNTIME)["rules.json"])
        assert titles["exponential-mechanism"][0]
        assert len(titles) > 40


class TestRuntime:
    def test_it_is_read_from_archive_and_folder_and_kept(self, small: None, tmp_path: Path) -> None:
        packed, unpacked = tmp_path / "pyodide.tgz", tmp_path / "unpacked"
        packed.write_bytes(archive(RUNTIME | {"README.md": b"more"}))
        unpacked.mkdir()
        for name, content in RUNTIME.items():
            (unpacked / name).write_bytes(content)
        for number, place in enumerate((packed, unpacked)):
            there = tmp_path / f"cache {number}"
            assert runtime.kept_files(there) is None
            assert runtime.read_runtime(place, there) == RUNTIME
            assert runtime.read_runtime(None, there) == runtime.kept_files(there) == RUNTIME

    def test_another_content_is_refused(self, small: None, tmp_path: Path) -> None:
        place = tmp_path / "pyodide.tgz"
        for content in (
            archive(RUNTIME | {"pyodide.asm.wasm": b"another"}),
            archive({"pyodide.mjs": b"pyodide.mjs"}),
            b"no archive",
            b"",
        ):
            place.write_bytes(content)
            with pytest.raises(ParameterError, match=r"must be Pyodide 3\d+"):
                runtime.read_runtime(place, tmp_path / "cache")
        with pytest.raises(ParameterError):
            runtime.read_runtime(tmp_path / "nowhere", tmp_path / "cache")
        assert runtime.kept_files(tmp_path / "cache") is None

    def test_a_kept_copy_that_was_changed_is_not_used(self, small: None, tmp_path: Path) -> None:
        place = tmp_path / "pyodide.tgz"
        place.write_bytes(archive(RUNTIME))
        runtime.read_runtime(place, tmp_path)
        (tmp_path / f"pyodide-{runtime.VERSION}" / "pyodide.mjs").write_bytes(b"changed")
        with pytest.raises(PrivpacError, match="no copy on this machine"):
            runtime.read_runtime(None, tmp_path)

    def test_what_a_download_brings_is_compared_too(
        self, small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        replies = [archive(RUNTIME | {"pyodide.mjs": b"evil"}), archive(RUNTIME)]

        def npm(command: list[str], **_: object) -> None:
            assert command[1:3] == ["pack", f"pyodide@{runtime.VERSION}"]
            assert "--ignore-scripts" in command
            (Path(command[-1]) / "pyodide.tgz").write_bytes(replies.pop(0))

        monkeypatch.setattr(runtime.shutil, "which", lambda name: name)
        monkeypatch.setattr(runtime.subprocess, "run", npm)
        with pytest.raises(DataError, match="thrown away"):
            runtime.download(tmp_path)
        assert runtime.kept_files(tmp_path) is None
        runtime.download(tmp_path)
        assert runtime.kept_files(tmp_path) == RUNTIME

    @pytest.mark.parametrize("fault", [OSError("gone"), subprocess.CalledProcessError(1, "npm"), None])
    def test_without_npm_or_a_network_it_says_what_to_do(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception | None
    ) -> None:
        def npm(*_: object, **__: object) -> None:
            if fault is not None:
                raise fault

        for found in ("npm", None):
            monkeypatch.setattr(runtime.shutil, "which", lambda _, found=found: found)
            monkeypatch.setattr(runtime.subprocess, "run", npm)
            with pytest.raises(DataError, match="did not work") as refusal:
                runtime.download(tmp_path)
            assert "--pyodide" in str(refusal.value)


class TestCommand:
    def test_it_writes_the_folder_or_says_what_is_missing(
        self, small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
        packed, out = tmp_path / "pyodide.tgz", tmp_path / "out"
        packed.write_bytes(archive(RUNTIME))
        assert main(["verify-page", str(out)]) == 2
        assert "--download" in capsys.readouterr().err
        assert not out.exists()
        assert main(["verify-page", str(out), "--pyodide", str(packed), "--json"]) == 0
        assert "index.html" in json.loads(capsys.readouterr().out)["files"]
        assert main(["verify-page", str(out)]) == 2
        assert "a new or empty folder" in capsys.readouterr().err
        assert main(["verify-page", str(out), "--force"]) == 0
        assert "http.server" in capsys.readouterr().out
        assert (out / "pyodide" / "pyodide.mjs").read_bytes() == b"pyodide.mjs"
        assert main(["verify-page", str(packed)]) == 2

    def test_the_pages_carry_it_where_there_is_a_runtime(self, tmp_path: Path) -> None:
        write_page(tmp_path, RUNTIME)
        for page in (tmp_path, None):
            gate = TokenGate()
            client = TestClient(
                pages_app(Place(gate, hosts=frozenset({HOST}), verify_page=page)), base_url=ORIGIN
            )
            client.get("/", params={"token": gate.token})
            reply = client.get("/verify/")
            assert reply.status_code == (200 if page else 404)
            assert ("verify/" in client.get("/certificate").text) == bool(page)
            if page:
                policy = reply.headers["content-security-policy"]
                assert policy.startswith(POLICY)
                assert "frame-ancestors 'none'" in policy
                assert (
                    client.get("/verify/pyodide/pyodide.asm.wasm").headers["content-type"]
                    == "application/wasm"
                )
                assert "wasm-unsafe-eval" not in client.get("/certificate").headers["content-security-policy"]
                assert client.get("/verify/../../secret").status_code == 404
