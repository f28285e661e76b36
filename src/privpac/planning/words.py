"""A plan in words: the question, its answer in one paragraph, notes, and the advice; its table is in `columns`."""

from __future__ import annotations

from collections.abc import Iterable

from privpac.concepts.grids import most_box_records
from privpac.constructions.commands import coarser_word
from privpac.constructions.rule_lists import short_word
from privpac.numbers.exact import plain
from privpac.planning.alternatives import again, count, epsilon_of
from privpac.planning.answer import Answer, Limit, limit_of
from privpac.planning.base_rates import beside_a_constant
from privpac.planning.columns import VisibleTable, number_text, visible_answers, visible_table
from privpac.planning.naming import amount, condition, row_names
from privpac.planning.table import PlanTable
from privpac.planning.unproved import bound_missing, said_first

__all__ = [
    "READING",
    "grid_notes",
    "in_short",
    "notes",
    "plan_text",
    "question_text",
    "verdict",
]

READING = "How to read the table"

UNSIMULATED = (
    "A proof covers the worst case: add --simulate to see what invented records give, which is usually far"
    " better."
)


NOTHING = (
    "Nothing can be promised with these numbers: a larger error, a larger epsilon or more records prove something."
    " Leave one of them out to see which."
)


def in_short(plan: PlanTable) -> str:
    """The answer in one paragraph: what to expect, what is proved, what nobody can do. Empty if nothing is promised."""
    row, ranks = plan.headline, said_first(plan)
    if row is None:
        return " ".join(ranks) or NOTHING
    first = [*ranks, *verdict(plan)]
    promise = [
        _promise(plan, row),
        *_more_hidden(plan, row),
        *beside_a_constant(plan, row),
    ]
    facts = [*promise, *_hopeless(plan, row)]
    silent = ranks or plan.simulated is not None
    return " ".join([*first, *facts, *([] if silent else [UNSIMULATED])])


def verdict(plan: PlanTable) -> list[str]:
    """Where records, error and epsilon are all given: whether they go together, and what is proved if they do not."""
    row, have, error = plan.headline, plan.question.asked.records, plan.question.asked.error
    if row is None or row.enough is None or have is None or error is None:
        return []
    if row.enough:
        beside = f" and {row.need.unlabelled:,} without labels" * bool(row.need.unlabelled)
        are = f"{count(have)}{beside} are enough for error {plain(error)}"
        return [f"Yes: {are}, {condition(row)}{_smaller_epsilon(plan, row)}."]
    perfect = plan.perfect
    enough = perfect is not None and perfect.enough
    also = (
        [f"They are enough {condition(perfect)}{_smaller_epsilon(plan, perfect)}."]
        if perfect and enough
        else []
    )
    reachable = again(plan.question.asking(error=None), row)
    if reachable is None:
        return [f"No: {count(have)} prove nothing that holds {condition(row)}.", *also]
    proves = amount(reachable, number_text(reachable.proved))
    return [f"No: {count(have)} prove {proves}, not {plain(error)}, {condition(row)}.", *also]


def _smaller_epsilon(plan: PlanTable, row: Answer) -> str:
    """The smaller epsilon that it is proved with, where with the whole of it it is not."""
    spent = epsilon_of(plan.question, row)
    return "" if spent == row.wish.epsilon else f", learnt with epsilon {plain(spent)}"


def _promise(plan: PlanTable, row: Answer) -> str:
    """What is proved for any records, and how much better it gets if some rule is perfect."""
    what = f"Proved: {amount(row, number_text(row.proved))}"
    anything = row.option.setting == "agnostic"
    verb = {"needed": " are enough", "reachable": "", "smallest_epsilon": " is enough"}[row.asks]
    same = row.concepts.word.partition(":")[0] == plan.question.asked.concepts.partition(":")[0]
    against = "" if same else f", choosing from {row.concepts.word}"
    text = f"{what}{verb}{against}, {condition(row)}{_learnt_with(row)}"
    perfect = plan.perfect
    if not anything:
        return f"{text}. Of records that no rule fits perfectly, which is the usual case, nothing is proved."
    if perfect is None:
        return f"{text}."
    other = ", with a rule that may be of another kind" * (row.option.proper and not perfect.option.proper)
    return f"{text}; {number_text(perfect.proved)} {condition(perfect)}{other}{_learnt_with(perfect)}."


