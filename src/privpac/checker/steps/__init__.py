"""How each rule is derived again: the same families as `rules`, written a second time.

Nothing here is shared with `rules` or `theory`: numbers go through `directed`, so that a slip in one place does not
vouch for itself. `RULES` names the check of every rule by its key in certificates.
"""

from privpac.checker.reading import Check
from privpac.checker.steps import (
    accuracy,
    carried,
    composition,
    covers,
    few_labels,
    mechanisms,
    points,
    prediction,
    reconstruction,
    relabelling,
    release,
    sampling,
)

__all__ = ["RULES"]

RULES: dict[str, Check] = {
    **mechanisms.RULES,
    **composition.RULES,
    **sampling.RULES,
    **accuracy.RULES,
    **points.RULES,
    **few_labels.RULES,
    **prediction.RULES,
    **reconstruction.RULES,
    **release.RULES,
    **relabelling.RULES,
    **carried.RULES,
    **covers.RULES,
}
