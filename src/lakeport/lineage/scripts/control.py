"""Control flow: BEGIN, IF, loops and their ends. Headers are dropped, their queries are kept.

Each rule answers how many tokens it takes, 0 if what stands there is something else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from lakeport.lineage.blocks import Query
from lakeport.lineage.bodies import TRANSACTION_WORDS
from lakeport.lineage.scripts.batches import condition_end
from lakeport.lineage.scripts.declarations import take_declaration, take_declare, take_let
from lakeport.lineage.scripts.detect import begins
from lakeport.lineage.scripts.frames import Frame
from lakeport.lineage.scripts.source import LABELLED, QUERIES

if TYPE_CHECKING:
    from lakeport.lineage.scripts.cut import Script

_Rule: TypeAlias = "Callable[[Script, int], int]"


def take_control(script: Script, at: int) -> int:
    """Whatever steers at this place."""
    if labelled := _labelled(script, at):
        return labelled
    if begins(script.source.tokens[at]):
        return _begin(script, at)
    word = script.source.words[at]
    if word == "END":
        return _end(script, at)
    if script.frames and script.frames[-1].kind == "DECLARE":
        return take_declaration(script, at)
    rule = _RULES.get(word)
    return rule(script, at) if rule is not None else 0


def _labelled(script: Script, at: int) -> int:
    source = script.source
    if source.word(at + 1) == ":" and source.word(at + 2) in LABELLED:
        script.label = source.name(at)
        return 2
    if source.words[at : at + 2] == ["<", "<"] and source.words[at + 3 : at + 5] == [">", ">"]:
        script.label = source.name(at + 2)
        return 5
    return 0


def _begin(script: Script, at: int) -> int:
    following = script.source.word(at + 1)
    if following in TRANSACTION_WORDS or following in {";", ""}:
        return 0
    if script.frames and script.frames[-1].kind == "DECLARE":
        script.frames[-1].kind = "BEGIN"
    else:
        script.open(Frame("BEGIN"))
    return 2 if following in {"TRY", "CATCH", "ATOMIC"} else 1


def _end(script: Script, at: int) -> int:
    source = script.source
    following = source.word(at + 1)
    length = 2
    if following in {"FOR", "LOOP"}:
        script.close(following)
    elif following not in {"IF", "CASE", "WHILE", "REPEAT"}:
        script.close("BEGIN", "DECLARE")
        length = 2 if following in {"TRY", "CATCH"} else 1
    named = not source.batches and source.word(at + length + 1) in {";", ""}
    return length + (named and source.word(at + length) not in {";", ""})


def _skip(script: Script, at: int) -> int:
    del script, at
    return 1


def _loop(script: Script, at: int) -> int:
    del at
    script.open(Frame("LOOP"))
    return 1


def _condition(script: Script, at: int) -> int:
    source = script.source
    if source.batches:
        end = condition_end(source.words, at)
        script.emit_queries(at, end)
        return end - at
    end = source.through(at + 1, {"THEN", "DO", "LOOP"})
    if not end:
        return 0
    script.emit_queries(at, end)
    if source.words[end - 1] == "LOOP":
        script.open(Frame("LOOP"))
    return end - at


def _until(script: Script, at: int) -> int:
    end = script.source.through(at + 1, {"END"})
    if not end:
        return 0
    script.emit_queries(at, end)
    return end - 1 - at


def _loop_over(script: Script, at: int) -> int:
    source = script.source
    end = source.through(at + 1, {"DO", "LOOP"})
    if not end:
        return 0
    frame = Frame("FOR" if source.words[end - 1] == "DO" else "LOOP")
    begin = at + 1
    if source.word(begin + 1) in {"AS", "IN"}:
        frame.variable = source.name(begin)
        begin += 2
    begin, close = source.unwrapped(begin, end - 1)
    if source.word(begin) in QUERIES:
        frame.query = Query(tuple(source.tokens[begin:close]))
        script.emit(begin, close)
    else:
        frame.query = script.cursors.get(source.word(begin))
    if frame.query is None and frame.variable is not None:
        frame.names.add(frame.variable)
    script.open(frame)
    return end - at


_RULES: dict[str, _Rule] = {
    "CASE": _condition,
    "DECLARE": take_declare,
    "ELSE": _skip,
    "ELSEIF": _condition,
    "ELSIF": _condition,
    "EXCEPTION": _skip,
    "FOR": _loop_over,
    "FOREACH": _loop_over,
    "IF": _condition,
    "LET": take_let,
    "LOOP": _loop,
    "REPEAT": _skip,
    "UNTIL": _until,
    "WHEN": _condition,
    "WHILE": _condition,
}
