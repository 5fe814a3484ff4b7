"""Reading a request: limits, templates, splitting and parsing, in the order statements count.

Files come first, in array order, then the inline SQL. A source that breaks a limit or a template
is left out with an issue; the others go on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
from sqlglot import exp

from lakeport.lineage.issues import IssueCode
from lakeport.lineage.names import written_parts
from lakeport.lineage.parse import Parsed, StatementParser
from lakeport.lineage.request import SourceFile
from lakeport.lineage.split import split
from lakeport.lineage.text import SourceText

if TYPE_CHECKING:
    from lakeport.lineage.blocks import Chunk
    from lakeport.lineage.session import Session
    from lakeport.lineage.templating import DbtModel, Project

_SURROGATES = re.compile("[\ud800-\udfff]")
_MIB = 1024 * 1024
MAX_SOURCE = 10 * _MIB
MAX_REQUEST = 100 * _MIB


class Statement(msgspec.Struct, eq=False):
    """One statement of the workload: its place, its tree, and the dbt model it defines."""

    index: int
    source: SourceText
    chunk: Chunk
    parsed: Parsed
    # The parts of the table that a bare query makes, and the dbt model that says so, if one does.
    builds: tuple[str, ...] = ()
    model: DbtModel | None = None
    # The same statement as rendered for an incremental run, when that differs.
    incremental: Statement | None = None
    resolved_sql: str | None = None
    # What came from the environment of a template.
    secrets: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The statement itself."""
        return self.source.content[self.chunk.start : self.chunk.end]

    @property
    def said(self) -> tuple[str, str | None, str | None]:
        """Its text, the name of the source, and all of that if it stands in blocks: they say what it means."""
        source = self.source
        return self.text, source.name, source.content if self.chunk.blocks else None


def read_workload(session: Session) -> list[Statement]:
    """Every statement of a request, parsed."""
    found: list[Statement] = []
    files = source_files(session)
    project = _project(session, files)
    for file in files:
        if project is None:
            source = SourceText(file.content, file.name or None, session.request.encoding)
            statements = _parsed(session, source, len(found))
            if file.builds:
                _build(statements, tuple(part for part, _ in written_parts(file.builds)))
            found += statements
        else:
            for part in project.parts(file):
                found += _rendered(session, project, part, len(found))
    return found


def _project(session: Session, files: list[SourceFile]) -> Project | None:
    config = session.request.template_config
    if config.mode == "raw":
        return None
    # Jinja is loaded for templated requests only.
    from lakeport.lineage.templating import Project  # noqa: PLC0415 - see above

    return Project(config, files, session.dialect.name, session.request.encoding)


def source_files(session: Session) -> list[SourceFile]:
    """The sources of a request that keep the limits, in order."""
    request = session.request
    files = [
        SourceFile(name=file.name, content=_whole(file.content), builds=file.builds)
        for file in request.files
    ]
    if request.sql:
        files.append(SourceFile(name=request.source_name or "", content=_whole(request.sql)))
    if not files:
        session.report(
            IssueCode.INVALID_REQUEST,
            "the request holds no SQL",
            hint="give `sql` or `files`",
        )
    kept: list[SourceFile] = []
    total = 0
    for file in files:
        size = (
            len(file.content.encode("utf-8", "surrogatepass"))
            if not file.content.isascii()
            else len(file.content)
        )
        total += size
        label = file.name or "the inline SQL"
        if size > MAX_SOURCE or total > MAX_REQUEST:
            limit = "10 MiB per source" if size > MAX_SOURCE else "100 MiB per request"
            session.report(
                IssueCode.INVALID_REQUEST,
                f"{label} is over the limit of {limit}",
                source_name=file.name or None,
                relation=file.name or None,
                hint="split the source",
            )
            continue
        if size > _MIB:
            session.report(
                IssueCode.PAYLOAD_SIZE_WARNING,
                f"{label} is {size / _MIB:.1f} MiB of SQL",
                source_name=file.name or None,
                relation=file.name or None,
            )
        kept.append(file)
    return kept


def _whole(text: str) -> str:
    """Halves of surrogate pairs cannot leave in JSON; a mark of the same length stands for them."""
    return text if text.isascii() else _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)


def _parsed(session: Session, source: SourceText, first: int) -> list[Statement]:
    chunks = split(source.content, session.dialect.parser)
    deepest = session.options.max_expression_depth
    parser = StatementParser(source.content, session.dialect, deepest, many=len(chunks) > 1)
    return [
        Statement(first + position, source, chunk, parser.parse(chunk))
        for position, chunk in enumerate(chunks)
    ]


def _build(
    statements: list[Statement], table: tuple[str, ...], model: DbtModel | None = None
) -> None:
    """The bare queries of a model's file make its table."""
    for statement in statements:
        if statement.parsed.is_a(exp.Query):
            statement.builds, statement.model = table, model


def _rendered(session: Session, project: Project, file: SourceFile, first: int) -> list[Statement]:
    """A templated source; spans refer to the rendered text, which comes along."""
    from lakeport.lineage.templating.place import place  # noqa: PLC0415 - for templates only

    rendering = project.render(file)
    model = rendering.model
    session.issues.extend(rendering.issues)
    variants: list[list[Statement]] = []
    for text in rendering.texts:
        source = SourceText(text.sql, file.name or None, session.request.encoding)
        statements = _parsed(session, source, first)
        place(text, source, statements)
        if model is not None:
            _build(statements, (*model.namespace, model.alias or model.name), model)
        elif file.builds:
            _build(statements, tuple(part for part, _ in written_parts(file.builds)))
        variants.append(statements)
    if not variants:
        return []
    if model is not None and model.config.get("enabled") is False:
        # dbt never compiles it: what its macros and variables leave of it need not be SQL.
        broken = _is_broken(variants)
        told = "no SQL as it is, so it is left out" if broken else "read all the same"
        session.report(
            IssueCode.TEMPLATE_ERROR,
            f"model `{model.name}` is disabled and {told}",
            severity="info",
            source_name=file.name,
            relation=model.name,
            hint="what enables it (a variable, the target) may be given in templateConfig.context",
        )
        if broken:
            return []
    for full, incremental in zip(
        variants[0], variants[1] if len(variants) > 1 else [], strict=False
    ):
        if full.text != incremental.text:
            full.incremental = incremental
    return variants[0]


def _is_broken(variants: list[list[Statement]]) -> bool:
    return any(
        statement.parsed.problem is not None for statements in variants for statement in statements
    )
