"""Python models, read and never run: `SETTINGS` is a literal, and `model` takes one argument.

Running a file to look at it would run whatever else is in it, on every `plan`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lakeport.core.names import nearest, quoted
from lakeport.pipeline.project.problems import Place, Problem, excerpt

SETTINGS, FUNCTION = "SETTINGS", "model"
_SHAPE = (
    "write `def model(context):` and return a Spark DataFrame, an Arrow table or batches of rows"
)


@dataclass(slots=True)
class PythonFile:
    """The settings of a file with the lines of their keys, and what is wrong with it."""

    settings: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    items: dict[str, list[int]] = field(default_factory=dict)
    settings_line: int = 1
    problems: list[Problem] = field(default_factory=list)


def read_python(path: str, text: str) -> PythonFile:
    found = PythonFile()
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset
        found.problems.append(
            Problem(
                "python-syntax",
                f"this is no Python: {error.msg}",
                "correct the line",
                Place(path, line, column),
                excerpt(text, line, column),
            )
        )
        return found
    except ValueError as error:  # a null character
        problem = Problem("python-syntax", f"this is no Python: {error}", "", Place(path, 1))
        found.problems.append(problem)
        return found
    _settings(tree, found, path)
    found.problems += _wrong_function(tree, path, text)
    return found


def _settings(tree: ast.Module, found: PythonFile, path: str) -> None:
    for node in tree.body:
        value = _assigned(node)
        if value is None:
            continue
        found.settings_line = node.lineno
        try:
            settings = ast.literal_eval(value)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            settings = None
        if not isinstance(settings, dict) or not all(isinstance(key, str) for key in settings):
            found.problems.append(
                Problem(
                    "python-settings",
                    f"{SETTINGS} is no dict of literals",
                    f'the file is not run to read it: write {SETTINGS} = {{"materialized": "table"}}',
                    Place(path, node.lineno),
                )
            )
            return
        found.settings = settings
        assert isinstance(value, ast.Dict)  # noqa: S101 - a literal that gave a dict
        for key, item in zip(value.keys, value.values, strict=True):
            if isinstance(key, ast.Constant):
                found.lines[str(key.value)] = key.lineno
                elements = item.elts if isinstance(item, ast.List | ast.Tuple) else []
                found.items[str(key.value)] = [element.lineno for element in elements]
        return


def _assigned(node: ast.stmt) -> ast.expr | None:
    """What SETTINGS is set to, if this statement does it."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == SETTINGS:
            return value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if name == SETTINGS:
            return value
        case _:
            return None


def _wrong_function(tree: ast.Module, path: str, text: str) -> Iterator[Problem]:
    functions = [
        node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    model = next((node for node in reversed(functions) if node.name == FUNCTION), None)
    if model is None:
        close = nearest(FUNCTION, [node.name for node in functions])
        hint = f"is {quoted(close)} meant? {_SHAPE}" if close else _SHAPE
        message = f"there is no function {quoted(FUNCTION)}"
        yield Problem("python-model", message, hint, Place(path, 1))
        return
    place = Place(path, model.lineno)
    shown = excerpt(text, model.lineno)
    if isinstance(model, ast.AsyncFunctionDef):
        yield Problem("python-model", "`model` cannot be async", _SHAPE, place, shown)
        return
    arguments = model.args
    positional = [*arguments.posonlyargs, *arguments.args]
    needed = len(positional) - len(arguments.defaults)
    extra = any(default is None for default in arguments.kw_defaults)
    if extra or needed > 1 or (not positional and arguments.vararg is None):
        message = "`model` takes one argument, the context"
        yield Problem("python-model", message, _SHAPE, place, shown)
