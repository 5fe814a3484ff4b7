"""Function calls: arguments with words between them, and the clauses that may follow a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lakeport.lineage.spark_names.collations import collated
from lakeport.lineage.spark_names.functions import PARAMETERS, Call, default_text, printed_call
from lakeport.lineage.spark_names.windows import orders, window_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot.tokenizer_core import Token

    from lakeport.lineage.spark_names.printer import Operand, Printer

_T = TokenType
# What SQL/JSON functions do when nothing else is said, and therefore do not print.
_DEFAULT_CLAUSES = (
    "NULL ON EMPTY",
    "NULL ON ERROR",
    "FALSE ON ERROR",
    "KEEP QUOTES",
    "RETURNING STRING",
)
# Functions of bytes and keys, whose strings need not agree in collation.
_BYTEWISE = frozenset({"btrim", "decode", "encode", "split", "to_binary", "try_to_binary"})
_SIDES = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}
# What to trim, and of what.
_TRIMMED = 2


def call_text(printer: Printer, parts: list[str]) -> str:
    """The call whose opening parenthesis stands at the cursor, with all that belongs to it."""
    printer.expect("(")
    name = parts[-1].lower()
    routine = printer.world.routine(".".join(parts))
    if routine is None and len(parts) > 1 and parts[-2].lower() != "builtin":
        routine = ".".join(parts)
    distinct = printer.accept("DISTINCT")
    if not distinct:
        printer.accept("ALL")
    if routine is not None:
        printed = f"{routine}({', '.join(printer.arguments())})"
        return _after_call(printer, printed, name, [])
    if name == "count" and not distinct and printer.kind() is _T.STAR and printer.word(1) == ")":
        printer.at += 2
        return _after_call(printer, "count(1)", name, [])
    shown, arguments = _arguments(printer, name)
    texts = [text for text, _ in arguments]
    if shown == "map":
        # Its keys are compared with one another, and so are its values.
        texts[::2] = collated(arguments[::2], printer.world)
        texts[1::2] = collated(arguments[1::2], printer.world)
    elif shown not in _BYTEWISE:
        texts = collated(arguments, printer.world)
    tokens = [piece for _, piece in arguments]
    call = Call(shown, texts, lambda place: printer.world.type_of(tokens[place]))
    return _after_call(printer, printed_call(call, distinct=distinct), shown, texts)


# -- arguments -----------------------------------------------------------------------------------


def _arguments(printer: Printer, name: str) -> tuple[str, list[Operand]]:
    """The name Spark resolves the call to, and its arguments in order."""
    reader = _READERS.get(name)
    if reader is not None:
        found = reader(printer, name)
        if found is not None:
            return found
    outside, printer.keeps_aliases = printer.keeps_aliases, name == "struct"
    arguments = _named(printer, name) if _has_names(printer) else printer.operands()
    printer.keeps_aliases = outside
    return name, arguments


def _has_names(printer: Printer) -> bool:
    """Whether an argument of this call is given by name."""
    depth = 0
    for place in range(printer.at, len(printer.tokens)):
        kind = printer.tokens[place].token_type
        if kind is _T.FARROW and not depth:
            return True
        depth += (kind is _T.L_PAREN) - (kind is _T.R_PAREN)
        if depth < 0:
            return False
    return False


def _named(printer: Printer, name: str) -> list[Operand]:
    """`f(b => 2, a => 1)`: named arguments take their parameters' places."""
    parameters = PARAMETERS.get(name, ())
    placed: dict[str, Operand] = {}
    positional: list[Operand] = []
    while True:
        named = printer.kind(1) is _T.FARROW
        key = printer.take().text.lower() if named else ""
        if named:
            printer.take()
        begin = printer.at
        operand = printer.expression(), printer.tokens[begin : printer.at]
        if named:
            placed[key] = operand
        else:
            positional.append(operand)
        if printer.accept(")"):
            break
        printer.expect(",")
    last = max((place for place, key in enumerate(parameters) if key in placed), default=-1)
    ordered = list(positional)
    for place in range(len(positional), last + 1):
        left_out: Operand = (default_text(name, place), [])
        ordered.append(placed.pop(parameters[place], left_out))
    return [*ordered, *placed.values()]


def _one(printer: Printer, read: Callable[[], str]) -> Operand:
    start = printer.at
    return read(), printer.tokens[start : printer.at]


def _rest(printer: Printer, found: list[Operand]) -> list[Operand]:
    """The arguments behind those already read: nothing is read twice, however deep calls nest."""
    if printer.accept(")"):
        return found
    printer.expect(",")
    return [*found, *printer.operands()]


def _separated(*words: str) -> Callable[[Printer, str], tuple[str, list[Operand]]]:
    """`substring(a FROM 2 FOR 3)`, `overlay(a PLACING b FROM 2)`."""

    def read(printer: Printer, name: str) -> tuple[str, list[Operand]]:
        found = [printer.operand()]
        if printer.word() not in words:
            return name, _rest(printer, found)
        while not printer.accept(")"):
            if not any(printer.accept(word) for word in words):
                printer.expect(",")
            found.append(printer.operand())
        return {"substr": "substring"}.get(name, name), found

    return read


def _position(printer: Printer, name: str) -> tuple[str, list[Operand]]:
    """`position(a IN b)` is `locate`; with a comma it keeps its name."""
    first = _one(printer, printer.value)
    if not printer.accept("IN"):
        return name, _rest(printer, [first])
    second = _one(printer, printer.value)
    printer.expect(")")
    return "locate", [first, second]


