"""What transforms share: reading the size they are asked for, and telling of the learner inside."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from privpac.constructions.base import Learner
from privpac.data.sample import Size
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain

__all__ = [
    "Empirical",
    "empirical_accuracy",
    "labelled_only",
    "parameters_of",
    "places",
    "positive_number",
]


@runtime_checkable
class Empirical(Protocol):
    """A learner that is proved to make few mistakes on the very records it is given, whatever they are."""

    def certify_empirical(self, size: Size) -> Proof[Accuracy] | None:
        """What is promised about mistakes on the records themselves; None if nothing is."""


def empirical_accuracy(learner: Learner, size: Size) -> Proof[Accuracy] | None:
    """What is proved of its mistakes on its own records; None if nothing is."""
    return learner.certify_empirical(size) if isinstance(learner, Empirical) else None


def positive_number(owner: str, name: str, value: Fraction) -> None:
    """Refuse anything but a positive fraction."""
    if not isinstance(value, Fraction | int) or value <= 0:
        raise ParameterError(owner, name, value, allowed="a positive fraction")


def labelled_only(owner: str, size: Size, *, least: int) -> int:
    """How many records there are, all of which must have labels."""
    if size.unlabelled:
        raise SizeError(f"{owner} has no use for records without labels.")
    if size.labelled < least:
        raise SizeError(f"{owner} needs at least {least} records, there are {size.labelled}.")
    return size.labelled


def places(positions: tuple[int, ...] | range | list[int]) -> npt.NDArray[np.int64]:
    """Positions as an array."""
    return np.fromiter(positions, dtype=np.int64, count=len(positions))


def parameters_of(name: str, inner: Certificate, **parameters: object) -> Mapping[str, Any]:
    """The public parameters of a transform, and those of the learner inside."""
    texts = {key: plain(value) if isinstance(value, Fraction) else value for key, value in parameters.items()}
    return {"name": name, **texts, "inner": dict(inner.learner)}
