"""What SQLAlchemy compiled for one SQLite database holds for all of this process.

It keeps compiled statements by engine. A process of ours has one for as long as it lives, but each test opens a lake
of its own, and compiled the same twenty statements again: half of what opening a lake and making a namespace took.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, event


class _Compiled(dict[Any, Any]):
    """A key begins with the dialect, which each engine has its own of; those of SQLite are all alike."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(_shared(key), default)

    def __setitem__(self, key: Any, compiled: Any) -> None:
        super().__setitem__(_shared(key), compiled)


def _shared(key: Any) -> Any:
    dialect, *rest = key
    return (type(dialect), *rest) if dialect.name == "sqlite" else key


def share_compiled_statements() -> None:
    compiled = _Compiled()

    @event.listens_for(Engine, "engine_connect")
    def use(connection: Connection) -> None:
        connection.execution_options(compiled_cache=compiled)
