"""The guide to catalogs: what it tells to write is what the settings take."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from lakeport.app.settings import Settings
from lakeport.app.wiring import profile_of
from lakeport.catalog.iceberg.drivers.patience import Patience

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "catalogs.md"
EXAMPLES = re.findall(r"^```toml\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    ("example", "kind"),
    list(zip(EXAMPLES, ["sql", "rest", "rest", "glue", "hive"], strict=True)),
)
def test_every_example_is_a_catalog_of_its_kind(
    read: Callable[..., Settings], example: str, kind: str
) -> None:
    profile = profile_of(read(example))
    assert profile.type == kind
    assert profile.warehouse
    assert "client-secret" not in f"{profile} {profile!r}"


def test_the_times_it_promises_are_ours() -> None:
    told = dict(re.findall(r'\| `"lakeport\.(\w+)-seconds"` \| (\d+) \|', GUIDE.read_text()))
    known = {field.name: f"{field.default:g}" for field in fields(Patience)}
    assert told == known
