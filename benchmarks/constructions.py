"""Every construction on every class, at the size that is planned for it: seconds, or the public reason why not.

`python -m benchmarks.constructions` measures what is missing or was planned at another size, and writes
benchmarks/results/constructions.json and docs/reference/constructions.md; `--all` measures everything anew. Nothing may
be charged and then refused: such a cell ends the run.
"""

from __future__ import annotations

import argparse
import json
import shlex
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from privpac import Ledger, PrivatePredictor, PrivateQuery, Schema, Size, learn, plan, release_table
from privpac.coins import SeededCoins
from privpac.concepts.finite import Finite
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Occam
from privpac.constructions.prediction.net_relabelled import NetRelabelled
from privpac.constructions.prediction.relabelled_vote import RelabelledVote
from privpac.constructions.prediction.vote import Vote
from privpac.constructions.prediction.voters import Concepts
from privpac.constructions.request import Request
from privpac.constructions.stable.stable import Stable
from privpac.constructions.words import learner_for
from privpac.constructions.wrappers.calibrate import calibrate, calibrate_agnostic
from privpac.constructions.wrappers.confidence import Confidence
from privpac.constructions.wrappers.sampling import Subsampled
from privpac.data.engines.memory import MemorySample
from privpac.errors import PrivpacError
from privpac.planning.table import Row
from privpac.request import LearnRequest

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "constructions.json"
FAILURES = ROOT / "benchmarks" / "results" / "failures.json"
PAGE = ROOT / "docs" / "reference" / "constructions.md"

ERROR, EPSILON, DELTA = Fraction(1, 5), Fraction(1), Fraction(1, 10**6)
STABLE_DELTA = Fraction(1, 10)
"""The share of records that the stable learner looks at."""
MOST_RECORDS = 2_500_000
"""Tables of more records are not made here."""
MOST_LISTED = 1_000_000
"""Lists of rules are tried on fewer: every voter looks at every rule."""
TRIED = Size(2_000, 20_000)
"""Where nothing is planned: the records that are offered all the same, to hear why not."""


def _numeric(name: str, cells: int) -> dict[str, Any]:
    return {"name": name, "kind": "numeric", "lower": 0, "upper": cells - 1, "integer": True}


LINE = Schema.from_json(
    {"label": "y", "columns": [_numeric("c", 2**16), _numeric("d", 2**8), _numeric("e", 2**8)]}
)
BITS = Schema.from_json({"label": "y", "columns": [{"name": f"b{i}", "kind": "boolean"} for i in range(60)]})


def _members() -> Finite:
    """Ten thousand sets of the 256 values of a column: by remainders, from somewhere on."""
    cells = np.arange(2**8)
    rows = [
        (cells * (2 * k + 1) % 257 >= start).astype(int) for k in range(100) for start in range(2, 202, 2)
    ]
    return Finite.of_matrix(Schema.from_json({"label": "y", "columns": [_numeric("d", 2**8)]}), "d", rows)


@dataclass(frozen=True)
class Class:
    """A class of the table: by its word, or as an object."""

    name: str
    schema: Schema
    word: str = ""
    concepts: Finite | None = None

    @property
    def named(self) -> str | Finite:
        return self.word if self.concepts is None else self.concepts


def classes() -> tuple[Class, ...]:
    """What the table has columns for."""
    finite = _members()
    return (
        Class("thresholds", LINE, "thresholds:c"),
        Class("intervals", LINE, "intervals:c"),
        Class("unions of 2", LINE, "unions:c:2"),
        Class("stumps", LINE, "stumps"),
        Class("boxes, 2", LINE, "rectangles:c,d"),
        Class("boxes, 3", LINE, "rectangles:c,d,e"),
        Class("boxes, 3, in 32 groups", LINE, "rectangles:c,d,e:32"),
        Class("half-planes", LINE, "halfspaces:c,d"),
        Class("trees, 60 tests", BITS, "trees:2"),
        Class("10,000 members", finite.schema, concepts=finite),
    )


@dataclass(frozen=True)
class Cell:
    """One construction on one class: what it needs, and its seconds or the reason why it was refused."""

    construction: str
    protects: str
    of: str
    labelled: int = 0
    unlabelled: int = 0
    seconds: float | None = None
    reason: str = ""
    perfect: bool = False
    """Whether that is planned for a rule that is right, as more records are refused."""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.construction, self.protects, self.of


