"""Every route, as it is promised."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import privpac
from privpac import BudgetExceeded
from privpac.service.access import keys
from tests.service.asking import PRICE, SCHEMA, Served, row


def test_a_question_is_charged_once_and_answered(served: Served) -> None:
    first = served.predict(row(10), row(90), row(10))
    assert first.status_code == 200
    reply = first.json()
    assert len(reply["answers"]) == 3
    assert reply["answers"][0] == reply["answers"][2]
    assert set(reply["answers"]) <= set(SCHEMA.classes)
    assert reply["price"] == "1"
    assert reply["left"] == {"epsilon": "9", "answers": 18}
    again = served.predict(row(90), key=served.owner).json()
    assert again == {"answers": reply["answers"][1:2], "price": "0", "left": reply["left"]}
    assert served.spent == "epsilon 1"
    served.book.verify()


def test_rows_in_the_same_cells_are_one_question(served: Served) -> None:
    """The vote looks at the age alone, and ages beyond the bounds count as the nearest one."""
    reply = served.predict(row(120), row(500), row(120, "v"), row("120")).json()
    assert reply["price"] == PRICE
    assert len(set(reply["answers"])) == 1


def test_the_same_request_sent_again_gets_the_same_reply(served: Served) -> None:
    first = served.predict(row(1), row(2), again="k1")
    served.predict(row(3))
    second = served.predict(row(1), row(2), again="k1")
    assert (second.status_code, second.content) == (200, first.content)
    assert served.spent == "epsilon 1.5"


def test_an_idempotency_key_belongs_to_its_rows_and_its_holder(served: Served) -> None:
    served.predict(row(1), again="k1")
    other = served.predict(row(2), again="k1")
    assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_key_reused")
    assert served.spent == "epsilon 0.5"
    assert served.predict(row(2), again="k1", key=served.owner).status_code == 200


def test_the_budget_stops_exactly_on_the_limit(serve: Callable[..., Served]) -> None:
    served = serve(epsilon="1.6")
    assert served.predict(row(1), row(2), row(3)).status_code == 200
    refused = served.predict(row(3), row(4))
    assert refused.status_code == 429
    error = refused.json()["error"]
    assert error["code"] == "dataset_budget"
    assert error["left"] == {"epsilon": "0.1", "answers": 0}
    assert "Retry-After" not in refused.headers
    assert served.spent == "epsilon 1.5"
    assert served.predict(row(3)).json()["price"] == "0"


def test_a_batch_that_does_not_fit_is_refused_whole(serve: Callable[..., Served]) -> None:
    served = serve(epsilon=1)
    assert served.predict(row(1), row(2), row(3)).status_code == 429
    assert served.spent == "epsilon 0"
    assert served.predict(row(1), row(2)).json()["left"] == {"epsilon": "0", "answers": 0}


def test_an_analyst_has_a_budget_of_his_own(served: Served) -> None:
    _, poor = keys.create(served.service.store, role="analyst", name="poor", epsilon="0.75")
    reply = served.predict(row(1), key=poor).json()
    assert reply["left"] == {"epsilon": "0.25", "answers": 0}
    refused = served.predict(row(2), key=poor)
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "analyst_budget")
    assert refused.json()["error"]["left"] == {"epsilon": "0.25", "answers": 0}
    assert served.predict(row(2)).status_code == 200
    assert served.predict(row(2), key=poor).json()["price"] == "0"
    budget = served.get("/v1/budget", key=poor).json()
    assert budget["key"]["epsilon"] == {"total": "0.75", "spent": "0.5", "left": "0.25"}
    assert budget["dataset"]["epsilon"] == {"total": "10", "spent": "1", "left": "9"}
    assert "keys" not in budget


def test_owners_see_all_keys(served: Served) -> None:
    served.predict(row(1))
    budget = served.get("/v1/budget", key=served.owner).json()
    spent = {key["name"]: key["epsilon"]["spent"] for key in budget["keys"]}
    assert spent == {"ann": "0.5", "olga": "0"}
    assert budget["price"] == PRICE
    assert budget["left"] == {"epsilon": "9.5", "answers": 19}


def test_a_notebook_and_the_service_draw_from_one_budget(served: Served) -> None:
    notebook = served.book
    notebook.charge(epsilon="9.4", note="a tree")
    assert served.predict(row(1)).json()["left"] == {"epsilon": "0.1", "answers": 0}
    assert served.predict(row(2)).status_code == 429
    with pytest.raises(BudgetExceeded):
        notebook.charge(epsilon="0.2")
    notebook.charge(epsilon="0.1")
    notebook.verify()
    assert [entry.note for entry in notebook.entries()][1].startswith("1 answers, key ")


def test_certificate_and_schema(served: Served) -> None:
    certificate = served.get("/v1/certificate").json()
    assert certificate == served.service.bundle.certificate
    assert served.get("/v1/schema").json() == SCHEMA.to_json()


def test_health_and_readiness_need_no_key(served: Served) -> None:
    assert served.client.get("/healthz").json() == {"status": "alive"}
    assert served.client.get("/readyz").json() == {"status": "ready"}


def test_metrics_are_for_owners(served: Served) -> None:
    served.predict(row(1), row(2))
    served.predict(row("x"))
    refused = served.get("/metrics")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "owners_only")
    text = served.get("/metrics", key=served.owner).text
    assert 'privpac_requests_total{method="POST",route="/v1/predict",status="200"} 1.0' in text
    assert 'privpac_refused_total{code="invalid_value"} 1.0' in text
    assert "privpac_charged_epsilon_total 1.0" in text
    assert "privpac_left_epsilon 9.0" in text
    assert "privpac_commit_requests_count 1.0" in text
    assert "privpac_requests_in_progress 1.0" in text  # the one that asks
    assert "privpac_ledger_errors_total 0.0" in text
    assert f'privpac_build_info{{version="{privpac.__version__}"' in text
    assert "process_" not in text  # memory and processor time depend on the records
    told = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    assert told == {line.split()[2] for line in text.splitlines() if line.startswith("# HELP")}
    assert served.analyst not in text


def test_a_restart_goes_on_where_it_stopped(serve: Callable[..., Served]) -> None:
    first = serve()
    reply = first.predict(row(1), again="k").json()
    first.client.__exit__(None, None, None)
    second = serve()
    assert second.predict(row(1), again="k", key=first.analyst).json() == reply
    assert second.predict(row(1)).json() == reply | {"price": "0"}
    assert second.spent == "epsilon 0.5"


def test_openapi_describes_the_rows(served: Served) -> None:
    document = served.client.get("/openapi.json").json()
    body = document["paths"]["/v1/predict"]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"]["properties"]["rows"]["items"]["required"] == ["age", "kind"]
    assert served.client.post("/v1/predict", json=body["example"], headers=served.bearer()).status_code == 200
    paths = {"/v1/predict", "/v1/budget", "/v1/certificate", "/v1/schema", "/healthz", "/readyz", "/metrics"}
    assert paths <= set(document["paths"])


def test_two_bundles_over_one_ledger_do_not_share_answers(
    serve: Callable[..., Served], made_bundle: Path, tmp_path: Path
) -> None:
    served = serve()
    served.predict(row(1))
    manifest = served.service.bundle.digest
    assert manifest
    with served.service.store.reading() as connection:
        found = connection.exec_driver_sql("SELECT bundle FROM answer").fetchall()
    assert found == [(manifest,)]


def test_an_owner_turns_the_pages_of_keys(served: Served) -> None:
    for _ in range(3):
        keys.create(served.service.store, role="analyst")
    everybody = [key.id for key in keys.listed(served.service.store)]
    first = served.get("/v1/budget?limit=2", key=served.owner).json()
    assert [key["id"] for key in first["keys"]] == everybody[:2]
    rest = served.get(f"/v1/budget?after={first['next']}", key=served.owner).json()
    assert [key["id"] for key in rest["keys"]] == everybody[2:]
    assert rest["next"] is None
    assert served.get("/v1/budget?after=nothing", key=served.owner).status_code == 422
    assert served.get("/v1/budget?limit=0", key=served.owner).status_code == 422
    assert "keys" not in served.get("/v1/budget").json()


def test_mlflows_form_is_answered_like_ours(served: Served) -> None:
    ours = served.predict(row(10), row(90)).json()["answers"]
    names = list(row(1))
    bodies = (
        {"dataframe_records": [row(10), row(90)]},
        {"instances": [row(10), row(90)]},
        {"dataframe_split": {"columns": names, "data": [list(row(10).values()), list(row(90).values())]}},
    )
    for body in bodies:
        reply = served.client.post("/invocations", json=body, headers=served.bearer())
        assert (reply.status_code, reply.json()) == (200, {"predictions": ours})
    assert served.spent == "epsilon 1"  # all of them were asked before


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"rows": []},
        {"inputs": [1]},
        {"dataframe_records": [row(1)], "instances": [row(1)]},
        {"dataframe_split": []},
        {"dataframe_split": {"columns": ["age"]}},
        {"dataframe_split": {"columns": ["age", "age"], "data": [[1, 1]]}},
        {"dataframe_split": {"columns": [1], "data": [[1]]}},
        {"dataframe_split": {"columns": ["age", "kind"], "data": [[1]]}},
        {"dataframe_split": {"columns": ["age"], "data": []}},
    ],
)
def test_other_forms_are_refused_uncharged(served: Served, body: object) -> None:
    reply = served.client.post("/invocations", json=body, headers=served.bearer())
    assert reply.status_code == 422
    assert served.spent == "epsilon 0"
