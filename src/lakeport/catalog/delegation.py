"""Reading that is left to the client: a table that names calls and files instead of giving rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from lakeport.catalog.arrow import Scalar

if TYPE_CHECKING:
    from lakeport.catalog.ports import ScanRequest


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A table function that the client runs itself, such as `read_parquet(['…'])`."""

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
