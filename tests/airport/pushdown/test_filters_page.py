from __future__ import annotations

from tests.airport.pushdown.filters_page import PAGE, page


def test_the_page_about_filters_says_what_the_code_does() -> None:
    written = PAGE.read_text(encoding="utf-8")
    assert written == page(), "run `python -m tests.airport.pushdown.filters_page`"
