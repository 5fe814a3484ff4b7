"""Spark 4 syntax inside queries that the parser cannot read, rewritten to its nearest plain form.

Tried only after parsing has failed. What a rewriting takes away (the kind of a join, a recursion
limit, an argument that only configures) carries no column; tokens keep their places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token
from lakeport.lineage.variables import is_session_qualifier

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TokenType
_NULL_CHOOSERS = frozenset({"first_value", "last_value", "any_value", "first", "last"})
_JSON_FUNCTIONS = frozenset({"json_value", "json_query", "json_exists"})
# What may follow the type of a JSON function.
_BEHIND_TYPE = frozenset({"DEFAULT", "EMPTY", "ERROR", "KEEP", "NULL", "OMIT", "WITH", "WITHOUT"})
# What may stand before the name of a variable, and behind one without a type.
_BEFORE_VARIABLE = frozenset({"OR", "REPLACE", "OR REPLACE", "VARIABLE"})
_BEHIND_VARIABLE = frozenset({"", "=", ",", "DEFAULT"})
# What may follow a table that is an argument.
_ARRANGEMENTS = frozenset(
    {"PARTITION BY", "DISTRIBUTE BY", "CLUSTER BY", "ORDER BY", "SORT BY", "WITH"}
)


_ALIASES = frozenset({_T.VAR, _T.IDENTIFIER})


def plain_syntax(tokens: list[Token]) -> list[Token] | None:
    """The tokens with every construct replaced that is known here; None if there was none."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        rewrite = _REWRITES.get(tokens[at].text.upper())
        taken = rewrite(tokens, at, found) if rewrite is not None else 0
        if not taken:
            found.append(tokens[at])
            taken = 1
        at += taken
    return found if found != tokens else None


def name_columns(tokens: list[Token]) -> None:
    """`SELECT all, b`: before a comma ALL is a column, which the parser would skip; in place."""
    for at in range(1, len(tokens) - 1):
        kinds = [token.token_type for token in tokens[at - 1 : at + 2]]
        if kinds == [_T.SELECT, _T.ALL, _T.COMMA]:
            tokens[at] = made_token(_T.VAR, tokens[at].text, tokens[at])


def _word(tokens: list[Token], at: int) -> str:
    return tokens[at].text.upper() if 0 <= at < len(tokens) else ""


def _through_parenthesis(tokens: list[Token], at: int) -> int:
    """How many tokens the parentheses at `at` take."""
    end = closing(tokens, at)
    return end - at + 1 if end else 0