class ChargedInVainError(Exception):
    """Something was charged and then refused."""


WORDS = {"subsampled": Fraction(0), "confident": Fraction(0), "stable": STABLE_DELTA}
"""Words around words that no row of a plan names, and their delta: planned by their certificates."""

UNPLANNED: dict[str, Callable[[str], dict[str, Any]]] = {
    "occam": lambda word: {"concepts": word},
    "agnostic": lambda word: {"concepts": f"agnostic:{word}"},
    "label-boost": lambda word: {"concepts": word, "method": "boost"},
    "ssl-relabel": lambda word: {"concepts": word, "method": "relabel"},
    "generic-learner": lambda word: {"concepts": word, "method": "generic"},
    "labels": lambda word: {"concepts": word, "protect": "labels"},
    "vote": lambda word: {"answers": f"predict-by-vote:{word}"},
    "flipped-answers": lambda word: {"answers": word},
    "relabelled-vote": lambda word: {"answers": f"predict-by-relabelling:{word}"},
    "net-relabelled": lambda word: {"answers": f"predict-by-net:{word}"},
    "active": lambda word: {"asked": word},
}
"""What is asked for where no row of a plan prints a command."""


GROUPS = ("records", "labels", "predictions", "release")
"""What a construction hides; a release hides records too, and is a table instead of a rule."""

RELEASED = ("thresholds", "intervals")
"""Classes whose queries a released column answers."""


def constructions(shown: tuple[Class, ...]) -> list[tuple[str, str]]:
    """Rows that serve one of the classes, and whom they protect; settings of one name are run alike."""
    rows: dict[tuple[str, str], None] = {}
    for one in shown:
        for protect in GROUPS:
            rows.update(dict.fromkeys((called(row), protect) for row in rows_of(one, protect)))
    rows.update(dict.fromkeys((word, "records") for word in WORDS))
    order = list(dict.fromkeys(name for name, _ in rows))
    return sorted(rows, key=lambda row: (GROUPS.index(row[1]), order.index(row[0])))


CALLED = {
    "coded-points": "reed-solomon-points",
    "covered-points": "pairwise-cover",
    "sparse-points": "sparse-sets",
    "recconcave": "rec-concave",
    "generic": "generic-learner",
    "fresh-draws": "flipped-answers",
    "all-records-relabelled": "net-relabelled",
    "point-histogram": "histogram",
}
"""What the page calls learners, where certificates have another name."""


def called(row: Row) -> str:
    """The construction of a row, as the page calls it."""
    return "labels" if row.way.protects == "labels" else CALLED.get(row.learner, row.learner)


def rows_of(one: Class, protect: str) -> list[Row]:
    """The rows of a plan for exactly this class."""
    if not one.word or (protect == "release" and one.name not in RELEASED):
        return []
    return _planned_rows(one.word, one.schema, protect)


UNLABELLED = 1_000_000
"""Records without labels at hand."""


@cache
def _planned_rows(word: str, schema: Schema, protect: str) -> list[Row]:
    release = protect == "release"
    hides = "records" if release else protect
    more: dict[str, Any] = {"unlabelled": UNLABELLED} if protect == "records" else {}
    asked = plan.needed(
        word, schema=schema, error=ERROR, epsilon=EPSILON, delta=DELTA, protect=hides, release=release, **more
    )
    return [row for row in asked.rows if row.way.protects == hides]


def planned(
    one: Class, construction: str, protect: str, *, least: bool = False
) -> tuple[Size, dict[str, Any]] | None:
    """The size that suffices and what to ask for; None where nothing is planned for this class. Of several rows the
    largest, which is for any records, or the `least`, for a rule that is right."""
    rows = [row for row in rows_of(one, protect) if called(row) == construction]
    if rows:
        row = (min if least else max)(rows, key=lambda row: row.records)
        return Size(row.records, row.unlabelled), _wishes(row.command)
    if construction in WORDS and one.word:
        word, delta = f"{construction}:{one.word}", WORDS[construction]
        n = _enough(
            lambda size: learner_for(
                word, Request(one.schema, size, LearnRequest(epsilon=EPSILON, delta=delta))
            )
        )
        return None if n is None else (Size(n), {"concepts": word, "delta": delta})
    return None


