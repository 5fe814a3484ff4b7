"""Where the items and clauses of every SELECT of a statement stand: one scan over its tokens.

A frame is one SELECT. Words that open clauses are told from the functions and operators that share
their names.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import compress
from operator import attrgetter
from typing import TYPE_CHECKING

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
OPEN = frozenset({_T.L_PAREN, _T.L_BRACKET, _T.L_BRACE})
CLOSE = frozenset({_T.R_PAREN, _T.R_BRACKET, _T.R_BRACE})
_TYPES = frozenset({_T.MAP, _T.STRUCT, _T.ARRAY})
# What a token does to the SELECT it stands in, or to a predicate. Most do nothing.
OPENS, CLOSES, _DIVIDES, _BEGINS, _COMBINES, _ENDS, JOINS, SPANS, CHOOSES, CHOSEN = range(1, 11)
_MARKS: dict[TokenType, int] = {
    **dict.fromkeys((_T.DISTINCT, _T.ALL, *_CLAUSES, *_TYPES), _ENDS),
    **dict.fromkeys(_SET_OPERATORS, _COMBINES),
    **dict.fromkeys(OPEN, OPENS),
    **dict.fromkeys(CLOSE, CLOSES),
    _T.COMMA: _DIVIDES,
    _T.SELECT: _BEGINS,
    _T.AND: JOINS,
    _T.BETWEEN: SPANS,
    _T.CASE: CHOOSES,
    _T.END: CHOSEN,
}
# Members of an enumeration are looked up by a descriptor in Python; these loops are hot.
_COMMA = _T.COMMA
_DISTINCT = _T.DISTINCT
_DOT = _T.DOT
_FROM = _T.FROM
_LT = _T.LT
_L_PAREN = _T.L_PAREN
_SELECT = _T.SELECT
# What stands behind a word that is a name and opens nothing.
_OF_A_NAME = frozenset({_L_PAREN, _DOT, _COMMA})
_ALSO_CALLED = frozenset({_T.LEFT, _T.RIGHT, _T.INSERT, _T.FULL, _T.WINDOW, _T.OFFSET, _T.WITH})
_ALSO_OPERATORS = _ALSO_CALLED | {_FROM}


_first = attrgetter("first")
_token_type = attrgetter("token_type")


class Frame:
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


class Frames:
    """All frames of a statement, in the order they begin."""

    __slots__ = ("_tokens", "closing", "found", "kinds", "marked", "marks")

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self.kinds: list[TokenType] = list(map(_token_type, tokens))
        self.marks: list[int | None] = list(map(_MARKS.get, self.kinds))
        # Most tokens mean nothing here: they are passed over without a step of Python for each.
        self.marked: list[int] = list(compress(range(len(tokens)), self.marks))
        self.found: list[Frame] = []
        # Where each opened parenthesis is closed.
        self.closing: dict[int, int] = {}
        self._scan()

    def _scan(self) -> None:  # noqa: C901, PLR0912 - one pass over the marks, one branch per kind
        """One look at every token that opens, closes or divides something."""
        kinds, closing = self.kinds, self.closing
        stack: list[tuple[Frame | None, int]] = []
        opened: list[int] = []
        frame: Frame | None = None
        depth = 0
        for index, mark in zip(self.marked, filter(None, self.marks), strict=True):
            if mark == _DIVIDES:
                # Most marks by far: they divide the items, and mean nothing in other clauses.
                if (
                    depth == 0
                    and frame is not None
                    and frame.clause == "ITEMS"
                    and not (frame.typed and self._divides_type(frame.begin, index))
                ):
                    frame.items.append((frame.begin, index))
                    frame.begin = index + 1
            elif mark >= JOINS:
                # The next most: they are of predicates alone.
                continue
            elif mark == OPENS:
                depth += 1
                opened.append(index)
            elif mark == CLOSES:
                if opened:
                    closing[opened.pop()] = index
                if depth == 0 and frame is not None:
                    frame.close(index)
                    frame, depth = stack.pop()
                depth -= 1
            elif mark == _BEGINS:
                stack.append((frame, depth))
                frame, depth = Frame(index + 1), 0
                self.found.append(frame)
            elif depth == 0 and frame is not None:
                if mark == _ENDS:
                    self._mark(frame, index, kinds[index])
                else:
                    frame.close(index)
                    frame, depth = stack.pop()
        while frame is not None:
            frame.close(len(kinds))
            frame = stack.pop()[0] if stack else None

    def _mark(self, frame: Frame, index: int, kind: TokenType) -> None:
        """A token that ends an item or a clause of the SELECT it stands in."""
        clause = _CLAUSES.get(kind)
        if clause is not None:
            if kind not in _ALSO_OPERATORS or not self._is_operator(index, kind):
                frame.close(index)
                frame.clause, frame.begin = clause, index + 1
        elif frame.clause != "ITEMS":
            return
        elif kind in _TYPES:
            frame.typed = True
        elif frame.begin == index:
            # DISTINCT or ALL right after SELECT.
            frame.begin = index + 1

    def _divides_type(self, begin: int, comma: int) -> bool:
        """Whether the comma stands between `map<` or `struct<` and its `>`."""
        depth = 0
        for position in range(begin + 1, comma):
            if self.kinds[position] is _LT:
                depth += self.kinds[position - 1] in _TYPES or depth > 0
            elif depth and (text := self._tokens[position].text).startswith(">"):
                depth = max(0, depth - len(text))
        return depth > 0

    def _is_operator(self, index: int, kind: TokenType) -> bool:
        """Words that open clauses but are also functions or parts of operators."""
        kinds = self.kinds
        if kind is _FROM:
            return kinds[index - 1] is _DISTINCT and index > 1 and kinds[index - 2] is not _SELECT
        if kind in _ALSO_CALLED:
            return index + 1 < len(kinds) and kinds[index + 1] in _OF_A_NAME
        return False

    def around(self, index: int) -> Frame | None:
        """The innermost SELECT around a token."""
        place = bisect_right(self.found, index, key=_first) - 1
        # A frame that ended before is a sibling's; the one around both began earlier.
        while place >= 0 and self.found[place].end <= index:
            place -= 1
        return self.found[place] if place >= 0 else None
