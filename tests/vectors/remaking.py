"""What the makers say of a stored step: they make it again, or refuse.

A second opinion on every vector that is a derivation, which no reader of the rule book has a part in: premises are made
first, then the step's own maker is called with the stored parameters. What comes out is compared with what is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from privpac.constructions import catalogue
from privpac.constructions.card import rules as card
from privpac.constructions.covers import rules as covers
from privpac.constructions.cuts import rules as cuts
from privpac.constructions.few_labels import active, boost, generic
from privpac.constructions.prediction import fresh_draws, vote_law
from privpac.constructions.prediction import net_relabelled as net_votes
from privpac.constructions.prediction import relabelled_vote as relabelled_votes
from privpac.constructions.prediction import vote as voting
from privpac.constructions.release import block_quantiles, blr, histogram, quantiles, sanitiser, tree_counts
from privpac.constructions.release.block_quantiles import BlockQuantilePlan, place_bits
from privpac.constructions.release.tree_counts import TreePlan
from privpac.constructions.stable import stable
from privpac.constructions.wrappers import relabelling
from privpac.errors import RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.facts import ALL, Accuracy, Against, Queries, Release, Unit
from privpac.guarantee.proof import Proof
from privpac.guarantee.theorem import Theorem
from privpac.theory.refined import Kind
from tests.contracts.examples import BOUNDS
from tests.vectors import spread_labels

__all__ = ["bound_of", "follows", "remade"]

Tree = Mapping[str, Any]
Where = dict[str, Any]
Maker = Callable[[Where, Where, list[Proof[Any]], Tree], Proof[Any]]
"""Of the parameters and the fact, read; the premises; and the stored step."""

TEXTS = {"release", "part", "what", "reference", "basis"}
"""Parameters, or what their names end with, that are words."""
WORDS: dict[str, Callable[[Any], Any]] = {
    "unit": Unit,
    "release": Release,
    "against": Against,
    "queries": Queries,
}


WHOLE = {"clipped-points", "star-entries", "sampled-point", "relabelling-votes"}
"""Mechanisms of which the rule says what they protect."""


def remade(tree: Tree) -> Proof[Any]:
    """The step as its maker makes it from the stored parameters; `RuleRefused` if it does not."""
    premises = [remade(premise) for premise in tree.get("premises", ())]
    where = {name: _value(name, value) for name, value in tree.get("where", {}).items()}
    fact = {name: _value(name, value) for name, value in tree["fact"].items()}
    return MAKERS[tree["rule"]](where, fact, premises, tree)


def follows(tree: Tree) -> bool:
    """Whether the makers make this very step; what a mechanism protects is the word of whoever runs it."""
    try:
        made = remade(tree).to_json()
    except (RuleRefused, ArithmeticError, ValueError):
        return False
    if not tree.get("premises") and tree["rule"] not in WHOLE:
        scope = {name: tree["fact"][name] for name in ("unit", "part") if name in tree["fact"]}
        made["fact"] = {**made["fact"], **scope}  # type: ignore[dict-item]
    return _bare(made) == _bare(tree)


def _bare(tree: Tree) -> Tree:
    """Without empty lists, which say nothing."""
    below = [_bare(premise) for premise in tree.get("premises", ())]
    return {name: value for name, value in {**tree, "premises": below}.items() if value not in ([], {}, ())}


def _value(name: str, value: Any) -> Any:
    if name in WORDS:
        return WORDS[name](value)
    if (
        not isinstance(value, str)
        or name.split("_")[-1] in TEXTS
        or name in ("refined", "sizes", "rivals", "kind")
    ):
        return value
    return value if value == "never" or name == "neighbours" else Fraction(value)


def _whole(value: Fraction) -> int:
    """Makers take whole numbers where certificates store text; another number is nobody's argument."""
    if value.denominator != 1:
        raise RuleRefused("remaking", "a whole number is expected")
    return value.numerator


def _from(make: Callable[..., Proof[Any]], *facts: str, **fixed: Any) -> Maker:
    """A maker that takes the premises, all parameters, these fields of the fact, and what no certificate stores."""

    def call(where: Where, fact: Where, premises: list[Proof[Any]], _: Tree) -> Proof[Any]:
        own = {name: fact[name] for name in facts}
        return make(*premises, **own, **where, **fixed)

    return call


def _wholes(make: Callable[..., Proof[Any]], *names: str) -> Maker:
    """The same, with these parameters as whole numbers."""

    def call(where: Where, fact: Where, premises: list[Proof[Any]], tree: Tree) -> Proof[Any]:
        return _GOAL(make)({**where, **{name: _whole(where[name]) for name in names}}, fact, premises, tree)

    return call


