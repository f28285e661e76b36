"""Makes the frozen lists: from examples of every rule, stored documents of every word, and everything tried on them."""

from __future__ import annotations

import base64
import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from privpac.checker.document import SIGNATURE, canonical, parsed_json
from privpac.checker.signature import Receipt, with_signature
from privpac.signing.keys import SigningKey
from tests.contracts.examples import EXAMPLES
from tests.contracts.test_register_complete import _flattered
from tests.golden.corpus import CURRENT
from tests.unit.checker.test_check import DERIVATIONS, SIDE, at, certificate, edits, leaves, places
from tests.unit.checker.test_check_lies import HONEST, LIES, on, pick
from tests.unit.test_verification_forged import JUNK
from tests.vectors.frozen import (
    ACCEPTED,
    EDITS,
    TIGHT,
    Edit,
    Vector,
    accepted,
    edited,
    edits_and_accepted,
    written,
)
from tests.vectors.judging import objection
from tests.vectors.slips import listed
from tests.vectors.tight import derivations, tight

__all__ = ["make", "make_tight"]

OF_A_DOCUMENT = 14
"""Values put at random places of each stored document."""
BYTES = 40
"""Places at which a byte of a signed file is changed."""
SIGNED = ("models/thresholds-age.json", "tables/tree.json", "models/stumps.json")

ONLY_READ = "No condition reads it: `privpac verify` makes the certificate anew."
STILL_TRUE = "The step holds with this value too."


def make() -> None:
    """Write the lists of what is accepted and of what is edited; edges of rules are searched for a long time, apart."""
    rows = [*_derived(), *_signed()]
    ACCEPTED.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="ascii")
    bases = {vector.name: vector for vector in accepted()}
    for vector in bases.values():
        if found := objection(vector.kind, vector.text):
            raise SystemExit(f"{vector.name} is not accepted: {found}")
    EDITS.write_text("".join(f"{edit.line()}\n" for edit in _judged_edits(bases)), encoding="ascii")


def make_tight() -> None:
    """Write the list of derivations at the edges of rules: what the other two lists do not show of the book."""
    before = list(edits_and_accepted())
    documents = [json.loads(vector.text) for vector in before if vector.expected == "accepted"]
    stored = (
        [json.loads(line) for line in TIGHT.read_text(encoding="ascii").splitlines()]
        if TIGHT.exists()
        else []
    )
    rows = list(tight(derivations(before), stored, documents, listed()))
    counts: Counter[str] = Counter()
    for row in rows:
        if "-above-" not in row["name"]:
            counts[row["tree"]["rule"]] += 1
            row["name"] = f"{row['tree']['rule']}-{counts[row['tree']['rule']]}"
    TIGHT.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="ascii")


def _judged_edits(bases: dict[str, Vector]) -> Iterator[Edit]:
    """Every edit that makes another file than all before it, with what comes of it by the checker of this package."""
    seen = {_canonical(vector.text) for vector in bases.values()}
    for edit in _all_edits(bases):
        base = bases[edit.base]
        text = edited(base.text, edit)
        shape = _canonical(text)
        if shape in seen:
            continue
        seen.add(shape)
        found = objection(base.kind, text)
        outcome, reason = ("refused", found) if found else ("unseen", _why(base, edit))
        yield replace(edit, expected=outcome, reason=reason)


def _derived() -> Iterator[dict[str, Any]]:
    """A derivation per rule, certificates of many kinds, and steps written by hand."""
    for key, example in EXAMPLES.items():
        yield {"name": f"rule-{key}", "kind": "derivation", "tree": example().to_json()}
    examples = [example().to_json() for example in EXAMPLES.values()]
    for key, proof in SIDE.items():
        if proof.to_json() in examples:
            continue
        yield {"name": f"side-{_slug(key)}", "kind": "derivation", "tree": proof.to_json()}
    for key in DERIVATIONS:
        yield {"name": f"certificate-{_slug(key)}", "kind": "document", "tree": certificate(key)}
    for key, tree in HONEST.items():
        yield {"name": f"by-hand-{_slug(key)}", "kind": "derivation", "tree": tree}


def _slug(text: str) -> str:
    return "-".join(text.replace(",", "").split())


def _key(seed: int) -> SigningKey:
    return SigningKey(Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32))


