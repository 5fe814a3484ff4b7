"""Functions that Spark's Python workers run, of modules that they cannot import."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


def pickled_whole(module: ModuleType) -> None:
    """What is defined in it travels to the workers as it is, and not as a name to look up there."""
    pickling: Any = import_module("pyspark.cloudpickle")
    pickling.register_pickle_by_value(module)
