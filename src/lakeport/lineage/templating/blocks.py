"""dbt's own tags: a snapshot is unwrapped, tests, materializations and docs are left out."""

from __future__ import annotations

from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser


class DbtBlocks(Extension):
    """`{% snapshot x %} … {% endsnapshot %}` and its kin."""

    tags = frozenset({"snapshot", "test", "data_test", "materialization", "docs"})  # type: ignore[assignment] # jinja declares a plain set

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        tag = next(parser.stream)
        name = parser.stream.current.value if parser.stream.current.type == "name" else None
        while parser.stream.current.type != "block_end":
            next(parser.stream)
        body = parser.parse_statements((f"name:end{tag.value}",), drop_needle=True)
        if tag.value != "snapshot":
            return []
        named = nodes.Call(
            nodes.Name("_snapshot", "load"),
            [nodes.Const(name)],
            [],
            None,
            None,
            lineno=tag.lineno,
        )
        return [nodes.ExprStmt(named, lineno=tag.lineno), *body]
