"""The endpoints of the door: one entry each, from which the configuration's list of them comes, too.

Paths are taken apart before they are decoded: a name may hold a slash, and engines in Java write a blank
as `+`. The prefix, which says the catalog, may be left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

from lakeport.catalog.ports import Catalog
from lakeport.core.errors import InvalidRequestError
from lakeport.rest.answers import Answer
from lakeport.rest.desk import Desk
from lakeport.rest.failures import NO_TABLE

Handler: TypeAlias = Callable[[Desk], Answer]

PREFIX = "{prefix}"


@dataclass(frozen=True, slots=True)
class Route:
    """`missing` is what a 404 is about. `commits`: its failures tell whether something was applied.

    `is_open`: nobody has to be recognised who calls it.
    """

    method: str
    template: str
    handler: Handler
    missing: str = NO_TABLE
    commits: bool = False
    is_open: bool = False
    offered: Callable[[Catalog], bool] = lambda _catalog: True

    @property
    def action(self) -> str:
        """How audit and metrics call it."""
        return f"rest.{self.handler.__name__}"

    @property
    def endpoint(self) -> str:
        """As the configuration lists it."""
        return f"{self.method} {self.template}"

    def shapes(self) -> Iterator[tuple[str, ...]]:
        """The parts of its path, with the prefix and without it."""
        parts = tuple(self.template.strip("/").split("/"))
        yield parts
        if PREFIX in parts:
            yield tuple(part for part in parts if part != PREFIX)


@dataclass(frozen=True, slots=True)
class Matched:
    route: Route
    path: Mapping[str, str]


class Routes:
    def __init__(self, routes: Iterable[Route]) -> None:
        self._by_length: defaultdict[int, list[tuple[Route, tuple[str, ...]]]] = defaultdict(list)
        for route in routes:
            for shape in route.shapes():
                self._by_length[len(shape)].append((route, shape))

    def find(self, method: str, segments: list[str]) -> Matched | tuple[str, ...]:
        """The route, or the methods that the path has: none if there is no such path."""
        allowed = []
        for route, shape in self._by_length.get(len(segments), ()):
            path = _matched(shape, segments)
            if path is None:
                continue
            if route.method == method:
                return Matched(route, path)
            allowed.append(route.method)
        return tuple(allowed)


def _matched(shape: tuple[str, ...], segments: list[str]) -> Mapping[str, str] | None:
    found: dict[str, str] = {}
    for part, segment in zip(shape, segments, strict=True):
        if part.startswith("{"):
            found[part[1:-1]] = segment
        elif part != segment:
            return None
    return found


def segments_of(path: bytes) -> list[str]:
    """The decoded parts of a path that is still encoded."""
    try:
        return [
            unquote_to_bytes(part.replace(b"+", b" ")).decode("utf-8")
            for part in path.strip(b"/").split(b"/")
        ]
    except UnicodeDecodeError:
        raise InvalidRequestError("the address is not UTF-8") from None
