"""Which models a person means: `orders`, `+marts.*`, `2+orders`, `tag:nightly,path:models/marts`, `state:modified+`.

A selector is made of terms. A comma between terms means both, a blank or another selector means either.
`+` takes what comes before or after along, a number beside it so many steps of it, `@` whatever is needed
to build all that comes after. What matches nothing is a mistake and never an empty answer, unless it asks
for what has changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeAlias

from lakeport.core.errors import InvalidRequestError, NotFoundError, UnknownWordError
from lakeport.core.names import TableName, fold, nearest, quoted

if TYPE_CHECKING:
    from lakeport.pipeline.graph.graph import Graph

Modified: TypeAlias = Callable[[], Collection[TableName]]
"""The models that differ from what was built last; asked for only if a selector needs it."""

_TERM = re.compile(r"(?P<at>@)?(?:(?P<before>\d*)\+)?(?P<core>[^+@]+)(?:\+(?P<after>\d*))?")
_METHODS = ("tag", "path", "state")
_STATES = ("modified",)
_GLOB = re.compile(r"[*?\[]")
_EXAMPLES = "write a model (orders, marts.orders), a glob (marts.*), tag:NAME, path:FOLDER or state:modified, with + for what is up- or downstream"


def chosen(
    graph: Graph, select: Collection[str], exclude: Collection[str], modified: Modified | None
) -> tuple[TableName, ...]:
    selection = _Selection(graph, modified)
    wanted = selection.union(select) if select else set(graph.names)
    unwanted = selection.union(exclude)
    return tuple(name for name in graph.names if name in wanted and name not in unwanted)


@dataclass(frozen=True, slots=True)
class _Selection:
    graph: Graph
    modified: Modified | None

    def union(self, selectors: Iterable[str]) -> set[TableName]:
        found: set[TableName] = set()
        for selector in selectors:
            parts = selector.split()
            if not parts:
                raise InvalidRequestError("a selector is empty", hint=_EXAMPLES)
            for part in parts:
                found |= self._intersection(part)
        return found

    def _intersection(self, selector: str) -> set[TableName]:
        first, *rest = (self._term(term, selector) for term in selector.split(","))
        return first.intersection(*rest)

    def _term(self, term: str, selector: str) -> set[TableName]:
        read = _TERM.fullmatch(term)
        if read is None or (read["at"] and (read["before"], read["after"]) != (None, None)):
            raise InvalidRequestError(f"{quoted(selector)} is no selector", hint=_EXAMPLES)
        core = self._core(read["core"])
        if read["at"]:
            below = core | self.graph.descendants(core)
            return below | self.graph.ancestors(below)
        found = set(core)
        if read["before"] is not None:
            found |= self.graph.ancestors(core, _steps(read["before"]))
        if read["after"] is not None:
            found |= self.graph.descendants(core, _steps(read["after"]))
        return found

    def _core(self, core: str) -> set[TableName]:
        method, colon, value = core.partition(":")
        if colon:
            match method:
                case "tag":
                    return self._tagged(value)
                case "path":
                    return self._at(value)
                case "state":
                    return self._in_state(value)
            close = nearest(method, _METHODS)
            raise InvalidRequestError(
                f"{quoted(core)} selects by {quoted(method)}, which there is not",
                hint=f"did you mean {quoted(f'{close}:{value}')}? {_EXAMPLES}"
                if close
                else _EXAMPLES,
            )
        if "/" in core or core.endswith((".sql", ".py")):
            return self._at(core)
        return self._named(core)

    def _named(self, name: str) -> set[TableName]:
        wanted = fold(name)
        by_full_name = "." in name
        found = {
            model
            for model in self.graph.names
            if _matches(wanted, fold(str(model) if by_full_name else model.table))
        }
        if not found:
            raise self._unknown_name(name)
        return found

    def _unknown_name(self, name: str) -> NotFoundError:
        namespaces = {fold(model.namespace): model.namespace for model in self.graph.names}
        if fold(name) in namespaces:
            return UnknownWordError(
                f"there is no model {quoted(name)}",
                hint=f"it is a namespace: {quoted(namespaces[fold(name)] + '.*')} is all of its models",
            )
        if any(name in node.model.settings.tags for node in self.graph.nodes):
            return UnknownWordError(
                f"there is no model {quoted(name)}",
                hint=f"it is a tag: {quoted(f'tag:{name}')} is all models that have it",
            )
        if _GLOB.search(name):
            return UnknownWordError(f"no model is called like {quoted(name)}", hint=_EXAMPLES)
        known = [str(model) if "." in name else model.table for model in self.graph.names]
        return UnknownWordError.among("model", name, dict.fromkeys(known))

    def _tagged(self, tag: str) -> set[TableName]:
        tags = {node.name: node.model.settings.tags for node in self.graph.nodes}
        found = {name for name, held in tags.items() if any(_matches(tag, one) for one in held)}
        if not found:
            raise UnknownWordError.among(
                "tag", tag, {one for held in tags.values() for one in held}
            )
        return found

    def _at(self, path: str) -> set[TableName]:
        wanted = path.removeprefix("./").rstrip("/")
        found = {
            node.name
            for node in self.graph.nodes
            if wanted in {node.model.path, "."}
            or node.model.path.startswith(f"{wanted}/")
            or fnmatchcase(node.model.path, wanted)
        }
        if not found:
            paths = [node.model.path for node in self.graph.nodes]
            folders = {
                "/".join(parts[:n])
                for parts in (p.split("/") for p in paths)
                for n in range(1, len(parts))
            }
            close = nearest(wanted, [*paths, *folders])
            hint = "paths are relative to the project's folder"
            raise UnknownWordError(
                f"there is no model in {quoted(path)}",
                hint=f"did you mean {quoted(close)}? {hint}" if close else hint,
            )
        return found

    def _in_state(self, state: str) -> set[TableName]:
        if state not in _STATES:
            raise UnknownWordError.among("state", state, _STATES)
        if self.modified is None:
            raise InvalidRequestError(
                "what was built last is not known here, so nothing can be selected by state",
                hint="select by name, tag or path",
            )
        changed = {name.folded for name in self.modified()}
        return {name for name in self.graph.names if name.folded in changed}


def _matches(pattern: str, text: str) -> bool:
    return fnmatchcase(text, pattern) if _GLOB.search(pattern) else text == pattern


def _steps(count: str) -> int | None:
    return int(count) if count else None
