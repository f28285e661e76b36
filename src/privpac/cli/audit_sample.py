"""`privpac audit sample` and `one-run`: a lower bound on the epsilon of anybody's function, by running it.

The second is for learners too slow to repeat: it trains once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.options import argument, count, flag, option
from privpac.errors import NotCertified, ParameterError

if TYPE_CHECKING:
    from privpac.audit.controls import Controls
    from privpac.audit.one_run import OneRun
    from privpac.audit.sample import Pair, Sampled

__all__ = ["one_run", "sample"]

OWNER = "audit sample"
ONE_RUN = "audit one-run"
BOUND = "Steinke, Nasr and Jagielski 2023, Theorem 5.2"

Epsilon = Annotated[str, option("E", "The claim to test.")]
Delta = Annotated[str, option("D", "The delta of the claim.")]
Confidence = Annotated[str, option("C", "Confidence of the lower bound.")]


def sample(
    function: Annotated[str, argument("MODULE:FUNCTION", "A function (dataset, seed) -> output.")],
    *,
    epsilon: Epsilon,
    delta: Delta = "0",
    runs: Annotated[int, count("Calls of the function in all.")] = 10_000,
    confidence: Confidence = "0.999",
    seed: Annotated[int | None, option("S", "Makes the audit repeatable; left out: fresh seeds.")] = None,
    show_data: Annotated[bool, flag("--show-data", "Show the pair of inputs that was tested.")] = False,
    as_json: Json = False,
) -> None:
    """Bound the epsilon of a black box from below. Exit code 4 if the bound exceeds the claim.

    The module may hold PAIRS (neighbouring inputs to try as well) and RECORDS (possible records; left out: 0 and 1),
    from which small neighbouring inputs are made.
    """
    from privpac.audit.controls import run_controls
    from privpac.audit.sample import audit_samples

    module, box = _function(function, "function", "output", owner=OWNER)
    pairs = _pairs(module)
    with console.progress("Running", as_json=as_json, patience=0.0) as report:
        result = audit_samples(
            box,
            pairs,
            epsilon=epsilon,
            delta=delta,
            runs=runs,
            confidence=confidence,
            seed=seed,
            progress=lambda calls: report(calls, runs),
        )
    controls = run_controls(
        epsilon=result.epsilon, delta=result.delta, runs=runs, confidence=result.confidence, seed=seed
    )
    tree = _json(function, result, controls)
    if show_data:
        tree["inputs"] = [repr(data) for data in pairs[result.pair]]
    console.show_result(tree, "\n".join(_lines(tree)), as_json=as_json)
    _refuse_broken(tree)


def _pairs(module: object) -> list[Pair]:
    from privpac.audit.sample import candidate_pairs

    value = getattr(module, "PAIRS", None)
    records = getattr(module, "RECORDS", None)
    pairs = [] if value is None else [_pair(pair) for pair in value]
    if records is not None or value is None:
        pairs += candidate_pairs((0, 1) if records is None else list(records))
    return pairs


def _pair(pair: Sequence[Any]) -> Pair:
    """Two inputs of the same length that differ in one place; anything else would test another claim."""
    requirement = "pairs of inputs that differ in exactly one record"
    try:
        one, other = pair
        different = sum(repr(a) != repr(b) for a, b in zip(one, other, strict=True))
    except (TypeError, ValueError):
        raise ParameterError(OWNER, "PAIRS", "something else", allowed=requirement) from None
    if different != 1:
        raise ParameterError(OWNER, "PAIRS", f"a pair with {different} differences", allowed=requirement)
    return one, other


def _json(function: str, result: Sampled, controls: Controls) -> dict[str, Any]:
    return {
        **_claim(function, result),
        "runs": result.runs,
        "event": result.event,
        "pair": result.pair,
        "hits": list(result.hits),
        "tested": result.tested,
        "errors": result.errors,
        "seconds": round(result.seconds, 3),
        "controls": {
            "right_flagged": controls.right.broken,
            "louder_by_a_fifth_flagged": controls.louder.broken,
            "power_of_that": round(controls.power, 4),
        },
    }


def _lines(tree: dict[str, Any]) -> list[str]:
    lines = [
        _verdict(tree),
        f"Tested: {tree['event']} on pair {tree['pair']}, seen {tree['hits'][0]} and {tree['hits'][1]} times in"
        f" {tree['tested']} runs each; {tree['runs']} runs in all.",
        f"Controls: a mechanism of exactly this epsilon was {_word(tree, 'right_flagged')}; one of 1.2 times it was"
        f" {_word(tree, 'louder_by_a_fifth_flagged')}, which so many runs do with probability"
        f" {tree['controls']['power_of_that']:.2f}.",
    ]
    if tree["errors"]:
        lines.append(f"{tree['errors']} runs raised an exception, which counts as an output.")
    if tree["verdict"] != "broken":
        lines.append("Not being refuted is no proof: another pair or event may tell more.")
    return lines + [f"Input: {text}" for text in tree.get("inputs", ())]


def _word(tree: dict[str, Any], name: str) -> str:
    return "flagged" if tree["controls"][name] else "not flagged"


def one_run(
    train: Annotated[str, argument("MODULE:TRAIN", "A function (dataset, seed) -> model, called once.")],
    *,
    epsilon: Epsilon,
    delta: Delta = "0",
    guesses: Annotated[int | None, count("Canaries to guess; left out: a third of them.")] = None,
    confidence: Confidence = "0.999",
    seed: Annotated[int | None, option("S", "Makes the audit repeatable; left out: fresh coins.")] = None,
    as_json: Json = False,
) -> None:
    """Bound epsilon from below by training once.

    Canaries are put into the data. Exit code 4 if the claim is broken. The module must hold `score(model, record)`,
    large if the model seems to have seen that record, and CANARIES, a list of pairs of records of which one each is put
    in; it may hold OTHERS, records that are always there.
    """
    from privpac.audit.one_run import audit_one_run

    module, box = _function(train, "train", "model", owner=ONE_RUN)
    canaries = _canaries(module)
    with console.working("Training once", as_json=as_json):
        result = audit_one_run(
            box,
            _score(module),
            canaries,
            others=list(getattr(module, "OTHERS", ())),
            guesses=max(1, len(canaries) // 3) if guesses is None else guesses,
            epsilon=epsilon,
            delta=delta,
            confidence=confidence,
            seed=seed,
        )
    tree = {
        **_claim(train, result),
        "canaries": result.canaries,
        "guesses": result.guesses,
        "correct": result.correct,
        "bound": BOUND,
    }
    lines = [
        _verdict(tree),
        f"One training with {tree['canaries']} canaries; {tree['correct']} of {tree['guesses']} guesses were right"
        f" (bound: {BOUND}).",
    ]
    if not result.broken:
        lines.append("Not being refuted is no proof: more canaries, or a better score, may tell more.")
    console.show_result(tree, "\n".join(lines), as_json=as_json)
    _refuse_broken(tree)


def _score(module: object) -> Callable[[Any, Any], float]:
    score: Any = getattr(module, "score", None)
    if not callable(score):
        raise ParameterError(
            ONE_RUN, "score", "nothing", allowed="a function score(model, record) in the module"
        )
    function: Callable[[Any, Any], float] = score
    return function


def _canaries(module: object) -> Sequence[tuple[Any, Any]]:
    value = getattr(module, "CANARIES", None)
    requirement = "CANARIES in the module, a list of pairs of different records"
    try:
        pairs = [(one, other) for one, other in value or ()]
    except (TypeError, ValueError):
        raise ParameterError(ONE_RUN, "CANARIES", "something else", allowed=requirement) from None
    if not pairs:
        raise ParameterError(ONE_RUN, "CANARIES", "nothing", allowed=requirement)
    return pairs


def _function(text: str, parameter: str, output: str, *, owner: str) -> tuple[object, Callable[..., Any]]:
    """A user's module, and the function in it that is audited."""
    from privpac.cli.imported import imported

    module, box = imported(text, owner=owner, parameter=parameter)
    if not callable(box):
        raise ParameterError(owner, parameter, text, allowed=f"a function (dataset, seed) -> {output}")
    return module, box


def _claim(name: str, result: Sampled | OneRun) -> dict[str, Any]:
    """What was claimed of a function, and what is known of it now."""
    return {
        "name": name,
        "verdict": "broken" if result.broken else "not refuted",
        "claimed_epsilon": float(result.epsilon),
        "claimed_delta": float(result.delta),
        "lower_bound": float(result.lower_bound),
        "confidence": float(result.confidence),
    }


def _verdict(tree: dict[str, Any]) -> str:
    return (
        f"{tree['verdict'].capitalize()}: epsilon is at least {tree['lower_bound']:.4f} with confidence"
        f" {tree['confidence']}; claimed are epsilon {tree['claimed_epsilon']}, delta {tree['claimed_delta']}."
    )


def _refuse_broken(tree: dict[str, Any]) -> None:
    if tree["verdict"] == "broken":
        raise NotCertified(
            f"The claim is broken: epsilon is at least {tree['lower_bound']:.4f}, with confidence"
            f" {tree['confidence']}."
        )