def _more_hidden(plan: PlanTable, row: Answer) -> list[str]:
    """A method that hides more than was asked keeps the promise too, and often with less."""
    protect = plan.question.asked.protect
    if row.option.protects == protect or plan.question.asked.release:
        return []
    return [f"That method protects whole records, which is more than {protect}."]


def _learnt_with(row: Answer) -> str:
    """A smaller epsilon than was allowed, where the number is proved with that alone."""
    return "" if row.spent == row.wish.epsilon else f", learnt with epsilon {plain(row.spent)}"


METHODS = {
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


def _hopeless(plan: PlanTable, row: Answer) -> list[str]:
    """What no method can do that answers the question; and, if that is more, none whose answer is of the class."""
    limits = _limits(plan, row, pure=not plan.question.asked.delta)
    if limits or not plan.question.asked.delta:
        return [_exclusion(plan, row, limit) for limit in limits] or ["No lower bound is known here."]
    without = [_exclusion(plan, row, limit) for limit in _limits(plan, row, pure=True)]
    return [f"{text.removesuffix('.')} without the delta." for text in without] or [
        "No lower bound is known here."
    ]


def _limits(plan: PlanTable, row: Answer, *, pure: bool) -> list[Limit]:
    kind = row.option.setting
    anything = limit_of(plan.question, row, setting=kind, proper=False, pure=pure)
    proper = limit_of(plan.question, row, setting=kind, proper=True, pure=pure) if row.option.proper else None
    if proper is not None and anything is not None and proper.value <= anything.value:
        proper = None
    return [limit for limit in (proper, anything) if limit is not None]


def _exclusion(plan: PlanTable, row: Answer, limit: Limit) -> str:
    number = number_text(limit.value, up=False)
    less = {
        "needed": f"do it with fewer than {number} record{'' if limit.value == 1 else 's'}",
        "reachable": f"promise less than {number}",
        "smallest_epsilon": f"do it with epsilon below {number}",
    }[row.asks]
    if limit.source in NOISY:
        return f"Where labels are noisy, {NOISY[limit.source]} can {less}."
    who = METHODS[plan.question.asked.protect] + (" that answers with such a rule" if limit.proper else "")
    return f"No {who} can {less}."


def question_text(plan: PlanTable) -> str:
    """The question as a sentence."""
    question = plan.question
    parts = []
    if question.kind != "needed" and question.asked.records is not None:
        parts.append(f"{question.asked.records:,} records")
    if question.asked.error is not None:
        parts.append(f"error {plain(question.asked.error)}")
    if question.asked.epsilon is not None:
        parts.append(f"epsilon {plain(question.asked.epsilon)}")
    parts.append(f"failure {plain(question.asked.failure)}")
    if question.asked.delta:
        parts.append(f"delta {plain(question.asked.delta)}")
    if question.asked.noise is not None:
        parts.append(f"best error at most {plain(question.asked.noise)}")
    what = {
        "needed": "Records needed for",
        "reachable": "Error that is proved for",
        "smallest_epsilon": "Smallest epsilon for",
    }[question.kind]
    if bound_missing(question) is not None:
        what = "What can be said of"
    subject = (
        f"a released table that answers {question.asked.concepts}"
        if question.asked.release
        else short_word(question.asked.concepts)
    )
    return f"{what} {subject}: {', '.join(parts)}"


def _left_out(plan: PlanTable) -> list[str]:
    left = len(plan.answers) - len(visible_answers(plan))
    ways = f"{left} further way{'s' * (left > 1)} need" + ("" if left > 1 else "s")
    return [f"{ways} records without labels: say how many you have with --unlabelled."] if left else []


def notes(plan: PlanTable) -> list[str]:
    """How large classes of many tests are, and what the rules lie on; and which
    theorems prove the rows: a line each."""
    first = _left_out(plan) + _less_spent(plan) + _assumptions(plan)
    return first + _sizes(plan) + grid_notes(plan) + _theorems(plan)


def _less_spent(plan: PlanTable) -> list[str]:
    """Which numbers of the table are proved with less than the epsilon that was allowed."""
    less = [row for row in visible_answers(plan) if row.spent < row.wish.epsilon]
    names = "; ".join(f"{row_names(plan, [row])}, learnt with epsilon {plain(row.spent)}" for row in less)
    return [f"Proved with a smaller epsilon than was allowed: {names}"] if less else []


def _assumptions(plan: PlanTable) -> list[str]:
    """What is taken for granted of columns that were only counted."""
    is_counted = plan.question.subject.counted and any(
        row.concepts.cells or row.concepts.table or row.concepts.groups for row in plan.answers
    )
    text = "A column is taken to have 2^32 values, as one of real numbers has; --bits B or a schema say otherwise"
    return [text] if is_counted else []


def _theorems(plan: PlanTable) -> list[str]:
    """Where the numbers are proved."""
    visible = visible_answers(plan)
    if not visible:
        return []
    by_source: dict[str, list[Answer]] = {}
    for row in visible:
        by_source.setdefault(row.option.source, []).append(row)
    proofs = "; ".join(f"{key}: {row_names(plan, rows)}" for key, rows in by_source.items())
    floors = _key_list(
        f"{row.floor_source} ({number_text(row.floor, up=False)})" for row in visible if row.floor
    )
    below = f". What is impossible: {floors}" if floors else ""
    return [f"Theorems that prove the rows (privpac theorems KEY shows one): {proofs}{below}"]


def _key_list(keys: Iterable[str | None]) -> str:
    return ", ".join(dict.fromkeys(key for key in keys if key))


def grid_notes(plan: PlanTable) -> list[str]:
    """What the promise is against, where it is not all that a reader may have in mind; and what runs instead."""
    lines = []
    for word, facts in {row.concepts.word: row.concepts for row in plan.answers if row.concepts.grid}.items():
        lines.append(f"Grid of {word}: {facts.grid}")
        most = most_box_records(facts.groups) if facts.groups else None
        beyond = [row for row in _headline_first(plan) if row.concepts.word == word]
        needs = [row.need.labelled for row in beyond if most is not None and row.need.labelled > most]
        if needs:
            lines.append(
                f"Sums over all boxes of {word} are done for at most {most:,} records; for {needs[0]:,} use a coarser"
                f" grid: --concepts {coarser_word(facts, needs[0])}"
            )
    return lines


def _headline_first(plan: PlanTable) -> list[Answer]:
    return sorted(plan.answers, key=lambda row: row is not plan.headline)


def _sizes(plan: PlanTable) -> list[str]:
    """Trees and lists are as many as their tests allow, which nobody has in mind."""
    by_word = {row.concepts.word: row.concepts for row in plan.answers if row.concepts.tests}
    if not by_word:
        return []
    tests = max(facts.tests or 0 for facts in by_word.values())
    each = ", ".join(f"2^{facts.bits:.1f} ({word})" for word, facts in sorted(by_word.items()))
    return [f"Rules to choose from, on {tests:,} yes-or-no tests: {each}"]


def plan_text(plan: PlanTable) -> str:
    """For `print` in Python; the command line lays its table out by itself."""
    lines = [question_text(plan), ""]
    if plan.expected is not None:
        lines += [*plan.expected.lines, ""]
    if plan.simulated is not None:
        lines += [*plan.simulated.lines, ""]
    if summary := in_short(plan):
        lines += [summary, ""]
    lines += _table_lines(visible_table(plan)) if plan.answers else []
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
