"""A rule as SQL to hand over: what it is in a comment, and the rule where a reader looks for it.

The comment is made from the released model alone. Names come from a file that anybody may have written, so nothing that
could end a line of a comment gets into one.
"""

from __future__ import annotations

from privpac.concepts.literals.cell_sets import sql_name
from privpac.data.columns import Numeric
from privpac.errors import NoSqlForm
from privpac.report.subject import Subject

__all__ = ["sql_query", "sql_text"]

TYPES = (
    "These columns of the table must have a type for numbers: {}. Where a file was loaded as text, numbers are compared"
    " as words, and the answers are wrong without an error."
)

DOUBLE = "e0 behind a long number says that it is a double: databases round none of its digits."
STEPS = (
    "Numbers are exact to the last digit. The rule in words shows the shortest number of the same step of a column, so"
    " that the two may differ far behind the decimal point."
)


def sql_text(model: Subject) -> str:
    """The rule as a query, or the sentence why there is none."""
    try:
        return sql_query(model)
    except NoSqlForm as none:
        return str(none)


def sql_query(model: Subject) -> str:
    """The rule as a query about a table that the reader names: the class, and of a card the points and the risk too."""
    columns = {model.schema.label: model.to_sql(), **model.hypothesis.sql_columns(model.schema)}
    items = ",\n".join(f"{text} AS {sql_name(name)}" for name, text in columns.items())
    return "\n".join([*_comment(model, items), f"SELECT {items}", "FROM your_table;"])


def _class_entry(number: int, name: str, in_words: str) -> str:
    return in_words if name == str(number) else f"{number} is {in_words}"


def _comment(model: Subject, sql: str) -> list[str]:
    tree, schema = model.certificate, model.schema
    classes = ", ".join(
        map(_class_entry, range(len(schema.classes)), schema.classes, schema.classes_in_words)
    )
    lines = [
        f"A rule for {schema.label_called}, learnt by privpac {model.version} with differential privacy: epsilon"
        f" {tree['epsilon']}, delta {tree['delta']}.",
        f"Its certificate is in the model file with the digest {model.to_json()['digest']}.",
        f"It gives the number of the class: {classes}.",
        "Put the name of your table in place of your_table, and columns of yours, such as a number of the record, after"
        " SELECT.",
    ]
    if tree["coins"] != "system":
        lines.append("Made with a known seed: it promises nothing and must not be released.")
    columns = [schema.column(name) for name in model.hypothesis.columns]
    numeric = [column for column in columns if isinstance(column, Numeric)]
    if numeric:
        lines.append(TYPES.format(", ".join(column.name for column in numeric)))
    if not all(column.integer for column in numeric):
        lines.append(STEPS)
    if "e0 " in sql or "e0)" in sql:
        lines.append(DOUBLE)
    return [f"-- {line if line.isprintable() else ascii(line)}" for line in lines]
