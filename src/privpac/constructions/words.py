"""The words by which people name what to learn, in Python and on the command line.

A word names a class of concepts (then the learner is `Occam`) or a learner of its own. A stored certificate names the
word and the options, so that `verify` can build the same learner again.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from privpac.concepts.base import AnyClass, ConceptClass, ManyLabels
from privpac.concepts.catalogue import class_from_json, is_storable, stored_class, stored_classes
from privpac.concepts.grids import FIRST, FULL, grid_of_word
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.parts import OneTest
from privpac.concepts.trees.trees import Trees
from privpac.constructions import catalogue
from privpac.constructions.base import Learner
from privpac.constructions.own import Concepts, built
from privpac.constructions.request import (
    OWNER,
    PROTECTS,
    Naming,
    Request,
    Word,
    request_from_json,
)
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SchemaError
from privpac.numbers.exact import plain
from privpac.numbers.parameters import is_count
from privpac.removed import replacement_of

__all__ = [
    "PROTECTS",
    "WORDS",
    "Request",
    "concepts_from_json",
    "counts_leaves",
    "has_leaves",
    "learner_for",
    "request_from_json",
    "require_useful_delta",
    "stands_for",
    "stored_concepts",
    "takes_delta",
    "takes_many_classes",
    "tells_risks",
    "unknown_word",
]

WORDS: Mapping[str, Word] = catalogue.words()
"""Every word, as the families declare them in `words.py`."""


def takes_many_classes(concepts: Concepts) -> bool:
    """Whether the rules of a class, or of the word that names it, end in any number of classes.

    >>> takes_many_classes("trees:3"), takes_many_classes("stumps")
    (True, False)
    """
    if not isinstance(concepts, str):
        return isinstance(concepts, ManyLabels)
    chain = _entries(concepts)
    return bool(chain) and all(entry.many_classes for entry in chain)


def tells_risks(concepts: Concepts) -> bool:
    """Whether the rules that a word names tell the risk of each class by themselves.

    >>> tells_risks("card"), tells_risks("trees:3")
    (True, False)
    """
    entry = _entry(concepts)
    return entry is not None and entry.risks


def has_leaves(concepts: Concepts) -> bool:
    """Whether the rules of a word or class are trees, so that records can be counted in their leaves.

    >>> has_leaves("trees:3"), has_leaves("lists:3"), has_leaves("card")
    (True, False, False)
    """
    if not isinstance(concepts, str):
        return isinstance(concepts, Trees | OneTest | TreeMixture)
    entry = _entry(concepts)
    return entry is not None and entry.leaves


def counts_leaves(concepts: Concepts) -> bool:
    """Whether the leaves of the trees that a word names are counted without anybody asking for it.

    >>> counts_leaves("graded-tree"), counts_leaves("trees:3")
    (True, False)
    """
    entry = _entry(concepts)
    return entry is not None and entry.counted


def _entry(concepts: Concepts) -> Word | None:
    return WORDS.get(concepts.partition(":")[0]) if isinstance(concepts, str) else None


def _entries(word: str) -> list[Word]:
    """The word, and those that stand behind it; empty if one of them is unknown."""
    head, _, rest = word.partition(":")
    entry = WORDS.get(head)
    if entry is None:
        return []
    if not entry.transforms:
        return [entry]
    behind = _entries(rest.partition(":")[2] if is_count(rest.partition(":")[0]) else rest)
    return [entry, *behind] if behind else []


def takes_delta(word: str) -> bool:
    """Whether a delta can be of use for a word.

    >>> takes_delta("blocks:age"), takes_delta("agnostic:blocks:age"), takes_delta("stumps")
    (True, True, False)
    """
    return any(entry.takes_delta for entry in _entries(word))


def require_useful_delta(concepts: Concepts, delta: Fraction) -> None:
    """Refuse a delta where it could only be ignored; words that nobody knows are refused elsewhere."""
    chain = _entries(concepts) if isinstance(concepts, str) else []
    is_unknown = isinstance(concepts, str) and not chain
    is_own = isinstance(concepts, type) and getattr(concepts, "takes_delta", False)
    if delta == 0 or is_unknown or is_own or any(entry.takes_delta for entry in chain):
        return
    forms = " and ".join(word.form for word in WORDS.values() if word.takes_delta and not word.transforms)
    raise ParameterError(
        OWNER,
        "delta",
        plain(delta),
        allowed=f"0 for {concepts if isinstance(concepts, str) else concepts.word}, which has no use for it",
        remedy=f"Leave it out; {forms} use one.",
    )


def stands_for(concepts: Concepts, request: Request) -> Concepts:
    """The form that a bare word stands for, by public numbers, as files name it; anything else stands for itself.

    A file names the form, so that what an older version meant by the bare word is still what it means there.
    """
    entry = _entry(concepts)
    if entry is None or entry.choice is None or not isinstance(concepts, str) or ":" in concepts:
        return concepts
    return entry.choice(request)


def learner_for(word: Concepts, request: Request) -> Learner:
    """The learner a word names, or `Occam` on a class of concepts given as such.

    Unknown words list the known ones.
    """
    if request.protect not in PROTECTS:
        requirement = "one of " + ", ".join(repr(p) for p in PROTECTS)
        raise ParameterError(OWNER, "protect", request.protect, allowed=requirement)
    if isinstance(word, type):
        return built(word, request)
    if not isinstance(word, str):
        return _learner_of_class(word, request)
    head, _, rest = word.partition(":")
    entry = WORDS.get(head)
    if entry is None or replacement_of(word):
        raise unknown_word(word)
    if request.protect not in entry.protects:
        raise ParameterError(
            OWNER,
            "protect",
            request.protect,
            allowed=f"one of {', '.join(entry.protects)} for {entry.form}",
            remedy=f"protect={request.protect!r} does not exist yet for {entry.form}.",
        )
    return entry.learner(request, rest, _named_inside(head))


def unknown_word(word: str, *, owner: str = OWNER) -> ParameterError:
    """The refusal of a word that nobody knows, or that was removed."""
    head, _, rest = word.partition(":")
    remedy = replacement_of(word) or _near_word(head, rest)
    requirement = "a word that is known" if remedy else _all_words()
    return ParameterError(owner, "concepts", word, allowed=requirement, remedy=remedy)


def _named_inside(outer: str) -> Naming:
    """What the word behind a transform names, for the transform to build around."""

    def naming(word: str, request: Request) -> Learner:
        entry = _entry(word)
        if entry is not None and (entry.risks or entry.counted or entry.transforms):
            raise ParameterError(
                OWNER,
                "word",
                f"{outer}:{word}",
                allowed=f"{outer}: and a word for rules that tell no risks, which stands for itself",
                remedy=f"Learn {word} from all records, by itself.",
            )
        return learner_for(word, request)

    return naming


PACKAGE = __name__.partition(".")[0]


def _is_ours(concepts: AnyClass) -> bool:
    """Whether it is part of this package, or no class at all; whoever brings their own verifies with it in hand."""
    package, *_ = type(concepts).__module__.split(".")
    return package == PACKAGE or not isinstance(concepts, ConceptClass)


def _learner_of_class(concepts: AnyClass, request: Request) -> Learner:
    if not is_storable(concepts) and _is_ours(concepts):
        raise ParameterError(
            OWNER,
            "concepts",
            type(concepts).__name__,
            allowed=_all_words() + f", or one of the classes {', '.join(stored_classes())}",
            remedy="Only what a certificate can name is learnt, so that everybody can verify it.",
        )
    if concepts.schema != request.schema:
        raise SchemaError(
            "The class of concepts was made for another schema.", remedy="Give both the same schema."
        )
    return request.occam(concepts)


def _near_word(head: str, rest: str) -> str:
    """The word that a strange one was probably meant to be, with what was written behind its colon."""
    near = get_close_matches(head, WORDS, n=1, cutoff=0.75)
    return f"Did you mean {':'.join([near[0], rest] if rest else near)}?" if near else ""


def _all_words() -> str:
    return "one of " + ", ".join(word.form for word in WORDS.values())


BOXES = "rectangles:"
"""A document names the grid of boxes, the full one too; where none is named it is that of the first version."""


def _in_files(word: str) -> str:
    if not word.startswith(BOXES):
        return word
    columns, bins = grid_of_word(word.removeprefix(BOXES))
    if bins is None:
        return f"{BOXES}{columns}"
    return f"{BOXES}{columns}:{FULL}" if bins == FULL else word


def _of_files(spelling: str) -> str:
    if not spelling.startswith(BOXES):
        return spelling
    columns, _ = grid_of_word(spelling.removeprefix(BOXES))
    return f"{spelling}:{FIRST}" if spelling == f"{BOXES}{columns}" else spelling


def stored_concepts(concepts: Concepts) -> str | dict[str, Any]:
    """What a certificate keeps of the wish: the word, or the name and the public options of a class."""
    if isinstance(concepts, type):  # a name to read: `verify` is given such a learner
        return {"class": concepts.__name__, "options": None}
    return _in_files(concepts) if isinstance(concepts, str) else stored_class(concepts)


def concepts_from_json(tree: object, schema: Schema) -> str | AnyClass:
    """Undo `stored_concepts`."""
    return _of_files(tree) if isinstance(tree, str) else class_from_json(tree, schema)
