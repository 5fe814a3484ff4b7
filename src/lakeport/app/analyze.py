"""Lineage of files: read them, find the schema to import, analyse, compare.

The engine never raises on SQL; what can fail here is the outside: a file that is not there, a
schema that is no schema. Those are errors with a hint, before any analysis starts.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from lakeport.app import wiring
from lakeport.app.model_files import built_by
from lakeport.core.errors import InvalidRequestError, NotFoundError
from lakeport.lineage import AnalyzeResult, IssueCode, analyze
from lakeport.lineage.dialects import dialect_named, known_dialects
from lakeport.lineage.diff import LineageDiff, diff
from lakeport.lineage.types import read_type, type_text

if TYPE_CHECKING:
    from pathlib import Path

    from lakeport.app.settings import Settings
    from lakeport.lineage import Issue

TemplateMode: TypeAlias = Literal["raw", "jinja", "dbt"]
STANDARD_INPUT = "-"
_SCHEMA_SHAPES = 'a list of tables, {"tables": […]}, or a saved analysis'


@dataclass(frozen=True, slots=True)
class Workload:
    """What to analyse: files and folders (`-` is standard input), and how to read them.

    The imported schema comes from the file `schema` or from the live catalog that settings describe.
    """

    paths: tuple[Path, ...]
    dialect: str = "generic"
    schema: Path | None = None
    catalog: Settings | None = None
    template: TemplateMode = "raw"
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Analysis:
    """A result, and the texts it is about by source name; none of templates, whose places are others."""

    result: AnalyzeResult
    texts: dict[str, bytes]

    def line(self, issue: Issue) -> int | None:
        """The line an issue is on."""
        text = self.texts.get(issue.source_name or "")
        if text is None or issue.span is None:
            return None
        return text.count(b"\n", 0, issue.span.start) + 1


def analyze_workload(workload: Workload) -> Analysis:
    if dialect_named(workload.dialect) is None:
        raise NotFoundError.among("dialect", workload.dialect, known_dialects())
    if workload.catalog is not None and workload.schema is not None:
        raise InvalidRequestError(
            "a schema file and the live catalog cannot both be imported",
            hint="leave out --schema or --catalog",
        )
    files = [_source(path) for path in _files(workload.paths)]
    # The files of models are in the order of their names, which says nothing about their work.
    order = {"statementOrder": "dependency"} if any("builds" in file for file in files) else {}
    request: dict[str, Any] = {
        "files": files,
        "dialect": workload.dialect,
        "options": {**order, **workload.options},
        "templateConfig": {"mode": workload.template},
    }
    if workload.schema is not None:
        request["schema"] = read_schema(workload.schema, workload.dialect)
    elif workload.catalog is not None:
        request["schema"] = catalog_schema(workload.catalog, workload.dialect)
    raw = files if workload.template == "raw" else []
    return Analysis(analyze(request), {file["name"]: file["content"].encode() for file in raw})


def catalog_schema(settings: Settings, dialect: str) -> dict[str, Any]:
    """What the live catalog holds, as an imported schema in the dialect's own type names."""
    name = settings.catalog.name
    return {
        "defaultCatalog": name,
        "tables": [
            {
                "catalog": name,
                "schema": table.name.namespace,
                "name": table.name.table,
                "columns": [
                    {"name": column.name, "dataType": _type_text(column.type, dialect)}
                    for column in table.columns
                ],
            }
            for table in wiring.described_tables(settings)
        ],
    }


def _type_text(spark: str, dialect: str) -> str:
    known = read_type(spark, "spark")
    return (known and type_text(known, dialect)) or spark


def read_payload(path: Path) -> bytes:
    """A file's bytes, or those of standard input."""
    if str(path) == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    if not path.is_file():
        raise NotFoundError(f"there is no file {path}", hint="`-` reads standard input")
    return path.read_bytes()


def read_schema(path: Path, dialect: str) -> dict[str, Any]:
    """An imported schema from JSON or from CREATE statements."""
    content = read_payload(path)
    if content.lstrip()[:1] in {b"{", b"["}:
        return _schema_from_json(content, path)
    return _schema_from_ddl(_text(content, path), path, dialect)


def compare(old: Path, new: Path, workload: Workload) -> LineageDiff:
    """What changed between two saved analyses, or between two versions of SQL."""
    return diff(_analysis(old, workload), _analysis(new, workload))


def _analysis(path: Path, workload: Workload) -> AnalyzeResult:
    if path.suffix != ".json":
        return analyze_workload(replace(workload, paths=(path,))).result
    try:
        return msgspec.json.decode(read_payload(path), type=AnalyzeResult)
    except msgspec.MsgspecError as error:
        raise InvalidRequestError(
            f"{path} is not a saved analysis: {error}",
            hint="`lakeport lineage FILES --json > FILE.json` saves one",
        ) from error


def _files(paths: tuple[Path, ...]) -> list[Path]:
    if not paths:
        raise InvalidRequestError(
            "there is nothing to analyse",
            hint="name SQL files or folders, or `-` for standard input",
        )
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(path.rglob("*.sql"))
            if not inside:
                raise NotFoundError(f"there is no .sql file in {path}")
            found += inside
        else:
            found.append(path)
    return found


def _source(path: Path) -> dict[str, str]:
    content = _text(read_payload(path), path)
    if str(path) == STANDARD_INPUT:
        return {"name": "stdin", "content": content}
    table = built_by(path, content)
    source = {"name": path.as_posix(), "content": content}
    return source if table is None else {**source, "builds": table}


def _text(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequestError(f"{path} is not UTF-8 text", hint="convert it first") from error


def _schema_from_json(content: bytes, path: Path) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(content)
    except msgspec.DecodeError as error:
        raise InvalidRequestError(f"{path} is not JSON: {error}", hint=_SCHEMA_SHAPES) from error
    if isinstance(found, dict):
        found = found.get("resolvedSchema", found.get("schema", found))
    if isinstance(found, list):
        found = {"tables": found}
    if not isinstance(found, dict) or not isinstance(found.get("tables", []), list):
        raise InvalidRequestError(f"{path} holds no schema", hint=_SCHEMA_SHAPES)
    return found


def _schema_from_ddl(text: str, path: Path, dialect: str) -> dict[str, Any]:
    result = analyze({"sql": text, "dialect": dialect})
    hint = f"is it {dialect}? --dialect names another"
    for issue in result.issues:
        if issue.severity == "error" or issue.code is IssueCode.UNSUPPORTED_SYNTAX:
            raise InvalidRequestError(
                f"the schema in {path} cannot be read: {issue.message}", hint=hint
            )
    tables = result.resolved_schema.tables if result.resolved_schema else []
    defined = [msgspec.to_builtins(table) for table in tables if table.inference == "ddl"]
    if not defined:
        raise InvalidRequestError(f"{path} creates no table", hint="give JSON or CREATE statements")
    return {"tables": defined}
