"""From the tokens of one statement to a syntax tree, whatever it takes.

First the dialect itself, then shims for syntax that matters here and that the parser cannot read,
then the dialect's relatives. What still fails keeps its place with an error; names are salvaged by
the caller. Nesting is measured before parsing: the compiled parser would overrun the C stack.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.bodies import tokens_between
from lakeport.lineage.comments import blanked, cleared
from lakeport.lineage.depth import flattened, may_be_deep, nesting
from lakeport.lineage.engines import tree_of
from lakeport.lineage.glued_names import glue_variables
from lakeport.lineage.identifier_clause import fold_identifiers
from lakeport.lineage.live_tables import read_streams
from lakeport.lineage.other_changes import leave_limit_out
from lakeport.lineage.output_into import keep_output_target, take_output_target
from lakeport.lineage.pipes import lengthen_pipes, unfold_pipes, unfold_table
from lakeport.lineage.reread import inner_statements
from lakeport.lineage.respelt import leave_clusters_out
from lakeport.lineage.shapes import Shapes
from lakeport.lineage.shims import plain_setting, shimmed
from lakeport.lineage.skipped_schemas import SKIPPED, name_skipped_schemas
from lakeport.lineage.spark_syntax import name_columns
from lakeport.lineage.spark_tokens import drop_samples, join_units, name_sorted_windows
from lakeport.lineage.spark_trees import name_times
from lakeport.lineage.text import may_hold_comments
from lakeport.lineage.typed_literals import hold_literals
from lakeport.lineage.versioning import leave_versions_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakeport.lineage.blocks import Chunk
    from lakeport.lineage.dialects import Dialect
    from lakeport.lineage.shapes import Loan
    from lakeport.lineage.shim import Shim

_logger = logging.getLogger(__name__)
_MAX_NESTING = 400
# Of a longer text no copies are made for single statements.
_LONG = 1 << 18
_FREE_CALLS = 16
# The parsers that read `${name}` as a variable.
_VARIABLES = frozenset({"spark", "spark2", "databricks", "hive"})
# Those whose names may begin with a cluster.
_CLUSTERS = frozenset({"doris", "starrocks"})
_MISSING = "Required keyword"
_TOO_MANY = "The number of provided arguments"
_CALLED = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_MANY_STRUCTS = 6
# Shims that leave a whole statement to be read.
_ABOUT_ANOTHER = frozenset({"explain", "immediate", "unload"})
# What a CREATE may define by a query, and within how many words it says so.
_DEFINED = frozenset({TokenType.TABLE, TokenType.VIEW})
_HEADER = 8


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a statement has no tree, and which code points are to blame."""

    message: str
    start: int
    end: int
    # It may be valid SQL, but is nested deeper than is looked at.
    too_deep: bool = False


class Parsed(msgspec.Struct, frozen=True):
    """A statement's tree, or the problem instead of it. `fallback` is the dialect that could read it."""

    own: exp.Expr | None
    problem: Problem | None = None
    fallback: str | None = None
    shim: Shim | None = None
    # Some names may be put together, and are written nowhere as they are.
    computed: bool = False
    # Below some level only the columns are known.
    cut: Problem | None = None
    # In place of a tree of its own, one that it has in turn with others.
    loan: Loan | None = None

    @property
    def tree(self) -> exp.Expr | None:
        """To be asked for anew for each statement, and kept by nobody."""
        return self.own if self.loan is None else self.loan.tree()

    def is_a(self, kind: type[exp.Expr]) -> bool:
        """Whether the tree is one of these, without a claim to it."""
        return isinstance(self.own if self.loan is None else self.loan.shape.root, kind)


# Trees that may hide a statement.
_OPAQUE = (exp.Command, exp.Execute)
# What sqlglot raises on damaged text: its own errors, and the accidents of a parser in a hurry.
_FAILURES = (
    SqlglotError,
    RecursionError,
    ValueError,
    TypeError,
    AttributeError,
    KeyError,
    IndexError,
    AssertionError,
    NotImplementedError,
)


