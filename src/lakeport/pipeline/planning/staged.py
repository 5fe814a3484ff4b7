"""What a run remembers of a query's columns, so that the next plan need not ask Spark again.

Columns hold as long as the model and the tables that it reads are the same, so a record names what the
schemas of those were: `reads` is by table, as the project names it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from lakeport.core.names import TableName
from lakeport.pipeline.growth.model import Field, Schema
from lakeport.pipeline.growth.spark_words import text_of, type_from_text


class _Column(msgspec.Struct, frozen=True):
    name: str
    type: str
    required: bool = False


class _Record(msgspec.Struct, frozen=True, omit_defaults=True):
    columns: tuple[_Column, ...]
    reads: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class StagedColumns:
    """`reads` is None in the records of those who did not know."""

    columns: Schema
    reads: Mapping[str, str] | None = None


def record_of(columns: Schema, reads: Mapping[str, str] | None = None) -> str:
    return msgspec.json.encode(
        _Record(
            tuple(_Column(field.name, text_of(field.type), field.required) for field in columns),
            None if reads is None else dict(sorted(reads.items())),
        )
    ).decode()


def read_record(text: str | None) -> StagedColumns | None:
    """None if there is none, or it is in words of another version."""
    if text is None:
        return None
    try:
        found = msgspec.json.decode(text, type=_Record)
    except msgspec.MsgspecError:
        return None
    columns = tuple(
        Field(each.name, type_from_text(each.type), required=each.required)
        for each in found.columns
    )
    return StagedColumns(columns, found.reads)


def schema_mark(columns: Iterable[tuple[str, str]]) -> str:
    """A short text that differs where names, types or their order do."""
    told = "\x00".join(f"{name}\x01{type_}" for name, type_ in columns)
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def read_key(table: TableName) -> str:
    return ".".join(table.folded)