def _GOAL(make: Callable[..., Proof[Any]], *names: str) -> Maker:  # noqa: N802
    return _from(make, *(names or ("error", "failure")))


def _scoped(make: Callable[..., Proof[Any]], *scope: str) -> Maker:
    return _from(make, *(scope or ("unit", "part")))


def _known(where: Where, fact: Where, premises: list[Proof[Any]], _: Tree) -> Proof[Any]:
    """A run of which only this is known looks at the role alone, or not: whoever runs it says so."""
    alone = "roles" not in fact and premises[0].fact.part == ALL
    return active.positions_known(*premises, **where, alone=alone)


def _refined(where: Where, fact: Where, premises: list[Proof[Any]], _: Tree) -> Proof[Any]:
    odds = [Fraction(text) for text in where.pop("refined", "").split()]
    sizes = [int(text) for text in where.pop("sizes", "").split()] or [1] * len(odds)
    if len(sizes) != len(odds):
        raise RuleRefused("remaking", "a kind lacks a number")
    return rules.refined_draw(
        premises[0] if premises else None,
        **where,
        **_of(fact, "error", "failure", "against", "rivals"),
        kinds=[Kind(*pair) for pair in zip(odds, sizes, strict=True)],
    )


def _of(values: Where, *names: str) -> Where:
    return {name: values[name] for name in names}


@dataclass(frozen=True)
class _Step:
    """A step that follows, as a maker would write it."""

    tree: Tree

    def to_json(self) -> Tree:
        return self.tree


def _step(fact: Where, tree: Tree) -> _Step:
    made = Accuracy(fact["error"], fact["failure"], fact["against"], fact["records"])
    return _Step(
        {
            **{name: tree[name] for name in ("rule", "where", "premises") if name in tree},
            "fact": made.to_json(),
        }
    )


def _drawn(where: Where, name: str) -> spread_labels.DrawBound:
    parts = ("odds", "ratio", "most", "failure")
    return spread_labels.DrawBound(*(where.pop(f"{name}_{part}") for part in parts))


def _carried(where: Where, name: str, *, pairs: bool = False) -> spread_labels.Carried:
    points_, basis, failure, of, square, uniform, single = (
        where.pop(f"{name}_{part}")
        for part in ("points", "basis", "failure", "of", "square", "uniform", "single")
    )
    size, vc = (0, _whole(of)) if basis == "growth" else (_whole(of), 0)
    return spread_labels.Carried(points_, basis, failure, size, vc, square, uniform, single, pairs)


def _base(where: Where, premises: list[Proof[Any]]) -> Any:
    return premises[0] if premises else _drawn(where, "base")


def _boost(where: Where, fact: Where, premises: list[Proof[Any]], tree: Tree) -> Any:
    spread_labels.label_boost(
        base=_base(where, premises),
        carried=_carried(where, "carried"),
        labelled=fact["records"],
        **where,
        **_of(fact, "against", "error", "failure"),
    )
    return _step(fact, tree)


def _ssl(where: Where, fact: Where, premises: list[Proof[Any]], tree: Tree) -> Any:
    spread_labels.ssl_relabel(
        draw=_drawn(where, "draw"),
        base=_base(where, premises),
        apart=_carried(where, "apart", pairs=True),
        parts=(where.pop("near"), where.pop("apart")),
        near=_carried(where, "near"),
        labelled=fact["records"],
        **_of(fact, "error", "failure"),
        **where,
    )
    return _step({**fact, "against": Against.REALIZABLE}, tree)


def _of_all(make: Callable[..., Proof[Any]]) -> Maker:
    """Makers that call the number of all records `of`, which is stored in the fact."""

    def call(where: Where, fact: Where, premises: list[Proof[Any]], _: Tree) -> Proof[Any]:
        return make(*premises, of=fact["records"], **where)

    return call


def _empirical(make: Callable[..., Proof[Any]]) -> Maker:
    def call(where: Where, fact: Where, premises: list[Proof[Any]], _: Tree) -> Proof[Any]:
        if "stake" in where:
            where["stake"] = _whole(where["stake"])
        return make(*premises, **where, **_of(fact, "records", "error", "failure"))

    return call


def _rec_concave(where: Where, fact: Where, *_: Any) -> Proof[Any]:
    ratios = tuple(where.pop(f"{name}_ratio") for name in ("width", "block", "cut"))
    return cuts.rec_concave(ratios=ratios, **where, **_of(fact, "error", "failure"))  # type: ignore[arg-type]


def _answers(make: Callable[..., Proof[Any]], *wholes: str) -> Maker:
    def call(where: Where, fact: Where, _: Any, tree: Tree) -> Proof[Any]:
        own = {name: _whole(where[name]) for name in wholes}
        return make(**{**where, **own}, **_of(fact, "records", "failure"))

    return call


