"""`privpac audit one-run`: a lower bound on epsilon from a single training, for learners too slow to repeat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.options import count
from privpac.errors import NotCertified, ParameterError

__all__ = ["one_run"]

OWNER = "audit one-run"
BOUND = "Steinke, Nasr and Jagielski 2023, Theorem 5.2"


def one_run(
    train: Annotated[
        str, typer.Argument(metavar="MODULE:TRAIN", help="A function (dataset, seed) -> model, called once.")
    ],
    *,
    epsilon: Annotated[str, typer.Option(metavar="E", help="The claim to test.")],
    delta: Annotated[str, typer.Option(metavar="D", help="The delta of the claim.")] = "0",
    guesses: Annotated[int | None, count("Canaries to guess; left out: a third of them.")] = None,
    confidence: Annotated[str, typer.Option(metavar="C", help="Confidence of the lower bound.")] = "0.999",
    seed: Annotated[
        int | None, typer.Option(metavar="S", help="Makes the audit repeatable; left out: fresh coins.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Bound epsilon from below by training once.

    Canaries are put into the data. Exit code 4 if the claim is broken. The module must hold `score(model, record)`,
    large if the model seems to have seen that record, and CANARIES, a list of pairs of records of which one each is put
    in; it may hold OTHERS, records that are always there.
    """
    from privpac.audit.one_run import audit_one_run
    from privpac.cli.imported import imported

    module, box = imported(train, owner=OWNER, parameter="train")
    if not callable(box):
        raise ParameterError(OWNER, "train", train, allowed="a function (dataset, seed) -> model")
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
        "name": train,
        "verdict": "broken" if result.broken else "not refuted",
        "claimed_epsilon": float(result.epsilon),
        "claimed_delta": float(result.delta),
        "lower_bound": float(result.lower_bound),
        "confidence": float(result.confidence),
        "canaries": result.canaries,
        "guesses": result.guesses,
        "correct": result.correct,
        "bound": BOUND,
    }
    if as_json:
        console.show_json(tree)
    else:
        console.show("\n".join(_lines(tree)))
    if result.broken:
        raise NotCertified(
            f"The claim is broken: epsilon is at least {tree['lower_bound']:.4f}, with confidence"
            f" {tree['confidence']}."
        )


def _score(module: object) -> Callable[[Any, Any], float]:
    score: Any = getattr(module, "score", None)
    if not callable(score):
        raise ParameterError(
            OWNER, "score", "nothing", allowed="a function score(model, record) in the module"
        )
    function: Callable[[Any, Any], float] = score
    return function


def _canaries(module: object) -> Sequence[tuple[Any, Any]]:
    value = getattr(module, "CANARIES", None)
    requirement = "CANARIES in the module, a list of pairs of different records"
    try:
        pairs = [(one, other) for one, other in value or ()]
    except (TypeError, ValueError):
        raise ParameterError(OWNER, "CANARIES", "something else", allowed=requirement) from None
    if not pairs:
        raise ParameterError(OWNER, "CANARIES", "nothing", allowed=requirement)
    return pairs


def _lines(tree: dict[str, Any]) -> list[str]:
    return [
        f"{tree['verdict'].capitalize()}: epsilon is at least {tree['lower_bound']:.4f} with confidence"
        f" {tree['confidence']}; claimed are epsilon {tree['claimed_epsilon']}, delta {tree['claimed_delta']}.",
        f"One training with {tree['canaries']} canaries; {tree['correct']} of {tree['guesses']} guesses were right"
        f" (bound: {tree['bound']}).",
        *(
            []
            if tree["verdict"] == "broken"
            else ["Not being refuted is no proof: more canaries, or a better score, may tell more."]
        ),
    ]
