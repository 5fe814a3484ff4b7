"""Statements that tell about a table: Spark refuses them if it is not there, though they read nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.bind.tables import look_at
from lakeport.lineage.bind.written_names import name_span, written_name
from lakeport.lineage.names import written_parts

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder

_NAME = r"(?:`[^`]+`|\w+)(?:\.(?:`[^`]+`|\w+))*"
_SHOWN = re.compile(
    r"\s*(?:COLUMNS\s+(?:FROM|IN)|CREATE\s+TABLE|PARTITIONS|TBLPROPERTIES)\s+"
    rf"(?P<table>{_NAME})(?:\s+(?:FROM|IN)\s+(?P<schema>{_NAME}))?(?![\w.(`])",
    re.IGNORECASE,
)


def tell_about(binder: Binder, tree: exp.Expr) -> None:
    """DESCRIBE, ANALYZE and REFRESH, of a table."""
    kind = str(tree.args.get("kind") or "TABLE").upper()
    if binder.dialect.naming != "spark" or kind != "TABLE":
        return
    if isinstance(tree, exp.Describe) and tree.expressions:
        # `DESCRIBE EXTERNAL LOCATION l`, which the parser takes for a table and a clause.
        return
    if isinstance(tree, exp.Analyze):
        tables = tree.args.get("tables") or []
    else:
        tables = [tree.this] if isinstance(tree, exp.Describe | exp.Refresh) else []
    for table in tables:
        if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
            parts, shown = written_name(binder, table)
            look_at(binder, parts, shown, name_span(binder, table))


def show_table(binder: Binder, text: str) -> None:
    """`SHOW COLUMNS IN t FROM db` and the like, which the parser leaves as text."""
    found = _SHOWN.match(text) if binder.dialect.naming == "spark" else None
    if found is None:
        return
    written = written_parts(found["table"])
    if found["schema"] is not None and len(written) == 1:
        written = [*written_parts(found["schema"]), *written]
    parts = tuple(binder.folding.table(part, quoted=quoted) for part, quoted in written)
    start = binder.fragments.place_of(text)
    extent = None
    if start is not None:
        extent = (start + found.start("table"), start + found.end("table"))
    look_at(binder, parts, tuple(part for part, _ in written), extent)
