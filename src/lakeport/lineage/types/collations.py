"""Names of collations, which are part of Spark's string types."""

from __future__ import annotations

# What a string has of which nothing is said; next to it other strings are written plainly.
DEFAULT_COLLATION = "UTF8_BINARY"
_MODIFIERS = frozenset({"CI", "CS", "AI", "AS", "RTRIM"})
_SCRIPT_LENGTH = 4


def normal_collation(name: str) -> str:
    """`UTF8_LCASE`, `UNICODE_CI`, `sr_Latn_AI`: locales have a spelling of their own."""
    first, *rest = name.rpartition(".")[2].strip("`").split("_")
    if first.upper() in {"UTF8", "UNICODE"}:
        return "_".join([first, *rest]).upper()
    parts = [first.lower()]
    for part in rest:
        is_script = len(part) == _SCRIPT_LENGTH and part.upper() not in _MODIFIERS
        parts.append(part.title() if is_script else part.upper())
    return "_".join(parts)
