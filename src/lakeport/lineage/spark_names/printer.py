"""The expression printer: a precedence climber that prints instead of building.

Spark prints the resolved tree: operators in parentheses, strings without quotes, columns without
their table, functions under their registered name with default arguments filled in. The printer
reads the user's tokens, because the parser's tree has renamed and reordered functions already;
types are asked for only where Spark replaces an operator by a function (`date + 1`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.spark_names.arithmetic import printed_product, printed_sum, rounded
from lakeport.lineage.spark_names.calls import call_text
from lakeport.lineage.spark_names.collations import collated
from lakeport.lineage.spark_names.columns import NO_NAMES, column_name
from lakeport.lineage.spark_names.cursor import Cursor, Unprintable
from lakeport.lineage.spark_names.items import item_name, variant_path
from lakeport.lineage.spark_names.literals import (
    SUFFIXES,
    number_text,
    string_text,
    typed_literal,
)
from lakeport.lineage.spark_names.predicates import predicate_text
from lakeport.lineage.spark_names.type_names import cast_text, type_name
from lakeport.lineage.spark_names.words import WORDS

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.spark_names.surroundings import Surroundings
    from lakeport.lineage.types import SqlType

_T = TokenType
_COMPARISONS = {
    "=": "=",
    "==": "=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "<=>": "<=>",
    "!=": "!=",
    "<>": "!=",
    "!>": "<=",
    "!<": ">=",
}
_SUM = {"+": "+", "-": "-", "||": "||"}
_PRODUCT = {"*": "*", "/": "/", "%": "%", "DIV": "div"}
_SHIFTS = {"<<": "<<", ">>": ">>", ">>>": ">>>"}
_QUERIES = frozenset({"SELECT", "WITH", "VALUES", "FROM", "TABLE"})
_ALONE = frozenset({_T.VAR, _T.IDENTIFIER, _T.NUMBER, _T.STRING})
_ENDS = frozenset({None, _T.COMMA, _T.R_PAREN, _T.R_BRACKET})
# Long chains are sums of numbers; asking for the type of every prefix would be quadratic.
_LONG = 64
_MAX_DEPTH = 100

Operand: TypeAlias = "tuple[str, list[Token]]"


def spark_name(tokens: list[Token], surroundings: Surroundings) -> str | None:
    """The name of a select item, or None if it cannot be told."""
    printer = Printer(tokens, surroundings)
    try:
        text = item_name(printer)
    except (Unprintable, RecursionError):
        return None
    return text if printer.done() else None


class Printer(Cursor):
    """Prints the expression at its cursor; every method leaves the cursor after what it printed."""

    __slots__ = ("_depth", "keeps_aliases", "parameters", "world")

    def __init__(self, tokens: list[Token], world: Surroundings) -> None:
        super().__init__(tokens)
        self.world = world
        self.keeps_aliases = False
        self._depth = 0
        self.parameters: list[str] = []

    def type_since(self, start: int) -> SqlType | None:
        """The type of the expression printed since token `start`."""
        return self.world.type_of(self.tokens[start : self.at])

    # -- precedence --------------------------------------------------------------------------

    def expression(self) -> str:
        """OR binds weakest; a token that stands alone needs no climbing at all."""
        if self.kind(1) in _ENDS and self.kind() in _ALONE:
            return self._primary()
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise Unprintable("depth")
        left = self._and()
        while self.accept("OR"):
            left = f"({left} OR {self._and()})"
        self._depth -= 1
        return left

    def _and(self) -> str:
        left = self._not()
        while self.accept("AND"):
            left = f"({left} AND {self._not()})"
        return left

    def _not(self) -> str:
        if self.word() in {"NOT", "!"}:
            self.take()
            return f"(NOT {self._not()})"
        return predicate_text(self)

    def comparison(self) -> str:
        """What stands on the left of a predicate."""
        start = self.at
        left = self.value()
        before = self.at
        while (operator := self.operator(_COMPARISONS)) is not None:
            after = self.at
            right = self.value()
            operands = (left, self.tokens[start:before]), (right, self.tokens[after : self.at])
            left, right = collated(list(operands), self.world)
            left, right = rounded(left, operator, right, operands, self.world.type_of)
            before = self.at
            left = (
                f"(NOT ({left} = {right}))" if operator == "!=" else f"({left} {operator} {right})"
            )
        return left

    def value(self) -> str:
        """An operand of a comparison: bitwise operators and everything that binds tighter."""
        left = self._bitwise_xor()
        while self.word() == "|" and self.word(1) != "|":
            self.take()
            left = f"({left} | {self._bitwise_xor()})"
        return left

    def _bitwise_xor(self) -> str:
        left = self._bitwise_and()
        while self.accept("^"):
            left = f"({left} ^ {self._bitwise_and()})"
        return left

    def _bitwise_and(self) -> str:
        left = self._shift()
        while self.accept("&"):
            left = f"({left} & {self._shift()})"
        return left

    def _shift(self) -> str:
        left = self._sum()
        while (operator := self.operator(_SHIFTS)) is not None:
            left = f"({left} {operator} {self._sum()})"
        return left

    def _sum(self) -> str:
        start = self.at
        left = self._product()
        while True:
            before = self.at
            operator = self.operator(_SUM)
            if operator is None:
                return left
            after = self.at
            right = self._product()
            if operator == "||":
                both = (left, self.tokens[start:before]), (right, self.tokens[after : self.at])
                left = f"concat({', '.join(collated(list(both), self.world))})"
            elif before - start > _LONG:
                left = f"({left} {operator} {right})"
            else:
                operands = self.tokens[start:before], self.tokens[after : self.at]
                left = printed_sum(left, operator, right, operands, self.world.type_of)

    def _product(self) -> str:
        start = self.at
        left = self._unary()
        while True:
            before = self.at
            operator = self.operator(_PRODUCT)
            if operator is None:
                return left
            after = self.at
            right = self._unary()
            if operator == "*":
                operands = self.tokens[start:before], self.tokens[after : self.at]
                left = printed_product(left, right, operands, self.world.type_of)
            else:
                left = f"({left} {operator} {right})"

    def _unary(self) -> str:
        if self.accept("-"):
            if self.kind() is _T.NUMBER or (self.kind() is _T.DOT and self.kind(1) is _T.NUMBER):
                return self._postfix(self._number("-"))
            return f"(- {self._unary()})"
        if self.accept("+"):
            return f"(+ {self._unary()})"
        if self.accept("~"):
            return f"~{self._unary()}"
        return self._postfix()

    def _postfix(self, start: str | None = None) -> str:
        begin = self.at
        left = self._primary() if start is None else start
        while True:
            if self.kind() is _T.L_BRACKET:
                self.take()
                left = f"{left}[{self.expression()}]"
                self.expect("]")
            elif self.kind() is _T.DOT and self.kind(1) is not None:
                kind = self.type_since(begin)
                self.take()
                field = self.take().text
                mapped = kind is not None and kind.kind == "map"
                left = f"{left}[{field}]" if mapped else f"{left}.{field}"
            elif self.kind() is _T.DCOLON:
                self.take()
                left = cast_text("CAST", left, type_name(self))
            elif self.kind() is _T.COLON:
                path, key = variant_path(self)
                left = f"variant_get({left}, ${path}) AS {key}"
            elif self.accept("COLLATE"):
                left = f"collate({left}, {self._collation()})"
            else:
                return left

    def _collation(self) -> str:
        """The last part of a collation's name, whose first parts are always the same."""
        name = self.take().text
        while self.kind() is _T.DOT:
            self.take()
            name = self.take().text
        return name

    # -- primaries ---------------------------------------------------------------------------

    def _primary(self) -> str:
        kind, word = self.kind(), self.word()
        if kind is _T.L_PAREN:
            return self._parentheses()
        if kind is _T.NUMBER or (kind is _T.DOT and self.kind(1) is _T.NUMBER):
            return self._number()
        if kind in {_T.STRING, _T.RAW_STRING}:
            return string_text(self)
        if kind is _T.HEX_STRING or (word == "X" and self.kind(1) is _T.STRING):
            self.at += kind is not _T.HEX_STRING
            return f"X'{self.take().text.upper()}'"
        reader = WORDS.get(word)
        printed = reader(self) if reader is not None else None
        if printed is None and self.kind(1) is _T.STRING:
            printed = typed_literal(self)
        if printed is not None:
            return printed
        return self._name_or_call()

    def _name_or_call(self) -> str:
        """A dotted name is a function's if a parenthesis follows."""
        ahead = 1
        while self.kind(ahead) is _T.DOT and self.kind(ahead + 1) is not None:
            ahead += 2
        if self.kind(ahead) is _T.L_PAREN and self.kind() not in NO_NAMES:
            parts = [self.tokens[self.at + place].text for place in range(0, ahead, 2)]
            self.at += ahead
            return call_text(self, parts)
        return column_name(self)

    def _number(self, sign: str = "") -> str:
        digits = sign + self.take().text
        if digits.endswith("."):
            digits += self.take().text
        if self.kind() is _T.DCOLON and self.word(1) in SUFFIXES:
            # The tokenizer writes `1L` as `1 :: L`.
            self.take()
            return number_text(digits, self.take().text.upper())
        return number_text(digits)

    def _parentheses(self) -> str:
        self.take()
        if self.word() in _QUERIES:
            return f"scalarsubquery({self.subquery()})"
        items = self.operands()
        if self.kind() is _T.ARROW:
            self.take()
            return self._lambda([tokens[0].text for _, tokens in items if tokens])
        return items[0][0] if len(items) == 1 else _row(items)

    def _lambda(self, names: list[str]) -> str:
        self.parameters += names
        body = self.expression()
        del self.parameters[-len(names) :]
        variables = ", ".join("namedlambdavariable()" for _ in names)
        return f"lambdafunction({body}, {variables})"

    def subquery(self) -> str:
        """Skip a subquery and its closing parenthesis; Spark shows the outer columns it mentions."""
        depth = 1
        while depth:
            kind = self.take().token_type
            depth += (kind is _T.L_PAREN) - (kind is _T.R_PAREN)
        return ", ".join(next(self.world.outer, []))

    def operand(self) -> Operand:
        """One expression with its tokens."""
        start = self.at
        return self.expression(), self.tokens[start : self.at]

    def arguments(self) -> list[str]:
        """Comma-separated expressions up to the closing parenthesis, which is taken."""
        return [text for text, _ in self.operands()]

    def operands(self) -> list[Operand]:
        """The same, each with its tokens; a star stands for several without any."""
        found: list[Operand] = []
        if self.accept(")"):
            return found
        while True:
            start = self.at
            star = self._star()
            if star is not None:
                found += [(column, []) for column in star]
            else:
                found.append((self._argument(), self.tokens[start : self.at]))
            if self.accept(")"):
                return found
            self.expect(",")

    def _argument(self) -> str:
        if self.kind() in {_T.VAR, _T.IDENTIFIER} and self.kind(1) is _T.ARROW:
            name = self.take().text
            self.take()
            return self._lambda([name])
        printed = self.expression()
        if self.accept("AS") or (
            self.kind() in {_T.VAR, _T.IDENTIFIER}
            and self.word() not in {"FROM", "FOR", "ORDER", "IN", "IGNORE", "RESPECT"}
        ):
            alias = self.take().text
            return f"{printed} AS {alias}" if self.keeps_aliases else printed
        return printed

    def _star(self) -> list[str] | None:
        """A star inside a call stands for the columns of its relations, without the excluded.

        So does a quoted pattern, where those are switched on.
        """
        if self.kind() is _T.IDENTIFIER and self.kind(1) in {_T.COMMA, _T.R_PAREN}:
            columns = self.world.matching(self.tokens[self.at].text)
            self.at += bool(columns)
            return columns or None
        relation = ""
        if self.kind(1) is _T.DOT and self.kind(2) is _T.STAR:
            relation = self.take().text
            self.take()
        elif self.kind() is not _T.STAR:
            return None
        self.take()
        columns = self.world.star(relation)
        if self.accept("EXCEPT"):
            self.expect("(")
            excluded = {name.casefold() for name in self.arguments()}
            columns = [column for column in columns if column.casefold() not in excluded]
        return columns


def _row(items: list[Operand]) -> str:
    """`(a, 1)` is a struct whose fields are called after columns, and otherwise by position."""
    fields: list[str] = []
    for position, (text, tokens) in enumerate(items, 1):
        names = {_T.VAR, _T.IDENTIFIER, _T.DOT}
        plain = all(token.token_type in names for token in tokens)
        fields += [(tokens[-1].text if tokens else text) if plain else f"col{position}", text]
    return f"named_struct({', '.join(fields)})"
