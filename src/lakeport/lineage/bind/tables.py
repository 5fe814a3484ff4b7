"""From a written table name to a relation: CTE, temporary, imported, implied, or unknown.

What Iceberg writes behind a table's name and BigQuery's shards are folded onto the relation they belong
to; the rest of the name goes to the node's metadata.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.scope import Relation
from lakeport.lineage.bind.system_tables import is_system_table
from lakeport.lineage.bind.table_parts import metadata_entry, part_of_table
from lakeport.lineage.bind.written_names import (
    is_table_variable,
    name_parts,
    name_span,
    table_of,
    written_name,
)
from lakeport.lineage.entries import Lookup
from lakeport.lineage.identifier_clause import is_dynamic
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import Name, dotted, is_path

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Scope


def bind_table(binder: Binder, node: exp.Table, scope: Scope | None) -> Relation:
    """A table read by name."""
    args = node.args
    identifier = args.get("this")
    if identifier.__class__ is exp.Identifier and ("db" not in args or args["db"] is None):
        if scope is not None and scope.ctes:
            cte = scope.ctes.get(binder.key(identifier))
            if cte is not None:
                return _read_cte(binder, cte, identifier)
        if binder.blocks and identifier.name.lower() in _CHANGED:
            changed = trigger_table(binder)
            if changed is not None:
                return changed
        parts, shown = written_name(binder, node)
        return known_table(binder, parts, shown, node)
    parts, shown = written_name(binder, node)
    if not all(
        part.__class__ is exp.Identifier or is_table_variable(binder, part)
        for part in name_parts(node)
    ):
        return _odd_name(binder, node, parts, shown)
    return known_table(binder, parts, shown, node)


# What the rows that change are called in a trigger of T-SQL.
_CHANGED = frozenset({"inserted", "deleted"})


def trigger_table(binder: Binder) -> Relation | None:
    """The table of the trigger that the statement stands in, read for the rows that change."""
    table = trigger_name(binder)
    if table is None:
        return None
    return known_table(binder, *written_name(binder, table), table)


def trigger_name(binder: Binder) -> exp.Table | None:
    """The table that the innermost trigger around the statement is on."""
    named = next((block.table for block in reversed(binder.blocks) if block.table), None)
    return None if named is None else table_of(named)


def _read_cte(binder: Binder, cte: Relation, identifier: exp.Expr) -> Relation:
    cte.used = True
    span = binder.span(identifier)
    if span is not None:
        cte.name_spans = (*cte.name_spans, span)
    return cte


_COMPUTED = (
    exp.Parameter,
    exp.Placeholder,
    exp.DynamicIdentifier,
    exp.Anonymous,
    exp.SessionParameter,
)


def report_computed(binder: Binder, node: exp.Expr, shown: tuple[str, ...]) -> bool:
    """Whether a part of a table's name is a variable, which is reported."""
    parts = name_parts(node)
    if not any(isinstance(p, _COMPUTED) and not is_table_variable(binder, p) for p in parts):
        return False
    name = dotted(shown) or "dynamic"
    binder.report(
        IssueCode.DYNAMIC_SQL,
        f"the table name `{name}` is computed at run time",
        at=node,
        relation_name=name,
        hint=_RENDER,
    )
    return True


_RENDER = "render the variable before the analysis"


def _odd_name(binder: Binder, node: exp.Table, parts: Name, shown: tuple[str, ...]) -> Relation:
    """A path, a stage, or a name that is computed at run time."""
    if report_computed(binder, node, shown):
        name = dotted(shown) or "dynamic"
        relation = binder.relation("table", name, parts or (name,))
        relation.complete = False
        relation.resolution = "unknown"
        relation.metadata["placeholder"] = True
        binder.reads.setdefault(name)
        return relation
    text = shown[-1] if shown else node.sql(comments=False)
    return binder.external(text, text)


def known_table(
    binder: Binder,
    parts: Name,
    shown: tuple[str, ...],
    node: exp.Expr,
    *,
    write: bool = False,
) -> Relation:
    """A table by its name, as a relation of the statement with what is known about it."""
    lookup, extra, label = binder.registry.lookup(parts), None, shown[-1]
    if lookup.entry is None and len(parts) >= 3 and binder.dialect.naming == "spark":
        lookup, extra = part_of_table(binder, parts, lookup)
        label = shown[-2] if extra else label
    entry, name, source = lookup.entry, lookup.name, lookup.source
    if entry is None and not write and _is_path(binder, shown):
        file = binder.external(label, label)
        file.span = name_span(binder, node)
        return file
    if entry is not None:
        relation = binder.relation(entry.kind, label, name)
        relation.know(entry)
        if entry.conflict is not None and source == "imported":
            relation.conflicting = not binder.registry.merge_columns
        if entry.temporary:
            relation.metadata["temporary"] = True
    else:
        relation = binder.relation(lookup.kind, label, name)
        relation.complete = False
    relation.span = name_span(binder, node)
    if extra:
        _know_part(binder, relation, extra)
    if entry is None or (entry.inference == "usage" and source == "implied"):
        source = "unknown"
        _mark_unknown(binder, relation)
    relation.resolution = source
    if write:
        return relation
    relation.is_read = True
    binder.reads.setdefault(name[0] if len(name) == 1 else dotted(name))
    if source == "unknown" or lookup.dropped_at is not None or lookup.created_at is not None:
        report_lookup(binder, lookup, relation)
    return relation


