"""DECLARE: variables, cursors, handlers, and the sections that some dialects put before a BEGIN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.blocks import Query
from lakeport.lineage.scripts.dialects import SECTIONS, STATED
from lakeport.lineage.scripts.frames import Frame
from lakeport.lineage.scripts.source import QUERIES

if TYPE_CHECKING:
    from lakeport.lineage.scripts.cut import Script


def take_declare(script: Script, at: int) -> int:
    """What the word DECLARE begins; 0 if it is a statement like any other."""
    source = script.source
    if source.word(at + 2) == "HANDLER":
        return _handler(script, at)
    if cursor := _cursor(script, at + 1):
        return cursor + 1
    if source.parser in STATED or (source.parser not in SECTIONS and not script.frames):
        return 0
    if source.parser not in SECTIONS:
        end = source.end_of(at)
        _note_variables(script, at + 1)
        script.emit_queries(at, end)
        return end - at
    script.open(Frame("DECLARE"))
    return 1


def take_let(script: Script, at: int) -> int:
    """Snowflake's `LET c CURSOR FOR …` declares where it stands; any other LET assigns."""
    cursor = _cursor(script, at + 1) if script.frames else 0
    return cursor + 1 if cursor else 0


def take_declaration(script: Script, at: int) -> int:
    """One line of a section: a variable, a cursor, or a routine inside a routine."""
    source = script.source
    if source.words[at] in {"PROCEDURE", "FUNCTION"}:
        begin = source.through(at, {"IS", "AS"})
        if begin:
            script.open(Frame("DECLARE", names=source.parameters(at, begin)))
            return begin - at
    if cursor := _cursor(script, at):
        return cursor
    end = source.end_of(at)
    script.frames[-1].names.add(source.name(at))
    script.note_rows(at, at, end)
    script.emit_queries(at, end)
    return end - at


def _note_variables(script: Script, at: int) -> None:
    """`a, b INT DEFAULT 0`"""
    source = script.source
    while at < len(source):
        script.frames[-1].names.add(source.name(at))
        if source.word(at + 1) != ",":
            break
        at += 2


def _handler(script: Script, at: int) -> int:
    """`DECLARE EXIT HANDLER FOR SQLSTATE '22012', NOT FOUND`: a statement follows."""
    source = script.source
    end = at + 4
    while end < len(source):
        valued = source.words[end] == "SQLSTATE" and source.word(end + 1) == "VALUE"
        end += {"SQLSTATE": 2, "NOT": 2}.get(source.words[end], 1) + valued
        if source.word(end) != ",":
            break
        end += 1
    return min(end, len(source)) - at


def _cursor(script: Script, at: int) -> int:
    """`CURSOR c IS …`, `c CURSOR FOR …`: the query is a statement and may be looped over."""
    source = script.source
    header = source.words[at : at + 6]
    if "CURSOR" not in header[:4]:
        return 0
    name = source.word(at + 1) if header[0] == "CURSOR" else header[0]
    begin = source.through(at, {"IS", "FOR"})
    if not begin:
        return 0
    end = source.end_of(begin)
    if held := script.cursors.get(source.word(begin)):
        # Over rows that a variable holds already.
        script.cursors[name] = held
        return end - at
    if source.word(begin) not in QUERIES:
        return 0
    script.cursors[name] = Query(tuple(source.tokens[begin:end]))
    script.emit(begin, end)
    return end - at
