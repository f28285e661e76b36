"""What follows from what a rule is for: a card, or a tree whose leaves are counted with a public share of epsilon.

Decided by public numbers alone, before anything is charged, and written out: a stored certificate holds the word and
the shares that were used, and needs no aim to be verified.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from privpac.constructions.words import counts_leaves, has_leaves, tells_risks
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.wishes import RuleWishes

__all__ = ["LEAF_SHARE", "granted", "word_for_ranking"]

LEAF_SHARE = Fraction(1, 5)
"""Of epsilon, for the counts in the leaves. Over the six tables of benchmarks/scores.py three tenths rank .003 worse
and tell risks .005 better (log-loss), a tenth does worse in both; leaving out any one table does not change that."""

RANKING = "card"
TREES = "auto"


def word_for_ranking(schema: Schema) -> str:
    """What puts records in order of their risk: a card, or trees for more than two classes.

    On the tables of benchmarks/scores.py a card ranks better than a tree from n·epsilon 200 on, and below it the two
    cannot be told apart.

    >>> word_for_ranking(Schema.from_json({"label": "y", "columns": [{"name": "x", "kind": "boolean"}]}))
    'card'
    """
    return RANKING if len(schema.classes) == 2 else TREES


def granted(wishes: RuleWishes, schema: Schema) -> RuleWishes:
    """The same wishes with what follows from the aim written out: the word, and the share for leaf counts.

    The shares of tree and counts add up to the epsilon that was asked for. Refused if risks are asked of rules that
    have none, or leaf counts twice.
    """
    ranks = wishes.aim == "rank"
    concepts = wishes.concepts
    if ranks and concepts == TREES:
        concepts = word_for_ranking(schema)
    plain = replace(wishes, concepts=concepts, aim="label", probabilities=False)
    asked = ranks or wishes.probabilities
    if wishes.probabilities and wishes.leaf_epsilon is not None:
        raise ParameterError(
            "learn",
            "probabilities",
            True,
            allowed="left out together with leaf_epsilon",
            remedy="probabilities takes a share of epsilon, leaf_epsilon is paid on top: choose one.",
        )
    if tells_risks(concepts) or wishes.leaf_epsilon is not None or not (asked or counts_leaves(concepts)):
        return plain
    if not has_leaves(concepts):
        raise ParameterError(
            "learn",
            "aim" if ranks else "probabilities",
            wishes.aim if ranks else True,
            allowed="left out for rules that tell no risks",
            remedy="A card tells risks, and so do trees: concepts='card', 'risk-tree', 'auto' or 'trees:3'.",
        )
    share = wishes.epsilon * LEAF_SHARE
    return replace(plain, epsilon=wishes.epsilon - share, leaf_epsilon=share)
