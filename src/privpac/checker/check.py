"""Independent re-check of a stored certificate.

Every node of a stored derivation is derived again from its premises and parameters. Nothing is shared with `rules`: the
formulas are written a second time, on rationals, with arithmetic of their own (`directed`), so that a slip in one place
does not vouch for itself. A node may hold only what its rule knows, every number must be the one the rule gives (not
merely a valid one), and fields nobody vouches for are refused. Formats once written stay checkable.

What cannot be checked here: that the parameters (ratio, sensitivity, odds, numbers of records) are those of the code
that ran. `verification.verify` makes the whole certificate anew from the stored wishes for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from privpac.checker.document import CERTIFICATE
from privpac.checker.reading import (
    ALL,
    STEP,
    Broken,
    Loss,
    Tree,
    check_fact,
    decimal,
    integer,
    read_fact,
    read_privacy,
    require,
)
from privpac.checker.steps import RULES, concentrated, covers
from privpac.errors import NotCertified

__all__ = ["FORMATS", "check_certificate", "check_classes", "check_derivation"]

FORMATS = (CERTIFICATE,)

_COINS = ("system", "seeded", "enumerated")
_NODE = {"rule", "fact", "where", "assumes", "premises"}
_CERTIFICATE = {
    "format",
    "epsilon",
    "delta",
    "assumptions",
    "coins",
    "labelled",
    "unlabelled",
    "request",
    "learner",
    "privacy",
    "accuracy",
}
_DEEPEST = 100


_ASSUMING = ("assuming", "group", *covers.ASSUMING, *concentrated.ASSUMING)
"""Rules that may add an assumption."""

_TWO_CLASSES = frozenset(
    {"relabelling", "rank-relabelling", "relabelling-part", "label-boost-labelled", "label-boost-unlabelled"}
)
"""Rules whose proofs count two labels of a point."""


def _shape(node: object) -> Tree:
    """A node of a derivation, as far as that can be seen without its rule."""
    if not isinstance(node, Mapping) or not {"rule", "fact"} <= set(node) <= _NODE:
        raise Broken("a step has unknown fields, or lacks some")
    check_fact(node["fact"])
    require(isinstance(node.get("where", {}), Mapping), "the parameters are not named")
    require(isinstance(node.get("premises", []), (list, tuple)), "the premises are not a list")
    assumes = node.get("assumes", [])
    require(isinstance(assumes, (list, tuple)), "the assumptions are not a list")
    require(all(isinstance(text, str) and text for text in assumes), "an assumption has no words")
    require(not assumes or node.get("rule") in _ASSUMING, "this rule assumes nothing")
    return node


def check_derivation(tree: Tree, path: str = "derivation", *, depth: int = 0) -> int:
    """Re-derive every node; returns how many there are, raises NotCertified at the first that does not follow."""
    rule = tree.get("rule") if isinstance(tree, Mapping) else None
    if not isinstance(rule, str) or rule not in RULES:
        raise NotCertified(f"{path}: there is no rule named {str(rule)[:60]!r}.")
    if depth > _DEEPEST:
        raise NotCertified(f"A derivation has more than {_DEEPEST} steps on top of each other.")
    count = 1
    try:
        node = _shape(tree)
        for i, premise in enumerate(node.get("premises", ())):
            count += check_derivation(premise, f"{path} > {rule}[{i}]", depth=depth + 1)
        RULES[rule](node)
    except Broken as broken:
        raise NotCertified(f"{path} > {rule}: {broken}.") from None
    except ArithmeticError:
        # Nothing else is caught: readers refuse what is malformed, so a TypeError here is a fault of the checker.
        raise NotCertified(f"{path} > {rule}: a number is out of range.") from None
    return count


def _assumed(tree: Tree) -> list[str]:
    texts = list(tree.get("assumes", ()))
    for premise in tree.get("premises", ()):
        texts += _assumed(premise)
    return list(dict.fromkeys(texts))


def check_certificate(tree: Tree) -> int:
    """Re-derive a stored certificate and its headline; returns the number of steps checked."""
    if not isinstance(tree, Mapping) or tree.get("format") not in FORMATS:
        raise NotCertified(
            f"This is not a certificate of a format this version knows ({', '.join(FORMATS)})."
        )
    try:
        require(set(tree) - {"also"} == _CERTIFICATE, "fields are missing or unknown")
        lists = (tree["accuracy"], tree["assumptions"], tree.get("also", []))
        require(all(isinstance(entry, (list, tuple)) for entry in lists), "a list is expected")
        steps = check_derivation(tree["privacy"], "privacy")
        for i, proof in enumerate(tree.get("also", ())):
            steps += check_derivation(proof, f"also[{i}]")
            require(read_privacy(proof).part == ALL, "what holds besides speaks of a part of the records")
        for i, proof in enumerate(tree["accuracy"]):
            steps += check_derivation(proof, f"accuracy[{i}]")
        _headline(tree)
    except Broken as broken:
        raise NotCertified(f"The certificate does not follow: {broken}.") from None
    except ArithmeticError:
        raise NotCertified("The certificate does not follow: a number is out of range.") from None
    return steps


def check_classes(certificate: Tree, schema: object) -> None:
    """Refuse a derivation for two classes beside a schema of any other number of them."""
    classes = schema.get("classes") if isinstance(schema, Mapping) else None
    proofs = (certificate["privacy"], *certificate.get("also", ()))
    if any(_uses(proof, _TWO_CLASSES) for proof in proofs) and not (
        isinstance(classes, (list, tuple)) and len(classes) == 2
    ):
        raise NotCertified("The certificate does not follow: relabelling is proved for two classes only.")


def _uses(tree: Tree, names: frozenset[str]) -> bool:
    return tree["rule"] in names or any(_uses(premise, names) for premise in tree.get("premises", ()))


def _headline(tree: Tree) -> None:
    """What stands on top is what the derivations end with."""
    fact = read_privacy(tree["privacy"])
    require(fact.part == ALL, "the privacy derived is that of a part of the records")
    charged = Loss(decimal(tree["epsilon"]), Fraction(1))
    require(fact.loss.at_most(charged), "the headline epsilon is smaller than the one derived")
    if fact.loss.factor == 1:
        exact = charged.log == fact.loss.log
    else:
        step = Loss(charged.log - STEP, Fraction(1))
        exact = ((charged.log - fact.loss.log) / STEP).denominator == 1 and fact.loss.above(step)
    require(exact, "the headline epsilon is not the one derived, rounded up")
    require(decimal(tree["delta"]) == fact.delta, "the headline delta is not the one derived")
    require(
        list(tree["assumptions"]) == _assumed(tree["privacy"]), "the assumptions are not the derivation's"
    )
    labelled, unlabelled = integer(tree["labelled"], 0), integer(tree["unlabelled"], 0)
    # Whether a prediction is right can be told from labelled records only; a released table speaks of all of them.
    speaks_of = {"accuracy": labelled, "answers": labelled + unlabelled}
    for proof in tree["accuracy"]:
        kind = proof["fact"]["kind"]
        require(kind in speaks_of, "there is no such kind of accuracy")
        records = integer(read_fact(proof, kind)["records"], 0)
        require(records == speaks_of[kind], "an accuracy statement speaks of another number of records")
    require(tree["coins"] in _COINS, "there are no such coins")
    require(isinstance(tree["learner"], Mapping), "the learner is not described")
    require(tree["request"] is None or isinstance(tree["request"], Mapping), "the request is malformed")
