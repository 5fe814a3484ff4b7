"""The types of parts of a select item, given as tokens.

Spark's names depend on types (`d + 1` is `date_add(d, 1)`), and the printer of names reads tokens.
A part is parsed on its own; its columns are found again by their place in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.parse import parsed_fragment
from lakeport.lineage.session_types import with_session_types
from lakeport.lineage.types import SqlType, infer, read_type

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.bind.binder import Binder


class FragmentTypes:
    """Answers for the parts of some bound trees: a select item and the windows it may name."""

    __slots__ = ("_binder", "_places", "_trees")

    def __init__(self, binder: Binder, trees: list[exp.Expr]) -> None:
        self._binder = binder
        self._trees = trees
        self._places: dict[int, exp.Expr] | None = None

    def type_of(self, tokens: list[Token]) -> SqlType | None:
        """The type of the expression the tokens spell."""
        if not tokens:
            return None
        first = tokens[0]
        if len(tokens) == 1 and first.token_type is TokenType.NUMBER:
            kind = "int" if first.text.isdigit() else "double"
            return read_type(kind, self._binder.dialect.name)
        column = self._column_at(first.start) if len(tokens) == 1 else None
        if column is not None:
            return self._binder.types.of_name(column)
        tree = parsed_fragment(tokens, self._binder.text, self._binder.dialect.parser)
        if tree is None:
            return None
        settled = with_session_types(tree, self._binder.registry)
        return infer(settled, self._column_type, self._binder.dialect.name)

    def _column_type(self, node: exp.Expr) -> SqlType | None:
        meta = node.this._meta if isinstance(node, exp.Column) else None  # noqa: SLF001 - `meta` would allocate a dict per node
        column = self._column_at(meta["start"]) if meta else None
        return self._binder.types.of_name(column) if column is not None else None

    def _column_at(self, start: int) -> exp.Expr | None:
        if self._places is None:
            self._places = {
                column.this._meta["start"]: column  # noqa: SLF001 - the same
                for tree in self._trees
                for column in tree.find_all(exp.Column)
                if column.this._meta  # noqa: SLF001 - the same
            }
        return self._places.get(start)
