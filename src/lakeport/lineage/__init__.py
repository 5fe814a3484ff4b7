"""SQL lineage: workloads of SQL and schemas in, a graph of tables and columns and issues out."""

from __future__ import annotations

from lakeport.lineage.issues import Issue, IssueCode
from lakeport.lineage.jsonschema import json_schema
from lakeport.lineage.request import AnalyzeRequest
from lakeport.lineage.result import AnalyzeResult, encode_result

__all__ = [
    "AnalyzeRequest",
    "AnalyzeResult",
    "Issue",
    "IssueCode",
    "encode_result",
    "json_schema",
]
