"""The tokens of a script, and where what begins at one of them ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.bodies import reopened, words_of
from lakeport.lineage.scripts.batches import statement_end
from lakeport.lineage.scripts.dialects import BATCHES, reopened_commands

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sqlglot.tokenizer_core import Token

QUERIES = frozenset({"SELECT", "WITH", "VALUES", "TABLE", "FROM"})
LABELLED = frozenset({"BEGIN", "FOR", "WHILE", "LOOP", "REPEAT"})


class ScriptSource:
    """Tokens with the words they say; positions are indexes into both."""

    __slots__ = ("_mark", "batches", "parser", "text", "tokens", "words")

    def __init__(self, tokens: list[Token], text: str, parser: str) -> None:
        self.tokens = reopened(tokens, text, parser, reopened_commands(parser))
        self.words = words_of(self.tokens)
        self.text = text
        self.parser = parser
        self.batches = parser in BATCHES
        self._mark = "GO" if self.batches else "/" if parser == "oracle" else None

    def __len__(self) -> int:
        return len(self.tokens)

    def word(self, at: int) -> str:
        """The word at a position, nothing behind the last."""
        return self.words[at] if at < len(self.words) else ""

    def name(self, at: int) -> str:
        """A name as names are compared."""
        return self.tokens[at].text.lower()

    def separates(self, at: int) -> bool:
        """`GO` in T-SQL and `/` in Oracle end a batch when they stand alone on their line."""
        if self.words[at] != self._mark:
            return False
        line = self.tokens[at].line
        before = at == 0 or self.tokens[at - 1].line < line
        return before and (at + 1 >= len(self.tokens) or self.tokens[at + 1].line > line)

    def end_of(self, at: int) -> int:
        """Behind the last token of the statement that begins here."""
        if self.batches:
            end = statement_end(self.words, at)
            return next((n for n in range(at + 1, end) if self.separates(n)), end)
        for position in range(at, len(self.words)):
            if self.words[position] == ";" or (position > at and self.separates(position)):
                return position
        return len(self.words)

    def end_of_inline(self, at: int) -> int:
        """Behind Trino's `WITH FUNCTION f() … BEGIN … END SELECT …`, one statement with its blocks."""
        depth = 0
        for position in range(at, len(self.words)):
            word, before = self.words[position], self.words[position - 1]
            if word == "BEGIN" or (word == "CASE" and before != "END"):
                depth += 1
            elif word == "END" and self.word(position + 1) not in LABELLED | {"IF"}:
                depth -= 1
            elif word == ";" and depth <= 0:
                return position
        return len(self.words)

    def through(self, at: int, words: Collection[str]) -> int:
        """Behind the first of `words` outside parentheses and CASE, 0 if a semicolon comes first."""
        depth = cases = 0
        for position in range(at, len(self.words)):
            word = self.words[position]
            if word == ";":
                return 0
            if depth == 0 and cases == 0 and word in words:
                return position + 1
            depth += (word == "(") - (word == ")")
            cases = max(0, cases + (word == "CASE") - (word == "END"))
        return 0

    def closing(self, at: int) -> int:
        """Where the parenthesis that opens here is closed."""
        depth = 0
        for position in range(at, len(self.words)):
            depth += (self.words[position] == "(") - (self.words[position] == ")")
            if depth == 0:
                return position
        return len(self.words)

    def unwrapped(self, begin: int, end: int) -> tuple[int, int]:
        """A range without the parentheses around all of it."""
        while self.word(begin) == "(" and self.closing(begin) == end - 1:
            begin, end = begin + 1, end - 1
        return begin, end

    def bracketed_queries(self, at: int, end: int) -> Iterator[tuple[int, int]]:
        """The ranges of the queries in parentheses, the outermost only."""
        position = at
        while position < end - 1:
            if self.words[position] == "(" and self.words[position + 1] in {"SELECT", "WITH"}:
                close = min(self.closing(position), end)
                yield position + 1, close
                position = close
            position += 1

    def parameters(self, at: int, end: int) -> set[str]:
        """The names in the first pair of parentheses of a routine's header."""
        begin = next((n for n in range(at, end) if self.words[n] == "("), end)
        close = self.closing(begin) if begin < end else end
        names: set[str] = set()
        for position in range(begin, min(close, end)):
            if self.words[position] in {"(", ","}:
                name = position + 1
                while self.word(name) in {"IN", "OUT", "INOUT", "VARIADIC"}:
                    name += 1
                if name < close:
                    names.add(self.name(name))
        return names
