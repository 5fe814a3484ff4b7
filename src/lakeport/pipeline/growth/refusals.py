"""Why a plan stops, in the user's names, and what to do about it: one function per reason."""

from __future__ import annotations

from lakeport.core.names import quoted
from lakeport.pipeline.growth.columns import Collision
from lakeport.pipeline.growth.model import Type
from lakeport.pipeline.growth.plan import Path, Refused, dotted
from lakeport.pipeline.growth.spark_words import cast_type, text_of


def collision(parent: Path, found: Collision) -> Refused:
    owner = {"source": "the model", "target": "the table"}[found.side]
    first, second = (dotted((*parent, name)) for name in (found.first, found.second))
    return Refused(
        (*parent, found.second),
        "collision",
        f"{owner} has {quoted(first)} and {quoted(second)}, which are one name in any case",
        (f"rename one of them in {owner}",),
    )


def removed_required(path: Path) -> Refused:
    name = quoted(dotted(path))
    return Refused(
        path,
        "removed_required",
        f"column {name} is NOT NULL and the model has no values for it",
        (f"keep {name} in the model", 'set on_removed_required = "relax" to make it optional'),
    )


def type_change(path: Path, held: Type, given: Type, *, promotable: bool) -> Refused:
    name = dotted(path)
    remedies = (
        f"cast {quoted(name)} to {cast_type(held)} in the model",
        *(('set on_type_change = "widen" to promote the table\'s column',) if promotable else ()),
        'set on_type_change = "cast" to do it checked in every run',
        'set on_type_change = "side_column" to keep the new values in a column of their own',
    )
    return Refused(
        path,
        "type_change",
        f"column {quoted(name)} is {text_of(held)}, the model gives {text_of(given)}",
        remedies,
    )


def side_taken(path: Path, side: str) -> Refused:
    name = dotted(path)
    return Refused(
        path,
        "collision",
        f"values of {quoted(name)} would go to the side column {quoted(side)},"
        " and the model has a column of that name too",
        ("rename one of them in the model",),
    )


def map_keys(path: Path, held: Type, given: Type) -> Refused:
    name = quoted(dotted(path))
    return Refused(
        path,
        "type_change",
        f"the keys {name} are {text_of(held)}, the model gives {text_of(given)}"
        " and the keys of a map never change",
        (f"cast the keys to {cast_type(held)} in the model",),
    )


def unmappable_type(path: Path, given: str) -> Refused:
    name = quoted(dotted(path))
    return Refused(
        path,
        "unmappable_type",
        f"column {name} has the type {given}, which Iceberg lacks",
        (f"cast {name} in the model", 'set on_unmappable_type = "string" to store it as text'),
    )


def unsafe_name(path: Path, why: str) -> Refused:
    return Refused(
        path,
        "unsafe_name",
        f"a column cannot be called {quoted(dotted(path))}: {why}",
        ("give it another name in the model",),
    )


def unwritable_type(path: Path, held: str) -> Refused:
    name = quoted(dotted(path))
    return Refused(
        path,
        "unwritable_type",
        f"column {name} of the table has the type {held}, which Spark cannot open",
        (f"give {name} another type with ALTER TABLE, or write to another table",),
    )
