"""A place in a list of tokens, and the few moves a recursive reader needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_T = TokenType
_UNSPOKEN = frozenset({_T.STRING, _T.IDENTIFIER})


class Unprintable(Exception):  # noqa: N818 - a signal inside this package, never an error of its callers
    """The tokens are not an expression this printer knows."""


class Cursor:
    """Tokens, read from left to right; `at` may be set back to try another reading."""

    __slots__ = ("_words", "at", "tokens")

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        # Read far more often than once each.
        self._words = ["" if t.token_type in _UNSPOKEN else t.text.upper() for t in tokens]

    def done(self) -> bool:
        """Every token was used."""
        return self.at >= len(self.tokens)

    def word(self, ahead: int = 0) -> str:
        """The upper-case text of a token; quoted names and strings are no words."""
        place = self.at + ahead
        return self._words[place] if place < len(self._words) else ""

    def kind(self, ahead: int = 0) -> TokenType | None:
        """The type of a token, None past the end."""
        place = self.at + ahead
        return self.tokens[place].token_type if place < len(self.tokens) else None

    def take(self) -> Token:
        """The next token."""
        if self.done():
            raise Unprintable("end")
        token = self.tokens[self.at]
        self.at += 1
        return token

    def accept(self, *words: str) -> bool:
        """Take a sequence of words if it stands here."""
        for ahead, wanted in enumerate(words):
            if self.word(ahead) != wanted:
                return False
        self.at += len(words)
        return True

    def accept_any(self, *phrases: str) -> bool:
        """Take one of some phrases, which the tokenizer may have kept as one token."""
        return any(self.accept(phrase) or self.accept(*phrase.split()) for phrase in phrases)

    def expect(self, word: str) -> None:
        """Take a word that must stand here."""
        if not self.accept(word):
            raise Unprintable(word)

    def operator(self, table: dict[str, str]) -> str | None:
        """An operator, which the tokenizer may have cut into several tokens without space between."""
        joined, count = self.word(), 1
        if not joined:
            return None
        while self.at + count < len(self.tokens):
            before, following = self.tokens[self.at + count - 1], self.tokens[self.at + count]
            if following.start != before.end + 1 or joined + following.text not in table:
                break
            joined += following.text
            count += 1
        if joined not in table:
            return None
        self.at += count
        return table[joined]
