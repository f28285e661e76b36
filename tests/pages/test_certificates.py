"""The Certificate page: what is stored is shown, what does not follow is told."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import privpac
from privpac.checker.document import digest
from privpac.errors import NotCertified
from privpac.service.pages.certificate.deadline import in_time
from privpac.service.pages.certificate.documents import open_document, recheck
from privpac.service.pages.place import Place

from .conftest import SCHEMA, table_text


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file, a bundle and a released table."""
    folder = tmp_path_factory.mktemp("documents")
    table = folder / "patients.csv"
    table.write_text(table_text(), encoding="utf-8")
    privpac.learn(table, schema=SCHEMA, epsilon="0.5", concepts="stumps", estimate_epsilon="0.1").save(
        folder / "model.json"
    )
    from privpac.cli.app import run

    (folder / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    shared = ["--schema", str(folder / "schema.json"), "--epsilon", "0.5"]
    predicting = ["--protect", "predictions", "--out", str(folder / "bundle")]
    assert run(["learn", str(table), *shared, *predicting]) == 0
    assert (
        run(["release", str(table), *shared, "--column", "age", "--out", str(folder / "synthetic.csv")]) == 0
    )
    return folder


def opened(client: TestClient, path: Path) -> str:
    found = client.post("/certificate/open", files={"file": (path.name, path.read_bytes())})
    assert found.status_code == 303, found.text
    return str(found.headers["location"])


@pytest.mark.parametrize(
    ("name", "kind"),
    [("model.json", "model file"), ("synthetic.json", "released table"), ("bundle/bundle.json", "bundle")],
)
def test_every_kind_of_document_is_shown_and_checked(
    client: TestClient, files: Path, name: str, kind: str
) -> None:
    address = opened(client, files / name)
    text = client.get(address).text
    assert kind in text
    assert "What it does not mean" in text
    assert re.search(r"<details class=\"proof", text)
    assert "erified" in client.post(f"{address}/check").text
    assert client.get(f"{address}/certificate.json").content == (files / name).read_bytes()


def test_the_page_says_what_the_certificate_says(client: TestClient, files: Path) -> None:
    text = client.get(opened(client, files / "model.json")).text
    assert "(0.6, 0)-DP" in text
    assert "Privacy assumes nothing about the records" in text
    assert "Sequential composition" in text


def test_what_answers_are_promised_is_said_of_answers(files: Path) -> None:
    found = open_document(files / "bundle")
    assert "the one answer" in found["means"][0]
    assert recheck(files / "bundle").verified is not None


def test_an_edited_file_is_refused_and_a_forged_one_found(
    client: TestClient, files: Path, tmp_path: Path
) -> None:
    tree = json.loads((files / "model.json").read_text(encoding="utf-8"))
    tree["certificate"]["epsilon"] = "0.1"
    edited = client.post("/certificate/open", files={"file": ("model.json", json.dumps(tree))})
    assert edited.status_code == 422
    assert "digest does not match" in edited.text
    assert "/tmp" not in edited.text
    tree["digest"] = digest(tree)
    (tmp_path / "forged.json").write_text(json.dumps(tree), encoding="utf-8")
    address = opened(client, tmp_path / "forged.json")
    found = client.post(f"{address}/check").text
    assert "Not certified" in found
    assert "Verified" not in found


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"format": "privpac-model/2"}',
        b"\xff",
        b"[" * 100_000,
        b'{"format": 1}',
        b"PK\x03\x04",
    ],
)
def test_what_is_no_certificate_is_a_sentence(client: TestClient, place: Place, content: bytes) -> None:
    found = client.post("/certificate/open", files={"file": ("x.json", content)})
    assert found.status_code == 422
    assert str(place.drawers.root) not in found.text
    assert list(place.drawers.root.iterdir()) == []


def test_incomplete_documents_are_sentences(client: TestClient, files: Path) -> None:
    whole = json.loads((files / "model.json").read_text(encoding="utf-8"))
    for part in ("hypothesis", "schema", "certificate", "version"):
        tree = {name: value for name, value in whole.items() if name != part}
        tree["digest"] = digest(tree)
        found = client.post("/certificate/open", files={"file": ("x.json", json.dumps(tree))})
        assert found.status_code == 422


def test_documents_of_this_machine(client: TestClient, files: Path, folder: Path) -> None:
    (folder / "model.json").write_bytes((files / "model.json").read_bytes())
    assert "<option>model.json</option>" in client.get("/certificate").text
    found = client.post("/certificate/open", data={"path": "model.json"})
    assert "Verified" in client.post(f"{found.headers['location']}/check").text
    for name in ("../secret.csv", "patients.csv", "/etc/passwd", "..", "schema.json"):
        assert client.post("/certificate/open", data={"path": name}).status_code == 422


def test_a_bundle_of_this_machine(client: TestClient, files: Path, folder: Path) -> None:
    import shutil

    shutil.copytree(files / "bundle", folder / "answers")
    found = client.post("/certificate/open", data={"path": "answers"})
    address = found.headers["location"]
    assert "one answer is given" in client.get(address).text
    assert "Verified" in client.post(f"{address}/check").text
    assert json.loads(client.get(f"{address}/certificate.json").text)["format"] == "privpac-bundle/2"


def test_no_file_and_no_name(client: TestClient) -> None:
    assert client.post("/certificate/open").status_code == 422
    assert client.get(f"/certificate/{'0' * 32}").status_code == 422
    assert client.get("/certificate/service").status_code == 422
    assert client.get("/certificate/service/certificate.json").status_code == 422


def slow(path: Path) -> None:
    time.sleep(60)


def gone(path: Path) -> None:
    os._exit(1)


@pytest.mark.long
def test_a_look_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(NotCertified, match=r"more than 0\.5 seconds"):
        in_time(slow, tmp_path, seconds=0.5)
    with pytest.raises(NotCertified, match="has ended"):
        in_time(gone, tmp_path)
    assert time.monotonic() - started < 55


def test_a_file_that_would_hang_is_refused_when_it_is_brought(
    client: TestClient, files: Path, tmp_path: Path
) -> None:
    tree = json.loads((files / "model.json").read_text(encoding="utf-8"))
    numbers = {"prime": 10007, "digits": 10**7, "place": 1, "value": 1}
    tree["hypothesis"] = {"kind": "code-set", "column": "age", **numbers}
    path = tmp_path / "model.json"
    path.write_text(json.dumps({**tree, "digest": digest(tree)}), encoding="utf-8")
    found = client.post("/certificate/open", files={"file": (path.name, path.read_bytes())})
    assert found.status_code == 400 or "no room" in found.text