def _asof(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`ASOF JOIN` is a join for all that columns care about."""
    del found
    return int(_word(tokens, at + 1) == "JOIN")


def _match_condition(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`MATCH_CONDITION (c) ON d` → `ON (c) AND d`; beside USING it is left out."""
    length = _through_parenthesis(tokens, at + 1)
    if not length:
        return 0
    following = at + 1 + length
    if _word(tokens, following) == "USING":
        return 1 + length
    found.append(made_token(_T.ON, "ON", tokens[at]))
    found += tokens[at + 1 : following]
    if _word(tokens, following) != "ON":
        return 1 + length
    found.append(made_token(_T.AND, "AND", tokens[following]))
    return 2 + length


def _nearest(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`APPROX NEAREST 3 BY DISTANCE d` → `ON d`."""
    if _word(tokens, at + 1) != "NEAREST":
        return 0
    length = 2 + (tokens[at + 2].token_type is _T.NUMBER if at + 2 < len(tokens) else 0)
    if _word(tokens, at + length) != "BY":
        return 0
    found.append(made_token(_T.ON, "ON", tokens[at]))
    return length + 2


def _max_recursion(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`WITH RECURSIVE t MAX RECURSION LEVEL 9 AS (…)`."""
    del found
    words = [_word(tokens, at + 1), _word(tokens, at + 2)]
    return 4 if words == ["RECURSION", "LEVEL"] else 0


def _default_collation(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`CREATE VIEW v DEFAULT COLLATION UNICODE AS …`."""
    del found
    if _word(tokens, at + 1) != "COLLATION":
        return 0
    length = 3
    while _word(tokens, at + length) == ".":
        length += 2
    return length


def _properties(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`TBLPROPERTIES (owner 'me')`: Spark needs no equals sign, and nothing here the properties."""
    del found
    length = _through_parenthesis(tokens, at + 1)
    return 1 + length if length else 0


def _table_argument(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`f(TABLE(t) PARTITION BY a ORDER BY b)`: how rows reach a function is none of its columns."""
    length = _through_parenthesis(tokens, at + 1) if _word(tokens, at + 1) == "(" else 0
    called = bool(found) and found[-1].token_type in {_T.L_PAREN, _T.COMMA, _T.FARROW}
    end = at + 1 + length
    if not length:
        # `TABLE t` is `TABLE(t)`.
        end += 1
        while _word(tokens, end) == ".":
            end += 2
    arranged = _word(tokens, end) in _ARRANGEMENTS
    if not called or not (arranged or (not length and _word(tokens, end) in {")", ","})):
        return 0
    table = tokens[at + 1 : end]
    if not length:
        opened, closed = (_T.L_PAREN, "("), (_T.R_PAREN, ")")
        table = [made_token(*opened, tokens[at]), *table, made_token(*closed, tokens[at])]
    found += [tokens[at], *table]
    depth = 0
    while arranged and end < len(tokens):
        kind = tokens[end].token_type
        if not depth and kind is _T.R_PAREN:
            break
        depth += (kind is _T.L_PAREN) - (kind is _T.R_PAREN)
        end += 1
    return end - at


def _any_reference(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`GEOMETRY(ANY)`: any reference system."""
    words = [_word(tokens, at + ahead) for ahead in (1, 2, 3)]
    if words != ["(", "ANY", ")"]:
        return 0
    found.append(tokens[at])
    return 4


def _unsigned_shift(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`>>>` has the type of `>>`."""
    three = tokens[at : at + 3]
    if [token.text for token in three] != [">", ">", ">"] or three[2].start != three[0].start + 2:
        return 0
    found += three[:2]
    return 3


def _spaced_bytes(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`X 'F0'`: the tokenizer wants the quote next to the letter."""
    if at + 1 >= len(tokens) or tokens[at + 1].token_type is not _T.STRING:
        return 0
    found.append(made_token(_T.HEX_STRING, tokens[at + 1].text, tokens[at + 1]))
    return 2


def _distinct_arguments(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`corr(DISTINCT x, y)`: the parser takes several distinct arguments for a row."""
    del tokens, at
    called = len(found) > 1 and found[-1].token_type is _T.L_PAREN
    return int(called and found[-2].token_type is _T.VAR)


def _normal_form(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`normalize(x, 'NFC')`: the parser wants the form as a word."""
    length = _through_parenthesis(tokens, at + 1)
    form = tokens[at + length - 1] if length else None
    if form is None or form.token_type is not _T.STRING:
        return 0
    found += tokens[at : at + length - 1]
    found.append(made_token(_T.VAR, form.text, form))
    return length


def _null_choice(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`first_value(x, true)`: whether nulls count is no value."""
    length = _through_parenthesis(tokens, at + 1)
    last = at + length
    choice = length > 4 and _word(tokens, last - 1) in {"TRUE", "FALSE"}
    if not choice or _word(tokens, last - 2) != ",":
        return 0
    found += tokens[at : last - 2]
    return length


def _json_clauses(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`json_value(doc, path RETURNING INT DEFAULT 0 ON EMPTY)` → `CAST(json_value(doc, path) AS INT)`."""
    length = _through_parenthesis(tokens, at + 1)
    depth = commas = 0
    for place in range(at + 1, at + length):
        kind = tokens[place].token_type
        depth += (kind is _T.L_PAREN) - (kind is _T.R_PAREN)
        commas += kind is _T.COMMA and depth == 1
        if commas and kind is _T.STRING and depth == 1:
            found += _returning(tokens[at : place + 1], tokens[place + 1 : at + length])
            return length
    return 0


def _returning(call: list[Token], clauses: list[Token]) -> list[Token]:
    """The call, as a cast to the type that it returns if it says so; its parenthesis stays open."""
    if not clauses or clauses[0].text.upper() != "RETURNING":
        return call
    end = 1
    while end < len(clauses) and clauses[end].text.upper() not in _BEHIND_TYPE:
        end += 1
    first, last = call[0], call[-1]
    cast = [made_token(_T.VAR, "CAST", first), made_token(_T.L_PAREN, "(", first), *call]
    return [
        *cast,
        made_token(_T.R_PAREN, ")", last),
        made_token(_T.ALIAS, "AS", last),
        *clauses[1:end],
    ]


def _transform(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`MAP a, b USING 'script'` → `SELECT TRANSFORM(a, b) USING 'script'`."""
    if found and found[-1].token_type is _T.DOT:
        return 0
    if _word(tokens, at + 1) in {"(", "<", ""}:
        return 0
    for place in range(at + 1, len(tokens)):
        if _word(tokens, place) == "USING":
            first, last = tokens[at], tokens[place - 1]
            found += [
                made_token(_T.SELECT, "SELECT", first),
                made_token(_T.VAR, "TRANSFORM", first),
            ]
            found += [made_token(_T.L_PAREN, "(", first), *tokens[at + 1 : place]]
            found.append(made_token(_T.R_PAREN, ")", last))
            return place - at
    return 0


def _pivot(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`PIVOT (avg(x) + 1 AS y FOR …)` → `PIVOT (coalesce(avg(x) + 1) AS y FOR …)`: calls alone parse."""
    end = closing(tokens, at + 1) if _word(tokens, at + 1) == "(" else 0
    made: list[Token] = []
    begin = place = at + 2
    while place < end:
        if tokens[place].token_type is _T.L_PAREN:
            place = closing(tokens, place)
        elif (word := _word(tokens, place)) in {",", "FOR"}:
            made += [*_called(tokens[begin:place]), *tokens[place : place + (word == ",")]]
            begin = place + 1
            if word == "FOR":
                found += [*tokens[at : at + 2], *made]
                return place - at
        place += 1
    return 0


def _lateral_view(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`LATERAL VIEW explode(x) t a, b` → `LATERAL VIEW explode(x) t AS a, b`: the word may be left out."""
    called = at + 2 + (_word(tokens, at + 2) == "OUTER")
    while called < len(tokens) and tokens[called].token_type is not _T.L_PAREN:
        called += 1
    end = closing(tokens, called) if _word(tokens, at + 1) == "VIEW" else 0
    names = [token.token_type for token in tokens[end + 1 : end + 3]]
    if not end or len(names) < 2 or not set(names) <= _ALIASES:
        return 0
    alias = made_token(_T.ALIAS, "AS", tokens[end + 2])
    found += [*tokens[at : end + 2], alias]
    return end + 2 - at


def _called(aggregate: list[Token]) -> list[Token]:
    """An aggregate with its alias, as a call."""
    named = len(aggregate) > 2 and aggregate[-2].token_type is _T.ALIAS
    body = aggregate[:-2] if named else aggregate
    if not body or (len(body) > 2 and closing(body, 1) == len(body) - 1):
        return aggregate
    first, last = body[0], body[-1]
    call = [made_token(_T.VAR, "coalesce", first), made_token(_T.L_PAREN, "(", first), *body]
    return [*call, made_token(_T.R_PAREN, ")", last), *aggregate[len(body) :]]


def _declared(tokens: list[Token], at: int, found: list[Token]) -> int:
    """`DECLARE session.x INT`, `DECLARE var = 1`: the parser wants a name alone, and takes VAR for a word."""
    name = at + 1
    while _word(tokens, name) in _BEFORE_VARIABLE or (
        _word(tokens, name) == "VAR" and _word(tokens, name + 1) not in _BEHIND_VARIABLE
    ):
        name += 1
    last = name
    while _word(tokens, last + 1) == "." and last + 2 < len(tokens):
        last += 2
    if at or last >= len(tokens) or not is_session_qualifier([t.text for t in tokens[name:last:2]]):
        return 0
    found += tokens[at:name]
    found.append(made_token(_T.IDENTIFIER, tokens[last].text, tokens[last]))
    return last + 1 - at


_REWRITES: dict[str, Callable[[list[Token], int, list[Token]], int]] = {
    ">": _unsigned_shift,
    "APPROX": _nearest,
    "ASOF": _asof,
    "DECLARE": _declared,
    "DEFAULT": _default_collation,
    "DISTINCT": _distinct_arguments,
    "EXACT": _nearest,
    "GEOGRAPHY": _any_reference,
    "GEOMETRY": _any_reference,
    "LATERAL": _lateral_view,
    "MAP": _transform,
    "MATCH_CONDITION": _match_condition,
    "MAX": _max_recursion,
    "NORMALIZE": _normal_form,
    "PIVOT": _pivot,
    "REDUCE": _transform,
    "TABLE": _table_argument,
    "TBLPROPERTIES": _properties,
    "X": _spaced_bytes,
    **{name.upper(): _json_clauses for name in _JSON_FUNCTIONS},
    **{name.upper(): _null_choice for name in _NULL_CHOOSERS},
}
