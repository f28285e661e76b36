"""One self-contained HTML page about a model: no script, no request, no private data.

It is made from the model alone, so whoever may see the model may see the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from privpac.concepts.trees.tree import Tree
from privpac.constructions.estimates.confusion import CONFIDENCE, Confusion
from privpac.constructions.estimates.folding import fold
from privpac.constructions.estimates.share import asks_for_interval
from privpac.data.columns import Column, Date, Numeric
from privpac.guarantee.certificate import SEED_WARNING
from privpac.pictures.ranks import ranks_picture
from privpac.report.derivation import Step
from privpac.report.lines import LEFT, RIGHT, WIDTH
from privpac.report.meaning import buys_rate, does_not_mean, means, shares_in_words, taken_for_granted
from privpac.report.pictures import picture
from privpac.report.sql import sql_text
from privpac.report.subject import Subject
from privpac.report.summary import OF_USE, accuracy_facts, believed, columns_alone, costs_text, no_accuracy
from privpac.theory.statements import REGISTER

__all__ = [
    "TITLES",
    "confusion_table",
    "estimate_figure",
    "figures_list",
    "headline",
    "html_page",
    "ranks_figure",
    "report_html",
    "values_of",
]

NOTHING = (
    "default-src 'none'; style-src 'unsafe-inline'"  # no request, no script, whatever a column is called
)
MOST_COLUMNS = 500  # of the schema that are listed

TITLES = {rule: (statement.title, statement.source) for rule, statement in REGISTER.items()}
"""What stands behind each rule of a derivation."""

Rows = Sequence[tuple[str, str]]


def report_html(model: Subject, *, budget: Rows = ()) -> str:
    """The page as text; `budget` is what a ledger says of everything together, in rows of a name and a text."""
    parts = [part(model) for part in PARTS]
    if budget:
        parts.insert(PARTS.index(_certificate), _budget(budget))
    return html_page(headline(model), "\n".join(parts))


def html_page(title: str, body: str, *, sheet: str = "report.css") -> str:
    """One page that asks for nothing from outside, in the style of one of our sheets."""
    style = files("privpac.report").joinpath(sheet).read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{NOTHING}">\n'
        f"<title>{escape(title)} · privpac</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def headline(model: Subject) -> str:
    """The rule itself if it is one line, else what kind of thing it is."""
    lines = model.describe().splitlines()
    if len(lines) == 1:
        return lines[0]
    return model.hypothesis.title or f"A {model.hypothesis.to_json()['kind']} of {len(lines)} lines"


def _section(title: str, *parts: str) -> str:
    return f"<section>\n<h2>{escape(title)}</h2>\n" + "\n".join(parts) + "\n</section>"


def _items(texts: Sequence[str]) -> str:
    return '<ul class="plain">' + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def _header(model: Subject) -> str:
    tree = model.certificate
    records = (tree["request"] or tree)["labelled"]  # those kept aside for the estimate included
    facts = [("epsilon", tree["epsilon"]), ("delta", tree["delta"]), ("records", f"{records:,}")]
    facts.insert(0, ("of use", model.verdict.useful.value))
    items = "".join(f"<li><span>{escape(n)}</span><strong>{escape(str(v))}</strong></li>" for n, v in facts)
    warning = (
        f'\n<section class="warning">{escape(SEED_WARNING)}.</section>' if tree["coins"] != "system" else ""
    )
    return (
        f'<header>\n<p class="over">A certified private rule for {escape(model.schema.label_called)}</p>\n'
        f'<h1>{escape(headline(model))}</h1>\n<ul class="facts">{items}</ul>\n</header>{warning}'
    )


def _verdict(model: Subject) -> str:
    """Whether it is of use: the same words as everywhere."""
    first, *rest = model.verdict.lines
    more = "".join(f"<p>{escape(line)}</p>" for line in rest)
    return _section(OF_USE, f"<p><strong>{escape(first)}</strong></p>{more}")


def _rule(model: Subject) -> str:
    note = "A value beyond a column's bounds counts as the nearest bound." if _has_bounds(model) else ""
    return _section(
        "The rule",
        f"<figure>{picture(model.hypothesis, model.schema, leaf_counts=model.leaf_counts)}</figure>",
        f'<p class="soft">{note}</p>',
        _costs(model) + _alone(model),
        _beyond(model),
        _leaf_counts(model),
        f"<details><summary>The rule as text and as SQL</summary><pre>{escape(model.describe())}</pre>"
        f"<pre>{escape(sql_text(model))}</pre></details>",
    )


def _costs(model: Subject) -> str:
    costs = costs_text(model)
    return f"<p>Price of misjudging a record of each class: {escape(costs)}.</p>" if costs else ""


def _alone(model: Subject) -> str:
    advice = columns_alone(model)
    return f'<p class="soft">{escape(advice)}</p>' if advice else ""


def _beyond(model: Subject) -> str:
    """That the picture of a large tree is not all of it."""
    tree = model.hypothesis
    if not isinstance(tree, Tree) or not fold(tree, model.leaf_counts, model.schema).beyond:
        return ""
    size = sum(1 for _ in tree.leaves())
    return (
        f'<p class="soft">The rule has {size} leaves. What a page does not hold is folded in the picture'
        f"{'' if model.leaf_counts is None else ', branches with the fewest records first'}; the text below has all"
        " of it.</p>"
    )


def _leaf_counts(model: Subject) -> str:
    if model.leaf_counts is None:
        return ""
    leaves = escape(model.describe_leaves(whole=True))
    return (
        f"<details><summary>How many records arrive where</summary><pre>{leaves}</pre>"
        f'<p class="soft">Counts of {model.leaf_counts.records:,} records, each with noise.</p></details>'
    )


def _has_bounds(model: Subject) -> bool:
    return any(isinstance(model.schema.column(name), Numeric | Date) for name in model.hypothesis.columns)


def _accuracy(model: Subject) -> str:
    tree = model.certificate
    parts = []
    if model.estimate is not None:
        parts += [estimate_figure(model.estimate)] if asks_for_interval(tree["request"]) else []
        parts.append(figures_list(model))
        parts.append(confusion_table(model.estimate, model.schema.class_names))
    parts += [ranks_figure(model)]
    if advice := believed(model):
        parts.append(f"<p>{escape(advice)}</p>")
    facts = accuracy_facts(model)
    parts.append(
        "<h3>Proved before any record was seen</h3>" if facts else "<h3>What is proved of errors</h3>"
    )
    if facts:
        parts.append(_items(facts))
        parts.append('<p class="soft">If the records are independent draws from what is to be predicted.</p>')
        if "grid" in tree["learner"]:
            parts.append(f"<p>Grid: {escape(tree['learner']['grid'])}.</p>")
    else:
        parts.append(f"<p>{escape(no_accuracy(tree))}</p>")
    return _section("How accurate it is", *parts)


def estimate_figure(estimate: Confusion) -> str:
    """The estimated accuracy and its interval, as a picture."""
    if not estimate.tells:
        return f"<p>{escape(str(estimate))} {escape(estimate.remedy)}</p>"
    low, high, middle = (float(v) for v in (estimate.low, estimate.high, estimate.accuracy))
    ends = {name: LEFT + value * (RIGHT - LEFT) for name, value in (("low", low), ("high", high))}
    dot = LEFT + middle * (RIGHT - LEFT)
    ticks = "".join(
        f'<text class="ticklabel" x="{LEFT + t / 4 * (RIGHT - LEFT):.1f}" y="48" text-anchor='
        f'"{"start" if t == 0 else "end" if t == 4 else "middle"}">{t * 25} %</text>'
        for t in range(5)
    )
    words = f"accuracy {middle:.1%}, between {low:.1%} and {high:.1%}"
    where = "on records kept aside" if estimate.holdout else "on the records it was learnt from"
    return (
        f'<figure><svg viewBox="0 0 {WIDTH:.0f} 54" role="img" aria-label="{words}">'
        f'<rect class="rail" x="{LEFT}" y="14" width="{RIGHT - LEFT}" height="12" rx="6"/>'
        f'<rect class="range" x="{ends["low"]:.1f}" y="14" width="{max(2.0, ends["high"] - ends["low"]):.1f}"'
        f' height="12" rx="6"/><circle class="dot" cx="{dot:.1f}" cy="20" r="7"/>{ticks}</svg>'
        f"<figcaption>About {middle:.1%} right, between {low:.1%} and {high:.1%} with {float(CONFIDENCE):.0%}"
        f" confidence, measured {where}. The interval allows {float(estimate.noise):.1%} either way for the"
        f" noise that keeps it private and {float(estimate.sampling):.1%} for chance."
        f" {escape(estimate.remedy)}</figcaption></figure>"
    )


def figures_list(model: Subject) -> str:
    """What the noisy counts say besides the accuracy, as an HTML list; empty without an estimate."""
    return "" if model.figures is None else _items(model.figures.lines())


def ranks_figure(model: Subject) -> str:
    """How well the rule ranks and whether its risks are kept, in words and as a picture; empty without counts."""
    if model.ranks is None:
        return ""
    drawing = ranks_picture(model.ranks, model.schema.label_called)
    figure = "" if drawing is None else f'<figure class="scroll">{drawing.svg(alone=False)}</figure>'
    return figure + _items(model.ranks.lines())


def confusion_table(estimate: Confusion, classes: Sequence[str]) -> str:
    """The noisy counts by true and predicted class, as an HTML table."""
    head = "".join(f'<th scope="col">predicted {escape(name)}</th>' for name in classes)
    rows = ""
    for true, (name, counts) in enumerate(zip(classes, estimate.counts, strict=True)):
        cells = "".join(
            f'<td class="right">{count:,}</td>' if true == column else f"<td>{count:,}</td>"
            for column, count in enumerate(counts)
        )
        rows += f'<tr><th scope="row">truly {escape(name)}</th>{cells}</tr>'
    return (
        f'<div class="scroll"><table class="confusion"><thead><tr><th></th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
        f'<p class="soft">Counts of {estimate.records:,} records, each with noise: they need not add up.</p>'
    )


def _certificate(model: Subject) -> str:
    tree = model.certificate
    lines = [f"Assumes that {text}." for text in tree["assumptions"]]
    parts = [_items(lines)] if lines else ["<p>It assumes nothing about the values in the records.</p>"]
    grounds = taken_for_granted(tree, model.schema)
    parts += ["<h3>Taken for granted, and checked by nobody</h3>", _items(grounds)]
    parts += ["<h3>Privacy</h3>", _proofs([tree["privacy"]])]
    for proof in tree.get("also", ()):
        parts += [
            f"<h3>Privacy, for those who know: {escape(proof['fact']['release'])}</h3>",
            _proofs([proof]),
        ]
    if tree["accuracy"]:
        parts += ["<h3>Accuracy</h3>", _proofs(tree["accuracy"])]
    return _section("The certificate, and why it holds", *parts)


def _proofs(trees: Sequence[Mapping[str, Any]]) -> str:
    return _steps([Step.of(tree, TITLES) for tree in trees])


def _steps(steps: Sequence[Step]) -> str:
    """A derivation as a nested list: the fact first, its reasons below."""
    return '<ul class="proof">' + "".join(f"<li>{_step(step)}</li>" for step in steps) + "</ul>"


def _step(step: Step) -> str:
    name = f"{step.title} ({step.source})" if step.source else step.title
    where = ", ".join(" ".join(words) for words in step.where)
    assumptions = "".join(f'<span class="why">assuming that {escape(text)}</span>' for text in step.assumes)
    below = _steps(step.premises) if step.premises else ""
    return (
        f'<span class="fact">{escape(step.fact)}</span>'
        f'<span class="why">by: {escape(f"{name}; {where}" if where else name)}</span>{assumptions}{below}'
    )


def _meaning(model: Subject) -> str:
    return _section(
        "What the guarantee means",
        _items(means(model.certificate)),
        "<h3>What it does not mean</h3>",
        _items(does_not_mean(model.certificate)),
    )


def _budget(rows: Rows) -> str:
    table_rows = "".join(f'<tr><th scope="row">{escape(n)}</th><td>{escape(v)}</td></tr>' for n, v in rows)
    return _section(
        "Everything together",
        "<p>What counts for a person is the total over all releases from the same records. The ledger said, when this"
        " page was written:</p>",
        f'<div class="scroll"><table><tbody>{table_rows}</tbody></table></div>',
    )


def _verify(model: Subject) -> str:
    return _section(
        "How to verify it",
        "<p>Whoever has the model file can derive its privacy loss and what is proved of its accuracy again, without"
        " the records. The rule, the estimates and all counts were drawn by chance, and cannot be derived:</p>",
        "<pre>privpac verify FILE</pre>",
        '<p class="soft">It compares the digest below, re-checks the derivation step by step with arithmetic'
        " of its own, and makes the certificate anew from the public parameters. The digest shows accidental"
        " changes; it does not prove who made the file.</p>",
    )


def _schema(model: Subject) -> str:
    columns = model.schema.columns
    rows = "".join(
        f'<tr><th scope="row">{escape(column.name)}</th><td>{column.kind}</td>'
        f"<td>{escape(values_of(column))}</td></tr>"
        for column in columns[:MOST_COLUMNS]
    )
    left = len(columns) - MOST_COLUMNS
    more = f'<p class="soft">and {left} more.</p>' if left > 0 else ""
    origin = "read from the data" if model.schema.origin == "from_data" else "declared by whoever made it"
    rate = shares_in_words(model.schema)
    source = (
        "bought with a share of epsilon" if buys_rate(model.certificate) else "declared as public knowledge"
    )
    base_rate = f" Base rate of the classes, {source}: {escape(rate)}." if rate else ""
    return _section(
        "What was public",
        f"<p>The number of records, the parameters in the certificate, and this description of the table,"
        f" {origin}: {len(columns)} columns; label {escape(_label(model))} with the classes"
        f" {escape(', '.join(model.schema.classes_in_words))}.{base_rate}</p>",
        '<details><summary>All columns</summary><div class="scroll"><table><thead><tr><th>column</th>'
        f"<th>kind</th><th>values</th></tr></thead><tbody>{rows}</tbody></table></div>{more}</details>",
    )


def _label(model: Subject) -> str:
    label, title = model.schema.label, model.schema.label_title
    return label if title is None else f"{label} ({title})"


def values_of(column: Column) -> str:
    """What people call a column if that is not its name, and its allowed values, in words."""
    values = column.values_in_words()
    return values if column.title is None else f"{column.title}: {values}"


def _footer(model: Subject) -> str:
    return (
        f"<footer><p>Model format privpac-model/2, written by privpac {escape(model.version)}.<br>"
        f"<code>{escape(model.to_json()['digest'])}</code></p></footer>"
    )


PARTS: tuple[Callable[[Subject], str], ...] = (
    _header,
    _rule,
    _verdict,
    _accuracy,
    _meaning,
    _certificate,
    _verify,
    _schema,
    _footer,
)
"""The page from top to bottom."""
