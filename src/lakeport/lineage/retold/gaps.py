"""Texts with gaps for the names of tables.

A gap is a number of a word: each name is two words, as it is written and as it is folded. Names are
ASCII words, and what is written like one in another case may be another name, so that nothing with
such a text in it can be told.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakeport.lineage.names import Name

# Names as they are written, each followed by what it is folded to.
Words: TypeAlias = "list[str]"
# A canonical name with the numbers of words in place of the parts that may be others.
Parts: TypeAlias = "list[int | str]"


class Untellable(Exception):  # noqa: N818 - a decision, not an error
    """Something of the answer is not known to follow from the names."""


class Gaps:
    """The words of one statement that may be others."""

    def __init__(self, words: Sequence[str]) -> None:
        # A name that is folded to itself is the word as it is written.
        self._numbers = {word: number for number, word in reversed(list(enumerate(words)))}
        # The longest first, although a name ends where its word does.
        names = "|".join(map(re.escape, sorted(self._numbers, key=len, reverse=True)))
        self._pattern = re.compile(rf"(?<!\w)(?:{names})(?!\w)", re.IGNORECASE)

    def template(self, text: str | None) -> str | None:
        """A text with gaps to be filled with words; None if there are none in it."""
        if text is None or not self._pattern.search(text):
            return None
        return self._pattern.sub(lambda found: f"{{{self._number(found[0])}}}", escaped(text))

    def are_named(self, text: str) -> bool:
        """Whether a text is just one of the names."""
        return text in self._numbers

    def constant(self, value: Any) -> None:
        """What is the same for all names has to hold none."""
        if value and self._pattern.search(msgspec.json.encode(value).decode()):
            raise Untellable

    def parts(self, name: Name) -> Parts:
        """A canonical name, or one as it is shown."""
        return [self._number(part) if self._pattern.search(part) else part for part in name]

    def _number(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            raise Untellable
        return number


def escaped(text: str) -> str:
    """A text as one with gaps that has none."""
    return text.replace("{", "{{").replace("}", "}}")


def named(parts: Parts, words: Words) -> Name:
    """The name with the words in it."""
    return tuple([words[part] if part.__class__ is int else part for part in parts])  # type: ignore[misc] # numbers are of words