def _wishes(command: str) -> dict[str, Any]:
    words = shlex.split(command)
    options = dict(pairwise(words))
    if words[1] == "release":
        return {
            "release": options["--method"],
            "column": options["--column"],
            "error": options["--error"],
            "delta": options.get("--delta", "0"),
        }
    if words[1] == "active":
        return {"asked": options["--concepts"], "labels": int(options["--labels"])}
    if options.get("--protect") == "predictions":
        return {"answers": options["--concepts"]}
    wishes: dict[str, Any] = {
        "concepts": options["--concepts"],
        "delta": options.get("--delta", "0"),
        "protect": options.get("--protect", "records"),
    }
    return wishes | ({"method": options["--method"]} if "--method" in options else {})


def _enough(make: Callable[[Size], Learner]) -> int | None:
    """About the fewest records whose certificate promises the error; None if nothing is promised of this class."""

    def promised(n: int) -> bool:
        size = Size(n)
        return any(proof.fact.error <= ERROR for proof in make(size).certify(size).accuracy)

    try:
        high = next((100 << k for k in range(15) if promised(100 << k)), None)
        low = None if high is None else high // 2
        while high is not None and low is not None and high - low > high // 50:
            middle = (low + high) // 2
            low, high = (low, middle) if promised(middle) else (middle, high)
    except PrivpacError:
        return None
    return high


def _table(schema: Schema, records: int, *, first: int = 0) -> tuple[dict[str, Any], list[int]]:
    """Columns with as many values as there are cells, and labels that some rule of every class gives."""
    places = np.arange(first, first + records, dtype=np.int64)
    if schema is BITS:
        mixed = (places * 2654435761) % 2**31
        table: dict[str, Any] = {name: (mixed >> (i % 31)) & 1 for i, name in enumerate(schema.names)}
        return table, table["b0"].tolist()
    steps = {"c": (40503, 2**16), "d": (167, 2**8), "e": (91, 2**8)}
    table = {name: places * steps[name][0] % steps[name][1] for name in schema.names}
    cut = 30_000 if "c" in table else 100
    return table, (table[schema.names[0]] >= cut).astype(int).tolist()


def measured(one: Class, size: Size, wishes: dict[str, Any]) -> tuple[float | None, str]:
    """Processor seconds of a whole run, with ledger, certificate and verification; or the refusal."""
    ledger = Ledger(epsilon=1000, delta="0.9", reserved_delta="0.9")
    table, labels = _table(one.schema, size.labelled)
    further = _table(one.schema, size.unlabelled, first=size.labelled)[0] if size.unlabelled else None
    start = time.process_time()
    try:
        _run(one, table, labels, further, ledger, dict(wishes))
    except PrivpacError as refusal:
        if ledger.spent.epsilon:
            raise ChargedInVainError(f"{one.name}: {wishes}: {refusal}") from refusal
        return None, " ".join(str(refusal).split())
    return time.process_time() - start, ""


def _run(
    one: Class, table: Any, labels: list[int], further: Any, ledger: Ledger, wishes: dict[str, Any]
) -> None:
    if "asked" in wishes:
        _ask(one, table, labels, further, ledger, wishes)
    elif "release" in wishes:
        release_table(
            table | {"y": labels},
            schema=one.schema,
            columns=wishes["column"],
            epsilon=EPSILON,
            method=wishes["release"],
            error=wishes["error"],
            delta=wishes["delta"],
            ledger=ledger,
            random_state=1,
        )
    elif "answers" in wishes:
        base = wishes["answers"]
        predictor = PrivatePredictor(base, EPSILON, ledger, schema=one.schema, random_state=1)
        predictor.fit(table, y=labels)
        predictor.predict({name: values[:2] for name, values in table.items()})
    else:
        extra = {"unlabelled": further} if "method" in wishes else {}
        learn(
            table,
            y=labels,
            schema=one.schema,
            epsilon=EPSILON,
            ledger=ledger,
            random_state=1,
            **wishes,
            **extra,
        )


