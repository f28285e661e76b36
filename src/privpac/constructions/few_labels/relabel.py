"""SSL-Relabel: labelled records vote on the labels of other points, and keep their whole budget.

Statement: a labelled record loses `draw_epsilon` (delta 0); an unlabelled one ln(1 + (k/N)(4·e^E·x^(-2·change) - 1)),
delta (k/N)·D, x the weight of one unit of score, (E, D) the base. Source: a hybrid of Beimel–Nissim–Stemmer 2015
(Algorithm 2) and Li–Wang–Ye 2025 (Algorithm 1), constants ours. Holds if: who has a label and all sizes are public.
Proof: docs/proofs/ssl-relabel.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.labellings.base import Dichotomous, with_dichotomies
from privpac.concepts.labellings.members import voted_on
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import FAILURE
from privpac.constructions.few_labels import rules as few_labels_rules
from privpac.constructions.few_labels.boost_accuracy import base_accuracy, base_for, carried_by, family_of
from privpac.constructions.few_labels.boost_procedure import random_part
from privpac.constructions.few_labels.relabel_formulas import (
    MISTAKE,
    Relabel,
    relabel_promise,
    relabel_search,
)
from privpac.constructions.few_labels.rules import DrawBound
from privpac.constructions.few_labels.transfer_formulas import Family
from privpac.constructions.wrappers.relabelling import relabelling_part
from privpac.data.sample import Size
from privpac.data.semi import SemiSample
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate, public_parameters
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.parts import LABELLED, UNLABELLED
from privpac.guarantee.proof import Proof

__all__ = ["SSLRelabel", "relabel_accuracy"]


def relabel_accuracy(
    relabel: Relabel, base: Learner, *, family: Family, failure: Fraction
) -> Proof[Accuracy] | None:
    """The accuracy as a proof; None where nothing is proved. A base of its own has its own share of the failure."""
    quarter = failure / 4
    follows = base_accuracy(base, points=relabel.kept, failure=quarter)
    if follows is None:
        return None
    rate = Fraction(follows.most, relabel.kept) if isinstance(follows, DrawBound) else follows.fact.error
    promise = relabel_promise(relabel, rate, family=family, failure=failure)
    total = failure if isinstance(follows, DrawBound) else 3 * quarter + follows.fact.failure
    if promise is None or total >= 1:
        return None
    points = {"near": relabel.labelled, "apart": relabel.kept}
    near, distance = (
        carried_by(transfer, points=points[name], family=family, failure=quarter, pairs=name == "apart")
        for name, transfer in (("near", promise.near), ("apart", promise.apart))
    )
    return few_labels_rules.ssl_relabel_accuracy(
        labelled=relabel.labelled,
        change=relabel.change,
        mistake=relabel.mistake,
        draw=DrawBound(family.labellings(relabel.kept) - 1, relabel.ratio, promise.score, quarter),
        base=follows,
        near=near,
        apart=distance,
        parts=(promise.near.error, promise.apart.error),
        failure=total,
    )


@dataclass(frozen=True)
class SSLRelabel:
    """`base` on `kept` of `taken` unlabelled records, under labels drawn by the vote of all labelled ones."""

    concepts: Dichotomous
    base: Learner
    kept: int
    taken: int
    draw_epsilon: Fraction
    change: int
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    mistake: int = MISTAKE
    failure: Fraction = FAILURE

    def __post_init__(self) -> None:
        if not (1 <= self.kept <= self.taken and self.change >= 1 and self.mistake >= 1):
            raise ParameterError(
                "SSLRelabel",
                "kept, taken, change, mistake",
                (self.kept, self.taken, self.change, self.mistake),
                allowed="positive integers, no more kept than taken",
            )

    @property
    def outcomes(self) -> int | None:
        return self.base.outcomes

    @property
    def ratio(self) -> Fraction:
        """What a weight is multiplied by for each unit of score."""
        return self._settings(1).ratio

    def _settings(self, labelled: int) -> Relabel:
        return Relabel(labelled, self.taken, self.kept, self.draw_epsilon, self.change, mistake=self.mistake)

    def require(self, size: Size) -> None:
        if size.labelled < 1 or size.unlabelled < self.taken:
            raise SizeError(
                f"SSLRelabel was set up for labelled and at least {self.taken} unlabelled records, but there are"
                f" {size.labelled} and {size.unlabelled}.",
                remedy="Use SSLRelabel.calibrate with the records at hand.",
            )
        self.concepts.require_relabelled(self.kept, voters=size.labelled)
        self.base.require(Size(self.kept))

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        vote = rules.exponential_mechanism(ratio=self.ratio, sensitivity=self.mistake, part=LABELLED)
        labelled = rules.post_processing(vote, what="the base learner on the points under the drawn labels")
        relabelling = relabelling_part(
            self.base.certify(Size(self.kept)).privacy,
            classes=len(self.concepts.schema.classes),
            ratio=self.ratio,
            change=self.change,
            part=UNLABELLED,
        )
        points = rules.subsampling(relabelling, kept=self.kept, of=self.taken)
        proof = rules.disjoint_parts(labelled, points)
        return Certificate(
            privacy=rules.declared(proof, epsilon=self.epsilon, delta=self.delta),
            accuracy=self._accuracy(size),
            learner={
                "name": "ssl-relabel",
                "concepts": self.concepts.word,
                **public_parameters(self, "epsilon", "delta", "failure", "draw_epsilon"),
                **public_parameters(self, "kept", "taken", "change", "mistake"),
                "base": dict(self.base.certify(Size(self.kept)).learner),
            },
            labelled=size.labelled,
            unlabelled=size.unlabelled,
        )

    def _accuracy(self, size: Size) -> tuple[Proof[Accuracy], ...]:
        """Proved for a base that releases a concept of the class, near to the labels of the very points."""
        if self.base.concepts != self.concepts:
            return ()
        family = family_of(self.concepts, owner="SSLRelabel", voted=True)
        settings = self._settings(size.labelled)
        accuracy = relabel_accuracy(settings, self.base, family=family, failure=self.failure)
        return () if accuracy is None else (accuracy,)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        return self.base.releases(hypothesis, Size(self.kept))

    def learn(self, sample: SemiSample, coins: Coins) -> Hypothesis:
        self.require(sample.size)
        points = sample.unlabelled.take(random_part(self.taken, self.kept, coins))
        dichotomies = voted_on(self.concepts, points)
        scores = dichotomies.relabelling(points, sample.labelled, change=self.change, mistake=self.mistake)
        labels = dichotomies.labels(scores.draw(self.ratio, coins), points.block().cells)
        return self.base.learn(points.relabelled(labels), coins)

    @classmethod
    def calibrate(
        cls,
        concepts: AnyClass,
        size: Size,
        *,
        epsilon: Fraction,
        delta: Fraction = Fraction(0),
        failure: Fraction = FAILURE,
        error: Fraction | None = None,
    ) -> SSLRelabel:
        """Settings that meet (epsilon, delta) for everybody with the records one has, found by search.

        The base draws from the class itself; with a delta it draws a cut among occupied blocks. With `error` what
        promises less is refused, before anything is spent.
        """
        cut = with_dichotomies(concepts, owner="SSLRelabel")
        if size.labelled < 1 or size.unlabelled < 1:
            raise SizeError("SSLRelabel needs labelled and unlabelled records.")
        base_for(
            cut, epsilon=epsilon, delta=delta / 4, failure=failure
        )  # refuses a delta that nothing spends
        family = family_of(cut, owner="SSLRelabel", voted=True)
        search = relabel_search(family, epsilon, failure, delta)
        settings = search.settings_at(size.labelled, size.unlabelled)
        if error is not None:
            search.require(settings, error, owner="SSLRelabel")
        base = base_for(cut, epsilon=settings.base_epsilon, delta=settings.base_delta, failure=failure / 4)
        return cls(
            cut,
            base,
            settings.kept,
            settings.unlabelled,
            settings.draw_epsilon,
            settings.change,
            epsilon,
            delta,
            mistake=settings.mistake,
            failure=failure,
        )
