"""`privpac audit sample`: a lower bound on the epsilon of anybody's function, by running it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.options import count
from privpac.errors import NotCertified, ParameterError

if TYPE_CHECKING:
    from privpac.audit.controls import Controls
    from privpac.audit.sample import Pair, Sampled

__all__ = ["sample"]

OWNER = "audit sample"


def sample(
    function: Annotated[
        str, typer.Argument(metavar="MODULE:FUNCTION", help="A function (dataset, seed) -> output.")
    ],
    *,
    epsilon: Annotated[str, typer.Option(metavar="E", help="The claim to test.")],
    delta: Annotated[str, typer.Option(metavar="D", help="The delta of the claim.")] = "0",
    runs: Annotated[int, count("Calls of the function in all.")] = 10_000,
    confidence: Annotated[str, typer.Option(metavar="C", help="Confidence of the lower bound.")] = "0.999",
    seed: Annotated[
        int | None, typer.Option(metavar="S", help="Makes the audit repeatable; left out: fresh seeds.")
    ] = None,
    show_data: Annotated[
        bool, typer.Option("--show-data", help="Show the pair of inputs that was tested.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Bound the epsilon of a black box from below. Exit code 4 if the bound exceeds the claim.

    The module may hold PAIRS (neighbouring inputs to try as well) and RECORDS (possible records; left out: 0 and 1),
    from which small neighbouring inputs are made.
    """
    from privpac.audit.controls import run_controls
    from privpac.audit.sample import audit_samples
    from privpac.cli.imported import imported

    module, box = imported(function, owner=OWNER, parameter="function")
    if not callable(box):
        raise ParameterError(OWNER, "function", function, allowed="a function (dataset, seed) -> output")
    pairs = _pairs(module)
    with _bar(runs, as_json=as_json) as progress:
        result = audit_samples(
            box,
            pairs,
            epsilon=epsilon,
            delta=delta,
            runs=runs,
            confidence=confidence,
            seed=seed,
            progress=progress,
        )
    controls = run_controls(
        epsilon=result.epsilon, delta=result.delta, runs=runs, confidence=result.confidence, seed=seed
    )
    tree = _json(function, result, controls)
    if show_data:
        tree["inputs"] = [repr(data) for data in pairs[result.pair]]
    if as_json:
        console.show_json(tree)
    else:
        console.show("\n".join(_lines(tree)))
    if result.broken:
        raise NotCertified(
            f"The claim is broken: epsilon is at least {float(result.lower_bound):.4f}, with confidence"
            f" {float(result.confidence)}."
        )


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


@contextmanager
def _bar(runs: int, *, as_json: bool) -> Iterator[Callable[[int], None] | None]:
    if as_json or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Running", total=runs)
        yield lambda calls: bar.update(task, completed=calls)


def _json(function: str, result: Sampled, controls: Controls) -> dict[str, Any]:
    return {
        "name": function,
        "verdict": result.verdict,
        "claimed_epsilon": float(result.epsilon),
        "claimed_delta": float(result.delta),
        "lower_bound": float(result.lower_bound),
        "confidence": float(result.confidence),
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
        f"{tree['verdict'].capitalize()}: epsilon is at least {tree['lower_bound']:.4f} with confidence"
        f" {tree['confidence']}; claimed are epsilon {tree['claimed_epsilon']}, delta {tree['claimed_delta']}.",
        f"Tested: {tree['event']} on pair {tree['pair']}, seen {tree['hits'][0]} and {tree['hits'][1]} times in"
        f" {tree['tested']} runs each; {tree['runs']} runs in all.",
        f"Controls: a mechanism of exactly this epsilon was {_verdict(tree, 'right_flagged')}; one of 1.2 times it was"
        f" {_verdict(tree, 'louder_by_a_fifth_flagged')}, which so many runs do with probability"
        f" {tree['controls']['power_of_that']:.2f}.",
    ]
    if tree["errors"]:
        lines.append(f"{tree['errors']} runs raised an exception, which counts as an output.")
    if tree["verdict"] != "broken":
        lines.append("Not being refuted is no proof: another pair or event may tell more.")
    return lines + [f"Input: {text}" for text in tree.get("inputs", ())]


def _verdict(tree: dict[str, Any], name: str) -> str:
    return "flagged" if tree["controls"][name] else "not flagged"
