"""Patterns over `NAMESPACE.TABLE`: `*` any text (dots too), `?` one character, `[ab]` one of these.

Names are compared as everywhere, without regard to case. `sales` alone means `sales.*`: the namespace
with everything in it and in the namespaces nested in it.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable
from fnmatch import fnmatchcase, translate

from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import fold, quoted

EVERYTHING = "*"

_TOKEN = re.compile(r"\*|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)
_MAX_LENGTH = 512


def normal(text: str) -> str:
    """A pattern as it is stored and shown."""
    glob = _checked(text, hint="write NAMESPACE.TABLE, like sales.*")
    if glob.startswith(".") or glob.endswith("."):
        raise InvalidRequestError(
            f"{quoted(glob)} names no table", hint="write NAMESPACE.TABLE, like sales.orders"
        )
    return glob if "." in glob or glob.endswith("*") else f"{glob}.*"


def normal_catalog(text: str) -> str:
    """A pattern over the names of catalogs, which have no parts."""
    glob = _checked(text, hint="write the name of a catalog, or a pattern like eu_*")
    if "." in glob:
        raise InvalidRequestError(
            f"{quoted(glob)} is no catalog: their names have no dots",
            hint="--on takes patterns of NAMESPACE.TABLE",
        )
    return glob


def _checked(text: str, *, hint: str) -> str:
    glob = text.strip()
    if not glob or len(glob) > _MAX_LENGTH:
        raise InvalidRequestError(f"a pattern has 1 to {_MAX_LENGTH} characters", hint=hint)
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in glob):
        raise InvalidRequestError("a pattern may hold no control character", hint=hint)
    return EVERYTHING if set(glob) == {"*"} else glob


def matches(glob: str, name: str) -> bool:
    return glob == EVERYTHING or _matcher(glob)(fold(name)) is not None


def covers(glob: str, namespace: str) -> bool:
    """Whether the pattern takes in every table the namespace may ever have."""
    # What ends with a star and matches `ns.` matches whatever may follow it.
    return glob == EVERYTHING or (glob.endswith("*") and matches(glob, f"{namespace}."))


@functools.lru_cache(maxsize=4096)
def reaches(glob: str, namespace: str) -> bool:
    """Whether the pattern can match some table directly in the namespace."""
    tokens = tuple(_TOKEN.findall(fold(glob)))
    places = _skip_stars({0}, tokens)
    for character in f"{fold(namespace)}.":
        places = _skip_stars(
            {
                place if tokens[place] == "*" else place + 1
                for place in places
                if place < len(tokens) and fnmatchcase(character, tokens[place])
            },
            tokens,
        )
    # A table's name has no dot: a pattern that still wants one means a nested namespace.
    return any(tokens[place:] and "." not in tokens[place:] for place in places)


def _skip_stars(places: set[int], tokens: tuple[str, ...]) -> set[int]:
    """A star may also match nothing."""
    reached = set(places)
    for place in places:
        here = place
        while here < len(tokens) and tokens[here] == "*":
            here += 1
            reached.add(here)
    return reached


@functools.lru_cache(maxsize=4096)
def _matcher(glob: str) -> Callable[[str], re.Match[str] | None]:
    return re.compile(translate(fold(glob))).match
