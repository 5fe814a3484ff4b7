"""Another name in a table's place: what else of the query must change for that.

Spark calls a table by the last part of its name and by all of it. So where the last part changes, the
relation gets an alias that reads as before; and where an expression says the whole name, it says the new
one or the alias.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lakeport.core.names import fold
from lakeport.pipeline.growth.spark_words import identifier

if TYPE_CHECKING:
    from lakeport.pipeline.graph.model import Reference

_LAST = re.compile(r"(?:`((?:[^`]|``)+)`|([^`.\s()]+))\s*\Z")


def edits_for(reference: Reference, name: str) -> Iterator[tuple[int, int, str]]:
    """From where to where, and what comes there instead."""
    yield reference.start, reference.end, f"{reference.lead}{name}"
    called = reference.parts[-1]
    full = [one for one in reference.qualifiers if one.parts > 1]
    if fold(_last_part(name)) == fold(called):
        for one in full:
            yield one.start, one.end, name
        return
    if reference.alias_at is None:
        return
    # Another relation of this name would be taken for it where the whole name was said.
    alias = called if reference.is_only or not full else ".".join(reference.parts)
    yield reference.alias_at, reference.alias_at, f" AS {identifier(alias)}"
    for one in reference.qualifiers if alias != called else full:
        yield one.start, one.end, identifier(alias)


def applied(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """A blank comes where a name would grow together with a word: "FROM`a`" needs none, "FROMa" does."""
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted(edits):
        before = text[start - 1 : start] if start > at else "".join(pieces)[-1:]
        pieces += (text[at:start], " " if _is_word(before) and _is_word(new[:1]) else "", new)
        if _is_word(new[-1:]) and _is_word(text[end : end + 1]):
            pieces.append(" ")
        at = end
    return "".join((*pieces, text[at:]))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _last_part(name: str) -> str:
    """Of a query in parentheses there is none."""
    found = _LAST.search(name)
    if found is None:
        return ""
    return found[1].replace("``", "`") if found[1] else found[2]
