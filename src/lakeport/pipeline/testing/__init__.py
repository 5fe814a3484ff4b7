"""Unit tests of models: rows given in a file, the model's query over them on Spark, rows expected."""

from __future__ import annotations

from lakeport.pipeline.testing.execute import Executor
from lakeport.pipeline.testing.files import read_tests
from lakeport.pipeline.testing.model import Difference, TestResult, UnitTest
from lakeport.pipeline.testing.tables import AnyTable

__all__ = ["AnyTable", "Difference", "Executor", "TestResult", "UnitTest", "read_tests"]
