"""What a report is about: all that it asks of a released model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from privpac.concepts.base import Hypothesis
from privpac.constructions.estimates.confusion import Confusion
from privpac.constructions.estimates.figures import Figures
from privpac.constructions.estimates.leaf_counts import LeafCounts
from privpac.constructions.estimates.ranks import RankFigures
from privpac.constructions.estimates.verdict import Verdict
from privpac.data.schema import Schema

__all__ = ["Subject"]


class Subject(Protocol):
    """A released rule with its public description: `privpac.model.Model` is one, and writes reports about itself."""

    @property
    def hypothesis(self) -> Hypothesis:
        """The rule."""

    @property
    def schema(self) -> Schema:
        """The public description of the table."""

    @property
    def certificate(self) -> Mapping[str, Any]:
        """The stored certificate."""

    @property
    def estimate(self) -> Confusion | None:
        """The private estimate of the accuracy, if one was bought."""

    @property
    def leaf_counts(self) -> LeafCounts | None:
        """Noisy counts in the leaves of a tree, if they were bought."""

    @property
    def figures(self) -> Figures | None:
        """What the counts of the estimate say besides."""

    @property
    def ranks(self) -> RankFigures | None:
        """What released counts say about order and risks."""

    @property
    def verdict(self) -> Verdict:
        """Whether the rule is of use, in the measure that fits what was asked for."""

    @property
    def version(self) -> str:
        """Of privpac, when it was made."""

    def describe(self) -> str:
        """The rule in words."""

    def describe_leaves(self, *, whole: bool = False) -> str:
        """The tree with its counts, folded where chance decided unless it is to be `whole`; empty without them."""

    def describe_estimate(self) -> str:
        """The estimate in words; empty without one."""

    def describe_ranks(self) -> str:
        """Order and risks in words; empty without counts."""

    def to_sql(self) -> str:
        """The rule as SQL."""

    def to_json(self) -> dict[str, Any]:
        """The model file."""
