"""Faults in cuts by recursion, from switches and from noise, and in generated points."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

from privpac.audit.exact import Case, Record
from privpac.audit.registry import learner_case, records_of, sample_of, tiny_schema
from privpac.coins import Coins
from privpac.concepts.line.cut_regions import CutRegions
from privpac.concepts.line.switches import switches
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.concepts.line.unions import Unions
from privpac.concepts.sets.generated import GeneratedPoints
from privpac.constructions.cuts.blocks import BlockCuts
from privpac.constructions.cuts.cases import rec_concave_case, tight_blocks, tight_rec_concave
from privpac.constructions.draw.occam import Occam
from privpac.guarantee import rules
from privpac.guarantee.facts import Loss, Privacy
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import NamedScores, Row, Runs
from privpac.numbers.exact import ratio_for

ONE, TENTH = Fraction(1), Fraction(1, 10)
PURE = rules.declared(rules.exponential_mechanism(ratio=ratio_for(ONE / 2)), epsilon=ONE).fact


def forgets_that_the_lead_moves_by_two() -> Case:
    """Releases a block whose noisy lead is at least t, as if no lead could move on a neighbour."""
    learner = tight_rec_concave(cells=3, delta=TENTH, epsilons=(Fraction(8), Fraction(2), TENTH))
    honest, plan = rec_concave_case(learner, 2), learner.numbers
    plan = replace(plan, threshold=plan.threshold - 2, slack=plan.slack + 2)
    wrong = replace(learner, delta=Fraction(99, 100), plan=plan)
    run = rec_concave_case(wrong, 2).run
    return replace(honest, name="forgets that the lead moves by two", run=run)


def releases_the_block_untested() -> Case:
    """Thresholds by recursion whose block is always released: there is so much noise everywhere else."""
    learner = tight_rec_concave(cells=3, delta=TENTH, epsilons=(Fraction(8), Fraction(2), TENTH))
    schema, column = learner.concepts.schema, "a"

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        evidence = sample_of(schema, data).reduce(learner.concepts.statistic)
        regions = CutRegions(evidence, 3, up=False)
        offset = coins.below(2)
        best = regions.low(regions.best)
        block = (best + offset) // 2
        cuts = range(max(0, 2 * block - offset), min(3, 2 * block - offset + 1) + 1)
        ratio = learner.numbers.ratios[2]
        cut = cuts[gibbs.draw_index([regions.cost(cut) for cut in cuts], ratio, coins)]
        return offset, block, Threshold(column, cut, False)

    claim = rec_concave_case(learner, 2).claim
    return Case("releases the block untested", run, records_of(schema), 2, claim)


def _tight(stake: int, epsilon: str) -> BlockCuts:
    return tight_blocks(cells=4, ratio=Fraction(1, 2), stake=stake, epsilon=Fraction(epsilon))


def _claimed(name: str, run: BlockCuts, honest: BlockCuts, n: int) -> Case:
    """What one learner does, under the claim of another."""
    schema = honest.concepts.schema
    return replace(learner_case(name, run, schema, n), claim=learner_case(name, honest, schema, n).claim)


def leaves_little_stake_on_a_blank() -> Case:
    """Draws among occupied blocks with next to nothing against those that one record alone occupies."""
    return _claimed("leaves little stake on a blank", _tight(2, "3"), _tight(40, "1.44"), 2)


class _ForksOnly(BlockCuts):
    """Leaves out blocks all of whose records lie in one half: they say so little."""

    def middles(self, evidence):  # type: ignore[no-untyped-def]
        middles = super().middles(evidence)
        kept = middles.bit == 2
        kept[:2] = True
        names = ("costs", "counts", "key", "low", "high", "bit")
        return replace(middles, **{name: getattr(middles, name)[kept] for name in names})


class _ThreefoldCosts(BlockCuts):
    """Costs three times as high. Twice would not show: beside a heavy blank a draw loses half of what is claimed."""

    def middles(self, evidence):  # type: ignore[no-untyped-def]
        middles = super().middles(evidence)
        return replace(middles, costs=3 * middles.costs)


def _instead(kind: type[BlockCuts], name: str, honest: BlockCuts, n: int) -> Case:
    wrong = kind(honest.concepts, honest.epsilon, honest.delta, plan=honest.plan)
    return _claimed(name, wrong, honest, n)


def draws_among_forks_only() -> Case:
    """A fork vanishes with one record, however many others lie in its block."""
    return _instead(_ForksOnly, "draws among forks only", _tight(40, "1.44"), 2)


def lets_costs_move_by_three() -> Case:
    """One record moves a cost by three, the ratio is as before."""
    return _instead(_ThreefoldCosts, "lets costs move by three", _tight(40, "1.44"), 2)


def selects_on_the_same_records() -> Case:
    """A cut at a switch of a union, both from all records, charged as if from different ones."""
    schema = tiny_schema(3)
    inner = Occam(Unions(schema, "a", intervals=1), ONE)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = sample_of(schema, data)
        cuts = switches(inner.learn(sample, coins), schema.column("a"))
        regions = CutRegions(sample.reduce(Thresholds(schema, "a").statistic), 3, up=True)
        scores = [sum(regions.mistakes(cut)) for cut in cuts]
        return cuts, cuts[gibbs.draw_index(scores, ratio_for(ONE / 2), coins)]

    return Case("selects on the same records", run, records_of(schema), 3, PURE)


def noise_instead_of_privacy() -> Case:
    """The best cut itself, hidden behind noise at a rate that would protect a single answer."""
    schema, rate = tiny_schema(3), Fraction(1, 4)

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        evidence = sample_of(schema, data).reduce(Thresholds(schema, "a").statistic)
        regions = CutRegions(evidence, 3, up=True)
        best = min(range(4), key=lambda cut: sum(regions.mistakes(cut)))
        return tuple((cell >= best) != coins.flip(rate) for cell in range(3))

    return Case("noise instead of privacy", run, records_of(schema), 2, Privacy(Loss(factor=Fraction(3))))


class _ValuesForSeeds(GeneratedPoints):
    """Counts values that were seen, in the class or not, where seeds with a seen value are meant."""

    def scores(self, evidence, *, costs):  # type: ignore[no-untyped-def]
        named = super().scores(evidence, costs=costs)
        *seen, unseen = named.runs.rows
        left = self.size - len(evidence.values) - 1
        return NamedScores(Runs([*seen, Row(0, unseen.lasts, unseen.scores, left)]), named.name)


def counts_values_instead_of_seeds() -> Case:
    """Unseen seeds as all seeds minus the values seen: right for points, where every value is in the class."""
    schema = tiny_schema(8)
    learner = Occam(_ValuesForSeeds(schema, "a", 2, "b"), ONE)
    return learner_case("counts values instead of seeds", learner, schema, 2)


MUTANTS: dict[str, Callable[[], Case]] = {
    function.__name__: function
    for function in (
        forgets_that_the_lead_moves_by_two,
        releases_the_block_untested,
        leaves_little_stake_on_a_blank,
        draws_among_forks_only,
        lets_costs_move_by_three,
        selects_on_the_same_records,
        noise_instead_of_privacy,
        counts_values_instead_of_seeds,
    )
}
