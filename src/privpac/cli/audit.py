"""`privpac audit`: test privacy claims, exactly by enumeration or statistically by running a black box."""

from __future__ import annotations

import typer

from privpac.cli.audit_exact import exact
from privpac.cli.audit_one_run import one_run
from privpac.cli.audit_sample import sample

__all__ = ["audit"]

audit = typer.Typer(
    name="audit",
    help="Test privacy claims: ours exactly, anyone's by running it many times, or once.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
audit.command()(exact)
audit.command()(sample)
audit.command("one-run")(one_run)
