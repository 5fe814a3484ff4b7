"""What a server and a worker say to each other. Rows go beside it, as an Arrow stream (`frames`)."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from lakeport.core.request import Request

Kind: TypeAlias = Literal["scalar", "table", "in_out"]


class Source(msgspec.Struct, frozen=True):
    """A module as it was when the server read it, so that all workers have the same one."""

    namespace: str
    path: str
    text: str


class Load(msgspec.Struct, frozen=True, tag=True):
    """The first thing that a worker is asked. `root` is the project's folder."""

    root: str
    folder: str
    sources: tuple[Source, ...]


class Ask(msgspec.Struct, frozen=True, tag=True):
    """`scalar`, `bind`, `shape` and `statistics` leave nothing behind. `open` and `start` begin something that
    `next`, `process` and `finish` go on with, until `close`.
    """

    do: Literal[
        "scalar",
        "bind",
        "shape",
        "statistics",
        "open",
        "start",
        "process",
        "finish",
        "next",
        "close",
    ]
    function: int
    memory: int | None = None
    output: int | None = None
    request: tuple[str | None, ...] | None = None
    column: str = ""
    shape: bytes = b""
    scan: bytes = b""


class Loading(msgspec.Struct, frozen=True, tag=True):
    """Said before each module: if nothing more comes, it was that one."""

    namespace: str


class Function(msgspec.Struct, frozen=True):
    """All that is to be known of a function without its code. `returns` are the bytes of a schema."""

    kind: Kind
    namespace: str
    name: str
    parameters: bytes
    returns: bytes | None
    description: str | None = None
    stability: str = "volatile"
    takes_nulls: bool = False
    is_measured: bool = False
    seconds: float | None = None
    memory: int | None = None
    output: int | None = None
    line: int | None = None


class Trouble(msgspec.Struct, frozen=True):
    """What is wrong with a module. `path` is relative to the project where it lies in it."""

    path: str
    line: int | None
    message: str
    hint: str


class Loaded(msgspec.Struct, frozen=True, tag=True):
    functions: tuple[Function, ...]
    troubles: tuple[Trouble, ...] = ()


class Claims(msgspec.Struct, frozen=True):
    """Of `ColumnStatistics`, all but the bounds, which go beside it as the one row of two columns."""

    has_minimum: bool
    has_maximum: bool
    has_null: bool | None
    has_values: bool | None
    distinct: int | None
    longest: int | None


class Done(msgspec.Struct, frozen=True, tag=True):
    """With rows beside it, or without: then nothing more comes. A `worn` worker is not used again."""

    schema: bytes = b""
    count: int | None = None
    claims: Claims | None = None
    worn: bool = False


class Failed(msgspec.Struct, frozen=True, tag=True):
    """`code` is that of an error of ours. A `worn` worker must not be used again."""

    code: str
    message: str
    hint: str | None = None
    details: dict[str, str] = {}
    trace: str = ""
    worn: bool = False


Question: TypeAlias = Load | Ask
Answer: TypeAlias = Loading | Loaded | Done | Failed


def packed_request(request: Request | None) -> tuple[str | None, ...] | None:
    if request is None:
        return None
    return (
        request.identity,
        request.catalog,
        request.session_id,
        request.trace_id,
        request.transaction_id,
    )


def unpacked_request(packed: tuple[str | None, ...] | None) -> Request | None:
    if packed is None:
        return None
    identity, catalog, session, trace, transaction = packed
    return Request(identity or "", catalog, session, trace, transaction)
