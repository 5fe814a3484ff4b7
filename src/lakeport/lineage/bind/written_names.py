"""How a table is written: the parts of its name, folded and as they are spelt, and where they stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.names import Name, unsharded, written_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakeport.lineage.bind.binder import Binder

_FORMATS = frozenset(
    {"parquet", "orc", "json", "csv", "avro", "text", "delta", "iceberg", "binaryfile", "xml"}
)
# `/data/orders@v3`, or with a moment, of Delta.
_FOLDER_VERSION = re.compile(r"@(?:v\d+|\d{17})$", re.IGNORECASE)


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
    return table_of(written_parts(text))


def table_of(parts: Sequence[tuple[str, bool]]) -> exp.Table:
    """A table of that name, each part with whether it is quoted."""
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
