"""SQL lineage: workloads of SQL and schemas in, a graph of tables and columns and issues out."""

from __future__ import annotations

from lakeport.lineage.analyze import analyze, analyze_json
from lakeport.lineage.incremental import Analyzer
from lakeport.lineage.issues import Issue, IssueCode
from lakeport.lineage.jsonschema import json_schema
from lakeport.lineage.request import AnalyzeRequest
from lakeport.lineage.result import AnalyzeResult, encode_result
from lakeport.lineage.split import split_statements

__all__ = [
    "AnalyzeRequest",
    "AnalyzeResult",
    "Analyzer",
    "Issue",
    "IssueCode",
    "analyze",
    "analyze_json",
    "encode_result",
    "json_schema",
    "split_statements",
]
