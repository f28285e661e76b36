"""The checker in JavaScript says of every vector what was frozen, and works out formulas as the one in Python does.

Both read the same rule book; reader, evaluator and arithmetic are written twice. Without node these tests are left out,
and the end of the report says so (`conftest.py`).
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privpac.answering.offer import offer_from_json
from privpac.checker.book import Book, Formula, Misprint, book
from privpac.checker.document import MODEL, TABLE
from privpac.checker.functions import FUNCTIONS, Broken
from privpac.constructions.few_labels.methods import FewLabels, Settings
from privpac.constructions.recipe import Recipe
from privpac.constructions.release.table import TableRequest
from privpac.constructions.words import concepts_from_json, request_from_json
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import PrivpacError
from privpac.guarantee.certificate import Certificate
from privpac.numbers.exact import read_number
from tests.unit.checker.test_check import DERIVATIONS, at, certificate, edits, leaves, put
from tests.unit.test_verification_forged import JUNK
from tests.vectors.frozen import accepted, vectors
from tests.vectors.judging import objection

ROOT = Path(__file__).resolve().parents[2]
DRIVERS = Path(__file__).parent / "javascript"
BOOK = (ROOT / "src" / "privpac" / "checker" / "rules.txt").read_text(encoding="utf-8")
NODE, NPM = shutil.which("node"), shutil.which("npm")
VALUES = [junk for junk in JUNK if len(str(junk)) < 100]


def run(*command: str, cwd: Path, given: str | None = None) -> str:
    done = subprocess.run(
        command, cwd=cwd, input=given, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def judged(files: list[tuple[str, str]]) -> list[dict[str, Any]]:
    lines = "".join(json.dumps({"kind": kind, "text": text}) + "\n" for kind, text in files)
    return [
        json.loads(line) for line in run(str(NODE), "judge.mjs", cwd=DRIVERS, given=lines).split("\n") if line
    ]


def test_both_checkers_agree_on_every_vector() -> None:
    files = list(vectors())
    verdicts = judged([(file.kind, file.text) for file in files])
    wrong = []
    for file, verdict in zip(files, verdicts, strict=True):
        if verdict["accepted"] is not (file.expected != "refused"):
            wrong.append((file.name, file.expected, file.reason, verdict["reason"]))
        assert "fault of the checker" not in verdict["reason"], file.name
    assert wrong == []


def test_a_false_condition_is_said_in_the_same_words() -> None:
    """Step, title and formula: both name the first condition of a step that does not hold."""
    files = [file for file in vectors() if "this does not hold:" in file.reason]
    assert len(files) > 1000
    for file, verdict in zip(files, judged([(file.kind, file.text) for file in files]), strict=True):
        assert verdict["reason"] == file.reason, file.name


READING = """
import { Book } from "./src/privpac/checker/js/book.js";
import { readFileSync } from "node:fs";
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((source) => {
  try {
    return [...new Book(source).rules].map(([name, forms]) => [name, forms.map((one) => [
      one.title, one.kind, one.premise, one.many, one.which, Object.fromEntries(one.where), one.twoClasses,
      one.assumes && one.assumes.text, [...one.instead.keys()], one.body.map(([name, { text }]) => [name, text]),
    ])]);
  } catch (problem) {
    if (!(problem instanceof SyntaxError)) throw problem;
    return problem.message;
  }
})));
"""


def read_in_javascript(*books: str) -> list[Any]:
    """The rules of books as JavaScript reads them, or why it does not."""
    answer = run(str(NODE), "--input-type=module", "-e", READING, cwd=ROOT, given=json.dumps(books))
    found: list[Any] = json.loads(answer)
    return found


def test_both_read_the_same_in_the_book() -> None:
    """Every rule with its parameters, conditions and what it may assume, whoever parses it."""

    def line(part: Any) -> list[str]:
        name, formula = part if isinstance(part, tuple) else ("", part.formula)
        return [name, formula.text]

    expected = [
        [
            name,
            [
                [
                    *(rule.title, rule.kind, rule.premise or "", rule.many, rule.which, dict(rule.where)),
                    *(rule.two_classes, rule.assumes and rule.assumes[0], list(rule.instead)),
                    [line(part) for part in rule.body],
                ]
                for rule in forms
            ],
        ]
        for name, forms in book().rules.items()
    ]
    assert read_in_javascript(BOOK)[0] == expected


MISPRINTS = [
    ("fact.epsilon == pure(1 / ratio)", "fact.epsilon == pure(1 / rati)"),
    ("fact.epsilon == pure(1 / ratio)", "fact.epsilon == pur(1 / ratio)"),
    ("fact.epsilon == pure(1 / ratio)", "fact.epsilon == pure(1 / ratio, 1)"),
    ("fact.epsilon == pure(1 / ratio)", "fact.epsilonn == pure(1 / ratio)"),
    ("fact.epsilon == pure(1 / ratio)", "fact.epsilon == pure(1 / ratio))"),
    ("fact.epsilon == pure(1 / ratio)", "fact.epsilon == pure(1 % ratio)"),
    ("fact.epsilon == pure(1 / ratio)", "fact.epsilon = pure(1 / ratio)"),
    ("fact.epsilon == pure(1 / ratio)", "fact.epsilon == pure(1 / ratio) and q.delta == 0"),
    ("where ratio ratio, models count", "where ratio rati, models count"),
    ("instead of persons:", "instead of people:"),
    ("rule vote: privacy", "rule vote: privac"),
    ("rule vote: privacy", "role vote: privacy"),
    ("def pure(factor) = loss(0, factor)", "def pure(factor) = loss(0, facto)"),
]


@pytest.mark.parametrize(("right", "wrong"), MISPRINTS)
def test_a_misprint_is_found_when_the_book_is_read(right: str, wrong: str) -> None:
    assert right in BOOK
    misprinted = BOOK.replace(right, wrong, 1)
    with pytest.raises(Misprint):
        Book.read(misprinted)
    (said,) = read_in_javascript(misprinted)
    assert isinstance(said, str)


def test_a_rule_that_there_is_not_is_refused() -> None:
    tree = next(json.loads(file.text) for file in vectors() if file.name == "certificate-group")
    tree["privacy"]["premises"][0]["rule"] = "a-rule-of-next-year"
    (verdict,) = judged([("document", json.dumps(tree))])
    assert verdict["accepted"] is False
    assert "there is no rule named 'a-rule-of-next-year'" in verdict["reason"]


def test_the_types_of_every_module_fit(tmp_path: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(DRIVERS / name, tmp_path / name)
    run(str(NPM), "ci", "--silent", "--no-audit", "--no-fund", cwd=tmp_path)
    compiler = tmp_path / "node_modules" / ".bin" / "tsc"
    run(str(compiler), "-p", str(DRIVERS), cwd=ROOT)
    checked = run(str(compiler), "-p", str(DRIVERS), "--listFilesOnly", cwd=ROOT).splitlines()
    written = [path for path in (ROOT / "src").rglob("*.js") if path.parent.name in ("js", "static")]
    ours = {path for path in written if "verify" in path.parts or "checker" in path.parts}
    assert ours <= {Path(line) for line in checked}
    wrong = tmp_path / "wrong.js"
    wrong.write_text("/** @param {number} x @returns {string} */\nexport const f = (x) => x;\n")
    with pytest.raises(AssertionError, match="not assignable"):
        run(str(compiler), "--allowJs", "--checkJs", "--noEmit", str(wrong), cwd=tmp_path)


NUMBERS = ("a", "b", "c")
MANY = [Fraction(0), Fraction(1, 3), Fraction(7, 2)]


def number(chance: random.Random, depth: int) -> str:
    """A formula of a number: whatever the book may write."""
    if depth == 0:
        return chance.choice((*NUMBERS, str(chance.randrange(20)), str(10 ** chance.randrange(30))))
    one, other = number(chance, depth - 1), number(chance, chance.randrange(depth))
    positive, few = f"(1 + ({one}) ** 2)", chance.randrange(12)
    small, law = f"min(({one}) ** 2, 40)", chance.choice(('"majority"', '"weights"'))
    inside = f"(({one}) ** 2 / (1 + ({one}) ** 2))"
    return chance.choice(
        (
            f"{one} {chance.choice('+-*/')} {other}",
            f"({one}) {chance.choice('+-*/')} ({other})",
            f"({one}) // ({other})",
            f"-{one}",
            f"-({one}) ** {few}",
            f"({one}) ** {few}",
            f"({one} if {truth(chance, depth - 1)} else {other})",
            f"{chance.choice(('min', 'max'))}({one}, {other})",
            f"{chance.choice(('floor', 'ceil', 'short', 'up12', 'up24'))}({one})",
            f"bits(floor({one}))",
            f"{chance.choice(('ln_up', 'ln_down', 'root_up'))}({positive})",
            f"pow({positive}, {chance.choice((few, 1000 * few))})",
            f"up24(power_above({inside}, {few}))",
            f"up12(ln_above({positive}) + ln_below({positive}))",
            f"exp30({small})",
            f"exp_of(loss(1 + {small}, {positive}))",
            f"up12(max(e * {few} for e in exp_ends({small})))",
            f"up(loss({small}, {positive}))",
            f"labellings(floor({small}), {few})",
            f"fold({positive}, {few + 3}, {few // 2})",
            f"range_fold({small} / 40, {few + 2}, {small} / 20)",
            f"vote_error({inside}, {few + 1}, {inside}, {law})",
            f"sum(x * {one} for x in many)",
            f"min(x - {other} for x in many)",
        )
    )


def truth(chance: random.Random, depth: int) -> str:
    """A formula that is true or false."""
    if depth == 0:
        return chance.choice(("true", "false", "a < b", "a == c", "b != 1"))
    one, other = truth(chance, depth - 1), truth(chance, chance.randrange(depth))
    x, y, z = (number(chance, chance.randrange(depth)) for _ in range(3))
    signs = ("<", "<=", "==", "!=", ">", ">=")
    return chance.choice(
        (
            f"({one} and {other})",
            f"({one} or not {other})",
            f"(not {one})",
            f"{x} {chance.choice(signs)} {y}",
            f"{x} {chance.choice(signs)} {y} {chance.choice(signs)} {z}",
            f"is_whole({x})",
            f"({one} if {other} else is_prime(floor(min(({x}) ** 2, 1000))))",
            f"reaches(2, {chance.randrange(20)}, floor({x}))",
            f"at_most(loss({x}, 1 + ({y}) ** 2), loss({z}, 1))",
            f"above(loss({x}, 1 + ({y}) ** 2), loss({z}, 1))",
            f"power_at_most(({x}) ** 2, 1 / (1 + ({y}) ** 2), {chance.randrange(99)}, {z})",
            f"all({one} for x in many) and any({other} for x in many)",
        )
    )


def worked_out(text: str, names: dict[str, Fraction]) -> str:
    """What Python makes of it, as `evaluate.mjs` writes it."""
    formula = Formula(text, book().scope, (*NUMBERS, "many"))
    formula.check()
    try:
        value = formula({**names, "many": MANY})
    except (Broken, ArithmeticError):
        return "refused"
    return f"{value.numerator:x}/{value.denominator:x}" if isinstance(value, Fraction) else str(value).lower()


def test_formulas_drawn_at_random_come_to_the_same() -> None:
    """All operators and functions of the book, worked out by two evaluators and two arithmetics."""
    chance, asked = random.Random(51), []
    for _ in range(3000):
        make = chance.choice((number, truth))
        names = {name: Fraction(chance.randrange(-30, 60), chance.choice((1, 2, 7, 100))) for name in NUMBERS}
        asked.append((make(chance, chance.randrange(1, 4)), names))
    many = [str(value) for value in MANY]
    lines = "".join(
        json.dumps(
            {"formula": text, "names": {"many": many, **{name: str(value) for name, value in names.items()}}}
        )
        + "\n"
        for text, names in asked
    )
    answers = run(str(NODE), "evaluate.mjs", cwd=DRIVERS, given=lines).splitlines()
    expected = [worked_out(text, names) for text, names in asked]
    differing = [
        (text, names, mine[:80], theirs[:80])
        for (text, names), mine, theirs in zip(asked, expected, answers, strict=True)
        if mine != theirs
    ]
    assert differing == []
    assert 10 < expected.count("refused") < 500
    used = {name for text, _ in asked for name in FUNCTIONS if f"{name}(" in text}
    assert FUNCTIONS.keys() - used == ELSEWHERE
    assert {"true", "false"} <= set(expected)


ELSEWHERE = {
    *(
        "same",
        "distinct",
        "length",
        "pairs",
        "product",
        "short_product",
        "few_above",
        "exp_below",
        "exp_above",
    ),
    *("clipped_holds", "sparse_holds"),
}
"""Functions of facts and lists, and bounds that are rounded as either arithmetic likes: vectors call them."""


def test_both_checkers_accept_every_stored_wish_with_other_numbers() -> None:
    """Certificates of every word, method and predictor that was stored, at another epsilon, delta and size."""
    chance, made = random.Random(1127), {}
    for file in accepted():
        tree = json.loads(file.text)
        if file.kind == "document" and "schema" in tree:
            for _ in range(2):
                with suppress(PrivpacError):  # so few records, so small an epsilon: nothing is certified
                    made[f"{file.name} {len(made)}"] = json.dumps(recertified(tree, chance).to_json())
    assert len(made) > 200
    verdicts = judged([("document", text) for text in made.values()])
    for (name, text), verdict in zip(made.items(), verdicts, strict=True):
        assert objection("document", text) == "", name
        assert verdict["accepted"], (name, verdict["reason"])


def recertified(tree: dict[str, Any], chance: random.Random) -> Certificate:
    """The certificate that the stored wishes lead to with other numbers."""
    schema, wishes = Schema.from_json(tree["schema"]), dict(tree["certificate"]["request"])
    wishes["epsilon"] = chance.choice(("0.1", "1/3", "1", "4", "25"))
    if wishes.get("delta", "0") != "0":
        wishes["delta"] = chance.choice(("0.001", "0.000000001"))
    if tree["format"] == TABLE:
        size = Size(chance.choice((100, 12_345)), 0)
        return TableRequest.from_json(wishes, schema=schema, size=size).certify()
    if tree["format"] != MODEL:
        return offer_from_json(wishes, schema=schema, coins="system").certify()
    concepts = concepts_from_json(wishes["concepts"], schema)
    if "few_labels" in wishes:
        size = Size(wishes["labelled"], wishes["unlabelled"])
        request = request_from_json(wishes, schema=schema, size=size)
        return FewLabels(concepts, request, Settings.from_json(wishes["few_labels"])).certify()
    labelled = chance.choice((100, 4567, 1_000_000))
    request = request_from_json(wishes, schema=schema, size=Size(labelled))
    shares = {
        name: None if wishes[name] is None else read_number(wishes[name])
        for name in ("estimate_epsilon", "leaf_epsilon")
    }
    return Recipe(concepts, request, holdout=read_number(wishes["holdout"]), **shares).certify()


def test_both_checkers_agree_on_every_edit_of_one_field() -> None:
    """Everything that `tests/unit/checker` tries on certificates of every kind, and values of any kind anywhere."""
    chance, files = random.Random(27), []
    for name in DERIVATIONS:
        tree = certificate(name)
        for path in leaves(tree):
            tried = [*edits(path, at(tree, path)), *chance.sample(VALUES, 5)]
            files += [json.dumps(put(tree, path, value)) for value in tried]
    assert len(files) > 20_000
    verdicts = judged([("document", text) for text in files])
    differing = []
    for text, verdict in zip(files, verdicts, strict=True):
        found = objection("document", text)
        if verdict["accepted"] is not (found == ""):
            differing.append((found, verdict["reason"], text))
    assert differing == []
