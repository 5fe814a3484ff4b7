"""CREATE PROCEDURE and its like: the header is a statement, the body is opened.

A body follows the header as blocks, or stands in it as a quoted text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.blocks import Function
from lakeport.lineage.bodies import (
    BODIES,
    SQL_LANGUAGES,
    body_tokens,
    quoted_body,
    tokens_between,
    words_of,
)
from lakeport.lineage.scripts.frames import Frame
from lakeport.lineage.scripts.source import ScriptSource

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.scripts.cut import Script

# The parts of a table's name, and whether each was quoted.
Name: TypeAlias = "tuple[tuple[str, bool], ...]"

_NESTED_BODIES = 4
_BLOCKS = frozenset({"BEGIN", "DECLARE"})
_SCHEDULED = frozenset({"TASK", "PIPE"})
_VERBS = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "SELECT", "CALL", "SET"})


def take_routine(script: Script, at: int) -> int:
    """The header, and the frame of the body behind it; how many tokens they take."""
    source = script.source
    scheduled = not _SCHEDULED.isdisjoint(source.words[at + 1 : at + 5])
    end = at
    depth = 0
    while end < len(source):
        word = source.words[end]
        depth += (word == "(") - (word == ")")
        if word == ";" or source.separates(end):
            break
        if depth == 0 and word in _BLOCKS:
            script.emit(at, end)
            script.open(_frame("ROUTINE", source, at, end))
            return end - at
        if depth == 0 and word in _VERBS and source.word(end - 1) == "ROW":
            return _one_statement(script, at, end)
        if scheduled and depth == 0 and word == "AS" and source.word(end + 1) not in _BLOCKS:
            return _one_statement(script, at, end + 1)
        if depth == 0 and word in {"AS", "IS"} and _opens_body(source, end):
            script.emit(at, end)
            kind = "DECLARE" if source.parser == "oracle" else "ROUTINE"
            script.open(_frame(kind, source, at, end))
            return end + 1 - at
        end += 1
    script.emit(at, end)
    _quoted(script, at, end)
    return end - at


def _one_statement(script: Script, at: int, body: int) -> int:
    """A trigger `FOR EACH ROW`, a task or a pipe whose body is no block."""
    source = script.source
    script.emit(at, body)
    end = source.end_of(body)
    script.open(_frame("ROUTINE", source, at, body))
    script.emit(body, end)
    script.frames.pop()
    return end - at


def _frame(kind: str, source: ScriptSource, at: int, end: int) -> Frame:
    """What a routine's header says of its body."""
    names = source.parameters(at, end)
    if source.batches and source.words[end - 2 : end] == ["RETURNS", "TABLE"]:
        return Frame(kind, names=names, function=_function(source, at, end))
    if "TRIGGER" not in source.words[at : min(at + 5, end)]:
        return Frame(kind, names=names)
    return Frame(kind, names=names, table=_trigger_table(source, at, end))


def _function(source: ScriptSource, at: int, end: int) -> Function:
    """T-SQL's `CREATE FUNCTION f (@a INT, @b INT) RETURNS TABLE`, whose body is `RETURN (SELECT …)`."""
    opening = next((n for n in range(at, end) if source.words[n] == "("), end)
    close = source.closing(opening) if opening < end else end
    marks = [n for n in range(opening, min(close, end) - 1) if source.words[n] == "@"]
    return Function(
        source.tokens[opening - 1].text, tuple(source.tokens[n + 1].text.lower() for n in marks)
    )


def _trigger_table(source: ScriptSource, at: int, end: int) -> Name:
    """The table that the trigger with this header is on, nothing if it is on none."""
    words = source.words[at:end]
    if "ON" not in words:
        return ()
    begin = behind = at + words.index("ON") + 1
    while behind < end and (behind == begin or source.word(behind - 1) == "."):
        behind += 2
    return _parts(source, begin, behind)


def _tables_of_functions(source: ScriptSource) -> dict[str, set[Name]]:
    """The tables whose triggers run a function, by the function's name: `EXECUTE FUNCTION f()`."""
    found: dict[str, set[Name]] = {}
    for at, word in enumerate(source.words):
        if word == "TRIGGER" and "CREATE" in source.words[max(0, at - 4) : at]:
            end = source.end_of(at)
            called = _name_of_called(source, source.through(at, {"EXECUTE"}), end)
            found.setdefault(called, set()).add(_trigger_table(source, at, end))
    return found


def _name_of_called(source: ScriptSource, begin: int, end: int) -> str:
    """The last part of the name in front of the first parenthesis, nothing if there is none."""
    opening = next((at for at in range(begin + 1, end) if source.words[at] == "("), 0)
    return source.name(opening - 1) if opening else ""


def _parts(source: ScriptSource, begin: int, end: int) -> Name:
    parts = source.tokens[begin:end:2]
    return tuple((part.text, part.token_type is TokenType.IDENTIFIER) for part in parts)


def _opens_body(source: ScriptSource, at: int) -> bool:
    following = source.word(at + 1)
    if source.parser == "oracle":
        return following != "LANGUAGE"
    if source.batches:
        return source.word(at - 1) not in {"WITH", "EXECUTE", "EXEC"} and following not in {
            "OWNER",
            "CALLER",
            "SELF",
        }
    return following in _BLOCKS


def _quoted(script: Script, at: int, end: int) -> None:
    """`AS $$ … $$`, if it is SQL."""
    source = script.source
    found = quoted_body(source.tokens[at:end])
    if found is not None and found[0] in SQL_LANGUAGES:
        body = at + found[1]
        pure = "FUNCTION" in source.words[at : at + 5]
        frame = Frame("BODY", names=source.parameters(at, body))
        if pure and "TRIGGER" in source.words[at:body]:
            if script.triggers is None:
                script.triggers = _tables_of_functions(source)
            tables = script.triggers.get(_name_of_called(source, at, body), set())
            if len(tables) == 1:
                frame.table = next(iter(tables))
            else:
                frame.names |= {"new", "old"}
        open_body(script, source.tokens[body], frame, pure=pure and not frame.table)


def done_body(source: ScriptSource, at: int, end: int) -> Token | None:
    """What `DO LANGUAGE plpgsql $$ … $$` does; the tokenizer keeps all behind DO in one piece."""
    begin, last = source.tokens[at].end + 1, source.tokens[end - 1].end + 1
    behind = tokens_between(source.text, begin, last, source.parser, source.tokens[at])
    words = words_of(behind)
    named = words.index("LANGUAGE") + 1 if "LANGUAGE" in words else len(words)
    language = behind.pop(named).text.upper() if named < len(behind) else "PLPGSQL"
    if language not in SQL_LANGUAGES:
        return None
    return next((token for token in behind if token.token_type in BODIES), None)


def open_body(script: Script, body: Token, frame: Frame, *, pure: bool) -> None:
    """The statements inside a quoted body, behind those found so far."""
    nested = sum(frame.kind == "BODY" for frame in script.frames)
    if not script.bodies or nested >= _NESTED_BODIES:
        return
    source = script.source
    tokens = body_tokens(body, source.text, source.parser, pure=pure)
    inner = type(script)(
        ScriptSource(tokens, source.text, source.parser),
        bodies=True,
        frames=[*script.frames, frame],
    )
    inner.run()
    script.chunks += inner.chunks
