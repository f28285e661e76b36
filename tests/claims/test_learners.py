"""Every word, learner, method of few labels, predictor and release: its certificate is derived again, what is asked is
what is promised, what is certified can be run, and nonsense is refused by name.

Nothing here knows a family: who adds a learner adds its rows to `subjects.py`, if no word builds it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import fields, replace
from fractions import Fraction
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import pytest

from privpac.checker.check import check_certificate
from privpac.coins import SeededCoins
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.constructions.base import Learner
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.errors import ParameterError, PrivpacError, SizeError
from tests.claims import subjects, table
from tests.claims.subjects import SCHEMA, records
from tests.together import together

N = 200
LARGER = ("auto", "graded-tree")
OF_THEIR_OWN = ("denoised-cuts:", "points:c:sampled", "points:c:keyed")
"""Words that add a failure of their own to what was asked, and say so."""


# What is certified


@pytest.mark.parametrize("part", table.CERTIFIED)
def test_every_certificate_is_derived_again(part: str) -> None:
    certified = [one for _, one in table.certificates(part) if not isinstance(one, PrivpacError)]
    assert certified
    for certificate in certified:
        assert check_certificate(certificate.to_json()) >= 2


def test_people_are_promised_what_was_asked() -> None:
    for asked, certificate in table.certificates("words"):
        if isinstance(certificate, PrivpacError):
            continue
        fact = certificate.privacy.fact
        wanted = asked.request.epsilon + sum(v for k, v in asked.extras.items() if k.endswith("epsilon"))
        assert 0 < fact.epsilon.upper <= wanted, asked
        assert fact.delta <= asked.request.delta, asked
        if not asked.word.startswith(OF_THEIR_OWN):
            assert all(one.fact.failure <= asked.request.failure for one in certificate.accuracy), asked


def test_more_records_and_more_epsilon_promise_no_larger_error() -> None:
    """Of one word with the same other wishes, by setting and rivals. `LARGER` draw from larger classes where there is
    more epsilon, and promise less against the rules of a smaller one."""
    best: dict[Any, list[tuple[int, Fraction, Any]]] = defaultdict(list)
    for asked, certificate in table.certificates("words"):
        if isinstance(certificate, PrivpacError) or asked.word in LARGER:
            continue
        others = {key: value for key, value in asked.wishes.items() if key != "epsilon"}
        for proof in certificate.accuracy:
            key = (
                asked.word,
                str(others),
                str(asked.extras),
                asked.schema,
                proof.fact.against,
                proof.fact.rivals,
            )
            best[key].append((asked.n, asked.request.epsilon, proof.fact))
    compared = 0
    for rows in best.values():
        for n, epsilon, fact in rows:
            for more, larger, other in rows:
                if more >= n and larger >= epsilon and other.failure >= fact.failure:
                    assert other.error <= fact.error, (n, epsilon, more, larger)
                    compared += more > n or larger > epsilon
    assert compared > 100


# What is refused


def test_what_must_not_be_built_is_refused_with_what_to_do() -> None:
    for asked in chain(subjects.refused(), subjects.further_refused()):
        with pytest.raises(PrivpacError) as refusal:
            asked.certify()
        if isinstance(refusal.value, ParameterError):
            assert refusal.value.owner, asked
            assert refusal.value.parameter, asked
        else:
            assert refusal.value.remedy, asked


@cache
def every() -> Mapping[str, Learner]:
    """Learners of Python, and what every word builds."""
    named = {str(asked): asked for asked in subjects.plain_words() if not asked.word.startswith("finite:")}
    return {**subjects.learners(), **{name: asked.learner() for name, asked in named.items()}}


@together(every)
def test_no_nonsense_is_a_parameter(name: str) -> None:
    learner: Any = every()[name]
    for one in fields(learner):
        value = getattr(learner, one.name)
        if isinstance(value, bool) or not isinstance(value, int | Fraction):
            continue
        for wrong in (-1, Fraction(-1, 2), float("nan"), "x", None):
            if wrong is None and "None" in str(one.type):
                continue
            with pytest.raises(ParameterError) as refusal:
                replace(learner, **{one.name: wrong})
            assert refusal.value.parameter == one.name, (one.name, wrong)


@together(lambda: [name for name, one in every().items() if any(f.name == "costs" for f in fields(one))])
def test_no_nonsense_is_a_cost(name: str) -> None:
    for wrong in ((1,), (1, 0), (1, -2), (1, True), (1, 1.5), (1, 2, 3, 4, 5, 6, 7)):
        with pytest.raises(ParameterError) as refusal:
            replace(every()[name], costs=wrong)
        assert refusal.value.parameter == "costs", wrong


@together(subjects.learners)
def test_what_is_certified_can_be_run_and_nothing_else(name: str) -> None:
    learner = subjects.learners()[name]
    few = table.least(learner)
    assert few is not None
    for n in sorted({1, few - 1, few} - {0}):
        for run in (learner.require, learner.certify, lambda size: _drawn(learner, size.labelled)):
            if n >= few:
                run(Size(n))
            else:
                with pytest.raises(SizeError):
                    run(Size(n))


# What is drawn


def _drawn(learner: Learner, n: int, seed: int = 1) -> Any:
    return learner.learn(records(n, schema=learner.concepts.schema), SeededCoins(seed))


@together(subjects.learners)
def test_what_is_drawn_can_be_released_read_back_and_drawn_again(name: str) -> None:
    learner = subjects.learners()[name]
    n = max(N, table.least(learner) or 0)
    drawn = [_drawn(learner, n, seed) for seed in (1, 1, 2, 3, 4)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) > 1
    for rule in drawn:
        assert learner.releases(rule, Size(n))
        assert hypothesis_from_json(rule.to_json()) == rule


def test_on_records_of_a_member_the_rule_errs_as_little_as_promised() -> None:
    """Labels are those of a rule drawn without a record; what is learnt from them is held against other records."""
    tried = 0
    for asked in subjects.plain_words():
        if asked.word.startswith("finite:"):
            continue
        learner = replace(asked, n=3_000, wishes={**asked.wishes, "epsilon": Fraction(4)}).learner()
        proofs = learner.certify(Size(3_000)).accuracy
        errors = [proof.fact.error for proof in proofs if proof.fact.against.value == "realizable"]
        if not errors:
            continue
        empty = records(0).reduce(learner.concepts.statistic)
        target = learner.concepts.gibbs(empty, ratio=Fraction(1, 2), costs=(1, 1)).draw(SeededCoins(5))
        cells, others = records(3_000, seed=1).block().cells, records(3_000, seed=2).block().cells
        rule = learner.learn(MemorySample.from_cells(SCHEMA, cells, target.predict(cells)), SeededCoins(1))
        assert np.mean(rule.predict(others) != target.predict(others)) <= float(max(errors)), str(asked)
        tried += 1
    assert tried > 30
