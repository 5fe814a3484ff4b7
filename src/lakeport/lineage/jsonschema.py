"""JSON Schemas of the lineage API, generated from the typed models.

Goldens are checked against them and the page's TypeScript types are generated from them, so there
is one definition of the wire. Everything lives under `$defs`; `$ref` names the message itself.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lakeport.lineage.request import AnalyzeRequest, SplitRequest
from lakeport.lineage.result import AnalyzeResult, SplitResult

_MESSAGES: dict[str, type[msgspec.Struct]] = {
    "AnalyzeRequest": AnalyzeRequest,
    "AnalyzeResult": AnalyzeResult,
    "SplitRequest": SplitRequest,
    "SplitResult": SplitResult,
}


def json_schema(message: str = "AnalyzeResult") -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one message of the API."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **msgspec.json.schema(_MESSAGES[message]),
    }
