"""Privacy, checked: the loss of one mechanism is its ratio's; what follows for several, for a part, for a person."""

from __future__ import annotations

from fractions import Fraction

from privpac.checker import curves, directed
from privpac.checker.document import same
from privpac.checker.reading import (
    ALL,
    STEP,
    Check,
    Loss,
    Privacy,
    Tree,
    decimal,
    integer,
    no_premise,
    number,
    only_premise,
    pair,
    parameters,
    read_fact,
    read_privacy,
    require,
)

__all__ = ["RULES"]

_LARGEST_FOLD = 10_000
_LARGEST_RANGE_FOLD = 64
_LARGEST_LOG = 1_000


def _mechanism(exponent: str, twice: bool, release: str | None = None) -> Check:
    """Loss ratio^-(2·sensitivity) of a selection, ratio^-change of noise."""

    def check(node: Tree) -> None:
        no_premise(node)
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
    no_premise(node)
    loss = Loss.read(read_fact(node, "bounded-range")["epsilon"])
    require(loss == _mechanism_loss(node, "sensitivity", True), "epsilon is not the ratio's")


def _total_variation(node: Tree) -> None:
    parameters(node)
    premise, fact = read_fact(only_premise(node), "bounded-range"), read_fact(node, "stability")
    require(fact["unit"] == premise["unit"], "the unit differs from the premise's")
    loss, gamma = Loss.read(premise["epsilon"]), number(fact["gamma"])
    require(0 <= gamma <= 1 and (gamma / STEP).denominator == 1, "gamma is out of range")
    require(gamma == 1 or loss.at_most(_odds(gamma)), "gamma is too small")
    require(gamma == 0 or loss.above(_odds(gamma - STEP)), "gamma is not the smallest that holds")


def _odds(gamma: Fraction) -> Loss:
    """tanh(eps/4) <= gamma  <=>  e^eps <= ((1 + gamma)/(1 - gamma))^2."""
    return Loss(Fraction(0), ((1 + gamma) / (1 - gamma)) ** 2)


def _post_processing(node: Tree) -> None:
    what, release = parameters(node, "what", "release")
    new, old = pair(node, release=False)
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
    kind = kinds.pop() if len(kinds) == 1 else "hypothesis"
    require(read_privacy(node).release == kind, "the joint release is misnamed")
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
    new, old = read_privacy(node), read_privacy(only_premise(node))
    require(old.part == ALL, "the premise must speak of all records of its input")
    require(new.part == part != ALL, "the part is not the one named")
    require((new.unit, new.release) == (old.unit, old.release), "more than the part changed")
    require((new.loss, new.delta) == (old.loss, old.delta), "the loss differs from the premise's")


def _group(node: Tree) -> None:
    new, old = pair(node)
    (size,) = parameters(node, "size")
    size = integer(size, 1)
    factor = directed.power(old.loss.factor, size)
    require(new.loss == Loss(old.loss.log * size, factor), "epsilon is not size times the premise's")
    assumptions = [f"no person stands behind more than {size} records"] if size > 1 else []
    require(list(node.get("assumes", ())) == assumptions, "the assumption is not that of the rule")
    e = old.loss.rational if old.delta else Fraction(1)
    growth = Fraction(size) if e == 1 else (directed.power(e, size) - 1) / (e - 1)
    require(new.delta == directed.shorten(min(Fraction(1), old.delta * growth)), "delta is not the group's")


def _k_fold(node: Tree) -> None:
    new, old = pair(node)
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


def _range_fold(node: Tree) -> None:
    times, epsilon, release = parameters(node, "times", "epsilon", "release")
    times, epsilon = integer(times, 1), decimal(epsilon)
    old, new = read_fact(only_premise(node), "bounded-range"), read_privacy(node)
    each = Loss.read(old["epsilon"]).upper
    require(times <= _LARGEST_RANGE_FOLD and epsilon <= _LARGEST_LOG, "times or epsilon is out of range")
    require(times * each <= _LARGEST_LOG, "the releases lose too much")
    require(new == Privacy(Loss(epsilon, Fraction(1)), new.delta, old["unit"], ALL, release), "more changed")
    require(new.delta == curves.range_fold(each, times, epsilon), "delta is not that of the composition")


def _declaration(node: Tree) -> None:
    new, old = pair(node)
    epsilon, delta = (decimal(text) for text in parameters(node, "epsilon", "delta"))
    require(new.loss == Loss(epsilon, Fraction(1)), "epsilon is not the declared one")
    require(new.delta == delta, "delta is not the declared one")
    require(old.loss.at_most(new.loss), "the true epsilon is larger than what is declared")
    require(old.delta <= new.delta, "the true delta is larger than what is declared")


def _assuming(node: Tree) -> None:
    parameters(node)
    require(len(node.get("assumes", ())) == 1, "exactly one assumption is expected")
    require(same(only_premise(node)["fact"], node["fact"]), "the fact differs from its premise")


RULES: dict[str, Check] = {
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
    "k-fold-composition": _k_fold,
    "range-fold": _range_fold,
    "declared": _declaration,
    "assuming": _assuming,
}