class StatementParser:
    """Parses statements of one text; those that come again and again, once."""

    __slots__ = ("_computed", "_deepest", "_dialect", "_shapes", "_text")

    def __init__(
        self, text: str, dialect: Dialect, deepest: int = _MAX_NESTING, *, many: bool = False
    ) -> None:
        self._text = text
        self._dialect = dialect
        self._deepest = min(deepest, _MAX_NESTING)
        self._computed = False
        self._shapes = Shapes(dialect.parser) if many else None

    def parse(self, chunk: Chunk) -> Parsed:
        """The tree of one statement, by the first way that works."""
        try:
            return self._parsed(chunk) if self._shapes is None else self._once(chunk, self._shapes)
        except Exception as error:
            # A rule of ours that stumbles over one statement must not cost the others.
            _logger.exception("lineage.bug")
            return Parsed(None, _problem(error, chunk))

    def _once(self, chunk: Chunk, shapes: Shapes) -> Parsed:
        """The tree that statements like this one share."""
        loan = shapes.lent(chunk) if chunk.kinds else None
        if loan is not None:
            return Parsed(None, loan=loan)
        written = chunk.tokens[:]
        parsed = self._parsed(chunk)
        plain = parsed.shim is None and parsed.fallback is None and not parsed.computed
        # What was read in other words than it is written in is known again by neither.
        if parsed.own is not None and plain and chunk.kinds and written == chunk.tokens:
            loan = shapes.keep(parsed.own, chunk)
        return parsed if loan is None else Parsed(None, loan=loan)

    def _parsed(self, chunk: Chunk) -> Parsed:
        if chunk.error is not None:
            return Parsed(None, Problem(*chunk.error))
        text = self._text[chunk.start : chunk.end]
        lowered = text.lower()
        deepest = self._deepest
        if may_be_deep(lowered, len(chunk.tokens), deepest) and nesting(chunk.tokens) > deepest:
            return self._cut(chunk, deepest)
        return self._read(chunk, text, lowered)

    def _read(self, chunk: Chunk, text: str, lowered: str) -> Parsed:
        self._computed = False
        self._unfold(chunk.tokens, text, lowered)
        _calm(chunk.tokens, lowered)
        target = self._output_target(chunk.tokens, lowered)
        if self._dialect.parser in {"tsql", "fabric"}:
            leave_limit_out(chunk.tokens)
        problem: Problem | None = None
        tree: exp.Expr | None = None
        try:
            tree = self._tree(chunk.tokens, self._dialect.parser, alone=chunk.alone)
        except _FAILURES as error:
            problem = _problem(error, chunk)
        if tree is not None and not isinstance(tree, _OPAQUE):
            if (
                ":" in text
                and _takes_parts_for_aliases(tree, chunk.tokens)
                and (other := self._as_relatives(chunk)) is not None
            ):
                return other
            if self._dialect.naming == "spark" and ("time_" in lowered or _may_name_unit(lowered)):
                name_times(tree, chunk.tokens)
            return Parsed(self._filling(tree, target), computed=self._computed)
        if len(self._text) < _LONG and may_hold_comments(text):
            return self._uncommented(chunk, tree, problem, target)
        return self._second_ways(chunk, tree, problem, target)

    def _cut(self, chunk: Chunk, deepest: int) -> Parsed:
        """What can be said of a statement that nests too deeply."""
        problem = Problem(
            f"nested deeper than {deepest} levels", chunk.start, chunk.end, too_deep=True
        )
        shallow = flattened(chunk.tokens, deepest)
        if shallow is None:
            return Parsed(None, problem)
        written = chunk.tokens[:]
        chunk.tokens[:] = shallow
        text = self._text[chunk.start : chunk.end]
        parsed = self._read(chunk, text, text.lower())
        if parsed.own is None or isinstance(parsed.own, exp.Command):
            chunk.tokens[:] = written
            return Parsed(None, problem)
        return replace(parsed, cut=problem)

    def _uncommented(
        self, chunk: Chunk, tree: exp.Expr | None, problem: Problem | None, target: list[Token]
    ) -> Parsed:
        """What the parser hands on as text is read without the comments in it."""
        whole = self._text
        self._text = blanked(whole, chunk.tokens, self._dialect.parser)
        clear = replace(chunk, tokens=cleared(chunk.tokens, self._text))
        try:
            tree = tree and self._attempt(clear.tokens, self._dialect.parser)
            return self._second_ways(clear, tree, problem, target)
        finally:
            self._text = whole

    def _second_ways(
        self, chunk: Chunk, tree: exp.Expr | None, problem: Problem | None, target: list[Token]
    ) -> Parsed:
        for shim in self._shims(chunk):
            repaired = self._repaired(shim)
            if repaired is not None and not isinstance(repaired, exp.Command):
                computed = self._computed or shim.kind == "immediate"
                return Parsed(self._filling(repaired, target), shim=shim, computed=computed)
        if problem is not None:
            return self._otherwise(chunk, problem)
        if isinstance(tree, exp.Command) and (_defines(chunk.tokens) or _alters(chunk.tokens)):
            # The parser stops at what it cannot read of the columns or the query, and hands all of it on as text.
            return self._as_relatives(chunk) or Parsed(tree)
        return Parsed(tree)

    def _output_target(self, tokens: list[Token], lowered: str) -> list[Token]:
        """T-SQL's `OUTPUT … INTO t`, cut out."""
        if self._dialect.parser not in {"tsql", "fabric"} or "output" not in lowered:
            return []
        return take_output_target(tokens)

    def _filling(self, tree: exp.Expr, target: list[Token]) -> exp.Expr:
        """The tree with the table that its OUTPUT fills."""
        if target:
            keep_output_target(tree, self._attempt(target, self._dialect.parser))
        return tree

    def _otherwise(self, chunk: Chunk, problem: Problem) -> Parsed:
        """The last ways: fewer rules about functions, and the dialect's relatives."""
        tree = self._with_free_arguments(chunk.tokens)
        if tree is not None:
            return Parsed(tree)
        return self._as_relatives(chunk) or Parsed(None, problem)

    def _as_relatives(self, chunk: Chunk) -> Parsed | None:
        for relative in self._dialect.relatives:
            other = self._as_relative(chunk, relative)
            if other is not None:
                return Parsed(other, fallback=relative or "generic")
        return None

    def _as_relative(self, chunk: Chunk, relative: str) -> exp.Expr | None:
        """The tree in another dialect: of the tokens as they are, or read anew with its quotes."""
        first = chunk.tokens[0]
        anew = tokens_between(self._text, chunk.start, chunk.end, relative, first)
        for tokens in (chunk.tokens, anew):
            tree = self._attempt(tokens, relative)
            if tree is not None and not isinstance(tree, exp.Command):
                # What is quoted of the statement is found by the tokens it was read from.
                chunk.tokens[:] = tokens
                return tree
        return None

    def _with_free_arguments(self, tokens: list[Token]) -> exp.Expr | None:
        """The tree with functions taken for unknown ones where the parser wants other arguments.

        Engines add optional arguments faster than the parser learns them, and users call functions
        of their own like those of another engine.
        """
        tokens = list(tokens)
        for _ in range(_FREE_CALLS):
            try:
                tree = self._tree(tokens, self._dialect.parser)
            except ParseError as error:
                called = _refused_call(error, tokens)
                if called is None:
                    return None
                # No function is called so, and printed it looks the same.
                name = tokens[called]
                tokens[called] = Token(
                    TokenType.VAR, f"{name.text} ", name.line, name.col, name.start, name.end
                )
            except _FAILURES:
                return None
            else:
                return tree
        return None

    def _unfold(self, tokens: list[Token], text: str, lowered: str) -> None:
        """Pipes, names in short and IDENTIFIER; a look at the text is cheaper than one at every token.

        One for a single character takes a hundredth of one for a word.
        """
        if "$" in text and "${" in text:
            known = self._dialect.parser in _VARIABLES
            glue_variables(tokens, self._text, knows_variables=known)
        if ":" in text and "::" in text:
            hold_literals(tokens)
        if ":" in text and self._dialect.parser in _CLUSTERS:
            leave_clusters_out(tokens)
        if self._dialect.parser in SKIPPED and ".." in text:
            name_skipped_schemas(tokens, SKIPPED[self._dialect.parser])
        if self._dialect.naming not in {"spark", "bigquery"}:
            if self._dialect.parser == "snowflake" and "identifier" in lowered:
                self._computed |= fold_identifiers(tokens, self._text)
            if "|>" in text:
                unfold_pipes(tokens)
            return
        spark = self._dialect.naming == "spark"
        # `||` joins texts and is no pipe.
        pipes = text.count("|") - 2 * text.count("||") if "|" in text else 0
        if pipes and ((spark and lengthen_pipes(tokens)) or "|>" in text):
            unfold_pipes(tokens)
        if spark:
            self._unfold_spark(tokens, lowered)

    def _unfold_spark(self, tokens: list[Token], lowered: str) -> None:
        unfold_table(tokens)
        if "identifier" in lowered:
            self._computed |= fold_identifiers(tokens, self._text)
        if "all," in lowered:
            name_columns(tokens)
        if "interval" in lowered:
            join_units(tokens)
        if "tablesample" in lowered:
            drop_samples(tokens)
        if "by all" in lowered:
            name_sorted_windows(tokens)
        if "stream" in lowered:
            read_streams(tokens)

    def _shims(self, chunk: Chunk) -> Iterator[Shim]:
        for shim in inner_statements(chunk.tokens, self._text, self._dialect.parser):
            if shim.kind in {"explain", "immediate"}:
                text = self._text[chunk.start : chunk.end]
                self._unfold(shim.tokens, text, text.lower())
            yield shim
        word = chunk.tokens[0].text.upper() if chunk.tokens and not chunk.blocks else ""
        if word == "SET" and self._dialect.naming == "spark":
            yield from plain_setting(self._text[chunk.start : chunk.end])
        yield from shimmed(chunk.tokens, self._text)

    def _repaired(self, shim: Shim) -> exp.Expr | None:
        if shim.tree is not None:
            return shim.tree
        tree = self._attempt(shim.tokens, self._dialect.parser)
        if shim.kind in _ABOUT_ANOTHER and (tree is None or isinstance(tree, exp.Command)):
            tree = self._inner(shim.tokens)
        return shim.finish(tree) if shim.finish is not None and tree is not None else tree

    def _inner(self, tokens: list[Token]) -> exp.Expr | None:
        """A statement inside another one, by the first of the second ways that works."""
        for tree in self._inner_ways(tokens):
            if tree is not None and not isinstance(tree, exp.Command):
                return tree
        return None

    def _inner_ways(self, tokens: list[Token]) -> Iterator[exp.Expr | None]:
        for shim in shimmed(tokens, self._text):
            if shim.path is None:
                yield self._repaired(shim)
        yield self._with_free_arguments(tokens)
        for relative in self._dialect.relatives:
            yield self._attempt(tokens, relative)

    def _attempt(self, tokens: list[Token], parser: str) -> exp.Expr | None:
        try:
            return self._tree(tokens, parser)
        except _FAILURES:
            return None

    def _tree(self, tokens: list[Token], parser: str, *, alone: bool = False) -> exp.Expr | None:
        tree = tree_of(tokens, self._text, parser, alone=alone)
        return tree if isinstance(tree, exp.Expr) else None


