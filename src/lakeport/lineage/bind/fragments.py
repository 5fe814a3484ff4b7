"""The user's own text of select items, predicates and CTE bodies, found on tokens.

Generating SQL from a tree costs more than binding it and loses the user's spelling; one scan over
the tokens of a statement finds every clause of every SELECT instead. Whatever the scan cannot
place is None, and the caller generates the text.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_T = TokenType
_SET_OPERATORS = frozenset({_T.UNION, _T.EXCEPT, _T.INTERSECT})
_CLAUSES: dict[TokenType, str] = {
    _T.FROM: "FROM",
    _T.WHERE: "WHERE",
    _T.GROUP_BY: "GROUP",
    _T.HAVING: "HAVING",
    _T.QUALIFY: "QUALIFY",
    _T.ORDER_BY: "ORDER",
    _T.SORT_BY: "ORDER",
    _T.CLUSTER_BY: "ORDER",
    _T.DISTRIBUTE_BY: "ORDER",
    _T.LIMIT: "LIMIT",
    _T.FETCH: "LIMIT",
    _T.OFFSET: "LIMIT",
    _T.WINDOW: "WINDOW",
    _T.ON: "ON",
    _T.JOIN: "JOIN",
    _T.LEFT: "JOIN",
    _T.RIGHT: "JOIN",
    _T.FULL: "JOIN",
    _T.INNER: "JOIN",
    _T.CROSS: "JOIN",
    _T.NATURAL: "JOIN",
    _T.LATERAL: "JOIN",
    _T.INTO: "INTO",
    _T.CONNECT_BY: "CONNECT",
    _T.START_WITH: "CONNECT",
    _T.WITH: "WITH",
    _T.INSERT: "INSERT",
}
_MARKS = frozenset({_T.SELECT, _T.COMMA, _T.DISTINCT, _T.ALL, *_CLAUSES, *_SET_OPERATORS})
_AFTER_TYPE = frozenset(
    {
        "NOT",
        "NULL",
        "DEFAULT",
        "PRIMARY",
        "UNIQUE",
        "COMMENT",
        "CONSTRAINT",
        "REFERENCES",
        "CHECK",
        "GENERATED",
        "COLLATE",
        "AS",
        "ENCODE",
        "MASKING",
        "FIRST",
        "AFTER",
        "IDENTITY",
        "AUTO_INCREMENT",
        "AUTOINCREMENT",
        "OPTIONS",
        "TAG",
        "USING",
        "KEY",
        "ON",
        "CODEC",
        "DISTKEY",
        "SORTKEY",
    }
)
_OPEN = frozenset({_T.L_PAREN, _T.L_BRACKET, _T.L_BRACE})
_CLOSE = frozenset({_T.R_PAREN, _T.R_BRACKET, _T.R_BRACE})
_TYPES = frozenset({_T.MAP, _T.STRUCT, _T.ARRAY})
_MARKS |= _OPEN | _CLOSE | _TYPES
# Members of an enumeration are looked up by a descriptor in Python; these loops are hot.
_ALIAS = _T.ALIAS
_AND = _T.AND
_BETWEEN = _T.BETWEEN
_CASE = _T.CASE
_COMMA = _T.COMMA
_DISTINCT = _T.DISTINCT
_DOT = _T.DOT
_END = _T.END
_FROM = _T.FROM
_FULL = _T.FULL
_GT = _T.GT
_INSERT = _T.INSERT
_LEFT = _T.LEFT
_LT = _T.LT
_L_PAREN = _T.L_PAREN
_OFFSET = _T.OFFSET
_RIGHT = _T.RIGHT
_SELECT = _T.SELECT
_WINDOW = _T.WINDOW
_WITH = _T.WITH
# What matters when a predicate is cut at its ANDs.
_DIVIDERS = _OPEN | _CLOSE | {_AND, _BETWEEN, _CASE, _END}


class _Frame:
    """One SELECT: the token ranges of its items and clauses."""

    __slots__ = ("begin", "clause", "end", "first", "items", "spans", "typed")

    def __init__(self, begin: int) -> None:
        self.first = self.begin = self.end = begin
        self.clause = "ITEMS"
        # A nested type is named in it, so a comma may be part of that.
        self.typed = False
        self.items: list[tuple[int, int]] = []
        self.spans: list[tuple[str, int, int]] = []

    def close(self, end: int) -> None:
        """The running clause ends before token `end`."""
        self.end = end
        if self.clause == "ITEMS":
            self.items.append((self.begin, end))
        else:
            self.spans.append((self.clause, self.begin, end))


def _first(frame: _Frame) -> int:
    return frame.first


class Fragments:
    """Slices of one statement's text."""

    __slots__ = ("_all", "_by_start", "_closing", "_frames", "_scanned", "_text", "_tokens")

    def __init__(self, tokens: list[Token], text: str) -> None:
        self._tokens = tokens
        self._text = text
        self._by_start: dict[int, int] | None = None
        self._scanned = False
        self._frames: dict[int, _Frame | None] = {}
        self._all: list[_Frame] = []
        # Where each opened parenthesis is closed.
        self._closing: dict[int, int] = {}

    def items(self, select: exp.Select) -> list[tuple[int, int]] | None:
        """The token ranges of the select items; None if they cannot be matched to the tree."""
        frame = self._frame(select)
        if frame is None or len(frame.items) != len(select.expressions):
            return None
        return frame.items

    def item_text(self, span: tuple[int, int], *, aliased: bool) -> str:
        """The text of a select item, without its alias."""
        return self._item(*span, aliased=aliased)

    def tokens(self, span: tuple[int, int]) -> list[Token]:
        """The tokens of a range."""
        return self._tokens[span[0] : span[1]]

    def conjuncts(self, select: exp.Select, clause: str, ordinal: int = 0) -> list[str] | None:
        """The AND-separated parts of a predicate; `ordinal` counts the ON clauses."""
        frame = self._frame(select)
        if frame is None:
            return None
        spans = [(begin, end) for name, begin, end in frame.spans if name == clause]
        if ordinal >= len(spans):
            return None
        return self._split(*spans[ordinal])

    def keys(self, select: exp.Select) -> list[str]:
        """The texts of the GROUP BY clause between its commas."""
        frame = self._frame(select)
        for clause, begin, end in frame.spans if frame is not None else []:
            if clause == "GROUP":
                return self._between_commas(begin, end)
        return []

    def _between_commas(self, begin: int, end: int) -> list[str]:
        parts: list[str] = []
        depth, start = 0, begin
        for index in range(begin, end):
            kind = self._tokens[index].token_type
            depth += (kind in _OPEN) - (kind in _CLOSE)
            if depth == 0 and kind is _COMMA:
                parts.append(self._slice(start, index))
                start = index + 1
        return [*parts, self._slice(start, end)]

    def window(self, select: exp.Select, name: str) -> list[Token]:
        """The tokens inside the parentheses of a named window."""
        frame = self._frame(select)
        for clause, begin, end in frame.spans if frame is not None else []:
            if clause != "WINDOW":
                continue
            for index in range(begin, end - 2):
                named = self._tokens[index].text.lower() == name.lower()
                if named and self._tokens[index + 1].token_type is _ALIAS:
                    body = self.body(self._tokens[index].start)
                    if body is not None:
                        return [t for t in self._tokens[index:end] if body[0] <= t.start < body[1]]
        return []

    def body(self, start: int) -> tuple[int, int] | None:
        """The code points inside the parentheses after the name at `start` and its AS."""
        position = self._positions().get(start)
        if position is None:
            return None
        tokens = self._tokens
        while position < len(tokens) and tokens[position].token_type is not _ALIAS:
            position += 1
        while position < len(tokens) and tokens[position].token_type is not _L_PAREN:
            position += 1
        self._scan()
        closing = self._closing.get(position)
        if closing is None:
            return None
        return tokens[position + 1].start, tokens[closing - 1].end + 1

    def type_after(self, start: int) -> str | None:
        """The type written after the column name at `start`, verbatim."""
        position = self._positions().get(start)
        if position is None:
            return None
        depth = 0
        end = position + 1
        while end < len(self._tokens):
            token = self._tokens[end]
            kind = token.token_type
            if depth == 0 and (
                kind in _CLOSE or kind is _COMMA or token.text.upper() in _AFTER_TYPE
            ):
                break
            depth += (kind in _OPEN or kind is _LT) - (kind in _CLOSE or kind is _GT)
            end += 1
        return self._slice(position + 1, end) or None

    def _positions(self) -> dict[int, int]:
        """Token indexes by code point; a statement with one plain SELECT never asks."""
        if self._by_start is None:
            self._by_start = {token.start: index for index, token in enumerate(self._tokens)}
        return self._by_start

    # -- the scan ----------------------------------------------------------------------------

    def _scan(self) -> None:
        if not self._scanned:
            self._scanned = True
            self._find_frames()

    def _find_frames(self) -> None:
        """One look at every token that opens, closes or divides something."""
        tokens = self._tokens
        stack: list[tuple[_Frame | None, int]] = []
        opened: list[int] = []
        frame: _Frame | None = None
        depth = 0
        for index, kind in [
            (i, kind) for i, t in enumerate(tokens) if (kind := t.token_type) in _MARKS
        ]:
            if kind is _SELECT:
                stack.append((frame, depth))
                frame, depth = _Frame(index + 1), 0
                self._all.append(frame)
            elif kind in _OPEN:
                depth += 1
                opened.append(index)
            elif kind in _CLOSE:
                if opened:
                    self._closing[opened.pop()] = index
                if depth == 0 and frame is not None:
                    frame.close(index)
                    frame, depth = stack.pop()
                depth -= 1
            elif depth == 0 and frame is not None:
                if kind in _SET_OPERATORS:
                    frame.close(index)
                    frame, depth = stack.pop()
                else:
                    self._mark(frame, index, kind)
        while frame is not None:
            frame.close(len(tokens))
            frame = stack.pop()[0] if stack else None

    def _mark(self, frame: _Frame, index: int, kind: TokenType) -> None:
        """A token that ends an item or a clause of the SELECT it stands in."""
        if kind in _CLAUSES:
            if not self._is_operator(index, kind):
                frame.close(index)
                frame.clause, frame.begin = _CLAUSES[kind], index + 1
        elif frame.clause != "ITEMS":
            return
        elif kind is _COMMA:
            if frame.typed and self._divides_type(frame.begin, index):
                return
            frame.close(index)
            frame.begin = index + 1
        elif kind in _TYPES:
            frame.typed = True
        elif frame.begin == index:
            # DISTINCT or ALL right after SELECT.
            frame.begin = index + 1

    def _divides_type(self, begin: int, comma: int) -> bool:
        """Whether the comma stands between `map<` or `struct<` and its `>`."""
        depth = 0
        for position in range(begin + 1, comma):
            token = self._tokens[position]
            if token.token_type is _LT:
                depth += self._tokens[position - 1].token_type in _TYPES or depth > 0
            elif depth and token.text.startswith(">"):
                depth = max(0, depth - len(token.text))
        return depth > 0

    def _is_operator(self, index: int, kind: TokenType) -> bool:
        """Words that open clauses but are also functions or parts of operators."""
        tokens = self._tokens
        if kind is _FROM:
            return (
                tokens[index - 1].token_type is _DISTINCT
                and index > 1
                and tokens[index - 2].token_type is not _SELECT
            )
        if kind in {_LEFT, _RIGHT, _INSERT, _FULL, _WINDOW, _OFFSET, _WITH}:
            following = tokens[index + 1].token_type if index + 1 < len(tokens) else None
            return following is _L_PAREN or following is _DOT or following is _COMMA
        return False

    def _frame(self, select: exp.Select) -> _Frame | None:
        key = id(select)
        if key not in self._frames:
            self._scan()
            found = self._all[0] if len(self._all) == 1 else self._locate(select)
            self._frames[key] = found or self._unclaimed(select)
        return self._frames[key]

    def _owner(self, index: int) -> _Frame | None:
        """The innermost SELECT around a token: frames are in the order they begin."""
        place = bisect_right(self._all, index, key=_first) - 1
        # A frame that ended before is a sibling's; the one around both began earlier.
        while place >= 0 and self._all[place].end <= index:
            place -= 1
        return self._all[place] if place >= 0 else None

    def _unclaimed(self, select: exp.Select) -> _Frame | None:
        """A SELECT of nothing but subqueries or keywords: the outermost frame nobody else has.

        Inner queries are bound first, so theirs are taken already.
        """
        taken = {id(frame) for frame in self._frames.values()}
        width = len(select.expressions)
        return next((f for f in self._all if id(f) not in taken and len(f.items) == width), None)

    def _locate(self, select: exp.Select) -> _Frame | None:
        """The frame that owns any name or literal of the SELECT that is not in a nested one."""
        stack: list[exp.Expr] = list(reversed(select.expressions))
        for name in ("where", "from_", "group", "having"):
            clause = select.args.get(name)
            if clause is not None:
                stack.insert(0, clause)
        positions = self._positions()
        while stack:
            node = stack.pop()
            if isinstance(node, exp.Query):
                continue
            start = node._meta.get("start") if node._meta else None  # noqa: SLF001 - `meta` would allocate a dict per node
            if start is not None:
                index = positions.get(start)
                if index is not None:
                    return self._owner(index)
            for value in node.args.values():
                if isinstance(value, exp.Expr):
                    stack.append(value)
                elif isinstance(value, list):
                    stack.extend(item for item in reversed(value) if isinstance(item, exp.Expr))
        return None

    # -- slicing -----------------------------------------------------------------------------

    def _slice(self, begin: int, end: int) -> str:
        if begin >= end:
            return ""
        return self._text[self._tokens[begin].start : self._tokens[end - 1].end + 1]

    def _item(self, begin: int, end: int, *, aliased: bool) -> str:
        if aliased and end - begin > 1:
            end -= 1
            if self._tokens[end - 1].token_type is _ALIAS and end - begin > 1:
                end -= 1
        return self._slice(begin, end)

    def _split(self, begin: int, end: int) -> list[str]:  # noqa: C901 - one pass over the tokens, one branch per mark
        parts: list[str] = []
        depth = between = cases = 0
        start = begin
        tokens = self._tokens
        for index in range(begin, end):
            kind = tokens[index].token_type
            if kind not in _DIVIDERS:
                continue
            if kind in _OPEN:
                depth += 1
            elif kind in _CLOSE:
                depth -= 1
            elif kind is _CASE:
                cases += 1
            elif kind is _END and cases:
                cases -= 1
            elif depth or cases:
                continue
            elif kind is _BETWEEN:
                between += 1
            elif kind is _AND:
                if between:
                    between -= 1
                else:
                    parts.append(self._slice(start, index))
                    start = index + 1
        parts.append(self._slice(start, end))
        return parts
