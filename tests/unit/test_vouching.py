"""Whoever vouches for a document verifies the whole of it first: `sign`, `explain --statement`, `ledger verify`.

Planted: each of them looks at the certificate alone, as it did. Then the forgeries below go through.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import privpac.checker.document
import privpac.verification
from privpac import Ledger, Schema, learn, load_table, release_table, verify
from privpac.checker.document import digest, read_at
from privpac.cli import main
from privpac.errors import NotRebuilt
from privpac.verification import Verified

SCHEMA = Schema.from_json(
    {
        "label": "y",
        "columns": [
            {"name": name, "kind": "numeric", "lower": 0, "upper": 7, "integer": True} for name in ("a", "b")
        ],
    }
)
N = 200
TABLE = {
    "a": [i % 8 for i in range(N)],
    "b": [i // 8 % 8 for i in range(N)],
    "y": [int(i % 8 > 3) for i in range(N)],
}

Tree = dict[str, Any]


def _estimate(tree: Tree) -> None:
    tree["estimate"] |= {"accuracy": "1", "low": "99/100", "high": "1"}


def _deeper(tree: Tree) -> None:
    """A tree of depth 3 under a word for depth 1."""
    split = json.loads(json.dumps(tree["hypothesis"]["root"]))
    for _ in range(2):
        split = {**split, "low": split}
    tree["hypothesis"]["root"] = split


def _people(tree: Tree) -> None:
    tree["certificate"]["request"]["records_per_person"] = 50


FORGERIES: dict[str, Callable[[Tree], None]] = {
    "estimate": _estimate,
    "rule outside of its class": _deeper,
    "records per person": _people,
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    book = Ledger.create("ledger.db", epsilon=90)
    model = learn(TABLE, schema=SCHEMA, concepts="trees:1", epsilon=30, estimate_epsilon=5, ledger=book)
    model.save("model.json")
    main(["keys", "signing", "a.pem"])
    return tmp_path


def _forged(forge: Callable[[Tree], None], **changes: object) -> str:
    tree = json.loads(Path("model.json").read_text(encoding="utf-8"))
    forge(tree)
    tree |= changes
    Path("forged.json").write_text(json.dumps({**tree, "digest": digest(tree)}), encoding="utf-8")
    return "forged.json"


SIGN = ("--key", "a.pem", "--signer", "A")
RECEIPT = ("--ledger", "ledger.db", "--entry", "1")


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_what_verify_refuses_nobody_vouches_for(forge: Callable[[Tree], None], place: Path) -> None:
    file = _forged(forge)
    before = Path(file).read_bytes()
    assert main(["verify", file]) == 4
    assert main(["sign", file, *SIGN, *RECEIPT]) == 4
    assert main(["sign", file, *SIGN, "--anyway"]) == 4
    assert main(["explain", file, "--statement", "annex.md"]) == 4
    assert main(["ledger", "verify", "ledger.db", "--receipt", file]) == 4
    assert Path(file).read_bytes() == before
    assert not Path("annex.md").exists()


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_another_version_does_not_switch_the_rebuild_off(
    forge: Callable[[Tree], None], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _forged(forge, version="9.9")
    with pytest.raises(NotRebuilt, match="Not rebuilt: it names another version"):
        verify(file)
    assert main(["verify", file]) == 6
    said = capsys.readouterr()
    assert "Verified" not in said.out
    assert "Not rebuilt" in said.out
    assert "Not rebuilt" in said.err
    assert main(["sign", file, *SIGN]) == 6
    assert "signatures" not in json.loads(Path(file).read_text(encoding="utf-8"))


def test_what_cannot_be_rebuilt_is_signed_only_anyway_and_every_line_says_so(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _forged(_estimate, version="9.9")
    assert main(["sign", file, *SIGN, *RECEIPT, "--anyway"]) == 0
    assert read_at(file)["signatures"][0]["rebuilt"] is False
    capsys.readouterr()
    assert main(["verify", file]) == 6
    assert "although it was not rebuilt by the version that signed it" in capsys.readouterr().out
    assert main(["ledger", "verify", "ledger.db", "--receipt", file]) == 0
    assert "The document was not rebuilt by this version." in capsys.readouterr().out
    assert main(["explain", file, "--statement", "annex.md"]) == 0
    assert "Not rebuilt by this version" in Path("annex.md").read_text(encoding="utf-8")


def _costs(tree: Tree) -> None:
    tree["certificate"]["request"]["costs"] = 1


def _ways(tree: Tree) -> None:
    tree["certificate"]["learner"]["estimate"]["ways"] = ["by heart"]


@pytest.mark.parametrize("forge", [_costs, _ways])
def test_what_goes_on_without_a_rebuild_refuses_what_it_cannot_tell(
    forge: Callable[[Tree], None], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody looked at what stands beside the derivation, so `explain` may trip over it: that is no fault of ours."""
    file = _forged(forge, version="9.9")
    for options in ((), ("--json",), ("--report", "r.html"), ("--statement", "annex.md")):
        assert main(["explain", file, *options, "--force"]) in (0, 4), options
        assert "fault of privpac" not in capsys.readouterr().err
    assert main(["explain", file]) == 4


