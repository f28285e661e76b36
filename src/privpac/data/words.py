"""Words that people wrote for people: titles, units, and what codes mean.

They are public, change nothing that is learnt, and must not change the line that they stand in: plain text, of bounded
length, and no two things that look the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from privpac.errors import SchemaError

__all__ = [
    "LONGEST_MEANING",
    "LONGEST_TITLE",
    "LONGEST_UNIT",
    "Meanings",
    "fault_of",
    "meanings_of",
    "with_meaning",
]

LONGEST_TITLE, LONGEST_UNIT, LONGEST_MEANING = 80, 20, 60
"""Letters: as many as fit above a block of a card, behind a number, and in a row of a card."""

Meanings = Mapping[str, str]
"""Values as text, and the words for them."""


def fault_of(words: object, longest: int) -> str | None:
    """What is wrong with a text that could not stand in a line, or would turn the letters around it.

    >>> fault_of("mmHg", 20), fault_of("", 20), fault_of(" a", 20)
    (None, 'is not a text', 'begins or ends with a blank')
    """
    if not isinstance(words, str) or not words.strip():
        return "is not a text"
    if len(words) > longest:
        return f"has {len(words)} letters, more than {longest}"
    strange = next((letter for letter in words if not letter.isprintable()), None)
    if strange is not None:
        return (
            f"holds the invisible character U+{ord(strange):04X}, such as a line break or a mark that turns"
            " the direction of text"
        )
    return "begins or ends with a blank" if words != words.strip() else None


def meanings_of(
    stated: object, values: Sequence[str], table: Mapping[str, int], *, owner: str, column: str
) -> Meanings | None:
    """What `values` mean, in their order; `table` says which of them a key stands for. None if nothing is stated.

    >>> meanings_of({"2": "female", "1": "male"}, ("1", "2"), {"1": 0, "2": 1}, owner="Column 'sex'", column="sex")
    {'1': 'male', '2': 'female'}
    """

    def refused(problem: str) -> SchemaError:
        example = f'{{"{values[0]}": "words for it"}}' if values[0].isprintable() else "an object"
        remedy = f'Write "meanings": {example}, each with up to {LONGEST_MEANING} letters of plain text.'
        return SchemaError(f"{owner}: {problem}.", column=column, remedy=remedy)

    if not isinstance(stated, Mapping):
        raise refused("meanings is not an object of values and words")
    words: dict[str, str] = {}
    for key, meaning in stated.items():
        place = table.get(key) if isinstance(key, str) else None
        if place is None:
            raise refused(f"meanings has {key!a}, which is none of the values")
        if values[place] in words:
            raise refused(f"meanings says twice what '{values[place]}' means")
        fault = fault_of(meaning, LONGEST_MEANING)
        if fault is not None:
            raise refused(f"the meaning of '{values[place]}' {fault}")
        words[values[place]] = meaning
    _refuse_alike(values, words, refused)
    return {value: words[value] for value in values if value in words} or None


def _refuse_alike(values: Sequence[str], words: Meanings, refused: Callable[[str], SchemaError]) -> None:
    """Two values that people could not tell apart in a rule would make it another rule."""
    uses = Counter(word for value in values for word in {value, words.get(value, value)})
    for value, meaning in words.items():
        if uses[meaning] > 1:
            raise refused(f"the meaning of '{value}', '{meaning}', is also what another value is called")


def with_meaning(value: str, meanings: Meanings | None) -> str:
    """A value and what it means, for a person who has to know both.

    >>> with_meaning("1", {"1": "male"}), with_meaning("2", {"1": "male"})
    ('1 (male)', '2')
    """
    meaning = (meanings or {}).get(value, value)
    return value if meaning == value else f"{value} ({meaning})"
