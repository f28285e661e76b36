"""How each rule is derived again: the same families as `rules`, written a second time.

Nothing here is shared with `rules` or `theory`: numbers go through `directed`, so that a slip in one place does not
vouch for itself. `RULES` names the check of every rule by its key in certificates; each file of this folder has the
checks of its family under the same name, and is found without being named here.
"""

import pkgutil
from importlib import import_module

from privpac.checker.reading import Check
from privpac.errors import ParameterError

__all__ = ["RULES"]


def _checks() -> dict[str, Check]:
    rules: dict[str, Check] = {}
    for entry in pkgutil.iter_modules(__path__, f"{__name__}."):
        family: dict[str, Check] = vars(import_module(entry.name)).get("RULES", {})
        if rules.keys() & family.keys():
            raise ParameterError("checker", "rules", entry.name, allowed="keys that no other file checks")
        rules |= family
    return rules


RULES: dict[str, Check] = _checks()
