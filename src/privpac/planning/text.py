"""A plan in words: the question, its answer in one paragraph, its table and how to read it, notes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from privpac.constructions.rule_lists import short_word
from privpac.numbers.exact import plain
from privpac.planning.lower_bounds import Limit
from privpac.planning.question import Question
from privpac.planning.search import ANY_ERROR, promise
from privpac.planning.table import PlanTable, Row, limit_of
from privpac.planning.ways import class_asked

__all__ = [
    "READING",
    "SETTINGS",
    "Heading",
    "VisibleTable",
    "amount",
    "condition",
    "count",
    "grid_notes",
    "headings",
    "in_short",
    "name_in_words",
    "name_of",
    "no_bound",
    "notes",
    "number_text",
    "plan_text",
    "question_text",
    "rows",
    "verdict",
    "visible_rows",
    "visible_table",
]

READING = "How to read the table"

SETTINGS = {"realizable": "a perfect fit", "agnostic": "any records"}
"""What a row takes for granted, in the table: some rule of the class never errs, or nothing."""

NOTHING = "–"

UNSIMULATED = (
    "A proof covers the worst case: add --simulate to see what invented records give, which is usually far"
    " better."
)

UNPROVED = (
    "Nothing can be promised with these numbers: a larger error, a larger epsilon or more records prove something."
    " Leave one of them out to see which."
)


# --- names and numbers ---


def name_of(row: Row) -> str:
    """What a method is called: one draw and the default in plain words, the others as certificates name them."""
    if row.word == "auto" and row.way.protects == "records":
        return "the default"
    return "one draw" if row.learner == "occam" else row.learner


def name_in_words(row: Row) -> str:
    """A row by its method and what it holds for, as the table writes them."""
    return f"{name_of(row)}, {SETTINGS[row.setting]}"


def count(records: int) -> str:
    """A number of records in words, such as '1,204 records'."""
    return f"{records:,} record" + ("" if records == 1 else "s")


def number_text(value: int | Fraction, *, up: bool = True) -> str:
    """A promise is rounded up, a floor down."""
    if isinstance(value, int):
        return f"{value:,}"
    places = math.ceil(value * 10_000) if up else math.floor(value * 10_000)
    return f"{places / 10_000:.4f}".rstrip("0").rstrip(".")


def amount(row: Row, number: str) -> str:
    """The number that was asked for, with its unit."""
    return {
        "needed": f"{number} records",
        "reachable": f"an error of at most {number}"
        + " above that of the best rule" * (not row.way.question.asked.release),
        "smallest_epsilon": f"epsilon {number}",
    }[row.asks]


def condition(row: Row) -> str:
    """What is taken for granted of the records, in a sentence."""
    return "if some rule never errs" if row.setting == "realizable" else "whatever the records are like"


# --- the table ---


@dataclass(frozen=True)
class Heading:
    """The head of a column, what stands below it in plain words, and whether those are numbers."""

    head: str
    meaning: str
    is_number: bool = False


@dataclass(frozen=True)
class VisibleTable:
    """The columns that say something, and their cells row by row."""

    headings: tuple[Heading, ...]
    cells: tuple[tuple[str, ...], ...]

    @property
    def heads(self) -> tuple[str, ...]:
        """The first line."""
        return tuple(heading.head for heading in self.headings)

    @property
    def right(self) -> tuple[str, ...]:
        """The heads of columns of numbers, which end below one another."""
        return tuple(heading.head for heading in self.headings if heading.is_number)

    @property
    def meanings(self) -> list[str]:
        """A line per column: how to read it."""
        return [f"{heading.head}: {heading.meaning}" for heading in self.headings]


def visible_rows(plan: PlanTable) -> list[Row]:
    """The rows as a table shows them: the default before what it chooses from."""
    rows = list(plan.rows)
    return sorted(rows, key=lambda row: row.word != "auto") if plan.question.word == "auto" else rows


def headings(plan: PlanTable) -> tuple[Heading, ...]:
    """All columns, in the order of `_cells`."""
    asked = plan.question.asked
    delta = f", with delta {plain(asked.delta)} or without," if asked.delta else ""
    kind = (
        Heading("queries", "what the released table answers, as --concepts names it")
        if asked.release
        else Heading("--concepts", "what the rule is chosen from, and how, as privpac learn takes it")
    )
    return (
        Heading("method", f"how the answer is found. {_methods(plan)}"),
        kind,
        Heading(
            "holds for",
            "any records: nothing is assumed; or a perfect fit: only if some rule of that kind makes no mistake",
        ),
        Heading("protects", _protects(plan)),
        Heading("gives", "a rule of the kind that was asked about, or one that may be of another"),
        Heading(*_proved_heading(plan), is_number=True),
        Heading(
            "impossible below",
            f"proved; no method{delta} that protects what was asked, and holds for and gives the same, can promise it"
            " with less. Rounded down; all other numbers are rounded up",
            is_number=True,
        ),
        Heading(
            "gap",
            "how many times the proved number is the impossible one: a better method or proof saves at most that",
            is_number=True,
        ),
    )


def _methods(plan: PlanTable) -> str:
    titles = {name_of(row): row.way.planned.title for row in visible_rows(plan)}
    return "; ".join(f"{name} = {title}" for name, title in titles.items())


def _protects(plan: PlanTable) -> str:
    answers = {"records", "predictions"} <= {row.way.protects for row in plan.rows}
    price = ". Epsilon is that of one answer where predictions are protected, and of all together elsewhere"
    return "what of a person stays hidden: the whole record, its label, or its part in an answer" + (
        price if answers else ""
    )


def _proved_heading(plan: PlanTable) -> tuple[str, str]:
    """The number that was asked for."""
    chance = f"proved, but for a chance of {float(plan.question.asked.failure):g}"
    off = "how far above the error of the best rule of that kind"
    if plan.question.asked.release:
        off = "by what share of the records an answer may be off"
    return {
        "needed": ("records enough", f"{chance}; from so many records on the error is what was asked for"),
        "reachable": ("error at most", f"{chance}; {off}"),
        "smallest_epsilon": ("epsilon enough", f"{chance}; the smallest privacy loss that will do"),
    }[plan.question.kind]


def _cells(row: Row) -> tuple[str, ...]:
    proved = number_text(row.proved)
    if row.unlabelled:  # without them the number is not proved
        proved += f" {'+' if row.asks == 'needed' else 'with'} {row.unlabelled:,} unlabelled"
    return (
        name_of(row),
        short_word(row.concepts),
        SETTINGS[row.setting],
        row.way.protects,
        "such a rule" if row.promise.proper else "any rule",
        proved,
        NOTHING if row.floor is None else number_text(row.floor, up=False),
        NOTHING if row.ratio is None else f"{math.ceil(row.ratio * 10) / 10:g}",
    )


def rows(plan: PlanTable) -> list[tuple[str, ...]]:
    """The cells of `visible_rows`, in the order of `headings`."""
    return [_cells(row) for row in visible_rows(plan)]


def visible_table(plan: PlanTable) -> VisibleTable:
    """The table without columns that are empty, and without what all rows protect if they protect the same."""
    cells, all_heads = rows(plan), headings(plan)
    places = [
        place
        for place, heading in enumerate(all_heads)
        if _says_something(plan, heading, [row[place] for row in cells])
    ]
    return VisibleTable(
        tuple(all_heads[place] for place in places),
        tuple(tuple(row[place] for place in places) for row in cells),
    )


def _says_something(plan: PlanTable, heading: Heading, cells: Sequence[str]) -> bool:
    if heading.head == "protects":
        return len(set(cells)) > 1
    if plan.question.asked.release and heading.head in ("holds for", "gives"):
        return False  # what is released is no rule, and its promise holds for all records
    return any(cell != NOTHING for cell in cells)


# --- the answer in one paragraph ---

MISSING = {
    "card": "For a card no bound on errors is proved, whatever the number of records; the nearest word that has one is"
    " --concepts scorecards:3."
}
"""What is said of words without a bound."""

RATE = "; a base_rate in the schema makes each class as common there as it really is"


def no_bound(question: Question) -> str | None:
    """What is said of a word without a bound; None where errors are bounded, from some number of records on."""
    return MISSING.get(question.head)


def in_short(plan: PlanTable) -> str:
    """What to expect, what is proved, and what nobody can do."""
    row, ranks = plan.headline, _said_first(plan)
    if row is None:
        return " ".join(ranks) or f"{UNPROVED} {plan.why_nothing()}".strip()
    facts = [
        _promise(plan, row),
        *_more_hidden(plan, row),
        *_beside_a_constant(plan, row),
        *_hopeless(plan, row),
    ]
    silent = ranks or plan.simulated is not None
    return " ".join([*ranks, *verdict(plan), *facts, *([] if silent else [UNSIMULATED])])


def _said_first(plan: PlanTable) -> list[str]:
    """Who asks for what has no bound, or for an order, is told first what is known of that."""
    question, lacks = plan.question, no_bound(plan.question)
    if lacks is None and question.asked.aim != "rank":
        return []
    errors = ["What follows is about errors of classes."] if plan.rows else []
    nothing = "Nothing is proved about the order of records." if lacks is None else lacks
    if question.card is None or plan.simulated is not None:
        return [nothing, *errors]
    numbers = "" if question.asked.records and question.asked.epsilon else ", --records and --epsilon"
    rate = "" if question.schema.base_rate is not None else RATE
    return [nothing, f"Add --simulate{numbers} to see what privacy costs its AUC{rate}.", *errors]


def verdict(plan: PlanTable) -> list[str]:
    """Where records, error and epsilon are all given: whether they go together, and what is proved if they do not."""
    row, have, error = plan.headline, plan.question.asked.records, plan.question.asked.error
    if row is None or row.enough is None or have is None or error is None:
        return []
    if row.enough:
        beside = f" and {row.unlabelled:,} without labels" * bool(row.unlabelled)
        return [f"Yes: {count(have)}{beside} are enough for error {plain(error)}, {condition(row)}."]
    perfect = plan.perfect
    also = [f"They are enough {condition(perfect)}."] if perfect is not None and perfect.enough else []
    reached = promise(row.way, row.setting, have, row.epsilon, ANY_ERROR)
    if reached is None or reached.error >= Fraction(1, 2):
        return [f"No: {count(have)} prove nothing that holds {condition(row)}.", *also]
    proves = f"an error of at most {number_text(reached.error)}" + " above that of the best rule" * (
        not plan.question.asked.release
    )
    return [f"No: {count(have)} prove {proves}, not {plain(error)}, {condition(row)}.", *also]


def _promise(plan: PlanTable, row: Row) -> str:
    """What is proved for any records, and how much better it gets if some rule is perfect."""
    verb = {"needed": " are enough", "reachable": "", "smallest_epsilon": " is enough"}[row.asks]
    same = plan.question.word != "auto" or row.word == "auto"
    against = "" if same else f", choosing from {row.concepts}"
    text = f"Proved: {amount(row, number_text(row.proved))}{verb}{against}, {condition(row)}"
    perfect = plan.perfect
    if row.setting == "realizable":
        return f"{text}. Of records that no rule fits perfectly, which is the usual case, nothing is proved."
    if perfect is None:
        return f"{text}."
    other = ", with a rule that may be of another kind" * (row.promise.proper and not perfect.promise.proper)
    return f"{text}; {number_text(perfect.proved)} {condition(perfect)}{other}."


def _more_hidden(plan: PlanTable, row: Row) -> list[str]:
    """A method that hides more than was asked keeps the promise too, and often with less."""
    protect = plan.question.asked.protect
    if row.way.protects == protect or plan.question.asked.release:
        return []
    return [f"That method protects whole records, which is more than {protect}."]


def _beside_a_constant(plan: PlanTable, row: Row) -> list[str]:
    """Whether what is proved is better than always naming the commonest class; nothing where no rate is declared."""
    schema = plan.question.schema
    if schema.base_rate is None or plan.question.asked.release:
        return []
    rates = [Fraction(str(rate)) for rate in schema.base_rate]
    constant = f'always saying "{schema.class_names[rates.index(max(rates))]}"'
    errs = sum(rates) - max(rates)
    share = f"{float(errs):.4g}"
    return [
        f"By the base rate of the schema, {constant} errs {share} of the time{_comparison(plan, row, errs)}"
    ]


def _comparison(plan: PlanTable, row: Row, errs: Fraction) -> str:
    """The rule errs at most as often as the best one and what is proved on top of it."""
    room = errs - row.error
    if row.setting == "realizable" and room > 0:
        return ", which is more than the rule is proved to err."
    ways = "--simulate or the" if plan.simulated is None else "The"
    tells = f"{ways} private estimate after learning tells whether it does."
    if room <= 0:
        return f": the proof alone does not show that the rule beats that. {tells}"
    least = number_text(room, up=False)
    return f"; the proof alone shows that the rule beats that only if the best rule errs less than {least}. {tells}"


WHO = {
    "records": "private method",
    "labels": "method that hides labels",
    "predictions": "method with private answers",
}
"""Of whom a floor speaks, by what was asked to be hidden."""

NOISY = {
    "floor-agnostic": "no method that releases a rule, private or not,",
    "floor-agnostic-answers": "no method at all, private or not,",
}
"""Floors that need no privacy, but labels that no rule fits."""

UNKNOWN = "No lower bound is known here."


def _hopeless(plan: PlanTable, row: Row) -> list[str]:
    """What no method can do that answers the question; and, if that is more, none whose answer is of the class."""
    limits = _limits(row, pure=not plan.question.asked.delta)
    if limits or not plan.question.asked.delta:
        return [_exclusion(plan, row, limit) for limit in limits] or [UNKNOWN]
    without = [_exclusion(plan, row, limit) for limit in _limits(row, pure=True)]
    return [f"{text.removesuffix('.')} without the delta." for text in without] or [UNKNOWN]


def _limits(row: Row, *, pure: bool) -> list[Limit]:
    concepts = class_asked(row.way.question)
    anything = limit_of(row, concepts, proper=False, pure=pure)
    is_rule = row.promise.proper and not row.way.question.asked.release
    proper = limit_of(row, concepts, proper=True, pure=pure) if is_rule else None
    if proper is not None and anything is not None and proper.value <= anything.value:
        proper = None
    return [limit for limit in (proper, anything) if limit is not None]


def _exclusion(plan: PlanTable, row: Row, limit: Limit) -> str:
    number = number_text(limit.value, up=False)
    less = {
        "needed": f"do it with fewer than {number} record{'' if limit.value == 1 else 's'}",
        "reachable": f"promise less than {number}",
        "smallest_epsilon": f"do it with epsilon below {number}",
    }[row.asks]
    if limit.source in NOISY:
        return f"Where labels are noisy, {NOISY[limit.source]} can {less}."
    who = WHO[plan.question.asked.protect] + (" that answers with such a rule" if limit.proper else "")
    if limit.source == "floor-generated-points":
        return f"If nobody tells its values from random ones in time, no quick {who} can {less}."
    return f"No {who} can {less}."


def question_text(plan: PlanTable) -> str:
    """The question as a sentence."""
    question, asked = plan.question, plan.question.asked
    parts = []
    if question.kind != "needed" and asked.records is not None:
        parts.append(f"{asked.records:,} records")
    if asked.error is not None:
        parts.append(f"error {plain(asked.error)}")
    if asked.epsilon is not None:
        parts.append(f"epsilon {plain(asked.epsilon)}")
    parts.append(f"failure {plain(asked.failure)}")
    if asked.delta:
        parts.append(f"delta {plain(asked.delta)}")
    what = {
        "needed": "Records needed for",
        "reachable": "Error that is proved for",
        "smallest_epsilon": "Smallest epsilon for",
    }[question.kind]
    if no_bound(question) is not None:
        what = "What can be said of"
    subject = (
        f"a released table that answers {asked.concepts}" if asked.release else short_word(asked.concepts)
    )
    return f"{what} {subject}: {', '.join(parts)}"


# --- notes ---


def notes(plan: PlanTable) -> list[str]:
    """What is assumed of the table, how large classes of many tests are, and which theorems prove the rows."""
    return [*_assumptions(plan), *grid_notes(plan), *_theorems(plan)]


def _assumptions(plan: PlanTable) -> list[str]:
    """What is taken for granted of columns that were only counted."""
    counted = plan.question.invented and plan.question.asked.bits is None
    text = "A column is taken to have 2^32 values, as one of real numbers has; --bits B or a schema say otherwise"
    return [text] if counted and plan.rows and "COL" in plan.rows[0].concepts else []


def grid_notes(plan: PlanTable) -> list[str]:
    """What the promise is against, where it is not all that a reader may have in mind."""
    lines = []
    for row in {row.concepts: row for row in plan.rows if row.promise.grid}.values():
        lines.append(f"Grid of {row.concepts}: {row.promise.grid}")
        if row.word.startswith(f"{plan.question.word}:") and plan.question.head == "rectangles":
            lines.append("Sums over all boxes of a finer grid take too long for so many records")
    return lines


def _theorems(plan: PlanTable) -> list[str]:
    """Where the numbers are proved."""
    visible = visible_rows(plan)
    by_source: dict[str, list[Row]] = {}
    for row in visible:
        by_source.setdefault(row.promise.theorem, []).append(row)
    if not by_source:
        return []
    proofs = "; ".join(f"{key}: {', '.join(_distinct(rows))}" for key, rows in by_source.items())
    floors = ", ".join(_distinct_floors(visible))
    below = f". What is impossible: {floors}" if floors else ""
    return [f"Theorems that prove the rows (privpac theorems KEY shows one): {proofs}{below}"]


def _distinct(rows: Iterable[Row]) -> Iterator[str]:
    yield from dict.fromkeys(f"{name_of(row)} ({SETTINGS[row.setting]})" for row in rows)


def _distinct_floors(rows: Iterable[Row]) -> Iterator[str]:
    limits = (row.limit for row in rows if row.limit is not None)
    yield from dict.fromkeys(f"{limit.source} ({number_text(limit.value, up=False)})" for limit in limits)


def plan_text(plan: PlanTable) -> str:
    """For `print` in Python; the command line lays its table out by itself."""
    lines = [question_text(plan), ""]
    if plan.expected is not None:
        lines += [*plan.expected.lines, ""]
    if plan.simulated is not None:
        lines += [*plan.simulated.lines, ""]
    lines += [in_short(plan), ""]
    lines += _table_lines(visible_table(plan)) if plan.rows else []
    if remarks := notes(plan):
        lines += ["", *remarks]
    if plan.advice:
        lines += ["", *plan.advice]
    return "\n".join(lines)


def _table_lines(table: VisibleTable) -> list[str]:
    """The table, and below it how to read it."""
    cells = [table.heads, *table.cells]
    widths = [max(len(row[i]) for row in cells) for i in range(len(table.heads))]
    laid_out = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return [*laid_out, "", READING, *table.meanings]
