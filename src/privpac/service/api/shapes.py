"""The shapes of API v1, for OpenAPI: what is sent and what comes back."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from privpac.data.categorical import Categorical
from privpac.data.column import Column
from privpac.data.schema import Schema
from privpac.service.api.rows import column_words

__all__ = [
    "BudgetReply",
    "ErrorReply",
    "InvocationReply",
    "PredictReply",
    "errors",
    "example_row",
    "invocation_body",
    "predict_body",
]

EXACT = "An exact decimal, or a fraction such as 1/3."


class Left(BaseModel):
    """What this key can still spend: the smaller of its own budget and the dataset's."""

    epsilon: str = Field(description="By adding. " + EXACT, examples=["4.9"])
    rho: str | None = Field(default=None, description="Where the total has a delta. " + EXACT)
    answers: int = Field(description="New questions that this pays for.", examples=[49])


class PredictReply(BaseModel):
    """The answers, what they cost, and what is left."""

    answers: list[bool | int | str] = Field(
        description="The class of every row, in order: an integer, a boolean or text, as the schema's classes read.",
        examples=[[1, 0]],
    )
    price: str = Field(
        description="Epsilon charged for the questions nobody asked before. " + EXACT, examples=["0.1"]
    )
    left: Left


class InvocationReply(BaseModel):
    """The answers as MLflow's servers give them."""

    predictions: list[bool | int | str] = Field(
        description="The class of every row, in order.", examples=[[1, 0]]
    )


class ErrorDetail(BaseModel):
    """What is wrong, for programs and for people."""

    model_config = ConfigDict(extra="allow")

    code: str = Field(description="For programs; does not change.", examples=["dataset_budget"])
    message: str = Field(
        description="What is wrong, for people.",
        examples=["The dataset's budget has no room for 1 new answer."],
    )
    remedy: str = Field(
        description="What to do about it; may be empty.",
        examples=["Ask what was asked before, or raise the budget."],
    )
    left: Left | None = Field(default=None, description="If a budget refused.")
    column: str | None = Field(default=None, description="If a column is meant.")


class ErrorReply(BaseModel):
    """Every refusal and every failure has this shape."""

    error: ErrorDetail


class Amounts(BaseModel):
    """One kind of budget."""

    total: str | None = Field(description=EXACT + " null: no limit of its own.", examples=["5"])
    spent: str = Field(description=EXACT, examples=["0.1"])
    left: str | None = Field(description=EXACT, examples=["4.9"])


class DatasetBudget(BaseModel):
    """What all keys together may spend on the records."""

    epsilon: Amounts
    delta: Amounts
    rho: Amounts | None = Field(default=None, description="Where the total has a delta: what is counted.")


class KeyBudget(BaseModel):
    """A key, and what it may spend."""

    id: str
    name: str
    role: str
    created: str
    revoked: str | None
    epsilon: Amounts
    rho: Amounts | None = Field(default=None, description="Where its own budget has a delta.")


class BudgetReply(BaseModel):
    """The budgets of the dataset and of the keys."""

    dataset: DatasetBudget
    key: KeyBudget = Field(description="The key that asks.")
    price: str = Field(description="Epsilon of one new answer. " + EXACT, examples=["0.1"])
    left: Left
    keys: list[KeyBudget] | None = Field(default=None, description="Keys, the oldest first; for owners.")
    next: str | None = Field(
        default=None, description="What to give as `after` for more keys; null: these are all."
    )


WHY = {
    400: "The body is not JSON.",
    401: "No such key, or it was revoked.",
    403: "The key's role does not allow this.",
    404: "No such path.",
    405: "No such method.",
    409: "The idempotency key was used for other rows. Nothing was charged.",
    410: "The bundle has ended: an answer could not be drawn. What was charged stays charged, and nothing is answered.",
    413: "Too many bytes or rows.",
    415: "The body is said to be something else than JSON.",
    422: "The body or a row is not of the schema's form. Nothing was charged.",
    429: "A budget has no room (`dataset_budget`, `analyst_budget`), or requests come too fast (`too_many_requests`, "
    "with Retry-After). Nothing was charged.",
    503: "The ledger cannot be used now, or the service is stopping.",
}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of a route."""
    return {status: {"model": ErrorReply, "description": WHY[status]} for status in statuses}


def _column_schema(column: Column) -> dict[str, Any]:
    """A column as JSON Schema; bounds are words, for a value beyond them counts as the nearest one inside."""
    tree: dict[str, Any] = {"description": f"{column_words(column)[0].upper()}{column_words(column)[1:]}."}
    empty = column.missing is not None
    tree["type"] = [column.json_type, "null"] if empty else column.json_type
    if isinstance(column, Categorical) and column.other is None and not empty:
        tree["enum"] = list(column.categories)
    return tree


def example_row(schema: Schema) -> dict[str, Any]:
    """A row that is always taken: the first cell of every column."""
    return {column.name: column.value(0) for column in schema.columns}


def _row_schema(schema: Schema) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {column.name: _column_schema(column) for column in schema.columns},
        "required": list(schema.names),
        "additionalProperties": False,
    }


def invocation_body(schema: Schema) -> dict[str, Any]:
    """The body of /invocations for this bundle's schema, as `openapi_extra`."""
    row, example = _row_schema(schema), example_row(schema)
    records = {"type": "array", "items": row, "minItems": 1}
    split = {
        "type": "object",
        "properties": {
            "columns": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            "data": {"type": "array", "items": {"type": "array"}, "minItems": 1},
            "index": {"type": "array"},
        },
        "required": ["columns", "data"],
    }
    forms = {"dataframe_records": records, "instances": records, "dataframe_split": split}
    body = {
        "oneOf": [
            {"type": "object", "properties": {name: form}, "required": [name], "additionalProperties": False}
            for name, form in forms.items()
        ]
    }
    examples = {
        "records": {"value": {"dataframe_records": [example]}},
        "columns and data": {
            "value": {"dataframe_split": {"columns": list(example), "data": [list(example.values())]}}
        },
    }
    content = {"application/json": {"schema": body, "examples": examples}}
    return {"requestBody": {"required": True, "content": content}}


def predict_body(schema: Schema, *, rows: int) -> dict[str, Any]:
    """The body of /v1/predict for this bundle's schema, as `openapi_extra`."""
    row = _row_schema(schema)
    body = {
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": row, "minItems": 1, "maxItems": rows},
            "idempotency_key": {
                "type": ["string", "null"],
                "pattern": "^[!-~]+$",
                "minLength": 1,
                "maxLength": 200,
                "description": "Sent again with the same rows, the same reply comes back and nothing is charged.",
            },
        },
        "required": ["rows"],
        "additionalProperties": False,
    }
    example = {"rows": [example_row(schema)], "idempotency_key": "2f1c8e"}
    content = {"application/json": {"schema": body, "example": example}}
    return {"requestBody": {"required": True, "content": content}}
