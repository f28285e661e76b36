"""The first use of a term leads to the glossary: once per page, in running text, and to an entry that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs.hooks.glossary import EVERYDAY, Term, anchored, linked, terms

DOCS = Path(__file__).resolve().parents[2] / "docs"
GLOSSARY = terms((DOCS / "understand" / "glossary.md").read_text(encoding="utf-8"))
TERMS = [
    Term("epsilon", ("epsilon",), "A number."),
    Term("class-of-concepts", ("class of concepts",), "A list."),
]


def test_every_entry_has_an_address_of_its_own_and_a_meaning() -> None:
    text = (DOCS / "understand" / "glossary.md").read_text(encoding="utf-8")
    assert len(GLOSSARY) == len(re.findall(r"^\*\*", text, re.MULTILINE))
    anchors = [term.anchor for term in GLOSSARY]
    assert len(set(anchors)) == len(anchors)
    assert all(len(term.meaning) > 8 for term in GLOSSARY)
    names = [name for term in GLOSSARY for name in term.names]
    assert set(names) >= EVERYDAY, "an everyday word that is no entry"
    html = anchored(
        "".join(f"<p><strong>{term.names[0].capitalize()}.</strong> x</p>" for term in GLOSSARY[:3])
    )
    assert re.findall(r'id="([^"]+)"', html) == [
        re.sub(r"[^a-z0-9]+", "-", term.names[0]).strip("-") for term in GLOSSARY[:3]
    ]


@pytest.mark.parametrize(
    ("html", "links"),
    [
        ("<p>An epsilon and an epsilon.</p>", ["epsilon"]),
        ("<p>Epsilons of releases.</p>", ["Epsilons"]),
        ("<h2>Epsilon</h2><p><code>epsilon</code> <a href='x'>epsilon</a></p>", []),
        ("<h2>Epsilon</h2><ul><li>small <em>epsilon</em></li></ul>", ["epsilon"]),
        ("<p>A class of concepts, a class.</p>", ["class of concepts"]),
        ("<p>--epsilon, epsilon-DP, epsilon.json, non-epsilon</p>", []),
        ('<p title="epsilon">x</p><!-- epsilon -->', []),
        ("<p>Is this epsilon.</p>", ["epsilon"]),
        ("<pre><span>epsilon</span></pre><p>epsilon", ["epsilon"]),
    ],
)
def test_the_first_use_in_running_text_is_linked(html: str, links: list[str]) -> None:
    made = linked(html, TERMS, "../glossary.html")
    assert re.findall(r'<a class="term"[^>]*>([^<]*)</a>', made) == links
    assert re.sub(r'<a class="term"[^>]*>([^<]*)</a>', r"\1", made) == html


def test_a_link_says_what_the_term_means() -> None:
    made = linked("<p>epsilon</p>", [Term("epsilon", ("epsilon",), 'A "number" < 1.')], "g.html")
    assert made == (
        '<p><a class="term" href="g.html#epsilon" title="A &quot;number&quot; &lt; 1.">epsilon</a></p>'
    )
