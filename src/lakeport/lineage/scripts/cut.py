"""Cutting scripts: blocks are opened, and what is inside becomes statements of their own.

The query of a loop, a cursor or a condition is a statement, and a loop's variable stands for its
rows. Bodies of routines in quotes are opened too, if they are SQL. Control flow that reads nothing
(`LEAVE`, `x := 1`) leaves no statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.blocks import Chunk, Query
from lakeport.lineage.bodies import ROUTINES, words_of
from lakeport.lineage.made_tokens import made_token
from lakeport.lineage.scripts.control import take_control
from lakeport.lineage.scripts.frames import Frame
from lakeport.lineage.scripts.routines import done_body, open_body, take_routine
from lakeport.lineage.scripts.rows import row_assignments
from lakeport.lineage.scripts.source import QUERIES, ScriptSource

if TYPE_CHECKING:
    from lakeport.lineage.scripts.routines import Name

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
        "RAISERROR",
        "RESIGNAL",
        "SIGNAL",
        "THROW",
        "WAITFOR",
    }
)


def cut_script(tokens: list[Token], text: str, parser: str, *, bodies: bool) -> list[Chunk]:
    """The statements of a script, in order, each with the blocks around it.

    `bodies`: whether statements inside the quoted body of a routine count, too.
    """
    script = Script(ScriptSource(tokens, text, parser), bodies=bodies)
    script.run()
    return script.chunks


class Script:
    """One pass over the tokens: the blocks that are open, and the statements found so far."""

    def __init__(
        self, source: ScriptSource, *, bodies: bool, frames: list[Frame] | None = None
    ) -> None:
        self.source = source
        self.bodies = bodies
        self.frames = frames or []
        self.chunks: list[Chunk] = []
        self.cursors: dict[str, Query] = {}
        # The label in front of a block that is about to open.
        self.label: str | None = None
        # The tables whose triggers run a function, once somebody has asked.
        self.triggers: dict[str, set[Name]] | None = None

    def run(self) -> None:
        """From the first token to the last; `at` is always where a statement may begin."""
        source = self.source
        at = 0
        while at < len(source):
            if source.words[at] == ";":
                at += 1
            elif source.separates(at):
                self.frames.clear()
                at += 1
            else:
                at += take_control(self, at) or self._statement(at)

    # -- blocks ----------------------------------------------------------------------------------

    def open(self, frame: Frame) -> None:
        """A block begins; it takes the label that was read before it."""
        frame.label, self.label = self.label, None
        self.frames.append(frame)

    def close(self, *kinds: str) -> None:
        """The innermost block of these kinds ends, with all inside it and the header before it."""
        while any(frame.kind in kinds for frame in self.frames):
            if self.frames.pop().kind in kinds:
                break
        while self.frames and self.frames[-1].kind == "ROUTINE":
            self.frames.pop()

    # -- statements ------------------------------------------------------------------------------

    def _statement(self, at: int) -> int:
        """Whatever begins here and is no control flow; how many tokens it takes."""
        source = self.source
        word = source.words[at]
        if word in {"CREATE", "ALTER"} and not ROUTINES.isdisjoint(source.words[at + 1 : at + 5]):
            return take_routine(self, at)
        if source.words[at : at + 2] == ["WITH", "FUNCTION"]:
            end = source.end_of_inline(at)
            self.emit(at, end)
            return end - at
        end = source.end_of(at)
        if self._sets_row(at, end):
            return end - at
        if word == "DO" and source.tokens[at].token_type is TokenType.COMMAND:
            self.emit(at, end)
            body = done_body(source, at, end)
            if body is not None:
                open_body(self, body, Frame("BODY"), pure=False)
        elif self.frames and word == "PERFORM":
            # A query whose rows nobody takes.
            select = made_token(TokenType.SELECT, "SELECT", source.tokens[at])
            self._append([select, *source.tokens[at + 1 : end]])
        elif not self._controls(at):
            self.emit(at, end)
        elif word == "RETURN" or word not in _STEERING:
            returned = source.words[at : at + 2] == ["RETURN", "QUERY"]
            if returned and source.word(at + 2) in QUERIES:
                self.emit(at + 2, end)
            else:
                self.note_rows(at, at + (word == "LET"), end)
                self.emit_queries(at, end)
        return end - at

    def _sets_row(self, at: int, end: int) -> bool:
        """Whether a trigger gives values to the row that changes, which are statements then."""
        if not any(frame.table for frame in self.frames):
            return False
        assignments = row_assignments(self._rows(self.source.tokens[at:end]))
        for assignment in assignments:
            self._append(assignment)
        return bool(assignments)

    def _controls(self, at: int) -> bool:
        """Whether a statement only steers, returns or assigns, where such statements can stand."""
        word = self.source.words[at]
        if self.source.batches:
            return word in _STEERING or word == "RETURN"
        return bool(self.frames) and (word in _STEERING or word == "RETURN" or self._assigns(at))

    def _assigns(self, at: int) -> bool:
        """`x := …`, `x = …`, `LET x INT := …`."""
        if self.source.words[at] == "LET":
            self.frames[-1].names.add(self.source.word(at + 1).lower())
            return True
        return self.source.words[at + 1 : at + 2] in ([":="], ["="])

    def note_rows(self, begin: int, name: int, end: int) -> None:
        """`x RESULTSET := (SELECT …)`: a loop over the variable is one over the query."""
        queries = list(self.source.bracketed_queries(begin, end))
        if len(queries) == 1:
            first, last = queries[0]
            self.cursors[self.source.word(name)] = Query(tuple(self.source.tokens[first:last]))

    # -- what comes out --------------------------------------------------------------------------

    def emit(self, begin: int, end: int) -> None:
        """A range of tokens is a statement; a command keeps its text in one piece, as the parser wants it."""
        if begin >= end:
            # The text ends where a statement would begin.
            return
        first = self.source.tokens[begin]
        if first.token_type is TokenType.COMMAND and end - begin > 2:
            behind, last = self.source.tokens[begin + 1], self.source.tokens[end - 1]
            text = self.source.text[behind.start : last.end + 1]
            rest = Token(TokenType.STRING, text, behind.line, behind.col, behind.start, last.end)
            self._append([first, rest])
        else:
            self._append(self._without_variables(begin, end))

    def emit_queries(self, begin: int, end: int) -> None:
        """The queries in the brackets of a condition, an assignment or a RETURN are statements."""
        for first, last in self.source.bracketed_queries(begin, end):
            self.emit(first, last)

    def _append(self, tokens: list[Token]) -> None:
        if tokens:
            blocks = tuple(frame.block() for frame in self.frames)
            chunk = Chunk(self._rows(tokens), tokens[0].start, tokens[-1].end + 1, blocks=blocks)
            self.chunks.append(chunk)

    def _rows(self, tokens: list[Token]) -> list[Token]:
        """Oracle's `:NEW.a` in a trigger is the column `a` of a row, and no parameter."""
        if self.source.parser != "oracle" or not any(frame.table for frame in self.frames):
            return tokens
        words = words_of(tokens)
        return [
            token
            for at, token in enumerate(tokens)
            if words[at] != ":" or words[at + 1 : at + 3] not in (["NEW", "."], ["OLD", "."])
        ]

    def _without_variables(self, begin: int, end: int) -> list[Token]:
        """`SELECT a INTO x FROM t` makes no table when `x` is a variable."""
        source = self.source
        tokens = source.tokens[begin:end]
        names = {name for frame in self.frames for name in frame.names}
        if source.word(begin) not in {"SELECT", "WITH"} or not self.frames or source.batches:
            return tokens
        into = source.through(begin, {"INTO"})
        if not into or into > end:
            return tokens
        behind = into
        while behind < end and (
            source.words[behind] in {":", ",", "@", "STRICT"}
            or source.name(behind) in names
            or source.words[behind - 1] in {":", "@"}
        ):
            behind += 1
        return tokens[: into - 1 - begin] + tokens[behind - begin :] if behind > into else tokens
