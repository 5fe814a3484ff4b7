"""How one field's values go from what files hold to what users see, and back.

Codecs are put together once per schema, by `fitting`, and then turn whole arrays. None instead of a
function says that there is nothing to do: the array goes through as the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import pyarrow as pa

from lakeport.catalog.arrow import Array

Turn: TypeAlias = Callable[[Array], Array]

NO_METADATA: Mapping[bytes, bytes] = {}


class MisfitError(ValueError):
    """A value that the other side cannot hold; whoever knows the column's name translates it."""


@dataclass(frozen=True, slots=True)
class Codec:
    """`metadata` belongs to the logical field: the name of an extension that Arrow does not know.

    `ordered` says that stored values compare as the logical ones do, so that their bounds can prune.
    `values` is the codec of what an encoding encodes.
    """

    stored: pa.DataType
    logical: pa.DataType
    decode: Turn | None = None
    encode: Turn | None = None
    ordered: bool = True
    metadata: Mapping[bytes, bytes] = field(default_factory=lambda: NO_METADATA)
    values: Codec | None = None

    def decoded(self, array: Array) -> Array:
        return array if self.decode is None else self.decode(array)

    def encoded(self, array: Array) -> Array:
        return array if self.encode is None else self.encode(array)
