"""Statements of one text that differ in names alone are parsed once.

Workloads that programs write, and the logs of warehouses, say the same thing of table after table. A
parser goes by the kinds of tokens and by words it knows; a name that is no such word changes nothing but
the node it becomes. So the tree of the first statement serves those like it, with their names and places
put in, and with the values that something is compared with. One statement at a time has the tree, and gets
it back when it asks again: nobody may keep a node of it beyond the statement. Trees of which nodes are
kept (lists of columns, routines) are not lent.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sqlglot import exp

from lakeport.lineage.dialects import engine_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.bind.frames import Frames
    from lakeport.lineage.blocks import Chunk

_Texts: TypeAlias = "tuple[str, ...]"

# A long statement hardly comes again.
_LONGEST = 4_000
# So many statements of the same kinds of tokens are told apart by their words.
_MANY = 8
# What of a CREATE is looked at again later on.
_KEPT = (exp.Schema, exp.UserDefinedFunction)
_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)

_text = attrgetter("text")
# Words that parsers look for are in their tables, are letters alone, or are listed here.
_NAME = re.compile(r"(?=[^\d_]*[\d_])[^\W\d]\w*")
_LISTED = frozenset(
    {
        "ADD_",
        "BUFFER_POOL",
        "CELL_FLASH_CACHE",
        "DATA_CONSISTENCY_CHECK",
        "DELAYED_DURABILITY",
        "DISABLE_OPTIMIZED_PLAN_FORCING",
        "ENGINE_ATTRIBUTE",
        "FILESTREAM_ON",
        "FILTER_COLUMN",
        "FLASH_CACHE",
        "FORMAT_NAME",
        "HISTORY_RETENTION_PERIOD",
        "HISTORY_TABLE",
        "IAM_ROLE",
        "IGNORE_NONCLUSTERED_COLUMNSTORE_INDEX",
        "INCLUDE_NULL_VALUES",
        "INFORMATION_SCHEMA",
        "KEY_BLOCK_SIZE",
        "MATCH_ALL",
        "MATCH_ANY",
        "MATCH_PHRASE",
        "MATCH_PHRASE_EDGE",
        "MATCH_PHRASE_PREFIX",
        "MATCH_REGEXP",
        "MAX_GRANT_PERCENT",
        "MIN_GRANT_PERCENT",
        "NO_PERFORMANCE_SPOOL",
        "RETENTION_PERIOD",
        "ROUNDING_MODE",
        "SECONDARY_ENGINE_ATTRIBUTE",
        "SHA2_256",
        "SHA2_512",
        "SQL_TSI_",
        "STAGE_COPY_OPTIONS",
        "STAGE_FILE_FORMAT",
        "STORAGE_INTEGRATION",
        "S_BETWEEN",
        "WEEK_OFFSET",
        "WITHOUT_ARRAY_WRAPPER",
        "_JOIN",
    }
)


def is_mere_name(text: str, parser: str) -> bool:
    """Whether a dialect's parser takes a word for a name and nothing else; it may do so with others, too."""
    return _NAME.fullmatch(text) is not None and text.upper() not in _words(parser)


@lru_cache(maxsize=64)
def _words(parser: str) -> frozenset[str]:
    """The words a dialect's parser knows, as far as they could be mere names."""
    engine = engine_of(parser)
    known = set(_LISTED)
    for owner in (type(engine), engine.parser_class, engine.tokenizer_class):
        for name in dir(owner):
            table = getattr(owner, name, None)
            if isinstance(table, dict | set | frozenset | list | tuple):
                known.update(_spelt(table))
    return frozenset(known)


def _spelt(table: Any) -> Iterator[str]:
    for key in table:
        for word in key if isinstance(key, tuple) else (key,):
            if isinstance(word, str):
                yield from word.upper().split()