def parsed_fragment(tokens: list[Token], text: str, parser: str) -> exp.Expr | None:
    """The tree of an expression cut out of a statement, None if it does not stand alone."""
    try:
        tree = tree_of(tokens, text, parser)
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, KeyError):
        return None
    return tree if isinstance(tree, exp.Expr) and not isinstance(tree, exp.Command) else None


def _may_name_unit(lowered: str) -> bool:
    """Whether a call of `date_trunc` or `trunc` does not begin with a text, as nearly all do."""
    return "trunc(" in lowered and lowered.count("trunc(") > lowered.count("trunc('")


def _defines(tokens: list[Token]) -> bool:
    """Whether this is a CREATE of a table or view with a query or a list behind it."""
    kinds = [token.token_type for token in tokens]
    return (
        kinds[:1] == [TokenType.CREATE]
        and not _DEFINED.isdisjoint(kinds[1:_HEADER])
        and (TokenType.SELECT in kinds or TokenType.L_PAREN in kinds)
    )


def _alters(tokens: list[Token]) -> bool:
    """Whether this is an ALTER TABLE."""
    return [token.token_type for token in tokens[:2]] == [TokenType.ALTER, TokenType.TABLE]


def _takes_parts_for_aliases(tree: exp.Expr, tokens: list[Token]) -> bool:
    """Whether `SELECT v:a`, a part of a value, was read as `v AS :a`, which no engine knows."""
    return any(token.token_type is TokenType.COLON for token in tokens) and any(
        isinstance(alias.args.get("alias"), exp.Placeholder) for alias in tree.find_all(exp.Alias)
    )


