"""A recipe: learn, and if asked count the leaves and estimate the accuracy, under one certificate for all.

On the same records the releases add up (rule `sequential`); an estimate on a hold-out part does not add to the rest
(rule `disjoint-parts`). The hold-out records are picked by coins that look at no record, and their number is public.
What a rule is for decides the word and the share for leaf counts by public numbers, before anything is charged, and
is written out: a stored certificate needs no aim to be verified.
A person behind several records is protected by the group rule on top of everything: her records may lie in both parts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import OneTest
from privpac.concepts.trees.tree import Tree
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.card.graded_tree import GradedTrees
from privpac.constructions.card.labels import LabelPrivateCard
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.estimates.base_rate import (
    RATE_SHARE,
    base_rate_privacy,
    bought_rate,
    is_round,
)
from privpac.constructions.estimates.confusion import (
    CONFIDENCE,
    USUAL,
    Confusion,
    estimate_privacy,
    expected_width,
    release_confusion,
    summarise,
)
from privpac.constructions.estimates.leaf_counts import LeafCounts, leaf_counts_privacy, release_leaf_counts
from privpac.constructions.estimates.sampling import Choice, Way, choice_of, span
from privpac.constructions.estimates.share import estimate_share
from privpac.constructions.own import Concepts
from privpac.constructions.request import BALANCED, costs_for
from privpac.constructions.words import (
    Request,
    counts_leaves,
    has_leaves,
    learner_for,
    require_useful_delta,
    stands_for,
    stored_concepts,
    tells_risks,
)
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain
from privpac.request import LearnRequest

__all__ = ["LEAF_SHARE", "Recipe", "Released", "spell_out", "word_for_ranking"]

TRAINING, HOLDOUT = "training part", "hold-out part"

LEAF_SHARE = Fraction(1, 5)
"""Of epsilon, for the counts in the leaves. In prototypes of trees whose leaves are split by risk, on the six tables of
benchmarks/risks.py, three tenths rank .003 worse and tell risks .005 better (log-loss), whichever table is left out; a
tenth, tried at depth 3 only, does worse in both."""

RANKING, GRADED = "card", "graded-tree"
TREES = "auto"
ASIDE_SHARE, MOST_ASIDE = 5, 20_000
"""Where the share kept aside is not given: a fifth of the records, as statisticians do, and no more than tell a rate to
about a hundredth; the rest is better used for learning."""


class Released(NamedTuple):
    """All that one run of a recipe makes public."""

    hypothesis: Hypothesis
    estimate: Confusion | None = None
    leaf_counts: LeafCounts | None = None
    base_rate: tuple[float, ...] | None = None
    """The shares of the classes, where they were bought."""


@dataclass(frozen=True)
class Recipe:
    """What `concepts` names, built for `request`, plus, if paid for, noisy counts of a tree's leaves (`leaf_epsilon`)
    and an estimate of the accuracy (`estimate_epsilon`), on a `holdout` share of the records or on all of them."""

    concepts: Concepts
    request: Request
    estimate_epsilon: Fraction | None = None
    holdout: Fraction = Fraction(0)
    leaf_epsilon: Fraction | None = None
    rate_epsilon: Fraction | None = None
    """For one noisy count of a class, where balanced costs are wished and nobody declared how common classes are."""

    @classmethod
    def of(cls, asked: LearnRequest, *, schema: Schema, size: Size) -> Recipe:
        """What a person asked, made from a table of this size; where the share kept aside for an estimate is left
        open, it is the one that promises the narrower interval."""
        rate_epsilon = None
        if _must_buy_rate(asked, schema):
            rate_epsilon = asked.epsilon * RATE_SHARE
            asked = replace(asked, costs=None, epsilon=asked.epsilon - rate_epsilon)
        paid, estimate, share = _paid_from(asked, schema, size)
        bare = spell_out(paid, schema)
        require_useful_delta(bare.concepts, bare.delta)
        request = Request(schema, size, bare)
        alone = cls(
            stands_for(bare.concepts, request),
            request,
            leaf_epsilon=bare.leaf_epsilon,
            rate_epsilon=rate_epsilon,
        )
        if share is None:
            share = alone._narrowest(estimate)
        return replace(alone, estimate_epsilon=estimate, holdout=share)

    def _narrowest(self, estimate_epsilon: Fraction | None) -> Fraction:
        """The share to keep aside for an estimate: 0, or that of `ASIDE_SHARE`, from public numbers alone."""
        n = self.request.size.labelled
        aside = min(n // ASIDE_SHARE, MOST_ASIDE)
        if estimate_epsilon is None or aside == 0:
            return Fraction(0)
        if not self._choice.ways:
            return Fraction(aside, n)
        epsilon, classes = self._per_record(estimate_epsilon), len(self.request.schema.classes)
        same = expected_width(classes=classes, records=n, epsilon=epsilon, choice=self._choice)
        width_aside = expected_width(classes=classes, records=aside, epsilon=epsilon, choice=None)
        return Fraction(0) if same <= width_aside else Fraction(aside, n)

    def __post_init__(self) -> None:
        self._check_rate()
        self._check_leaves()
        estimate = self.estimate_epsilon
        if estimate is not None and estimate <= 0:
            raise ParameterError("learn", "estimate_epsilon", plain(estimate), allowed="a positive number")
        if not 0 <= self.holdout < 1:
            raise ParameterError("learn", "holdout", plain(self.holdout), allowed="at least 0 and below 1")
        if self.holdout and estimate is None:
            raise ParameterError(
                "learn",
                "holdout",
                plain(self.holdout),
                allowed="0 without an estimate",
                remedy="Say what the estimate may cost with estimate_epsilon.",
            )
        if self.holdout and not 1 <= self._aside < self.request.size.labelled:
            raise SizeError("The hold-out share leaves no record on one side.", remedy="Change holdout.")

    def _check_rate(self) -> None:
        """Costs follow from shares that were bought, which are round; where they are not bought yet, there are none."""
        if self.rate_epsilon is None:
            return
        shares, costs = self.request.schema.base_rate, self.request.costs
        expected = None if shares is None else costs_for(BALANCED, self.request.schema)
        bought = self.rate_epsilon > 0 and (shares is None or is_round(shares)) and costs == expected
        if not bought or self.request.schema.origin != "from_data":
            raise ParameterError(
                "learn",
                "costs",
                costs,
                allowed="those that follow from the shares that were bought",
                remedy="Shares are bought with schema='from_data' and costs='balanced' only.",
            )

    def _check_leaves(self) -> None:
        share = self.leaf_epsilon
        if share is None:
            return
        if share <= 0:
            raise ParameterError("learn", "leaf_epsilon", plain(share), allowed="a positive number")
        leaves = isinstance(self.learner.concepts, Trees | OneTest | TreeMixture)
        if not leaves or isinstance(self.learner, CardLearner | LabelPrivateCard):
            raise ParameterError(
                "learn",
                "leaf_epsilon",
                plain(share),
                allowed="left out for rules without leaves",
                remedy="Leaf counts exist for trees: concepts='auto' or 'trees:3'.",
            )

    @property
    def passes(self) -> int:
        """How often all records are read: by the learner, and once for what is released beside the rule."""
        shares = (self.leaf_epsilon, self.estimate_epsilon, self.rate_epsilon)
        beside = sum(share is not None for share in shares)
        aside = 2 if self.holdout else 0  # before the budget is charged, and to fetch the records kept aside
        return self.learner.passes + beside + aside

    @cached_property
    def learner(self) -> Learner:
        """The learner that the word or class of concepts asks for, tuned for the records it learns from."""
        return learner_for(self.concepts, replace(self.request, size=self._training))

    @property
    def learnt_from(self) -> int:
        """How many labelled records the rule is learnt from."""
        return self._training.labelled

    @property
    def epsilon(self) -> Fraction:
        """Of everything together: what is counted on records kept aside adds nothing to what the others lose."""
        beside, estimate = (self.leaf_epsilon, self.rate_epsilon), self.estimate_epsilon or Fraction(0)
        spent = sum((share for share in beside if share is not None), self.request.epsilon)
        return max(spent, estimate) if self.holdout else spent + estimate

    @property
    def buys_rate(self) -> bool:
        """Whether the shares of the classes, and so the costs, are still to be bought."""
        return self.rate_epsilon is not None and self.request.schema.base_rate is None

    def settled(self, shares: tuple[float, ...]) -> Recipe:
        """The same with the shares that were bought, and the costs that follow from them."""
        schema = replace(self.request.schema, base_rate=shares)
        return replace(self, request=replace(self.request, schema=schema).asking(costs=BALANCED))

    @property
    def _aside(self) -> int:
        """How many records are kept aside."""
        return int(self.request.size.labelled * self.holdout)

    def _per_record(self, share: Fraction) -> Fraction:
        return share / self.request.records_per_person

    @cached_property
    def _inner(self) -> Certificate:
        """What the learner alone promises."""
        return self.learner.certify(self._training)

    @property
    def _training(self) -> Size:
        """The records that the rule is learnt from."""
        size = self.request.size
        return Size(size.labelled - self._aside, size.unlabelled)

    def certify(self) -> Certificate:
        """What will be promised, estimate and leaf counts included."""
        size, inner = self.request.size, self._inner
        proof = self.request.for_people(
            self._with_estimate(self._with_leaves(self._with_rate(inner.privacy)))
        )
        stored = {
            "concepts": stored_concepts(self.concepts),
            **self.request.to_json(),
            "estimate_epsilon": None if self.estimate_epsilon is None else plain(self.estimate_epsilon),
            "leaf_epsilon": None if self.leaf_epsilon is None else plain(self.leaf_epsilon),
            "holdout": plain(self.holdout),
            "labelled": size.labelled,
            **({} if self.rate_epsilon is None else {"rate_epsilon": plain(self.rate_epsilon)}),
        }
        learner = (
            inner.learner if self.estimate_epsilon is None else {**inner.learner, **self._estimate_terms()}
        )
        # Bounds on errors are proved for costs that the records had no part in.
        proved = inner.accuracy if self.rate_epsilon is None else ()
        return replace(inner, privacy=proof, accuracy=proved, request=stored, learner=learner)

    def _estimate_terms(self) -> dict[str, object]:
        """What a certificate says of the estimate: on how many records, which bounds its width follows from, and how
        much that is, besides noise, for a rule of `USUAL` accuracy."""
        failure = (1 - CONFIDENCE) / 2
        low, high, _ = span(USUAL, USUAL, self._estimate_records, choice=self._own_choice, failure=failure)
        ways = (Way.HOLDOUT,) if self._own_choice is None else self._own_choice.ways
        return {
            "estimate": {
                "records": self._estimate_records,
                "ways": [way.value for way in ways],
                "sampling": plain(max(USUAL - low, high - USUAL)),
            }
        }

    def _with_rate(self, proof: Proof[Privacy]) -> Proof[Privacy]:
        if self.rate_epsilon is None:
            return proof
        cost = base_rate_privacy(epsilon=self._per_record(self.rate_epsilon), unit=proof.fact.unit)
        return rules.sequential(proof, cost)

    def _with_leaves(self, proof: Proof[Privacy]) -> Proof[Privacy]:
        if self.leaf_epsilon is None:
            return proof
        cost = leaf_counts_privacy(epsilon=self._per_record(self.leaf_epsilon), unit=proof.fact.unit)
        return rules.sequential(proof, cost)

    def _with_estimate(self, proof: Proof[Privacy]) -> Proof[Privacy]:
        if self.estimate_epsilon is None:
            return proof
        cost = estimate_privacy(epsilon=self._per_record(self.estimate_epsilon), unit=proof.fact.unit)
        if not self._aside:
            return rules.sequential(proof, cost)
        return rules.disjoint_parts(rules.on_part(proof, part=TRAINING), rules.on_part(cost, part=HOLDOUT))

    def releases(self, hypothesis: Hypothesis) -> bool:
        """Whether this hypothesis could ever be what is learnt."""
        return self.learner.releases(hypothesis, self._training)

    def run(self, sample: Sample, coins: Coins) -> Released:
        """The rule, and what was bought with it, drawn with these coins."""
        training, holdout = sample, sample
        if self._aside:
            positions = np.asarray(coins.subset(sample.size.labelled, self._aside), dtype=np.int64)
            training, holdout = sample.rest(positions), sample.take(positions)
        if self.rate_epsilon is not None and self.buys_rate:
            shares = bought_rate(training, epsilon=self._per_record(self.rate_epsilon), coins=coins)
            released = self.settled(shares)._drawn(training, holdout, coins)
            return released._replace(base_rate=shares)
        return self._drawn(training, holdout, coins)

    def _drawn(self, training: Sample, holdout: Sample, coins: Coins) -> Released:
        hypothesis = self.learner.learn(training, coins)
        leaf_counts = self._leaf_counts(training, hypothesis, coins)
        return Released(hypothesis, self._estimate(holdout, hypothesis, coins), leaf_counts)

    def _leaf_counts(self, sample: Sample, hypothesis: Hypothesis, coins: Coins) -> LeafCounts | None:
        if self.leaf_epsilon is None:
            return None
        assert isinstance(hypothesis, Tree)  # what a learner over `Trees` returns
        return release_leaf_counts(
            sample, hypothesis, epsilon=self._per_record(self.leaf_epsilon), coins=coins
        )

    def _estimate(self, sample: Sample, hypothesis: Hypothesis, coins: Coins) -> Confusion | None:
        if self.estimate_epsilon is None:
            return None
        return release_confusion(
            sample,
            hypothesis,
            epsilon=self._per_record(self.estimate_epsilon),
            coins=coins,
            choice=self._own_choice,
        )

    @cached_property
    def _choice(self) -> Choice:
        """What is public about how the rule follows the records it is learnt from."""
        if self.rate_epsilon is not None:
            return Choice(None)  # the costs follow them too, and no bound counts that
        if isinstance(self.learner, GradedTrees):  # whose labels nothing after the first tree changes
            first = self.learner.first
            return choice_of(first, first.certify(self._training).privacy.fact)
        return choice_of(self.learner, self._inner.privacy.fact)

    @property
    def _own_choice(self) -> Choice | None:
        """How the rule was chosen with the records of the estimate; None when these had no part in it."""
        return None if self._aside else self._choice

    @property
    def _estimate_records(self) -> int:
        """How many records the estimate counts."""
        return self._aside or self.request.size.labelled

    def estimate_from(self, counts: tuple[tuple[int, ...], ...]) -> Confusion | None:
        """The estimate these released counts lead to; None where the recipe makes none."""
        if self.estimate_epsilon is None:
            return None
        return summarise(
            counts,
            records=self._estimate_records,
            epsilon=self._per_record(self.estimate_epsilon),
            choice=self._own_choice,
        )


def _paid_from(
    asked: LearnRequest, schema: Schema, size: Size
) -> tuple[LearnRequest, Fraction | None, Fraction | None]:
    """The request with what the rule has to spend, what the estimate costs, and the share of records for it; where that
    is left open, None.

    By default the estimate takes a share of what was asked for, so that the total stays, and no records. On records
    that a person wants kept aside, the whole of epsilon costs nothing more.
    """
    estimate = asked.estimate_epsilon
    if estimate is None or isinstance(estimate, Fraction):
        return asked, estimate, asked.holdout
    total = asked.epsilon
    if asked.holdout:
        return asked, total, asked.holdout
    share = estimate_share(size.labelled, total / asked.records_per_person)
    if not share or tells_risks(spell_out(asked, schema).concepts):
        return asked, None, Fraction(0)
    return replace(asked, epsilon=total * (1 - share)), total * share, Fraction(0)


def word_for_ranking(schema: Schema) -> str:
    """What puts records in order of their risk: a card, or trees for more than two classes.

    On the tables of benchmarks/risks.py a card ranks better than a tree from n·epsilon 200 on, and below it the two
    cannot be told apart.

    >>> word_for_ranking(Schema.from_json({"label": "y", "columns": [{"name": "x", "kind": "boolean"}]}))
    'card'
    """
    return RANKING if len(schema.classes) == 2 else TREES


def _must_buy_rate(asked: LearnRequest, schema: Schema) -> bool:
    """Whether balanced costs are wished where everything public was read from the records, and no share declared."""
    lacks = schema.origin == "from_data" and schema.base_rate is None
    named = isinstance(asked.concepts, str)  # a class of one's own was made for a schema without the shares
    return asked.costs == BALANCED and lacks and named and len(schema.classes) == 2


def _can_grade(asked: LearnRequest, schema: Schema) -> bool:
    """Whether the leaves of the default tree can be split by risk: of two classes, whole records protected."""
    return len(schema.classes) == 2 and asked.protect == "records"


def spell_out(asked: LearnRequest, schema: Schema) -> LearnRequest:
    """The same request with what follows from the aim written out: the word, and the share for leaf counts.

    The shares of tree and counts add up to the epsilon that was asked for. Refused if risks are asked of rules that
    have none, or leaf counts twice.
    """
    ranks = asked.aim == "rank"
    concepts = asked.concepts
    if ranks and concepts == TREES:
        concepts = word_for_ranking(schema)
    if concepts == TREES and asked.probabilities and _can_grade(asked, schema):
        concepts = GRADED
    bare = replace(asked, concepts=concepts, aim="label", probabilities=False)
    needs_risks = ranks or asked.probabilities
    if asked.probabilities and asked.leaf_epsilon is not None:
        raise ParameterError(
            "learn",
            "probabilities",
            True,
            allowed="left out together with leaf_epsilon",
            remedy="probabilities takes a share of epsilon, leaf_epsilon is paid on top: choose one.",
        )
    if (
        tells_risks(concepts)
        or asked.leaf_epsilon is not None
        or not (needs_risks or counts_leaves(concepts))
    ):
        return bare
    if not has_leaves(concepts):
        raise ParameterError(
            "learn",
            "aim" if ranks else "probabilities",
            asked.aim if ranks else True,
            allowed="left out for rules that tell no risks",
            remedy="A card tells risks, and so do trees: concepts='card', 'graded-tree', 'auto' or 'trees:3'.",
        )
    share = asked.epsilon * LEAF_SHARE
    return replace(bare, epsilon=asked.epsilon - share, leaf_epsilon=share)
