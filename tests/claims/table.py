"""What everything promises today: one line per subject, in decimals that people can read.

`python -m tests.claims` writes the numbers anew. Who changes one says why, in a commit of its own. With `--new`, stored
numbers stay as they are, and those of new subjects are added.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, is_dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, product
from pathlib import Path
from typing import Any

from privpac.constructions import catalogue
from privpac.data.sample import Size
from privpac.errors import PrivpacError
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.theorem import AccuracyBound
from tests.claims import subjects
from tests.claims.classes import CLASSES
from tests.contracts.examples import EXAMPLES
from tests.vectors.remaking import bound_of

NUMBERS = Path(__file__).with_name("numbers")
TRIED = 8
"""Settings of a formula."""
CERTIFIED = ("words", "learners", "others")
PARTS = ("words", "learners", "others", "classes", "rules", "theorems", "formulas", "plans")

Row = tuple[str, str, Any]
"""Family, subject and what is promised."""


def shown(value: Any) -> Any:
    """What a file holds of it: twelve digits, since the last ones of an upper bound are nobody's promise."""
    if isinstance(value, Fraction | float):
        return f"{float(value):.12g}"
    if is_dataclass(value) and not isinstance(value, type):
        return shown(astuple(value))
    if isinstance(value, Mapping):
        return {str(key): shown(one) for key, one in value.items()}
    return [shown(one) for one in value] if isinstance(value, tuple | list) else value


def attempted(run: Callable[[], Any]) -> Any:
    """What comes out, or which refusal."""
    try:
        return shown(run())
    except PrivpacError as refusal:
        return _refused(refusal)


def _refused(refusal: PrivpacError) -> str:
    about = "" if refusal.parameter is None else f" of {refusal.parameter}"
    return f"{type(refusal).__name__}{about}"


def promised(certificate: Certificate) -> Any:
    """What people act on: the loss, whose, and each error with what it takes for granted."""
    fact = certificate.privacy.fact
    errors = [
        (one.fact.against.value, one.fact.error, one.fact.failure, sorted(one.assumptions))
        for one in certificate.accuracy
    ]
    answers = [(one.fact.error, one.fact.failure) for one in certificate.answers]
    parts = {name: (one.epsilon.upper, one.delta) for name, one in certificate.parts.items()}
    return [fact.epsilon.upper, fact.delta, str(fact.unit), *errors, *answers, *([parts] if parts else [])]


@cache
def certificates(part: str) -> tuple[tuple[Any, Certificate | PrivpacError], ...]:
    """What is certified of every subject of a part, or the refusal; computed once in a run."""
    asked: Iterator[tuple[Any, Callable[[], Certificate]]] = {
        "words": lambda: ((one, one.certify) for one in chain(subjects.words(), subjects.refused())),
        "learners": lambda: (
            ((name, n), lambda n=n, name=name: subjects.learners()[name].certify(Size(n)))
            for name in subjects.learners()
            for n in subjects.SIZES
        ),
        "others": lambda: (
            (one, one.certify)
            for one in chain(subjects.few_labels(), subjects.predictors(), subjects.releases())
        ),
    }[part]()
    return tuple((subject, _or_refusal(certify)) for subject, certify in asked)


def _or_refusal(certify: Callable[[], Certificate]) -> Certificate | PrivpacError:
    try:
        return certify()
    except PrivpacError as refusal:
        return refusal


def _of(found: Certificate | PrivpacError) -> Any:
    return _refused(found) if isinstance(found, PrivpacError) else shown(promised(found))


def words() -> Iterator[Row]:
    for asked, found in certificates("words"):
        yield asked.family, str(asked), _of(found)


def least(learner: Any) -> int | None:
    """The fewest records that it accepts."""
    return next((n for n in range(1, 500) if attempted(lambda n=n: learner.require(Size(n))) is None), None)


def learners() -> Iterator[Row]:
    for (name, n), found in certificates("learners"):
        learner = subjects.learners()[name]
        family = subjects.family_of(type(learner))
        if n == subjects.SIZES[0]:
            yield family, f"{name}: fewest records", least(learner)
        yield family, f"{name}: {n}", _of(found)


def others() -> Iterator[Row]:
    for other, found in certificates("others"):
        yield other.family, str(other), _of(found)


def classes() -> Iterator[Row]:
    for name, make in CLASSES.items():
        concepts = make()
        yield "classes", name, shown([concepts.size, concepts.odds, concepts.vc])


