"""Changes one place of the book at a time and says whether the proofs notice.

`python proofs/slips.py [WORDS]` tries the slips of the rules whose names hold one of the words, or all of them; what all of
them gave is in slips.txt, which a run of all of them writes. The proofs must have been built (`make proofs`). Of every slip only
the proof of its rule is tried again, of the definition that the translator makes of the changed book: nothing else in the build speaks
of that rule, but for the statement in Claims.v, which is that of the theorem.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
BOOK = HERE.parent / "src" / "privpac" / "checker" / "rules.txt"
FALSE, TRUE = "unsound", "harmless"
SLIPS = {  # rule: what was, what becomes of it, whether the rule stays true
    "exponential-mechanism": [
        ("2 * sensitivity", "sensitivity", FALSE),
        ("ratio ratio", "ratio number", FALSE),
        ("fact.delta == 0", "0 == fact.delta", TRUE),
        ("2 * sensitivity", "sensitivity + sensitivity", TRUE),
    ],
    "permute-and-flip": [
        ("2 * sensitivity", "sensitivity", FALSE),
        ("2 * sensitivity", "sensitivity * 2", TRUE),
    ],
    "bounded-range": [
        ("2 * sensitivity", "sensitivity", FALSE),
        ("2 * sensitivity", "sensitivity * 2", TRUE),
    ],
    "geometric-noise": [
        ("pow(1 / ratio, change)", "pow(ratio, change)", FALSE),
        ("pow(1 / ratio, change)", "pow(1 / ratio, 1 * change)", TRUE),
        ("pow(1 / ratio, change)", "1 / ratio ** 2", FALSE),
    ],
    "leafwise-medians": [("pow(1 / ratio, 4)", "pow(1 / ratio, 2)", FALSE)],
    "weighted-rounds": [
        ("4 * cap", "2 * cap", FALSE),
        ("4 * cap * rounds", "4 * cap", FALSE),
        ("4 * cap * rounds", "rounds * 4 * cap", TRUE),
    ],
    "leafwise-blocks": [
        ("pow(1 / ratio, 4)", "pow(1 / ratio, 2)", FALSE),
        ("(weight + bits) / weight", "1", FALSE),
        ("2 * bits", "bits", FALSE),
    ],
    "occupied-blocks": [
        ("(weight + levels - 1) / weight)", "1)", FALSE),
        ("short((levels - 1)", "short((levels - 2)", FALSE),
        ("let weight = ratio * stake", "let weight = stake", FALSE),
        ("let weight = ratio * stake", "let weight = stake * ratio", TRUE),
    ],
    "stable-choice": [
        ("pow(ratio, threshold)", "pow(ratio, threshold + 1)", FALSE),
        ("pow(1 / ratio, 2)", "pow(1 / ratio, 1)", FALSE),
    ],
    "vote": [("pure(1 / ratio)", "pure(1)", FALSE), ("pure(1 / ratio)", "loss(0, 1 / ratio)", TRUE)],
    "plurality": [("pow(1 / ratio, 2)", "pow(1 / ratio, 1)", FALSE)],
    "exponential-vote": [("pow(1 / ratio, 2)", "pow(1 / ratio, 1)", FALSE)],
    "clipped-points": [
        ("2 * margin - threshold", "margin - threshold", FALSE),
        ("(domain - 1 + w * ratio) / ratio", "(domain - 1 + w * ratio)", FALSE),
    ],
    "star-entries": [("(spread - 1)", "(spread - 2)", FALSE), ("rate <= 1 <= spread", "rate <= 1", FALSE)],
    "sampled-point": [("max(silent, ", "min(silent, ", FALSE)],
    "post-processing": [
        ("fact.unit == p.unit and ", "", FALSE),
        ("same_persons(fact, premises)", "true", FALSE),
        (
            "fact.epsilon == p.epsilon and fact.delta == p.delta",
            "fact.delta == p.delta and p.epsilon == fact.epsilon",
            TRUE,
        ),
    ],
    "sequential": [
        ("sum(q.delta for q in premises)", "max(q.delta for q in premises)", FALSE),
        ("q.part == fact.part", "q.part != fact.part", FALSE),
        ("q.unit == fact.unit and q.part == fact.part", "q.part == fact.part and q.unit == fact.unit", TRUE),
    ],
    "disjoint-parts": [
        ("every_role(fact, premises)", "fact.roles == 0", FALSE),
        ("every_role(fact, premises)", "fact.roles == 0 and distinct(q.part for q in premises)", FALSE),
        ("all(at_most(q.epsilon, fact.epsilon)", "any(at_most(q.epsilon, fact.epsilon)", FALSE),
        ("q.part != ALL", "true", TRUE),
    ],
    "on-part": [("p.part == ALL", "p.part != ALL", FALSE)],
    "group": [
        ("(pow(e, size) - 1)", "(pow(e, size) - 2)", FALSE),
        ("size * p.epsilon.log", "p.epsilon.log", FALSE),
        ("fact.records_per_person == size and ", "", FALSE),
        ("size * p.epsilon.log", "p.epsilon.log * size", TRUE),
    ],
    "k-fold-composition": [
        ("pow(e, times - 2 * saved)", "pow(e, times - 2 * saved - 1)", FALSE),
        ("p.delta == 0 and ", "", FALSE),
        ("2 * saved <= times", "saved <= times", FALSE),
        ("else loss(times * p.epsilon.log", "else loss(p.epsilon.log", FALSE),
    ],
    "declared": [
        ("p.delta <= delta", "p.delta >= delta", FALSE),
        ("at_most(p.epsilon, fact.epsilon)", "at_most(fact.epsilon, p.epsilon)", FALSE),
        ("p.delta <= delta", "p.delta < delta", TRUE),
    ],
    "assuming": [("same(fact, p)", "true", FALSE)],
    "subsampling-without-replacement": [
        (' and p.unit == "record"', "", FALSE),
        ("short(kept / of * p.delta)", "short(kept / of / 2 * p.delta)", FALSE),
        ("1 - kept / of + kept", "1 - 2 * kept / of + kept", FALSE),
        ("1 - kept / of + kept / of * exp_of(p.epsilon)", "1 + kept / of * (exp_of(p.epsilon) - 1)", TRUE),
    ],
    "sampling-with-replacement": [
        ("(e + of - 1) / of", "(e + of - 2) / of", FALSE),
        (' and p.unit == "record"', "", FALSE),
    ],
    "total-variation": [("or at_most(p.epsilon", "or above(p.epsilon", FALSE)],
    "delta-removal": [
        ("flip <= 1 / 2", "flip <= 1", FALSE),
        ("1 + p.delta / flip - 2 * p.delta", "1 + p.delta / flip - 3 * p.delta", FALSE),
    ],
    "relabelling": [
        ("4 * pow(1 / ratio, 2 * change)", "2 * pow(1 / ratio, 2 * change)", FALSE),
        ("(one + one ** 2) / 2 if", "one if", FALSE),
        ("if change >= mistake", "if mistake >= change", FALSE),
        ("kept / of * min(1, p.delta)", "p.delta * kept / of / 2", FALSE),
        ("relabelled(one ** 2,", "relabelled(one,", FALSE),
    ],
    "relabelling-part": [("4 * pow(1 / ratio, 2 * change)", "2 * pow(1 / ratio, 2 * change)", FALSE)],
    "listed-from-some": [("fact.delta == kept / of", "fact.delta == 0", FALSE)],
    "stable-from-some": [("p.gamma + kept / of", "p.gamma - kept / of", FALSE)],
    "relabelling-votes": [("2 * mistake", "mistake", FALSE), ("fact.roles == 2", "true", FALSE)],
    "label-boost-labelled": [
        ("((ratio + 1) / ratio) ** 2", "((ratio + 1) / ratio)", FALSE),
        ("one_role_more(fact, p)", "true", FALSE),
    ],
    "label-boost-unlabelled": [
        ("4 * p.epsilon.factor", "2 * p.epsilon.factor", FALSE),
        ("one_role_more(fact, p)", "fact.roles == 2", FALSE),
    ],
    "later-round": [
        ("fact.roles == p.roles + 1", "fact.roles == p.roles", FALSE),
        (" and fact.delta == p.delta", "", FALSE),
    ],
    "positions-known": [
        ("fact.epsilon == p.epsilon and ", "", FALSE),
        ("and fact.unit == p.unit", "", FALSE),
    ],
    "range-log-odds": [("p.part == ALL and ", "", FALSE)],
}

KINDS = "privacy|bounded_range|range|stability"  # a rule about facts of any kind has a definition for each
MENDED = {  # of harmless changes: the line of a proof that has to be written anew, and how
    ("occupied-blocks", "let weight = stake * ratio"): (
        "rewrite /rule_occupied_blocks; facts",
        "rewrite /rule_occupied_blocks /= [stake%:R * x]mulrC; facts",
    ),
    ("group", "p.epsilon.log * size"): (
        "- by apply: (amount_power A sp",
        "- by rewrite [l.1 * _]mulrC; apply: (amount_power A sp",
    ),
    ("declared", "p.delta < delta"): (
        "split=> // a b ab; apply: close_weaken (h _ _ ab) _ _ => //; first by case: (lN b).",
        "split=> // a b ab; apply: close_weaken (h _ _ ab) _ _ => //; try exact: ltW; first by case: (lN b).",
    ),
    ("sequential", "q.part == fact.part and q.unit == fact.unit"): (
        "have hall : all (fun q => (privacy_unit q == privacy_unit f) && (privacy_part q == privacy_part f)) ps by [].",
        "have hall : all (fun q => (privacy_unit q == privacy_unit f) && (privacy_part q == privacy_part f)) ps by "
        "match goal with H : is_true (all (fun q => _ && _) ps) |- _ => apply: sub_all H => q /andP[-> ->] end.",
    ),
    ("subsampling-without-replacement", "1 + kept / of * (exp_of(p.epsilon) - 1)"): (
        "rewrite /rule_subsampling_without_replacement.",
        "have alt (u v : R) : 1 + u * (v - 1) = 1 - u + u * v by ring. rewrite /rule_subsampling_without_replacement alt.",
    ),
}


def changed(text: str, rule: str, was: str, becomes: str) -> str:
    heads = (m for m in re.finditer(r"\nrule (\S+):", text) if rule in named(m[1]))
    start = next(heads).start()
    end = text.find("\n\n", start + 1)
    if was not in text[start:end]:
        raise LookupError(f"{rule}: {was!r} is not in the book")
    return text[:start] + text[start:end].replace(was, becomes, 1) + text[end:]


def named(head: str) -> list[str]:
    before, brace, choices = head.partition("{")
    inner, _, after = choices.partition("}")
    return [before + which + after for which in inner.split("|")] if brace else [head]


def family(rule: str) -> str:
    """The file that proves a rule."""
    theorem = f"Theorem {rule.replace('-', '_')}_sound"
    return next(file.stem for file in HERE.glob("*.v") if theorem in file.read_text(encoding="utf-8"))


def translated(book: Path, rule: str) -> str | None:
    """The definitions of a rule in Coq; nothing if the translator refuses the book."""
    command = [sys.executable, str(HERE / "book_to_coq.py"), str(book), str(book.parent)]
    if subprocess.run(command, capture_output=True, timeout=60).returncode != 0:
        return None
    text = (book.parent / "Rules.v").read_text(encoding="utf-8")
    if re.findall("^Record.*", text, re.M) != re.findall("^Record.*", (HERE / "Rules.v").read_text(), re.M):
        raise LookupError(f"{rule}: another record; this needs a whole build")
    own = rule.replace("-", "_")
    found = re.findall(
        rf"^Definition rule_{own}(?:_(?:{KINDS}))? .*?\.\n(?=\n|Definition|Record|\Z)", text, re.M | re.S
    )
    return "".join(found) or None


def alone(text: str, rule: str) -> str:
    """A file of proofs where nothing is proved but this rule: what is proved before it does not speak of rules."""
    theorem = f"Theorem {rule.replace('-', '_')}_sound"
    start = text.index(theorem)
    end = text.index("Qed.", start) + len("Qed.")
    before = re.sub(r"^Theorem .*?^Proof\..*?Qed\.\n", "", text[:start], flags=re.M | re.S)
    lemma = r"^((?:Lemma|Let) [^\n]*(?:\n(?!Proof\.)[^\n]*)*?)\s*Proof\..*?Qed\."
    # A section that has ended stays as it is: what a lemma takes from it follows from its proof.
    parts = re.split(r"(^Section (?P<name>\w+)\.$.*?^End (?P=name)\.$)", before, flags=re.M | re.S)
    parts[::3] = [re.sub(lemma, r"\1 Admitted.", part, flags=re.M | re.S) for part in parts[::3]]
    before = "".join(part for n, part in enumerate(parts) if n % 3 != 2)
    open_: list[str] = []
    for word, name in re.findall(r"^(Section|End) (\w+)\.", before, re.M):
        open_ = [*open_, name] if word == "Section" else open_[:-1]
    return before + text[start:end] + "".join(f"\nEnd {name}." for name in reversed(open_)) + "\n"


def tried(rule: str, was: str, becomes: str, mend: tuple[str, str] | None = None) -> str:
    """Whether the proof of a rule holds of the changed book, with one of its lines mended: `passes`, or who refuses it."""
    own = family(rule)
    text = (HERE / f"{own}.v").read_text(encoding="utf-8")
    if mend is not None:
        if text.count(mend[0]) != 1:
            raise LookupError(f"{own}.v: {mend[0]!r} is not one line of it")
        text = text.replace(*mend)
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "rules.txt"
        book.write_text(changed(BOOK.read_text(encoding="utf-8"), rule, was, becomes), encoding="utf-8")
        definitions = translated(book, rule)
        if definitions is None:
            return "the translator"
        head, section, rest = alone(text, rule).partition("\nSection ")
        (Path(folder) / "Slip.v").write_text(f"{head}\n{definitions}{section}{rest}", encoding="utf-8")
        command = ["coqc", "-w", "none", "-Q", str(HERE), "Book", str(Path(folder) / "Slip.v")]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=3600)
        if done.returncode == 0:
            return "passes"
        if (place := re.search(r"Slip.v\", line (\d+)", done.stderr)) is None:
            raise LookupError(f"{rule}: {done.stderr}")
        line = int(place[1])
        proof = (Path(folder) / "Slip.v").read_text().splitlines()
        if line <= next(n for n, one in enumerate(proof, 1) if one.startswith("Theorem ")):
            raise LookupError(f"{rule}: this fails before its proof:\n{done.stderr}")
        return f"{own}.v"


def main() -> None:
    words, lines = sys.argv[1:], []
    for rule, slips in SLIPS.items():
        if words and not any(word in rule for word in words):
            continue
        if (where := tried(rule, "", "")) != "passes":
            sys.exit(f"{rule}: the book as it is is refused by {where}")
        for was, becomes, kind in slips:
            where = tried(rule, was, becomes)
            told = where if where == "passes" else f"refused by {where}"
            if (mend := MENDED.get((rule, becomes))) is not None and where != "passes":
                mended = tried(rule, was, becomes, mend)
                told = (
                    "passes with one line mended"
                    if mended == "passes"
                    else f"{told}, also with a line mended"
                )
            lines.append(f"{kind}: {rule}: {was} -> {becomes or 'nothing'}: {told}")
            print(lines[-1], flush=True)
    if not words:
        (HERE / "slips.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
