"""The exception tree: one sentence for a person, the same facts as attributes for a program.

No message may contain a value of a private record. `value` is for parameters and other public things only.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "AccessDenied",
    "BudgetExceeded",
    "DataError",
    "MissingExtra",
    "MostLikelyUseless",
    "NoSqlForm",
    "NotCertified",
    "NotRebuilt",
    "ParameterError",
    "PrivpacError",
    "RuleRefused",
    "SchemaError",
    "ServiceError",
    "SizeError",
    "SmallEvidence",
    "TooFewRecords",
    "UncertifiedLook",
    "Untrusted",
    "UnverifiedRelease",
]


class PrivpacError(Exception):
    """Root of every error privpac raises on purpose.

    `remedy` says what to do next; it is the last sentence of the `message`. `column` is the column it is about, where
    there is one.

    Programs ask for the fields, people read the sentence: a sentence may be written better at any time.
    """

    exit_code = 2
    owner: str | None = None
    """Who refuses: a learner, a rule, a formula or a command, where one does."""
    parameter: str | None = None
    """The public parameter it is about, where there is one."""
    value: object = None
    """What was given for it."""

    def __init__(self, message: str, *, column: str | None = None, remedy: str = "") -> None:
        self.problem = message
        self.column = column
        self.remedy = remedy
        super().__init__(f"{message} {remedy}".strip())

    def to_json(self) -> dict[str, str]:
        """The sentence in its parts, for a program.

        >>> SizeError("There is no record.", remedy="Bring some.").to_json()
        {'error': 'There is no record.', 'remedy': 'Bring some.', 'kind': 'SizeError'}
        """
        about = {"parameter": self.parameter, "column": self.column}
        return {
            "error": self.problem,
            "remedy": self.remedy,
            "kind": type(self).__name__,
            **{name: value for name, value in about.items() if value is not None},
        }

    def __reduce__(self) -> tuple[object, ...]:
        """Travel between processes whatever the constructor looks like: the sentence and the attributes."""
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[PrivpacError], args: tuple[object, ...], state: dict[str, object]) -> PrivpacError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class ParameterError(PrivpacError, ValueError):
    """A public parameter is outside its allowed set.

    >>> str(ParameterError("Occam", "epsilon", -1, allowed="a positive number", remedy="Try epsilon=1."))
    'Occam: epsilon is -1, but must be a positive number. Try epsilon=1.'
    """

    def __init__(self, owner: str, parameter: str, value: object, *, allowed: str, remedy: str = "") -> None:
        self.owner = owner
        self.parameter = parameter
        self.value = value
        self.allowed = allowed
        self.shown = _short(value)
        super().__init__(f"{owner}: {parameter} is {self.shown}, but must be {allowed}.", remedy=remedy)


def _short(value: object) -> str:
    """At most 80 characters, both ends kept: the end of a path says more than its beginning.

    Integers too long to print are described by their size.
    """
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:30]}...{text[-47:]}"


class SchemaError(PrivpacError, ValueError):
    """The public description of a table is missing, contradicts itself, or does not fit the table."""


class DataError(PrivpacError, ValueError):
    """A table cannot be read under its schema. Names the column and the kind of problem, never a value."""


class SizeError(PrivpacError, ValueError):
    """There are too few records, or a computation would not fit in memory or time."""


class TooFewRecords(SizeError):
    """There are too few records for what was asked; `needed` would do, and `reachable` is the best they prove."""

    def __init__(self, message: str, *, needed: int, reachable: object = None, remedy: str = "") -> None:
        self.needed = needed
        self.reachable = reachable
        super().__init__(message, remedy=remedy)


class RuleRefused(PrivpacError):
    """A rule's condition does not hold, so the fact it would prove is not available."""

    def __init__(self, rule: str, reason: str, *, remedy: str = "") -> None:
        self.owner = self.rule = rule
        self.reason = reason
        super().__init__(f"The rule '{rule}' does not apply: {reason}.", remedy=remedy)


class BudgetExceeded(PrivpacError):
    """The ledger refused a charge; nothing was spent and nothing was computed.

    From a predictor, `given` counts the answers so far and `left` those that the budget still has room for.
    """

    exit_code = 3
    given: int | None = None
    left: int | None = None


class MostLikelyUseless(PrivpacError):
    """By public numbers the rule will most likely be no better than a constant; nothing was charged."""


class NotCertified(PrivpacError):
    """A stored certificate does not follow from its own premises, or a promise cannot be given."""

    exit_code = 4


class Untrusted(NotCertified):
    """A certificate follows, but nobody signed the document whose key is on the list of those who are trusted."""

    exit_code = 5


class NotRebuilt(NotCertified):
    """The steps of a certificate follow, but nothing shows here that it is the one of this document.

    Whoever believes it believes the file: verify it with the version that made it, or ask for the whole document.
    """

    exit_code = 6


class UnverifiedRelease(NotCertified):
    """A release was drawn and charged, and then did not pass its own verification: a fault of privpac.

    `document` is what was made. The charge stands, because it was drawn from the records.
    """

    def __init__(self, reason: str, *, document: Any, charged: bool) -> None:
        self.document = document
        self.charged = charged
        stands = "The charge stands" if charged else "It counts as released"
        super().__init__(
            f"What was made does not pass its own verification: {reason}",
            remedy=f"{stands}; the error carries the document, please report it with the certificate in it.",
        )


class NoSqlForm(PrivpacError):
    """A released rule cannot be written as an SQL expression, such as one that needs a keyed hash."""


class ServiceError(PrivpacError):
    """A prediction service did not reply, or refused for a reason that has no class of its own here.

    `status` is the HTTP status, None without a reply; `code` is the service's word for the reason.
    """

    def __init__(self, message: str, *, status: int | None = None, code: str = "", remedy: str = "") -> None:
        self.status = status
        self.code = code
        super().__init__(message, remedy=remedy)


class AccessDenied(ServiceError):
    """The key is unknown, revoked, or of a role that may not do this."""


class SmallEvidence(UserWarning):
    """The numbers are legal, but by the public ones the rule will most likely be of little use."""


class UncertifiedLook(UserWarning):
    """Something beside the learner looked at records, and no certificate covers it: a score, a fitted scaler."""


class MissingExtra(PrivpacError, ImportError):
    """An optional dependency is needed.

    >>> str(MissingExtra("Reading a pandas frame", "pandas"))
    "Reading a pandas frame needs an optional package. Install it with: pip install 'privpac[pandas]'"
    """

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs an optional package.", remedy=f"Install it with: pip install 'privpac[{extra}]'"
        )
