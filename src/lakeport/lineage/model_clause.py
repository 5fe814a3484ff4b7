"""Oracle's MODEL clause as the nested query it means, on tokens.

Rows become cells of an array: PARTITION BY and DIMENSION BY address them, MEASURES hold values, and
RULES compute some of them from others. A measure is what it was, or what one of its rules makes of it;
which cell that is, the brackets say, and no name in them is a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token

if TYPE_CHECKING:
    from collections.abc import Iterator

_T = TokenType
_NAMED = frozenset({_T.VAR, _T.IDENTIFIER})
_KEYWORDS = {
    "SELECT": _T.SELECT,
    "FROM": _T.FROM,
    "AS": _T.ALIAS,
    "(": _T.L_PAREN,
    ")": _T.R_PAREN,
    ",": _T.COMMA,
    "COALESCE": _T.VAR,
}
# What may stand before a rule.
_WAYS = frozenset({"UPDATE", "UPSERT", "ALL"})


def without_model(tokens: list[Token]) -> list[Token] | None:
    """The statement with its first MODEL clause as a subquery; None if it has none that can be read."""
    words = [token.text.upper() for token in tokens]
    for at, word in enumerate(words):
        if word == "MODEL" and tokens[at].token_type is not _T.IDENTIFIER:
            made = _rewritten(tokens, words, at)
            if made is not None:
                return made
    return None


def _rewritten(tokens: list[Token], words: list[str], at: int) -> list[Token] | None:
    start = _query_start(words, at)
    lists, rules, end = _clauses(tokens, words, at)
    measures = lists.get("MEASURES")
    if start is None or not measures or "DIMENSION" not in lists:
        return None
    here = tokens[at]
    listed = [item for name in ("PARTITION", "DIMENSION") for item in lists.get(name, [])]
    shown = [[item[-1]] for item in listed]
    for measure in measures:
        computed = [rule for name, rule in rules if name == measure[-1].text.upper()]
        shown.append(_chosen(measure[-1], computed, here) if computed else [measure[-1]])
    inner = [*_words(here, "SELECT"), *_joined([*listed, *measures], here), *tokens[start:at]]
    outer = [*_words(here, "SELECT"), *_joined(shown, here), *_words(here, "FROM", "("), *inner]
    rest = tokens[end:]
    return [*tokens[:start], *_words(here, "FROM", "("), *outer, *_words(here, ")", ")"), *rest]


def _query_start(words: list[str], at: int) -> int | None:
    """Where the FROM of the query around a place stands."""
    depth, found = 0, None
    for before in range(at - 1, -1, -1):
        depth += (words[before] == ")") - (words[before] == "(")
        if depth < 0 or (not depth and words[before] == "SELECT"):
            return found
        if not depth and words[before] == "FROM":
            found = before
    return None


def _clauses(
    tokens: list[Token], words: list[str], at: int
) -> tuple[dict[str, list[list[Token]]], list[tuple[str, list[Token]]], int]:
    """The lists of columns, the rules by the measure they compute, and where the clause ends."""
    lists: dict[str, list[list[Token]]] = {}
    place = at + 1
    while place < len(tokens):
        end = closing(tokens, place) if words[place] == "(" else 0
        if end and "MEASURES" in lists and words[place - 1] != "ITERATE":
            inside = _items(tokens[place + 1 : end])
            return lists, [rule for item in inside for rule in _rule(item)], end + 1
        if end:
            before = [word.partition(" ")[0] for word in words[max(at, place - 2) : place]]
            named = next((w for w in ("PARTITION", "DIMENSION", "MEASURES") if w in before), "")
            lists[named] = _items(tokens[place + 1 : end])
            place = end
        place += 1
    return lists, [], len(tokens)


def _items(tokens: list[Token]) -> list[list[Token]]:
    """What stands between commas outside all brackets."""
    items: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += token.token_type in {_T.L_PAREN, _T.L_BRACKET}
        depth -= token.token_type in {_T.R_PAREN, _T.R_BRACKET}
        if token.token_type is _T.COMMA and not depth:
            items.append([])
        else:
            items[-1].append(token)
    return [item for item in items if item]


def _rule(tokens: list[Token]) -> Iterator[tuple[str, list[Token]]]:
    """`amount[2002] = amount[2001] + 1`: the measure it computes, and from what."""
    while tokens and tokens[0].text.upper() in _WAYS:
        tokens = tokens[1:]
    plain = list(_without_cells(tokens))
    if len(plain) > 2 and plain[0].token_type in _NAMED and plain[1].token_type is _T.EQ:
        yield plain[0].text.upper(), plain[2:]


def _without_cells(tokens: list[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += token.token_type is _T.L_BRACKET
        if not depth:
            yield token
        depth -= token.token_type is _T.R_BRACKET


def _chosen(name: Token, computed: list[list[Token]], at: Token) -> list[Token]:
    values = _joined([[name], *computed], at)
    return [*_words(at, "COALESCE", "("), *values, *_words(at, ")", "AS"), name]


def _joined(items: list[list[Token]], at: Token) -> list[Token]:
    made: list[Token] = []
    for item in items:
        made += [*(_words(at, ",") if made else []), *item]
    return made


def _words(at: Token, *texts: str) -> list[Token]:
    return [made_token(_KEYWORDS[text], text, at) for text in texts]