def _signed() -> Iterator[dict[str, Any]]:
    """Documents with one signature, with two, and with a receipt. The keys are known to everybody."""
    for number, name in enumerate(SIGNED):
        tree = json.loads((CURRENT / name).read_bytes())
        tree = with_signature(tree, _key(1).sign(tree, signer="A test vector"))
        if number:
            receipt = Receipt("0" * 32, 17, "ab" * 32)
            tree = with_signature(tree, _key(2).sign(tree, signer="Zweite Prüfung 2", receipt=receipt))
        yield {"name": f"signed-{name.split('/')[1].removesuffix('.json')}", "kind": "document", "tree": tree}
    tree = json.loads((CURRENT / SIGNED[0]).read_bytes())
    tree = {**tree, "signatures": list(_unusual_but_right(tree))}
    yield {"name": "signed-in-unusual-ways", "kind": "document", "tree": tree}


def _row(tree: dict[str, Any], signer: str, receipt: Any = None, seed: int = 1) -> dict[str, Any]:
    """A signature that is that of its key, whatever it says; what `SigningKey.sign` never makes included."""
    statement = {**_key(seed).sign(tree, signer="A").statement(), "signer": signer, "receipt": receipt}
    message = f"{SIGNATURE}\n{canonical(statement)}".encode("ascii")
    raw = _key(seed).private.sign(message)
    return {**statement, "signature": base64.b64encode(raw).decode("ascii")}


RECEIPT = {"ledger": "0" * 32, "entry": 17, "head": "ab" * 32}