class _Pattern(NamedTuple):
    """What the statements of a shape share, and where the rest goes."""

    shared: Callable[[Sequence[str]], _Texts]
    shared_texts: _Texts
    free: Callable[[Sequence[str]], _Texts]
    # The numbers of the free tokens, what their texts become, and which of them are names.
    numbers: tuple[int, ...]
    nodes: tuple[exp.Expr, ...]
    names: tuple[bool, ...]
    # Where nodes stand, each with the numbers of its first and last token.
    places: list[tuple[dict[str, Any], int, int]]
    # Which texts are the same, where the parser compares names; nothing where it does not.
    equal: tuple[int, ...] = ()


# Of a tree with places where no token is: nothing is like it.
_OTHER = _Pattern(lambda _: (), ("",), lambda _: (), (), (), (), [])


class Shape:
    """A tree, and what others like it are known by; that is worked out when there may be one."""

    __slots__ = ("_held", "_holder", "_pattern", "_tokens", "all_texts", "frames", "root")

    def __init__(self, tree: exp.Expr, tokens: list[Token]) -> None:
        self.root = tree
        self._tokens = tokens
        self._pattern: _Pattern | None = None
        self._holder: Loan | None = None
        self._held: _Texts = ()
        # What a look at the tokens of one of its statements has found: numbers of tokens.
        self.frames: Frames | None = None
        # The free texts of all statements that have it in turn, once there are several.
        self.all_texts: list[_Texts] = []

    def first(self) -> Loan:
        """The tree for the statement that it was made of."""
        self._holder = Loan(self, self._tokens)
        return self._holder

    def lent(self, tokens: list[Token], texts: list[str], parser: str) -> Loan | None:
        """The tree for a statement of the same kinds of tokens, if it is like this one."""
        pattern = self._pattern
        if pattern is None:
            pattern = self._pattern = _pattern(self.root, self._tokens, parser)
            self._held = pattern.free(list(map(_text, self._tokens)))
            self.all_texts.append(self._held)
            if self._holder is not None:
                self._holder.texts = self._held
        if pattern.shared(texts) != pattern.shared_texts:
            return None
        if pattern.equal and _equal(texts) != pattern.equal:
            return None
        found = pattern.free(texts)
        for new, held, name in zip(found, self._held, pattern.names, strict=True):
            if name and new != held and not is_mere_name(new, parser):
                return None
        self.all_texts.append(found)
        return Loan(self, tokens, found)

    def free(self) -> Iterator[tuple[int, exp.Expr]]:
        """The numbers of the tokens that may be others, and what they are in the tree."""
        pattern = self._pattern
        return zip(pattern.numbers, pattern.nodes, strict=True) if pattern is not None else iter(())

    def tree(self, loan: Loan) -> exp.Expr:
        """The tree with the names and places of one statement."""
        pattern = self._pattern
        if self._holder is loan or pattern is None:
            return self.root
        self._holder = loan
        if loan.texts != self._held:
            for node, new, held in zip(pattern.nodes, loan.texts, self._held, strict=True):
                if new != held:
                    node.set("this", new)
            self._held = loan.texts
        tokens = loan.tokens
        for place, first, last in pattern.places:
            place["start"] = tokens[first].start
            place["end"] = tokens[last].end
        return self.root


class Loan:
    """A statement's right to a tree that others have, too."""

    __slots__ = ("shape", "texts", "tokens")

    def __init__(self, shape: Shape, tokens: list[Token], texts: _Texts = ()) -> None:
        self.shape = shape
        self.tokens = tokens
        self.texts = texts

    def tree(self) -> exp.Expr:
        """The tree as it is for this statement, until another one asks for it."""
        return self.shape.tree(self)