def test_what_is_signed_is_what_was_verified(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is replaced meanwhile: the signature is that of the document that was looked at, or there is none."""
    forged = Path(_forged(_estimate)).read_text(encoding="utf-8")
    honest = Path("model.json").read_text(encoding="utf-8")
    seen: list[str] = []
    real = privpac.checker.document.read_at

    def honest_the_second_time(path: Any) -> Tree:
        seen.append(str(path))
        Path("forged.json").write_text(honest, encoding="utf-8")
        return dict(real(path))

    monkeypatch.setattr(privpac.checker.document, "read_at", honest_the_second_time)
    assert main(["sign", "forged.json", *SIGN]) == 4
    assert Path("forged.json").read_text(encoding="utf-8") in (forged, honest)


def test_an_honest_document_is_vouched_for(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sign", "model.json", *SIGN, *RECEIPT]) == 0
    assert main(["verify", "model.json"]) == 0
    assert main(["ledger", "verify", "ledger.db", "--receipt", "model.json"]) == 0
    assert main(["explain", "model.json", "--statement", "annex.md"]) == 0
    assert "ot rebuilt" not in capsys.readouterr().out + Path("annex.md").read_text(encoding="utf-8")


def test_a_planted_fault_is_found_by_the_forgeries(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: with a look at the certificate alone, the forged estimate is signed and told in an annex."""
    honest, file = privpac.verification.look_at("model.json"), _forged(_estimate)

    def certificate_alone(*_: Any, **__: Any) -> Verified:
        return replace(honest, rebuilt=True, not_rebuilt="")

    with monkeypatch.context() as planted:
        planted.setattr(privpac.verification, "rebuild", certificate_alone)
        assert main(["sign", file, *SIGN, *RECEIPT]) == 0
        assert main(["explain", file, "--statement", "annex.md"]) == 0
    assert main(["verify", file]) == 4


@pytest.mark.parametrize("version", [None, "9.9"])
def test_a_certificate_of_another_kind_of_document_is_refused(version: str | None, place: Path) -> None:
    table = release_table(TABLE, schema=SCHEMA, columns=["a"], epsilon=5)
    table.save("table.json")
    assert load_table("table.json").certificate["request"]["columns"] == ["a"]
    tree = json.loads(Path("table.json").read_text(encoding="utf-8"))
    tree["certificate"] = json.loads(Path("model.json").read_text(encoding="utf-8"))["certificate"]
    tree |= {} if version is None else {"version": version}
    Path("table.json").write_text(json.dumps({**tree, "digest": digest(tree)}), encoding="utf-8")
    assert main(["verify", "table.json"]) == 4
    assert main(["verify", "--certificate-only", "table.json"]) == 4


@pytest.mark.parametrize("costs", [[1, 1], [1, 5]])
def test_costs_of_a_file_of_few_labels_are_refused(costs: list[int], tmp_path: Path) -> None:
    others = {name: TABLE[name] for name in ("a", "b")}
    model = learn(TABLE, schema=SCHEMA, concepts="thresholds:a", epsilon=5, unlabelled=others)
    tree = model.to_json()
    assert verify(tree).rebuilt
    tree["certificate"]["request"]["costs"] = costs
    with pytest.raises(privpac.NotCertified):
        verify({**tree, "digest": digest(tree)})
