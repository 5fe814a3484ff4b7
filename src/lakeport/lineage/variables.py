"""Session variables: their types, and their values where the text alone tells them.

Spark shows the value of a variable in the names it generates, so a constant is worth keeping. What
is computed or queried is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from lakeport.lineage.types import SqlType, type_text

if TYPE_CHECKING:
    from collections.abc import Sequence

# The kinds whose values Spark writes as they are, with the letter that follows them.
_NUMBERS = {"int": "", "bigint": "L", "smallint": "S", "tinyint": "Y"}
_QUALIFIERS: tuple[list[str], ...] = ([], ["session"], ["system", "session"])


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable as the statements so far have left it; `value` is printed as Spark prints it."""

    type: SqlType | None = None
    value: str | None = None
    # What it holds if that is a string.
    text: str | None = None

    def holding(self, value: exp.Expr | None) -> Variable:
        """The variable after it was set; nothing at all is NULL."""
        text = value.name if isinstance(value, exp.Literal) and value.is_string else None
        return Variable(self.type, _printed(value, self.type), text)


def is_session_qualifier(parts: Sequence[str]) -> bool:
    """Whether the parts before a name are those of a variable: none, `session`, `system.session`."""
    return [part.lower() for part in parts] in _QUALIFIERS


def _printed(node: exp.Expr | None, kind: SqlType | None) -> str | None:
    if kind is None:
        return None
    if node is None or isinstance(node, exp.Null):
        text = type_text(kind, "spark")
        return f"CAST(NULL AS {text.upper()})" if text is not None else None
    if isinstance(node, exp.Boolean) and kind.kind == "boolean":
        return str(node.this).lower()
    sign = "-" if isinstance(node, exp.Neg) else ""
    literal = node.this if sign else node
    if not isinstance(literal, exp.Literal):
        return None
    if literal.is_string:
        return f"'{literal.name}'" if kind.kind == "string" and not sign else None
    suffix = _NUMBERS.get(kind.kind)
    return (
        f"{sign}{literal.name}{suffix}" if suffix is not None and literal.name.isdigit() else None
    )
