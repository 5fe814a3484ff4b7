"""Pipe syntax of Spark and BigQuery, `FROM t |> WHERE … |> SELECT …`, as the nested query it means.

Done on tokens before parsing. Each operator becomes a query over what stands before it; filters,
orders and limits wait for the next operator, so that `t.x` is still a column of `t` there. The
user's tokens keep their places, ours stand at the pipe they replace.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TokenType
_QUERY_WORDS = frozenset({"SELECT", "FROM", "VALUES"})
_JOIN_WORDS = frozenset(
    {
        "JOIN",
        "INNER",
        "LEFT",
        "RIGHT",
        "FULL",
        "CROSS",
        "NATURAL",
        "LATERAL",
        "ASOF",
        "ANTI",
        "SEMI",
    }
)
_SET_WORDS = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
_TAILS = {
    "WHERE": "where",
    "ORDER BY": "order",
    "SORT BY": "order",
    "LIMIT": "limit",
    "OFFSET": "limit",
}
_SHAPES = frozenset({"PIVOT", "UNPIVOT", "TABLESAMPLE"})
_RESERVED = frozenset({"SELECT", *_TAILS, *_JOIN_WORDS, *_SET_WORDS, *_SHAPES})
_SETS = frozenset({"ROLLUP", "CUBE", "GROUPING SETS"})
# What an operator whose word may be a name is followed by.
_ARGUMENTS = frozenset({_T.VAR, _T.IDENTIFIER, _T.NUMBER, _T.STRING, _T.L_PAREN, _T.GROUP_BY})
_KEYWORDS = {
    "SELECT": _T.SELECT,
    "FROM": _T.FROM,
    "WHERE": _T.WHERE,
    "AND": _T.AND,
    "AS": _T.ALIAS,
    "GROUP BY": _T.GROUP_BY,
    "EXCEPT": _T.EXCEPT,
    "DISTINCT": _T.DISTINCT,
    "RENAME": _T.RENAME,
    "REPLACE": _T.VAR,
    "*": _T.STAR,
    "(": _T.L_PAREN,
    ")": _T.R_PAREN,
    ",": _T.COMMA,
}


def unfold_pipes(tokens: list[Token]) -> None:
    """Replace every piped query of a statement by the plain query it means, in place."""
    tokens[:] = _unfolded(tokens)


def lengthen_pipes(tokens: list[Token]) -> bool:
    """Make `|>` of Spark's short pipes, in place; whether there are any.

    `a | b` is an operator on bits, so a pipe is what stands before the word of a pipe. Some of
    these are names as well, and then no argument follows.
    """
    found = False
    for place, token in enumerate(tokens[:-2]):
        if token.token_type is not _T.PIPE or tokens[place + 1].token_type is _T.IDENTIFIER:
            continue
        word = tokens[place + 1].text.upper()
        if word in _RESERVED or (word in _OPERATORS and tokens[place + 2].token_type in _ARGUMENTS):
            tokens[place] = made_token(_T.PIPE_GT, token.text, token)
            found = True
    return found


def unfold_table(tokens: list[Token]) -> None:
    """`TABLE t` as a statement is `SELECT * FROM t`."""
    if len(tokens) > 1 and tokens[0].token_type is _T.TABLE:
        tokens[:1] = _words(tokens[0], "SELECT", "*", "FROM")


@dataclass(slots=True)
class _Stage:
    """A query under construction: a FROM clause and the clauses waiting behind it."""

    source: list[Token]
    alias: Token | None
    where: list[Token] = field(default_factory=list)
    order: list[Token] = field(default_factory=list)
    limit: list[Token] = field(default_factory=list)

    def is_bare(self) -> bool:
        """No clause is waiting."""
        return not (self.where or self.order or self.limit)

    def query(self, items: list[Token], at: Token, group: list[Token] | None = None) -> list[Token]:
        """`SELECT items FROM source …`."""
        tail = [*self.where, *(group or []), *self.order, *self.limit]
        return [*_words(at, "SELECT"), *items, *_words(at, "FROM"), *self.source, *tail]

    def after(self, query: list[Token], at: Token, *, named: bool) -> _Stage:
        """The stage over a finished query; `named` if its rows still answer to the same alias."""
        wrapped = [*_words(at, "("), *query, *_words(at, ")")]
        alias = self.alias if named else None
        if alias is not None:
            wrapped += [*_words(at, "AS"), alias]
        return _Stage(wrapped, alias)


def _words(at: Token, *texts: str) -> list[Token]:
    return [made_token(_KEYWORDS[text], text, at) for text in texts]


def _unfolded(tokens: list[Token]) -> list[Token]:
    """Inner parentheses first, then the pipes of this level."""
    level: list[Token] = []
    at = 0
    while at < len(tokens):
        level.append(tokens[at])
        end = closing(tokens, at) if tokens[at].token_type is _T.L_PAREN else 0
        if end:
            level += _unfolded(tokens[at + 1 : end])
            level.append(tokens[end])
            at = end
        at += 1
    pieces = _split(level, _T.PIPE_GT)
    return _piped(pieces) if len(pieces) > 1 else level


def _split(tokens: list[Token], separator: TokenType) -> list[list[Token]]:
    """Cut at a token outside parentheses."""
    pieces: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        kind = token.token_type
        depth += (kind is _T.L_PAREN) - (kind is _T.R_PAREN)
        if kind is separator and not depth:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return pieces


def _piped(pieces: list[list[Token]]) -> list[Token]:
    head, *operators = pieces
    start = _query_start(head)
    lead, head = head[:start], head[start:]
    if not head or not all(operators):
        return [token for piece in pieces for token in piece]
    stage = _first(head)
    for operator in operators:
        if operator[0].token_type is _T.WITH:
            lead = _with_more(lead, operator)
        else:
            stage = _applied(stage, operator)
    return [*lead, *_finished(stage, head[0])]


def _with_more(lead: list[Token], clause: list[Token]) -> list[Token]:
    """What stands before a query, with the names that `|> WITH` gives to the operators behind it."""
    if clause[-1].token_type is _T.COMMA:
        clause = clause[:-1]
    outside = {id(token) for token in _outside(lead)}
    at = next((n for n, t in enumerate(lead) if t.token_type is _T.WITH and id(t) in outside), None)
    if at is None or lead[-1].token_type is not _T.R_PAREN:
        return [*lead, *clause]
    recursive = [token for token in clause[1:2] if token.token_type is _T.RECURSIVE]
    again = [token.token_type for token in lead[at + 1 : at + 2]] == [_T.RECURSIVE]
    lead = [*lead[: at + 1], *(recursive if not again else []), *lead[at + 1 :]]
    return [*lead, *_words(clause[0], ","), *clause[1 + len(recursive) :]]


def _finished(stage: _Stage, at: Token) -> list[Token]:
    """The last stage as a query; one that is nothing but a query in parentheses is that query."""
    source = stage.source
    wrapped = stage.is_bare() and len(source) > 1 and source[1].token_type is _T.SELECT
    end = closing(source, 0) if wrapped else 0
    named = [token.token_type for token in source[end + 1 :]][:1] == [_T.ALIAS]
    if end and len(source) == end + (3 if named else 1):
        return source[1:end]
    return stage.query(_words(at, "*"), at)


def _query_start(head: list[Token]) -> int:
    """Where the query begins behind WITH, CREATE … AS or INSERT INTO."""
    if head and head[0].token_type is _T.L_PAREN:
        return 0
    depth = 0
    for place, token in enumerate(head):
        before = head[place - 1].token_type if place else None
        named = token.token_type is _T.TABLE and before in {None, _T.ALIAS, _T.R_PAREN}
        if not depth and (named or token.text.upper() in _QUERY_WORDS):
            return place
        depth += (token.token_type is _T.L_PAREN) - (token.token_type is _T.R_PAREN)
    return len(head)


def _first(head: list[Token]) -> _Stage:
    """The rows a chain of pipes starts from."""
    opening = head[0]
    from_only = opening.token_type is _T.FROM and not any(
        piece.token_type is _T.SELECT for piece in _outside(head)
    )
    if from_only or opening.token_type is _T.TABLE:
        source = head[1:]
        return _Stage(source, _own_alias(source))
    return _Stage([*_words(opening, "("), *head, *_words(opening, ")")], None)


def _outside(tokens: list[Token]) -> list[Token]:
    """The tokens outside all parentheses."""
    found: list[Token] = []
    depth = 0
    for token in tokens:
        kind = token.token_type
        depth -= kind is _T.R_PAREN
        if not depth:
            found.append(token)
        depth += kind is _T.L_PAREN
    return found


def _own_alias(source: list[Token]) -> Token | None:
    """The name a single table answers to; None for joins and generators."""
    plain = {_T.VAR, _T.IDENTIFIER, _T.DOT, _T.ALIAS}
    return source[-1] if source and all(token.token_type in plain for token in source) else None


def _applied(stage: _Stage, operator: list[Token]) -> _Stage:
    first, rest = operator[0], operator[1:]
    word = first.text.upper()
    if word in _TAILS:
        return _tail(stage, operator, word)
    if word in _JOIN_WORDS or word in _SHAPES:
        return _grown(stage, operator, shape=word in _SHAPES)
    if word in _SET_WORDS:
        query = [*stage.query(_words(first, "*"), first), *_several(operator)]
        return stage.after(query, first, named=False)
    if word == "ASSERT":
        # It looks at every row, and stops where the condition does not hold.
        condition = [made_token(_T.WHERE, "WHERE", first), *_split(rest, _T.COMMA)[0]]
        return _tail(stage, condition, "WHERE")
    # The older word for an EXTEND by window functions.
    handler = _extend if first.token_type is _T.WINDOW else _OPERATORS.get(word)
    return (
        handler(stage, first, rest) if handler is not None else _grown(stage, operator, shape=True)
    )


def _several(operator: list[Token]) -> list[Token]:
    """`UNION ALL (q), (r)` is `UNION ALL (q) UNION ALL (r)`; `TABLE t` is a query as well."""
    begin = next((n for n, t in enumerate(operator) if t.token_type in _OTHER), len(operator))
    listed = [token.token_type for token in operator[begin : begin + 1]] == [_T.L_PAREN]
    made: list[Token] = []
    for other in _split(operator[begin:], _T.COMMA) if listed else [operator[begin:]]:
        if other[:1] and other[0].token_type is _T.TABLE:
            other = [*_words(other[0], "SELECT", "*", "FROM"), *other[1:]]  # noqa: PLW2901
        made += [*operator[:begin], *other]
    return made


_OTHER = frozenset({_T.L_PAREN, _T.TABLE, _T.SELECT, _T.FROM, _T.VALUES, _T.WITH})


def _tail(stage: _Stage, operator: list[Token], word: str) -> _Stage:
    kind = _TAILS[word]
    if kind == "where" and not (stage.order or stage.limit):
        first = operator[0]
        joined = _words(first, "AND") if stage.where else [first]
        condition = [*_words(first, "("), *operator[1:], *_words(first, ")")]
        return _Stage(stage.source, stage.alias, [*stage.where, *joined, *condition])
    if kind == "order" and not (stage.order or stage.limit):
        return _Stage(stage.source, stage.alias, stage.where, operator)
    if kind == "limit":
        return _Stage(
            stage.source, stage.alias, stage.where, stage.order, [*stage.limit, *operator]
        )
    return _tail(_closed(stage, operator[0]), operator, word)


def _closed(stage: _Stage, at: Token) -> _Stage:
    """A stage on which nothing waits."""
    if stage.is_bare():
        return stage
    return stage.after(stage.query(_words(at, "*"), at), at, named=True)


def _grown(stage: _Stage, operator: list[Token], *, shape: bool) -> _Stage:
    """Joins, pivots and samples belong to the FROM clause; a pivot to one relation of it."""
    base = _closed(stage, operator[0])
    if shape and any(token.token_type is _T.JOIN for token in _outside(base.source)):
        base = base.after(
            base.query(_words(operator[0], "*"), operator[0]), operator[0], named=False
        )
    return _Stage([*base.source, *operator], base.alias if shape else None)


def _select(stage: _Stage, at: Token, rest: list[Token]) -> _Stage:
    items, clauses = _items(rest)
    return stage.after(stage.query(items, at, clauses), at, named=False)


def _items(rest: list[Token]) -> tuple[list[Token], list[Token]]:
    """Select items, and the GROUP BY or WINDOW clause they may bring along."""
    depth = 0
    for place, token in enumerate(rest):
        kind = token.token_type
        if not depth and kind in {_T.GROUP_BY, _T.WINDOW} and place:
            return rest[:place], rest[place:]
        depth += (kind is _T.L_PAREN) - (kind is _T.R_PAREN)
    return rest, []


def _extend(stage: _Stage, at: Token, rest: list[Token]) -> _Stage:
    items, clauses = _items(rest)
    query = stage.query([*_words(at, "*", ","), *items], at, clauses)
    return stage.after(query, at, named=True)


def _set(stage: _Stage, at: Token, rest: list[Token]) -> _Stage:
    """`SET x = e` replaces one column after the other: a later one may read an earlier."""
    for assignment in _split(rest, _T.COMMA):
        target, value = assignment[:1], assignment[2:]
        items = [*_words(at, "*", "REPLACE", "("), *value, *_words(at, "AS"), *target]
        query = stage.query([*items, *_words(at, ")")], at)
        stage = stage.after(query, at, named=True)
    return stage


def _drop(stage: _Stage, at: Token, rest: list[Token]) -> _Stage:
    items = [*_words(at, "*", "EXCEPT", "("), *rest, *_words(at, ")")]
    return stage.after(stage.query(items, at), at, named=True)


def _rename(stage: _Stage, at: Token, rest: list[Token]) -> _Stage:
    items = [*_words(at, "*", "RENAME", "("), *rest, *_words(at, ")")]
    return stage.after(stage.query(items, at), at, named=True)


def _distinct(stage: _Stage, at: Token, rest: list[Token]) -> _Stage:
    del rest
    return stage.after(stage.query(_words(at, "DISTINCT", "*"), at), at, named=True)


def _name_rows(stage: _Stage, at: Token, rest: list[Token]) -> _Stage:
    """`AS u` names the rows so far."""
    query = stage.query(_words(at, "*"), at)
    source = [*_words(at, "("), *query, *_words(at, ")", "AS"), *rest]
    return _Stage(source, rest[0] if len(rest) == 1 else None)


def _call(stage: _Stage, at: Token, rest: list[Token]) -> _Stage:
    """`CALL f(3) AS u` is `f((rows so far), 3) AS u`."""
    begin = next((n for n, token in enumerate(rest) if token.token_type is _T.L_PAREN), 0)
    if not begin:
        return _grown(stage, [at, *rest], shape=True)
    more = [] if rest[begin + 1 : begin + 2] == [rest[closing(rest, begin)]] else _words(at, ",")
    rows = [*_words(at, "("), *stage.query(_words(at, "*"), at), *_words(at, ")"), *more]
    alias = rest[-1] if rest[-1].token_type in {_T.VAR, _T.IDENTIFIER} else None
    return _Stage([*rest[: begin + 1], *rows, *rest[begin + 1 :]], alias)


def _aggregate(stage: _Stage, at: Token, rest: list[Token]) -> _Stage:
    """Grouping columns come first, then the aggregates."""
    if len(rest) == 1 and rest[0].token_type is _T.GROUP_BY:
        rest = _as_names(rest[0])
    pieces = _split(rest, _T.GROUP_BY)
    aggregates = pieces[0]
    if len(pieces) == 1:
        return _select(stage, at, aggregates)
    keys = [_numbered(stage, key) for key in _split(pieces[1], _T.COMMA)]
    items: list[Token] = []
    group: list[Token] = _words(at, "GROUP BY")
    for number, key in enumerate(keys):
        group += [*(_words(at, ",") if number else []), *_without_alias(key)]
        for shown in _grouped(key):
            items += [*(_words(at, ",") if items else []), *shown]
    if aggregates:
        items += [*(_words(at, ",") if items else []), *aggregates]
    return stage.after(stage.query(items, at, group), at, named=False)


def _as_names(words: Token) -> list[Token]:
    """`GROUP BY` with nothing on either side of it is a column `group` under the name `by`."""
    line, col, start, end = words.line, words.col, words.start, words.end
    column = Token(_T.IDENTIFIER, "group", line, col, start, start + len("group") - 1)
    alias = Token(_T.IDENTIFIER, "by", line, col, end - len("by") + 1, end)
    return [column, *_words(words, "AS"), alias]


def _grouped(key: list[Token]) -> list[list[Token]]:
    """The columns of `ROLLUP (a, b)` and `GROUPING SETS ((a), (a, b))`, each once."""
    sets = len(key) > 1 and key[0].text.upper() in _SETS
    if not sets and key[:1] and key[0].token_type is not _T.L_PAREN:
        return [key]
    begin = 1 if sets else 0
    if not key or closing(key, begin) != len(key) - 1:
        return [key] if key else []
    found: dict[tuple[str, ...], list[Token]] = {}
    for item in _split(key[begin + 1 : -1], _T.COMMA):
        for column in _grouped(item):
            found.setdefault(tuple(token.text.lower() for token in column), column)
    return list(found.values())


def _numbered(stage: _Stage, key: list[Token]) -> list[Token]:
    """`GROUP BY 2` means the second column of the rows so far, where the text names it."""
    if len(key) != 1 or key[0].token_type is not _T.NUMBER or not key[0].text.isdigit():
        return key
    names = _written_names(stage.source)
    position = int(key[0].text) - 1
    return [names[position]] if 0 <= position < len(names) else key


def _written_names(source: list[Token]) -> list[Token]:
    """The column names of `(SELECT a, b AS c …)` and `(VALUES … AS v(a, c))`; none if one is missing."""
    end = closing(source, 0) if source and source[0].token_type is _T.L_PAREN else 0
    inside = source[1:end]
    if not inside:
        return []
    if inside[0].token_type is _T.SELECT:
        items = _split(_split(inside[1:], _T.FROM)[0], _T.COMMA)
    elif inside[0].token_type is _T.VALUES and inside[-1].token_type is _T.R_PAREN:
        opening = max(n for n, token in enumerate(inside) if token.token_type is _T.L_PAREN)
        items = _split(inside[opening + 1 : -1], _T.COMMA)
    else:
        return []
    named = all(item and item[-1].token_type in {_T.VAR, _T.IDENTIFIER} for item in items)
    return [item[-1] for item in items] if named else []


def _without_alias(key: list[Token]) -> list[Token]:
    outside = _outside(key)
    if len(key) > 2 and key[-2].token_type is _T.ALIAS and key[-2] in outside:
        return key[:-2]
    named = len(key) > 1 and key[-1].token_type in {_T.VAR, _T.IDENTIFIER}
    value = named and key[-2].token_type in {_T.VAR, _T.IDENTIFIER, _T.NUMBER, _T.R_PAREN}
    return key[:-1] if value else key


_OPERATORS: dict[str, Callable[[_Stage, Token, list[Token]], _Stage]] = {
    "AGGREGATE": _aggregate,
    "AS": _name_rows,
    "CALL": _call,
    "DISTINCT": _distinct,
    "DROP": _drop,
    "EXTEND": _extend,
    "RENAME": _rename,
    "SELECT": _select,
    "SET": _set,
}
