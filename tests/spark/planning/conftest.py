"""A project's folder for each test, as runs have it."""

from __future__ import annotations

from tests.spark.running.conftest import folder

__all__ = ["folder"]