def _unusual_but_right(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Names at the edges of what can be shown, also such as are not assigned yet, and the largest receipt."""
    names = (
        "x" * 200,
        " a ",
        "\u00a1\u00ac\u00ae",
        "e\u0301 \u00e9",
        "\u0378\u05ff",
        "\u2010\u2027\u2030",
        "\U0001f600",
        "\U0003fffd",
    )
    for seed, name in enumerate(names, start=1):
        yield _row(tree, name, seed=seed)
    yield _row(tree, "A", {**RECEIPT, "entry": 2**63}, seed=len(names) + 1)


def _of_signers(vector: Vector) -> Iterator[Edit]:
    """Signatures that are those of their keys, and say what must not be said; keys under which anybody can sign."""
    tree = json.loads(vector.text)
    for name in (
        "",
        " ",
        "x" * 201,
        "a\tb",
        "a\u00a0b",
        "a\u00ad",
        "\u3164",
        "\u2800",
        "a\u202eb",
        "a\u200b",
        "\ue000",
        "a\ufe0f",
        "\U000e0041",
    ):
        yield _new(vector.name, "replace", ["signatures"], [_row(tree, name)])
    for field, value in (
        ("ledger", "c0ffee"),
        ("ledger", "0" * 31 + "A"),
        ("ledger", "0" * 32 + "\n"),
        ("ledger", 0),
        ("head", "ab"),
        ("head", "ab" * 31 + "\u0662b"),
        ("entry", 0),
        ("entry", 17.0),
        ("entry", True),
        ("entry", "17"),
        ("entry", 2**63 + 1),
    ):
        yield _new(vector.name, "replace", ["signatures"], [_row(tree, "A", {**RECEIPT, field: value})])
    for key in (1, _P - 1, _P + 1, 1 | 1 << 255):
        yield _new(vector.name, "replace", ["signatures"], [_by_nobody(tree, key.to_bytes(32, "little"))])


_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493


def _by_nobody(tree: dict[str, Any], key: bytes) -> dict[str, Any]:
    """A signature under a key of order one or two, made without a secret: the base point is one of its own."""
    statement = {**_key(1).sign(tree, signer="A").statement(), "key": base64.b64encode(key).decode("ascii")}
    base = (4 * pow(5, -1, _P) % _P).to_bytes(32, "little")
    for number in range(100):
        statement["signer"] = f"Anybody {number}"
        message = f"{SIGNATURE}\n{canonical(statement)}".encode("ascii")
        challenge = int.from_bytes(hashlib.sha512(base + key + message).digest(), "little") % _ORDER
        if challenge % 2 == 0:  # of a key of order two, that often nothing is left
            break
    raw = base + (1).to_bytes(32, "little")
    return {**statement, "signature": base64.b64encode(raw).decode("ascii")}


def _all_edits(bases: dict[str, Vector]) -> Iterator[Edit]:
    for vector in bases.values():
        tree = json.loads(vector.text)
        if vector.name.startswith("rule-"):
            yield from _of_a_rule(vector.name, tree)
        elif vector.name == "signed-in-unusual-ways":
            yield from _of_signers(vector)
            yield from _of_canonical_forms(f"{CURRENT.name}-models-thresholds-age")
        elif vector.name.startswith("signed-"):
            yield from _of_bytes(vector)
        elif vector.kind == "document" and not vector.name.startswith("certificate-"):
            yield from _of_a_document(vector.name, tree)
    yield from _of_certificates({name: json.loads(vector.text) for name, vector in bases.items()})
    for name, lie in LIES.items():
        yield _new("by-hand-selection", "whole", _slug(name), written(lie))
    yield from _of_texts(next(iter(bases.values())))


def _new(base: str, operation: str, place: Any, value: Any) -> Edit:
    return Edit(base, operation, place, value, "", "")


def _of_a_rule(base: str, tree: dict[str, Any]) -> Iterator[Edit]:
    """Better numbers than were proved, and two other values for every field."""
    for fact in _flattered(tree["fact"]):
        for name, value in fact.items():
            if value != tree["fact"][name]:
                yield _new(base, "replace", ["fact", name], value)
    for path in leaves(tree):
        if "premises" not in path:
            tried = list(edits(path, at(tree, path)))
            for value in (tried[-1], tried[len(tried) // 2], tried[1]):
                yield _new(base, "replace", list(path), value)
    for key in tree:
        yield _new(base, "remove", [key], None)
    yield _new(base, "add", ["note"], "x")


def _of_a_document(base: str, tree: dict[str, Any]) -> Iterator[Edit]:
    """What forgers try: any value anywhere, with a new digest."""
    chance = random.Random(base)
    spots = [path for path in [*leaves(tree), *places(tree)] if path and path[0] != "digest"]
    short = [junk for junk in JUNK if len(str(junk)) < 100]
    for _ in range(OF_A_DOCUMENT):
        path = chance.choice(spots)
        yield _new(base, "replace", list(path), chance.choice(short))
    yield _new(base, "raw", ["version"], "9")
    yield _new(base, "replace", ["schema", "classes"], ["0", "1", "2"])
    yield _new(base, "remove", ["certificate", "privacy"], None)
    for name, value in (("epsilon", "0.000001"), ("delta", "2"), ("coins", "dice"), ("accuracy", [{}])):
        yield _new(base, "replace", ["certificate", name], value)


def _of_bytes(vector: Vector) -> Iterator[Edit]:
    """One byte of a signed file is another one, or the whole was sealed anew by somebody without the key."""
    chance = random.Random(vector.name)
    text = vector.text
    signatures = text.index('"signatures"')
    spots = [chance.randrange(len(text)) for _ in range(BYTES)]
    spots += [chance.randrange(signatures, len(text)) for _ in range(BYTES)]
    for spot in spots:
        other = "b" if text[spot] == "a" else "0" if text[spot] == "1" else "a"
        yield _new(vector.name, "text", [spot, 1], other)
    for place, value in (("version", "9"), ("schema/label", "other"), ("certificate/coins", "system")):
        yield _new(vector.name, "replace", place.split("/"), value)
    row = json.loads(text)["signatures"][-1]
    for name, value in (
        ("signer", "Somebody else"),
        ("signer", "two\nlines"),
        ("signer", ""),
        ("receipt", {}),
    ):
        yield _new(vector.name, "replace", ["signatures", 0, name], value)
    yield _new(vector.name, "replace", ["signatures"], {})
    yield _new(vector.name, "replace", ["signatures"], [row] * 101)
    yield _new(vector.name, "add", ["signatures", 0, "note"], "x")
    yield _new(vector.name, "remove", ["signatures", 0, "key"], None)


def _of_canonical_forms(base: str) -> Iterator[Edit]:
    """Values whose one text is easily got wrong, where no condition reads them: floats, and keys in their order."""
    floats = [
        1e16,
        1e15,
        9007199254740993.0,
        1e22,
        0.0001,
        2.5e-5,
        5e-324,
        1.7976931348623157e308,
        -0.0,
        0.1 + 0.2,
    ]
    keys = (
        ["\U0001f600", "\uffff", "\ue000", "\u00e9", "e\u0301", "", "__proto__", "constructor"],
        ["\ud83dx", "\ud83d\uffff", "\U0001f600", "\ud83d", "\ud83d\ud83d\ude00", "\ud83d\ud83d\uffff"],
        ["\ud83d\ue000", "\U0001f600", "\U0001f601", "\U0001f600a", "\udfff\ud800"],
        ["ab", "a", "a\0", "abc", "a\x7f", "a\u2028"],
    )
    trees: list[Any] = [
        floats,
        [10**4299, -(10**4298)],
        *({key: at for at, key in enumerate(some)} for some in keys),
    ]
    for tree in trees:
        read_back = json.loads(json.dumps(tree))  # in a file, two halves of a character are one
        yield _new(base, "replace", ["hypothesis"], read_back)


def _of_certificates(trees: dict[str, Any]) -> Iterator[Edit]:
    """Every edit of one field that `tests/unit/checker` makes; the same edit of the same field of a rule once."""
    first = next(name for name in trees if name.startswith("certificate-"))
    for also in ([pick()], [on("left", pick())], [pick(), on("left", pick())]):
        yield _new(first, "add", ["also"], also)
    seen: set[tuple[Any, ...]] = set()
    for base, tree in trees.items():
        if not base.startswith("certificate-"):
            continue
        for path in leaves(tree):
            for number, value in enumerate(edits(path, at(tree, path))):
                if _first(seen, tree, path, number):
                    yield _new(base, "replace", list(path), value)
        for path in places(tree):
            here = at(tree, path)
            for key in list(here) if isinstance(here, dict) else range(len(here)):
                if _first(seen, tree, (*path, key), "remove"):
                    yield _new(base, "remove", [*path, key], None)
            if _first(seen, tree, path, "add"):
                end = "note" if isinstance(here, dict) else len(here)
                yield _new(base, "add", [*path, end], "x")


def _first(seen: set[tuple[Any, ...]], tree: Any, path: tuple[Any, ...], what: object) -> bool:
    """Whether this is the first such edit of such a field: a step's fields are the same wherever the step stands."""
    starts = [i for i in range(len(path) + 1) if _is_step(at(tree, path[:i]))] if path else []
    key = (at(tree, path[: starts[-1]])["rule"], path[starts[-1] :], what) if starts else (path, what)
    new = key not in seen
    seen.add(key)
    return new


def _is_step(value: Any) -> bool:
    return isinstance(value, dict) and "rule" in value


def _of_texts(base: Vector) -> Iterator[Edit]:
    """Files that are no documents, or not in the one way they are written."""
    text = base.text.strip()
    head = text.index('"format"')
    texts = {
        "nothing": "",
        "a byte order mark": "\ufeff" + text,
        "half of it": text[: len(text) // 2],
        "something behind": text + "x",
        "two documents": text + text,
        "a list": f"[{text}]",
        "a key twice": text[:head] + '"version": "0.1.0", ' + text[head:],
        "no number": text[:head] + '"more": NaN, ' + text[head:],
        "an infinite number": text[:head] + '"more": 1e999, ' + text[head:],
        "a long number": text[:head] + '"more": ' + "9" * 4301 + ", " + text[head:],
        "a control character": text[:head] + '"more": "\x01", ' + text[head:],
        "a comma too many": text[:-1] + ",}",
        "a leading zero": text[:head] + '"more": 01, ' + text[head:],
        "a plus sign": text[:head] + '"more": +1, ' + text[head:],
        "a bare word": text[:head] + '"more": yes, ' + text[head:],
        "single quotes": text[:head] + "'more': 1, " + text[head:],
        "a comment": text[:head] + "/* */ " + text[head:],
        "a bad escape": text[:head] + '"more": "\\x41", ' + text[head:],
        "deep": "[" * 300 + "]" * 300,
        "deeper": "[" * 10_000,
    }
    for name, value in texts.items():
        yield _new(base.name, "whole", name, value)


def _canonical(text: str) -> str:
    try:
        return json.dumps(parsed_json(text.encode("utf-8")), sort_keys=True)
    except (ValueError, RecursionError):
        return text


def _why(base: Vector, edit: Edit) -> str:
    """Why nothing can be seen of it."""
    derived = base.kind == "derivation" or "accuracy" in edit.place[:2]
    return STILL_TRUE if derived else ONLY_READ
