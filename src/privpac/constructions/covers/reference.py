"""Learn on a continuum, given a public reference distribution: draw over a cover of the class.

Statement: the drawn hypothesis is epsilon-DP when one record is replaced, for any records whatever. If the records are
independent and their distribution has density at most kappa against the reference, it errs by more than `error` (above
the best concept) with probability at most `failure`.
Source: Chaudhuri–Hsu 2011, algorithms A_1 and A_1r, Theorems 8 and 9; direct bound ours.
Holds if: the reference was chosen without looking at the records (an assumption of the certificate).
Proof: docs/proofs/reference-cover.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.derived.reference import PublicTable, Reference, Uniform, UniformSphere
from privpac.concepts.grids import MOST_DIRECTIONS
from privpac.concepts.line.cuts import MOST_LISTED, Cuts
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.constructions.base import ReadsOnce
from privpac.constructions.covers import rules as covers_rules
from privpac.constructions.covers.candidates import direction_cover, least_records, promising, weight
from privpac.constructions.covers.formulas import NO_BOUND, WAYS_OUT, density
from privpac.constructions.draw.occam import draw_from
from privpac.data.columns import Numeric
from privpac.data.sample import Sample, Size
from privpac.errors import ParameterError, RuleRefused, SizeError, TooFewRecords
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import decimal_text, first_whole, plain
from privpac.numbers.parameters import chance, positive

__all__ = ["CHOSEN_FREELY", "ReferenceCover"]

CHOSEN_FREELY = "the reference distribution was chosen without looking at these records"

STEPS = 100
"""Densities are tried in this many steps a power of ten."""

LARGEST_POWER = 30
"""Densities above 10^30 are of no use to anybody."""


@dataclass(frozen=True)
class Plan:
    """What follows from n: the density tolerated, the cover, the weight of a mistake, and what it proves."""

    kappa: Fraction
    cover: AnyClass
    level: Fraction
    odds: Fraction
    ratio: Fraction
    proof: Proof[Accuracy]


@dataclass(frozen=True)
class ReferenceCover(ReadsOnce):
    """Thresholds on one column, or half-spaces through the middle of two to five, over a cover of the reference.

    Without `kappa` the largest density is taken that the number of records allows, and the certificate says so.
    """

    concepts: Thresholds | CentredHalfspaces
    reference: Reference
    epsilon: Fraction
    error: Fraction = Fraction(1, 10)
    failure: Fraction = Fraction(1, 20)
    kappa: Fraction | None = None
    against: Against = Against.REALIZABLE

    def __post_init__(self) -> None:
        for name in ("epsilon", "error", "failure"):
            read = positive if name == "epsilon" else chance
            object.__setattr__(self, name, read(getattr(self, name), owner="ReferenceCover", name=name))
        if self.kappa is not None:
            object.__setattr__(self, "kappa", density(self.kappa, owner="ReferenceCover"))
        self._check_reference()

    def _check_reference(self) -> None:
        if self.reference is None:
            raise ParameterError(
                "ReferenceCover", "reference", None, allowed="a reference", remedy=f"{NO_BOUND} {WAYS_OUT}"
            )
        if len(self.concepts.schema.classes) != 2:
            raise ParameterError(
                "ReferenceCover", "concepts", self.concepts.word, allowed="a class of two labels"
            )
        if isinstance(self.concepts, Thresholds):
            fits = self.concepts.column in self.reference.columns and self.concepts.direction != "either"
            if not fits or isinstance(self.reference, UniformSphere):
                raise ParameterError(
                    "ReferenceCover",
                    "reference",
                    self.reference.name,
                    allowed=f"a distribution of '{self.concepts.column}', for thresholds up or down",
                )
        elif not isinstance(self.concepts, CentredHalfspaces):
            raise ParameterError(
                "ReferenceCover",
                "concepts",
                type(self.concepts).__name__,
                allowed="Thresholds or CentredHalfspaces",
                remedy="Other classes are covered by drawing from their prior: SampledCover.",
            )
        elif not isinstance(self.reference, UniformSphere) or self.reference.columns != self.concepts.columns:
            raise ParameterError(
                "ReferenceCover",
                "reference",
                self.reference.name,
                allowed="UniformSphere over the same columns, for half-spaces",
                remedy="Other references are served by drawing directions from a prior: SampledCover.",
            )

    @property
    def outcomes(self) -> int | None:
        """However fine the cover, no more rules than the class has on the declared cells."""
        return self.concepts.size if isinstance(self.concepts, Thresholds) else None

    def _cover(self, level: Fraction) -> tuple[AnyClass, Fraction, Fraction] | None:
        """The coarsest cover of this level, its true level and its odds; None if it cannot be built."""
        if isinstance(self.concepts, Thresholds):
            return _cut_cover(self.concepts, self.reference, level)
        return _direction_cover(self.concepts, level)

    def _candidate(
        self, kappa: Fraction, share: Fraction
    ) -> tuple[AnyClass, Fraction, Fraction, Fraction] | None:
        """The cover that uses up this share of the error, its level, its odds, and the weight of a mistake."""
        candidate = self._cover(share * self.error / kappa)
        if candidate is None:
            return None
        loss = kappa * candidate[1]
        ratio = weight(self.epsilon, error=self.error, lost=loss, against=self.against)
        return None if ratio is None else (*candidate, ratio)

    def _try(self, n: int, kappa: Fraction, share: Fraction) -> Plan | None:
        candidate = self._candidate(kappa, share)
        if candidate is None:
            return None
        cover, level, odds, ratio = candidate
        proof = self._proof(n, kappa=kappa, level=level, odds=odds, ratio=ratio)
        return None if proof is None else Plan(kappa, cover, level, odds, ratio, proof)

    def _proof(
        self, n: int, *, kappa: Fraction, level: Fraction, odds: Fraction, ratio: Fraction
    ) -> Proof[Accuracy] | None:
        try:
            return covers_rules.reference_cover(
                odds=odds,
                records=n,
                ratio=ratio,
                tilt=ratio,
                kappa=kappa,
                level=level,
                miss=Fraction(0),
                reference=self.reference.name,
                error=self.error,
                failure=self.failure,
                against=self.against,
            )
        except RuleRefused:
            return None

    def _best(self, n: int, kappa: Fraction) -> Plan | None:
        """A cover that proves the error for this density, if there is one: the most promising shares first."""
        for share in promising(self.epsilon, self.against):
            plan = self._try(n, kappa, share)
            if plan is not None:
                return plan
        return None

    def plan(self, n: int) -> Plan:
        """What `n` records prove, or a refusal that says how many would."""
        plan = _plan(self, n)
        if plan is not None:
            return plan
        kappa = "1, the smallest there is" if self.kappa is None else plain(self.kappa)
        sentence = f"ReferenceCover: {n} records prove no error of {decimal_text(self.error)} for a density of {kappa}."
        ways, need = f"or allow a larger error or epsilon. {WAYS_OUT}", self.records_needed
        if need is not None:
            raise TooFewRecords(sentence, needed=need, remedy=f"At least {need} records are needed; {ways}")
        raise SizeError(sentence, remedy=f"{self._no_number()}; {ways}")

    def _no_number(self) -> str:
        """Why no number of records would do."""
        if isinstance(self.concepts, CentredHalfspaces) and len(self.concepts.columns) > 2:
            return (
                f"No number of records is enough: so fine a cover has more than {MOST_DIRECTIONS} directions, or the"
                " cells are too wide for it; declare a smaller density bound, or a larger resolution"
            )
        return "No number of records is enough on cells this wide: declare a larger resolution"

    @property
    def records_needed(self) -> int | None:
        """The fewest records with which anything is promised; None if no number of them is enough."""
        kappa = self.kappa or Fraction(1)
        candidates = (self._candidate(kappa, share) for share in promising(self.epsilon, self.against))
        needs = (
            least_records(
                odds,
                error=self.error,
                failure=self.failure,
                lost=kappa * level,
                ratio=ratio,
                against=self.against,
            )
            for _, level, odds, ratio in filter(None, candidates)
        )
        return min((need for need in needs if need is not None), default=None)

    def kappa_hat(self, n: int) -> Fraction:
        """The density that `n` records tolerate; 0 if not even 1."""
        plan = _plan(self, n)
        return Fraction(0) if plan is None else plan.kappa

    def require(self, size: Size) -> None:
        size.require_labelled("ReferenceCover")
        self.plan(size.labelled).cover.require(size.labelled)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        plan = self.plan(size.labelled)
        privacy = rules.declared(rules.exponential_mechanism(ratio=plan.ratio), epsilon=self.epsilon)
        return Certificate(
            privacy=rules.assuming(privacy, CHOSEN_FREELY),
            accuracy=(plan.proof,),
            learner={
                "name": "reference-cover",
                "concepts": self.concepts.word,
                "reference": self.reference.name,
                **public_parameters(self, "epsilon", "error", "failure"),
                "kappa": plain(plan.kappa),
                "candidates": str(plan.cover.size),
                "guaranteed": "for every distribution whose density against the reference is at most kappa",
            },
            labelled=size.labelled,
        )

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.plan(size.labelled).cover.contains(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Hypothesis:
        if isinstance(self.reference, PublicTable):
            self.reference.refuse_if_private(sample)
        plan = self.plan(sample.size.labelled)
        return draw_from(plan.cover, sample, coins, ratio=plan.ratio)


@lru_cache(maxsize=256)
def _plan(learner: ReferenceCover, n: int) -> Plan | None:
    """The largest density that can be proved, or the declared one; kept, since certify and learn both ask."""
    if learner.kappa is not None:
        return learner._best(n, learner.kappa)
    if learner._best(n, Fraction(1)) is None:
        return None

    def trial(step: int) -> Fraction:
        whole, part = divmod(step, STEPS)
        return Fraction(math.floor(1000 * 10 ** (part / STEPS)), 1000) * Fraction(10) ** whole

    most = LARGEST_POWER * STEPS
    step = first_whole(lambda k: k > most or learner._best(n, trial(k)) is None, start=STEPS, smallest=1)
    return learner._best(n, trial(step - 1))


def _cut_cover(
    concepts: Thresholds, reference: Reference, level: Fraction
) -> tuple[AnyClass, Fraction, Fraction] | None:
    size, up = concepts.schema.column(concepts.column).size, concepts.direction == "up"
    uniform = isinstance(reference, Uniform)
    left = level - Fraction(1, 2 * size) if uniform else level
    count = math.ceil(1 / (2 * left)) if left > 0 else size + 1
    if count > min(size, size if uniform else MOST_LISTED):
        return _all_cuts(concepts)
    if uniform:
        cover = Cuts(concepts.schema, concepts.column, count=count, up=up)
    else:
        cover = Cuts.of_reference(concepts.schema, concepts.column, reference, count, up=up)
    cover_level = cover.level(reference)
    return (cover, cover_level, Fraction(cover.size)) if cover_level <= level else _all_cuts(concepts)


def _all_cuts(concepts: Thresholds) -> tuple[AnyClass, Fraction, Fraction] | None:
    """Where values are cells and not a continuum, a list of all cuts is at no distance from any threshold."""
    column = concepts.schema.column(concepts.column)
    if column.size >= MOST_LISTED or (isinstance(column, Numeric) and not column.integer):
        return None
    cells = tuple(range(column.size + 1))
    whole = Cuts(concepts.schema, concepts.column, cells=cells, up=concepts.direction == "up")
    return whole, Fraction(0), Fraction(whole.size)


def _direction_cover(
    concepts: CentredHalfspaces, level: Fraction
) -> tuple[AnyClass, Fraction, Fraction] | None:
    candidate = direction_cover(
        level, dimension=len(concepts.columns), cells=concepts.cells, reach=concepts.reach or 1
    )
    if candidate is None:
        return None
    reach, odds = candidate
    plane = len(concepts.columns) == 2
    return concepts if plane else CentredHalfspaces(concepts.schema, concepts.columns, reach), level, odds
