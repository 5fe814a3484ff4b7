"""The guide to rollback is run line by line, and shows what comes."""

from __future__ import annotations

import re

import pytest

from tests.cli import test_guides
from tests.cli.conftest import Run
from tests.cli.test_lake_commands import plain as without_ids


def plain(text: str) -> str:
    """Without when, and without who."""
    moment = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "THEN", without_ids(text))
    return re.sub(r" by \w+\)", ")", moment)


def test_the_guide_to_rollback_shows_what_comes(
    lakeport: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_guides, "plain", plain)
    assert test_guides.follow(lakeport, "rollback.md", monkeypatch) == 5
