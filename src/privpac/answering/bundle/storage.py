"""What a predictor has seen, as a file: models through skops, concepts as JSON, records as arrays.

Which file that is, and what may stand in it, follows from the predictor's public parameters. Never a pickle: loading a
file must not run what stands in it.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.answering.bundle.known_types import KNOWN_TYPES, strangers
from privpac.answering.bundle.soundness import is_sound
from privpac.checker.document import parsed_json
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.fitting import misfit
from privpac.constructions.prediction.predictor import Predictor, Prepared, PreparedDraws, Redrawn
from privpac.constructions.prediction.vote import PreparedVote, Vote
from privpac.constructions.prediction.voters import Classifiers, Concepts, Voter, gathered, type_name
from privpac.data.column import Column
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.errors import MissingExtra, NotCertified, ParameterError
from privpac.fields import as_list

__all__ = ["content_of", "file_of", "prepared_from"]

MODELS, CONCEPTS, RECORDS = "models.skops", "models.json", "records.npz"
LABELS = "label"
SCHEMA = "schema.json"
"""The part of a skops file that says what is made of the others."""
MOST_SCHEMA = 1 << 28
MOST_UNPACKED = 4 << 30
"""Bytes all members of an archive have together. A thousand forests of fifty trees need an eighth of it."""
ARRAY = ".npy"
LONGEST_HEADER = 10_016
"""Bytes before the numbers of an array: numpy reads no longer header."""

Declared = tuple[tuple[int, ...], np.dtype[Any]]


def file_of(predictor: Predictor) -> str:
    """The name of the secret file of such a predictor: a public fact."""
    if isinstance(predictor, Vote):
        return CONCEPTS if isinstance(predictor.voters, Concepts) else MODELS
    return RECORDS


def content_of(prepared: Prepared) -> bytes:
    """The secret file."""
    if isinstance(prepared, PreparedVote):
        voters = prepared.predictor.voters
        if isinstance(voters, Classifiers):
            return _stored_voters(voters, prepared.models)
        return json.dumps([model.to_json() for model in prepared.models]).encode()
    if isinstance(prepared, PreparedDraws):
        return _pack(prepared.sample)
    raise ParameterError(
        "bundle", "predictor", type(prepared).__name__, allowed="one of privpac's own, which can be stored"
    )


def prepared_from(
    predictor: Predictor, content: bytes, *, records: int, trusted: Collection[str]
) -> Prepared:
    """Undo `content_of`. `records` is their public number, `trusted` are types the reader vouches for."""
    if isinstance(predictor, Vote):
        if isinstance(predictor.voters, Classifiers):
            models: Sequence[Any] = _voters(content, predictor.voters, trusted)
            _refuse_silent(predictor.voters, models)
        else:
            models = _concepts(content, predictor.schema)
        if len(models) != predictor.models:
            raise NotCertified("The bundle holds another number of models than it says.")
        return PreparedVote(predictor, tuple(models))
    if isinstance(predictor, Redrawn):
        return predictor.over(_unpack(content, predictor.schema, records))
    raise NotCertified("The bundle holds a kind of predictor that this version does not know.")


def _concepts(content: bytes, schema: Schema) -> list[Any]:
    models = [hypothesis_from_json(tree) for tree in as_list(parsed_json(content))]
    if any(misfit(model, schema) is not None for model in models):
        raise NotCertified("A model of the bundle does not belong to its schema.")
    return models


def _stored_voters(voters: Classifiers, models: Sequence[Voter]) -> bytes:
    """All in one shape: the commonest class of every block, whether its model is asked, and a model.

    One that is not asked stands for the block that has none. It is another block's, or was trained on rows that are
    nobody's.
    """
    spare = next((voter.model for voter in models if voter.model is not None), None)
    if spare is None:
        with suppress(ParameterError):  # loaded from a bundle, there is nothing left to train
            spare = voters.rehearse().model
    tree = {
        "otherwise": np.array([voter.otherwise for voter in models], dtype=np.int64),
        "asked": np.array([voter.model is not None for voter in models]),
        "models": [spare if voter.model is None else voter.model for voter in models],
    }
    content: bytes = _skops().dumps(tree)
    return content


def _voters(content: bytes, voters: Classifiers, trusted: Collection[str]) -> list[Voter]:
    tree = _skops_tree(content, trusted)
    entries = tree["otherwise"].tolist(), tree["asked"].tolist(), tree["models"]
    parts = list(zip(*entries, strict=True))
    classes = range(len(voters.schema.classes))
    voter_type = type_name(voters.estimator)
    for otherwise, has_model, model in parts:
        if otherwise not in classes or (has_model and type_name(model) != voter_type):
            raise NotCertified("The bundle holds models of another type than it says.")
    return [Voter(otherwise, model if has_model else None) for otherwise, has_model, model in parts]


def _refuse_silent(voters: Classifiers, members: Sequence[Voter]) -> None:
    """Every model answered public rows when it was trained: one that does not answer them here is not that model."""
    models = [voter.model for voter in members if voter.model is not None]
    try:
        answering = is_sound(models)
        for model in models if answering else ():
            voters.audition(model)
    except Exception:  # a forged or foreign model may raise anything
        answering = False
    if not answering:
        raise NotCertified(
            "A model of the bundle does not answer.",
            remedy="Load the bundle with the versions of scikit-learn and numpy that it was made with.",
        )


def _skops_tree(content: bytes, trusted: Collection[str]) -> Any:
    """What a skops file holds, once everything in it is known to be harmless."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        _declared_arrays(archive)
        if archive.getinfo(SCHEMA).file_size > MOST_SCHEMA:
            raise NotCertified("The bundle holds more models than can be looked through.")
        strange = strangers(json.loads(archive.read(SCHEMA)), trusted)
    skops = _skops()
    if not strange:
        # A second look, by skops itself: it knows of names that stand inside of what it makes.
        names = set(skops.get_untrusted_types(data=content))
        harmless_types = set().union(*KNOWN_TYPES.values(), trusted)
        strange = names - harmless_types
    if strange:
        raise NotCertified(
            f"The bundle holds objects of a type that nobody vouched for: {min(strange)[:80]!r}.",
            remedy="Look at that type, and name it as trusted if it is harmless.",
        )
    return skops.loads(content, trusted=sorted(names))


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise MissingExtra("Storing scikit-learn models", "predict") from None
    return skops.io


