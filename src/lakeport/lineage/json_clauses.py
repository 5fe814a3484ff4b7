"""What JSON functions say beside their values: what becomes of nulls, and of which type the result is.

JSON_ARRAY(a, b NULL ON NULL RETURNING text), JSON_OBJECTAGG(k : v ABSENT ON NULL), JSON_SERIALIZE(a RETURNING text)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

_FUNCTIONS = frozenset(
    {
        "JSON_ARRAY",
        "JSON_ARRAYAGG",
        "JSON_OBJECT",
        "JSON_OBJECTAGG",
        "JSON_QUERY",
        "JSON_SCALAR",
        "JSON_SERIALIZE",
        "JSON_VALUE",
    }
)
_NULLS = frozenset({"ABSENT", "NULL"})


def without_json_clauses(tokens: list[Token], words: list[str]) -> list[Token] | None:
    """The calls with their values alone; None if nothing else is said."""
    left_out: set[int] = set()
    made = list(tokens)
    for at in range(len(words) - 1):
        end = closing(tokens, at + 1) if words[at] in _FUNCTIONS and words[at + 1] == "(" else 0
        for inside in range(at + 2, end):
            if words[inside + 1 : inside + 3] == ["ON", "NULL"] and words[inside] in _NULLS:
                left_out |= {*range(inside, inside + 3)}
            elif words[inside] == "RETURNING":
                left_out |= {*range(inside, _type_end(tokens, words, inside + 1, end))}
            elif words[inside : inside + 2] == ["FORMAT", "JSON"]:
                encoded = words[inside + 2] == "ENCODING"
                left_out |= {*range(inside, inside + 2 + 2 * encoded)}
            elif words[at] == "JSON_OBJECTAGG" and words[inside] == ":":
                made[inside] = made_token(TokenType.COMMA, ",", tokens[inside])
    kept = [token for at, token in enumerate(made) if at not in left_out]
    return kept if left_out or made != tokens else None


def _type_end(tokens: list[Token], words: list[str], at: int, end: int) -> int:
    """Behind the type that stands there."""
    at += 1
    if words[at : at + 1] == ["("]:
        at = closing(tokens, at) + 1
    return min(at, end)
