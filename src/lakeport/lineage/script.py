"""Cutting scripts: blocks are opened, and what is inside becomes statements of their own.

Headers of BEGIN, IF, CASE and WHILE are dropped; the query of a loop or a cursor is a statement, and
the loop's variable stands for its rows. Bodies of routines in quotes are opened too, if they are
SQL. Control flow that reads nothing (`LEAVE`, `x := 1`) leaves no statement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.batches import condition_end, statement_end
from lakeport.lineage.blocks import Block, Chunk, Query
from lakeport.lineage.bodies import (
    ROUTINES,
    SQL_LANGUAGES,
    TRANSACTION_WORDS,
    body_tokens,
    quoted_body,
    reopened,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection

_BATCHES = frozenset({"tsql", "fabric"})
# Dialects whose blocks open with a section of declarations, one per semicolon.
_SECTIONS = frozenset(
    {"oracle", "postgres", "redshift", "materialize", "risingwave", "snowflake", "exasol"}
)
# Dialects in which a declaration is a statement that the parser reads.
_STATED = frozenset({"spark", "spark2", "databricks", "bigquery", *_BATCHES})
# Commands that are followed by more than their own text.
_CONTROL = frozenset(
    {
        "BEGIN",
        "WHILE",
        "LOOP",
        "REPEAT",
        "FOR",
        "IF",
        "ELSEIF",
        "ELSIF",
        "ELSE",
        "EXCEPTION",
        "WHEN",
    }
)
_REOPENED = {
    **dict.fromkeys(_SECTIONS, _CONTROL | {"DECLARE"}),
    **dict.fromkeys(_BATCHES, _CONTROL | {"PRINT", "FETCH", "KILL", "DBCC", "RAISERROR"}),
}
_BLOCK_END = re.compile(r"end\s+(?:if|for|while|loop|repeat|case)\b")
_NESTED_BODIES = 4
_LABELLED = frozenset({"BEGIN", "FOR", "WHILE", "LOOP", "REPEAT"})
_QUERIES = frozenset({"SELECT", "WITH", "VALUES", "TABLE", "FROM"})
# Words that only steer: nothing is read or written by them.
_STEERING = frozenset(
    {
        "ASSERT",
        "BREAK",
        "CLOSE",
        "CONTINUE",
        "DEALLOCATE",
        "EXIT",
        "FETCH",
        "GET",
        "ITERATE",
        "LEAVE",
        "NULL",
        "OPEN",
        "RAISE",
        "RESIGNAL",
        "SIGNAL",
        "WAITFOR",
    }
)


def may_be_script(text: str, parser: str) -> bool:
    """A cheap look at the text: without these there is no block in it."""
    if parser in _BATCHES or parser == "oracle" or "$" in text:
        return True
    lowered = text.lower()
    return (
        "begin" in lowered
        or "language" in lowered
        or "delimiter" in lowered
        or ("end" in lowered and _BLOCK_END.search(lowered) is not None)
    )


def is_script(tokens: list[Token], text: str, parser: str) -> bool:
    """Whether a text that may be a script is one."""
    if parser in _BATCHES or parser == "oracle" or _BLOCK_END.search(text.lower()):
        return True
    routines = {TokenType.FUNCTION, TokenType.PROCEDURE}
    return any(
        _begins(token)
        or token.token_type in routines
        or (token.token_type is TokenType.COMMAND and token.text.upper() == "DO")
        for token in tokens
    )


def cut_script(tokens: list[Token], text: str, parser: str, *, bodies: bool) -> list[Chunk]:
    """The statements of a script, in order, each with the blocks around it.

    `bodies`: whether statements inside the quoted body of a routine count, too.
    """
    script = _Script(tokens, text, parser, bodies=bodies)
    script.run()
    return script.chunks


def _begins(token: Token) -> bool:
    """BEGIN is a command to some tokenizers."""
    kind = token.token_type
    return kind is TokenType.BEGIN or (kind is TokenType.COMMAND and token.text.upper() == "BEGIN")


@dataclass(slots=True)
class _Frame:
    """An open block. DECLARE is the section before a BEGIN, ROUTINE the header before either."""

    kind: str
    label: str | None = None
    names: set[str] = field(default_factory=set)
    variable: str | None = None
    query: Query | None = None

    def block(self) -> Block:
        return Block(self.label, frozenset(self.names), self.variable, self.query)


class _Script:
    """One pass over the tokens; `_at` is always where a statement may begin."""

    def __init__(self, tokens: list[Token], text: str, parser: str, *, bodies: bool) -> None:
        self.chunks: list[Chunk] = []
        self.frames: list[_Frame] = []
        self._bodies = bodies
        self._tokens = tokens = reopened(tokens, text, parser, _REOPENED.get(parser, _CONTROL))
        self._text = text
        self._parser = parser
        self._words = words_of(tokens)
        self._cursors: dict[str, Query] = {}
        self._label: str | None = None
        self._batches = parser in _BATCHES

    def run(self) -> None:
        at = 0
        while at < len(self._tokens):
            if self._words[at] == ";":
                at += 1
            elif self._separates(at):
                self.frames.clear()
                at += 1
            else:
                at += self._control(at) or self._statement(at)

    def _word(self, at: int) -> str:
        return self._words[at] if at < len(self._words) else ""

    # -- control flow: each answers how many tokens it takes, 0 if it is something else ----------

    def _control(self, at: int) -> int:
        word = self._words[at]
        if labelled := self._labelled(at):
            return labelled
        if _begins(self._tokens[at]):
            return self._begin(at)
        if word == "END":
            return self._end(at)
        if self.frames and self.frames[-1].kind == "DECLARE":
            return self._declaration(at)
        rule = _RULES.get(word)
        return rule(self, at) if rule is not None else 0

    def _labelled(self, at: int) -> int:
        if self._word(at + 1) == ":" and self._word(at + 2) in _LABELLED:
            self._label = self._tokens[at].text.lower()
            return 2
        if self._words[at : at + 2] == ["<", "<"] and self._words[at + 3 : at + 5] == [">", ">"]:
            self._label = self._tokens[at + 2].text.lower()
            return 5
        return 0

    def _open(self, frame: _Frame) -> None:
        frame.label, self._label = self._label, None
        self.frames.append(frame)

    def _close(self, *kinds: str) -> None:
        while any(frame.kind in kinds for frame in self.frames):
            if self.frames.pop().kind in kinds:
                break
        while self.frames and self.frames[-1].kind == "ROUTINE":
            self.frames.pop()

    def _begin(self, at: int) -> int:
        following = self._word(at + 1)
        if following in TRANSACTION_WORDS or following in {";", ""}:
            return 0
        if self.frames and self.frames[-1].kind == "DECLARE":
            self.frames[-1].kind = "BEGIN"
        else:
            self._open(_Frame("BEGIN"))
        return 2 if following in {"TRY", "CATCH", "ATOMIC"} else 1

    def _end(self, at: int) -> int:
        following = self._word(at + 1)
        length = 2
        if following in {"FOR", "LOOP"}:
            self._close(following)
        elif following not in {"IF", "CASE", "WHILE", "REPEAT"}:
            self._close("BEGIN", "DECLARE")
            length = 2 if following in {"TRY", "CATCH"} else 1
        named = not self._batches and self._word(at + length + 1) in {";", ""}
        return length + (named and self._word(at + length) not in {";", ""})

    def skip(self, at: int) -> int:
        del at
        return 1

    def loop(self, at: int) -> int:
        del at
        self._open(_Frame("LOOP"))
        return 1

    def condition(self, at: int) -> int:
        if self._batches:
            return condition_end(self._words, at) - at
        end = self._through(at + 1, {"THEN", "DO", "LOOP"})
        if end and self._words[end - 1] == "LOOP":
            self._open(_Frame("LOOP"))
        return end - at if end else 0

    def until(self, at: int) -> int:
        end = self._through(at + 1, {"END"})
        return end - 1 - at if end else 0

    def loop_over(self, at: int) -> int:
        end = self._through(at + 1, {"DO", "LOOP"})
        if not end:
            return 0
        frame = _Frame("FOR" if self._words[end - 1] == "DO" else "LOOP")
        begin = at + 1
        if self._word(begin + 1) in {"AS", "IN"}:
            frame.variable = self._tokens[begin].text.lower()
            begin += 2
        begin, close = self._unwrapped(begin, end - 1)
        if self._word(begin) in _QUERIES:
            frame.query = Query(tuple(self._tokens[begin:close]))
            self._emit(begin, close)
        else:
            frame.query = self._cursors.get(self._word(begin))
        if frame.query is None and frame.variable is not None:
            frame.names.add(frame.variable)
        self._open(frame)
        return end - at

    def _unwrapped(self, begin: int, end: int) -> tuple[int, int]:
        while self._word(begin) == "(" and self._closing(begin) == end - 1:
            begin, end = begin + 1, end - 1
        return begin, end

    def declare(self, at: int) -> int:
        if self._word(at + 2) == "HANDLER":
            return self._handler(at)
        if cursor := self._cursor(at + 1):
            return cursor + 1
        if self._parser in _STATED or (self._parser not in _SECTIONS and not self.frames):
            return 0
        if self._parser not in _SECTIONS:
            end = self._end_of(at)
            self._note_variables(at + 1)
            self._inner_query(at, end)
            return end - at
        self._open(_Frame("DECLARE"))
        return 1

    def _note_variables(self, at: int) -> None:
        """`a, b INT DEFAULT 0`"""
        while at < len(self._tokens):
            self.frames[-1].names.add(self._tokens[at].text.lower())
            if self._word(at + 1) != ",":
                break
            at += 2

    def _handler(self, at: int) -> int:
        """`DECLARE EXIT HANDLER FOR SQLSTATE '22012', NOT FOUND`: a statement follows."""
        end = at + 4
        while end < len(self._words):
            valued = self._words[end] == "SQLSTATE" and self._word(end + 1) == "VALUE"
            end += {"SQLSTATE": 2, "NOT": 2}.get(self._words[end], 1) + valued
            if self._word(end) != ",":
                break
            end += 1
        return min(end, len(self._words)) - at

    def _cursor(self, at: int) -> int:
        """`CURSOR c IS …`, `c CURSOR FOR …`: the query is a statement and may be looped over."""
        header = self._words[at : at + 6]
        if "CURSOR" not in header[:4]:
            return 0
        name = header[1] if header[0] == "CURSOR" else header[0]
        begin = self._through(at, {"IS", "FOR"})
        if not begin or self._word(begin) not in _QUERIES:
            return 0
        end = self._end_of(begin)
        self._cursors[name] = Query(tuple(self._tokens[begin:end]))
        self._emit(begin, end)
        return end - at

    def _declaration(self, at: int) -> int:
        """One line of a section: a variable, a cursor, or a routine inside a routine."""
        word = self._words[at]
        if word in {"PROCEDURE", "FUNCTION"}:
            begin = self._through(at, {"IS", "AS"})
            if begin:
                self._open(_Frame("DECLARE", names=self._parameters(at, begin)))
                return begin - at
        if cursor := self._cursor(at):
            return cursor
        end = self._end_of(at)
        self.frames[-1].names.add(self._tokens[at].text.lower())
        self._inner_query(at, end)
        return end - at

    # -- statements ------------------------------------------------------------------------------

    def _statement(self, at: int) -> int:
        word = self._words[at]
        if word in {"CREATE", "ALTER"} and not ROUTINES.isdisjoint(self._words[at + 1 : at + 5]):
            return self._routine(at)
        if self._words[at : at + 2] == ["WITH", "FUNCTION"]:
            end = self._end_of_inline(at)
            self._emit(at, end)
            return end - at
        end = self._end_of(at)
        if word == "DO" and self._tokens[at].token_type is TokenType.COMMAND:
            self._emit(at, end)
            self._open_body(end - 1, set(), pure=False)
        elif self.frames and word == "PERFORM":
            # A query whose rows nobody takes.
            first = self._tokens[at]
            select = Token(
                TokenType.SELECT, "SELECT", first.line, first.col, first.start, first.end
            )
            self._append([select, *self._tokens[at + 1 : end]])
        elif not self._controls(at):
            self._emit(at, end)
        elif word == "RETURN" or word not in _STEERING:
            begin = at + 2
            if self._words[at : at + 2] == ["RETURN", "QUERY"] and self._word(begin) in _QUERIES:
                self._emit(begin, end)
            else:
                self._inner_query(at, end)
        return end - at

    def _controls(self, at: int) -> bool:
        """Whether a statement only steers, returns or assigns, where such statements can stand."""
        word = self._words[at]
        if self._batches:
            return word in _STEERING or word == "RETURN"
        return bool(self.frames) and (word in _STEERING or word == "RETURN" or self._assigns(at))

    def _assigns(self, at: int) -> bool:
        """`x := …`, `x = …`, `LET x INT := …`."""
        if self._words[at] == "LET":
            self.frames[-1].names.add(self._word(at + 1).lower())
            return True
        return self._words[at + 1 : at + 2] in ([":="], ["="])

    def _routine(self, at: int) -> int:
        """CREATE PROCEDURE and its like: the header is a statement, the body is opened."""
        task = "TASK" in self._words[at + 1 : at + 5]
        end = at
        depth = 0
        while end < len(self._words):
            word = self._words[end]
            depth += (word == "(") - (word == ")")
            if word == ";" or self._separates(end):
                self._emit(at, end)
                self._quoted_body(at, end)
                return end - at
            if depth == 0 and word in {"BEGIN", "DECLARE"}:
                self._emit(at, end)
                self._open(_Frame("ROUTINE", names=self._parameters(at, end)))
                return end - at
            if depth == 0 and word in {"AS", "IS"} and self._opens_body(end, task=task):
                self._emit(at, end)
                section = self._parser == "oracle"
                kind = "DECLARE" if section else "ROUTINE"
                self._open(_Frame(kind, names=self._parameters(at, end)))
                return end + 1 - at
            end += 1
        self._emit(at, end)
        self._quoted_body(at, end)
        return end - at

    def _opens_body(self, at: int, *, task: bool) -> bool:
        following = self._word(at + 1)
        if self._parser == "oracle":
            return following != "LANGUAGE"
        if self._batches:
            return self._word(at - 1) not in {"WITH", "EXECUTE", "EXEC"} and following not in {
                "OWNER",
                "CALLER",
                "SELF",
            }
        return task or following in {"BEGIN", "DECLARE"}

    def _parameters(self, at: int, end: int) -> set[str]:
        """The names in the first pair of parentheses of a routine's header."""
        begin = next((n for n in range(at, end) if self._words[n] == "("), end)
        close = self._closing(begin) if begin < end else end
        names: set[str] = set()
        for position in range(begin, min(close, end)):
            if self._words[position] in {"(", ","}:
                name = position + 1
                while self._word(name) in {"IN", "OUT", "INOUT", "VARIADIC"}:
                    name += 1
                if name < close:
                    names.add(self._tokens[name].text.lower())
        return names

    def _quoted_body(self, at: int, end: int) -> None:
        """`AS $$ … $$`, if it is SQL."""
        found = quoted_body(self._tokens[at:end])
        if found is not None and found[0] in SQL_LANGUAGES:
            body = at + found[1]
            pure = "FUNCTION" in self._words[at : at + 5]
            self._open_body(body, self._parameters(at, body), pure=pure)

    def _open_body(self, at: int, names: set[str], *, pure: bool) -> None:
        nested = sum(frame.kind == "BODY" for frame in self.frames)
        if not self._bodies or nested >= _NESTED_BODIES:
            return
        tokens = body_tokens(self._tokens[at], self._text, self._parser, pure=pure)
        inner = _Script(tokens, self._text, self._parser, bodies=True)
        inner.frames = [*self.frames, _Frame("BODY", names=names)]
        inner.run()
        self.chunks += inner.chunks

    # -- pieces ----------------------------------------------------------------------------------

    def _end_of(self, at: int) -> int:
        """Behind the last token of the statement that begins here."""
        if self._batches:
            end = statement_end(self._words, at)
            return next((n for n in range(at + 1, end) if self._separates(n)), end)
        for position in range(at, len(self._words)):
            if self._words[position] == ";" or (position > at and self._separates(position)):
                return position
        return len(self._words)

    def _end_of_inline(self, at: int) -> int:
        """Behind Trino's `WITH FUNCTION f() … BEGIN … END SELECT …`, one statement with its blocks."""
        depth = 0
        for position in range(at, len(self._words)):
            word, before = self._words[position], self._words[position - 1]
            if word == "BEGIN" or (word == "CASE" and before != "END"):
                depth += 1
            elif word == "END" and self._word(position + 1) not in _LABELLED | {"IF"}:
                depth -= 1
            elif word == ";" and depth <= 0:
                return position
        return len(self._words)

    def _separates(self, at: int) -> bool:
        """`GO` in T-SQL and `/` in Oracle end a batch when they stand alone on their line."""
        mark = "GO" if self._batches else "/" if self._parser == "oracle" else None
        if self._words[at] != mark:
            return False
        line = self._tokens[at].line
        before = at == 0 or self._tokens[at - 1].line < line
        return before and (at + 1 >= len(self._tokens) or self._tokens[at + 1].line > line)

    def _through(self, at: int, words: Collection[str]) -> int:
        """Behind the first of `words` outside parentheses and CASE, 0 if a semicolon comes first."""
        depth = cases = 0
        for position in range(at, len(self._words)):
            word = self._words[position]
            if word == ";":
                return 0
            if depth == 0 and cases == 0 and word in words:
                return position + 1
            depth += (word == "(") - (word == ")")
            cases = max(0, cases + (word == "CASE") - (word == "END"))
        return 0

    def _closing(self, at: int) -> int:
        depth = 0
        for position in range(at, len(self._words)):
            depth += (self._words[position] == "(") - (self._words[position] == ")")
            if depth == 0:
                return position
        return len(self._words)

    def _inner_query(self, at: int, end: int) -> None:
        """The query in the brackets of an assignment or a RETURN."""
        for position in range(at, end - 1):
            if self._words[position] == "(" and self._words[position + 1] in {"SELECT", "WITH"}:
                self._emit(position + 1, min(self._closing(position), end))
                return

    def _emit(self, begin: int, end: int) -> None:
        self._append(self._without_variables(begin, end))

    def _append(self, tokens: list[Token]) -> None:
        if tokens:
            blocks = tuple(frame.block() for frame in self.frames)
            chunk = Chunk(tokens, tokens[0].start, tokens[-1].end + 1, blocks=blocks)
            self.chunks.append(chunk)

    def _without_variables(self, begin: int, end: int) -> list[Token]:
        """`SELECT a INTO x FROM t` makes no table when `x` is a variable."""
        tokens = self._tokens[begin:end]
        names = {name for frame in self.frames for name in frame.names}
        if self._word(begin) not in {"SELECT", "WITH"} or not self.frames or self._batches:
            return tokens
        into = self._through(begin, {"INTO"})
        if not into or into > end:
            return tokens
        behind = into
        while behind < end and (
            self._words[behind] in {":", ",", "@", "STRICT"}
            or self._tokens[behind].text.lower() in names
            or self._words[behind - 1] in {":", "@"}
        ):
            behind += 1
        return tokens[: into - 1 - begin] + tokens[behind - begin :] if behind > into else tokens


_RULES = {
    "CASE": _Script.condition,
    "DECLARE": _Script.declare,
    "ELSE": _Script.skip,
    "ELSEIF": _Script.condition,
    "ELSIF": _Script.condition,
    "EXCEPTION": _Script.skip,
    "FOR": _Script.loop_over,
    "FOREACH": _Script.loop_over,
    "IF": _Script.condition,
    "LOOP": _Script.loop,
    "REPEAT": _Script.skip,
    "UNTIL": _Script.until,
    "WHEN": _Script.condition,
    "WHILE": _Script.condition,
}
