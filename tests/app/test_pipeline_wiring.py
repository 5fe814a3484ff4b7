"""Which door Spark is given, by the settings of a project. No JVM is started for it."""

from __future__ import annotations

import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import lakeport
from lakeport.core.errors import ConfigurationError


def project(folder: Path, text: str = "") -> Path:
    (folder / "lakeport.toml").write_text(text)
    return folder


def test_a_lake_opens_a_door_of_its_own_on_loopback(tmp_path: Path) -> None:
    with lakeport.open(project(tmp_path)) as lake:
        attachment = lake.pipeline().attachment()
        assert attachment.uri.startswith("http://127.0.0.1:")
        assert attachment.name == attachment.warehouse == "lake"
        assert lake.pipeline().attachment() == attachment


def test_the_door_of_a_server_can_be_named(tmp_path: Path) -> None:
    text = '[pipeline]\ndoor = "http://lake.example.com:8181/iceberg"\ntoken = "lpt_x"\n'
    with lakeport.open(project(tmp_path, text)) as lake:
        attachment = lake.pipeline().attachment()
    assert attachment.uri == "http://lake.example.com:8181/iceberg"
    assert attachment.proof == {"token": "lpt_x"}
    with pytest.raises(ConfigurationError, match=r"pipeline\.door"):
        lakeport.open(project(tmp_path, '[pipeline]\ndoor = "grpc://x"\n'))


def test_a_closed_lake_has_closed_its_door(tmp_path: Path) -> None:

    with lakeport.open(project(tmp_path)) as lake:
        place = urlsplit(lake.pipeline().attachment().uri)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((place.hostname or "", place.port or 0), 5)
