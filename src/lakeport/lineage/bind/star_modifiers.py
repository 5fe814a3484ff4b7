"""What may follow a star: EXCEPT, REPLACE, RENAME, LIKE, each with the columns it names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Scope


class Modifiers:
    """What follows the star."""

    __slots__ = ("excluded", "fields", "pattern", "renamed", "replaced", "unmet")

    def __init__(self, binder: Binder, star: exp.Expr, scope: Scope) -> None:
        self.excluded: dict[str, exp.Expr] = {}
        # Fields of structs to leave out, by their column.
        self.fields: dict[str, list[list[exp.Expr]]] = {}
        for item in _listed(star, "except_"):
            parts = _parts(item)
            if len(parts) > 1 and binder.addressed(parts[:-1], scope) is None:
                self.fields.setdefault(binder.key(parts[0]), []).append(parts[1:])
            else:
                self.excluded[binder.key(item)] = item
        self.renamed: dict[str, exp.Expr] = {}
        self.replaced: dict[str, exp.Expr] = {}
        # What is named and not shown so far.
        self.unmet = dict(self.excluded)
        for item in _listed(star, "rename"):
            if isinstance(item, exp.Alias):
                key = binder.key(item.this)
                self.renamed[key], self.unmet[key] = item.args["alias"], item.this
        for item in _listed(star, "replace"):
            if isinstance(item, exp.Alias):
                key = binder.key(item.args["alias"])
                self.replaced[key], self.unmet[key] = item.this, item.args["alias"]
        like = star.args.get("ilike")
        self.pattern = _like(like) if isinstance(like, exp.Expr) else None
        for paths in self.fields.values():
            self.unmet.update((written_path(path), path[-1]) for path in paths)


def _parts(item: exp.Expr) -> list[exp.Expr]:
    """The names of `a.b.c` in order."""
    if not isinstance(item, exp.Column):
        return [item]
    names = [item.args.get(part) for part in ("catalog", "db", "table", "this")]
    return [name for name in names if isinstance(name, exp.Expr)]


def written_path(path: list[exp.Expr]) -> str:
    """The names of a field and of what it is in, with dots."""
    return ".".join(part.name for part in path)


def _listed(star: exp.Expr, name: str) -> list[exp.Expr]:
    value = star.args.get(name)
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, exp.Expr) else []


def _like(node: exp.Expr) -> re.Pattern[str]:
    text = re.escape(node.name).replace("%", ".*").replace("_", ".")
    return re.compile(text, re.IGNORECASE)
