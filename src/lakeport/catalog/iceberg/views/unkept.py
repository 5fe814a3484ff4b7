"""A catalog without views: not every service has them, and a database of the old layout has no room for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from lakeport.catalog.views import Json, StoredView, View
from lakeport.core.errors import NotFoundError, UnsupportedError
from lakeport.core.names import TableName, quoted


class UnkeptViews:
    """A `catalog.views.Views` in which nothing is found and nothing can be made."""

    def __init__(self, catalog: str, hint: str) -> None:
        self._catalog = catalog
        self._hint = hint

    def names(self) -> Sequence[str]:
        return ()

    def view(self, name: str) -> View:
        raise NotFoundError.among("view", name, ())

    def load(self, name: str) -> StoredView:
        raise NotFoundError.among("view", name, ())

    def create(self, name: str, wanted: Json, *, anywhere: bool = False) -> NoReturn:
        del name, wanted, anywhere
        raise self._refusal()

    def commit(
        self,
        name: str,
        requirements: Sequence[Json],
        updates: Sequence[Json],
        *,
        anywhere: bool = False,
    ) -> NoReturn:
        del requirements, updates, anywhere
        raise NotFoundError.among("view", name, ())

    def register(self, name: str, location: str, *, anywhere: bool = False) -> NoReturn:
        del name, location, anywhere
        raise self._refusal()

    def drop(self, name: str) -> NoReturn:
        raise NotFoundError.among("view", name, ())

    def rename(self, name: str, to: TableName) -> NoReturn:
        del to
        raise NotFoundError.among("view", name, ())

    def _refusal(self) -> UnsupportedError:
        return UnsupportedError(f"catalog {quoted(self._catalog)} keeps no views", hint=self._hint)
