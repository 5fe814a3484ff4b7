"""What things may be called, and when a namespace may go: rules that every catalog keeps."""

from __future__ import annotations

from typing import Literal

from lakeport.catalog.ports import Namespace
from lakeport.core.errors import AlreadyExistsError, InvalidRequestError, PreconditionError
from lakeport.core.names import quoted, why_unsafe_namespace, why_unsafe_table

_SHOWN = 12


def check_namespace_name(name: str) -> None:
    _check("namespace", name, why_unsafe_namespace(name))


def check_table_name(name: str, kind: Literal["table", "view"] = "table") -> None:
    _check(kind, name, why_unsafe_table(name))


def namespace_taken(name: str) -> AlreadyExistsError:
    return AlreadyExistsError(f"there is already a namespace {quoted(name)}")


def require_empty(namespace: Namespace) -> None:
    tables = namespace.tables()
    if tables:
        raise PreconditionError(
            f"namespace {quoted(namespace.info.name)} still holds tables: "
            + ", ".join(tables[:_SHOWN]),
            hint="drop its tables first",
        )


def _check(kind: str, name: str, reason: str | None) -> None:
    if reason is not None:
        raise InvalidRequestError(
            f"a {kind} cannot be called {quoted(name)}: {reason}", hint="choose another name"
        )
