"""Asking people for labels in a session that can be put away: ask, tell, learn.

A session is a folder: `session.json` (public: settings and schema), `ask.csv` (whom to ask; may be handed out),
`answers.json` and `secret.json` (readable by their owner only). Who was kept without being asked is secret: if
`secret.json` leaks, the larger number holds that the certificate states for those who know the positions kept. No
record is ever stored. A list serves for one rule: two rules from the same people kept would together tell more than
two budgets pay for, so a session that was learnt from says so (`learnt`) and refuses.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from privpac.checker.document import parsed, refuse_earlier
from privpac.coins import Coins, coins_for
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.constructions.few_labels.active import Questions
from privpac.constructions.few_labels.methods import FewLabels, Settings
from privpac.constructions.few_labels.questions import ask_settings
from privpac.constructions.words import Request, concepts_from_json, request_from_json, stored_concepts
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.drafts import whole_file
from privpac.errors import DataError, ParameterError, PrivpacError, SizeError
from privpac.fields import MALFORMED, Malformed, as_list, require, whole, written_whole
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.ledger.ledger import Ledger
from privpac.learning import release_few_labels
from privpac.model import Model
from privpac.releasing import Payment
from privpac.request import FAILURE, AskRequest, LearnRequest

__all__ = ["FORMAT", "Asking"]

FORMAT = "privpac-asking/2"

PUBLIC, LIST, ANSWERS, SECRET = "session.json", "ask.csv", "answers.json", "secret.json"
LEARNT_FILE = "learnt"
RECORD, LABEL = "record", "label"


@dataclass(frozen=True)
class Asking:
    """Who is asked, what they answered so far, and the learner that waits for them."""

    recipe: FewLabels
    questions: Questions
    answers: Mapping[int, int] = field(default_factory=dict, repr=False)
    """Codes of labels by position."""
    coins: str = "system"
    folder: Path | None = field(default=None, compare=False)
    marks: list[bool] = field(default_factory=list, compare=False, repr=False)
    """Holds something once a rule was learnt; shared by the copies `tell` makes."""

    @classmethod
    def start(
        cls,
        records: int,
        *,
        schema: Schema,
        concepts: str | AnyClass,
        epsilon: object = 1.0,
        labels: int | None = None,
        error: object = None,
        failure: object = FAILURE,
        method: str = "auto",
        records_per_person: int = 1,
        random_state: int | None = None,
    ) -> Asking:
        """Choose settings for this many `records` and `labels` (or the fewest that promise `error`), and draw the list.

        Nothing of any record is looked at, and nothing is charged.
        """
        asked = AskRequest.read(
            concepts=concepts,
            epsilon=epsilon,
            labels=labels,
            error=error,
            failure=failure,
            method=method,
            records_per_person=records_per_person,
            owner="Asking",
        )
        return cls.drawn(asked, records, schema=schema, random_state=random_state)

    @classmethod
    def drawn(
        cls, asked: AskRequest, records: int, *, schema: Schema, random_state: int | None = None
    ) -> Asking:
        """As `start`, once the request is read."""
        rule = LearnRequest(
            epsilon=asked.epsilon,
            failure=asked.failure,
            records_per_person=asked.records_per_person,
        )
        request = Request(schema, Size(0, unlabelled=records), rule)
        settings = ask_settings(
            asked.concepts, request, labels=asked.labels, error=asked.error, method=asked.method
        )
        recipe = _recipe(asked.concepts, request, settings)
        recipe.certify()  # what nobody can certify is refused before anybody is asked
        coins = coins_for(random_state)
        assert recipe.active is not None
        return cls(recipe, recipe.active.ask(coins), coins=coins.origin)

    @property
    def certificate(self) -> Certificate:
        """What will be promised for the rule, signed with the coins of this session."""
        return self.recipe.certify().with_coins(self.coins)

    @property
    def asked(self) -> tuple[int, ...]:
        """Positions to label, from 0, in ascending order: the list that may be handed out."""
        return tuple(sorted(self.questions.asked))

    @property
    def waiting(self) -> tuple[int, ...]:
        """Those asked whose label is still missing."""
        return tuple(position for position in self.asked if position not in self.answers)

    def tell(self, answers: Mapping[int, object]) -> Asking:
        """The same session with these labels, as the schema writes them, by position; again is a correction."""
        strangers = set(answers) - set(self.questions.asked)
        if strangers:
            raise DataError(
                f"{len(strangers)} of {len(answers)} answers are about records that were not asked.",
                remedy="Answer for the records of the list only; it counts records from 1.",
            )
        positions = list(answers)
        codes = self.recipe.request.schema.label_cells([answers[position] for position in positions])
        codes_by_position = dict(zip(positions, codes.tolist(), strict=True))
        return replace(self, answers={**self.answers, **codes_by_position})

    def learn(self, table: object, *, ledger: Ledger | None = None, random_state: int | None = None) -> Model:
        """The model, from all records (their labels, if the table has any, are not read) and the answers."""
        if self.waiting:
            raise SizeError(
                f"{len(self.waiting)} of {len(self.asked)} labels are missing.",
                remedy="Tell them first; ask.csv of a session in a folder, or `waiting`, says who is still waited for.",
            )
        active = self.recipe.active
        assert active is not None
        sample = MemorySample.of(table, self.recipe.request.schema, labelled=False)
        labels = np.array([self.answers[position] for position in self.questions.asked], dtype=np.uint8)
        active.require(
            sample.size, self.questions, len(labels)
        )  # public numbers, so before anything is used up
        # A list drawn with a known seed makes everything that follows not for release.
        seed = 0 if random_state is None and self.coins != "system" else random_state

        def run(coins: Coins) -> Hypothesis:
            return active.learn(sample, self.questions, labels, coins)

        payment = Payment.by(ledger, random_state=seed)
        self._use_up()
        try:
            return release_few_labels(self.recipe, run, payment=payment, table=table)
        except BaseException:
            if ledger is not None and not payment.charges:
                self._put_back()  # nothing was charged, so nothing was tossed: refused, or interrupted before
            raise

    def _check_unused(self) -> None:
        if self.marks or (self.folder is not None and (self.folder / LEARNT_FILE).exists()):
            raise PrivpacError(
                "A rule was learnt from this list already: who was kept must not serve twice.",
                remedy="Ask anew; labels that were given before may be told again.",
            )

    def _use_up(self) -> None:
        """Durable before the charge: of two programs that learn at once only one may go on."""
        self._check_unused()
        self.marks.append(True)
        if self.folder is not None:
            try:
                os.close(os.open(self.folder / LEARNT_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            except FileExistsError:
                self._check_unused()

    def _put_back(self) -> None:
        self.marks.clear()
        if self.folder is not None:
            (self.folder / LEARNT_FILE).unlink(missing_ok=True)

    # --- the folder ---

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the session; secrets and answers may be read by their owner only.

        From then on the folder says whether the list was used, also for the session in memory, so there is one folder.
        """
        place = Path(folder)
        self._check_unused()
        if self.folder is not None and self.folder.resolve() != place.resolve():
            raise ParameterError(
                "Asking",
                "folder",
                str(folder),
                allowed="the one this session was saved in",
                remedy="Move that folder, or ask anew.",
            )
        place.mkdir(parents=True, exist_ok=True)
        object.__setattr__(self, "folder", place)
        request = self.recipe.request
        public = {
            "format": FORMAT,
            "concepts": stored_concepts(self.recipe.concepts),
            "request": request.to_json(),
            "records": request.size.total,
            "few_labels": self.recipe.settings.to_json(),
            "schema": request.schema.stored(),
            "coins": self.coins,
        }
        _write(place / PUBLIC, public, private=False)
        _write(place / SECRET, {"asked": self.questions.asked, "kept": self.questions.kept}, private=True)
        _write(place / ANSWERS, {str(k): v for k, v in self.answers.items()}, private=True)
        with (place / LIST).open("w", encoding="utf-8", newline="") as out:
            rows = csv.writer(out)
            rows.writerow([RECORD, LABEL])
            rows.writerows([position + 1, ""] for position in self.waiting)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Asking:
        """Take a session up again."""
        place = Path(folder)
        public, secret, answers = (_read(place / name) for name in (PUBLIC, SECRET, ANSWERS))
        refuse_earlier(public.get("format"), f"The session in {str(place)!r}")
        if public.get("format") != FORMAT:
            raise DataError(f"{str(place)!r} is not a session of format {FORMAT}.")
        try:
            return cls._from_json(public, secret, answers, place)
        except (*MALFORMED, PrivpacError):
            raise DataError(f"The session in {str(place)!r} is incomplete or malformed.") from None

    @classmethod
    def _from_json(
        cls, public: Mapping[str, Any], secret: Mapping[str, Any], labels: Mapping[str, Any], place: Path
    ) -> Asking:
        schema = Schema.from_stored(public["schema"])
        request = request_from_json(public["request"], schema=schema, size=Size(whole(public["records"])))
        concepts = concepts_from_json(public["concepts"], schema)
        positions = ([whole(position) for position in as_list(secret[name])] for name in ("asked", "kept"))
        last = len(schema.classes) - 1
        answers = {
            written_whole(position): whole(code, least=0, most=last) for position, code in labels.items()
        }
        recipe = _recipe(concepts, request, Settings.from_json(public["few_labels"]))
        recipe.certify()
        require(public["coins"] in ("system", "seeded"), "the coins are of no kind")
        return cls(recipe, Questions(*map(tuple, positions)), answers, public["coins"], place)


def _recipe(concepts: str | AnyClass, request: Request, settings: Settings) -> FewLabels:
    """For a request about all records, of which this many are asked."""
    if settings.session is None:
        raise Malformed("there are no questions")
    labelled = settings.session.asked
    return FewLabels(concepts, replace(request, size=Size(labelled, request.size.total - labelled)), settings)


def _write(path: Path, tree: object, *, private: bool) -> None:
    """Whole or not at all; a private file is never readable by others, not even while it is written."""
    mode = 0o600 if private else 0o644
    with whole_file(path) as draft:
        stream = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(stream, "w", encoding="utf-8") as out:
            json.dump(tree, out, indent=1, ensure_ascii=False)
            out.write("\n")


def _read(path: Path) -> dict[str, Any]:
    try:
        tree = parsed(path)
    except FileNotFoundError:
        raise DataError(
            f"There is no file {str(path)!r}.", remedy="Name the folder that `privpac active ask` wrote."
        ) from None
    except (OSError, ValueError, RecursionError):
        raise DataError(f"{str(path)!r} cannot be read.") from None
    if not isinstance(tree, dict):
        raise DataError(f"{str(path)!r} is malformed.")
    return tree
