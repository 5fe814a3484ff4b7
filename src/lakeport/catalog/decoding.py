"""JSON of a client as typed values; what does not fit is refused with the place where it does not."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from lakeport.core.errors import InvalidRequestError

T = TypeVar("T")


def decoded(body: bytes | msgspec.Raw, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidRequestError(f"the request cannot be read: {error}") from error
    except RecursionError as error:
        raise InvalidRequestError("the request cannot be read: it is nested too deep") from error
