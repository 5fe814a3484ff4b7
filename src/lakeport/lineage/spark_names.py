"""The name Spark gives to an unaliased expression: its own pretty-printed form.

Spark prints the resolved tree: operators in parentheses, strings without quotes, columns without
their table, functions under their registered name with default arguments filled in. The printer
reads the user's tokens, because the parser's tree has renamed and reordered functions already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.spark_functions import printed_call
from lakeport.lineage.spark_literals import interval_text, number_text, string_text, type_name
from lakeport.lineage.spark_windows import window_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlglot.tokenizer_core import Token

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
_TYPED_LITERALS = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIME"})
_NILADIC = frozenset(
    {"CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_USER", "CURRENT_TIME", "USER", "SESSION_USER"}
)
_SUFFIXES = frozenset({"L", "S", "Y", "D", "F", "BD"})
_MAX_DEPTH = 100


class Unprintable(Exception):  # noqa: N818 - a signal inside this module's callers, never an error of theirs
    """The tokens are not an expression this printer knows."""


def spark_name(
    tokens: list[Token],
    is_relation: Callable[[str], bool],
    outer: Iterator[list[str]],
    window: Callable[[str], list[Token]],
    star: Callable[[str], str],
) -> str | None:
    """The name of a select item, or None if it cannot be told.

    `is_relation` says whether a first name addresses a table; `outer` gives, for each subquery in turn,
    the outer columns it mentions, which is all Spark shows of one; `window` finds a named window,
    `star` lists the columns of a relation.
    """
    printer = Printer(tokens, is_relation, outer, window)
    printer.expand_stars(star)
    try:
        text = printer.item()
        return text if printer.done() else None
    except (Unprintable, RecursionError, IndexError):
        return None


class Printer:
    """A precedence climber that prints instead of building."""

    def __init__(
        self,
        tokens: list[Token],
        is_relation: Callable[[str], bool],
        outer: Iterator[list[str]],
        window: Callable[[str], list[Token]],
    ) -> None:
        self._tokens = tokens
        self._at = 0
        self._is_relation = is_relation
        self._outer = outer
        self._window = window
        self._depth = 0
        self._keeps_aliases = False
        self._star: Callable[[str], str] | None = None
        self._parameters: list[str] = []

    def expand_stars(self, star: Callable[[str], str]) -> None:
        """How to print a star inside a call: the columns it stands for."""
        self._star = star

    # -- tokens ------------------------------------------------------------------------------

    def done(self) -> bool:
        """Every token was used."""
        return self._at >= len(self._tokens)

    def word(self, ahead: int = 0) -> str:
        """The upper-case text of a token; quoted names and strings are no words."""
        if self._at + ahead >= len(self._tokens):
            return ""
        token = self._tokens[self._at + ahead]
        return "" if token.token_type in {_T.STRING, _T.IDENTIFIER} else token.text.upper()

    def kind(self, ahead: int = 0) -> TokenType | None:
        """The type of a token."""
        return (
            self._tokens[self._at + ahead].token_type
            if self._at + ahead < len(self._tokens)
            else None
        )

    def take(self) -> Token:
        """The next token."""
        token = self._tokens[self._at]
        self._at += 1
        return token

    def accept(self, *words: str) -> bool:
        """Take a sequence of words if it stands here."""
        for ahead, wanted in enumerate(words):
            if self.word(ahead) != wanted:
                return False
        self._at += len(words)
        return True

    def expect(self, word: str) -> None:
        """Take a word that must stand here."""
        if not self.accept(word):
            raise Unprintable(word)

    def item(self) -> str:
        """A whole select item: a cast of a plain column keeps the column's name."""
        start = self._at
        if self.word() in {"CAST", "TRY_CAST"} and self.kind(1) is _T.L_PAREN:
            self._at += 2
            if self.kind() in {_T.VAR, _T.IDENTIFIER}:
                name = self._name()
                if self.accept("AS"):
                    type_name(self)
                    if self.accept(")") and self.done():
                        return name.rsplit(".", 1)[-1]
        elif self.kind() in {_T.VAR, _T.IDENTIFIER} and self.kind(1) in {_T.DCOLON, _T.DOT}:
            name = self._name()
            if self.kind() is _T.DCOLON:
                self.take()
                type_name(self)
                if self.done():
                    return name.rsplit(".", 1)[-1]
        self._at = start
        return self.expression()

    # -- precedence --------------------------------------------------------------------------

    def expression(self) -> str:
        """OR binds weakest."""
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
        if self.word() == "NOT" or (self.word() == "!" and self.kind(1) is not None):
            if self.word(1) == "EXISTS":
                self.take()
                return f"(NOT {self._predicate()})"
            self.take()
            return f"(NOT {self._not()})"
        return self._predicate()

    def _predicate(self) -> str:
        left = self._comparison()
        while True:
            negated = self.word() == "NOT" and self.word(1) in {
                "IN",
                "LIKE",
                "ILIKE",
                "RLIKE",
                "REGEXP",
                "BETWEEN",
            }
            if negated:
                self.take()
            word = self.word()
            if word == "IS":
                left = self._is(left)
                continue
            printed = self._predicate_tail(word, left)
            if printed is None:
                return left
            left = f"(NOT {printed})" if negated else printed

    def _predicate_tail(self, word: str, left: str) -> str | None:
        if word == "IN" and self.kind(1) is _T.L_PAREN:
            self.take()
            return self._in(left)
        if word == "BETWEEN":
            self.take()
            low = self._bitwise_or()
            self.expect("AND")
            return f"between({left}, {low}, {self._bitwise_or()})"
        if word in {"LIKE", "ILIKE"}:
            self.take()
            return self._like(left, word)
        if word in {"RLIKE", "REGEXP"}:
            self.take()
            return f"RLIKE({left}, {self._bitwise_or()})"
        return None

    def _is(self, left: str) -> str:
        self.take()
        negated = self.accept("NOT")
        if self.accept("DISTINCT", "FROM"):
            same = f"({left} <=> {self._bitwise_or()})"
            return same if negated else f"(NOT {same})"
        word = self.take().text.upper()
        if word == "NULL":
            return f"({left} IS NOT NULL)" if negated else f"({left} IS NULL)"
        if word in {"TRUE", "FALSE"}:
            same = f"({left} <=> {word.lower()})"
            return f"(NOT {same})" if negated else same
        if word == "UNKNOWN":
            return f"({left} IS NOT NULL)" if negated else f"({left} IS NULL)"
        raise Unprintable(word)

    def _in(self, left: str) -> str:
        self.expect("(")
        if self.word() in {"SELECT", "WITH"}:
            return f"({left} IN (listquery({self.subquery()})))"
        return f"({left} IN ({', '.join(self.arguments())}))"

    def _like(self, left: str, word: str) -> str:
        if self.word() in {"ANY", "ALL", "SOME"} and self.kind(1) is _T.L_PAREN:
            quantifier = self.take().text.lower()
            self.expect("(")
            name = {"any": "likeany", "some": "likeany", "all": "likeall"}[quantifier]
            prefix = "i" if word == "ILIKE" else ""
            return (
                f"{prefix}{name}({', '.join([left, *self.arguments()])})"
                if not prefix
                else f"{name}(lower({left}))"
            )
        pattern = self._bitwise_or()
        if self.accept("ESCAPE"):
            escape = self.take().text
            return (
                f"{left} LIKE {pattern} ESCAPE '{escape}'"
                if word == "LIKE"
                else f"ilike({left}, {pattern}, '{escape}')"
            )
        return f"{left} LIKE {pattern}" if word == "LIKE" else f"ilike({left}, {pattern})"

    def _comparison(self) -> str:
        left = self._bitwise_or()
        while (operator := self._operator(_COMPARISONS)) is not None:
            right = self._bitwise_or()
            left = (
                f"(NOT ({left} = {right}))" if operator == "!=" else f"({left} {operator} {right})"
            )
        return left

    def _operator(self, table: dict[str, str]) -> str | None:
        """An operator, which the tokenizer may have cut into several tokens without space between."""
        word = self.word()
        if not word:
            return None
        joined = word
        count = 1
        while self._at + count < len(self._tokens):
            before, following = self._tokens[self._at + count - 1], self._tokens[self._at + count]
            longer = joined + following.text
            if following.start != before.end + 1 or longer not in table:
                break
            joined = longer
            count += 1
        if joined not in table:
            return None
        self._at += count
        return table[joined]

    def _bitwise_or(self) -> str:
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
        while (operator := self._operator(_SHIFTS)) is not None:
            left = f"({left} {operator} {self._sum()})"
        return left

    def _sum(self) -> str:
        left = self._product()
        while (operator := self._operator(_SUM)) is not None:
            right = self._product()
            if operator == "||":
                left = f"concat({left}, {right})"
            elif (
                left.startswith("INTERVAL '")
                and not right.startswith("INTERVAL '")
                and operator == "+"
                and not right.replace(".", "").isdigit()
            ):
                # Spark turns an interval plus a time around.
                left = f"{right} + {left}"
            elif right.startswith("INTERVAL '") and not left.startswith("INTERVAL '"):
                left = f"{left} {operator} {right}"
            else:
                left = f"({left} {operator} {right})"
        return left

    def _product(self) -> str:
        left = self._unary()
        while (operator := self._operator(_PRODUCT)) is not None:
            left = f"({left} {operator} {self._unary()})"
        return left

    def _unary(self) -> str:
        if self.accept("-"):
            if self.kind() is _T.NUMBER:
                return _negated(self._postfix())
            return f"(- {self._unary()})"
        if self.accept("+"):
            return f"(+ {self._unary()})"
        if self.accept("~"):
            return f"~{self._unary()}"
        return self._postfix()

    def _postfix(self) -> str:
        left = self._primary()
        while True:
            if self.kind() is _T.L_BRACKET:
                self.take()
                left = f"{left}[{self.expression()}]"
                self.expect("]")
            elif self.kind() is _T.DOT and self.kind(1) is not None:
                self.take()
                left = f"{left}.{self.take().text}"
            elif self.kind() is _T.DCOLON and self.word(1) in _SUFFIXES:
                # The tokenizer writes `1L` as `1 :: L`.
                self.take()
                left = number_text(left, self.take().text.upper())
            elif self.kind() is _T.DCOLON:
                self.take()
                left = f"CAST({left} AS {type_name(self)})"
            elif self.accept("COLLATE"):
                left = f"collate({left}, {self.take().text})"
            else:
                return left

    # -- primaries ---------------------------------------------------------------------------

    def _primary(self) -> str:
        kind, word = self.kind(), self.word()
        if kind is None:
            raise Unprintable("end")
        if kind is _T.L_PAREN:
            return self._parentheses()
        if kind is _T.NUMBER:
            return self._number()
        if kind in {_T.STRING, _T.RAW_STRING}:
            return self._string()
        if kind is _T.HEX_STRING:
            return f"X'{self.take().text.upper()}'"
        if word == "X" and self.kind(1) is _T.STRING:
            self.take()
            return f"X'{self.take().text.upper()}'"
        if word in _WORDS and not (
            self.kind(1) is _T.L_PAREN and word in {"NULL", "TRUE", "FALSE"}
        ):
            printed = _WORDS[word](self)
            if printed is not None:
                return printed
        if word in _TYPED_LITERALS and self.kind(1) is _T.STRING:
            name = self.take().text.upper()
            return f"{name.replace('TIMESTAMP_LTZ', 'TIMESTAMP')} '{self.take().text}'"
        if self.kind(1) is _T.L_PAREN and kind is not _T.IDENTIFIER:
            return self._call()
        return self._name()

    def _parentheses(self) -> str:
        self.take()
        if self.word() in {"SELECT", "WITH", "VALUES", "FROM", "TABLE"}:
            return f"scalarsubquery({self.subquery()})"
        first = self.arguments()
        if self.word() == "->" or self.kind() is _T.ARROW:
            self.take()
            self._parameters += first
            body = self.expression()
            del self._parameters[-len(first) :]
            names = ", ".join("namedlambdavariable()" for _ in first)
            return f"lambdafunction({body}, {names})"
        if len(first) == 1:
            return first[0]
        named = ", ".join(first)
        return f"struct({named})"

    def subquery(self) -> str:
        """Skip a subquery; Spark shows the outer columns it mentions."""
        depth = 1
        while depth:
            kind = self.take().token_type
            depth += (kind is _T.L_PAREN) - (kind is _T.R_PAREN)
        return ", ".join(next(self._outer, []))

    def arguments(self) -> list[str]:
        """Comma-separated expressions up to the closing parenthesis, which is taken."""
        found: list[str] = []
        if self.accept(")"):
            return found
        while True:
            found.append(self._argument())
            if self.accept(")"):
                return found
            self.expect(",")

    def _argument(self) -> str:
        if self.kind() in {_T.VAR, _T.IDENTIFIER} and self.kind(1) is _T.ARROW:
            name = self.take().text
            self.take()
            self._parameters.append(name)
            body = self.expression()
            self._parameters.pop()
            return f"lambdafunction({body}, namedlambdavariable())"
        if self.kind(1) is _T.FARROW:
            self._at += 2
        if self.word() == "*":
            self.take()
            return "*" if self._star is None else self._star("")
        if self.kind(1) is _T.DOT and self.word(2) == "*":
            relation = self.take().text
            self._at += 2
            return "*" if self._star is None else self._star(relation)
        printed = self.expression()
        if self.accept("AS") or (
            self.kind() in {_T.VAR, _T.IDENTIFIER}
            and self.word() not in {"", "FROM", "FOR", "ORDER", "IN", "IGNORE", "RESPECT"}
        ):
            alias = self.take().text
            return f"{printed} AS {alias}" if self._keeps_aliases else printed
        return printed

    def _number(self) -> str:
        return number_text(self.take().text)

    def _string(self) -> str:
        parts = [string_text(self.take().text)]
        while self.kind() is _T.STRING:
            parts.append(string_text(self.take().text))
        return "".join(parts)

    def _name(self) -> str:
        token = self.take()
        if token.token_type in {_T.COMMA, _T.R_PAREN, _T.STAR, _T.EQ}:
            raise Unprintable(token.text)
        if token.token_type in {_T.COLON, _T.PLACEHOLDER}:
            raise Unprintable(token.text)
        name = token.text
        niladic = token.token_type is not _T.IDENTIFIER and name.upper() in _NILADIC
        if niladic and self.kind() is not _T.DOT:
            return f"{name.lower()}()"
        parts = [name]
        while self.kind() is _T.DOT and self.kind(1) is not None:
            self.take()
            parts.append(self.take().text)
        while len(parts) > 1 and self._is_relation(parts[0]):
            parts.pop(0)
            if not self._is_relation(parts[0]) or len(parts) == 1:
                break
        return ".".join(parts)

    def _call(self) -> str:
        name = self.take().text
        self.expect("(")
        distinct = self.accept("DISTINCT")
        if not distinct:
            self.accept("ALL")
        counts_rows = name.lower() == "count" and not distinct and self.word() == "*"
        outside, self._keeps_aliases = self._keeps_aliases, name.lower() == "struct"
        arguments = self.arguments_of(name) if not counts_rows else self._rows()
        self._keeps_aliases = outside
        printed = printed_call(name.lower(), arguments, distinct=distinct)
        return self._after_call(printed, name.lower(), arguments)

    def _rows(self) -> list[str]:
        """The star of `count(*)`, which is no list of columns."""
        self.take()
        self.expect(")")
        return ["*"]

    def arguments_of(self, name: str) -> list[str]:
        """Arguments, some functions having words between them."""
        reader = _CALLS.get(name.lower())
        return reader(self) if reader is not None else self.arguments()

    def _after_call(self, printed: str, name: str, arguments: list[str]) -> str:
        """WITHIN GROUP, FILTER, IGNORE NULLS and OVER."""
        if self.accept("WITHIN", "GROUP") or self.accept("WITHIN GROUP"):
            printed = self._within_group(printed, name, arguments)
        if self.accept("FILTER"):
            self.expect("(")
            self.expect("WHERE")
            printed = f"{printed} FILTER (WHERE {self.expression()})"
            self.expect(")")
        if self.accept("IGNORE", "NULLS"):
            printed = f"{printed} ignore nulls"
        else:
            self.accept("RESPECT", "NULLS")
        if self.accept("OVER"):
            if self.kind() is not _T.L_PAREN:
                named = self._window(self.take().text)
                return window_text(
                    Printer([*named], self._is_relation, self._outer, self._window), printed, name
                )
            self.take()
            printed = window_text(self, printed, name)
            self.expect(")")
        return printed

    def _within_group(self, printed: str, name: str, arguments: list[str]) -> str:
        self.expect("(")
        if not self.accept("ORDER BY"):
            self.expect("ORDER")
            self.expect("BY")
        keys: list[tuple[str, str]] = []
        while True:
            key = self.expression()
            descending = self.accept("DESC")
            self.accept("ASC")
            if self.accept("NULLS"):
                self.take()
            keys.append((key, "DESC NULLS LAST" if descending else "ASC NULLS FIRST"))
            if self.accept(")"):
                break
            self.expect(",")
        if name in {"percentile_cont", "percentile_disc"}:
            order = ", ".join(
                key if side.startswith("ASC") else f"{key} DESC" for key, side in keys
            )
            return f"{printed} WITHIN GROUP (ORDER BY {order})"
        if name in {"listagg", "string_agg"}:
            order = ", ".join(f"{key} {side}" for key, side in keys)
            return f"{printed} WITHIN GROUP (ORDER BY {order})"
        return f"{name}({', '.join([*(key for key, _ in keys), *arguments])})"