def _tree(where: Where, fact: Where, *_: Any) -> Proof[Any]:
    above = None if where["above"] == "never" else where["above"]
    plan = TreePlan(**{**where, "cells": _whole(where["cells"]), "above": above})
    return tree_counts.tree_answers(plan, **_of(fact, "records", "failure"))


def _blocks(where: Where, fact: Where, *_: Any) -> Proof[Any]:
    cells, records = _whole(where.pop("cells")), fact["records"]
    where["stake"] = _whole(where["stake"])
    plan = BlockQuantilePlan(bits=place_bits(records, cells=cells), **where)
    return block_quantiles.block_quantile_answers(plan, cells=cells, records=records, failure=fact["failure"])


def _candidates(where: Where, fact: Where, *_: Any) -> Proof[Any]:
    where["candidates"] = _whole(where["candidates"])
    return blr.candidate_answers(**where, **_of(fact, "records", "error", "failure", "queries"))


def _generic(where: Where, fact: Where, premises: list[Proof[Any]], _: Tree) -> Proof[Any]:
    where["hypotheses"] = _whole(where["hypotheses"])
    return generic.generic_learner(
        *premises, labelled=fact["records"], **where, **_of(fact, "error", "failure")
    )


def _assuming(where: Where, fact: Where, premises: list[Proof[Any]], tree: Tree) -> Proof[Any]:
    return rules.assuming(premises[0], *tree["assumes"])


def _reference(where: Where, fact: Where, _: Any, tree: Tree) -> Proof[Any]:
    return covers.reference_cover(**where, **_of(fact, "error", "failure", "against"))


def _labellings(where: Where, fact: Where, *_: Any) -> Proof[Any]:
    where["members"] = _whole(where["members"])
    return covers.labellings(**where, **_of(fact, "error", "failure", "against"))


def _label_cover(where: Where, fact: Where, *_: Any) -> Proof[Any]:
    """Candidates are a whole number where they are counted; the step needs no more than a number."""
    return covers.label_cover(**where, **_of(fact, "error", "failure"))


def _staked(make: Callable[..., Proof[Any]], *facts: str) -> Maker:
    def call(where: Where, fact: Where, *_: Any) -> Proof[Any]:
        return make(**{**where, "stake": _whole(where["stake"])}, **_of(fact, *facts))

    return call


def _noise(where: Where, fact: Where, premises: list[Proof[Any]], _: Tree) -> Proof[Any]:
    return rules.noise_concentrated(*premises, **where)


def bound_of(step: Proof[Any]) -> Any:
    """The theorem of a step, with its parameters and premises; of an example, if it computes what is stored."""
    if step.rule in BOUNDS:
        return BOUNDS[step.rule]()
    where = {name: _value(name, value) for name, value in step.where.items() if name != "records"}
    return _bound(catalogue.theorems()[step.rule], where, step.premises)


def _bound(theorem: type[Theorem], where: Where, premises: Sequence[Proof[Any]]) -> Any:
    kinds = {part.name: str(part.type) for part in fields(theorem)}  # type: ignore[arg-type]
    below = [name for name, kind in kinds.items() if kind.startswith("Proof")]
    wholes = {name: _whole(where[name]) for name in set(where) & set(theorem.as_text)}
    return theorem(**dict(zip(below, premises, strict=True)), **{**where, **wholes})


def _theorem(theorem: type[Theorem]) -> Maker:
    """The bound whose fields are the parameters and premises, and its step."""

    def call(where: Where, fact: Where, premises: list[Proof[Any]], _: Tree) -> Proof[Any]:
        goal = {"n": where.pop("records"), **_of(fact, "error", "failure")} if "error" in fact else {}
        return _bound(theorem, where, premises).proof(**goal)

    return call


OCCAM = _from(rules.occam, "error", "failure", "against", "rivals")
TWO = {"classes": 2}