def _ask(
    one: Class, table: Any, labels: list[int], further: Any, ledger: Ledger, wishes: dict[str, Any]
) -> None:
    both = {name: np.concatenate((values, further[name])) for name, values in table.items()}
    query = PrivateQuery(
        wishes["asked"],
        schema=one.schema,
        epsilon=EPSILON,
        labels=wishes.get("labels", 100),
        method="plain",
        ledger=ledger,
        random_state=1,
    )
    told = np.full(len(both[one.schema.names[0]]), -1)
    asked = query.query(both, told)
    told[asked] = np.array(_table(one.schema, len(told))[1])[asked]
    query.fit(both, told)


def cell(one: Class, construction: str, protect: str, known: Cell | None, *, anew: bool) -> Cell:
    """The cell as it is now; measured again only where the plan has changed."""
    blank = Cell(construction, protect, one.name)
    if not one.word:
        return _of_object(one, blank, known, anew=anew)
    found = planned(one, construction, protect)
    if found is None:
        return _unplanned(one, blank)
    row = _planned_cell(one, blank, found, known, anew=anew)
    other = planned(one, construction, protect, least=True)
    if row.seconds is not None or other is None or other == found:
        return row
    smaller = _planned_cell(one, replace(blank, perfect=True), other, known, anew=anew)
    return smaller if smaller.seconds is not None else row


def _planned_cell(
    one: Class, blank: Cell, found: tuple[Size, dict[str, Any]], known: Cell | None, *, anew: bool
) -> Cell:
    size, wishes = found
    blank = replace(blank, labelled=size.labelled, unlabelled=size.unlabelled)
    if size.total > MOST_RECORDS:
        return replace(blank, reason=f"{size.total:,} records are more than the tables made here have")
    same = known is not None and (known.labelled, known.unlabelled) == (size.labelled, size.unlabelled)
    if same and known is not None and known.seconds is not None and not anew:
        return known
    seconds, reason = measured(one, size, wishes)
    return replace(blank, seconds=seconds, reason=reason)


def _whom(blank: Cell) -> str:
    names = [name for name, word, schema in NAMES if _serves(blank, word, schema)]
    return f"{blank.construction} is for {' and '.join(names)}"


def _unplanned(one: Class, blank: Cell) -> Cell:
    """Why nothing is planned: what the construction itself says, or whom it is for."""
    if blank.construction in WORDS:
        wishes: dict[str, Any] = {
            "concepts": f"{blank.construction}:{one.word}",
            "delta": WORDS[blank.construction],
        }
    elif blank.construction in UNPLANNED:
        wishes = UNPLANNED[blank.construction](one.word)
    else:
        return replace(blank, reason=_whom(blank))
    _, reason = measured(one, TRIED, wishes)
    return replace(blank, reason=reason or "it runs, but no size is planned for it")


NAMES = (("thresholds", "thresholds:c", LINE), ("intervals", "intervals:c", LINE))
"""Classes that a construction may be made for."""


def _serves(blank: Cell, word: str, schema: Schema) -> bool:
    return any(called(row) == blank.construction for row in _planned_rows(word, schema, blank.protects))


OBJECTS: dict[tuple[str, str], dict[str, Any]] = {
    ("occam", "records"): {},
    ("label-boost", "records"): {"method": "boost"},
    ("ssl-relabel", "records"): {"method": "relabel"},
    ("generic-learner", "records"): {"method": "generic"},
    ("labels", "labels"): {"protect": "labels"},
    ("flipped-answers", "predictions"): {"answers": lambda concepts, _: concepts},
    ("vote", "predictions"): {"answers": lambda concepts, _: Vote(Concepts(concepts), EPSILON, 5)},
    ("relabelled-vote", "predictions"): {
        "answers": lambda concepts, n: RelabelledVote.planned(concepts, EPSILON, records=n)
    },
    ("net-relabelled", "predictions"): {
        "answers": lambda concepts, n: NetRelabelled.planned(concepts, EPSILON, records=n)
    },
    ("active", "records"): {"asked": True},
}
"""What takes a class as an object, besides a word."""