def _negated(number: str) -> str:
    """A negative literal is one value, and there is no negative zero among exact numbers."""
    if not number.replace(".", "").strip("0") and number.replace(".", "").isdigit():
        return number
    return f"-{number}" if number[:1].isdigit() else f"(- {number})"


# -- words with a syntax of their own ------------------------------------------------------------


def _constant(text: str) -> Callable[[Printer], str | None]:
    def read(printer: Printer) -> str | None:
        printer.take()
        return text

    return read


def _case(printer: Printer) -> str | None:
    printer.take()
    subject = None if printer.word() == "WHEN" else printer.expression()
    parts = ["CASE"]
    while printer.accept("WHEN"):
        condition = printer.expression()
        printer.expect("THEN")
        tested = f"({subject} = {condition})" if subject is not None else condition
        parts.append(f"WHEN {tested} THEN {printer.expression()}")
    if printer.accept("ELSE"):
        parts.append(f"ELSE {printer.expression()}")
    printer.expect("END")
    return " ".join([*parts, "END"])


def _cast(printer: Printer) -> str | None:
    if printer.kind(1) is not _T.L_PAREN:
        return None
    word = printer.take().text.upper()
    printer.expect("(")
    inner = printer.expression()
    printer.expect("AS")
    kind = type_name(printer)
    printer.expect(")")
    return f"{word}({inner} AS {kind})"


