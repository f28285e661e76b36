"""What was made, as its page shows it: how good it is first, then what it is, then the files to take away.

And what a person has going on or has made lately, so that somebody who closed the page finds it again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from privpac.answering.bundle.bundle import MANIFEST, describe
from privpac.concepts.shapes import PointsSheet
from privpac.constructions.estimates.confusion import Confusion
from privpac.constructions.estimates.share import asks_for_interval
from privpac.constructions.release.table import load_table
from privpac.data.schema import Schema
from privpac.guarantee.certificate import SEED_WARNING
from privpac.guarantee.facts import fact_from_json
from privpac.model import Model, load
from privpac.numbers.exact import read_number
from privpac.report.page import (
    confusion_table,
    estimate_figure,
    figures_list,
    headline,
    ranks_figure,
    report_html,
)
from privpac.report.pictures import picture
from privpac.report.sql import sql_text
from privpac.report.summary import costs_text, no_accuracy
from privpac.service.pages.drawers import Drawer
from privpac.service.pages.guards import Refusal
from privpac.service.pages.jobs import BUSY
from privpac.service.pages.learn.making import BUNDLE, MODEL, TABLE

__all__ = ["FILES", "Work", "content_of", "made_of", "result_of", "works_of"]

SOME_ROWS = 8
"""Of a released table, for people to look at."""
FILES = {
    "rule": {
        MODEL: "application/json",
        "schema.json": "application/json",
        "report.html": "text/html",
        "card.svg": "image/svg+xml",
    },
    "answers": {"bundle.zip": "application/zip", MANIFEST: "application/json"},
    "table": {"synthetic.csv": "text/csv", TABLE: "application/json"},
}
"""What may be taken away, by what was made."""
NOUNS = {"rule": "a rule", "answers": "a bundle that answers", "table": "synthetic records"}


def _goodness(model: Model) -> dict[str, Any]:
    """How good a rule is, from its file alone: noisy counts that were paid for, and what was proved beforehand."""
    tree = model.certificate
    proofs = [str(fact_from_json(proof["fact"])) for proof in tree["accuracy"]]
    return {"verdict": model.verdict, "proved": proofs, "unproved": no_accuracy(tree)}


def result_of(drawer: Drawer) -> tuple[str, dict[str, Any]]:
    """The template of a result, and what it shows."""
    state = drawer.state
    template, context = _VIEWS[_kind(state)](drawer)
    certificate = context["certificate"]
    return template, {
        "drawer": drawer,
        "steps": state.get("steps"),
        "seeded": SEED_WARNING if certificate["coins"] != "system" else None,
        "command": state["command"],
        "charged": state.get("charged"),
        **context,
    }


def content_of(drawer: Drawer, file: str) -> tuple[bytes, str]:
    """A file of a result, and its type."""
    kind = _kind(drawer.state)
    if file not in FILES[kind]:
        raise Refusal(404, "There is no such file.", "Take one of those on the page.")
    if file == "report.html":
        return report_html(load(drawer.file(MODEL))).encode(), FILES[kind][file]
    if file == "card.svg":
        return _card(load(drawer.file(MODEL))), FILES[kind][file]
    place = drawer.file(BUNDLE) / MANIFEST if file == MANIFEST else drawer.file(file)
    return place.read_bytes(), FILES[kind][file]


def _kind(state: Mapping[str, Any]) -> str:
    if "command" not in state:
        raise Refusal(404, "There is nothing here.", "Make something first.")
    return str(state["made"])


def _card(model: Model) -> bytes:
    """A card as a picture of its own, to print and to hang up."""
    if not isinstance(model.hypothesis.shape(model.schema), PointsSheet):
        raise Refusal(404, "There is no card here.", "Take one of the files on the page.")
    return model.picture().encode()


def _rule(drawer: Drawer) -> tuple[str, dict[str, Any]]:
    model = load(drawer.file(MODEL))
    tree, estimate, shape = model.certificate, model.estimate, model.hypothesis.shape(model.schema)
    asked = asks_for_interval(tree["request"] or {})
    return "model.html", {
        "model": model,
        "certificate": tree,
        "headline": headline(model),
        "good": _goodness(model),
        "records": (tree["request"] or tree)["labelled"],
        "picture": Markup(picture(model.hypothesis, model.schema, leaf_counts=model.leaf_counts)),
        "card": shape if isinstance(shape, PointsSheet) else None,
        "estimate": None if estimate is None or not asked else Markup(estimate_figure(estimate)),
        "figures": Markup(figures_list(model)),
        "ranks": Markup(ranks_figure(model)),
        "costs": costs_text(model),
        "confusion": None if estimate is None else _counts(estimate, model.schema.class_names),
        "sql": sql_text(model),
    }


def _counts(estimate: Confusion, classes: Sequence[str]) -> Markup:
    """The table of the report; its corner heads nothing, and is read aloud as a heading otherwise."""
    return Markup(confusion_table(estimate, classes).replace("<th></th>", "<td></td>", 1))


def _table(drawer: Drawer) -> tuple[str, dict[str, Any]]:
    table = load_table(drawer.file(TABLE))
    columns, count = table.records(), int(drawer.state["synthetic"])
    places = range(0, count, -(-count // SOME_ROWS) or 1)  # from all over: records lie in order
    return "released.html", {
        "certificate": table.certificate,
        "columns": table.columns,
        "count": count,
        "rows": [[values[place] for values in columns.values()] for place in places],
        "records": table.certificate["labelled"] + table.certificate.get("unlabelled", 0),
        "learner": table.certificate["learner"]["name"],
        "promises": [f"{str(fact)[0].upper()}{str(fact)[1:]}." for fact in table.promises],
    }


def _answers(drawer: Drawer) -> tuple[str, dict[str, Any]]:
    tree = describe(drawer.file(BUNDLE) / MANIFEST)
    request = tree["certificate"]["request"]
    return "bundle.html", {
        "certificate": tree["certificate"],
        "schema": Schema.from_stored(tree["schema"]),
        "answers": request["answers"],
        "price": read_number(request["epsilon"]),
        "records": request["labelled"],
        "facts": [str(fact_from_json(proof["fact"])) for proof in tree["certificate"]["accuracy"]],
    }


_VIEWS = {"rule": _rule, "table": _table, "answers": _answers}


@dataclass(frozen=True)
class Work:
    """One line of the list: what it is, of which table, and the page that leads on."""

    what: str
    source: str
    address: str
    age: str
    paid: bool


def works_of(drawers: Sequence[Drawer]) -> list[Work]:
    """What is being made, and what is done; forms that were only begun are left out."""
    lines = [_line(drawer) for drawer in drawers]
    return [line for line in lines if line is not None]


def made_of(drawer: Drawer, others: Sequence[Drawer]) -> Drawer | None:
    """What the order of this drawer made, if it is done and still here."""
    state = drawer.state
    if state.get("job") != "done":
        return None
    return next((other for other in others if other.name == state.get("made")), None)


def _line(drawer: Drawer) -> Work | None:
    state = drawer.state
    if state.get("job") in BUSY:
        return Work("being learnt", state["shown"], f"learn/{drawer.name}", _age(state["since"]), False)
    if "command" in state and state.get("made") in NOUNS and "since" in state:
        address = f"learn/model/{drawer.name}"
        return Work(
            NOUNS[state["made"]], state["source"], address, _age(state["since"]), bool(state["charged"])
        )
    return None


def _age(since: float) -> str:
    """How long ago, in the largest unit that has passed.

    >>> _age(time.time() - 200), _age(time.time() - 7300)
    ('3 minutes ago', '2 hours ago')
    """
    seconds = max(0, int(time.time() - since))
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if count := seconds // length:
            return f"{count} {unit}{'s' * (count > 1)} ago"
    return "just now"
