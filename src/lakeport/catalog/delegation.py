"""Reading that is left to the client: calls and files that it reads itself, in place of rows.

A table that is `Delegating` has no rows here at all. One that is `Lending` is read here as any other, and
tells calls that give the same rows, where there are some; whether it may is for the server to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from lakeport.catalog.arrow import Scalar

if TYPE_CHECKING:
    from lakeport.catalog.ports import ScanRequest, TableState


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A table function that the client runs itself, such as `read_parquet(['…'])`.

    It is bound as it is: DuckDB casts none of the arguments, so their types must be its own.
    """

    function: str
    positional: tuple[Scalar, ...] = ()
    named: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileReference:
    """A file that the client opens itself."""

    format: Literal["parquet", "ipc-stream", "ipc-file"]
    uri: str


Reference: TypeAlias = FunctionCall | FileReference


@runtime_checkable
class Delegating(Protocol):
    """Rows come from calls the client makes; the union of all of them is the table."""

    def references(self, request: ScanRequest) -> Sequence[Reference]: ...


@dataclass(frozen=True, slots=True)
class Lent:
    """What gives the rows of one state, in columns that have its names and its types."""

    state: TableState
    references: tuple[Reference, ...]


@runtime_checkable
class Lending(Protocol):
    """Files that others can read as well as we do. Nothing in a reference is secret."""

    def lend(self, request: ScanRequest) -> Lent | None:
        """All rows of the wanted columns that the conditions accept, and perhaps others.

        None where only we read them right.
        """
        ...
