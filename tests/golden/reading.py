"""What somebody does with a stored document: load, verify, use, look at it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from privpac import Ledger, MemorySample, Model, Schema, load, load_table, verify
from privpac.answering.bundle import bundle
from privpac.answering.offer import offer_from_json
from privpac.asking import Asking
from privpac.checker.budget import check_budget
from privpac.checker.check import check_certificate, check_derivation
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.errors import NoSqlForm
from privpac.guarantee.certificate import explain_certificate
from privpac.guarantee.facts import fact_from_json
from privpac.guarantee.ledger.backup import restore
from privpac.report.page import report_html
from privpac.signing.checking import Signer, check_receipt, read_signature, signers_of
from privpac.signing.keys import Trusted
from tests.golden.bundles import answers
from tests.golden.kinds import learn_session
from tests.golden.records import RECORDS

__all__ = ["copied", "looks", "use", "verified"]

QUESTIONS = 9


def copied(unit: Path, place: Path) -> Path:
    """A copy that may be written to and that nobody else may read: a session is used up, a bundle keeps answers."""
    target = place / unit.parent.name / unit.name
    target.parent.mkdir()
    if unit.is_file():
        shutil.copy(unit, target)
        return target
    shutil.copytree(unit, target)
    target.chmod(0o700)
    for path in target.iterdir():
        path.chmod(0o600)
    return target


def _json(path: Path) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return tree


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# --- verify ---


def verified(unit: Path) -> str:
    """Have a document checked, or let the refusal pass; 'rebuilt', 'derived' or 'consistent'."""
    return _VERIFIERS[unit.parent.name](unit)


def _verify(unit: Path) -> str:
    return "rebuilt" if verify(unit).rebuilt else "silent"


def _derived(unit: Path) -> str:
    return "derived" if check_certificate(_json(unit)["certificate"]) > 0 else "silent"


def _offer(unit: Path) -> str:
    tree = _json(unit)
    stored = tree["certificate"]
    offer = offer_from_json(stored["request"], schema=Schema.from_json(tree["schema"]), coins=stored["coins"])
    return _derived(unit) if offer.certify().to_json() == stored else "silent"


def _step(unit: Path) -> str:
    return "derived" if check_derivation(_json(unit)) > 0 else "silent"


def _session(unit: Path) -> str:
    certificate = Asking.load(unit).certificate
    return "derived" if check_certificate(certificate.to_json()) > 0 else "silent"


def _ledger(unit: Path) -> str:
    _opened(unit).verify()
    return "consistent"


def _opened(unit: Path) -> Ledger:
    """A ledger, or the one that is made of its copy."""
    if unit.suffix != ".jsonl":
        return Ledger.open(unit)
    restored = unit.with_suffix(".sqlite")
    return Ledger.open(restored) if restored.exists() else restore(unit, str(restored))


def _total(unit: Path) -> str:
    check_budget(_json(unit))
    return "derived"


def _signed(unit: Path) -> str:
    _signers(unit)
    return _verify(unit / "model.json")


def _signers(unit: Path) -> tuple[Signer, ...]:
    """Who signed a model, inside it and beside it; the ledger confirms the charge that the first of them names."""
    ledger, tree = Ledger.open(unit / "ledger.sqlite"), _json(unit / "model.json")
    ledger.verify()
    trusted, beside = Trusted.read(unit / "trusted.txt"), [read_signature(unit / "signature.json")]
    signers = signers_of(tree, trusted=trusted, beside=beside)
    assert check_receipt(ledger, tree, trusted=trusted, beside=beside) == signers[:1]
    return signers


_VERIFIERS: Mapping[str, Callable[[Path], str]] = {
    "models": _verify,
    "tables": _verify,
    "bundles": _verify,
    "learners": _derived,
    "comparisons": _derived,
    "offers": _offer,
    "derivations": _step,
    "sessions": _session,
    "ledgers": _ledger,
    "backups": _ledger,
    "totals": _total,
    "signed": _signed,
}


# --- use ---


def use(unit: Path) -> Any:
    """What a document answers, as plain data. This is a promise to whoever holds it: no later version may differ."""
    return _USES[unit.parent.name](unit)


def _codes(codes: Any) -> str:
    return "".join(str(int(code)) for code in codes)


def _predictions(path: Path) -> dict[str, str]:
    model = load(path)
    shares = {}
    if model.leaf_counts is not None:
        rows = model.predict_proba(RECORDS).tolist()
        shares = {"shares": _short_hash(json.dumps(rows))}
    return {"classes": _codes(model.classify(RECORDS)), **shares}


def _hypothesis(path: Path) -> dict[str, str]:
    tree = _json(path)
    sample = MemorySample.of(RECORDS, Schema.from_json(tree["schema"]), labelled=False)
    return {"classes": _codes(hypothesis_from_json(tree["hypothesis"]).predict(sample.block().cells))}


def _synthetic(path: Path) -> dict[str, Any]:
    table = load_table(path)
    records = table.records()
    return {
        "count": len(next(iter(records.values()))),
        "records": _short_hash(json.dumps(records, default=str)),
    }


def _answers(path: Path) -> dict[str, Any]:
    loaded = bundle.load(path)
    return {"answers": _codes(answers(path, QUESTIONS)), "declared": loaded.offer.answers}


def _learnt(path: Path) -> dict[str, Any]:
    session = Asking.load(path)
    asked = list(session.asked)
    model = learn_session(session)
    return {"asked": _short_hash(json.dumps(asked)), "rule": model.hypothesis.to_json()}


def _compared(path: Path) -> dict[str, Any]:
    tree = _json(path)
    return {name: tree[name] for name in ("difference", "half_width", "better")}


def _spent(path: Path) -> dict[str, Any]:
    """What the ledger says; another charge then still fits into it."""
    ledger = _opened(path)
    said = {
        "spent": [str(ledger.spent.epsilon), str(ledger.spent.delta)],
        "left": [str(ledger.left.epsilon), str(ledger.left.delta)],
        "notes": [entry.note for entry in ledger.entries()],
    }
    ledger.charge(epsilon="0.01", note="another")
    ledger.verify()
    return said


def _vouched(path: Path) -> dict[str, Any]:
    signers = [[one.trusted, one.signature.signer] for one in _signers(path)]
    return {**_predictions(path / "model.json"), "signers": signers}


def _fact(path: Path) -> dict[str, str]:
    """In the words of the version that wrote it first: how facts are said may change, what they say may not."""
    text = str(fact_from_json(_json(path)["fact"]))
    for now, then in (("the rule is", "hypothesis"), ("the rule and the", "hypothesis and")):
        text = text.replace(now, then)
    return {
        "fact": text.replace(" are released", " released")
        .replace(" are given", " given")
        .replace(" is given", " given")
    }


_USES: Mapping[str, Callable[[Path], Any]] = {
    "models": _predictions,
    "tables": _synthetic,
    "bundles": _answers,
    "learners": _hypothesis,
    "comparisons": _compared,
    "offers": lambda path: {"epsilon": _json(path)["certificate"]["epsilon"]},
    "derivations": _fact,
    "sessions": _learnt,
    "ledgers": _spent,
    "backups": _spent,
    "totals": _json,
    "signed": _vouched,
}


# --- look ---


def looks(unit: Path) -> dict[str, str]:
    """Hashes of everything that is shown of a document: words, SQL, page and picture."""
    kind = unit.parent.name
    if kind == "models":
        texts = _model_texts(load(unit))
    elif kind == "tables":
        texts = {"explain": load_table(unit).explain()}
    elif kind == "bundles":
        texts = {"explain": explain_certificate(_json(unit / "bundle.json")["certificate"])}
    elif kind == "sessions":
        texts = {"explain": Asking.load(unit).certificate.explain()}
    elif kind == "signed":
        texts = {"signers": "\n".join(signer.line() for signer in _signers(unit))}
    elif kind in ("ledgers", "backups", "totals", "derivations"):
        texts = {}
    else:
        texts = {"explain": explain_certificate(_json(unit)["certificate"])}
    return {name: _short_hash(text) for name, text in texts.items()}


def _model_texts(model: Model) -> dict[str, str]:
    try:
        sql = model.to_sql()
    except NoSqlForm as refusal:
        sql = str(refusal)
    return {
        "describe": model.describe(),
        "sql": sql,
        "explain": model.explain(),
        "report": report_html(model),
        "picture": model.picture(),
    }
