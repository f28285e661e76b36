"""Independent re-check of a stored certificate.

Every node of a stored derivation is derived again from its premises and parameters. Nothing is shared with `rules`: the
formulas are written a second time, on rationals, with arithmetic of their own (`directed`), so that a slip in one place
does not vouch for itself. A node may hold only what its rule knows, every number must be the one the rule gives (not
merely a valid one), and fields nobody vouches for are refused. Formats once written stay checkable.

What cannot be checked here: that the parameters (ratio, sensitivity, odds, numbers of records) are those of the code
that ran. `verification.verify` makes the whole certificate anew from the stored wishes for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from privpac.errors import NotCertified
from privpac.guarantee import directed
from privpac.guarantee.stored import (
    ALL,
    Broken,
    Loss,
    Privacy,
    Tree,
    decimal,
    integer,
    number,
    parameters,
    read_fact,
    read_privacy,
    require,
)

__all__ = ["FORMATS", "check_certificate", "check_derivation"]

FORMATS = ("privpac-certificate/1",)

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
_LARGEST_FOLD = 10_000
_STEP = Fraction(1, 10**12)
"""Headline epsilons and stabilities are rounded up to twelve decimals."""


def _one(node: Tree) -> Tree:
    premises = node.get("premises", ())
    require(len(premises) == 1, "exactly one premise is expected")
    premise: Tree = premises[0]
    return premise


def _pair(node: Tree, *, release: bool = True) -> tuple[Privacy, Privacy]:
    """A privacy fact and its only premise's, which speak of the same thing."""
    new, old = read_privacy(node), read_privacy(_one(node))
    require((new.unit, new.part) == (old.unit, old.part), "the scope differs from the premise's")
    require(not release or new.release == old.release, "the release differs from the premise's")
    return new, old


def _mechanism(exponent: str, twice: bool, release: str | None = None) -> Callable[[Tree], None]:
    """Loss ratio^-(2·sensitivity) of a selection, ratio^-change of noise."""

    def check(node: Tree) -> None:
        require(not node.get("premises"), "a mechanism has no premises")
        fact = read_privacy(node)
        require(fact.loss == _mechanism_loss(node, exponent, twice), "epsilon is not the ratio's")
        require(fact.delta == 0, "delta must be 0")
        require(release in (None, fact.release), "the release is not what this mechanism gives")

    return check


def _mechanism_loss(node: Tree, exponent: str, twice: bool) -> Loss:
    ratio, amount = parameters(node, "ratio", exponent)
    base, count = number(ratio), integer(amount, 1)
    require(0 < base <= 1 and (twice or base < 1), "the ratio is out of range")
    return Loss(Fraction(0), directed.power(1 / base, 2 * count if twice else count))


def _bounded_range(node: Tree) -> None:
    require(not node.get("premises"), "a mechanism has no premises")
    loss = Loss.read(read_fact(node, "bounded-range")["epsilon"])
    require(loss == _mechanism_loss(node, "sensitivity", True), "epsilon is not the ratio's")


def _total_variation(node: Tree) -> None:
    parameters(node)
    premise, fact = read_fact(_one(node), "bounded-range"), read_fact(node, "stability")
    require(fact["unit"] == premise["unit"], "the unit differs from the premise's")
    loss, gamma = Loss.read(premise["epsilon"]), number(fact["gamma"])
    require(0 <= gamma <= 1 and (gamma / _STEP).denominator == 1, "gamma is out of range")
    require(gamma == 1 or loss.at_most(_odds(gamma)), "gamma is too small")
    require(gamma == 0 or loss.above(_odds(gamma - _STEP)), "gamma is not the smallest that holds")


def _odds(gamma: Fraction) -> Loss:
    """tanh(eps/4) <= gamma  <=>  e^eps <= ((1 + gamma)/(1 - gamma))^2."""
    return Loss(Fraction(0), ((1 + gamma) / (1 - gamma)) ** 2)


def _post_processing(node: Tree) -> None:
    what, release = parameters(node, "what", "release")
    new, old = _pair(node, release=False)
    require(isinstance(what, str) and what != "", "it is not said what was computed")
    require((new.loss, new.delta) == (old.loss, old.delta), "the loss differs from the premise's")
    require(new.release == release, "the release is not the one named")


def _several(node: Tree) -> list[Privacy]:
    parameters(node)
    premises = [read_privacy(premise) for premise in node.get("premises", ())]
    require(len(premises) >= 1, "there is nothing to compose")
    unit = read_privacy(node).unit
    require(all(premise.unit == unit for premise in premises), "the protected units differ")
    kinds = {premise.release for premise in premises}
    expected = kinds.pop() if len(kinds) == 1 else "hypothesis"
    require(read_privacy(node).release == expected, "the joint release is misnamed")
    return premises


