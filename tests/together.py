"""One test for many small cases: pytest takes longer to call a test than each of them takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

__all__ = ["together"]

C = TypeVar("C")
Check = Callable[..., None]


def together(
    cases: Iterable[C] | Callable[[], Iterable[C]], *, name: Callable[[C], object] = str
) -> Callable[[Check], Check]:
    """The decorated check of one case becomes a test of all cases, which fails with every case that does, by name.

    For cases that need no fixture and together take no longer than a second. Without a case it fails, too. A function
    makes its cases when the test runs, so that nothing is computed while tests are collected.
    """

    def of_all(check: Check) -> Check:
        def test(*owner: Any) -> None:
            listed = list(cases() if callable(cases) else cases)
            failures: list[Exception] = []
            for case in listed:
                try:
                    check(*owner, case)
                except Exception as failure:  # whatever it is, the other cases are still of interest
                    failure.add_note(f"in the case of {name(case)}")
                    failures.append(failure)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(listed)} cases", failures)
            assert listed, "there is no case"

        test.__name__, test.__qualname__, test.__doc__ = check.__name__, check.__qualname__, check.__doc__
        test.__module__ = check.__module__
        return test

    return of_all
