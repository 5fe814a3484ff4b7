"""The messages that a server sends back, as the client takes them.

An error of the call is the server's word, exactly as it was meant; one that the decoding of its messages
raises says that the server talks nonsense.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import grpc

from lakeport.core.errors import CorruptDataError, InvalidRequestError, LakeportError
from lakeport.flight.dial import Target
from lakeport.flight.limits import Limits
from lakeport.flight.told import told

# A server cuts its rows into messages of some 2 MB; this is where one of them must be nonsense.
LIMITS = Limits(decompressed_bytes=2**30, stream_bytes=2**30)


class Answers:
    """Of one call."""

    def __init__(self, call: Any, target: Target) -> None:
        self._call = call
        self._target = target
        self._failure: LakeportError | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        try:
            message: bytes = next(self._call)
        except grpc.RpcError as failure:
            self._failure = told(failure, self._target)
            raise self._failure from None
        return message

    @contextmanager
    def believed(self) -> Iterator[None]:
        """Around the decoding of them."""
        try:
            yield
        except InvalidRequestError as error:
            if error is self._failure:
                raise
            raise CorruptDataError(f"{self._target} sent no rows: {error.message}") from None