def _sequential(node: Tree) -> None:
    fact, premises = read_privacy(node), _several(node)
    require(all(p.part == fact.part for p in premises), "the releases speak of different parts")
    factor = Fraction(1)
    for premise in premises:
        factor = directed.shorten(factor * premise.loss.factor)
    log = sum((p.loss.log for p in premises), Fraction(0))
    require(fact.loss == Loss(log, factor), "the epsilons do not add up")
    total = sum((p.delta for p in premises), Fraction(0))
    require(fact.delta == directed.shorten(min(Fraction(1), total)), "the deltas do not add up")


def _disjoint(node: Tree) -> None:
    fact, premises = read_privacy(node), _several(node)
    parts = [p.part for p in premises]
    require(len(set(parts)) == len(parts) and ALL not in parts, "the parts are not different parts")
    require(fact.part == ALL, "disjoint parts together are all records")
    require(all(p.loss.at_most(fact.loss) for p in premises), "a part loses more than the whole")
    require(any(p.loss == fact.loss for p in premises), "no part loses as much as the whole")
    require(fact.delta == max(p.delta for p in premises), "delta is not the largest of the parts")


def _on_part(node: Tree) -> None:
    (part,) = parameters(node, "part")
    new, old = read_privacy(node), read_privacy(_one(node))
    require(old.part == ALL, "the premise must speak of all records of its input")
    require(new.part == part != ALL, "the part is not the one named")
    require((new.unit, new.release) == (old.unit, old.release), "more than the part changed")
    require((new.loss, new.delta) == (old.loss, old.delta), "the loss differs from the premise's")


def _group(node: Tree) -> None:
    new, old = _pair(node)
    (size,) = parameters(node, "size")
    size = integer(size, 1)
    factor = directed.power(old.loss.factor, size)
    require(new.loss == Loss(old.loss.log * size, factor), "epsilon is not size times the premise's")
    said = [f"no person stands behind more than {size} records"] if size > 1 else []
    require(list(node.get("assumes", ())) == said, "the assumption is not that of the rule")
    e = old.loss.rational if old.delta else Fraction(1)
    grown = Fraction(size) if e == 1 else (directed.power(e, size) - 1) / (e - 1)
    require(new.delta == directed.shorten(min(Fraction(1), old.delta * grown)), "delta is not the group's")


def _subsampling(node: Tree) -> None:
    new, old = _pair(node)
    kept, of = (integer(value, 1) for value in parameters(node, "kept", "of"))
    require(kept <= of, "more records are kept than there are")
    share = Fraction(kept, of)
    factor = directed.shorten(1 - share + share * old.loss.rational)
    require(new.loss == Loss(Fraction(0), factor), "epsilon is not that of subsampling")
    require(new.delta == directed.shorten(share * old.delta), "delta is not that of subsampling")


def _with_replacement(node: Tree) -> None:
    new, old = _pair(node)
    draws, of = (integer(value, 1) for value in parameters(node, "draws", "of"))
    e = old.loss.rational
    factor = directed.power((e + of - 1) / of, draws)
    require(new.loss == Loss(Fraction(0), factor), "epsilon is not that of sampling with replacement")
    scale = Fraction(draws, of) if e == 1 else (factor - 1) / (e - 1)
    delta = directed.shorten(min(Fraction(1), old.delta * scale))
    require(new.delta == delta, "delta is not that of sampling with replacement")


def _k_fold(node: Tree) -> None:
    new, old = _pair(node)
    times, saved = parameters(node, "times", "saved")
    times, saved = integer(times, 1), integer(saved, 0)
    require(old.delta == 0, "the releases must be pure epsilon")
    require(2 * saved <= times <= _LARGEST_FOLD, "times or saved is out of range")
    if saved == 0:
        loss = Loss(old.loss.log * times, directed.power(old.loss.factor, times))
        require(new.loss == loss and new.delta == 0, "the epsilons do not add up")
        return
    e = old.loss.rational
    left = times - 2 * saved
    loss = Loss(Fraction(0), directed.power(e, left) if left else Fraction(1))
    require(new.loss == loss, "epsilon is not that of the composition")
    require(new.delta == directed.fold(e, times, saved), "delta is not that of the composition")


def _declared(node: Tree) -> None:
    new, old = _pair(node)
    epsilon, delta = (decimal(text) for text in parameters(node, "epsilon", "delta"))
    require(new.loss == Loss(epsilon, Fraction(1)), "epsilon is not the declared one")
    require(new.delta == delta, "delta is not the declared one")
    require(old.loss.at_most(new.loss), "the true epsilon is larger than what is declared")
    require(old.delta <= new.delta, "the true delta is larger than what is declared")


def _assuming(node: Tree) -> None:
    parameters(node)
    require(len(node.get("assumes", ())) == 1, "exactly one assumption is expected")
    require(_one(node)["fact"] == node["fact"], "the fact differs from its premise")


