"""What of Spark the pipeline may use: this much and no more.

Both of PySpark's session classes have all of it, the one of an own JVM and the one of Spark Connect, so
whatever is written against these protocols runs on both. There is no way to the gateway of Py4J here.
The names are PySpark's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, overload

if TYPE_CHECKING:
    import pyarrow as pa


class Conf(Protocol):
    """The settings of one session."""

    def get(self, key: str, default: str | None = ..., /) -> str | None: ...

    def set(self, key: str, value: str, /) -> None: ...

    def unset(self, key: str, /) -> None: ...


class Frame(Protocol):
    """A DataFrame: rows that are computed when they are asked for."""

    @property
    def schema(self) -> Any:
        """PySpark's `StructType`; `schema.jsonValue()` is plain data."""

    @property
    def columns(self) -> list[str]: ...

    @property
    def sparkSession(self) -> Session: ...  # noqa: N802  PySpark's name

    def select(self, *columns: str) -> Frame: ...

    def collect(self) -> Sequence[Any]: ...

    def count(self) -> int: ...

    def toArrow(self) -> pa.Table: ...  # noqa: N802

    def localCheckpoint(self, eager: bool = ...) -> Frame: ...  # noqa: N802, FBT001

    def createOrReplaceTempView(self, name: str) -> None: ...  # noqa: N802


class Session(Protocol):
    """A session with settings, temporary views and catalogs of its own."""

    @property
    def version(self) -> str: ...

    @property
    def conf(self) -> Conf: ...

    @overload
    def sql(self, sqlQuery: str) -> Frame: ...  # noqa: N803

    @overload
    def sql(self, sqlQuery: str, args: dict[str, Any]) -> Frame: ...  # noqa: N803

    def table(self, tableName: str) -> Frame: ...  # noqa: N803

    def createDataFrame(self, data: Any, schema: Any = ...) -> Frame: ...  # noqa: N802

    def interruptAll(self) -> list[str]: ...  # noqa: N802
