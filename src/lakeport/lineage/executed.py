"""T-SQL's EXEC where it is no call of a user's procedure: SQL in a string, and `sp_rename`.

Strings are read at their own place in the text. SQL that variables put together stays an EXEC, which
is told as SQL that nobody knows before it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.bodies import tokens_at
from lakeport.lineage.brackets import closing
from lakeport.lineage.made_tokens import made_token
from lakeport.lineage.renames import named
from lakeport.lineage.shim import Shim
from lakeport.lineage.strings import unescaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot.tokenizer_core import Token

_STRINGS = frozenset({TokenType.STRING, TokenType.NATIONAL_STRING})
_RUNS_SQL = "SP_EXECUTESQL"
_RENAMES = "SP_RENAME"


def is_dynamic(tree: exp.Expr) -> bool:
    """Whether an EXEC runs SQL rather than a procedure."""
    run = tree.this
    return isinstance(run, exp.Subquery) or (
        isinstance(run, exp.Table) and run.name.upper() == _RUNS_SQL
    )


def executed_statements(tokens: list[Token], text: str, parser: str) -> Iterator[Shim]:
    """What an EXEC, or an INSERT of what one answers, stands for."""
    word = tokens[0].text.upper() if tokens else ""
    if word == "INSERT":
        yield from _inserted(tokens, text, parser)
    if word not in {"EXEC", "EXECUTE"}:
        return
    string = _constant(tokens)
    if string is not None:
        yield Shim("immediate", _content(string, text, parser))
    tree = _renaming(tokens, text, parser) or _unread(tokens)
    if tree is not None:
        yield Shim("executed", tree=tree)


def _unread(tokens: list[Token]) -> exp.Expr | None:
    """`EXEC (…)`, whatever the parser makes of what stands in there, and `EXECUTE AS USER = 'ann'`."""
    behind = tokens[1].token_type if len(tokens) > 1 else None
    if behind is TokenType.L_PAREN:
        return exp.Execute(this=exp.Subquery())
    return exp.Execute(this=exp.Table()) if behind is TokenType.ALIAS else None


def _inserted(tokens: list[Token], text: str, parser: str) -> Iterator[Shim]:
    """`INSERT INTO t EXEC …` with the query that is run; with none where nobody knows what it answers."""
    at = next((n for n, token in enumerate(tokens) if token.token_type is TokenType.EXECUTE), 0)
    if not at:
        return
    string = _constant(tokens[at:])
    if string is not None:
        yield Shim("inserted", [*tokens[:at], *_content(string, text, parser)])
        return
    words = ((TokenType.DEFAULT, "DEFAULT"), (TokenType.VALUES, "VALUES"))
    nothing = [made_token(kind, word, tokens[at]) for kind, word in words]
    yield Shim("answered", [*tokens[:at], *nothing])


def _constant(tokens: list[Token]) -> Token | None:
    """The string that is run, if it is one string alone."""
    if len(tokens) > 1 and tokens[1].token_type is TokenType.L_PAREN:
        return tokens[2] if closing(tokens, 1) == 3 and tokens[2].token_type in _STRINGS else None
    arguments = _arguments(tokens, _RUNS_SQL)
    # What follows are the parameters and their values.
    if arguments and (len(arguments) == 1 or arguments[1].token_type is TokenType.COMMA):
        return arguments[0] if arguments[0].token_type in _STRINGS else None
    return None


def _renaming(tokens: list[Token], text: str, parser: str) -> exp.Expr | None:
    """The ALTER that `sp_rename 't.c', 'd', 'COLUMN'` stands for."""
    words = [token for token in _arguments(tokens, _RENAMES) if token.token_type in _STRINGS]
    kind = words[2].text.upper() if len(words) > 2 else "OBJECT"
    if len(words) < 2 or kind not in {"OBJECT", "COLUMN"}:
        return None
    parts = _content(words[0], text, parser)
    new = exp.Identifier(this=words[1].text, quoted=True).update_positions(words[1])
    if kind == "OBJECT":
        old = named(parts)
        if old is None:
            return None
        action: exp.Expr = exp.AlterRename(
            this=exp.Table(this=new, db=old.args.get("db"), catalog=old.args.get("catalog"))
        )
    else:
        old, column = named(parts[:-2]), named(parts[-1:])
        if old is None or column is None:
            return None
        action = exp.RenameColumn(this=exp.Column(this=column.this), to=exp.Column(this=new))
    return exp.Alter(this=old, kind="TABLE", actions=[action])


def _content(string: Token, text: str, parser: str) -> list[Token]:
    """The tokens inside of a string: behind its quote, and the N in front of that."""
    begin = string.start + 1 + (string.token_type is TokenType.NATIONAL_STRING)
    return tokens_at(text, begin, unescaped(text[begin : string.end]), parser, string)


def _arguments(tokens: list[Token], procedure: str) -> list[Token]:
    """The tokens behind the name of a procedure, without `@parameter =`; none if it is another one."""
    at = next((n for n, t in enumerate(tokens[:6]) if t.text.upper() == procedure), 0)
    found = [token for token in tokens[at + 1 :] if token.token_type is not TokenType.SEMICOLON]
    if not at:
        return []
    given: list[Token] = []
    for position, token in enumerate(found):
        if token.token_type is TokenType.EQ and [
            t.token_type for t in found[position - 2 : position]
        ] == [TokenType.PARAMETER, TokenType.VAR]:
            del given[-2:]
        else:
            given.append(token)
    return given
