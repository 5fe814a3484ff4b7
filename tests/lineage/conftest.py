"""What holds for every test of the analyzer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def no_bugs(caplog: pytest.LogCaptureFixture, request: pytest.FixtureRequest) -> Iterator[None]:
    """There is an answer whatever goes wrong in us; here nothing may."""
    yield
    if "breaks" not in request.fixturenames:
        assert "lineage.bug" not in [record.message for record in caplog.records]


@pytest.fixture
def breaks() -> None:
    """Asked for by a test that breaks something on purpose."""
