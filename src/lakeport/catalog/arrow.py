"""Short names for Arrow's generic classes, whose type parameters say nothing at our level."""

from __future__ import annotations

from typing import Any, TypeAlias

import pyarrow as pa

Field: TypeAlias = "pa.Field[Any]"
Array: TypeAlias = "pa.Array[Any]"
Scalar: TypeAlias = "pa.Scalar[Any]"
