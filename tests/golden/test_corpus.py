"""The corpus notices what it must, overlooks only the version, and writes what changed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privpac import Ledger
from privpac.checker.document import digest
from tests.golden import __main__ as command
from tests.golden import corpus
from tests.golden.cases import WORDED
from tests.golden.corpus import CURRENT, difference
from tests.golden.kinds import Learnt

MODEL = CURRENT / "models" / "thresholds-age.json"
BUNDLE = CURRENT / "bundles" / "fresh-draws"
LEDGER = CURRENT / "ledgers" / "charged.sqlite"
FILTERING = CURRENT / "ledgers" / "filtering.sqlite"
SIGNED = CURRENT / "signed" / "paid"
NEW = "1000.0.0"
"""A version that is not released."""


def _changed(source: Path, target: Path, **changes: Any) -> Path:
    """A document with other fields and a digest that matches them, written as the product writes it."""
    tree = {**json.loads(source.read_text(encoding="utf-8")), **changes}
    tree["digest"] = digest(tree)
    target.write_text(json.dumps(tree, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return target


def test_a_document_is_itself_and_its_name_does_not_matter(tmp_path: Path) -> None:
    assert difference(MODEL, Path(shutil.copy(MODEL, tmp_path / "copy.json"))) is not None
    assert difference(MODEL, Path(shutil.copy(MODEL, tmp_path / MODEL.name))) is None


def test_another_version_is_overlooked_with_its_digest_and_nothing_else(tmp_path: Path) -> None:
    other = _changed(MODEL, tmp_path / MODEL.name, version="0.9.0")
    assert difference(MODEL, other) is None
    assert difference(MODEL, _changed(MODEL, other, version="0.9.0", estimate=[])) == MODEL.name
    other.write_bytes(_changed(MODEL, other, version="0.9.0").read_bytes() + b"\n")
    assert difference(MODEL, other) == MODEL.name


def test_within_a_version_every_byte_counts(tmp_path: Path) -> None:
    other = tmp_path / MODEL.name
    other.write_bytes(MODEL.read_bytes().replace(b'"digest": "sha256:', b'"digest": "sha512:'))
    assert difference(MODEL, other) == MODEL.name


def test_a_bundle_is_compared_file_by_file_and_records_by_what_they_are(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(BUNDLE, tmp_path / BUNDLE.name))
    with np.load(copy / "records.npz") as stored:
        arrays = {name: stored[name] for name in stored.files}
    np.savez(copy / "records.npz", **arrays)  # the same records, not compressed
    assert (copy / "records.npz").read_bytes() != (BUNDLE / "records.npz").read_bytes()
    assert difference(BUNDLE, copy) is None
    arrays["label"] = 1 - arrays["label"]
    np.savez(copy / "records.npz", **arrays)
    assert difference(BUNDLE, copy) == "records.npz"
    (copy / "records.npz").unlink()
    assert "records.npz is in one of them only" in str(difference(BUNDLE, copy))


def test_a_ledger_is_compared_by_its_mark_its_tables_and_its_rows(tmp_path: Path) -> None:
    same, other, more = (tmp_path / name / LEDGER.name for name in ("same", "other", "more"))
    for path, amount in ((same, "1/3"), (other, "1/4")):
        path.parent.mkdir()
        ledger = Ledger(epsilon=3, delta="0.001", reserved_delta="0.001", path=path)
        ledger.charge(epsilon="0.1", note="first")
        ledger.charge(epsilon=amount, delta="1e-6", note="second")
    assert difference(LEDGER, same) is None, "times, identity and hashes are others"
    assert difference(LEDGER, other) == LEDGER.name
    more.parent.mkdir()
    Ledger.open(shutil.copy(LEDGER, more)).charge(epsilon="0.1")
    assert difference(LEDGER, more) == LEDGER.name
    assert "is in one of them only" in str(difference(LEDGER, FILTERING))


def test_signatures_are_overlooked_and_who_signed_is_not(tmp_path: Path) -> None:
    model = SIGNED / "model.json"
    text = model.read_bytes()
    signature = json.loads(text)["signatures"][0]["signature"].encode()
    other = tmp_path / model.name
    other.write_bytes(text.replace(signature, b"A" * len(signature)))
    assert difference(model, other) is None
    other.write_bytes(text.replace(b'"entry": 1', b'"entry": 2'))
    assert difference(model, other) == model.name


@pytest.fixture
def own_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus of two cases somewhere else."""
    for module in (corpus, command):
        monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.setattr(command, "CASES", WORDED[:2])
    return tmp_path


def test_only_what_changed_is_written_again(own_corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = WORDED[:2]
    assert command.write_documents(NEW) == sorted(case.units[0] for case in WORDED[:2])
    kept = own_corpus / NEW / second.units[0]
    kept.write_text(kept.read_text(encoding="utf-8"), encoding="utf-8")
    assert command.write_documents(NEW) == []
    other = Learnt(first.name, first.schema, first.concepts, {"epsilon": 2})
    monkeypatch.setattr(command, "CASES", (other, second))
    assert command.write_documents(NEW) == [first.units[0]]
    monkeypatch.setattr(command, "CASES", (other,))
    assert command.write_documents(NEW) == []
    assert set(corpus.units_below(own_corpus / NEW)) == {first.units[0]}
    uses = json.loads((own_corpus / NEW / command.USES).read_text(encoding="utf-8"))
    assert set(uses) == {first.units[0]}


def test_what_is_new_is_added_and_nothing_else_is_written(
    own_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (case.units[0] for case in WORDED[:2])
    monkeypatch.setattr(command, "CASES", WORDED[:1])
    assert command.write_new(NEW) == [first]
    stored = own_corpus / NEW / first
    stored.write_text(stored.read_text(encoding="utf-8").rstrip("\n"), encoding="utf-8")
    kept = stored.read_bytes()
    monkeypatch.setattr(command, "CASES", WORDED[:2])
    assert command.write_new(NEW) == [second]
    assert stored.read_bytes() == kept
    uses = json.loads((own_corpus / NEW / command.USES).read_text(encoding="utf-8"))
    assert set(uses) == {first, second}
    assert command.write_new(NEW) == []