def _occam(against: str) -> Callable[[Tree], None]:
    def check(node: Tree) -> None:
        require(not node.get("premises"), "an accuracy bound has no premises")
        fact = read_fact(node, "accuracy")
        *numbers, records = parameters(node, "odds", "ratio", "tilt", "records")
        odds, ratio, tilt = (number(text) for text in numbers)
        error, failure = number(fact["error"]), number(fact["failure"])
        require(fact["against"] == against and fact["proper"] is True, "another kind of accuracy")
        require(integer(records, 0) == integer(fact["records"], 0), "the numbers of records differ")
        require(0 < ratio <= tilt <= 1 and odds >= 0, "a parameter is out of range")
        require(0 < error <= 1 and 0 < failure < 1, "error or failure is out of range")
        base = (
            1 - error + error * tilt
            if against == "realizable"
            else (1 - error) / (2 * tilt) + tilt * (1 + error) / 2
        )
        require(directed.power_at_most(odds, base, records, failure), "the bound fails")

    return check


_RULES: dict[str, Callable[[Tree], None]] = {
    "exponential-mechanism": _mechanism("sensitivity", True),
    "leafwise-exponential": _mechanism("sensitivity", True, "hypothesis"),
    "permute-and-flip": _mechanism("sensitivity", True, "hypothesis"),
    "bounded-range": _bounded_range,
    "geometric-noise": _mechanism("change", False, "noisy numbers"),
    "total-variation": _total_variation,
    "post-processing": _post_processing,
    "sequential": _sequential,
    "disjoint-parts": _disjoint,
    "on-part": _on_part,
    "group": _group,
    "subsampling-without-replacement": _subsampling,
    "sampling-with-replacement": _with_replacement,
    "k-fold-composition": _k_fold,
    "declared": _declared,
    "assuming": _assuming,
    "occam-realizable": _occam("realizable"),
    "occam-agnostic": _occam("agnostic"),
}

_ASSUMING = ("assuming", "group")
"""Rules that may add an assumption."""


def _shape(node: object) -> Tree:
    """A node of a derivation, as far as that can be seen without its rule."""
    require(isinstance(node, Mapping) and set(node) <= _NODE, "a step has unknown fields")
    assert isinstance(node, Mapping)
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
    if not isinstance(rule, str) or rule not in _RULES:
        raise NotCertified(f"{path}: there is no rule named {str(rule)[:60]!r}.")
    if depth > _DEEPEST:
        raise NotCertified(f"A derivation has more than {_DEEPEST} steps on top of each other.")
    count = 1
    try:
        node = _shape(tree)
        for i, premise in enumerate(node.get("premises", ())):
            count += check_derivation(premise, f"{path} > {rule}[{i}]", depth=depth + 1)
        _RULES[rule](node)
    except Broken as broken:
        raise NotCertified(f"{path} > {rule}: {broken}.") from None
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        raise NotCertified(f"{path} > {rule}: a field is missing or malformed.") from None
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
        require(set(tree) == _CERTIFICATE, "fields are missing or unknown")
        steps = check_derivation(tree["privacy"], "privacy")
        for i, proof in enumerate(tree["accuracy"]):
            steps += check_derivation(proof, f"accuracy[{i}]")
        _headline(tree)
    except Broken as broken:
        raise NotCertified(f"The certificate does not follow: {broken}.") from None
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        raise NotCertified("The certificate is incomplete or malformed.") from None
    return steps


def _headline(tree: Tree) -> None:
    """What stands on top is what the derivations end with."""
    fact = read_privacy(tree["privacy"])
    require(fact.part == ALL, "the privacy derived is that of a part of the records")
    charged = Loss(decimal(tree["epsilon"]), Fraction(1))
    require(fact.loss.at_most(charged), "the headline epsilon is smaller than the one derived")
    if fact.loss.factor == 1:
        exact = charged.log == fact.loss.log
    else:
        step = Loss(charged.log - _STEP, Fraction(1))
        exact = ((charged.log - fact.loss.log) / _STEP).denominator == 1 and fact.loss.above(step)
    require(exact, "the headline epsilon is not the one derived, rounded up")
    require(decimal(tree["delta"]) == fact.delta, "the headline delta is not the one derived")
    require(
        list(tree["assumptions"]) == _assumed(tree["privacy"]), "the assumptions are not the derivation's"
    )
    labelled, _ = integer(tree["labelled"], 0), integer(tree["unlabelled"], 0)
    for proof in tree["accuracy"]:
        records = integer(read_fact(proof, "accuracy")["records"], 0)
        require(records == labelled, "an accuracy statement speaks of another number of records")
    require(tree["coins"] in _COINS, "there are no such coins")
    require(isinstance(tree["learner"], Mapping), "the learner is not described")
    require(tree["request"] is None or isinstance(tree["request"], Mapping), "the request is malformed")
