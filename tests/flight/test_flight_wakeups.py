"""What gRPC is told before it is loaded."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lakeport.flight.wakeups import fewer_wakeups

LOADED = "from lakeport.flight.wakeups import fewer_wakeups; fewer_wakeups(); import grpc"


def test_it_is_told_once_nobody_else_did(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRPC_EXPERIMENTS", raising=False)
    fewer_wakeups()
    assert os.environ["GRPC_EXPERIMENTS"] == "-event_engine_listener"
    monkeypatch.setenv("GRPC_EXPERIMENTS", "")
    fewer_wakeups()
    assert not os.environ["GRPC_EXPERIMENTS"]


def test_the_installed_grpc_knows_what_it_is_told() -> None:
    """It would say so on stderr."""
    ran = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert ran.stderr == ""
