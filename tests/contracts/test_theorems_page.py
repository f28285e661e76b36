"""The register covers the papers, and the page made from it is up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from privpac.cli.theorems import page
from privpac.theory.statements import PAPERS, REGISTER, cited

ROOT = Path(__file__).resolve().parents[2]
CH, BNS, DF, BBKN, LWY = PAPERS.values()

NUMBERED = {
    CH: "Theorem 5; Theorem 7; Theorem 8; Theorem 9; Theorem 10; Lemma 11; Theorem 12; Lemma 13; Lemma 14; Lemma 15;"
    " Lemma 16; Lemma 17; Lemma 18; Lemma 19; Lemma 20; Lemma 21; Lemma 22; Lemma 23; Lemma 24; Lemma 25; Theorem 26;"
    " Theorem 27",
    BNS: "Observation 3.2; Theorem 3.3; Corollary 3.4; Lemma 4.1; Claim 4.2; Claim 4.3; Claim 4.5; Lemma 4.6;"
    " Observation 4.7; Claim 4.8; Claim 4.9; Claim 4.11; Lemma 4.12; Theorem 4.13; Theorem 4.14; Theorem 4.16;"
    " Corollary 4.17; Corollary 4.18; Theorem 5.5; Theorem 5.6; Claim 5.7; Theorem 5.8; Proposition A.1; Theorem A.3;"
    " Theorem B.2; Theorem B.3; Theorem B.4; Theorem B.5; Theorem B.6",
    DF: "Theorem 1; Corollary 1; Theorem 2; Lemma 1; Lemma 2; Lemma 3; Lemma 4; Lemma 5; Lemma 6; Theorem 3; Theorem 4;"
    " Lemma 7; Theorem 5; Lemma 8; Lemma 9; Lemma 10; Lemma 11",
    BBKN: "Theorem 2.4; Observation 2.7; Theorem 3.2; Lemma 3.4; Theorem 3.6; Proposition 3.7; Corollary 3.8;"
    " Lemma 3.9; Lemma 3.10; Lemma 4.1; Theorem 4.2; Claim 4.3; Lemma 4.4; Claim 4.5; Theorem 4.8; Theorem 4.9;"
    " Theorem 4.11; Lemma 5.2; Theorem 5.4; Theorem 5.8; Theorem 6.1; Theorem 7.1; Theorem 7.2",
    LWY: "Theorem 1; Theorem 2; Lemma 6; Lemma 7; Lemma 8; Lemma 11; Lemma 12; Lemma 14; Lemma 15; Claim 16; Lemma 17;"
    " Theorem 18; Lemma 19; Theorem 20; Lemma 21; Lemma 22; Claim 23",
}
"""Every theorem, lemma, claim, corollary, proposition and observation with content."""


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_numbered_statement_is_registered(paper: str) -> None:
    covered = set().union(*(cited(entry.source, paper) for entry in REGISTER.values()))
    assert set(NUMBERED[paper].split("; ")) <= covered


def test_the_page_is_up_to_date() -> None:
    written = (ROOT / "docs" / "theorems.md").read_text(encoding="utf-8")
    assert written == page(list(REGISTER.values())), "run: python -m docs.listed"
