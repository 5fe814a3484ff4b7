from __future__ import annotations

from pathlib import Path

import pytest

from lakeport.app.settings import Settings, load


def read(tmp_path: Path, **variables: str) -> Settings:
    return load(variables=variables, folder=tmp_path)


@pytest.mark.parametrize("name", ["LAKEPORT_SERVER", "LAKEPORT_REMOTE_URL"])
def test_a_server_is_named_by_its_short_variable_or_by_the_rule(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, **{name: "grpc://host:1"}).remote.url == "grpc://host:1"
    assert read(tmp_path).remote.url is None


def test_a_token_is_never_shown(tmp_path: Path) -> None:
    word = "lp_1"
    settings = read(tmp_path, LAKEPORT_TOKEN=word, LAKEPORT_REMOTE_KEY="mine.pem")
    shown = {entry.name: entry.value for entry in settings.entries()}
    assert settings.remote.token == word
    assert shown["remote.token"] == "***"
    assert shown["remote.key"] == str(tmp_path / "mine.pem")
