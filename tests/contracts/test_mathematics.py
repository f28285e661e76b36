"""Formulas of the documents can be typeset without help from elsewhere; what cannot fails the build."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from docs.hooks import raised
from docs.hooks.mathematics import Unknown, formulas, mathml, pieces, typeset

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if list(formulas(path.read_text(encoding="utf-8")))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_formula_of_a_page_becomes_mathematics(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for formula in formulas(text):
        tree = ElementTree.fromstring(mathml(formula["block"] or formula["line"]))
        assert tree.tag == "math"
        assert "".join(tree.itertext()).strip()
    assert not list(formulas(typeset(text))), "a dollar sign is left"


def test_pages_with_formulas_are_found() -> None:
    assert {"reference-cover", "finite", "halfspaces"} <= {path.stem for path in PAGES}


@pytest.mark.parametrize(
    ("tex", "inside"),
    [
        ("x_i^{2}", "<msubsup><mi>x</mi><mi>i</mi><mrow><mn>2</mn></mrow></msubsup>"),
        (r"\tfrac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\frac{a}{10}", "<mfrac><mrow><mi>a</mi></mrow><mrow><mn>10</mn></mrow></mfrac>"),
        (r"\sum_{i} x", "<munder><mo>∑</mo><mrow><mi>i</mi></mrow></munder><mi>x</mi>"),
        (r"a \le 1.5", "<mi>a</mi><mo>≤</mo><mn>1.5</mn>"),
        (r"\text{at most } k", "<mtext>at\N{NO-BREAK SPACE}most\N{NO-BREAK SPACE}</mtext><mi>k</mi>"),
        (r"\Big( x \Big)", "<mo>(</mo><mi>x</mi><mo>)</mo>"),
        ("a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        ("[a] | b", "<mo>&#91;</mo><mi>a</mi><mo>&#93;</mo><mo>&#124;</mo><mi>b</mi>"),
    ],
)
def test_tex_is_read_as_it_is_meant(tex: str, inside: str) -> None:
    assert mathml(tex) == f"<math>{inside}</math>"


@pytest.mark.parametrize("tex", [r"\mathfrak{A}", "{x", "x^", r"\text x", "x & y"])
def test_what_is_not_known_is_refused(tex: str) -> None:
    with pytest.raises(Unknown):
        mathml(tex)


def test_a_long_formula_may_be_broken_before_its_signs_but_not_within_brackets() -> None:
    assert pieces(r"a \le b + c") == [r"a \le b + c"]
    long = r"f(x, y, z, w) \le g_{a = b}(x, y, z) + h(x = y) - 12"
    assert [part.strip() for part in pieces(long)] == [
        "f(x, y, z, w)",
        r"\le g_{a = b}(x, y, z)",
        "+ h(x = y)",
        "- 12",
    ]
    assert typeset(f"${long}$").count("<math>") == 4


def test_code_stays_as_it_is() -> None:
    text = "Say `$x$`, or\n\n```text\n$ privpac learn $y$\n```\n\nbut $z$.\n"
    assert typeset(text) == text.replace("$z$", "<math><mi>z</mi></math>")


@pytest.mark.parametrize(
    ("plain", "shown"),
    [
        ("e^(−ε·(k + 1)), of 2^64.", "e<sup>−ε·(k + 1)</sup>, of 2<sup>64</sup>."),
        ("π_l(h)·r^S_l(h) / Z_l", "π<sub>l</sub>(h)·r<sup>S<sub>l</sub>(h)</sup> / Z<sub>l</sub>"),
        ("2^(2^d)", "2<sup>2<sup>d</sup></sup>"),
        ("10^−6, a^|k| and e^1.1", "10<sup>−6</sup>, a<sup>|k|</sup> and e<sup>1.1</sup>"),
        ("∫_0^(1/x) f", "∫<sub>0</sub><sup>1/x</sup> f"),
        (
            "x'_g, t_(j−1), Σ_{i≠j} p_j, (t_j − s)_+",
            "x'<sub>g</sub>, t<sub>j−1</sub>, Σ<sub>i≠j</sub> p<sub>j</sub>, (t<sub>j</sub> − s)<sub>+</sub>",
        ),
        ('<a href="a^2">x^2</a>', '<a href="a^2">x<sup>2</sup></a>'),
        ("<code>2**8^2</code> x_1", "<code>2**8^2</code> x<sub>1</sub>"),
        ('e^<a class="term" href="#">epsilon</a>', 'e<sup><a class="term" href="#">epsilon</a></sup>'),
        ("snake_case, a caret ^ alone, and e^(half", "snake_case, a caret ^ alone, and e^(half"),
    ],
)
def test_powers_and_indices_of_prose_are_put_in_their_places(plain: str, shown: str) -> None:
    assert raised.typeset(plain) == shown


def test_the_index_of_a_symbol_is_no_emphasis() -> None:
    assert raised.on_page_markdown("∫_0^1 Π_g, (x)_+, `Π_g` and a_1") == r"∫\_0^1 Π\_g, (x)\_+, `Π_g` and a_1"
