"""Lineage of files: read them, find the schema to import, analyse, compare.

The engine never raises on SQL; what can fail here is the outside: a file that is not there, a
schema that is no schema. Those are errors with a hint, before any analysis starts.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from lakeport.app import wiring
from lakeport.app.dbt_files import dbt_files, texts
from lakeport.app.model_files import ModelFiles, built_by, model_files, settings_around
from lakeport.app.sql_files import STANDARD_INPUT, SqlFile, files_in, read_payload, read_text
from lakeport.core.errors import InvalidRequestError, NotFoundError, UnknownWordError
from lakeport.core.names import fold
from lakeport.lineage import AnalyzeResult, IssueCode, analyze
from lakeport.lineage.dialects import dialect_named, known_dialects
from lakeport.lineage.diff import LineageDiff, diff
from lakeport.lineage.programs import with_programs
from lakeport.lineage.request import SchemaMetadata
from lakeport.lineage.types import read_type, type_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lakeport.app.settings import Settings
    from lakeport.core.names import TableName
    from lakeport.lineage import Issue
    from lakeport.lineage.programs import Program

TemplateMode: TypeAlias = Literal["raw", "jinja", "dbt"]
_SPARK = frozenset({"spark", "spark_sql", "sparksql"})
_SHAPE = (
    'a schema is {"tables": [{"schema": "s", "name": "t", "columns": [{"name": "c", "dataType": "int"}]}]}, '
    "its list of tables alone, or a saved analysis"
)


@dataclass(frozen=True, slots=True)
class Workload:
    """What to analyse: files and folders (`-` is standard input), and how to read them.

    Without any it is all of `project`, in one of its environments. Files that are models are read as their
    project reads them, unless `template` or a dialect that is not Spark's says how. The imported schema comes
    from the file `schema`, from the live catalog that settings describe, or from what projects declare.
    """

    paths: tuple[Path, ...] = ()
    dialect: str = "generic"
    schema: Path | None = None
    catalog: Settings | None = None
    template: TemplateMode = "raw"
    options: dict[str, Any] = field(default_factory=dict)
    project: Settings | None = None
    environment: str | None = None

    @property
    def as_models(self) -> bool:
        return self.template == "raw" and self.dialect in _SPARK


@dataclass(frozen=True, slots=True)
class Analysis:
    """A result, and the texts it is about by source name; none of templates that lineage rendered itself."""

    result: AnalyzeResult
    texts: dict[str, SqlFile]

    def line(self, issue: Issue) -> int | None:
        """The line an issue is on; one of a whole statement is where that begins."""
        if issue.source_line is not None:
            return issue.source_line
        text = self.texts.get(issue.source_name or "")
        about = next(
            (
                statement
                for statement in self.result.statements
                if statement.statement_index == issue.statement_index
            ),
            None,
        )
        if text is None:
            return about.metadata.get("sourceLine") if about is not None else None
        span = issue.span or (about.span if about is not None else None)
        return None if span is None else text.line(span.start)


def analyze_workload(workload: Workload) -> Analysis:
    if dialect_named(workload.dialect) is None:
        raise UnknownWordError.among("dialect", workload.dialect, known_dialects())
    if workload.catalog is not None and workload.schema is not None:
        raise InvalidRequestError(
            "a schema file and the live catalog cannot both be imported",
            hint="leave out --schema or --catalog",
        )
    schema = _imported(workload)
    gathered = _gathered(workload, schema)
    files = gathered.files
    # The files of models are in the order of their names, which says nothing about their work.
    order = {"statementOrder": "dependency"} if any(file.builds for file in files) else {}
    request: dict[str, Any] = {
        "files": [
            {"name": file.name, "content": file.content}
            | ({} if file.builds is None else {"builds": file.builds})
            for file in files or [SqlFile("", "")]  # all of them may be programs
        ],
        "dialect": workload.dialect,
        "options": {**order, **workload.options},
        "templateConfig": {
            "mode": workload.template,
            "macroFiles": [
                {"name": file.name, "content": file.content} for file in gathered.macros
            ],
            "projectFiles": [
                {"name": file.name, "content": file.content} for file in gathered.properties
            ],
        },
    }
    if workload.schema is None and gathered.declared:
        schema = _completed(schema or {"tables": []}, gathered.declared)
    if schema is not None:
        request["schema"] = schema
    catalog = None if workload.catalog is None else workload.catalog.catalog.name
    result = _with_former_rows(analyze(request), files)
    result = with_programs(result, gathered.programs, catalog)
    raw = files if workload.template == "raw" else []
    return Analysis(result, {file.name: file for file in raw})


def _with_former_rows(result: AnalyzeResult, files: list[SqlFile]) -> AnalyzeResult:
    """A model that reads itself reads what it made before, so nobody need know its table."""
    built = {file.name: fold(file.builds) for file in files if file.builds is not None}
    issues = [
        issue
        for issue in result.issues
        if issue.code is not IssueCode.UNKNOWN_TABLE
        or fold(issue.relation or "") != built.get(issue.source_name or "")
    ]
    if len(issues) == len(result.issues):
        return result
    counts = result.summary.issue_count
    gone = len(result.issues) - len(issues)
    fewer = msgspec.structs.replace(counts, warnings=counts.warnings - gone)
    summary = msgspec.structs.replace(result.summary, issue_count=fewer)
    return msgspec.structs.replace(result, issues=issues, summary=summary)


def _imported(workload: Workload) -> dict[str, Any] | None:
    if workload.schema is not None:
        return read_schema(workload.schema, workload.dialect)
    if workload.catalog is not None:
        return catalog_schema(workload.catalog, workload.dialect)
    return None


def _completed(schema: dict[str, Any], declared: list[dict[str, Any]]) -> dict[str, Any]:
    """What is declared of tables that are not there yet."""
    held = {(fold(table["schema"]), fold(table["name"])) for table in schema["tables"]}
    catalog = {"catalog": schema["defaultCatalog"]} if "defaultCatalog" in schema else {}
    missing = [
        {**catalog, **table}
        for table in declared
        if (fold(table["schema"]), fold(table["name"])) not in held
    ]
    return {**schema, "tables": [*schema["tables"], *missing]}


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


def read_schema(path: Path, dialect: str) -> dict[str, Any]:
    """An imported schema from JSON or from CREATE statements."""
    content = read_payload(path).removeprefix(BOM_UTF8)
    if path.suffix.lower() == ".json" or content.lstrip()[:1] in {b"{", b"["}:
        return _with_catalog(_schema_from_json(content, path))
    return _with_catalog(_schema_from_ddl(read_text(content, path), path, dialect))


def _with_catalog(schema: dict[str, Any]) -> dict[str, Any]:
    """If all tables are in one catalog, a name without any means that one.

    So what was exported of a live catalog is found again under the names that the SQL has for it.
    """
    if schema.get("defaultCatalog") or schema.get("searchPath"):
        return schema
    catalogs = {t.get("catalog") for t in schema.get("tables", []) if not t.get("temporary")}
    catalog = catalogs.pop() if len(catalogs) == 1 else None
    return schema if catalog is None else {**schema, "defaultCatalog": catalog}


def compare(old: Path, new: Path, workload: Workload) -> LineageDiff:
    """What changed between two saved analyses, or between two versions of SQL."""
    return diff(_analysis(old, workload), _analysis(new, workload))


def _analysis(path: Path, workload: Workload) -> AnalyzeResult:
    if path.suffix != ".json":
        return analyze_workload(replace(workload, paths=(path,))).result
    try:
        return msgspec.json.decode(read_payload(path).removeprefix(BOM_UTF8), type=AnalyzeResult)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidRequestError(
            f"{path} is not a saved analysis: {error}",
            hint="`lakeport lineage FILES --json > FILE.json` saves one",
        ) from error


@dataclass(slots=True)
class _Gathered:
    files: list[SqlFile] = field(default_factory=list)
    programs: list[Program] = field(default_factory=list)
    declared: list[dict[str, Any]] = field(default_factory=list)
    macros: list[SqlFile] = field(default_factory=list)
    properties: list[SqlFile] = field(default_factory=list)


def _gathered(workload: Workload, schema: dict[str, Any] | None) -> _Gathered:
    exists = None if workload.catalog is None or schema is None else _existence(schema)
    if not workload.paths:
        if workload.project is None or workload.project.file is None:
            raise InvalidRequestError(
                "there is nothing to analyse",
                hint="name SQL files or folders, or `-` for standard input; a project needs no names",
            )
        models = model_files(workload.project, workload.environment, exists)
        models.require_sound()
        return _Gathered([*models.files.values()], [*models.programs.values()], models.declared)
    if workload.template == "dbt":
        return _of_dbt(workload.paths)
    if not workload.as_models:
        return _Gathered([_source(path) for path in files_in(workload.paths)])
    return _Models(workload, exists).gathered()


def _of_dbt(named: tuple[Path, ...]) -> _Gathered:
    found = dbt_files(named)
    return _Gathered(
        texts(found.seeds | found.models),
        macros=texts(found.macros),
        properties=texts(found.properties | found.others),
    )


@dataclass(slots=True)
class _Models:
    """Files that are named, those of projects as these know them."""

    workload: Workload
    exists: Callable[[TableName], bool] | None
    projects: dict[Path, ModelFiles] = field(default_factory=dict)

    def gathered(self) -> _Gathered:
        found = _Gathered()
        paths = files_in(self.workload.paths, (".sql", ".py"))
        for path in paths:
            models = None if str(path) == STANDARD_INPUT else self._around(path)
            program = None if models is None else models.program(path)
            if program is not None:
                found.programs.append(program)
            elif path.suffix != ".py" or path in self.workload.paths:
                known = None if models is None else models.file(path)
                found.files.append(known or _source(path))
        read = {path.resolve() for path in paths}
        for models in self.projects.values():
            # With some tables imported, all others are taken for mistakes: models that are left out are none.
            if models.files.keys() <= read:
                found.declared += models.declared
        if not found.files and not found.programs:
            raise NotFoundError(f"there is no .sql file in {self.workload.paths[0]}")
        return found

    def _around(self, path: Path) -> ModelFiles | None:
        settings = settings_around(path, self.workload.project)
        if settings is None or settings.file is None:
            return None
        if settings.file not in self.projects:
            environment = self.workload.environment
            self.projects[settings.file] = model_files(settings, environment, self.exists)
        return self.projects[settings.file]


def _source(path: Path) -> SqlFile:
    content = read_text(read_payload(path), path)
    if str(path) == STANDARD_INPUT:
        return SqlFile("stdin", content)
    return SqlFile(path.as_posix(), content, built_by(path, content))


def _existence(schema: dict[str, Any]) -> Callable[[TableName], bool]:
    held = {(fold(table["schema"]), fold(table["name"])) for table in schema["tables"]}
    return lambda name: name.folded in held


def _schema_from_json(content: bytes, path: Path) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        place, reason = _json_mistake(content, str(error))
        raise InvalidRequestError(f"{path}{place} is not JSON: {reason}", hint=_SHAPE) from error
    inside = "$"
    if isinstance(found, dict):
        key = next((key for key in ("resolvedSchema", "schema") if key in found), None)
        found, inside = (found[key], f"$.{key}") if key else (found, inside)
    listed = found if isinstance(found, list) else None
    if listed is not None:
        found = {"tables": listed}
    if not isinstance(found, dict) or not isinstance(found.get("tables", []), list):
        raise InvalidRequestError(f"{path} holds no schema", hint=_SHAPE)
    try:
        msgspec.convert(found, SchemaMetadata)
    except msgspec.ValidationError as error:
        told = str(error).replace("`$.tables" if listed is not None else "`$", f"`{inside}")
        raise InvalidRequestError(f"{path} holds no schema: {told}", hint=_SHAPE) from error
    return found


_AT_BYTE = re.compile(r"^(?:JSON is malformed: )?(?P<reason>.*) \(byte (?P<byte>\d+)\)$")


def _json_mistake(content: bytes, message: str) -> tuple[str, str]:
    """`:line:column` of what the decoder stumbled over, and why it did."""
    told = _AT_BYTE.match(message)
    if told is not None:
        before, reason = content[: int(told["byte"])], told["reason"]
    else:
        # What ends too early has no place but its end, and other mistakes have none at all.
        if "truncated" not in message:
            return "", message
        before, reason = content, "the text ends too early"
    line = before.count(b"\n") + 1
    column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
    return f":{line}:{column}", reason


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
