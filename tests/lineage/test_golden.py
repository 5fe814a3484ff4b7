"""Every behaviour of the lineage specification as small SQL beside its expected answer.

A failing case prints what differs, one line each. To add a case, add it to a file in `golden/`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from lakeport.lineage import analyze
from tests.lineage.golden_check import GoldenCheck
from tests.lineage.golden_file import GoldenCase, read_cases

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

GOLDEN = Path(__file__).parent / "golden"
CASES = [case for path in sorted(GOLDEN.glob("*.sql")) for case in read_cases(path)]


def _parameter(case: GoldenCase) -> ParameterSet:
    marks = [pytest.mark.xfail(reason=case.pending)] if case.pending else []
    return pytest.param(case, id=case.identity, marks=marks)


@pytest.mark.parametrize("case", [_parameter(case) for case in CASES])
def test_golden(case: GoldenCase) -> None:
    assert case.expected, "a case without expected lines shows nothing"
    result = msgspec.to_builtins(analyze(case.request))
    complaints = GoldenCheck(result, case.expected).run()
    assert not complaints, "\n".join(["", *complaints])


def test_case_names_are_unique() -> None:
    names = [case.identity for case in CASES]
    assert len(names) == len(set(names))
