"""Signatures: whoever has the key's public half sees who vouched for which bytes, and for which charge."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from privpac import Ledger, Model, learn, load, verify
from privpac.checker.__main__ import main as check_alone
from privpac.checker.document import digest
from privpac.checker.signature import Receipt, Signature, is_name, signatures_in, with_signature
from privpac.cli import main
from privpac.errors import DataError, NotCertified
from privpac.guarantee.ledger.account import Purchase
from privpac.signing.checking import check_receipt, signers_of
from privpac.signing.keys import SigningKey, Trusted

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


LEDGER, HEAD = "c0ffee00" * 4, "ab" * 32
RECEIPT = Receipt(LEDGER, 3, HEAD)


def test_a_signature_holds_and_is_stored_with_the_document(model: Model, key: SigningKey) -> None:
    tree = model.to_json()
    signed = with_signature(tree, key.sign(tree, signer="Data office", receipt=RECEIPT, rebuilt=True))
    signed = json.loads(json.dumps(signed))
    (signer,) = signers_of(signed)
    assert signer.trusted is None
    assert signer.signature.receipt == RECEIPT
    (named,) = signers_of(signed, trusted=Trusted({key.public: "St. Anna"}))
    receipt = f"charged as entry 3 of ledger {LEDGER}"
    assert named.line() == f"Signed by St. Anna (the signature says 'Data office'), {receipt}."
    (alike,) = signers_of(signed, trusted=Trusted({key.public: "Data office"}))
    assert alike.line() == f"Signed by Data office, {receipt}."
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
        ("receipt", {**RECEIPT.to_json(), "entry": 4}),
        ("signature", "A" * 86 + "=="),
        ("document", "sha256:" + "0" * 64),
        ("format", "privpac-signature/1"),
        ("signer", "two\nlines"),
        ("signer", ""),
        ("key", "not base64"),
        ("key", "AAAA"),
        ("receipt", {**RECEIPT.to_json(), "entry": 0}),
        ("receipt", {**RECEIPT.to_json(), "entry": True}),
        ("receipt", {**RECEIPT.to_json(), "entry": 2**63 + 1}),
        ("receipt", {**RECEIPT.to_json(), "ledger": LEDGER.upper()}),
        ("receipt", {**RECEIPT.to_json(), "ledger": "c0ffee"}),
        ("receipt", {**RECEIPT.to_json(), "head": HEAD + "\n"}),
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
    signed = with_signature(tree, key.sign(tree, signer="Data office", rebuilt=True))
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
    assert (
        f"Signed by Data office (the signature says 'office'), charged as entry 1 of ledger {book.id}." in out
    )
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
    assert (code, "Nobody has signed it" in out) == (5, True)
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
        Receipt(LEDGER, 2, enough.hash),
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


def test_whoever_checks_a_document_refuses_a_forged_signature_in_it(
    model: Model, key: SigningKey, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The library and the checker on its own, with the right digest in the signature and without a list of keys."""
    path, tree = tmp_path / "model.json", model.to_json()
    row = key.sign(tree, signer="Data office", rebuilt=True).to_json()
    path.write_text(json.dumps({**tree, "signatures": [row]}))
    assert verify(path).looks == ("digest", "signatures", "derivation", "rebuild")
    assert check_alone([str(path)]) == 0
    assert (
        f"Signed with the key {key.public_text}, without the receipt of a charge." in capsys.readouterr().out
    )
    assert check_alone([str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["signers"][0]["key"] == key.public_text
    path.write_text(json.dumps({**tree, "signatures": [{**row, "signer": "Minister"}]}))
    with pytest.raises(NotCertified, match="'Minister' is not that of its key"):
        verify(path)
    assert check_alone([str(path)]) == 4


@pytest.mark.parametrize("y", [1, 2**255 - 20, 2**255 - 18, 1 | 1 << 255])
def test_a_key_under_which_anybody_can_sign_is_refused(model: Model, y: int) -> None:
    """Of small order, or spelt in another way: the base point itself is then a signature, with the scalar one."""
    tree = model.to_json()
    base = (4 * pow(5, -1, 2**255 - 19) % (2**255 - 19)).to_bytes(32, "little")
    one = (1).to_bytes(32, "little")
    rows = [
        Signature(digest(tree), f"Anybody {i}", y.to_bytes(32, "little"), None, base + one) for i in range(20)
    ]
    accepted = 0
    for row in rows:
        try:
            Ed25519PublicKey.from_public_bytes(row.key).verify(row.signature, row.message())
            accepted += 1
        except InvalidSignature:
            pass
        with pytest.raises(NotCertified, match="not that of its key"):
            row.check(tree)
    assert accepted > 0  # other implementations accept it: the refusal is ours


def test_what_a_name_may_hold_does_not_depend_on_the_version_of_unicode() -> None:
    for name in ("Büro für Daten, 2", "数据", "\u0378", "e\u0301", "x" * 200, "🙂"):
        assert is_name(name)
    for name in (
        "",
        " ",
        "x" * 201,
        "a\nb",
        "a\u2028b",
        "a\u202eb",
        "\u3164",
        "\ud800",
        "\ue000",
        "\U000e0041",
    ):
        assert not is_name(name)


class TestTrusted:
    A, B = (base64.b64encode(bytes([i]) * 32).decode() for i in (65, 66))

    def test_remarks_blank_lines_and_marks_of_editors(self) -> None:
        text = f"\ufeff# keys\r\n{self.A}  Data office # since 2026\r\n\r\n{self.B}\r\n"
        assert dict(Trusted.listed(text).names) == {b"A" * 32: "Data office", b"B" * 32: self.B}

    @pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028", "\u2029", "\r"])
    def test_a_remark_hides_no_key(self, mark: str) -> None:
        assert Trusted.listed(f"# a remark{mark}{self.A} Minister\n").names == {}

    @pytest.mark.parametrize(
        "text",
        [
            "{A} one\n{A} two\n",
            "{A} a\u202eb\n",
            "{A} one\u2028{B} two\n",
            "nokey name\n",
            "{A}= name\n",
            "{A}\u00e9 name",
        ],
    )
    def test_what_can_be_misread_is_refused(self, text: str) -> None:
        with pytest.raises(DataError, match=r"Line [12] of the list"):
            Trusted.listed(text.format(A=self.A, B=self.B))

    def test_the_same_line_twice_is_no_harm(self) -> None:
        assert len(Trusted.listed(f"{self.A} one\n{self.A} one").names) == 1


def test_an_auditor_asks_for_receipts_of_keys_he_knows(
    place: Path, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    """Anybody can copy a receipt into a signature of his own; one charge pays for one release."""
    Ledger.create("ledger.db", epsilon=5)
    book = Ledger.open("ledger.db")
    for _ in range(2):
        book.charge(epsilon=1)
    for name in ("office", "stranger"):
        run(capsys, "keys", "signing", f"{name}.pem")
    public = run(capsys, "keys", "show", "office.pem")[1].strip()
    (place / "trusted").write_text(f"{public} Data office\n")
    for name in ("one", "two"):
        tree = {**model.to_json(), "version": f"0.{name}"}  # the same release under two digests
        Path(f"{name}.json").write_text(json.dumps({**tree, "digest": digest(tree)}))

    def sign(file: str, key: str, entry: int, *more: str) -> int:
        words = ("--key", f"{key}.pem", "--signer", "Office", "--ledger", "ledger.db", "--entry", str(entry))
        return run(capsys, "sign", file, *words, *more)[0]

    def audit(*words: str) -> tuple[int, str, str]:
        return run(capsys, "ledger", "verify", "ledger.db", *words)

    assert sign("one.json", "stranger", 1) == 0
    code, out, _ = audit("--receipt", "one.json")
    assert (code, "nobody vouches for" in out) == (0, True)
    assert audit("--receipt", "one.json", "--trusted", "trusted")[0] == 4
    assert sign("one.json", "office", 1, "--detached", "one.sig") == 0
    beside = ("--receipt", "one.json", "--signature", "one.sig", "--trusted", "trusted")
    code, out, _ = audit(*beside)
    assert (
        code,
        "one.json: in the ledger. Signed by Data office (the signature says 'Office'), charged as entry 1"
        in out,
    ) == (0, True)
    assert [row["trusted"] for row in json.loads(audit(*beside, "--json")[1])["receipts"]] == ["Data office"]
    assert sign("two.json", "office", 1) == 0
    code, _, err = audit(*beside, "--receipt", "two.json")
    assert (code, "both name charge 1" in err) == (4, True)
    assert sign("two.json", "office", 2) == 0
    assert "Every charge of the ledger is named" in audit(*beside, "--receipt", "two.json")[1]
    code, out, _ = audit("--receipt", "two.json")
    listed = out.split("None of these documents names these charges:\n")[1].splitlines()[0]
    assert listed == f"  charge 1, epsilon 1: without a name, on {book.entries()[0].time}"
    assert [
        row["number"] for row in json.loads(audit("--receipt", "two.json", "--json")[1])["without_document"]
    ] == [1]
    assert audit("--receipt", "two.json", "--signature", "one.sig")[0] == 4
    assert audit("--trusted", "trusted")[0] == 2


def test_a_charge_covers_delta_too(key: SigningKey) -> None:
    ledger = Ledger(epsilon=5, delta="0.1", reserved_delta="0.05")
    without, enough = ledger.charge(epsilon=1), ledger.charge(epsilon=1, delta="0.01")
    tree = {"format": "privpac-model/2", "certificate": {"epsilon": "1", "delta": "0.01"}}

    def signed(receipt: Receipt) -> dict[str, Any]:
        return with_signature(tree, key.sign(tree, signer="A", receipt=receipt))

    assert check_receipt(ledger, signed(Receipt(ledger.id, 2, enough.hash)))
    with pytest.raises(NotCertified, match="smaller than the delta"):
        check_receipt(ledger, signed(Receipt(ledger.id, 1, without.hash)))


def test_nobody_signs_what_does_not_follow(
    place: Path, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "keys", "signing", "a.pem")
    Ledger.create("small.db", epsilon=1)
    Ledger.open("small.db").charge(epsilon="0.5")
    tree = model.to_json()
    Path("certificate.json").write_text(json.dumps(tree["certificate"]))
    weaker = {**tree, "certificate": {**tree["certificate"], "epsilon": "0.5"}}
    Path("weaker.json").write_text(json.dumps({**weaker, "digest": digest(weaker)}))
    model.save("model.json")
    Path("model.json").chmod(0o640)
    sign = ("--key", "a.pem", "--signer", "A")
    assert run(capsys, "sign", "weaker.json", *sign)[0] == 4
    assert run(capsys, "sign", "model.json", *sign, "--ledger", "small.db", "--entry", "1")[0] == 4
    assert "signatures" not in json.loads(Path("model.json").read_text())
    assert run(capsys, "sign", "model.json", *sign)[0] == 0
    assert Path("model.json").stat().st_mode & 0o777 == 0o640
    before = Path("certificate.json").read_bytes()
    code, _, err = run(capsys, "sign", "certificate.json", *sign)
    assert (code, "detached" in err) == (2, True)
    assert Path("certificate.json").read_bytes() == before
    beside = ("--detached", "certificate.sig")
    code, _, err = run(capsys, "sign", "certificate.json", *sign, *beside)
    assert (code, "Not rebuilt: " in err) == (6, True)
    code, out, _ = run(capsys, "sign", "certificate.json", *sign, *beside, "--anyway")
    assert (code, "not rebuilt by the version that signed it" in out) == (0, True)
    assert json.loads(Path("certificate.sig").read_text())["rebuilt"] is False
    beside = ("--certificate-only", "--signature", "certificate.sig")
    assert run(capsys, "verify", "certificate.json", *beside)[0] == 0
    assert run(capsys, "explain", "weaker.json", "--statement", "annex.html")[0] == 4
    assert not Path("annex.html").exists()


LEARN = ("learn", "data.csv", "--schema", "schema.json", "--concepts", "thresholds:age")


def test_a_charge_pays_for_what_the_books_say_and_for_nothing_else(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model that no ledger was charged for is not signed with the charge of another, nor passes with its receipt."""
    run(capsys, "keys", "signing", "a.pem")
    run(capsys, "ledger", "create", "ledger.db", "--epsilon", "3")
    signed = ("--sign", "a.pem", "--signer", "A")
    assert (
        run(capsys, *LEARN, "--epsilon", "1", "--ledger", "ledger.db", "--out", "model.json", *signed)[0] == 0
    )
    code, _, err = run(capsys, *LEARN, "--epsilon", "0.5", "--out", "other.json")
    assert (code, "no --ledger is given" in err) == (0, True)
    sign = ("--key", "a.pem", "--signer", "A", "--ledger", "ledger.db", "--entry", "1")
    code, _, err = run(capsys, "sign", "other.json", *sign)
    assert (code, "Charge 1 paid for something else (thresholds:age of ill" in err) == (4, True)
    receipt = signatures_in(json.loads(Path("model.json").read_text()))[0].receipt
    tree = json.loads(Path("other.json").read_text())
    forged = SigningKey.read("a.pem").sign(tree, signer="A", receipt=receipt)
    Path("other.json").write_text(json.dumps(with_signature(tree, forged)))
    assert run(capsys, "verify", "other.json")[0] == 0  # a file alone cannot show it
    for command in (
        ("ledger", "verify", "ledger.db", "--receipt", "other.json"),
        ("explain", "other.json", "--statement", "s.md", "--ledger", "ledger.db"),
    ):
        code, _, err = run(capsys, *command)
        assert (code, "paid for something else" in err) == (4, True)
    code, out, _ = run(capsys, "ledger", "verify", "ledger.db", "--receipt", "model.json")
    assert (code, "does not say for which certificate" in out) == (0, False)
    assert "at most 73.2 % after all charges so far, 95.3 % at the total" in out
    assert run(capsys, "sign", "model.json", *sign)[0] == 0


def test_charges_that_say_less_are_compared_by_what_they_say(model: Model, key: SigningKey) -> None:
    """As earlier versions wrote them, or somebody by hand."""
    ledger, tree = Ledger(epsilon=9), model.to_json()
    same, other = model.schema.digest(), "0" * 64
    for purchase, fits in (
        (None, True),
        (Purchase(word="thresholds:age"), True),
        (Purchase(schema=same, label="ill"), True),
        (
            Purchase(schema=other, label="ill", file="m.json"),
            "(of ill to m.json, on 20.*names another schema",
        ),
        (Purchase(label="age"), "was for the label 'age', and the document is about 'ill'"),
        (Purchase(schema=same, label="ill").certified(tree["certificate"]), True),
        (
            Purchase(schema=same, label="ill").certified({**tree["certificate"], "labelled": 7}),
            "another certificate",
        ),
        (Purchase(label="x", certificate="1" * 64), "was for the label 'x', and the document is about 'ill'"),
    ):
        entry = ledger.charge(epsilon=1, purchase=purchase)
        receipt = Receipt(ledger.id, entry.number, entry.hash)
        signed = with_signature(tree, key.sign(tree, signer="A", receipt=receipt))
        if fits is True:
            assert check_receipt(ledger, signed)
        else:
            pattern = f"Charge {entry.number} paid for something else .*{fits.removeprefix('(')}"
            with pytest.raises(NotCertified, match=pattern):
                check_receipt(ledger, signed)


def test_nobody_vouches_for_seeded_coins(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "keys", "signing", "a.pem")
    run(capsys, "ledger", "create", "ledger.db", "--epsilon", "3")
    seeded = (*LEARN, "--epsilon", "1", "--random-state", "3", "--out", "seeded.json")
    signed = ("--sign", "a.pem", "--signer", "A")
    assert run(capsys, *seeded, "--ledger", "ledger.db", *signed)[0] == 2
    assert Ledger.open("ledger.db").spent.epsilon == 0
    assert run(capsys, *seeded)[0] == 0
    code, _, err = run(capsys, "sign", "seeded.json", "--key", "a.pem", "--signer", "A")
    assert (code, "must not be released" in err) == (4, True)
    for name in ("annex.html", "annex.md"):
        code, _, err = run(capsys, "explain", "seeded.json", "--statement", name)
        assert (code, "must not be released and promises nothing" in err) == (4, True)
        assert not Path(name).exists()


def test_verify_says_when_nobody_signed_and_a_script_can_ask_for_a_trusted_key(
    place: Path, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    model.save("model.json")
    code, out, _ = run(capsys, "verify", "model.json")
    assert (code, "Nobody has signed it" in out) == (0, True)
    assert json.loads(run(capsys, "verify", "model.json", "--json")[1])["signers"] == []
    public = run(capsys, "keys", "signing", "a.pem")[1].strip()
    Path("mine").write_text(f"{public} A\n")
    Path("others").write_text("")
    code, out, err = run(capsys, "verify", "model.json", "--trusted", "mine")
    assert (code, "Verified" in out, "nobody on your list" in err) == (5, True, True)
    assert run(capsys, "sign", "model.json", "--key", "a.pem", "--signer", "A")[0] == 0
    code, out, _ = run(capsys, "verify", "model.json", "--trusted", "mine")
    assert (code, "Signed by A, without the receipt of a charge." in out) == (0, True)
    code, out, err = run(capsys, "verify", "model.json", "--trusted", "others", "--json")
    assert (code, json.loads(out)["trusted"], json.loads(out)["verified"]) == (5, False, True)
    assert json.loads(err)["kind"] == "Untrusted"
    assert run(capsys, "verify", "model.json", "--certificate-only", "--trusted", "others")[0] == 5


def test_signing_again_does_not_lose_a_receipt_unseen(
    place: Path, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    model.save("model.json")
    for name in ("a.pem", "b.pem"):
        run(capsys, "keys", "signing", name)
    Ledger.create("ledger.db", epsilon=3).charge(epsilon=1, note="the rule")
    again = ("sign", "model.json", "--key", "a.pem", "--signer", "A, again")
    charge = ("--ledger", "ledger.db", "--entry", "1")
    assert run(capsys, *again, *charge)[0] == 0
    before = Path("model.json").read_bytes()
    code, _, err = run(capsys, *again)
    assert (code, "lose its receipt" in err, "--entry 1" in err) == (2, True, True)
    assert Path("model.json").read_bytes() == before
    assert run(capsys, *again, "--detached", "model.sig")[0] == 0  # which replaces nothing
    assert run(capsys, *again, *charge)[0] == 0
    assert run(capsys, "sign", "model.json", "--key", "b.pem", "--signer", "B")[0] == 0
    assert run(capsys, *again, "--force")[0] == 0
    receipts = {one.signer: one.receipt for one in signatures_in(json.loads(Path("model.json").read_text()))}
    assert receipts == {"B": None, "A, again": None}


def test_a_file_without_a_receipt_is_named_and_a_checker_hears_whom_to_ask(
    place: Path, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "keys", "signing", "a.pem")
    Ledger.create("ledger.db", epsilon=3).charge(epsilon=1, note="the rule")
    for name in ("one.json", "two.json"):
        model.save(name)
    sign = ("sign", "one.json", "--key", "a.pem", "--signer", "A", "--ledger", "ledger.db", "--entry", "1")
    assert run(capsys, *sign)[0] == 0
    code, _, err = run(
        capsys, "ledger", "verify", "ledger.db", "--receipt", "one.json", "--receipt", "two.json"
    )
    assert code == 4
    assert "'two.json' has no receipt of this ledger. Ask whoever made it" in err
    assert "'Paid for by'" in err


def test_a_report_names_the_last_charge_that_it_counts(
    place: Path, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    """So that whoever has the ledger sees that a page is out of date."""
    model.save("model.json")
    ledger = Ledger.create("ledger.db", epsilon=3)
    explain = ("explain", "model.json", "--ledger", "ledger.db", "--force")
    for count in range(3):
        assert run(capsys, *explain, "--report", "report.html", "--statement", "annex.md")[0] == 0
        for name in ("report.html", "annex.md"):
            text = Path(name).read_text()
            assert ("Last charge by then" in text) == (count > 0)
            assert (f"charge {count}; later ones" in text) == (count > 0)
        ledger.charge(epsilon=1, note=f"release {count}")


def test_verify_prints_the_digest_that_stands_in_the_report_and_in_the_annex(
    place: Path, model: Model, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also of a file that was signed since: a signature is no part of the digest."""
    model.save("model.json")
    run(capsys, "keys", "signing", "a.pem")
    assert (
        run(capsys, "explain", "model.json", "--report", "report.html", "--statement", "annex.html")[0] == 0
    )
    assert run(capsys, "sign", "model.json", "--key", "a.pem", "--signer", "A")[0] == 0
    out = run(capsys, "verify", "model.json")[1]
    (seal,) = (line.removeprefix("Digest ") for line in out.splitlines() if line.startswith("Digest "))
    assert seal == digest(model.to_json())
    assert all(seal in Path(name).read_text() for name in ("report.html", "annex.html"))
    code, _, err = run(capsys, "verify", "report.html")
    assert (code, "looks like a report (HTML)" in err) == (4, True)