MAKERS: dict[str, Maker] = {
    **{key: _theorem(theorem) for key, theorem in catalogue.theorems().items()},
    "exponential-mechanism": _scoped(rules.exponential_mechanism, "unit", "part", "release"),
    "permute-and-flip": _scoped(rules.permute_and_flip),
    "bounded-range": _scoped(rules.bounded_range, "unit"),
    "geometric-noise": _scoped(rules.geometric_noise),
    "leafwise-medians": _from(quantiles.leafwise_medians),
    "weighted-rounds": _scoped(card.weighted_rounds, "unit"),
    "leafwise-blocks": _staked(block_quantiles.leafwise_blocks),
    "occupied-blocks": _staked(cuts.occupied_blocks),
    "stable-choice": _from(cuts.stable_choice),
    "vote": _from(vote_law.vote, **TWO),
    "plurality": _from(vote_law.plurality),
    "exponential-vote": _from(vote_law.exponential_vote),
    "post-processing": _from(rules.post_processing),
    "sequential": _from(rules.sequential),
    "disjoint-parts": _from(rules.disjoint_parts),
    "on-part": _from(rules.on_part),
    "group": _from(rules.group),
    "k-fold-composition": _from(rules.k_fold),
    "range-fold": _from(rules.range_fold),
    "declared": _from(rules.declared),
    "assuming": _assuming,
    "subsampling-without-replacement": _from(rules.subsampling),
    "sampling-with-replacement": _from(rules.sampling_with_replacement),
    "total-variation": _from(rules.total_variation),
    "delta-removal": _from(fresh_draws.delta_removal, **TWO),
    "relabelling": _from(relabelling.relabelling, **TWO),
    "relabelling-part": _from(relabelling.relabelling_part, **TWO),
    "relabelling-votes": _from(relabelling.relabelling_votes, **TWO),
    "listed-from-some": _from(stable.listed_from_some),
    "stable-from-some": _from(stable.stable_from_some),
    "net-relabelling": _from(net_votes.net_relabelling, **TWO),
    "label-boost-labelled": _from(boost.label_boost_labelled, **TWO),
    "label-boost-unlabelled": _from(boost.label_boost_unlabelled, **TWO),
    "later-round": _from(boost.later_round),
    "positions-known": _known,
    "label-boost-realizable": _boost,
    "label-boost-agnostic": _boost,
    "ssl-relabel-accuracy": _ssl,
    "occam-realizable": OCCAM,
    "occam-agnostic": OCCAM,
    "reference-cover-realizable": _reference,
    "reference-cover-agnostic": _reference,
    "labellings-realizable": _labellings,
    "labellings-agnostic": _labellings,
    "empirical-draw": _empirical(rules.empirical_draw),
    "label-thresholds": _GOAL(covers.label_thresholds),
    "label-cover": _label_cover,
    "refined-draw-realizable": _refined,
    "refined-draw-agnostic": _refined,
    "subsampling-accuracy": _from(rules.subsampling_accuracy),
    "resampling-empirical": _from(rules.resampling_empirical),
    "resampling-accuracy": _from(rules.resampling_accuracy),
    "confidence": _of_all(rules.confidence),
    "relabelling-accuracy": _of_all(rules.relabelling_accuracy),
    "stable-accuracy": _of_all(rules.stable_accuracy),
    "vote-accuracy": _from(voting.vote_accuracy, "failure"),
    "exponential-vote-accuracy": _from(voting.exponential_vote_accuracy, "failure"),
    "flipped-answers": _from(fresh_draws.flipped_answers, "failure"),
    "relabelled-vote": _from(relabelled_votes.relabelled_vote, "failure"),
    "net-relabelling-accuracy": _from(net_votes.net_relabelling_accuracy, "failure"),
    "rec-concave": _rec_concave,
    "occupied-blocks-empirical": _empirical(cuts.occupied_blocks_empirical),
    "switch-reconstruction": _GOAL(cuts.switch_reconstruction),
    "independent-noise": _from(cuts.independent_noise),
    "noise-reconstruction": _from(cuts.noise_reconstruction),
    "histogram-answers": _answers(histogram.histogram_answers, "cells"),
    "tree-answers": _tree,
    "quantile-answers": _answers(quantiles.quantile_answers, "cells"),
    "block-quantile-answers": _blocks,
    "candidate-answers": _candidates,
    "ranges-from-thresholds": _from(sanitiser.ranges_from_thresholds),
    "generic-learner": _generic,
    "draw-range": _from(rules.draw_range),
    "range-log-odds": _from(rules.range_log_odds),
    "range-concentrated": _from(rules.range_concentrated),
    "log-odds-concentrated": _from(rules.log_odds_concentrated),
    "pure-concentrated": _from(rules.pure_concentrated),
    "noise-concentrated": _noise,
    "subsampled-concentrated": _from(rules.subsampled_concentrated),
    "concentrated-sum": _from(rules.concentrated_sum),
    "concentrated-post-processing": _from(rules.concentrated_post_processing),
    "concentrated-on-part": _from(rules.concentrated_on_part),
    "concentrated-parts": _from(rules.concentrated_parts),
    "concentrated-mixture": _from(rules.concentrated_mixture),
    "concentrated-group": _from(rules.concentrated_group),
    "concentrated-privacy": _from(rules.concentrated_privacy),
}