def _know_part(binder: Binder, relation: Relation, extra: dict[str, object]) -> None:
    relation.metadata.update(extra)
    if "metadataTable" in extra:
        relation.know(metadata_entry(relation.name, str(extra["metadataTable"]), binder))


def _has_variable(relation: Relation) -> bool:
    return any("${" in part or part[:1] == "&" for part in relation.name)


def _mark_unknown(binder: Binder, relation: Relation) -> None:
    """A folder, a name that is computed, or a table that nobody told of."""
    relation.metadata["placeholder"] = True
    if len(relation.name) == 1 and is_path(relation.name[0]):
        relation.metadata["external"] = "path"
    if not _has_variable(relation):
        return
    name = dotted(relation.name)
    binder.session.report(
        IssueCode.DYNAMIC_SQL,
        f"the table name `{name}` is computed at run time",
        statement=binder.index,
        extent=relation.span,
        relation=name,
        hint=_RENDER,
    )


def _is_path(binder: Binder, shown: tuple[str, ...]) -> bool:
    """`FROM '/data/x'`: a name with a slash is a file's, in DuckDB one with a file's ending too."""
    if len(shown) > 1:
        return False
    name = shown[0]
    return "/" in name or (
        binder.dialect.name == "duckdb" and name.lower().removesuffix(".gz").endswith(_ENDINGS)
    )


_ENDINGS = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".arrow", ".xlsx")


def look_at(
    binder: Binder, parts: Name, shown: tuple[str, ...], extent: tuple[int, int] | None
) -> None:
    """A table that a statement only tells about: all there is to say is whether it is there.

    That is said to those who ask for every unknown table. To others such statements are nothing to remark on.
    """
    if binder.session.options.unknown_table_policy != "always":
        return
    lookup = binder.registry.lookup(parts)
    if lookup.entry is None and len(parts) >= 3:
        lookup, _ = part_of_table(binder, parts, lookup)
    entry = lookup.entry
    if entry is None and _is_path(binder, shown):
        return
    relation = Relation("table", shown[-1], lookup.name)
    relation.span = extent
    used = entry is not None and entry.inference == "usage" and lookup.source == "implied"
    relation.resolution = "unknown" if entry is None or used else lookup.source
    report_lookup(binder, lookup, relation)


def report_lookup(binder: Binder, lookup: Lookup, relation: Relation) -> None:
    """What is worth saying about how a read was resolved."""
    if lookup.dropped_at is None and lookup.created_at is None and relation.resolution != "unknown":
        return
    if lookup.entry is None and (_has_variable(relation) or relation.metadata.get("external")):
        return
    name = dotted(lookup.name)
    if lookup.dropped_at is not None:
        relation.complete = False if lookup.entry is None else relation.complete
        relation.conflicting = relation.stale = True
        renamed = binder.registry.renamed.get(lookup.name)
        became = f"renamed to `{dotted(renamed)}`" if renamed is not None else "dropped"
        binder.report(
            IssueCode.DROPPED_TABLE_REFERENCE,
            f"`{name}` was {became} in statement {lookup.dropped_at}",
            extent=relation.span,
            relation=relation,
            hint="move this statement before the DROP"
            if renamed is None
            else "use the new name, or move this statement before the ALTER",
        )
    elif lookup.created_at is not None:
        binder.report(
            IssueCode.FORWARD_REFERENCE,
            f"`{name}` is created later, in statement {lookup.created_at}",
            extent=relation.span,
            relation=relation,
            hint="move the CREATE before this statement",
        )
    elif (
        (lookup.entry is None or lookup.entry.inference == "usage")
        and not is_dynamic(relation.label)
        and binder.session.warns_about_unknown_tables
        and not is_system_table(lookup.name, binder.dialect.name)
    ):
        close = binder.session.nearest_table(lookup.name)
        binder.report(
            IssueCode.UNKNOWN_TABLE,
            f"table `{name}` is not known",
            extent=relation.span,
            relation=relation,
            suggestions=[close] if close else [],
            hint=f"did you mean `{close}`?" if close else "add it to schema.tables",
        )
