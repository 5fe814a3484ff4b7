"""The user's own text of select items, predicates and CTE bodies, found on tokens.

Generating SQL from a tree costs more than binding it and loses the user's spelling, so texts are cut
out by the frames of the SELECTs they belong to. What cannot be placed is None, and the caller
generates the text.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.bind.frames import (
    CHOOSES,
    CHOSEN,
    CLOSE,
    CLOSES,
    JOINS,
    OPEN,
    OPENS,
    SPANS,
    Frame,
    Frames,
)
from lakeport.lineage.comments import on_one_line, without_comments
from lakeport.lineage.text import may_hold_comments

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.shapes import Shape

_T = TokenType
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
        "SRID",
        "STORAGE",
        "VISIBLE",
        "INVISIBLE",
    }
)
# Some of two words are one token.
_AFTER_TYPE_TOKENS = frozenset({_T.PRIMARY_KEY, _T.FOREIGN_KEY, _T.CHARACTER_SET})
# Members of an enumeration are looked up by a descriptor in Python; these loops are hot.
_ALIAS = _T.ALIAS
_COMMA = _T.COMMA
_GT = _T.GT
_LT = _T.LT
_L_PAREN = _T.L_PAREN
_PLUS = _T.PLUS
_start = attrgetter("start")


class Fragments:
    """Slices of one statement's text."""

    __slots__ = ("_all", "_bare", "_by_start", "_extent", "_frames", "_text", "_tokens", "shape")

    def __init__(
        self, tokens: list[Token], text: str, extent: tuple[int, int] | None = None
    ) -> None:
        self._tokens = tokens
        self._text = text
        # Where all of the tokens stand, if that is known, and whether no comment stands there.
        self._extent = extent
        self._bare: bool | None = None
        # The frame of each SELECT, by its identity, among all there are.
        self._frames: dict[int, Frame | None] = {}
        self._all: Frames | None = None
        self._by_start: dict[int, int] | None = None
        # Statements of one shape have the same frames.
        self.shape: Shape | None = None

    def place_of(self, text: str) -> int | None:
        """Where a piece of the statement stands."""
        start = self._text.find(text, self._tokens[0].start) if self._tokens else -1
        return start if start >= 0 else None

    def whole(self) -> str:
        """The statement itself."""
        return self._slice(0, len(self._tokens))

    def items(self, select: exp.Select) -> list[tuple[int, int]] | None:
        """The token ranges of the select items; None if they cannot be matched to the tree."""
        frame = self._frame(select)
        if frame is None or len(frame.items) != len(select.expressions):
            return None
        return frame.items

    def item_text(self, span: tuple[int, int], *, aliased: bool) -> str:
        """The text of a select item, without its alias."""
        begin, end = span
        if aliased and end - begin > 1:
            end -= 1
            if self._tokens[end - 1].token_type is _ALIAS and end - begin > 1:
                end -= 1
        return self._slice(begin, end)

    def is_signed(self, span: tuple[int, int]) -> bool:
        """`+a`: the parser drops the sign."""
        # Of a damaged text a span may begin behind the last token.
        return span[0] < len(self._tokens) and self._tokens[span[0]].token_type is _PLUS

    def all_tokens(self) -> list[Token]:
        """Those of the whole statement."""
        return self._tokens

    def tokens(self, span: tuple[int, int]) -> list[Token]:
        """The tokens of a range."""
        return self._tokens[span[0] : span[1]]

    def conjuncts(self, select: exp.Select, clause: str, ordinal: int = 0) -> list[str] | None:
        """The AND-separated parts of a predicate; `ordinal` counts the ON clauses."""
        frame = self._frame(select)
        if frame is None:
            return None
        for name, begin, end in frame.spans:
            if name == clause:
                if not ordinal:
                    return self._split(begin, end)
                ordinal -= 1
        return None

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
            depth += (kind in OPEN) - (kind in CLOSE)
            if depth == 0 and kind is _COMMA:
                parts.append(self._slice(start, index))
                start = index + 1
        return [*parts, self._slice(start, end)]

    def window(self, select: exp.Select, name: str, left: int = 20) -> list[Token]:
        """The tokens inside the parentheses of a named window, or of the one it is called after."""
        frame = self._frame(select)
        for clause, begin, end in frame.spans if frame is not None else []:
            if clause != "WINDOW":
                continue
            for index in range(begin, end - 2):
                named = self._tokens[index].text.lower() == name.lower()
                if named and self._tokens[index + 1].token_type is _ALIAS:
                    meant = self._tokens[index + 2]
                    if meant.token_type is not TokenType.L_PAREN and left:
                        return self.window(select, meant.text, left - 1)
                    body = self.body(self._tokens[index].start)
                    if body is not None:
                        return [t for t in self._tokens[index:end] if body[0] <= t.start < body[1]]
        return []

    def pivot_items(self, start: int) -> list[list[Token]]:
        """The tokens of each aggregate of the PIVOT whose parentheses hold the code point."""
        place, tokens = self._position(start), self._tokens
        closing = self._scanned().closing
        for at in range(place - 1 if place is not None else 0, 0, -1):
            inside = tokens[at - 1].text.upper() == "PIVOT" and closing.get(at, 0) > (place or 0)
            if inside:
                return self._aggregates(at + 1, closing[at])
        return []

    def _aggregates(self, begin: int, end: int) -> list[list[Token]]:
        found: list[list[Token]] = []
        depth, start = 0, begin
        for index in range(begin, end):
            token = self._tokens[index]
            kind = token.token_type
            depth += (kind in OPEN) - (kind in CLOSE)
            if depth == 0 and (kind is _COMMA or token.text.upper() == "FOR"):
                found.append(self._tokens[start:index])
                start = index + 1
                if kind is not _COMMA:
                    break
        return found

    def body(self, start: int) -> tuple[int, int] | None:
        """The code points inside the parentheses after the name at `start` and its AS."""
        position = self._position(start)
        if position is None:
            return None
        tokens = self._tokens
        while position < len(tokens) and tokens[position].token_type is not _ALIAS:
            position += 1
        while position < len(tokens) and tokens[position].token_type is not _L_PAREN:
            position += 1
        closing = self._scanned().closing.get(position)
        if closing is None:
            return None
        begin, end = tokens[position + 1].start, tokens[closing - 1].end + 1
        if begin < end:
            return begin, end
        # Pipes leave tokens in another order than that of the text.
        begin, end = tokens[position].end + 1, tokens[closing].start
        inside = self._text[begin:end]
        begin, end = end - len(inside.lstrip()), begin + len(inside.rstrip())
        return (begin, end) if begin < end else None

    def type_after(self, start: int) -> str | None:
        """The type written after the column name at `start`, in its own words."""
        position = self._position(start)
        if position is None:
            return None
        depth = 0
        end = position + 1
        while end < len(self._tokens):
            token = self._tokens[end]
            kind = token.token_type
            if depth == 0 and (
                kind in CLOSE
                or kind is _COMMA
                or kind in _AFTER_TYPE_TOKENS
                or token.text.upper() in _AFTER_TYPE
            ):
                break
            depth += (kind in OPEN or kind is _LT) - (kind in CLOSE or kind is _GT)
            end += 1
        return (
            on_one_line(self._text, self._tokens[position + 1 : end])
            if end > position + 1
            else None
        )

    def _position(self, start: int) -> int | None:
        """The index of the token at a code point."""
        tokens = self._tokens
        position = bisect_left(tokens, start, key=_start)
        if position < len(tokens) and tokens[position].start == start:
            return position
        if self._by_start is None:
            # Pipes leave tokens in another order than that of the text.
            self._by_start = {token.start: index for index, token in enumerate(tokens)}
        return self._by_start.get(start)

    # -- frames ------------------------------------------------------------------------------

    def _scanned(self) -> Frames:
        """Most statements are never asked for any text."""
        if self._all is None:
            shape = self.shape
            self._all = (shape and shape.frames) or Frames(self._tokens)
            if shape is not None:
                shape.frames = self._all
        return self._all

    def _frame(self, select: exp.Select) -> Frame | None:
        key = id(select)
        if key not in self._frames:
            frames = self._scanned().found
            found = frames[0] if len(frames) == 1 else self._locate(select)
            self._frames[key] = found or self._unclaimed(select)
        return self._frames[key]

    def _unclaimed(self, select: exp.Select) -> Frame | None:
        """A SELECT of nothing but subqueries or keywords.

        Some part of an inner query has a place: as many SELECTs as are around it in the tree, as many
        frames are around it in the text. Without one it is the first innermost frame nobody has.
        """
        width = len(select.expressions)
        found = self._scanned().found
        for node in select.walk():
            meta = node._meta  # noqa: SLF001 - `meta` would allocate a dict per node
            start = meta.get("start") if meta else None
            index = self._position(start) if start is not None else None
            inner = _selects_between(node, select) if index is not None else None
            if index is not None and inner is not None:
                around = [frame for frame in found if frame.first <= index < frame.end]
                place = len(around) - 1 - inner
                return around[place] if place >= 0 and len(around[place].items) == width else None
        taken = {id(frame) for frame in self._frames.values()}
        free = [f for f in found if id(f) not in taken and len(f.items) == width]
        return next((f for f in free if not any(f.first < g.first < f.end for g in found)), None)

    def _locate(self, select: exp.Select) -> Frame | None:
        """The frame that owns any name or literal of the SELECT that is not in a nested one."""
        # The last item first: what a pipe has moved to the front has its place in another SELECT.
        index = self._first_place(select.expressions)
        if index is None:
            clauses = map(select.args.get, ("having", "group", "from_", "where"))
            index = self._first_place([clause for clause in clauses if clause is not None])
        return self._scanned().around(index) if index is not None else None

    def _first_place(self, roots: list[exp.Expr]) -> int | None:
        """The index of a token of one of the expressions, the last first."""
        stack = list(roots)
        while stack:
            node = stack.pop()
            if isinstance(node, exp.Query):
                continue
            meta = node._meta  # noqa: SLF001 - `meta` would allocate a dict per node
            start = meta.get("start") if meta else None
            if start is not None:
                index = self._position(start)
                if index is not None:
                    return index
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
        text = self._text[self._tokens[begin].start : self._tokens[end - 1].end + 1]
        if self._bare is None:
            self._bare = self._extent is not None and not may_hold_comments(
                self._text[slice(*self._extent)]
            )
        if self._bare or not may_hold_comments(text):
            return text
        return without_comments(self._text, self._tokens[begin:end])

    def _split(self, begin: int, end: int) -> list[str]:
        frames = self._scanned()
        marks, marked = frames.marks, frames.marked
        parts: list[str] = []
        depth = between = cases = 0
        start = begin
        for index in marked[bisect_left(marked, begin) : bisect_left(marked, end)]:
            mark = marks[index]
            if mark == OPENS:
                depth += 1
            elif mark == CLOSES:
                depth -= 1
            elif mark == CHOOSES:
                cases += 1
            elif mark == CHOSEN and cases:
                cases -= 1
            elif depth or cases:
                continue
            elif mark == SPANS:
                between += 1
            elif mark == JOINS:
                if between:
                    between -= 1
                else:
                    parts.append(self._slice(start, index))
                    start = index + 1
        parts.append(self._slice(start, end))
        return parts


def _selects_between(node: exp.Expr, select: exp.Select) -> int | None:
    """How many other SELECTs are around a node of one; None if it stands in front of that, in a WITH."""
    count = 0
    child, parent = node, node.parent
    while parent is not None and parent is not select:
        count += isinstance(parent, exp.Select) and not isinstance(child, exp.With)
        child, parent = parent, parent.parent
    return None if isinstance(child, exp.With) else count
