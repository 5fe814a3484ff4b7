"""Projects on disk and settings read from them, free of this machine's variables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from lakeport.app.settings import Settings, load

Read: TypeAlias = Callable[..., Settings]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Settings of a project with this lakeport.toml, these variables and these flags."""

    def read(
        toml: str = "",
        *,
        variables: dict[str, str] | None = None,
        flags: dict[str, object] | None = None,
    ) -> Settings:
        (tmp_path / "lakeport.toml").write_text(toml, encoding="utf-8")
        return load(folder=tmp_path, variables=variables or {}, flags=flags)

    return read
