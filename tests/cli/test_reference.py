from __future__ import annotations

import pytest

from scripts.reference import FOLDER, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_the_reference_says_what_the_code_says(name: str) -> None:
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), "run: make docs"
