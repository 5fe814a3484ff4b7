"""Names of columns in Spark's generated names: without their table, and not always columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.spark_names.cursor import Unprintable

if TYPE_CHECKING:
    from lakeport.lineage.spark_names.printer import Printer

_T = TokenType
NO_NAMES = frozenset({_T.COMMA, _T.R_PAREN, _T.STAR, _T.EQ, _T.COLON, _T.PLACEHOLDER})
# Functions that may be called without parentheses, unless a column has their name.
_NILADIC = {
    "CURRENT_DATE": "current_date()",
    "CURRENT_TIMESTAMP": "current_timestamp()",
    "CURRENT_USER": "current_user()",
    "CURRENT_TIME": "current_time(6)",
    "GROUPING__ID": "grouping_id()",
    "LOCALTIME": "current_time(6)",
    "LOCALTIMESTAMP": "localtimestamp()",
    "SESSION_USER": "session_user()",
    "USER": "user()",
}


def column_name(printer: Printer) -> str:
    """The dotted name at the cursor: a column, a parameter of a lambda, a function without parentheses."""
    token = printer.take()
    name = token.text
    if token.token_type in NO_NAMES:
        raise Unprintable(name)
    parts = [name]
    while printer.kind() is _T.DOT and printer.kind(1) is not None:
        printer.take()
        parts.append(printer.take().text)
    if len(parts) == 1 and token.token_type is not _T.IDENTIFIER:
        niladic = _NILADIC.get(name.upper())
        if niladic is not None and not printer.world.is_column(name):
            return niladic
    if any(name.casefold() == parameter.casefold() for parameter in printer.parameters):
        return ".".join(["namedlambdavariable()", *parts[1:]])
    outer = printer.world.outer_reference(parts)
    if outer is not None:
        return outer
    if len(parts) == 1 and printer.world.is_alias(name):
        return f"lateralAliasReference({name})"
    value = printer.world.variable(parts)
    if value is not None:
        return f"variablereference(system.session.{parts[-1].lower()}={value})"
    return ".".join(parts[printer.world.qualifiers(parts) :])
