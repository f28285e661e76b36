"""The OpenAPI document and the service agree, for whatever schemathesis makes of it: no fault, no undeclared reply."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import CHECKS, load_all_checks

from tests.service.asking import Served

load_all_checks()
WANTED = CHECKS.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
    ]
)
PATHS = (
    "/v1/predict",
    "/invocations",
    "/v1/budget",
    "/v1/certificate",
    "/v1/schema",
    "/metrics",
    "/healthz",
    "/readyz",
)


@pytest.mark.long_cases("analyst")
@pytest.mark.parametrize(
    ("who", "mode"),
    [
        ("analyst", GenerationMode.POSITIVE),
        ("owner", GenerationMode.NEGATIVE),
        ("nobody", GenerationMode.POSITIVE),
    ],
    ids=["analyst", "owner", "nobody"],
)
def test_no_request_makes_the_service_fail(
    serve: Callable[..., Served], who: str, mode: GenerationMode
) -> None:
    served = serve(epsilon=1)
    key = "privpac_x" if who == "nobody" else getattr(served, who)
    document = schemathesis.openapi.from_asgi("/openapi.json", served.client.app)
    statuses: set[int] = set()
    operations = [found.ok() for found in document.get_all_operations()]
    operations = [operation for operation in operations if operation.path in PATHS]
    assert len(operations) == len(PATHS)
    for operation in operations:
        if mode is GenerationMode.NEGATIVE and operation.method.upper() == "GET":
            continue  # they take nothing that could be wrong

        @settings(
            max_examples=20 if operation.path == "/v1/predict" else 2,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(mode))
        def try_it(case: Case) -> None:
            response = case.call(headers=served.bearer(key))
            statuses.add(response.status_code)
            case.validate_response(response, checks=WANTED)

        try_it()
    assert not any(status >= 500 for status in statuses)
    assert served.book.spent.within(served.book.total)
    if who == "nobody":
        assert served.spent == "epsilon 0"
        assert statuses <= {200, 401, 429}  # wrong keys are slowed down
    elif mode is GenerationMode.POSITIVE:
        assert {200, 429} <= statuses  # the budget ran out on the way
    else:
        assert 422 in statuses
