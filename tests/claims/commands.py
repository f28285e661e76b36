"""What a printed command certifies before it charges anything, from public numbers alone."""

from __future__ import annotations

import shlex
from dataclasses import replace
from itertools import pairwise

from privpac.answering.offer import offer_for
from privpac.constructions.few_labels.methods import FewLabels
from privpac.constructions.few_labels.questions import ask_settings
from privpac.constructions.recipe import Recipe
from privpac.constructions.release.table import TableRequest
from privpac.constructions.words import Request
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.guarantee.certificate import Certificate
from privpac.request import LearnRequest, ReleaseRequest


def certificate_of(command: str, schema: Schema, size: Size) -> Certificate:
    """The certificate of what runs, on a table of this size."""
    words = shlex.split(command)
    options = {name.removeprefix("--"): value for name, value in pairwise(words) if name.startswith("--")}
    if words[1] == "release":
        known = ("epsilon", "method", "error", "failure", "delta")
        table = ReleaseRequest.read(
            {name: options[name] for name in known if name in options}, columns=options["column"]
        )
        return TableRequest.of(table, schema=schema, size=Size(0, size.labelled)).certify()
    word = options.get("concepts", "auto")
    known = ("epsilon", "delta", "failure", "protect", "models", "method")
    rule = LearnRequest.read({name: options[name] for name in known if name in options}, concepts=word)
    if words[1:3] == ["active", "ask"]:
        return _asked(word, Request(schema, Size(0, size.total), rule), options)
    if rule.protect == "predictions":
        return offer_for(rule, schema=schema, size=Size(size.labelled), coins="seeded").certify()
    if "unlabelled" in options:
        return FewLabels.of(rule, schema=schema, size=size).certify()
    return Recipe.of(rule, schema=schema, size=Size(size.labelled)).certify()


def _asked(word: str, request: Request, options: dict[str, str]) -> Certificate:
    labels = int(options["labels"])
    settings = ask_settings(word, request, labels=labels, error=None, method=options["method"])
    asked = replace(request, size=Size(labels, request.size.total - labels))
    return FewLabels(word, asked, settings).certify()
