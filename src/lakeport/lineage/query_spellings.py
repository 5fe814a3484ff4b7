"""Parts of queries that the parser knows under another spelling; each answers None unless it is in the tokens."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing, opening
from lakeport.lineage.made_tokens import made_token

_NAMED = frozenset({TokenType.VAR, TokenType.IDENTIFIER})


def with_expression(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """BigQuery's `WITH(x AS a + 1, x * x)`, a value with names for its parts: a call with arguments by name."""
    made = list(tokens)
    for at in range(len(words) - 3):
        end = closing(tokens, at + 1) if words[at : at + 2] == ["WITH", "("] else 0
        if not end or words[at + 3] != "AS":
            continue
        made[at] = made_token(TokenType.VAR, words[at], tokens[at])
        starts, depth = [at + 2], 0
        for inside in range(at + 2, end):
            depth += (words[inside] in {"(", "["}) - (words[inside] in {")", "]"})
            if words[inside] == "," and not depth:
                starts.append(inside + 1)
        for start in starts[:-1]:
            if words[start + 1] == "AS":
                made[start + 1] = made_token(TokenType.FARROW, "=>", tokens[start + 1])
    return made if made != tokens else None


def array_with_offset(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """BigQuery's `FROM t, t.items AS i WITH OFFSET` is `UNNEST(t.items)`; the parser takes it for a table."""
    made: list[Token] = []
    for at, token in enumerate(tokens):
        if words[at : at + 2] == ["WITH", "OFFSET"]:
            path = _path_before(made)
            if path is not None:
                first, last = path
                here = made[first]
                made[last:last] = [made_token(TokenType.R_PAREN, ")", here)]
                made[first:first] = [
                    made_token(TokenType.UNNEST, "UNNEST", here),
                    made_token(TokenType.L_PAREN, "(", here),
                ]
        made.append(token)
    return made if len(made) > len(tokens) else None


def _path_before(tokens: list[Token]) -> tuple[int, int] | None:
    """Where the dotted name at the end stands, before an alias that may follow it."""
    end = len(tokens)
    kinds = [token.token_type for token in tokens]
    if kinds[-2:-1] == [TokenType.ALIAS]:
        end -= 2
    elif len(kinds) > 1 and kinds[-1] in _NAMED and kinds[-2] in _NAMED:
        end -= 1
    start = end - 1
    while start > 1 and kinds[start] in _NAMED and kinds[start - 1] is TokenType.DOT:
        start -= 2
    listed = start > 0 and kinds[start - 1] in {TokenType.COMMA, TokenType.JOIN}
    return (start, end) if listed and end - start > 2 else None


def unnest_deeply(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """DuckDB's `FROM unnest(x, recursive := true)`: the parser knows the option in a select list only."""
    made: list[Token] = []
    closes: dict[int, Token] = {}
    for at, token in enumerate(tokens):
        end = closing(tokens, at + 1) if words[at : at + 2] == ["UNNEST", "("] else 0
        if end and {":=", "=>"} & {*words[at:end]} and _stands_in_from(words, at):
            made += (
                [made_token(TokenType.LATERAL, "LATERAL", token)] if words[at - 1] != "FROM" else []
            )
            made.append(made_token(TokenType.L_PAREN, "(", token))
            made.append(made_token(TokenType.SELECT, "SELECT", token))
            closes[end] = token
        made.append(token)
        if at in closes:
            made.append(made_token(TokenType.ALIAS, "AS", token))
            made.append(made_token(TokenType.VAR, "unnest", closes[at]))
            made.append(made_token(TokenType.R_PAREN, ")", token))
    return made if closes else None


def searched_value(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """BigQuery's `VECTOR_SEARCH(TABLE t, 'v', query_value => [1.0])`: a query of one row, which the parser wants."""
    if "VECTOR_SEARCH" not in words or "QUERY_VALUE" not in words:
        return None
    at = words.index("QUERY_VALUE")
    if words[at + 1 : at + 2] != ["=>"]:
        return None
    depth, end = 0, at + 2
    while end < len(words) and (depth or words[end] not in {",", ")"}):
        depth += (words[end] in {"(", "["}) - (words[end] in {")", "]"})
        end += 1
    lead = [
        made_token(TokenType.L_PAREN, "(", tokens[at]),
        made_token(TokenType.SELECT, "SELECT", tokens[at]),
    ]
    closed = made_token(TokenType.R_PAREN, ")", tokens[end - 1])
    return [*tokens[:at], *lead, *tokens[at + 2 : end], closed, *tokens[end:]]


def sorted_pivot(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """DuckDB's `PIVOT t ON a USING sum(b) ORDER BY a LIMIT 3`: the order of rows is left out."""
    if words[0] not in {"PIVOT", "UNPIVOT"}:
        return None
    depth = 0
    for at, word in enumerate(words):
        depth += (word in {"(", "["}) - (word in {")", "]"})
        if not depth and word in {"ORDER BY", "LIMIT"}:
            return tokens[:at]
    return None


def _stands_in_from(words: list[str], at: int) -> bool:
    """Whether a word is a source of the query around it, and no select item."""
    depth = 0
    for before in range(at - 1, -1, -1):
        depth += (words[before] == ")") - (words[before] == "(")
        if depth < 0:
            return False
        if not depth and words[before] in {"FROM", "SELECT"}:
            return words[before] == "FROM" and words[at - 1] in {"FROM", ",", "JOIN"}
    return False


def joined_table(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """Oracle's `FROM t, TABLE(f(t.a))`: the parser knows the function's rows behind a JOIN."""
    made: list[Token] = []
    for at, token in enumerate(tokens):
        if token.token_type is TokenType.COMMA and words[at + 1 : at + 3] == ["TABLE", "("]:
            made.append(made_token(TokenType.CROSS, "CROSS", token))
            made.append(made_token(TokenType.JOIN, "JOIN", token))
        else:
            made.append(token)
    return made if len(made) > len(tokens) else None


def against(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """MySQL's `MATCH (a, b) AGAINST (expression …)`, of which the parser knows strings alone: a call."""
    made = list(tokens)
    for at in range(len(words) - 2, 0, -1):
        if words[at - 1 : at + 2] != [")", "AGAINST", "("]:
            continue
        begin, end = opening(tokens, at - 1), closing(tokens, at + 1)
        if begin < 1 or words[begin - 1] != "MATCH" or not end:
            continue
        mode = next(
            (n for n in range(at + 2, end) if words[n : n + 2] in _SEARCH_MODES),
            end,
        )
        call = made_token(TokenType.VAR, "MATCH_AGAINST", tokens[begin - 1])
        comma = made_token(TokenType.COMMA, ",", tokens[at])
        made[at - 1 : end] = [comma, *made[at + 2 : mode]]
        made[begin - 1] = call
    return made if len(made) < len(tokens) else None


_SEARCH_MODES = (["IN", "NATURAL"], ["IN", "BOOLEAN"], ["WITH", "QUERY"])


def joined_signs(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """`a < = b`, `a ! = b`: Oracle and T-SQL know a comparison by its signs, whatever is between them."""
    made: list[Token] = []
    for at, token in enumerate(tokens):
        pair = (words[at - 1], words[at]) if made else ("", "")
        if pair in _COMPARISONS:
            made[-1] = made_token(*_COMPARISONS[pair], tokens[at - 1])
        else:
            made.append(token)
    return made if len(made) < len(tokens) else None


_COMPARISONS = {
    ("<", "="): (TokenType.LTE, "<="),
    ("<", ">"): (TokenType.NEQ, "<>"),
    (">", "="): (TokenType.GTE, ">="),
    ("!", "="): (TokenType.NEQ, "!="),
}
