"""One set of workers for all tests of a session: starting a process takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from lakeport.functions import Limits
from lakeport.functions.project import Options, ProjectFunctions

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def project() -> Iterator[ProjectFunctions]:
    options = Options(workers=3, limits=Limits(seconds=30, memory=1024, output=64), reload=False)
    with ProjectFunctions(HERE, HERE / "modules", options) as functions:
        assert functions.troubles == ()
        yield functions


@pytest.fixture(scope="session")
def hostile(project: ProjectFunctions) -> Mapping[str, Any]:
    """The functions of `modules/hostile.py`, by name."""
    return {each.signature.name: each for each in project.functions("hostile")}
