"""Names a dbt template uses and we do not know: printed they are an error, called they pass through.

A macro of a package that is not here mostly wraps a column or a relation, so its first text or
relation argument is the best guess at what it prints. Each is reported once, and only so many.
"""

from __future__ import annotations

from typing import Any

from jinja2 import StrictUndefined, UndefinedError

from lakeport.lineage.templating.relation import Relation
from lakeport.lineage.templating.sandbox import LimitError

MAXIMUM = 50


class Strangers:
    """The unknown callables of one rendering."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def met(self, name: str) -> None:
        if name in self.names:
            return
        if len(self.names) == MAXIMUM:
            raise LimitError(f"the template calls more than {MAXIMUM} macros that are not known")
        self.names.append(name)

    def stub(self, name: str) -> Stub:
        """A stand-in for a macro of this name."""
        return Stub(self, name)


class Stub:
    """An unknown macro: called, it is its first argument; printed without a call, it is undefined."""

    # The sandbox asks these of everything that is called.
    unsafe_callable = False
    alters_data = False

    def __init__(self, strangers: Strangers, name: str) -> None:
        self._strangers = strangers
        self._name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._strangers.met(self._name)
        return first_printable([*args, *kwargs.values()])

    def __getattr__(self, name: str) -> Stub:
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub(self._strangers, f"{self._name}.{name}")

    def __str__(self) -> str:
        raise UndefinedError(f"'{self._name}' is undefined")


def first_printable(values: list[Any]) -> Any:
    """The first text or relation; the texts of a list stand for the list."""
    for value in values:
        if isinstance(value, str | Relation):
            return value
        if isinstance(value, list | tuple) and value and all(isinstance(v, str) for v in value):
            return ", ".join(value)
    return ""


def callable_undefined(strangers: Strangers) -> type[StrictUndefined]:
    """The undefined of dbt mode: strict, but callable, also through a package's name."""

    class Unknown(StrictUndefined):
        # The sandbox asks these of everything that is called.
        unsafe_callable = False
        alters_data = False

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return strangers.stub(self._undefined_name or "")(*args, **kwargs)

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return strangers.stub(f"{self._undefined_name}.{name}")

        def __getitem__(self, name: str) -> Any:
            return strangers.stub(f"{self._undefined_name}.{name}")

    return Unknown


class Nothing:
    """The answer to every question to a database there is no connection to.

    Empty, false, and every part of it is nothing again: `run_query(…).columns[0].values()`.
    """

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _: object) -> Nothing:
        return self

    def __call__(self, *_: object, **__: object) -> Nothing:
        return self

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return ""
