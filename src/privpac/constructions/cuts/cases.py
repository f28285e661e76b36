"""Rows for cuts by recursion, among blocks, from switches and from noise, and for generated points."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import Unions
from privpac.concepts.sets.generated import GeneratedPoints
from privpac.constructions.cases import (
    Case,
    Record,
    RememberedSample,
    learner_case,
    records_of,
    sample_of,
    tiny_schema,
)
from privpac.constructions.cuts.blocks import BlockCuts
from privpac.constructions.cuts.blocks_formulas import BlockPlan
from privpac.constructions.cuts.noisy import DenoisedCuts, NoisyCuts
from privpac.constructions.cuts.recursive import RecConcave
from privpac.constructions.cuts.recursive_formulas import Plan, threshold_stable_choice
from privpac.constructions.cuts.switches import SwitchCuts
from privpac.constructions.draw.occam import Occam
from privpac.constructions.words import Request, learner_for
from privpac.data.sample import Size
from privpac.guarantee.facts import Privacy
from privpac.numbers.exact import ratio_for
from privpac.request import LearnRequest

__all__ = ["ROWS", "rec_concave_case", "tight_blocks", "tight_rec_concave"]

PLACE = 110

ONE = Fraction(1)
TENTH = Fraction(1, 10)


def tight_rec_concave(
    *, cells: int, delta: Fraction, epsilons: Sequence[Fraction], goal: int = 1, blocks: int = 1
) -> RecConcave:
    """With narrow blocks and a low goal, so that on a tiny domain the block is often in question."""
    first, second, third = (ratio_for(epsilon / 2) for epsilon in epsilons)
    threshold = threshold_stable_choice(ratio=second, delta=delta)
    plan = Plan((first, second, third), goal - 1 - threshold, threshold, 0, 0, blocks)
    cuts = Thresholds(tiny_schema(cells), "a", "down")
    return RecConcave(cuts, sum(epsilons, Fraction(0)), delta, plan=plan)


def rec_concave_case(learner: RecConcave, n: int) -> Case:
    """All steps seen, not only the answer."""
    schema = learner.concepts.schema
    memory: dict[Hashable, object] = {}

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return learner.steps(RememberedSample(sample_of(schema, data), tuple(data), memory), coins)

    def certified(records: int) -> Privacy:
        return learner.certify(Size(records)).privacy.fact

    name = "thresholds by recursion, all steps seen"
    return Case(name, run, records_of(schema), n, certified(n), certified=certified)


def _rec_concave_word() -> Case:
    schema = tiny_schema(2)
    request = Request(schema, Size(1), LearnRequest(epsilon=Fraction(6), delta=TENTH))
    return learner_case("thresholds by recursion", learner_for("recconcave:a", request), schema, 1)


def tight_blocks(*, cells: int, ratio: Fraction, stake: int, epsilon: Fraction, reach: int = 1) -> BlockCuts:
    """With a small stake, so that a block which one record alone occupies is drawn now and then."""
    levels = max(1, (cells - 1).bit_length())
    plan = BlockPlan(ratio, levels, stake, reach)
    cuts = Thresholds(tiny_schema(cells), "a", "up")
    lone = (levels - 1) / (ratio * stake)
    return BlockCuts(cuts, epsilon, lone / (1 + lone), plan=plan)


def _blocks_word() -> Case:
    schema = tiny_schema(4)
    request = Request(schema, Size(2), LearnRequest(epsilon=Fraction(2), delta=TENTH))
    return learner_case("a cut among occupied blocks", learner_for("blocks:a", request), schema, 2)


def _blocks(name: str, learner: BlockCuts, n: int) -> Case:
    return learner_case(name, learner, learner.concepts.schema, n)


def _switches(name: str, *, cells: int, n: int, epsilon: Fraction) -> Case:
    schema = tiny_schema(cells)
    inner = Occam(Unions(schema, "a", intervals=1), epsilon)
    learner = SwitchCuts(Thresholds(schema, "a", "down"), inner, epsilon, most=2)
    return learner_case(name, learner, schema, n)


def _noisy_cuts() -> NoisyCuts:
    return NoisyCuts(Thresholds(tiny_schema(3), "a"), ONE, TENTH)


def _generated_points() -> Case:
    schema = tiny_schema(4)
    learner = Occam(GeneratedPoints(schema, "a", 2, "d"), ONE)
    return learner_case("points of a generator", learner, schema, 2)


ROWS: Mapping[str, Callable[[], Case]] = {
    "recconcave": _rec_concave_word,
    "recconcave-steps": lambda: rec_concave_case(
        tight_rec_concave(cells=3, delta=TENTH, epsilons=(Fraction(8), Fraction(2), TENTH)), 2
    ),
    "blocks": _blocks_word,
    "blocks-tight": lambda: _blocks(
        "a cut among occupied blocks, a small stake",
        tight_blocks(cells=4, ratio=Fraction(1, 2), stake=40, epsilon=Fraction(36, 25)),
        3,
    ),
    "switches": lambda: _switches("a cut at a switch of a union", cells=3, n=2, epsilon=ONE),
    "switches-tight": lambda: _switches(
        "a cut at a switch, two records on each side", cells=2, n=4, epsilon=Fraction(8)
    ),
    "noisy-cuts": lambda: learner_case("cuts with independent noise", _noisy_cuts(), tiny_schema(3), 2),
    "denoised-cuts": lambda: learner_case(
        "cuts freed of their noise", DenoisedCuts(_noisy_cuts()), tiny_schema(3), 2
    ),
    "generated": _generated_points,
}
