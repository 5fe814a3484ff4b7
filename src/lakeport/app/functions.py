"""The project's functions: opened by the settings, and listed for whoever asks what there is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from lakeport.app.settings import Settings
from lakeport.catalog.parameters import is_any, is_named, is_table
from lakeport.core.errors import NotFoundError
from lakeport.core.names import NameMap
from lakeport.functions.limits import Limits
from lakeport.functions.project import Options, ProjectFunctions
from lakeport.functions.workers.messages import Function


@dataclass(frozen=True, slots=True)
class Parameter:
    """`type` is Arrow's name of it, `any`, or `table`."""

    name: str
    type: str
    named: bool


@dataclass(frozen=True, slots=True)
class ListedFunction:
    """`returns` is a type, or columns; None where the arguments decide."""

    name: str
    kind: str
    parameters: tuple[Parameter, ...]
    returns: str | None
    description: str | None
    place: str
    stability: str | None = None

    @property
    def signature(self) -> str:
        taken = ", ".join(
            f"{each.name} := {each.type}" if each.named else f"{each.name} {each.type}"
            for each in self.parameters
        )
        return f"{self.name}({taken})"


@dataclass(frozen=True, slots=True)
class Problem:
    path: str
    line: int | None
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Functions:
    folder: str
    functions: tuple[ListedFunction, ...]
    problems: tuple[Problem, ...]


@contextmanager
def opened_functions(
    settings: Settings, *, reload: bool | None = None
) -> Iterator[ProjectFunctions]:
    """Mistakes in modules are told by `troubles`; wrong settings are raised."""
    known = NameMap((catalog.name, catalog) for catalog in settings.catalogs)
    for name in settings.functions.catalogs:
        if name not in known:
            raise NotFoundError.among("catalog", name, known, where="`functions.catalogs`")
    section = settings.functions
    options = Options(
        isolation=section.isolation,
        workers=section.workers,
        limits=Limits(seconds=section.seconds, memory=section.memory, output=section.output),
        reload=section.reload if reload is None else reload,
    )
    with ProjectFunctions(settings.root, settings.root / section.folder, options) as functions:
        yield functions


def list_functions(settings: Settings) -> Functions:
    """Their modules are imported for it, in a process of their own unless the settings say otherwise."""
    folder = settings.root / settings.functions.folder
    shown = folder.relative_to(settings.root) if folder.is_relative_to(settings.root) else folder
    with opened_functions(settings, reload=False) as opened:
        listed = [_listed(told, shown.as_posix()) for told in opened.current.described]
        problems = [
            Problem(each.path, each.line, each.message, each.hint) for each in opened.troubles
        ]
    return Functions(str(folder), tuple(listed), tuple(problems))


def _listed(told: Function, folder: str) -> ListedFunction:
    parameters = pa.ipc.read_schema(pa.py_buffer(told.parameters))
    returns = None if told.returns is None else pa.ipc.read_schema(pa.py_buffer(told.returns))
    shown = None
    if returns is not None:
        columns = ", ".join(f"{field.name} {field.type}" for field in returns)
        shown = str(returns.field(0).type) if told.kind == "scalar" else f"({columns})"
    line = "" if told.line is None else f":{told.line}"
    return ListedFunction(
        f"{told.namespace}.{told.name}",
        told.kind,
        tuple(
            Parameter(
                field.name,
                "table" if is_table(field) else "any" if is_any(field) else str(field.type),
                is_named(field),
            )
            for field in parameters
        ),
        shown,
        told.description,
        f"{folder}/{told.namespace}.py{line}",
        told.stability if told.kind == "scalar" else None,
    )
