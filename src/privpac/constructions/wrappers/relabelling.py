"""Most records vote on the labels of the others, and a learner of clean records follows (A_Relabel, A_Agnostic).

A labelling z of the `kept` points is drawn with weight e^(-(epsilon·w/2)·score(z)), score(z) = min over concepts f of
weight·(share of kept records with z ≠ f) + (share of the w voters that f gets wrong). Both shares over a common
denominator make whole numbers: a changed label costs `change` and a mistake `mistake` units, change/mistake =
weight·w/kept, and one unit is worth e^(-epsilon/(2·mistake)), rounded up to a double: smaller loss, never larger.
Statement: `Agnostic` keeps a random part in random order. With q = kept/n, a = e^(epsilon/2),
b = e^(weight·epsilon·(1 - q)/q): e^eps' = ((1 - q)·a^2 + q·w·4·b·e^eps)/((1 - q) + q·w), w = a(1 + a)/2 (a^2 if
weight·(1 - q) < q); delta' = q·delta. `Relabelled` keeps the first ones, who lose ln 4 + weight·epsilon·voters/kept +
what the learner inside loses; their own labels are never looked at; the others lose `epsilon`.
Source: Li–Wang–Ye 2025, Algorithms 1 and 2, Lemmas 15 and 17, Claim 16; constants ours, no smallness needed.
Holds if: as the two rules; for `Relabelled`, positions are public and do not depend on what records say.
Proof: docs/proofs/relabelling.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.base import AnyClass
from privpac.concepts.labellings.base import dimension, with_dichotomies
from privpac.concepts.labellings.members import voted_on
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.wrappers.transform import Transform, empirical_accuracy, places
from privpac.data.sample import InMemory, Sample, Size
from privpac.errors import SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import ALL, Accuracy, Loss, Privacy, Unit
from privpac.guarantee.proof import (
    DECIDING,
    SEAL,
    Proof,
    need,
    need_record,
    need_secret,
    need_two_classes,
    parameters,
    power,
    rational,
)
from privpac.numbers.exact import ratio_for, shortened

__all__ = [
    "RELABELLED",
    "VOTING",
    "Agnostic",
    "Relabelled",
    "Vote",
    "relabelling",
    "relabelling_part",
    "relabelling_votes",
]

# --- privacy: x = 1/ratio is what one unit of score is worth ---


def _need_scores(rule: str, ratio: Fraction, change: int, mistake: int) -> None:
    need(rule, 0 < ratio <= 1, "the ratio must lie in (0, 1]")
    need(rule, change >= 1 and mistake >= 1, "a change and a mistake must cost a positive whole number")


def relabelling(
    premise: Proof[Privacy], *, classes: int, kept: int, of: int, ratio: Fraction, change: int, mistake: int
) -> Proof[Privacy]:
    """Relabel a uniform `kept`-subset by the vote of the rest and run on it, shuffled.

    With a = x^mistake, b = x^(2·change), q = kept/of, E = e^eps of the inner run, and w = a(1 + a)/2 if change is at
    least mistake, else a^2: e^eps' = ((1 - q)·a^2 + q·w·4·b·E)/((1 - q) + q·w), but at least a^2; delta' = q·delta.
    Source: Li–Wang–Ye 2025, Lemma 15, with constants of its own; register `relabelling`. Refused unless there are two
    `classes`. Holds if the labellings are all dichotomies of the kept points by the class, each once, drawn by the
    exponential mechanism itself (no permute-and-flip, no clamped scores), and the kept records come in uniformly random
    order (assumed of the caller).
    """
    rule, old = "relabelling", premise.fact
    need_two_classes(rule, classes)
    need(rule, 1 <= kept < of, "some records must be kept and some must not")
    _need_scores(rule, ratio, change, mistake)
    need(rule, old.unit is Unit.RECORD and old.part == ALL, "the inner run must protect whole records")
    need_secret(rule, old)
    a, b = power(rule, 1 / ratio, mistake), power(rule, 1 / ratio, 2 * change)
    weight = a * (1 + a) / 2 if change >= mistake else a * a
    outside, inside, q = a * a, 4 * b * rational(rule, old.epsilon), Fraction(kept, of)
    factor = outside  # a mean of two losses with weights 1 - q and q·weight, at least the first
    if inside > outside:
        factor = shortened(((1 - q) * outside + q * weight * inside) / (1 - q + q * weight))
    fact = Privacy(Loss(factor=factor), shortened(q * old.delta), Unit.RECORD, ALL, old.release)
    where = parameters(kept=kept, of=of, ratio=ratio, change=change, mistake=mistake)
    return Proof(fact, rule, (premise,), where, seal=SEAL)


def relabelling_part(
    premise: Proof[Privacy], *, classes: int, ratio: Fraction, change: int, part: str
) -> Proof[Privacy]:
    """What the relabelled records lose when who they are is fixed beforehand: 4·x^(2·change) times the inner factor.

    Their labels are not looked at. The fact names their part: the records that vote are another one, and lose
    otherwise. Source: Li–Wang–Ye 2025, Lemma 17 (A_Auxiliary); register `relabelling-part`. Refused unless there are
    two `classes`. Holds if the labellings are all dichotomies of the points, each once, drawn by the exponential
    mechanism itself (assumed of the caller).
    """
    rule = "relabelling-part"
    need_two_classes(rule, classes)
    _need_scores(rule, ratio, change, 1)
    old = premise.fact
    need_record(rule, old)
    need(rule, old.part == ALL, "the premise must speak of all records of its input")
    named = part not in ("", ALL) and part not in DECIDING
    need(rule, named, "the part must be named: those who vote are another one")
    factor = shortened(4 * power(rule, 1 / ratio, 2 * change) * old.epsilon.factor)
    fact = Privacy(Loss(old.epsilon.log, factor), old.delta, old.unit, part, old.release, roles=2)
    where = parameters(ratio=ratio, change=change, part=part)
    return Proof(fact, rule, (premise,), where, seal=SEAL)


def relabelling_votes(*, classes: int, ratio: Fraction, mistake: int, part: str) -> Proof[Privacy]:
    """What those lose who vote on the labels of fixed others: x^(-2·mistake), as their vote moves scores by `mistake`.

    Whatever is run on the relabelled records is computed from the drawn labels and does not see these. Source:
    Li–Wang–Ye 2025, Lemma 17 (A_Auxiliary); register `relabelling-votes`. Refused unless there are two `classes`.
    Holds as `relabelling_part`, of which it is the other role.
    """
    rule = "relabelling-votes"
    need_two_classes(rule, classes)
    _need_scores(rule, ratio, 1, mistake)
    need(rule, part in DECIDING, "it is the part whose labels decide")
    fact = Privacy(Loss(factor=power(rule, 1 / ratio, 2 * mistake)), part=part, roles=2)
    return Proof(fact, rule, (), parameters(ratio=ratio, mistake=mistake, part=part), seal=SEAL)


# --- the vote ---

LARGEST_SCORE = 2**61
"""Scores are 64-bit integers, and sums of two of them must fit."""


@dataclass(frozen=True)
class Vote:
    """`voters` records choose labels for `kept` others."""

    kept: int
    voters: int
    epsilon: Fraction
    weight: Fraction

    def __post_init__(self) -> None:
        if self.change * self.kept + self.mistake * self.voters >= LARGEST_SCORE:
            raise SizeError(
                "The vote on labels has scores beyond 64 bits.",
                remedy="Keep a number of records that shares a factor with the number of voters, or a round weight.",
            )

    @property
    def change(self) -> int:
        """The score of one changed label among the kept records."""
        return (self.weight * Fraction(self.voters, self.kept)).numerator

    @property
    def mistake(self) -> int:
        """The score of one mistake among the voters."""
        return (self.weight * Fraction(self.voters, self.kept)).denominator

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return ratio_for(self.epsilon / (2 * self.mistake))

    def relabel(self, concepts: AnyClass, sample: InMemory, rest: Sample, coins: Coins) -> InMemory:
        """The kept records with labels drawn by the vote."""
        labellings = voted_on(with_dichotomies(concepts, owner="Vote"), sample)
        scores = labellings.relabelling(sample, rest, change=self.change, mistake=self.mistake)
        return sample.relabelled(labellings.labels(scores.draw(self.ratio, coins), sample.block().cells))


# --- the learners ---


@dataclass(frozen=True)
class Agnostic(Transform):
    """The learner inside gets `kept` random records with the labels that all others vote for."""

    learner: Learner
    kept: int
    epsilon: Fraction
    """Of the vote."""
    weight: Fraction = Fraction(1)
    """How much a label that differs from a concept's counts against a voter's mistake."""
    labelling: AnyClass | None = None
    """The class whose labellings are voted on; the learner's own when not given."""
    failure: Fraction = FAILURE
    """How often the vote may fail, besides the learner inside."""
    name, stored = "agnostic", ("kept", "epsilon", "weight")

    def __post_init__(self) -> None:
        super().__post_init__()
        with_dichotomies(self.classes, owner=type(self).__name__)

    @property
    def classes(self) -> AnyClass:
        """The class whose labellings are voted on."""
        return self.labelling or self.learner.concepts

    @property
    def inside(self) -> int:
        """Those that are kept."""
        return self.kept

    @property
    def least(self) -> int:
        """One voter at least."""
        return self.kept + 1

    @property
    def passes(self) -> int:
        """One takes the records kept, one lets the others vote."""
        return 2

    def vote(self, size: Size) -> Vote:
        """The vote for this many records; refused if no voter is left."""
        n = self.records(size)
        return Vote(self.kept, n - self.kept, self.epsilon, self.weight)

    def require(self, size: Size) -> None:
        """Refuse what the learner inside refuses, and more labellings than can be voted on."""
        voters = self.vote(size).voters
        with_dichotomies(self.classes, owner=type(self).__name__).require_relabelled(self.kept, voters=voters)
        self.learner.require(Size(self.kept))

    def positions(self, n: int, coins: Coins) -> tuple[int, ...] | range:
        """Who is kept, in random order."""
        return coins.subset(n, self.kept)

    def given(self, sample: Sample, coins: Coins) -> Sample:
        """The kept records with the labels of a vote."""
        kept = places(self.positions(sample.size.labelled, coins))
        return self.labelled(self.vote(sample.size), sample.take(kept), sample.rest(kept), coins)

    def labelled(self, vote: Vote, sample: InMemory, rest: Sample, coins: Coins) -> Sample:
        """The kept records with labels that the others voted for."""
        return vote.relabel(self.classes, sample, rest, coins)

    def privacy(self, inner: Proof[Privacy], n: int) -> Proof[Privacy]:
        """By `relabelling`."""
        vote, classes = self.vote(Size(n)), len(self.classes.schema.classes)
        prices = {"change": vote.change, "mistake": vote.mistake}
        return relabelling(inner, classes=classes, kept=self.kept, of=n, ratio=vote.ratio, **prices)

    def accuracy(self, inner: Certificate, n: int) -> tuple[Proof[Accuracy], ...]:
        """Near the best concept on noisy records, if the learner inside is proved to follow clean labels."""
        vote, near = self.vote(Size(n)), empirical_accuracy(self.learner, Size(self.kept))
        vc = dimension(self.classes, counted=min(self.kept, vote.voters), drawn=self.kept, voted=True)
        if near is None or vc is None or self.classes != self.learner.concepts or vote.ratio == 1:
            return ()
        proof = rules.relabelling_accuracy(
            near,
            kept=self.kept,
            of=n,
            ratio=vote.ratio,
            change=vote.change,
            mistake=vote.mistake,
            vc=vc,
            miss=self.failure / 4,
        )
        return (proof,)


RELABELLED, VOTING = "relabelled records", "voting records"


@dataclass(frozen=True)
class Relabelled(Agnostic):
    """The same for the first `kept` records (A_Auxiliary): who is who is fixed, and public."""

    name = "relabelled"

    def positions(self, n: int, coins: Coins) -> tuple[int, ...] | range:
        """The first ones."""
        return range(self.kept)

    def privacy(self, inner: Proof[Privacy], n: int) -> Proof[Privacy]:
        """By `relabelling_part` for those who are kept; the others pay for the draw."""
        vote, classes = self.vote(Size(n)), len(self.classes.schema.classes)
        kept = relabelling_part(inner, classes=classes, ratio=vote.ratio, change=vote.change, part=RELABELLED)
        votes = relabelling_votes(classes=classes, ratio=vote.ratio, mistake=vote.mistake, part=VOTING)
        return rules.disjoint_parts(kept, rules.declared(votes, epsilon=self.epsilon))
