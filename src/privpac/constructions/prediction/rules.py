"""Answers instead of models: votes, draws from labellings of a random subset, flips that remove a delta."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from privpac.constructions.prediction.exponential_formulas import error_exponential_vote
from privpac.constructions.prediction.formulas import MOST_VOTES, error_vote, excess_flipped
from privpac.constructions.prediction.net_formulas import excess_net_relabelled, net_failure
from privpac.constructions.prediction.relabelled_formulas import excess_relabelled_vote
from privpac.guarantee.facts import ALL, Accuracy, Against, Loss, Privacy, Release, Unit
from privpac.guarantee.proof import (
    ONE,
    SEAL,
    Proof,
    need,
    need_ratio,
    need_two_classes,
    parameters,
    power,
    rational,
    selection,
)
from privpac.numbers.exact import shortened, written

__all__ = [
    "delta_removal",
    "exponential_vote",
    "exponential_vote_accuracy",
    "flipped_answers",
    "net_relabelling",
    "net_relabelling_accuracy",
    "plurality",
    "relabelled_vote",
    "vote",
    "vote_accuracy",
]


Settings = dict[str, int | Fraction]
"""What a bound was computed at."""


def vote(*, classes: int, ratio: Fraction, models: int) -> Proof[Privacy]:
    """One answer by the vote of `models` models of which one record changes at most one: e^epsilon = 1/ratio.

    Source: Li–Wang–Ye 2025, Lemma 19, Dagan–Feldman 2020, Lemma 6, mechanism and constant ours; register `vote`.
    Refused unless there are two `classes`: `plurality` is for more. Holds if models are trained on blocks that share no
    record and chosen without looking at records (assumed of the caller).
    """
    rule = "vote"
    need_two_classes(rule, classes)
    need_ratio(rule, ratio, 1)
    need(rule, models >= 1, "there must be at least one model")
    fact = Privacy(Loss(factor=1 / ratio), release=Release.ANSWER)
    return Proof(fact, rule, where={"ratio": written(ratio), "models": models}, seal=SEAL)


def plurality(*, ratio: Fraction, models: int, classes: int) -> Proof[Privacy]:
    """One answer by permute-and-flip on the votes of `models` models for `classes` classes: e^epsilon = ratio^-2.

    Source: McKenna–Sheldon 2020, Theorem 1, where a record changes one vote: one count falls by one, another grows by
    one; register `plurality`. Holds if models are trained on blocks that share no record and chosen without looking
    at records (assumed of the caller).
    """
    return _choice("plurality", ratio, models, classes)


def exponential_vote(*, ratio: Fraction, models: int, classes: int) -> Proof[Privacy]:
    """One answer by exponential weights on the votes of `models` models for `classes` classes: e^epsilon = ratio^-2.

    It has a range of epsilon (`draw_range`), which is why it is worth its larger error where rho is added. Source:
    McSherry–Talwar 2007; register `exponential-vote`. Holds if models are trained on blocks that share no record and
    chosen without looking at records (assumed of the caller).
    """
    return _choice("exponential-vote", ratio, models, classes)


def _choice(rule: str, ratio: Fraction, models: int, classes: int) -> Proof[Privacy]:
    """One of this many classes, chosen by votes of which a record moves two counts by one each."""
    need_ratio(rule, ratio, 1)
    need(rule, models >= 1, "there must be at least one model")
    need(rule, classes >= 2, "there must be at least two classes")
    fact = Privacy(selection(rule, ratio, 1), release=Release.ANSWER)
    return Proof(fact, rule, where=parameters(ratio=ratio, models=models, classes=classes), seal=SEAL)


def delta_removal(premise: Proof[Privacy], *, classes: int, flip: Fraction) -> Proof[Privacy]:
    """An answer turned round with probability `flip` is pure: e^eps' = max(e^eps, 1 + delta·(1 - 2·flip)/flip).

    Source: Dagan–Feldman 2020, Corollary 1, generalised; register `delta-removal`. Refused unless there are two
    `classes`. Holds if the flip has coins of its own (assumed of the caller).
    """
    rule = "delta-removal"
    need_two_classes(rule, classes)
    old = premise.fact
    need(rule, old.release is Release.ANSWER, "only an answer can be turned round")
    need(rule, 0 < flip <= Fraction(1, 2), "the flip must lie in (0, 1/2]")
    floor = Loss(factor=shortened(1 + old.delta * (1 - 2 * flip) / flip))
    epsilon = old.epsilon if floor <= old.epsilon else floor
    fact = replace(old, epsilon=epsilon, delta=Fraction(0))
    return Proof(fact, rule, (premise,), {"flip": written(flip)}, seal=SEAL)


def _answers(
    rule: str,
    bound: Callable[..., Fraction],
    against: Against,
    records: int,
    vc: int,
    failure: Fraction,
    **settings: int | Fraction,
) -> Proof[Accuracy]:
    """What a bound proves of the error of answers, at these settings."""
    need(rule, 0 < failure < 1 and vc >= 0, "failure or VC dimension is out of range")
    need(rule, settings.get("models", 1) <= MOST_VOTES, f"more than {MOST_VOTES} models vote")
    error = bound(records, failure=failure, vc=vc, **settings)
    need(rule, error < 1, "these records prove nothing")
    fact = Accuracy(shortened(error), failure, against, records, proper=False)
    return Proof(fact, rule, where=parameters(**settings, records=records, vc=vc), seal=SEAL)


def _need_blocks(rule: str, ratio: Fraction, models: int, records: int) -> None:
    need_ratio(rule, ratio, 1)
    need(rule, 1 <= models <= records, "there must be at least one record per model")


def vote_accuracy(
    *, models: int, ratio: Fraction, records: int, vc: int, failure: Fraction
) -> Proof[Accuracy]:
    """The error of a vote of consistent concepts, one per block of at least records // models records.

    Source: register `vote-accuracy`, `epsilon-net`. Holds for independent records of which some concept judges all
    rightly.
    """
    rule = "vote-accuracy"
    _need_blocks(rule, ratio, models, records)
    return _answers(rule, error_vote, Against.REALIZABLE, records, vc, failure, models=models, ratio=ratio)


def exponential_vote_accuracy(
    *, models: int, ratio: Fraction, records: int, vc: int, failure: Fraction
) -> Proof[Accuracy]:
    """The error of a vote of consistent concepts by exponential weights, between two classes.

    Source: register `exponential-vote-accuracy`, `epsilon-net`. Holds for independent records of which some concept
    judges all rightly.
    """
    rule = "exponential-vote-accuracy"
    _need_blocks(rule, ratio, models, records)
    bound, against = error_exponential_vote, Against.REALIZABLE
    return _answers(rule, bound, against, records, vc, failure, models=models, ratio=ratio)


def flipped_answers(
    *,
    kept: int,
    ratio: Fraction,
    flip: Fraction,
    slip: Fraction,
    records: int,
    vc: int,
    failure: Fraction,
) -> Proof[Accuracy]:
    """How far flipped answers of a draw from the labellings of a random subset err above the best of the class.

    Source: Dagan–Feldman 2020, Theorem 1 and Corollary 1, constants ours; register `flipped-answers`. Holds for
    independent records.
    """
    rule = "flipped-answers"
    need_ratio(rule, ratio, 1)
    need(rule, ratio < 1, "a ratio of 1 draws blindly")
    need(rule, 1 <= kept <= records, "the number kept must lie between 1 and the number of records")
    need(rule, 0 <= flip <= Fraction(1, 2) and 0 < slip < 1, "flip or slip is out of range")
    settings: Settings = {"kept": kept, "ratio": ratio, "flip": flip, "slip": slip}
    return _answers(rule, excess_flipped, Against.AGNOSTIC, records, vc, failure, **settings)


def net_relabelling(
    premise: Proof[Privacy], *, classes: int, ratio: Fraction, kept: int, of: int, net: Fraction, vc: int
) -> Proof[Privacy]:
    """An answer from all records, labelled by a draw from the labellings of a random subset of them.

    With E = ratio^-2·e^eps of the inner answer, q = kept/of, D = floor(net·(of - 1)) + 1: e^eps' = (1 - q)·E + 4q·E^D
    and delta' = q·growth(of - 1)^2·e^(-net·(kept - 1))/2. Source: Dagan–Feldman 2020, Theorem 2 and Lemmas 8 to 11,
    constants ours; register `net-relabelling`. Refused unless there are two `classes`. Holds if representatives depend
    on the set of points alone, and draw and inner answer have fresh coins (assumed of the caller).
    """
    rule = "net-relabelling"
    need_two_classes(rule, classes)
    need_ratio(rule, ratio, 1)
    need(rule, 2 <= kept < of, "at least two records must be kept, and some not")
    need(rule, 0 <= net < 1 and vc >= 0, "net or VC dimension is out of range")
    old = premise.fact
    need(rule, old.delta == 0 and old.release is Release.ANSWER, "the inner answer must be pure")
    need(rule, old.unit is Unit.RECORD and old.part == ALL, "the inner answer must protect whole records")
    both = shortened(power(rule, 1 / ratio, 2) * rational(rule, old.epsilon))
    reach = int(net * (of - 1)) + 1
    q = Fraction(kept, of)
    factor = shortened((1 - q) * both + 4 * q * power(rule, both, reach))
    delta = shortened(min(ONE, q * net_failure(of, kept=kept, net=net, vc=vc)))
    fact = Privacy(Loss(factor=factor), delta, old.unit, old.part, old.release)
    return Proof(fact, rule, (premise,), parameters(ratio=ratio, kept=kept, of=of, net=net, vc=vc), seal=SEAL)


def relabelled_vote(
    *,
    kept: int,
    ratio: Fraction,
    mistake: int,
    weight: Fraction,
    models: int,
    inner: Fraction,
    records: int,
    vc: int,
    failure: Fraction,
) -> Proof[Accuracy]:
    """How far the vote of concepts on relabelled records errs above the best of the class.

    Source: Li–Wang–Ye 2025, Theorem 20, constants ours; register `relabelled-vote`. Holds for independent records.
    """
    rule = "relabelled-vote"
    numbers: Settings = {"kept": kept, "mistake": mistake, "models": models}
    need(rule, all(number >= 1 for number in numbers.values()) and kept < records, "a number is out of range")
    need(rule, 0 < ratio < 1 and 0 < inner <= 1 and weight > 0, "a ratio or the weight is out of range")
    settings: Settings = {**numbers, "ratio": ratio, "weight": weight, "inner": inner}
    return _answers(rule, excess_relabelled_vote, Against.AGNOSTIC, records, vc, failure, **settings)


def net_relabelling_accuracy(
    *,
    kept: int,
    ratio: Fraction,
    models: int,
    inner: Fraction,
    flip: Fraction,
    slip: Fraction,
    records: int,
    vc: int,
    failure: Fraction,
) -> Proof[Accuracy]:
    """How far answers of a vote on all records, relabelled by a fresh draw, err above the best of the class.

    Source: Dagan–Feldman 2020, Theorem 2 and Lemma 9, constants ours; register `net-relabelling-accuracy`. Holds for
    independent records.
    """
    rule = "net-relabelling-accuracy"
    need(rule, 1 <= kept <= records and 1 <= models <= records, "a number is out of range")
    need(rule, 0 < ratio < 1 and 0 < inner <= 1, "a ratio is out of range")
    need(rule, 0 <= flip <= Fraction(1, 2) and 0 < slip < 1, "flip or slip is out of range")
    texts: Settings = {"ratio": ratio, "inner": inner, "flip": flip, "slip": slip}
    settings: Settings = {**texts, "kept": kept, "models": models}
    return _answers(rule, excess_net_relabelled, Against.AGNOSTIC, records, vc, failure, **settings)
