"""From a written table name to a relation: CTE, temporary, imported, implied, or unknown.

Iceberg's branches, tags and metadata tables, BigQuery's shards and paths in place of names are
folded onto the relation they belong to; the rest of the name goes to the node's metadata.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.scope import Relation
from lakeport.lineage.bind.system_tables import is_system_table
from lakeport.lineage.entries import ColumnEntry, Lookup, TableEntry
from lakeport.lineage.identifier_clause import is_dynamic
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import Name, dotted, is_path, unsharded, written_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Scope

_FORMATS = frozenset(
    {"parquet", "orc", "json", "csv", "avro", "text", "delta", "iceberg", "binaryfile", "xml"}
)
# `/data/orders@v3`, or with a moment, of Delta.
_FOLDER_VERSION = re.compile(r"@(?:v\d+|\d{17})$", re.IGNORECASE)
_METADATA_TABLES: dict[str, tuple[str, ...]] = {
    "snapshots": (
        "committed_at",
        "snapshot_id",
        "parent_id",
        "operation",
        "manifest_list",
        "summary",
    ),
    "history": ("made_current_at", "snapshot_id", "parent_id", "is_current_ancestor"),
    "metadata_log_entries": (
        "timestamp",
        "file",
        "latest_snapshot_id",
        "latest_schema_id",
        "latest_sequence_number",
    ),
    "refs": (
        "name",
        "type",
        "snapshot_id",
        "max_reference_age_in_ms",
        "min_snapshots_to_keep",
        "max_snapshot_age_in_ms",
    ),
    "files": (
        "content",
        "file_path",
        "file_format",
        "spec_id",
        "partition",
        "record_count",
        "file_size_in_bytes",
        "column_sizes",
        "value_counts",
        "null_value_counts",
        "nan_value_counts",
        "lower_bounds",
        "upper_bounds",
        "key_metadata",
        "split_offsets",
        "equality_ids",
        "sort_order_id",
        "readable_metrics",
    ),
    "manifests": (
        "content",
        "path",
        "length",
        "partition_spec_id",
        "added_snapshot_id",
        "added_data_files_count",
        "existing_data_files_count",
        "deleted_data_files_count",
        "added_delete_files_count",
        "existing_delete_files_count",
        "deleted_delete_files_count",
        "partition_summaries",
    ),
    "partitions": (
        "partition",
        "spec_id",
        "record_count",
        "file_count",
        "total_data_file_size_in_bytes",
        "position_delete_record_count",
        "position_delete_file_count",
        "equality_delete_record_count",
        "equality_delete_file_count",
        "last_updated_at",
        "last_updated_snapshot_id",
    ),
    "entries": (
        "status",
        "snapshot_id",
        "sequence_number",
        "file_sequence_number",
        "data_file",
        "readable_metrics",
    ),
    "position_deletes": ("file_path", "pos", "row", "partition", "spec_id", "delete_file_path"),
}
_METADATA_TABLES["data_files"] = _METADATA_TABLES["all_data_files"] = _METADATA_TABLES["files"]
_METADATA_TABLES["delete_files"] = _METADATA_TABLES["all_delete_files"] = _METADATA_TABLES["files"]
_METADATA_TABLES["all_files"] = _METADATA_TABLES["files"]
_METADATA_TABLES["all_manifests"] = _METADATA_TABLES["manifests"]
_METADATA_TABLES["all_entries"] = _METADATA_TABLES["entries"]


def written_name(binder: Binder, node: exp.Expr) -> tuple[Name, tuple[str, ...]]:
    """A table's folded parts and their original spelling."""
    folding = binder.folding
    fold = folding.table
    args = node.args
    only = args.get("this")
    if only.__class__ is exp.Identifier and ("db" not in args or args["db"] is None):
        facts = only.args
        # `#t` and `##t` have more facts than a text and its quotes.
        if len(facts) <= 2 and not folding.shards:
            # A bare name, as most are.
            text = facts["this"]
            quoted = facts.get("quoted")
            return (fold(text, quoted=True) if quoted else folding.tables[text],), (text,)
    folded: list[str] = []
    shown: list[str] = []
    for part in name_parts(node):
        args = part.args
        text = part.name
        if is_table_variable(binder, part):
            text = f"@{text}"
        elif part.__class__ is not exp.Identifier:
            text = text or part.sql(comments=False)
        elif args.get("temporary"):
            text = f"#{text}"
        elif args.get("global_"):
            text = f"##{text}"
        shown.append(text)
        folded.append(fold(text, quoted=bool(args.get("quoted"))))
    if binder.folding.shards and folded:
        folded[-1] = unsharded(folded[-1])
    if len(folded) == 2 and folded[0].lower() in _FORMATS and "/" in shown[1]:
        # A table in a folder is the folder, whoever reads or writes it and whichever its version.
        path = (_FOLDER_VERSION.sub("", shown[1]),)
        return path, path
    return tuple(folded), tuple(shown)


