"""Facts as sentences: words alone, with numbers that somebody else has rounded up and written down.

`facts` fills in numbers of its own, `report.wording` those that the checker computes from a stored certificate: one
sentence for both, wherever a certificate is read.
"""

from __future__ import annotations

__all__ = [
    "ALL",
    "accuracy_sentence",
    "answers_sentence",
    "bounded_range_sentence",
    "concentrated_sentence",
    "parameter_words",
    "privacy_sentence",
    "range_sentence",
    "stability_sentence",
]

ALL = "all records"
"""The part of the data a fact speaks of when it speaks of every record."""

RELEASED = {
    "hypothesis": "the rule is released",
    "one answer": "one answer is given",
    "several answers": "several answers are given",
    "noisy numbers": "noisy numbers are released",
    "hypothesis and positions asked": "the rule and the positions asked are released",
    "hypothesis and positions kept": "the rule and the positions kept are released",
}
"""What the world sees, as facts are stored and as people read them."""
PARAMETERS = {"ratio": "factor per step"}
"""Parameters of steps whose stored name says nothing to people."""


def parameter_words(name: str, value: str) -> tuple[str, str]:
    """What people call a parameter of a step, and its value.

    >>> parameter_words("ratio", "1/2"), parameter_words("release", "hypothesis")
    (('factor per step', '1/2'), ('release', 'the rule'))
    """
    text = value.replace("hypothesis", "the rule", 1) if name == "release" else value
    return PARAMETERS.get(name, name.replace("_", " ")), text


def _of(part: str) -> str:
    return "" if part == ALL else f" of the {part}"


def _replaced(unit: str, part: str, records_per_person: int, roles: int) -> str:
    """What neighbours differ in."""
    many = f"up to {records_per_person} {unit}s of one person" if records_per_person > 1 else f"one {unit}"
    among = f" (one of {roles} roles)" if roles else ""
    return f"{many}{_of(part)}{among} replaced"


def privacy_sentence(
    *,
    epsilon: str,
    delta: str,
    unit: str,
    part: str,
    release: str,
    records_per_person: int = 1,
    roles: int = 0,
) -> str:
    """Differential privacy."""
    replaced = _replaced(unit, part, records_per_person, roles)
    return f"({epsilon}, {delta})-DP, {replaced}, {RELEASED[release]}"


def bounded_range_sentence(*, epsilon: str, unit: str) -> str:
    """How far the log-odds of events move."""
    return f"log-odds of any event move by at most {epsilon}, one {unit} replaced"


def range_sentence(*, epsilon: str, unit: str, part: str) -> str:
    """How far the chances of outcomes lie apart."""
    return f"quotients of chances within a range of {epsilon}, one {unit}{_of(part)} replaced"


def concentrated_sentence(
    *, rho: str, delta: str, unit: str, part: str, records_per_person: int = 1, roles: int = 0
) -> str:
    """Concentrated privacy, but for a bad event of probability `delta`."""
    but = "" if delta == "0" else f" but for {delta}"
    return f"{rho}-zCDP{but}, {_replaced(unit, part, records_per_person, roles)}"


def stability_sentence(*, gamma: str, unit: str) -> str:
    """How far the probability of an event moves."""
    return f"{gamma}-stable, one {unit} replaced"


def accuracy_sentence(*, error: str, failure: str, against: str, records: int, rivals: str) -> str:
    """How often a rule errs, and with which confidence."""
    if against == "empirical":
        return (
            f"at most {error} of {records} records mistaken if some member mistakes none, "
            f"except with probability {failure}"
        )
    measure = "error" if against == "realizable" else f"error above the best of {rivals}"
    condition = f" if one of {rivals} makes no error" if against == "realizable" else ""
    return (
        f"{measure} at most {error}{condition}, except with probability {failure}, "
        f"from {records} independent records"
    )


def answers_sentence(*, error: str, failure: str, queries: str, records: int) -> str:
    """How well a released table answers."""
    return (
        f"all {queries} are answered within {error} of their share of these {records} records, "
        f"except with probability {failure}"
    )