def _extract(printer: Printer) -> str | None:
    if printer.kind(1) is not _T.L_PAREN:
        return None
    printer.take()
    printer.expect("(")
    part = printer.take().text
    printer.expect("FROM")
    inner = printer.expression()
    printer.expect(")")
    return f"extract({part} FROM {inner})"


def _exists(printer: Printer) -> str | None:
    if printer.kind(1) is not _T.L_PAREN or printer.word(2) not in {
        "SELECT",
        "WITH",
        "FROM",
        "TABLE",
        "VALUES",
    }:
        return None
    printer.take()
    printer.expect("(")
    return f"exists({printer.subquery()})"


def _interval(printer: Printer) -> str | None:
    return interval_text(printer)


_WORDS: dict[str, Callable[[Printer], str | None]] = {
    "NULL": _constant("NULL"),
    "TRUE": _constant("true"),
    "FALSE": _constant("false"),
    "CASE": _case,
    "CAST": _cast,
    "TRY_CAST": _cast,
    "EXTRACT": _extract,
    "EXISTS": _exists,
    "INTERVAL": _interval,
}


def _substring_arguments(printer: Printer) -> list[str]:
    """`substring(a FROM 2 FOR 3)`."""
    found = [printer.expression()]
    while not printer.accept(")"):
        if not (printer.accept("FROM") or printer.accept("FOR")):
            printer.expect(",")
        found.append(printer.expression())
    return found


