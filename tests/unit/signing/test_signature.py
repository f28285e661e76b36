"""Signatures: whoever has the key's public half sees who vouched for which bytes, and for which charge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from privpac import Ledger, Model, learn, load, verify
from privpac.checker.document import digest
from privpac.cli import main
from privpac.errors import NotCertified
from privpac.signing.checking import check_receipt, signers_of
from privpac.signing.keys import SigningKey, Trusted
from privpac.signing.signature import Receipt, Signature, signatures_in, with_signature

SCHEMA = {
    "label": "ill",
    "columns": [{"name": "age", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
}


@pytest.fixture(scope="module")
def model() -> Model:
    table = {"age": list(range(100)) * 4, "ill": [int(i % 100 > 50) for i in range(400)]}
    return learn(table, schema=SCHEMA, concepts="thresholds:age", epsilon=1)


@pytest.fixture(scope="module")
def key() -> SigningKey:
    return SigningKey.make()


RECEIPT = Receipt("ledger", 3, "ab")


def test_a_signature_holds_and_is_stored_with_the_document(model: Model, key: SigningKey) -> None:
    tree = model.to_json()
    signed = with_signature(tree, key.sign(tree, signer="Data office", receipt=RECEIPT))
    signed = json.loads(json.dumps(signed))
    (signer,) = signers_of(signed)
    assert signer.trusted is None
    assert signer.signature.receipt == RECEIPT
    (named,) = signers_of(signed, trusted=Trusted({key.public: "St. Anna"}))
    assert named.line() == "Signed by St. Anna, charged as entry 3 of ledger ledger."
    assert signed["digest"] == digest(signed) == tree["digest"]


def test_several_sign_and_the_same_key_replaces_its_own(model: Model, key: SigningKey) -> None:
    tree, other = model.to_json(), SigningKey.make()
    for one, name in ((key, "first"), (other, "second"), (key, "first again")):
        tree = with_signature(tree, one.sign(tree, signer=name))
    assert [one.signer for one in signatures_in(tree)] == ["second", "first again"]
    assert len(signers_of(tree)) == 2


def edits() -> list[tuple[str, Any]]:
    return [
        ("signer", "Somebody else"),
        ("key", "A" * 43 + "="),
        ("receipt", None),
        ("receipt", {"ledger": "ledger", "entry": 4, "head": "ab"}),
        ("signature", "A" * 86 + "=="),
        ("document", "sha256:" + "0" * 64),
        ("format", "privpac-signature/2"),
        ("signer", "two\nlines"),
        ("signer", ""),
        ("key", "not base64"),
        ("key", "AAAA"),
        ("receipt", {"ledger": "ledger", "entry": 0, "head": "ab"}),
        ("receipt", {}),
        ("more", 1),
    ]


@pytest.mark.parametrize(("name", "value"), edits())
def test_every_edit_of_a_signature_is_refused(
    model: Model, key: SigningKey, name: str, value: object
) -> None:
    tree = model.to_json()
    row = {**key.sign(tree, signer="Data office", receipt=RECEIPT).to_json(), name: value}
    with pytest.raises(NotCertified):
        signers_of({**tree, "signatures": [row]})


def test_one_changed_byte_of_a_signed_file_is_refused(model: Model, key: SigningKey, tmp_path: Path) -> None:
    """Whoever edits the document and gives it a new digest lacks the key."""
    tree = model.to_json()
    signed = with_signature(tree, key.sign(tree, signer="Data office"))
    path = tmp_path / "model.json"
    for edit in ({"version": "9"}, {"estimate": 1}):
        forged = {**signed, **edit}
        forged["digest"] = digest(forged)
        with pytest.raises(NotCertified):
            signers_of(forged)
        path.write_text(json.dumps(forged))
        with pytest.raises(NotCertified):
            verify(path)
    path.write_text(json.dumps(signed))
    assert verify(path).rebuilt
    assert load(path).hypothesis == model.hypothesis
    path.write_text(json.dumps({**signed, "signatures": [{}]}))
    with pytest.raises(NotCertified, match="does not write"):
        verify(path)
    path.write_text(json.dumps({**signed, "signatures": signed["signatures"] * 101}))
    with pytest.raises(NotCertified):
        verify(path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{age},{int(age > 50)}" for age in range(100) for _ in range(4))
    (tmp_path / "data.csv").write_text(f"age,ill\n{rows}\n")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    return tmp_path


def test_from_a_key_to_a_signed_model_whose_charge_an_auditor_finds(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, public, err = run(capsys, "keys", "signing", "office.pem")
    assert code == 0
    assert "Keep it to yourself" in err
    assert (place / "office.pem").stat().st_mode & 0o777 == 0o600
    assert run(capsys, "keys", "signing", "office.pem")[0] == 2  # never overwritten
    assert run(capsys, "keys", "show", "office.pem")[1] == public
    (place / "trusted").write_text(f"# keys\n{public.strip()} Data office\n")
    assert run(capsys, "ledger", "create", "ledger.db", "--epsilon", "3")[0] == 0
    learn_it = (
        "learn",
        "data.csv",
        "--schema",
        "schema.json",
        "--concepts",
        "thresholds:age",
        "--epsilon",
        "1",
    )
    kept = ("--ledger", "ledger.db", "--out", "model.json")
    assert run(capsys, *learn_it, *kept, "--sign", "office.pem")[0] == 2  # a name is missing
    assert Ledger.open("ledger.db").spent.epsilon == 0
    assert run(capsys, *learn_it, *kept, "--sign", "office.pem", "--signer", "office")[0] == 0
    code, out, _ = run(capsys, "verify", "model.json", "--trusted", "trusted")
    book = Ledger.open("ledger.db")
    assert code == 0
    assert f"Signed by Data office, charged as entry 1 of ledger {book.id}." in out
    code, out, _ = run(capsys, "ledger", "verify", "ledger.db", "--receipt", "model.json")
    assert code == 0
    assert "charged as entry 1" in out
    run(capsys, "ledger", "create", "other.db", "--epsilon", "3")
    assert run(capsys, "ledger", "verify", "other.db", "--receipt", "model.json")[0] == 4


def test_detached_signatures_and_unsigned_documents(
    place: Path, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    model.save("model.json")
    before = Path("model.json").read_bytes()
    run(capsys, "keys", "signing", "a.pem")
    sign = ("sign", "model.json", "--key", "a.pem", "--signer", "A")
    assert run(capsys, *sign, "--detached", "model.sig")[0] == 0
    assert Path("model.json").read_bytes() == before
    code, out, _ = run(capsys, "verify", "model.json", "--signature", "model.sig", "--json")
    assert [row["signer"] for row in json.loads(out)["signers"]] == ["A"]
    Path("trusted").write_text("")
    code, out, _ = run(capsys, "verify", "model.json", "--trusted", "trusted")
    assert (code, "Nobody has signed it" in out) == (0, True)
    assert run(capsys, *sign)[0] == 0
    code, out, _ = run(capsys, "verify", "model.json", "--certificate-only")
    assert (code, "nobody vouches for" in out) == (0, True)
    Path("model.sig").write_text(Path("model.sig").read_text().replace('"A"', '"B"'))
    assert run(capsys, "verify", "model.json", "--signature", "model.sig")[0] == 4
    assert run(capsys, "verify", "model.json", "--signature", "none")[0] == 2


def test_a_receipt_must_name_a_charge_that_is_there_and_large_enough(model: Model, key: SigningKey) -> None:
    ledger, tree = Ledger(epsilon=5), model.to_json()
    small, enough = ledger.charge(epsilon="0.5"), ledger.charge(epsilon=1)

    def signed(receipt: Receipt | None) -> dict[str, Any]:
        return with_signature(tree, key.sign(tree, signer="A", receipt=receipt))

    assert check_receipt(ledger, signed(Receipt(ledger.id, 2, enough.hash)))
    for receipt in (
        None,
        Receipt("other", 2, enough.hash),
        Receipt(ledger.id, 1, small.hash),
        Receipt(ledger.id, 2, small.hash),
        Receipt(ledger.id, 3, enough.hash),
    ):
        with pytest.raises(NotCertified):
            check_receipt(ledger, signed(receipt))


def test_a_passphrase_is_needed_where_one_was_given(tmp_path: Path, key: SigningKey) -> None:
    from privpac.errors import DataError, ParameterError

    key.save(tmp_path / "k.pem", passphrase="secret")
    assert SigningKey.read(tmp_path / "k.pem", passphrase="secret").public == key.public
    for wrong in (None, "other"):
        with pytest.raises(DataError, match="passphrase"):
            SigningKey.read(tmp_path / "k.pem", passphrase=wrong)
    with pytest.raises(DataError, match="keys signing"):
        SigningKey.read(tmp_path / "none.pem")
    with pytest.raises(ParameterError, match="signer"):
        key.sign({}, signer="\n")
    assert "PRIVATE" not in repr(key)


@pytest.mark.parametrize("line", ["short name", "!!! name"])
def test_a_list_of_keys_names_the_line_that_is_none(tmp_path: Path, line: str) -> None:
    from privpac.errors import DataError

    (tmp_path / "keys").write_text(f"# mine\n{line}\n")
    with pytest.raises(DataError, match="Line 2"):
        Trusted.read(tmp_path / "keys")


def test_signature_from_json_undoes_to_json(model: Model, key: SigningKey) -> None:
    one = key.sign(model.to_json(), signer="A", receipt=RECEIPT)
    assert Signature.from_json(json.loads(json.dumps(one.to_json()))) == one