def _calm(tokens: list[Token], lowered: str) -> None:
    """What would keep the parser for long, or forever."""
    if lowered.count("struct(") > _MANY_STRUCTS:
        _calm_structs(tokens)
    if "system_versioning" in lowered or "data_deletion" in lowered:
        leave_versions_out(tokens)


def _calm_structs(tokens: list[Token]) -> None:
    """Nested `struct(struct(…))`: tried as a type first at every level, it doubles per level."""
    for position, token in enumerate(tokens[:-1]):
        if (
            token.token_type is TokenType.STRUCT
            and tokens[position + 1].token_type is TokenType.L_PAREN
        ):
            tokens[position] = Token(
                TokenType.VAR, token.text, token.line, token.col, token.start, token.end
            )


def _refused_call(error: ParseError, tokens: list[Token]) -> int | None:
    """The place of the name of a function that the parser wants more or fewer arguments for."""
    facts = error.errors[0] if error.errors else {}
    told = str(facts.get("description"))
    if told.startswith(_MISSING):
        called = _call_ending(facts, tokens)
        # Other parts may be missing as well, in front of a parenthesis that belongs to no call.
        return called if called is not None and tokens[called].token_type in _CALLED else None
    return _call_ending(facts, tokens) if told.startswith(_TOO_MANY) else None


