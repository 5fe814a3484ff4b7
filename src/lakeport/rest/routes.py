"""The endpoints of the door: one entry each, from which the configuration's list of them comes, too.

Paths are taken apart before they are decoded: a name may hold a slash, and engines in Java write a blank
as `+`. The prefix, which says the catalog, may be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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

    def match(self, segments: list[str]) -> Mapping[str, str] | None:
        wanted = self.template.strip("/").split("/")
        if len(wanted) != len(segments):
            if len(wanted) != len(segments) + 1 or PREFIX not in wanted:
                return None
            wanted.remove(PREFIX)
        found: dict[str, str] = {}
        for template, segment in zip(wanted, segments, strict=True):
            if template.startswith("{"):
                found[template.strip("{}")] = segment
            elif template != segment:
                return None
        return found


@dataclass(frozen=True, slots=True)
class Matched:
    route: Route
    path: Mapping[str, str]


class Routes:
    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes = tuple(routes)

    def find(self, method: str, segments: list[str]) -> Matched | tuple[str, ...]:
        """The route, or the methods that the path has: none if there is no such path."""
        allowed = []
        for route in self._routes:
            path = route.match(segments)
            if path is None:
                continue
            if route.method == method:
                return Matched(route, path)
            allowed.append(route.method)
        return tuple(allowed)


def segments_of(path: bytes) -> list[str]:
    """The decoded parts of a path that is still encoded."""
    try:
        return [
            unquote_to_bytes(part.replace(b"+", b" ")).decode("utf-8")
            for part in path.strip(b"/").split(b"/")
        ]
    except UnicodeDecodeError:
        raise InvalidRequestError("the address is not UTF-8") from None
