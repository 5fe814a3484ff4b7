"""Models in Python: a file with a function `model(context)` that returns rows, in one of many forms.

The file is run once for each run of the model, in a module of its own. What it raises is told with the
author's own lines and nothing of ours.
"""

from __future__ import annotations

import inspect
import itertools
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType

import pyarrow as pa

from lakeport.core.errors import InvalidRequestError, LakeportError
from lakeport.core.names import quoted
from lakeport.core.secrets import mask_text
from lakeport.pipeline.graph import Node
from lakeport.pipeline.queries.sentences import in_short
from lakeport.pipeline.running.beside import findable, ship
from lakeport.pipeline.running.python_context import Context
from lakeport.pipeline.session import Session, said
from lakeport.pipeline.session.functions import functions_of
from lakeport.pipeline.session.pickled import pickled_whole
from lakeport.pipeline.staging import ArrowStream, Given, given_of, is_frame

_FORMS = "a data frame of Spark, pandas or polars, an Arrow table or reader, or an iterator of record batches"
_LONGEST = 2_000


class ModelCodeError(InvalidRequestError):
    """A model in Python raised something, or returned what cannot be written."""

    code = "model_code"


def rows_of(node: Node, context: Context, session: Session, authors: Authors) -> Given:
    """What the model returns, in a form that can be staged; a frame is not computed yet."""
    findable(authors.root)
    with authors:
        function = _function(node, authors.root / node.model.path)
        ship(authors.root, node.model.text)
        returned = function(context)
    return _given(node, returned, session, authors)


def _function(node: Node, path: Path) -> Callable[[Context], object]:
    module = ModuleType(f"lakeport_model_{node.name.namespace}_{node.name.table}".replace(".", "_"))
    module.__file__ = str(path)
    code = compile(node.model.text, str(path), "exec", dont_inherit=True)
    # Dataclasses, pickled functions and the like look their module up by its name.
    sys.modules[module.__name__] = module
    pickled_whole(module)
    exec(code, module.__dict__)  # noqa: S102  it is the author's own code, which is what was asked for
    function = getattr(module, "model", None)
    if not callable(function):
        raise ModelCodeError(
            f"{node.model.path} has no function `model`",
            hint="write `def model(context): return context.sql(…)`",
        )
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        raise ModelCodeError(
            f"{node.model.path}: `model` must take one argument, the context",
            hint="write `def model(context):`",
        ) from None
    return function  # type: ignore[no-any-return]  # the author's


def _given(node: Node, returned: object, session: Session, authors: Authors) -> Given:
    path = node.model.path
    if is_frame(returned):
        if returned.sparkSession is not session:  # type: ignore[attr-defined]  # asked just before
            raise ModelCodeError(
                f"{path}: the data frame is of another session of Spark",
                hint="use `context.spark`, `context.sql` or `context.table`",
            )
        return given_of(returned)
    if isinstance(returned, Iterator) and not isinstance(returned, ArrowStream):
        return _batches(node, returned, authors)
    if isinstance(returned, str):
        raise ModelCodeError(
            f"{path}: `model` returned a text", hint="return `context.sql(text)` for a query"
        )
    try:
        return given_of(returned)
    except InvalidRequestError:
        what = "nothing" if returned is None else f"a value of type {type(returned).__name__}"
        raise ModelCodeError(f"{path}: `model` returned {what}", hint=f"return {_FORMS}") from None


def _batches(node: Node, returned: Iterator[object], authors: Authors) -> pa.RecordBatchReader:
    """What a generator raises later is its author's, too, and told when it happens."""
    path = node.model.path

    def checked() -> Iterator[pa.RecordBatch]:
        while True:
            with authors:
                batch = next(returned, None)
                if batch is not None and not isinstance(batch, pa.RecordBatch):
                    raise ModelCodeError(
                        f"{path}: `model` gave a {type(batch).__name__} where a record batch was"
                        " expected",
                        hint=f"return {_FORMS}",
                    )
                if batch is not None and columns and not batch.schema.equals(columns[0]):
                    raise ModelCodeError(
                        f"{path}: `model` gave batches of different columns: first"
                        f" {_shown(columns[0])}, then {_shown(batch.schema)}",
                        hint="give every batch the same names and types, in the same order",
                    )
            if batch is None:
                return
            columns[:] = [batch.schema]
            yield batch

    columns: list[pa.Schema] = []
    found = checked()
    first = next(found, None)
    if first is None:
        raise ModelCodeError(
            f"{path}: `model` gave no batch, so nobody knows its columns",
            hint="give an empty batch that has them, or return an Arrow table",
        )
    return pa.RecordBatchReader.from_batches(first.schema, itertools.chain([first], found))


def _shown(schema: pa.Schema) -> str:
    return f"({', '.join(f'{field.name} {field.type}' for field in schema)})"


class Authors(AbstractContextManager[None]):
    """What goes wrong in the block, as the author of a model sees it.

    Arrow reads batches of a generator and makes an error of its own of what that raises; so it is kept.
    """

    def __init__(self, node: Node, root: Path, session: Session) -> None:
        self.root = root
        self.error: LakeportError | None = None
        self._node = node
        self._session = session
        self._entered: list[AbstractContextManager[None]] = []

    def __enter__(self) -> None:
        functions = functions_of(self._session)
        functions.__enter__()
        self._entered.append(functions)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._entered.pop().__exit__(None, None, None)
        if error is None or isinstance(error, KeyboardInterrupt):
            return
        if isinstance(error, LakeportError):
            self.error = self._with_place(error)
            return
        if isinstance(error, pa.ArrowException) and self.error is not None:
            raise self.error from error
        if isinstance(error, Exception | SystemExit):
            self.error = self._told(error)
            raise self.error from error

    def _told(self, error: BaseException) -> ModelCodeError:
        if isinstance(error, SyntaxError):
            place = f"{self._shown(error.filename or self._node.model.path)}:{error.lineno}"
            return ModelCodeError(
                f"{place}: {error.msg}", hint="correct it; Python cannot read the file"
            )
        frames = self._frames(error)
        if type(error).__module__.startswith(("pyspark", "py4j")):
            text, hint = in_short(mask_text(said(error)))
        else:
            text, hint = f"{type(error).__name__}: {mask_text(str(error))}", None
        text = text[:_LONGEST]
        if not frames:
            return ModelCodeError(f"{self._node.model.path}: {text}")
        *outer, last = frames
        told = f"{self._shown(last.filename)}:{last.lineno}: {text}"
        if last.line:
            told += f"\n    {last.line}"
        for frame in reversed(outer):
            told += f"\n  called by {self._shown(frame.filename)}:{frame.lineno}, in {frame.name}"
        return ModelCodeError(
            told, hint=hint or f"correct the model {quoted(str(self._node.name))}, and run it again"
        )

    def _with_place(self, error: LakeportError) -> LakeportError:
        """What we say about a call of ours, with the author's line that made it."""
        frames = self._frames(error)
        if frames and not error.message.startswith(self._node.model.path):
            place = f"{self._shown(frames[-1].filename)}:{frames[-1].lineno}"
            error.message = f"{place}: {error.message}"
            error.args = (error.message,)
        return error

    def _frames(self, error: BaseException) -> list[traceback.FrameSummary]:
        return [frame for frame in traceback.extract_tb(error.__traceback__) if self._is_own(frame)]

    def _is_own(self, frame: traceback.FrameSummary) -> bool:
        return frame.filename.startswith(str(self.root)) and "site-packages" not in frame.filename

    def _shown(self, filename: str) -> str:
        path = Path(filename)
        return (
            path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else filename
        )
