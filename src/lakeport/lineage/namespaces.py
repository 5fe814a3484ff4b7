"""Where names are looked up that are written without a namespace, and where tables are made."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from lakeport.lineage.names import is_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakeport.lineage.names import Name


class Namespaces:
    """The defaults and the search path of a session."""

    def __init__(self) -> None:
        # Where a session of the engine begins, if nothing says where it is.
        self.first_schema: str | None = None
        self.default_catalog: str | None = None
        self.default_schema: str | None = None
        self.search_path: list[tuple[str | None, str]] = []
        # The namespace and the path that the session began with.
        self._first: tuple[str | None, list[tuple[str | None, str]]] = (None, [])

    @property
    def are_chosen(self) -> bool:
        """Whether a name without a namespace may mean one in some other."""
        return bool(self.default_schema or self.default_catalog or self.search_path)

    def parts(self) -> list[str]:
        """All that a name may be looked up in without being written there."""
        path = [part for parts in self.search_path for part in parts]
        found = (self.first_schema, self.default_catalog, self.default_schema, *path)
        return [part for part in found if part]

    def canonical(self, parts: Name) -> Name:
        """What a written name means as the target of a CREATE: always in the current namespace.

        But for T-SQL's `#t`, which is the session's whoever creates or drops it.
        """
        if parts and parts[-1].startswith("#"):
            return parts[-1:]
        if len(parts) == 1 and is_path(parts[0]):
            return parts
        if len(parts) == 1 and self.default_schema is not None:
            qualified = (self.default_schema, *parts)
            return qualified if self.default_catalog is None else (self.default_catalog, *qualified)
        if len(parts) == 2 and self.default_catalog is not None:
            return (self.default_catalog, *parts)
        return parts

    def along_path(self, parts: Name) -> list[Name]:
        """A bare name in each namespace of the search path."""
        return [
            (schema, *parts) if catalog is None else (catalog, schema, *parts)
            for catalog, schema in self.search_path
        ]

    def at_home(self, parts: Name) -> Iterator[Name]:
        """The same name with or without the schema that a session of the engine begins in."""
        home = self.first_schema
        if home is None or self.are_chosen:
            return
        if len(parts) == 1 and not parts[0].startswith("#"):
            yield (home, *parts)
        elif len(parts) == 2 and parts[0] == home:
            yield parts[1:]

    def full_name(self, parts: list[str]) -> list[str]:
        """What is stored belongs to a catalog and a namespace: by default, Spark's own."""
        first = [self.default_catalog or "spark_catalog", self.default_schema or "default"]
        return [*first[: max(0, 3 - len(parts))], *parts]

    def use(
        self,
        catalog: str | None,
        schema: str | None,
        path: list[tuple[str | None, str]] | None = None,
    ) -> None:
        """USE and SET search_path."""
        if catalog is not None:
            if catalog != self.default_catalog:
                # Its schemas are others, whatever they are called.
                self.default_schema, self.search_path = None, []
            self.default_catalog = catalog
        if schema is not None:
            self.default_schema = schema
            self.search_path = [(self.default_catalog, schema)]
        if path is not None:
            self.search_path = path
            self.default_schema = path[0][1] if path else None

    def start(
        self, catalog: str | None, schema: str | None, path: list[tuple[str | None, str]]
    ) -> None:
        """The defaults of the request."""
        self.default_catalog, self.default_schema, self.search_path = catalog, schema, path
        self._first = (schema, path)

    @contextmanager
    def inside(self, namespace: Name) -> Iterator[None]:
        """Names mean those of this namespace first, and only then those of the session."""
        if not namespace:
            yield
            return
        before = self.default_catalog, self.default_schema, self.search_path
        *catalog, schema = namespace
        first = catalog[0] if catalog else self.default_catalog
        path = self.search_path
        if not path and self.default_schema is not None:
            path = [(self.default_catalog, self.default_schema)]
        self.default_catalog, self.default_schema = first, schema
        self.search_path = [(first, schema), *path]
        try:
            yield
        finally:
            self.default_catalog, self.default_schema, self.search_path = before

    def use_first(self) -> None:
        """Where names were looked up at first."""
        self.default_schema, self.search_path = self._first