def table_named(text: str) -> exp.Table:
    """A table whose dotted name is the text of a string."""
    return _table_of(written_parts(text))


def _table_of(parts: Sequence[tuple[str, bool]]) -> exp.Table:
    identifiers = [exp.to_identifier(part, quoted=quoted) for part, quoted in reversed(parts)]
    return exp.Table(**dict(zip(("this", "db", "catalog"), identifiers, strict=False)))


def table_meant(column: exp.Column) -> exp.Table:
    """A table whose name was read as that of a column."""
    parts = [part for part in column.parts if isinstance(part, exp.Identifier)]
    return exp.Table(**dict(zip(("this", "db", "catalog"), reversed(parts), strict=False)))


def is_table_variable(binder: Binder, part: object) -> bool:
    """T-SQL's `@rows`, which lives as long as the batch that declares it."""
    return part.__class__ is exp.Parameter and binder.dialect.name in {"tsql", "fabric"}


def name_parts(node: exp.Expr) -> list[exp.Expr]:
    """The parts of a table's name, outermost first."""
    args = node.args
    last = args.get("this")
    if last.__class__ is exp.Identifier and args.get("db") is None:
        return [last]
    found: list[exp.Expr] = []
    for part in (args.get("catalog"), args.get("db"), last):
        # More than three parts arrive as nested dots in the last one.
        tail: list[exp.Expr] = []
        current = part
        while isinstance(current, exp.Dot):
            tail.append(current.expression)
            current = current.this
        if isinstance(current, exp.Expr):
            found.append(current)
        found.extend(reversed(tail))
    return found


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
    return None if named is None else _table_of(named)


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
        lookup, extra = _part_of_table(binder, parts, lookup)
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
        relation.know(_metadata_entry(relation.name, str(extra["metadataTable"]), binder))


def _has_variable(relation: Relation) -> bool:
    return any("${" in part for part in relation.name)


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


def _part_of_table(binder: Binder, parts: Name, lookup: Lookup) -> tuple[Lookup, dict[str, object]]:
    """A branch, a tag or a metadata table of the table before it."""
    last = parts[-1]
    base = parts[:-1]
    if last.startswith("branch_"):
        return binder.registry.lookup(base), {"branch": last.removeprefix("branch_")}
    if last.startswith("tag_"):
        return binder.registry.lookup(base), {"tag": last.removeprefix("tag_")}
    if last in _METADATA_TABLES:
        found = binder.registry.lookup(base)
        if found.entry is not None or len(parts) > 3:
            return found, {"metadataTable": last}
    return lookup, {}


def is_part_of_table(name: str) -> bool:
    """Whether behind the name of a table this may be a branch, a tag or a metadata table of it."""
    return name.startswith(("branch_", "tag_")) or name in _METADATA_TABLES


def _metadata_entry(name: Name, table: str, binder: Binder) -> TableEntry:
    columns = [
        ColumnEntry(column, binder.folding.column(column), "implied")
        for column in _METADATA_TABLES[table]
    ]
    return TableEntry(name, name, columns, "implied", complete=True)


# Where a name may be more than its tokens say.
_JOINING = frozenset({"tsql", "bigquery"})


def _joined_span(binder: Binder, part: exp.Expr) -> tuple[int, int] | None:
    """BigQuery's `my-table` and `25_a`: the parser joins the tokens, and knows the first's place."""
    span = binder.span(part)
    if span is None or not binder.text.startswith(part.name, span[0]):
        return None
    return span[0], span[0] + len(part.name)


def name_span(binder: Binder, node: exp.Expr) -> tuple[int, int] | None:
    """Where a table's name stands, with T-SQL's `#` in front of it."""
    args = node.args
    if args.get("db") is None and binder.dialect.parser not in _JOINING:
        only = args.get("this")
        if only.__class__ is exp.Identifier:
            return binder.span(only)
    spans = [span for part in name_parts(node) if (span := binder.span(part)) is not None]
    if binder.dialect.naming == "bigquery":
        spans += [span for part in name_parts(node) if (span := _joined_span(binder, part))]
    if not spans:
        return None
    start, end = spans[0]
    for span in spans[1:]:
        start, end = min(start, span[0]), max(end, span[1])
    while start > 0 and binder.text[start - 1] == "#" and binder.dialect.parser == "tsql":
        start -= 1
    if binder.dialect.naming == "bigquery":
        # `x-0.y`, `x.*`: the last part has no place of its own.
        last = f".{name_parts(node)[-1].name}"
        end += len(last) if binder.text.startswith(last, end) else 0
    return start, end


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
        lookup, _ = _part_of_table(binder, parts, lookup)
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