def _call_ending(facts: dict[str, Any], tokens: list[Token]) -> int | None:
    """The place of the name of the function whose call ends where the error is."""
    place = (facts.get("line"), facts.get("col"))
    end = next((n for n, token in enumerate(tokens) if (token.line, token.col) == place), -1)
    depth = 0
    for at in range(end, 0, -1):
        kind = tokens[at].token_type
        depth += (kind is TokenType.R_PAREN) - (kind is TokenType.L_PAREN)
        if not depth:
            return at - 1 if kind is TokenType.L_PAREN and at else None
    return None


# The parser shows a token as Python does, with all of its fields.
_GOT = re.compile(r"but got <Token .*?text: (?P<text>.*?), line: .*>", re.DOTALL)
_END = "SENTINEL"  # what it takes for a token behind the last one


def _got(found: re.Match[str]) -> str:
    return "but the text ends" if found["text"] == _END else f"but got `{found['text']}`"


def _problem(error: Exception, chunk: Chunk) -> Problem:
    """The offending token: sqlglot names it by line and by the column of its last character."""
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        line, column = first.get("line"), first.get("col")
        message = str(first.get("description") or "the statement does not parse").rstrip(".")
        if message.startswith(_MISSING):
            # Which part and of what, the parser takes from a set: another answer in every process.
            message = "a part of an expression is missing"
        message = _GOT.sub(_got, message)
        for token in chunk.tokens:
            if token.line == line and token.col == column:
                return Problem(f"{message} near `{token.text}`", token.start, token.end + 1)
        return Problem(message, chunk.start, chunk.end)
    if isinstance(error, RecursionError):
        return Problem("nested too deeply to parse", chunk.start, chunk.end, too_deep=True)
    lines = str(error).splitlines()
    return Problem(lines[0] if lines else type(error).__name__, chunk.start, chunk.end)
