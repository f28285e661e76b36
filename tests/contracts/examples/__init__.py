"""One derived step of every rule, and the keys of rules whose name is not simply that of their function."""

from collections.abc import Callable

from privpac.guarantee.facts import Fact
from privpac.guarantee.proof import Proof
from tests.contracts.examples import (
    covers,
    few_labels,
    plain,
    points,
    prediction,
    reconstruction,
    relabelling,
    release,
)

ALIASES: dict[str, tuple[str, ...]] = {
    **plain.ALIASES,
    **points.ALIASES,
    **few_labels.ALIASES,
    **prediction.ALIASES,
    **release.ALIASES,
    **covers.ALIASES,
}

EXAMPLES: dict[str, Callable[[], Proof[Fact]]] = {
    **plain.EXAMPLES,
    **points.EXAMPLES,
    **few_labels.EXAMPLES,
    **prediction.EXAMPLES,
    **reconstruction.EXAMPLES,
    **release.EXAMPLES,
    **relabelling.EXAMPLES,
    **covers.EXAMPLES,
}
