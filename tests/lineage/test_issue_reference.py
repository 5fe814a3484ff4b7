"""The reference page lists exactly the codes there are, with their default severities."""

from __future__ import annotations

import re
from pathlib import Path

from lakeport.lineage.issues import DEFAULT_SEVERITY, IssueCode

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "lineage-issues.md"


def test_every_code_is_documented_with_its_severity() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(code.value, DEFAULT_SEVERITY[code]) for code in IssueCode]
