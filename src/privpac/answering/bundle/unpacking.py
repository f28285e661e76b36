"""Archives looked at before anything in them is unpacked: how large it becomes, and what its arrays claim to be.

A few bytes can announce terabytes, in a member of an archive or in the shape of an array. Both are read from headers,
held against public limits, and against each other: an array has exactly the bytes that its shape and type need.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from privpac.errors import NotCertified

__all__ = ["ARRAY", "MOST_UNPACKED", "declared_arrays"]

MOST_UNPACKED = 4 << 30
"""Bytes all members of an archive have together. A thousand forests of fifty trees need an eighth of it."""
ARRAY = ".npy"
LONGEST_HEADER = 10_016
"""Bytes before the numbers of an array: numpy reads no longer header."""

Declared = tuple[tuple[int, ...], np.dtype[Any]]


def declared_arrays(archive: zipfile.ZipFile) -> Mapping[str, Declared]:
    """Shape and type of every array in an archive, none of them unpacked; refused if it would grow too large."""
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
