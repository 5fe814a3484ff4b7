"""Every behaviour of the lineage specification as small SQL beside its expected answer.

A failing case prints what differs, one line each. To add a case, add it to a file in `golden/`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from lakeport.lineage import analyze
from tests.lineage.golden_check import GoldenCheck
from tests.lineage.golden_file import GoldenCase, read_cases

GOLDEN = Path(__file__).parent / "golden"
CASES = [case for path in sorted(GOLDEN.glob("*.sql")) for case in read_cases(path)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.identity)
def test_golden(case: GoldenCase) -> None:
    assert case.expected, "a case without expected lines shows nothing"
    result = msgspec.to_builtins(analyze(case.request))
    complaints = GoldenCheck(result, case.expected).run()
    assert not complaints, "\n".join(["", *complaints])


def test_case_names_are_unique() -> None:
    names = [case.identity for case in CASES]
    assert len(names) == len(set(names))
