"""Headers that are switches: `1`, `0`, or not there."""

from __future__ import annotations

from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted
from lakeport.flight.call import Call


def is_set(call: Call, header: str) -> bool:
    asked = call.header(header)
    if asked not in {None, "0", "1"}:
        raise InvalidRequestError(f"the header `{header}` is 0 or 1, not {quoted(asked or '')}")
    return asked == "1"
