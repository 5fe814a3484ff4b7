"""A catalog that somebody wrote, so that whatever its code raises is told as theirs, and ends one call.

Each object of theirs is put behind one with the same methods. What a method gives is put behind one, too,
if it is theirs again: namespaces, tables, statements, streams.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from lakeport.catalog.ports import Catalog, Namespace, Table
from lakeport.catalog.streams import BatchStream
from lakeport.core.foreign import each, foreign
from lakeport.core.names import quoted

T = TypeVar("T")

_OWN = "lakeport"


def guarded(catalog: Catalog) -> Catalog:
    with foreign("the catalog"):
        name = catalog.name
    return _behind(catalog, f"catalog {quoted(name)}")


def _behind(thing: T, what: str) -> T:
    if type(thing).__module__.partition(".")[0] == _OWN:
        return thing
    # Of the object, not its class: fields of a dataclass are attributes of the object alone.
    names = frozenset(name for name in dir(thing) if not name.startswith("_"))
    if hasattr(thing, "__enter__"):
        names |= {"__enter__", "__exit__"}
    kind: Any = type(thing)
    shown: T = _class_of(kind, names)(thing, what)
    return shown


@cache
def _class_of(kind: Any, names: frozenset[str]) -> Any:
    """Its module is the other's, so that what it gives is doubted (`scans.doubt`)."""

    def begin(self: Any, inner: object, what: str) -> None:
        self._inner, self._what = inner, what

    body: dict[str, object] = {name: _attribute(name, kind) for name in names}
    return type(kind.__name__, (), {**body, "__init__": begin, "__module__": kind.__module__})


def _attribute(name: str, kind: type) -> object:
    if callable(getattr(kind, name, None)):
        return _method(name)

    def get(self: Any) -> object:
        with foreign(self._what):
            return getattr(self._inner, name)

    return property(get)


def _method(name: str) -> Callable[..., object]:
    def call(self: Any, *arguments: object, **options: object) -> object:
        with foreign(self._what):
            made = getattr(self._inner, name)(*arguments, **options)
            return self if made is self._inner else _shown(made, self._what)

    return call


def _shown(made: object, what: str) -> object:
    if isinstance(made, BatchStream):
        return BatchStream(made.schema, each(made, what, made.close), made.close)
    if isinstance(made, Table):
        return _behind(made, f"table {quoted(str(made.name))}")
    if isinstance(made, Namespace):
        return _behind(made, f"namespace {quoted(made.info.name)}")
    if all(hasattr(made, word) for word in ("add", "commit", "abort")):
        return _behind(made, what)
    return made