def _trim(printer: Printer, name: str) -> tuple[str, list[Operand]]:
    """`trim(BOTH x FROM y)`, which `trim(x, y)` means as well."""
    side = next((word for word in _SIDES if printer.accept(word)), None)
    side = side or next(word for word, called in _SIDES.items() if called == name)
    found = [] if printer.word() == "FROM" else [printer.operand()]
    if found and printer.word() != "FROM":
        found = _rest(printer, found)
    else:
        printer.expect("FROM")
        found.append(printer.operand())
        printer.expect(")")
    if len(found) != _TRIMMED:
        return _SIDES[side], found
    characters, inner = collated(found, printer.world)
    return "TRIM", [(f"{side} {characters} FROM {inner}", found[-1][1])]


def _unit(printer: Printer, name: str) -> tuple[str, list[Operand]] | None:
    """`timestampadd(HOUR, 1, ts)`: the unit is a word."""
    if printer.kind(1) is not _T.COMMA or not printer.word() or printer.kind() is _T.NUMBER:
        return None
    commas, depth = 0, 0
    for token in printer.tokens[printer.at :]:
        depth += (token.token_type is _T.L_PAREN) - (token.token_type is _T.R_PAREN)
        commas += token.token_type is _T.COMMA and depth == 0
        if depth < 0:
            break
    if commas < 2:
        return None
    unit = printer.take()
    printer.expect(",")
    added = name in {"timestampadd", "dateadd", "date_add"}
    shown: Operand = (unit.text.upper(), [unit])
    return ("timestampadd" if added else "timestampdiff"), [shown, *printer.operands()]


def _json_path(printer: Printer, name: str) -> tuple[str, list[Operand]]:
    """`json_value(doc, path RETURNING INT DEFAULT 0 ON EMPTY)`: clauses as they were written."""
    document = printer.operand()
    printer.expect(",")
    start = printer.at
    parts = [f"'{printer.take().text}'"]
    clauses: list[str] = []
    while not printer.accept(")"):
        token = printer.take()
        is_word = token.token_type not in {_T.STRING, _T.IDENTIFIER}
        clauses.append(token.text.upper() if is_word else token.text)
    text = " ".join(clauses).replace("- ", "-")
    text = text.replace("WITH ARRAY WRAPPER", "WITH UNCONDITIONAL ARRAY WRAPPER")
    for silent in _DEFAULT_CLAUSES:
        text = text.replace(silent, "")
    shown = " ".join([*parts, *text.split()])
    return name.upper(), [document, (shown, printer.tokens[start : printer.at])]


_READERS: dict[str, Callable[[Printer, str], tuple[str, list[Operand]] | None]] = {
    "substring": _separated("FROM", "FOR"),
    "substr": _separated("FROM", "FOR"),
    "overlay": _separated("PLACING", "FROM", "FOR"),
    "position": _position,
    "json_exists": _json_path,
    "json_query": _json_path,
    "json_value": _json_path,
    **dict.fromkeys(_SIDES.values(), _trim),
    "timestampadd": _unit,
    "timestampdiff": _unit,
    "dateadd": _unit,
    "date_add": _unit,
    "datediff": _unit,
    "date_diff": _unit,
    "timediff": _unit,
}


# -- clauses -------------------------------------------------------------------------------------


def _after_call(printer: Printer, printed: str, name: str, arguments: list[str]) -> str:
    """WITHIN GROUP, FILTER, IGNORE NULLS and OVER, in the order Spark allows them."""
    if printer.accept_any("WITHIN GROUP"):
        printed = _within_group(printer, printed, name, arguments)
    if printer.accept("FILTER"):
        printer.expect("(")
        printer.expect("WHERE")
        printed = f"{printed} FILTER (WHERE {printer.expression()})"
        printer.expect(")")
    if printer.accept_any("IGNORE NULLS"):
        printed = f"{printed} ignore nulls"
    else:
        printer.accept_any("RESPECT NULLS")
    if not printer.accept("OVER"):
        return printed
    named = _named_window(printer)
    if named is not None:
        inside = type(printer)(named, printer.world)
        return window_text(inside, printed, name)
    printer.expect("(")
    printed = window_text(printer, printed, name)
    printer.expect(")")
    return printed


def _named_window(printer: Printer) -> list[Token] | None:
    """`OVER w` and `OVER (w)` mean the window's own definition."""
    if printer.kind() is not _T.L_PAREN:
        return printer.world.window(printer.take().text)
    if printer.kind(2) is not _T.R_PAREN or printer.kind(1) is _T.R_PAREN:
        return None
    name = printer.tokens[printer.at + 1].text
    printer.at += 3
    return printer.world.window(name)


def _within_group(printer: Printer, printed: str, name: str, arguments: list[str]) -> str:
    printer.expect("(")
    printer.accept_any("ORDER BY")
    keys = orders(printer)
    printer.expect(")")
    if name in {"listagg", "string_agg"}:
        return f"{printed} WITHIN GROUP (ORDER BY {', '.join(keys)})"
    if name == "mode":
        # Of several modes the first in this order is taken: Spark prints how it searches for it.
        turned = [
            key.removesuffix(" DESC NULLS LAST")
            if key.endswith("DESC NULLS LAST")
            else f"{key.removesuffix(' ASC NULLS FIRST')} DESC"
            for key in keys
        ]
        return f"{printed} WITHIN GROUP (ORDER BY {', '.join(turned)})"
    if name in {"percentile_cont", "percentile_disc"}:
        plain = [key.removesuffix(" ASC NULLS FIRST").removesuffix(" NULLS LAST") for key in keys]
        return f"{printed} WITHIN GROUP (ORDER BY {', '.join(plain)})"
    bare = [key.removesuffix(" ASC NULLS FIRST").removesuffix(" DESC NULLS LAST") for key in keys]
    return f"{name}({', '.join([*bare, *arguments])})"