LEARNERS: dict[str, Callable[[Finite, Size], Learner]] = {
    "agnostic": lambda concepts, size: calibrate_agnostic(
        lambda inner: Occam(concepts, inner), size=size, epsilon=EPSILON
    ),
    "subsampled": lambda concepts, size: calibrate(
        lambda inner: Subsampled(Occam(concepts, inner), size.labelled // 2), size=size, epsilon=EPSILON
    ),
    "confident": lambda concepts, size: Confidence(Occam(concepts, EPSILON), 2, size.labelled // 4, EPSILON),
    "stable": lambda concepts, size: Stable(concepts, int(STABLE_DELTA * size.labelled), EPSILON),
}
"""Learners around such a class, as they are built by hand; what they are given is planned by their certificates."""


def _of_object(one: Class, blank: Cell, known: Cell | None, *, anew: bool) -> Cell:
    assert one.concepts is not None
    wishes = OBJECTS.get((blank.construction, blank.protects))
    if blank.construction in LEARNERS:
        return _by_hand(one.concepts, blank, known, anew=anew)
    if wishes is None:
        return replace(blank, reason=_whom(blank))
    size = TRIED  # plans are made for words
    if "method" in wishes:
        size = Size(size.labelled, TRIED.unlabelled)
    blank = replace(blank, labelled=size.labelled, unlabelled=size.unlabelled)
    if size.total > MOST_LISTED:
        return replace(blank, reason=f"{size.total:,} records are more than lists of rules are tried on here")
    if known is not None and known.seconds is not None and known.labelled == size.labelled and not anew:
        return known
    if "answers" in wishes:
        asked = {"answers": wishes["answers"](one.concepts, size.labelled)}
    elif "asked" in wishes:
        asked = {"asked": one.concepts, "labels": size.labelled}
    else:
        asked = {"concepts": one.concepts, **wishes}
    seconds, reason = measured(one, size, asked)
    return replace(blank, seconds=seconds, reason=reason)


def _by_hand(concepts: Finite, blank: Cell, known: Cell | None, *, anew: bool) -> Cell:
    make = LEARNERS[blank.construction]
    n = _enough(lambda size: make(concepts, size))
    if n is None:
        return replace(blank, reason="nothing is promised for any number of records tried")
    blank = replace(blank, labelled=n)
    if known is not None and known.seconds is not None and known.labelled == n and not anew:
        return known
    table, labels = _table(concepts.schema, n)
    sample, learner = MemorySample.of(table, concepts.schema, y=labels), make(concepts, Size(n))
    learner.certify(Size(n))
    start = time.process_time()
    learner.learn(sample, SeededCoins(1))
    return replace(blank, seconds=time.process_time() - start)


def cells(known: dict[tuple[str, str, str], Cell], *, anew: bool) -> Iterator[Cell]:
    shown = classes()
    for construction, protect in constructions(shown):
        for one in shown:
            yield cell(one, construction, protect, known.get((construction, protect, one.name)), anew=anew)


def stored() -> dict[tuple[str, str, str], Cell]:
    """The cells of the last run."""
    if not RESULTS.exists():
        return {}
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))["cells"]
    return {found.key: found for found in (Cell(**row) for row in rows)}


HIDES = {group: group for group in GROUPS} | {"release": "records, in a table"}