def variations(where: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Each number 0, -1, 1, one less, one more, three times."""
    yield dict(where)
    numbers = {name: value for name, value in where.items() if not isinstance(value, str)}
    for name, value in numbers.items():
        others = {type(value)(other) for other in (0, -1, 1, value - 1, value + 1, 3 * value)}
        yield from ({**where, name: other} for other in sorted(others - {value}))


def rules() -> Iterator[Row]:
    for key, make in EXAMPLES.items():
        yield "rules", key, attempted(lambda make=make: _fact(make()))
    for name, (rule, premise, where) in subjects.varied_rules().items():
        for other in variations(where):
            called = f"{name}: {', '.join(subjects.listed(other))}"
            yield "rules", called, attempted(lambda r=rule, p=premise, o=other: _fact(r(p, **o)))
        for what, strange in subjects.premises().items():
            if type(strange.fact) is type(premise.fact):
                yield (
                    "rules",
                    f"{name} of {what}",
                    attempted(lambda r=rule, s=strange, w=where: _fact(r(s, **w))),
                )


def theorems() -> Iterator[Row]:
    """What the bound of every example proves from fewer records and from more."""
    for key, theorem in catalogue.theorems().items():
        if issubclass(theorem, AccuracyBound):
            step = EXAMPLES[key]()
            bound, n = bound_of(step), step.fact.records  # type: ignore[attr-defined]
            for records in (n // 2, n, 10 * n):
                called = f"{key}: error of {records} records"
                yield (
                    subjects.family_of(theorem),
                    called,
                    attempted(lambda b=bound, m=records: b.error(m, TWENTIETH)),
                )
            called = f"{key}: records for a tenth"
            yield subjects.family_of(theorem), called, attempted(lambda b=bound: b.records(TENTH, TWENTIETH))


TENTH, TWENTIETH = Fraction(1, 10), Fraction(1, 20)


def _fact(proof: Any) -> Any:
    tree = proof.fact.to_json()
    return {key: value for key, value in tree.items() if value is not None}


def formulas() -> Iterator[Row]:
    for name, formula in subjects.formulas().items():
        parameters = subjects.asked_of(formula) or {}
        every = list(product(*parameters.values()))
        for chosen in random.Random(name).sample(every, min(TRIED, len(every))):
            asked = dict(zip(parameters, chosen, strict=True))
            called = f"{name}: {', '.join(subjects.listed(asked))}"
            yield subjects.family_of(formula), called, attempted(lambda f=formula, a=asked: f(**read(a)))


def read(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers that stand in tables as texts."""
    return {key: Fraction(value) if isinstance(value, str) else value for key, value in asked.items()}


def plans() -> Iterator[Row]:
    for question, ask in subjects.questions():
        try:
            found = ask()
        except PrivpacError as refusal:
            yield "plans", question, type(refusal).__name__
            continue
        for row in found.rows:
            called = f"{question}: {row.concepts}: {row.learner}, {row.setting}, {row.way.protects}"
            if row.way.planned.aims:  # the word names numbers that follow from the question
                called = f"{question}: {row.learner}, {row.setting}, {row.way.protects}"
            if row.way.protects == "records" and row.unlabelled:
                called += ", unlabelled"
            yield "plans", called, shown([row.proved, row.records, row.unlabelled, row.floor])


@cache
def part(name: str) -> tuple[Row, ...]:
    """All rows of a part, computed once in a run."""
    made = tuple(globals()[name]())
    twice = [key for key in {row[:2] for row in made} if sum(row[:2] == key for row in made) > 1]
    assert not twice, f"two subjects of one name: {twice}"
    return made


def rows() -> dict[str, dict[str, Any]]:
    """What is promised today, by family and subject, as a file holds it."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for family, subject, value in chain.from_iterable(map(part, PARTS)):
        found[family][subject] = value
    return json.loads(json.dumps(found))


def stored() -> dict[str, dict[str, Any]]:
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(NUMBERS.glob("*.json"))
    }


def write(*, only_new: bool = False) -> None:
    """The numbers anew, a line each; or only those of subjects without any."""
    NUMBERS.mkdir(exist_ok=True)
    made, known = rows(), stored() if only_new else {}
    for path in NUMBERS.glob("*.json"):
        if path.stem not in made:
            path.unlink()
    for family, lines in made.items():
        kept = {subject: known.get(family, {}).get(subject, value) for subject, value in lines.items()}
        text = ",\n".join(f"{json.dumps(subject)}: {json.dumps(value)}" for subject, value in kept.items())
        (NUMBERS / f"{family}.json").write_text("{\n" + text + "\n}\n", encoding="utf-8")
