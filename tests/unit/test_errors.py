"""The exception tree: one sentence, the same facts as attributes, and all of it survives a trip between processes."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest

from privpac import errors
from privpac.coins import EnclosureError
from privpac.errors import (
    AccessDenied,
    BudgetExceeded,
    DataError,
    MissingExtra,
    MostLikelyUseless,
    NoSqlForm,
    NotCertified,
    NotRebuilt,
    ParameterError,
    PrivpacError,
    RuleRefused,
    SchemaError,
    ServiceError,
    SizeError,
    TooFewRecords,
    Untrusted,
    UnverifiedRelease,
)

EXAMPLES: list[PrivpacError] = [
    PrivpacError("Something is wrong.", remedy="Do this."),
    ParameterError("Occam", "epsilon", -1, allowed="a positive number", remedy="Try epsilon=1."),
    ParameterError("Occam", "costs", (1, "a"), allowed="integers"),
    SchemaError("The schema is wrong.", column="age", remedy="Correct it."),
    DataError("There is an empty cell.", column="age"),
    SizeError("Too few records.", remedy="Collect more."),
    MostLikelyUseless("The rule would be a constant.", remedy="Ask for a ranking."),
    TooFewRecords("Too few records.", needed=500, reachable="0.2", remedy="Collect more."),
    RuleRefused("declared", "the true loss is larger", remedy="Declare more."),
    BudgetExceeded("The budget is spent."),
    NotCertified("It does not follow."),
    NotRebuilt("Nothing shows that it is the one of this document.", remedy="Ask for the whole document."),
    Untrusted("Nobody on the list has signed it.", remedy="Ask for a signature."),
    UnverifiedRelease("It does not follow.", document=("what", "was", "made"), charged=True),
    MissingExtra("Reading a pandas frame", "pandas"),
    ServiceError("The service did not reply.", status=503, code="unavailable", remedy="Try again."),
    AccessDenied("There is no such key.", status=401, code="unauthorised"),
    NoSqlForm("A keyed hash has no SQL form.", remedy="Predict with the model."),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
class TestEveryError:
    def test_survives_pickling(self, error: PrivpacError) -> None:
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            twin = pickle.loads(pickle.dumps(error, protocol))  # noqa: S301
            assert type(twin) is type(error)
            assert str(twin) == str(error)
            assert vars(twin) == vars(error)
            assert twin.args == error.args

    def test_survives_copying(self, error: PrivpacError) -> None:
        twin = copy.deepcopy(error)
        assert (str(twin), vars(twin)) == (str(error), vars(error))

    def test_ends_with_its_remedy(self, error: PrivpacError) -> None:
        assert str(error) == f"{error.problem} {error.remedy}".strip()

    def test_can_be_caught_as_one_of_ours(self, error: PrivpacError) -> None:
        with pytest.raises(PrivpacError):
            raise error

    def test_says_who_refuses_what_in_fields(self, error: PrivpacError) -> None:
        for field in ("owner", "parameter", "value", "remedy"):
            assert hasattr(error, field)
        known = (error.owner, error.parameter, error.value)
        assert (None in known) == (not isinstance(error, ParameterError))
        assert (error.owner is None) == (not isinstance(error, ParameterError | RuleRefused))

    def test_has_an_exit_code(self, error: PrivpacError) -> None:
        assert error.exit_code in (2, 3, 4, 5, 6)


def test_every_kind_is_looked_at() -> None:
    kinds = {
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, PrivpacError) and kind.__module__ == errors.__name__
    }
    assert kinds == {type(error) for error in EXAMPLES}


def test_exit_codes_tell_a_refused_budget_from_a_broken_promise() -> None:
    assert BudgetExceeded("x").exit_code == 3
    assert NotCertified("x").exit_code == 4
    assert SchemaError("x").exit_code == 2


@pytest.mark.parametrize("kind", [ParameterError, SchemaError, DataError, SizeError])
def test_bad_values_are_value_errors(kind: type[PrivpacError]) -> None:
    assert issubclass(kind, ValueError)


def test_missing_extras_are_import_errors() -> None:
    assert issubclass(MissingExtra, ImportError)
    assert "privpac[pandas]" in str(MissingExtra("x", "pandas"))


def test_long_values_are_cut() -> None:
    error = ParameterError("f", "x", "a" * 10_000, allowed="short")
    assert len(str(error)) < 200
    assert error.value == "a" * 10_000


def test_a_faulty_kernel_is_no_matter_of_input() -> None:
    assert not issubclass(EnclosureError, PrivpacError)
