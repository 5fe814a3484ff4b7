"""What takes more than one statement, or must not meet another writer: on a branch of the run's own.

The branch starts where the table is, gets the rows, and main is moved to it at once, so that no reader
sees the state between. If main moved in the meantime that is refused, and nothing has happened.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from lakeport.core.errors import InvalidRequestError
from lakeport.pipeline.growth.spark_select import literal
from lakeport.pipeline.growth.spark_words import identifier
from lakeport.pipeline.strategies.write import Relation, Statement, Write

Builder: TypeAlias = Callable[[Write], tuple[Statement, ...]]


def on_branch(write: Write, inside: Builder) -> tuple[Statement, ...]:
    """The statements of `inside`, done on a branch; one that is there already is not left for another."""
    if write.target.branch is not None:
        return inside(write)
    if write.branch is None:
        raise InvalidRequestError(
            "the range cuts partitions, which takes a branch of the run's own",
            hint="name the branch, or let the range begin and end with partitions",
        )
    table, name = write.target.sql, identifier(write.branch)
    aside = replace(write, target=Relation(write.target.parts, write.branch))
    start = "" if write.base is None else f" AS OF VERSION {write.base}"
    catalog, *rest = write.target.parts
    path = ".".join(identifier(part) for part in rest)
    return (
        Statement(f"ALTER TABLE {table} CREATE OR REPLACE BRANCH {name}{start}"),
        *inside(aside),
        Statement(
            f"CALL {identifier(catalog)}.system.fast_forward("
            f"table => {literal(path)}, branch => 'main', to => {literal(write.branch)})"
        ),
        drop_branch(write.target, write.branch),
    )


def drop_branch(table: Relation, branch: str) -> Statement:
    return Statement(
        f"ALTER TABLE {Relation(table.parts).sql} DROP BRANCH IF EXISTS {identifier(branch)}"
    )
