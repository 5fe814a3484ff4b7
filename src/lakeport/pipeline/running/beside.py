"""Modules of a project that its models in Python share: found beside `lakeport.toml`, and shipped to Spark.

Functions that a model hands to Spark run in other processes, which have no such modules. So what is defined
in them travels as it is. That also holds where a JVM stays between runs: its workers remember what they
have imported, and would go on with yesterday's text.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

from lakeport.pipeline.session.pickled import pickled_whole

_INSTALLED = "site-packages"


def findable(root: Path) -> None:
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))


def ship(root: Path, code: str) -> None:
    """All modules of the project that are loaded, and those that the code imports inside of a function:
    by then it may have handed functions of theirs to Spark.
    """
    for name in _imported(code):
        if PathFinder.find_spec(name.partition(".")[0], [str(root)]) is not None:
            with suppress(Exception):  # whoever imports it is told
                import_module(name)
    for module in list(sys.modules.values()):
        if _is_of(module, root):
            pickled_whole(module)


def _imported(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            # What is imported from a package may be a module of it.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is_of(module: object, root: Path) -> bool:
    """Whether it lies in the project and is not merely installed there."""
    if not isinstance(module, ModuleType) or module.__name__ == "__main__":
        return False
    file = getattr(module, "__file__", None)
    places = [file] if file else list(getattr(module, "__path__", ()))
    paths = [Path(place) for place in places if isinstance(place, str)]
    return bool(paths) and all(
        path.is_relative_to(root) and _INSTALLED not in path.parts for path in paths
    )
