"""CREATE FUNCTION with a body that is an expression or a query: what it reads, and what it misnames.

A body written as a script or as quoted text has become statements of its own long before this.
Nothing flows until the function is called, so there is no output.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.bind.expressions import collect
from lakeport.lineage.bind.routine_calls import read_body, united
from lakeport.lineage.bind.scope import Column, Relation, Scope, Source
from lakeport.lineage.blocks import Block
from lakeport.lineage.bodies import (
    ROUTINES,
    SQL_LANGUAGES,
    body_tokens,
    is_value,
    quoted_body,
    routine_header,
)
from lakeport.lineage.issues import IssueCode
from lakeport.lineage.parse import parsed_fragment
from lakeport.lineage.routines import Body
from lakeport.lineage.scripts.returned import returned_rows
from lakeport.lineage.types import type_of_node

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.bind.binder import Binder

# How a script begins.
_SCRIPTS = frozenset({"BEGIN", "DECLARE"})
# Where RETURN in a header names the type of the value.
_RETURN_TYPES = frozenset({"exasol", "oracle"})


def bind_function(binder: Binder, tree: exp.Expr) -> None:
    """Bind the body: columns of the tables it reads come first, then parameters."""
    body = tree.args.get("expression")
    if isinstance(body, exp.Return) and binder.dialect.name in _RETURN_TYPES:
        return
    returned = isinstance(body, exp.Return)
    while isinstance(body, exp.Return | exp.Paren):
        body = body.this
    quoted = isinstance(body, exp.Literal | exp.Heredoc | exp.RawString) and not returned
    if not isinstance(body, exp.Expr) or quoted:
        return
    _bind_body(binder, tree.this, body)


def _bind_body(
    binder: Binder, header: exp.Expr, *bodies: exp.Expr, names: frozenset[str] = frozenset()
) -> None:
    """Bind what a function gives: an expression, or the queries whose rows it returns."""
    parameters = _parameters(binder, header)
    known = names | {column.name.lower() for column in parameters.columns}
    binder.blocks = (*binder.blocks, Block(parameters.label.lower(), known))
    if binder.dialect.naming == "postgres":
        numbered = enumerate(parameters.columns, 1)
        binder.parameters = {str(place): column for place, column in numbered}
    # To the queries in the body the parameters are a row around them.
    scope = Scope(None, {})
    scope.sources.append(Source(binder.folding.column(parameters.label), parameters))
    read = [_bound(binder, body, scope, parameters) for body in bodies]
    whole = [body for body in read if body is not None]
    if len(whole) == len(read):
        binder.body = united(whole)


def _bound(binder: Binder, body: exp.Expr, scope: Scope, parameters: Relation) -> Body | None:
    """What a body is made of; None if a star in it could not be expanded."""
    decides = scope.indirect
    if isinstance(body, exp.Query):
        scope.reach += 1
        output = binder.query(body, scope, {})
        columns = [item for item in output.items if isinstance(item, Column)]
        if len(columns) < len(output.items):
            return None
        decides = [*output.indirect, *scope.indirect]
    else:
        columns = [Column("", "", refs=collect(binder, body, scope), expression=body)]
    shown = tuple((c.name, binder.types.shown(c) or "") for c in columns)
    # By `@name`, or by its number elsewhere than in Postgres, a parameter is no column.
    if binder.parameters or (
        parameters.complete and body.find(exp.Parameter, exp.Placeholder) is None
    ):
        return read_body(columns, shown, decides, parameters)
    return Body(shown)


def _parameters(binder: Binder, header: exp.Expr) -> Relation:
    """The parameters as columns of a row; a default sees none of them."""
    name = header.this.name
    relation = Relation("cte", name, (name,))
    # A list we could not read holds names we do not know.
    relation.complete = bool(header.args.get("wrapped"))
    for item in header.expressions:
        identifier = item.this if isinstance(item, exp.ColumnDef) else item
        if not isinstance(identifier, exp.Identifier):
            relation.complete = False
            continue
        column = Column(identifier.name, binder.key(identifier))
        kind = item.args.get("kind")
        if isinstance(kind, exp.DataType):
            column.type, column.typed = type_of_node(kind, binder.dialect.name), True
        relation.add(column)
        for constraint in item.args.get("constraints") or ():
            if isinstance(constraint.args.get("kind"), exp.DefaultColumnConstraint):
                collect(binder, constraint.args["kind"].this, Scope(None, {}))
    return relation


def bind_routine(binder: Binder, tokens: list[Token], tree: exp.Expr) -> str | None:
    """A routine with a quoted body: statements of their own if it is SQL, closed to us if not."""
    if tree.__class__ is not exp.Create and tree.__class__ is not exp.Command:
        return None
    if isinstance(tree, exp.Command) and str(tree.this).upper() == "DO":
        return "DO"
    body = quoted_body(tokens)
    if body is None:
        return routine_header(tokens) if isinstance(tree, exp.Command) else None
    if body[0] not in SQL_LANGUAGES:
        binder.report(
            IssueCode.UNSUPPORTED_SYNTAX,
            f"the body is written in {body[0].lower()}, so what it reads and writes is not known",
            severity="info",
        )
    elif isinstance(tree, exp.Create) and isinstance(tree.this, exp.UserDefinedFunction):
        _bind_quoted(binder, tokens[body[1]], tree.this)
    word = tokens[0].text.upper()
    return next(f"{word}_{t.text.upper()}" for t in tokens[1:5] if t.text.upper() in ROUTINES)


def _bind_quoted(binder: Binder, quoted: Token, header: exp.Expr) -> None:
    """A quoted body that is a value, a query, or a script that returns the rows of some.

    What changes data was opened before this.
    """
    parser = binder.dialect.parser
    tokens = body_tokens(quoted, binder.text, parser, pure=False)
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    if not is_value(tokens):
        return
    pieces, names = [tokens], frozenset[str]()
    if tokens and tokens[0].text.upper() in _SCRIPTS:
        pieces, names = returned_rows(tokens, binder.text, parser)
    queries = [parsed_fragment(piece, binder.text, parser) for piece in pieces]
    # Snowflake's body of a value is the value itself.
    kinds = (exp.Query, exp.Condition) if binder.dialect.name == "snowflake" else exp.Query
    found = [query for query in queries if isinstance(query, kinds)]
    if found and len(found) == len(queries):
        _bind_body(binder, header, *found, names=names)


def open_rows(binder: Binder) -> None:
    """Before the query of a T-SQL function is bound: its parameters are columns of a row."""
    function = binder.blocks[-1].function
    for name in function.parameters if function is not None else ():
        binder.parameters[name] = Column(name, name)


def note_rows(binder: Binder, tree: exp.Expr) -> None:
    """Learn what the rows of a T-SQL function are from the query that it returns."""
    function = binder.blocks[-1].function
    output = next((r for r in binder.relations if r.kind == "output"), None)
    if function is None or output is None or not isinstance(tree, exp.Query):
        return
    known = binder.registry.routine(function.name, len(function.parameters))
    if known is None or not output.complete or known.columns is not None:
        return
    parameters = Relation("cte", function.name, (function.name,))
    for column in binder.parameters.values():
        parameters.add(column)
    shown = tuple((c.name, binder.types.shown(c) or "") for c in output.columns)
    body = read_body(output.columns, shown, output.indirect, parameters)
    binder.registry.define_routine(function.name, replace(known, columns=shown, body=body))
