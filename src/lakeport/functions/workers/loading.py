"""The modules of a project in the process that runs them, and what they declare.

A module is loaded from the text that the server read. What one of them does wrong is told, and the others are
loaded all the same.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.functions import result_field
from lakeport.core.names import fold, quoted
from lakeport.functions.collecting import collecting
from lakeport.functions.in_out import PythonInOut
from lakeport.functions.mistakes import DeclarationError, place_of
from lakeport.functions.scalar import PythonScalar
from lakeport.functions.table import MeasuredTable, PythonTable
from lakeport.functions.workers.messages import Function, Kind, Load, Source, Trouble

Made: TypeAlias = "PythonScalar[..., object] | PythonTable[..., object] | PythonInOut[..., object]"
_MADE = (PythonScalar, PythonTable, PythonInOut)


class Loader:
    """`made` are the functions, in the order of their descriptions."""

    def __init__(self, asked: Load) -> None:
        self.made: list[Made] = []
        self.functions: list[Function] = []
        self.troubles: list[Trouble] = []
        self._asked = asked

    def load(self, before_each: Callable[[str], None]) -> None:
        for place in (self._asked.root, self._asked.folder):
            if place not in sys.path:
                sys.path.append(place)
        for source in self._asked.sources:
            before_each(source.namespace)
            found = self._declared(source)
            self._keep(source, found)

    def _declared(self, source: Source) -> list[Made]:
        name = f"{Path(self._asked.folder).name}.{source.namespace}"
        with collecting() as collected:
            try:
                _run(name, source)
            except DeclarationError as error:
                place = self._shown(error.file or source.path)
                self._tell(place, error.line, error.what, error.hint or "")
                return []
            except SyntaxError as error:
                what = f"this is no Python: {error.msg}"
                self._tell(
                    self._shown(error.filename or source.path), error.lineno, what, "correct it"
                )
                return []
            except BaseException as error:  # noqa: BLE001  also SystemExit: it is the author's module
                place, line = self._place(error, source)
                hint = "correct it; its functions are not served until it can be imported"
                if isinstance(error, ModuleNotFoundError):
                    hint = f"install {quoted(str(error.name))} beside Lakeport, or correct the name"
                self._tell(place, line, f"importing it raised {_words(error)}", hint)
                return []
        own = [each for each in collected if isinstance(each, _MADE)]
        return [each for each in own if each.function.__module__ == name]

    def _keep(self, source: Source, found: list[Made]) -> None:
        if not found and not any(each.path == self._shown(source.path) for each in self.troubles):
            hint = "decorate a function with `@scalar_function`; helpers go into files that start with `_`"
            self._tell(self._shown(source.path), 1, "there is no function in it", hint)
        seen: set[object] = set()
        for each in found:
            told = _described(each, source)
            same = (told.kind, fold(told.name), told.parameters)
            if same in seen:
                what = f"function {quoted(told.name)} is declared twice with the same parameters"
                hint = "overloads differ in the types of their parameters; remove or rename one"
                self._tell(self._shown(source.path), told.line, what, hint)
                continue
            seen.add(same)
            each.what = f"function {quoted(f'{source.namespace}.{told.name}')}"
            self.made.append(each)
            self.functions.append(told)

    def _tell(self, path: str, line: int | None, message: str, hint: str) -> None:
        self.troubles.append(Trouble(path, line, message, hint))

    def _place(self, error: BaseException, source: Source) -> tuple[str, int | None]:
        """The last line of the project's own that it came through."""
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            if (
                frame.filename.startswith(self._asked.root)
                and "site-packages" not in frame.filename
            ):
                return self._shown(frame.filename), frame.lineno
        return self._shown(source.path), None

    def _shown(self, path: str) -> str:
        whole, root = Path(path), Path(self._asked.root)
        return whole.relative_to(root).as_posix() if whole.is_relative_to(root) else path


def _run(name: str, source: Source) -> None:
    if name in sys.modules:
        # A sibling has imported it, and Python's own import read the file: its functions were collected
        # then, as the sibling's loading went on.
        del sys.modules[name]
    loader = importlib.machinery.SourceFileLoader(name, source.path)
    spec = importlib.util.spec_from_file_location(name, source.path, loader=loader)
    module = ModuleType(name) if spec is None else importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    exec(compile(source.text, source.path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102  what was asked for


def _described(made: Made, source: Source) -> Function:
    signature = made.signature
    kind: Kind = "scalar"
    returns: pa.Schema | None
    if isinstance(made, PythonScalar):
        returns = pa.schema([result_field(made)])
    else:
        kind, returns = "table" if isinstance(made, PythonTable) else "in_out", made.returns
    return Function(
        kind,
        source.namespace,
        signature.name,
        signature.parameters.serialize().to_pybytes(),
        None if returns is None else returns.serialize().to_pybytes(),
        signature.description,
        stability=made.stability if isinstance(made, PythonScalar) else "volatile",
        takes_nulls=isinstance(made, PythonScalar) and made.takes_nulls,
        is_measured=isinstance(made, MeasuredTable),
        seconds=made.limits.seconds,
        memory=made.limits.memory,
        output=made.limits.output,
        line=place_of(made.function)[1],
    )


def _words(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
