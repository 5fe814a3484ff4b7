"""A query's rows, computed once and kept until they are written."""

from __future__ import annotations

from lakeport.pipeline.staging.given import ArrowStream, Given, Query, given_of, is_frame
from lakeport.pipeline.staging.leftovers import remove_leftovers
from lakeport.pipeline.staging.stage import (
    STAGING,
    Figures,
    Form,
    Staged,
    Stager,
    arrow_columns,
    columns_of,
)

__all__ = [
    "STAGING",
    "ArrowStream",
    "Figures",
    "Form",
    "Given",
    "Query",
    "Staged",
    "Stager",
    "arrow_columns",
    "columns_of",
    "given_of",
    "is_frame",
    "remove_leftovers",
]
