"""The name Spark gives to an unaliased expression: its own pretty-printed form of the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.scope import Scope


def spark_name(binder: Binder, node: exp.Expr, scope: Scope) -> str:
    """The generated name of a select item."""
    del scope
    return binder.sql(node)
