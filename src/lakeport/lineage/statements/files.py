"""COPY, LOAD and UNLOAD: files, folders and stages as external relations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.scope import Scope
from lakeport.lineage.names import dotted
from lakeport.lineage.statements.define import bind_create
from lakeport.lineage.statements.insert import fill
from lakeport.lineage.statements.targets import target_table

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder


def bind_copy(binder: Binder, tree: exp.Expr) -> str:
    """`kind` is true when data flows into the table."""
    table = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    outside = isinstance(table, exp.Table) and not isinstance(table.this, exp.Identifier)
    files = tree.args.get("files") or []
    if isinstance(table, exp.Query):
        output = binder.query(table, None, {})
        for file in files:
            written = binder.external(_path(file), _path(file), read=False)
            written.written = True
            binder.writes.setdefault(_path(file))
            written.receive(output)
        return "COPY"
    inward = bool(tree.args.get("kind")) and not outside
    if inward:
        target = target_table(binder, table)
        for file in files:
            if isinstance(file, exp.Query):
                fill(binder, exp.Insert(this=tree.this), target, binder.query(file, None, {}))
            else:
                target.table_inputs.append((binder.external(_path(file), _path(file)), "COPY"))
    else:
        _unload(binder, table, files)
    return "COPY"


def _unload(binder: Binder, table: exp.Expr, files: list[exp.Expr]) -> None:
    stage = isinstance(table, exp.Table) and not isinstance(table.this, exp.Identifier)
    places = [table] if stage else files
    sources = files if stage else [table]
    for place in places:
        target = binder.external(_path(place), _path(place), read=False)
        target.written = True
        binder.writes.setdefault(dotted(target.name))
        for source in sources:
            if isinstance(source, exp.Query):
                target.receive(binder.query(source, None, {}))
            elif isinstance(source, exp.Table):
                target.table_inputs.append((binder.table(source, Scope(None, {})), "COPY"))


def _path(node: exp.Expr) -> str:
    return node.name or node.sql(comments=False)


def bind_export(binder: Binder, tree: exp.Expr) -> str:
    """BigQuery's `EXPORT DATA OPTIONS (uri = '…') AS …`."""
    if not isinstance(tree.this, exp.Query):
        binder.unsupported(tree, "the statement says nothing to export")
        return "UNLOAD"
    output = binder.query(tree.this, None, {})
    options = tree.args.get("options")
    for option in options.expressions if isinstance(options, exp.Expr) else []:
        place = option.args.get("value")
        if option.name.lower() == "uri" and isinstance(place, exp.Literal):
            target = binder.external(place.name, place.name, read=False)
            target.written = True
            binder.writes.setdefault(place.name)
            target.receive(output)
    return "UNLOAD"


def bind_load(binder: Binder, tree: exp.Expr) -> str:
    if isinstance(tree.this, exp.Schema):
        # BigQuery makes the table if it is not there.
        exists = not tree.args.get("overwrite")
        bind_create(binder, exp.Create(this=tree.this, kind="TABLE", exists=exists), {})
        target = binder.relations[-1]
    else:
        target = target_table(binder, tree.this)
    for path in _loaded_files(tree):
        target.table_inputs.append((binder.external(path, path), "LOAD"))
    whole = tree.args.get("overwrite") and not isinstance(tree.args.get("partition"), exp.Expr)
    target.appended = not whole
    return "LOAD"


def _loaded_files(tree: exp.Expr) -> list[str]:
    """Hive's one path, or those that BigQuery lists in `FROM FILES (uris = […])`."""
    path, files = tree.args.get("inpath"), tree.args.get("files")
    if isinstance(path, exp.Expr):
        return [path.name]
    return [
        uri.name
        for option in (files.expressions if isinstance(files, exp.Expr) else ())
        if option.name.lower() == "uris" and isinstance(option.args.get("value"), exp.Expr)
        for uri in option.args["value"].find_all(exp.Literal)
    ]