def page(rows: list[Cell]) -> str:
    """The table for people: seconds at the planned size, and the reasons below."""
    names = list(dict.fromkeys(row.of for row in rows))
    reasons = list(dict.fromkeys(row.reason for row in rows if row.seconds is None))
    number = {reason: place for place, reason in enumerate(reasons, 1)}
    lines = [HEAD, "| Hides | Construction | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
    for construction, protect in dict.fromkeys((row.construction, row.protects) for row in rows):
        own = {row.of: row for row in rows if (row.construction, row.protects) == (construction, protect)}
        shown = " | ".join(_shown(own[name], number) for name in names)
        lines.append(f"| {HIDES[protect]} | {construction} | {shown} |")
    lines += ["", "Why not:", "", *(f"{place}. {reason}" for reason, place in number.items()), ""]
    return "\n".join([*lines, WHY, *_failures(), ""])


def _failures() -> list[str]:
    """How often each construction failed at its planned size, beside what is promised."""
    rates = json.loads(FAILURES.read_text(encoding="utf-8"))["rates"]
    rows = [
        f"| {row['construction']} | {row['of']} | {row['labelled']:,} | {row['failures']} of {row['runs']} |"
        f" {row['promised']:.0%} |"
        for row in rates
    ]
    return [
        FAILED,
        "| Construction | Class | Labelled records | Failed | Promised at most |",
        "|---" * 5 + "|",
        *rows,
    ]


WHY = """## Which refusals must stay

**A construction for cuts, on another class.** These are statements about cuts of one column in their papers, not
limits of this program, and no reduction says that other classes could not have something like them. They contain
cuts (fix the other end, the other columns or the other tests), so they never need fewer records.

* `rec-concave` looks for one peak along an order. The mistakes of a cut are quasi-concave along the column; those
  of a range can have two separate peaks, and a box has no order. *Instead*: `occam`.
* `blocks` proposes the middle of a block, which is a cut. *Instead*: `privpac release --method blocks --delta`
  answers all ranges of a column under a delta, and rules can be chosen by them; for rules themselves `occam`.
* `switches` reads a cut off the places where another rule changes its answer, `noisy-cuts` and `denoised-cuts`
  blur a cut and find it again. *Instead*: `occam`.
* `labels` draws a labelling of the records, or a member of the class where there are fewer of them.

**Boxes in 3 columns on all cells.** A draw at a large epsilon finds the box of the largest weight, so sums over
boxes are no easier than that problem. In d columns it takes n^d steps up to lower orders if weighted cliques are
hard (Backurs, Dikkala and Tzamos 2016). The sums here take about k^2·m·n·log(n)/12 steps if the shortest column has k
values and the next one m: n^4 where all values differ, so that a factor of n may still be had. Refused is more than
55·10^9 steps or a gigabyte, counted for the worst records: above 1,147 records on 2^16 x 2^8 x 2^8 cells, which are
enough for error 0.1 at epsilon 1 if some box is right, and above 406 on 2^16 x 2^16 x 2^16. *Instead*: a coarser
grid, as the refusal says, or `trees`.

**The generic learner on half-planes and trees** needs a sanitised table that answers all differences of two rules.
Differences of ranges are ranges; those of half-planes and trees are not, and a general sanitiser lists all small
tables, on these grids more than 2^60. On 10,000 listed rules there are 5·10^7 differences to be asked. *Instead*:
`label-boost` or `ssl-relabel`, which need no sanitiser.

**Too many records.** `net-relabelled` runs on these classes too; tables of several million records are not made
here.
"""


FAILED = """## How often they fail

Made by `python -m benchmarks.failures`: fresh independent records in every run, as many as planned, on a distribution
where one cut of 2^16 is right (for exceptions, two conjunctions of four tests). A rule fails if it errs by more than
planned; a predictor is asked once per run, and fails if its answer is wrong. A released table fails if a threshold
(or a range) is answered worse than promised for the records themselves.
"""


HEAD = f"""# Every construction on every class

Made by `python -m benchmarks.constructions`, not by hand. Each cell is one run of the command that
[a plan](../how-to/choose-epsilon.md) prints for error {float(ERROR):g}, epsilon {float(EPSILON):g} and,
where a delta is of use, 10^-6: the records that are proved to be enough (+ unlabelled ones), and processor seconds from
the table to a verified model, a released table or two answers. A dagger marks what is planned for a rule that is
right, where the records for any labels would be refused. A number in brackets is the public reason below why there
is none: such a cell was refused before anything was charged, and a run ends if one is charged first. Column `c` has
2^16 values, `d` and `e` have 2^8; trees have depth 2 over 60 tests; the stable learner looks at a tenth of the records.
"""


DAGGER = "†"


def _shown(row: Cell, number: dict[str, int]) -> str:
    if row.seconds is None:
        return f"[{number[row.reason]}]"
    more = f" + {row.unlabelled:,}" if row.unlabelled else ""
    return f"{row.labelled:,}{more}{DAGGER if row.perfect else ''}: {row.seconds:.1f} s"


def write(rows: list[Cell]) -> None:
    RESULTS.write_text(
        json.dumps({"cells": [asdict(row) for row in rows]}, indent=1) + "\n", encoding="utf-8"
    )
    PAGE.write_text(page(rows), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="Measure everything anew.")
    parser.add_argument("--page", action="store_true", help="Write the page from the stored results alone.")
    wishes = parser.parse_args()
    if wishes.page:
        PAGE.write_text(page(list(stored().values())), encoding="utf-8")
        return 0
    known, rows = stored(), []
    for row in cells(known, anew=wishes.all):
        rows.append(row)
        print(*row.key, f"{row.seconds:.1f} s" if row.seconds is not None else row.reason, flush=True)
    write(rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
