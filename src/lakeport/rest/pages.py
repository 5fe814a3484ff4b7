"""Long listings in pages. A token is the last name of the page before, so no page is kept anywhere.

Names that come or go between two pages shift nothing: each page begins after that name. Who sends no
token gets everything, as the protocol has it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted

TOKEN, SIZE = "pageToken", "pageSize"

_USUAL, _MOST = 10_000, 100_000


def page_of(names: Sequence[str], query: Mapping[str, str]) -> tuple[Sequence[str], str | None]:
    """`names` are sorted. The page that is asked for, and the token of the next one, if there is one."""
    if TOKEN not in query and SIZE not in query:
        return names, None
    size = _size(query.get(SIZE))
    after = _name(query.get(TOKEN, ""))
    rest = [name for name in names if name > after] if after else names
    page = rest[:size]
    return page, _token(page[-1]) if len(rest) > size else None


def listing(
    levels: Sequence[str], names: Sequence[str], query: Mapping[str, str]
) -> dict[str, object]:
    """A page of the tables or views of a namespace."""
    page, token = page_of(names, query)
    listed = [{"namespace": levels, "name": name} for name in page]
    return {"identifiers": listed, "next-page-token": token}


def _size(text: str | None) -> int:
    if not text:
        return _USUAL
    digits = text.lstrip("0")
    if not text.isdecimal() or not text.isascii() or not digits:
        raise InvalidRequestError(f"{quoted(SIZE)} is no number above zero: {quoted(text[:40])}")
    # It is the most that a client wants; a page may be shorter. Very long numbers cannot be read.
    return _MOST if len(digits) > len(str(_MOST)) else min(int(digits), _MOST)


def _token(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode()


def _name(token: str) -> str:
    try:
        return base64.b64decode(token, altchars=b"-_", validate=True).decode()
    except ValueError:
        raise InvalidRequestError(
            f"{quoted(TOKEN)} is none that was given out here", hint="list from the beginning"
        ) from None
