"""The options of `spark.read.format("airport")` and `df.write.format("airport")`, read once and checked.

A word that is no option is refused: what Spark passes on in silence would otherwise be a typing error that
nobody hears of. The token is in no text of these objects.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import TableName, nearest, quoted
from lakeport.flight.dial import Proof, Target

_TOKEN = "LAKEPORT_TOKEN"  # noqa: S105  the name of a variable
_POINTS = ("version", "timestamp", "snapshot")
_KNOWN = (
    *("location", "catalog", "token", "ca", "cert", "key", "path", "table", "columns"),
    *(*_POINTS, "where", "pushdown", "create", "staging", "commit", "overwrite"),
)
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


class Point(NamedTuple):
    """A point of a table's history, in the protocol's words."""

    unit: str
    value: str


NOW = Point("", "")


@dataclass(frozen=True, slots=True)
class Access:
    """How a server is reached, and as whom."""

    target: Target
    catalog: str = ""
    token: str | None = field(default=None, repr=False)
    proof: Proof = field(default_factory=Proof, repr=False)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    at: Point = NOW
    columns: tuple[str, ...] | None = None
    pushdown: bool = False
    where: str | None = None


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """`staging` is a folder that the driver and all workers reach."""

    create: bool = False
    staging: str | None = None
    commit: Literal["job", "partition"] = "job"
    overwrite: Literal["replace", "delete"] = "replace"


@dataclass(frozen=True, slots=True)
class Options:
    access: Access
    table: TableName
    read: ReadOptions
    write: WriteOptions

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Options:
        words = {key.lower(): value for key, value in given.items()}
        for word in words:
            if word not in _KNOWN:
                raise _unknown(word)
        return cls(_access(words), _table(words), _read(words), _write(words))


def _access(words: Mapping[str, str]) -> Access:
    location = words.get("location")
    if not location:
        raise InvalidRequestError(
            "no server is named", hint='add .option("location", "grpc://HOST:PORT")'
        )
    files = (None if not words.get(each) else Path(words[each]) for each in ("ca", "cert", "key"))
    token = words.get("token") or os.environ.get(_TOKEN) or None
    catalog = words.get("catalog", "")
    if not (catalog.isascii() and (catalog.isprintable() or not catalog)):
        raise InvalidRequestError(
            f"the catalog {quoted(catalog)} cannot be asked for: its name goes into a header",
            hint="names of catalogs are printable ASCII",
        )
    return Access(Target.parse(location), catalog, token, Proof(*files))


def _table(words: Mapping[str, str]) -> TableName:
    text = words.get("path") or words.get("table") or ""
    name = TableName.parse(text)
    if name is None:
        raise InvalidRequestError(
            f"{quoted(text)} names no table" if text else "no table is named",
            hint='write NAMESPACE.TABLE, as in .load("shop.orders")',
        )
    return name


def _read(words: Mapping[str, str]) -> ReadOptions:
    points = [each for each in _POINTS if words.get(each)]
    if len(points) > 1:
        raise InvalidRequestError(
            f"the options {' and '.join(map(quoted, points))} name two points in time",
            hint="give one of them",
        )
    at = Point(points[0].upper(), words[points[0]].strip()) if points else NOW
    columns = words.get("columns")
    names = None if columns is None else tuple(_listed(columns))
    return ReadOptions(at, names, _flag(words, "pushdown", default=False), words.get("where"))


def _write(words: Mapping[str, str]) -> WriteOptions:
    commit, overwrite = words.get("commit", "job"), words.get("overwrite", "replace")
    if commit not in {"job", "partition"}:
        raise InvalidRequestError(f"the option `commit` is job or partition, not {quoted(commit)}")
    if overwrite not in {"replace", "delete"}:
        raise InvalidRequestError(
            f"the option `overwrite` is replace or delete, not {quoted(overwrite)}"
        )
    return WriteOptions(
        _flag(words, "create", default=False),
        words.get("staging") or None,
        "job" if commit == "job" else "partition",
        "replace" if overwrite == "replace" else "delete",
    )


def _flag(words: Mapping[str, str], word: str, *, default: bool) -> bool:
    text = words.get(word)
    if text is None:
        return default
    found = _FLAGS.get(text.strip().lower())
    if found is None:
        raise InvalidRequestError(f"the option `{word}` is true or false, not {quoted(text)}")
    return found


def _listed(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise InvalidRequestError(
            "the option `columns` has an empty name", hint='write names with commas: "id, amount"'
        )
    return names


def _unknown(word: str) -> InvalidRequestError:
    close = nearest(word, _KNOWN)
    hint = f"did you mean {quoted(close)}?" if close else f"options: {', '.join(_KNOWN)}"
    return InvalidRequestError(f"the source `airport` has no option {quoted(word)}", hint=hint)