class Shapes:
    """The trees of one text."""

    __slots__ = ("_known", "_parser")

    def __init__(self, parser: str) -> None:
        self._parser = parser
        # By the kinds of their tokens.
        self._known: dict[bytes, list[Shape]] = {}

    def lent(self, chunk: Chunk) -> Loan | None:
        """The tree of an earlier statement for one like it."""
        shapes, tokens = self._known.get(chunk.kinds), chunk.tokens
        if shapes is None:
            return None
        texts = list(map(_text, tokens))
        for shape in shapes:
            loan = shape.lent(tokens, texts, self._parser)
            if loan is not None:
                return loan
        return None

    def keep(self, tree: exp.Expr, chunk: Chunk) -> Loan | None:
        """The tree of a statement that others may be like."""
        tokens = chunk.tokens
        created = tree.this if isinstance(tree, exp.Create) else None
        if len(tokens) > _LONGEST or isinstance(created, _KEPT):
            return None
        shapes = self._known.setdefault(chunk.kinds, [])
        if len(shapes) == _MANY:
            return None
        shape = Shape(tree, tokens)
        shapes.append(shape)
        return shape.first()


def _pattern(tree: exp.Expr, tokens: list[Token], parser: str) -> _Pattern:
    starts = {token.start: number for number, token in enumerate(tokens)}
    ends = {token.end: number for number, token in enumerate(tokens)}
    places: list[tuple[dict[str, Any], int, int]] = []
    written: dict[int, list[exp.Expr]] = {}
    for node in tree.walk():
        meta = node._meta  # noqa: SLF001 - `meta` would allocate a dict per node
        if meta and "start" in meta:
            number, last = starts.get(meta["start"]), ends.get(meta["end"])
            if number is None or last is None:
                return _OTHER
            places.append((meta, number, last))
            if node.args.get("this") == tokens[number].text and _may_differ(node, parser):
                written.setdefault(number, []).append(node)
    nodes = {number: found[0] for number, found in written.items() if len(found) == 1}
    made = _made(tree, set(map(id, nodes.values())))
    free = [
        number
        for number, node in sorted(nodes.items())
        if isinstance(node, exp.Literal) or tokens[number].text.casefold() not in made
    ]
    rest = sorted(set(range(len(tokens))).difference(free))
    shared, texts = picking(rest), list(map(_text, tokens))
    return _Pattern(
        shared,
        shared(texts),
        picking(free),
        tuple(free),
        tuple(nodes[number] for number in free),
        tuple(isinstance(nodes[number], exp.Identifier) for number in free),
        places,
        _equal(texts) if _compares_names(tree, parser) else (),
    )


def _compares_names(tree: exp.Expr, parser: str) -> bool:
    """What in `x -> x > y` is the variable the parser decides; BigQuery's and Redshift's, too, whether in
    `FROM t, t.c` the second is a column.
    """
    unnests = engine_of(parser).parser_class.SUPPORTS_IMPLICIT_UNNEST
    found = tree.find(exp.Lambda, exp.Join) if unnests else tree.find(exp.Lambda)
    return found is not None


def _equal(texts: Sequence[str]) -> tuple[int, ...]:
    """For each text the number of the first that is the same: as it is written, then in whatever case."""
    first: dict[str, int] = {}
    written = [first.setdefault(text, n) for n, text in enumerate(texts)]
    first.clear()
    folded = [first.setdefault(text.casefold(), n) for n, text in enumerate(texts)]
    return (*written, *folded)


def _may_differ(node: exp.Expr, parser: str) -> bool:
    """A name, or a value that something is compared with, which is all that the parser does with it."""
    if isinstance(node, exp.Identifier):
        return is_mere_name(node.this, parser)
    return isinstance(node, exp.Literal) and isinstance(node.parent, _COMPARED)


def _made(tree: exp.Expr, free: set[int]) -> str:
    """All other texts of the tree, of which some may be made of the names."""
    return "\n".join(
        value.casefold()
        for node in tree.walk()
        if id(node) not in free
        for value in node.args.values()
        if isinstance(value, str)
    )


def picking(numbers: list[int]) -> Callable[[Sequence[str]], _Texts]:
    """Those of a row of texts, however few."""
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return lambda texts: tuple([texts[number] for number in numbers])