def _position_arguments(printer: Printer) -> list[str]:
    """`position(a IN b)`."""
    first = printer._bitwise_or()  # noqa: SLF001 - IN must not be read as a predicate here
    if printer.accept("IN"):
        second = printer.expression()
        printer.expect(")")
        return [first, second, "1"]
    found = [first]
    while not printer.accept(")"):
        printer.expect(",")
        found.append(printer.expression())
    return found


def _trim_arguments(printer: Printer) -> list[str]:
    """`trim(BOTH x FROM y)`."""
    side = next((word for word in ("BOTH", "LEADING", "TRAILING") if printer.accept(word)), None)
    if side is None and printer.word() != "FROM":
        first = printer.expression()
        if printer.accept(")"):
            return [first]
        if printer.accept("FROM"):
            second = printer.expression()
            printer.expect(")")
            return ["BOTH", first, second]
        printer.expect(",")
        second = printer.expression()
        printer.expect(")")
        return [first, second]
    characters = None if printer.word() == "FROM" else printer.expression()
    printer.expect("FROM")
    inner = printer.expression()
    printer.expect(")")
    return [side or "BOTH", *([characters] if characters is not None else []), inner]


def _overlay_arguments(printer: Printer) -> list[str]:
    found = [printer.expression()]
    while not printer.accept(")"):
        if not (printer.accept("PLACING") or printer.accept("FROM") or printer.accept("FOR")):
            printer.expect(",")
        found.append(printer.expression())
    return found


def _part_arguments(printer: Printer) -> list[str]:
    """`timestampadd(HOUR, 1, ts)`: the unit is a word."""
    if printer.kind(1) is _T.COMMA and printer.word():
        unit = printer.take().text.upper()
        printer.expect(",")
        return [unit, *printer.arguments()]
    return printer.arguments()


_CALLS: dict[str, Callable[[Printer], list[str]]] = {
    "substring": _substring_arguments,
    "substr": _substring_arguments,
    "position": _position_arguments,
    "trim": _trim_arguments,
    "overlay": _overlay_arguments,
    "timestampadd": _part_arguments,
    "timestampdiff": _part_arguments,
    "dateadd": _part_arguments,
    "date_add": _part_arguments,
    "datediff": _part_arguments,
    "date_diff": _part_arguments,
    "timediff": _part_arguments,
}
