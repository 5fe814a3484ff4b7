from __future__ import annotations

import re
from pathlib import Path

_DOCS = Path(__file__).parents[3] / "docs"


def test_the_example_of_the_concept_page_does_what_it_says() -> None:
    text = (_DOCS / "concepts" / "expressions.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert found
    *lines, kept, sql = found[1].strip().splitlines()
    names: dict[str, object] = {}
    exec("\n".join(lines), names)  # noqa: S102 - our own documentation
    for line in (kept, sql):
        code, _, shown = line.partition("#")
        value = eval(code, names)  # noqa: S307 - our own documentation
        assert str(value) == shown.strip()
