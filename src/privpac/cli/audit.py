"""`privpac audit`: test privacy claims, exactly by enumeration or statistically by running a black box."""

from __future__ import annotations

from privpac.cli.audit_exact import exact
from privpac.cli.audit_sample import one_run, sample
from privpac.cli.options import verbs

__all__ = ["audit"]

audit = verbs("audit", "Test privacy claims: exactly, or by running them.")
audit.command()(exact)
audit.command()(sample)
audit.command("one-run")(one_run)