def _pack(sample: Sample) -> bytes:
    cells, labels = gathered(sample)
    arrays = {
        f"cells_{i}": _plain(column, cells[column.name]) for i, column in enumerate(sample.schema.columns)
    }
    target = io.BytesIO()
    members: dict[str, Any] = {LABELS: labels, **arrays}
    np.savez_compressed(target, **members)
    return target.getvalue()


def _digits(column: Column) -> int:
    return len(str(column.size))


def _plain(column: Column, values: NDArray[Any]) -> NDArray[Any]:
    """Cells beyond 64 bits as text: arrays of objects would need a pickle."""
    if values.dtype != object:
        return values
    return np.array([str(value) for value in values], dtype=f"S{_digits(column)}")


def _unpack(content: bytes, schema: Schema, records: int) -> MemorySample:
    """Records whose number and types are those that the schema and the certificate speak of."""
    names = {f"cells_{i}": column for i, column in enumerate(schema.columns)}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sizes = dict(_declared_arrays(archive))
        members = {f"{name}{ARRAY}" for name in (LABELS, *names)}
        if set(archive.namelist()) != members or any(shape != (records,) for shape, _ in sizes.values()):
            raise NotCertified("The bundle holds other records than its certificate speaks of.")
    if not all(_holds(column, sizes[f"{name}{ARRAY}"][1]) for name, column in names.items()):
        raise NotCertified("The bundle holds records of another type than its schema says.")
    with np.load(io.BytesIO(content), allow_pickle=False) as archive_file:
        cells = {}
        for name, column in names.items():
            values = archive_file[name]
            wide = values.dtype.kind == "S"
            cells[column.name] = np.array([int(v) for v in values], dtype=object) if wide else values
        return MemorySample.from_cells(schema, cells, archive_file[LABELS])


def _holds(column: Column, dtype: np.dtype[Any]) -> bool:
    """Whether cells of this column are stored so."""
    if column.dtype == object:
        return dtype.kind == "S" and dtype.itemsize <= _digits(column)
    return dtype == column.dtype


def _declared_arrays(archive: zipfile.ZipFile) -> Mapping[str, Declared]:
    """Shape and type of every array in an archive, none of them unpacked; refused if it would grow too large.

    A few bytes can announce terabytes, in a member of an archive or in the shape of an array. Both are read from
    headers, held against public limits, and against each other: an array has exactly the bytes that its shape and type
    need.
    """
    members = archive.infolist()
    if sum(member.file_size for member in members) > MOST_UNPACKED:
        raise NotCertified(f"A file of the bundle would unpack to more than {MOST_UNPACKED >> 30} gigabytes.")
    if len({member.filename for member in members}) < len(members):
        raise NotCertified("A file of the bundle holds two parts of the same name.")
    return {
        member.filename: _header(archive, member) for member in members if member.filename.endswith(ARRAY)
    }


def _header(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Declared:
    with archive.open(member) as stream:
        head = io.BytesIO(stream.read(min(member.file_size, LONGEST_HEADER)))
    version = np.lib.format.read_magic(head)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(head)
    # Python's integers: numpy's would overflow, and agree.
    if dtype.hasobject or head.tell() + math.prod(shape) * dtype.itemsize != member.file_size:
        raise NotCertified("An array of the bundle has another size than it says.")
    return shape, dtype
