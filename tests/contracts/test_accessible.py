"""What is added to rendered pages for screen readers."""

from __future__ import annotations

from docs.hooks.accessible import accessible


def test_folded_branches_are_no_landmarks_and_every_tag_is_closed_by_its_own() -> None:
    page = (
        '<nav class="md-nav md-nav--primary" aria-label="Navigation" data-md-level="0">'
        '<nav class="md-nav" data-md-level="1" aria-labelledby="a" aria-expanded="true"><ul></ul>'
        '<nav class="md-nav md-nav--secondary" aria-label="Table of contents"></nav></nav></nav>'
    )
    assert accessible(page) == (
        '<nav class="md-nav md-nav--primary" aria-label="Navigation" data-md-level="0">'
        '<div class="md-nav" data-md-level="1"><ul></ul>'
        '<nav class="md-nav md-nav--secondary" aria-label="Table of contents"></nav></div></nav>'
    )


def test_the_search_has_a_name_and_no_heading_is_empty() -> None:
    assert 'role="dialog" aria-label="Search"' in accessible('<div data-md-component="search" role="dialog">')
    assert accessible("<tr><th></th><th>x</th></tr>") == "<tr><td></td><th>x</th></tr>"
