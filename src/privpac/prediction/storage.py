"""What a predictor has seen, as files: models through skops with named types, concepts as JSON, records as arrays.

Never a pickle: loading a file must not run what stands in it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.fitting import misfit
from privpac.concepts.hypotheses import hypothesis_from_json
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.errors import MissingExtra, NotCertified
from privpac.prediction.base import Predictor, Prepared
from privpac.prediction.gathered import gathered
from privpac.prediction.vote import PreparedVote, Vote
from privpac.prediction.voters import Concepts

__all__ = ["files_of", "prepared_from"]

MODELS, CONCEPTS, RECORDS = "models.skops", "models.json", "records.npz"
LABELS = "label"
KNOWN = ("sklearn.", "numpy.", "scipy.")
"""Packages whose types are trusted without being named again: they are installed with privpac."""


def files_of(prepared: Prepared) -> tuple[dict[str, bytes], list[str]]:
    """Names and contents of the secret files, and the types somebody must trust who loads them."""
    if isinstance(prepared, PreparedVote):
        if isinstance(prepared.predictor.voters, Concepts):
            trees = [model.to_json() for model in prepared.models]
            return {CONCEPTS: json.dumps(trees).encode()}, []
        content = _skops().dumps(list(prepared.models))
        return {MODELS: content}, sorted(_skops().get_untrusted_types(data=content))
    sample: Sample = getattr(prepared, "sample")  # noqa: B009  # predictors that draw afresh keep their records
    return {RECORDS: _packed(sample)}, []


def prepared_from(
    predictor: Predictor, files: Mapping[str, bytes], *, named: Collection[str], trusted: Collection[str]
) -> Prepared:
    """Undo `files_of`. `named` are the types the bundle names, `trusted` those its reader vouches for."""
    if isinstance(predictor, Vote):
        models = _concepts(files, predictor.schema) if CONCEPTS in files else _models(files, named, trusted)
        if len(models) != predictor.models:
            raise NotCertified("The bundle holds another number of models than it says.")
        return PreparedVote(predictor, tuple(models))
    prepared: Prepared = getattr(predictor, "over")(_unpacked(files[RECORDS], predictor.schema))  # noqa: B009
    return prepared


def _concepts(files: Mapping[str, bytes], schema: Schema) -> list[Any]:
    models = [hypothesis_from_json(tree) for tree in json.loads(files[CONCEPTS])]
    if any(misfit(model, schema) is not None for model in models):
        raise NotCertified("A model of the bundle does not belong to its schema.")
    return models


def _models(files: Mapping[str, bytes], named: Collection[str], trusted: Collection[str]) -> list[Any]:
    content = files[MODELS]
    found = set(_skops().get_untrusted_types(data=content))
    refused = {name for name in found if name not in named or not (name.startswith(KNOWN) or name in trusted)}
    if refused:
        raise NotCertified(
            f"The bundle holds objects of a type that nobody vouched for: {min(refused)[:80]!r}.",
            remedy="Look at that type, and name it as trusted if it is harmless.",
        )
    return list(_skops().loads(content, trusted=sorted(found)))


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise MissingExtra("Storing scikit-learn models", "predict") from None
    return skops.io


def _packed(sample: Sample) -> bytes:
    cells, labels = gathered(sample)
    arrays = {f"cells_{i}": _plain(values) for i, values in enumerate(cells.values())}
    target = io.BytesIO()
    named: dict[str, Any] = {LABELS: labels, **arrays}
    np.savez_compressed(target, **named)
    return target.getvalue()


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Cells beyond 64 bits as text: arrays of objects would need a pickle."""
    return np.array([str(value) for value in values], dtype="S") if values.dtype == object else values


def _unpacked(content: bytes, schema: Schema) -> MemorySample:
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        cells = {}
        for i, column in enumerate(schema.columns):
            values = stored[f"cells_{i}"]
            wide = values.dtype.kind == "S"
            cells[column.name] = np.array([int(v) for v in values], dtype=object) if wide else values
        return MemorySample.from_cells(schema, cells, stored[LABELS])
