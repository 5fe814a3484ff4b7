"""One description of an Iceberg catalog, from which every consumer gets its own rendering.

It loads no library, so that whoever only needs to pass it on does not pay for PyIceberg. The name is
part of a SQL catalog's primary key: all consumers must use the same one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lakeport.core.secrets import mask_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_SQLITE = "sqlite:///"


@dataclass(frozen=True, slots=True)
class Profile:
    """`type` is `embedded`, or one of PyIceberg's: sql, rest, glue, hive…"""

    name: str
    type: str
    uri: str | None = None
    warehouse: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)

    def for_pyiceberg(self) -> dict[str, str]:
        """PyIceberg's property map. What has a setting of its own wins over a property."""
        own = {"uri": self.uri, "warehouse": self.warehouse}
        return {**self.properties, **{key: value for key, value in own.items() if value}}

    @property
    def database_file(self) -> Path | None:
        """The file of a SQLite catalog; None for any other, and for one that lives in memory."""
        if self.uri is None or not self.uri.startswith(_SQLITE):
            return None
        path = self.uri.removeprefix(_SQLITE).partition("?")[0]
        return Path(path) if path and path != ":memory:" and not path.startswith("file:") else None

    def __str__(self) -> str:
        """How messages name it: kind, address and warehouse, secrets masked."""
        shown = f"the {self.type} catalog `{self.name}`"
        if self.uri:
            shown += f" at {mask_text(self.uri)}"
        if self.warehouse:
            shown += f" (warehouse {mask_text(self.warehouse)})"
        return shown
