"""Lakeport: an airport for a lakehouse.

Only the public names live here. Importing this module loads no heavy library (pyarrow, duckdb,
pyiceberg, sqlglot, pyspark); a test holds it to that. Names that need one are looked up when used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from lakeport.core.errors import (
    AlreadyExistsError,
    ConflictError,
    ConstraintViolationError,
    InvalidRequestError,
    KeyViolationError,
    LakeportError,
    LimitError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
    UnavailableError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from os import PathLike

    from lakeport.app.lake.lake import Lake
    from lakeport.app.lake.table import LakeTable
    from lakeport.app.remote.lake import File, RemoteLake, RemoteTable
    from lakeport.catalog.changes import (
        AddColumn,
        AddConstraint,
        AddField,
        ChangeType,
        DropColumn,
        DropConstraint,
        DropField,
        RelaxColumn,
        RenameColumn,
        RenameField,
        RequireColumn,
        SetComment,
        SetDefault,
        WidenColumn,
    )
    from lakeport.catalog.definition import (
        Check,
        Definition,
        PrimaryKey,
        Unique,
        with_comment,
        with_default,
    )

__version__ = "0.1.0"

__all__ = [
    "AddColumn",
    "AddConstraint",
    "AddField",
    "AlreadyExistsError",
    "ChangeType",
    "Check",
    "ConflictError",
    "ConstraintViolationError",
    "Definition",
    "DropColumn",
    "DropConstraint",
    "DropField",
    "InvalidRequestError",
    "KeyViolationError",
    "Lake",
    "LakeTable",
    "LakeportError",
    "LimitError",
    "NotFoundError",
    "PermissionDeniedError",
    "PreconditionError",
    "PrimaryKey",
    "RelaxColumn",
    "RemoteLake",
    "RemoteTable",
    "RenameColumn",
    "RenameField",
    "RequireColumn",
    "SetComment",
    "SetDefault",
    "UnauthenticatedError",
    "UnavailableError",
    "Unique",
    "UnsupportedError",
    "WidenColumn",
    "__version__",
    "connect",
    "open",
    "with_comment",
    "with_default",
]

_HOMES = (
    "lakeport.catalog.changes",
    "lakeport.catalog.definition",
    "lakeport.app.lake.lake",
    "lakeport.app.lake.table",
    "lakeport.app.remote.lake",
)


def open(  # noqa: A001  `lakeport.open` reads as it should
    project: str | PathLike[str] | None = None, *, catalog: str | None = None
) -> Lake:
    """The lake of a project: of this folder, or of the nearest one above the working folder.

    `catalog` is another than the project's first, by the name of its section `[catalogs.NAME]`.

    >>> with lakeport.open("shop") as lake:
    ...     with lake.table("raw.orders").scan(where="amount > 100", limit=10) as rows:
    ...         print(rows.read_all())
    """
    from lakeport.app.lake.open import open_lake  # noqa: PLC0415  loads pyarrow and PyIceberg

    return open_lake(project, catalog=catalog)


def connect(
    url: str,
    token: str | None = None,
    *,
    catalog: str | None = None,
    ca: File | None = None,
    cert: File | None = None,
    key: File | None = None,
) -> RemoteLake:
    """The lake of a server: `grpc://HOST:PORT`, or `grpc+tls://HOST:PORT` for TLS.

    `ca` is the authority that signed the server's certificate, `cert` and `key` are one's own where
    the server wants them; all three are PEM files.

    >>> with lakeport.connect("grpc://127.0.0.1:8815", token) as lake:
    ...     with lake.table("raw.orders").scan(where="amount > 100", limit=10) as rows:
    ...         print(rows.read_all())
    """
    from lakeport.app.remote.lake import connect_lake  # noqa: PLC0415  loads pyarrow and gRPC

    return connect_lake(url, token, catalog=catalog, ca=ca, cert=cert, key=key)


def __getattr__(name: str) -> object:
    if name in __all__:
        for home in map(import_module, _HOMES):
            if hasattr(home, name):
                return getattr(home, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
