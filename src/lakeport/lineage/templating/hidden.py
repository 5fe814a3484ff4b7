"""Secrets of a template, starred out in what an answer quotes of its SQL.

Names stay: a schema that an environment variable gives is who a table is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from lakeport.lineage.issues import IssueCode
from lakeport.lineage.templating.rendering import redacted

if TYPE_CHECKING:
    from collections.abc import Collection

    from lakeport.lineage.issues import Issue
    from lakeport.lineage.result import Edge, Node, StatementLineage

# Their messages quote the text.
_QUOTING = frozenset({IssueCode.PARSE_ERROR, IssueCode.UNSUPPORTED_SYNTAX})


def hide(lineage: StatementLineage, secrets: Collection[str]) -> None:
    """Expressions and conditions as they may be shown."""
    for node in lineage.nodes:
        _hide_expression(node, secrets)
        if node.filters:
            node.filters = [
                msgspec.structs.replace(one, expression=redacted(one.expression, secrets))
                for one in node.filters
            ]
    for edge in lineage.edges:
        _hide_expression(edge, secrets)


def hide_in(issues: list[Issue], first: int, secrets: Collection[str]) -> None:
    """Messages of the issues from `first` on, where they quote SQL."""
    for position in range(first, len(issues)):
        issue = issues[position]
        if issue.code in _QUOTING:
            message = redacted(issue.message, secrets)
            issues[position] = msgspec.structs.replace(issue, message=message)


def _hide_expression(part: Node | Edge, secrets: Collection[str]) -> None:
    if part.expression:
        part.expression = redacted(part.expression, secrets)
    if part.join_condition:
        part.join_condition = redacted(part.join_condition, secrets)
