"""What other processes do with a ledger. Apart, for they load the module it is in: that of the tests takes seconds."""

from __future__ import annotations

from privpac.errors import BudgetExceeded
from privpac.guarantee.ledger.ledger import Ledger


def charged(ledger: Ledger) -> bool:
    """Whether a tenth more was admitted."""
    try:
        ledger.charge(epsilon=0.1)
    except BudgetExceeded:
        return False
    return True
