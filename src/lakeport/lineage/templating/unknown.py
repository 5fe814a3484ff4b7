"""Names a dbt template uses and we do not know: printed they are an error, called they pass through.

A macro of a package that is not here mostly wraps a column or a relation, so its first text or
relation argument is the best guess at what it prints. Each is reported once, and only so many.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from jinja2 import Undefined, UndefinedError
from jinja2.utils import missing

from lakeport.lineage.templating.guesses import Guess
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
        found = first_printable([*args, *kwargs.values()])
        return Guess(found) if isinstance(found, str) else found

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


class Absent(Undefined):
    """A name without a value."""

    @property
    def is_assigned(self) -> bool:
        """Whether the template assigns it, where it did not come by."""
        return False


def dbt_undefined(
    strangers: Strangers,
    macro_named: Callable[[str], Any | None],
    built_in: Callable[[str], Any | None],
    assigned: Container[str],
) -> type[Absent]:
    """What dbt takes for nothing: false, empty, and every part of it is nothing again.

    A part that something lacks prints as nothing, too, and so does a name that is assigned where the template
    did not come by, as behind a query; any other name that nobody gave is an error when it is printed, a macro
    when it is called, and a package when a macro is taken out of it.
    """

    class Unknown(Absent):
        # The sandbox asks these of everything that is called.
        unsafe_callable = False
        alters_data = False

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            name = self._undefined_name or ""
            known = built_in(name) if self._undefined_obj is missing else None
            return (known or strangers.stub(name))(*args, **kwargs)

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return self._part(name)

        def __getitem__(self, name: str) -> Any:
            return self._part(name)

        def _part(self, name: str) -> Any:
            if self._undefined_obj is not missing:
                return self
            return macro_named(name) or strangers.stub(f"{self._undefined_name}.{name}")

        def __str__(self) -> str:
            if self._undefined_obj is missing and not self.is_assigned:
                self._fail_with_undefined_error()
            return ""

        @property
        def is_assigned(self) -> bool:
            return self._undefined_name in assigned

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
