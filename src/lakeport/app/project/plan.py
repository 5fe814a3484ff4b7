"""`plan`: what a run of a project would do, from its files, the catalog's metadata and the store of runs.

Nothing is made that is not there: a project that was never run has no lake, and a plan of it leaves none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from lakeport.app import wiring
from lakeport.app.project.load import load_project
from lakeport.app.project.request import PlanRequest
from lakeport.core.errors import ConflictError, PreconditionError
from lakeport.core.names import TableName, quoted
from lakeport.pipeline.graph.build import build_graph
from lakeport.pipeline.planning.interval import Asked, end_in
from lakeport.pipeline.planning.known import Situation, Standing
from lakeport.pipeline.planning.model import ModelPlan
from lakeport.pipeline.planning.reasons import LastBuilt
from lakeport.pipeline.planning.settle import settled
from lakeport.pipeline.planning.staged import read_record
from lakeport.pipeline.planning.whole import ProjectPlan
from lakeport.pipeline.project.model import Project, TableMap

if TYPE_CHECKING:
    from lakeport.app.settings import Settings
    from lakeport.catalog.iceberg.catalog import IcebergCatalog
    from lakeport.lineage.models import Declared
    from lakeport.pipeline.console import Console
    from lakeport.pipeline.graph.graph import Graph
    from lakeport.pipeline.graph.model import KnownTable
    from lakeport.pipeline.planning.analysis import SparkAnalyst
    from lakeport.pipeline.planning.known import Targets
    from lakeport.pipeline.session import Spark
    from lakeport.pipeline.target import Head, Tables
    from lakeport.state import Store
    from lakeport.state.run_records import ModelRun

_SQLITE = "sqlite:///"
_LOADABLE = frozenset({".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow"})


def plan_project(
    settings: Settings, request: PlanRequest, *, spark: Callable[[], Spark] | None = None
) -> ProjectPlan:
    """`spark` gives the Spark to ask, instead of one that the settings describe."""
    project = load_project(settings, request.environment)
    asked = Asked(datetime.now(UTC), request.start, request.end, request.full_refresh)
    last = last_built(settings, project)
    with ExitStack() as stack:
        catalog = stack.enter_context(_catalog(settings))
        tables = _Tables(catalog)
        analyst: SparkAnalyst | None = None
        if request.spark:
            analyst = stack.enter_context(_analyst(settings, catalog, spark))
        build = _builder(project, tables, full_refresh=request.full_refresh)
        graph = build({})
        selected = graph.select(
            request.select, request.exclude, lambda: modified_models(graph, last)
        )
        situation = Situation(
            graph=graph,
            selected=selected,
            targets=tables.targets(),
            last=last,
            asked=asked,
            publish=request.publish,
            usual=settings.pipeline.publish,
            analyst=analyst,
            with_sql=request.with_sql,
        )
        models = settled(situation, build)
    return ProjectPlan(
        project=project.name,
        environment=project.environment.name,
        catalog=project.catalog,
        full_refresh=request.full_refresh,
        models=models,
        total=len(project.models),
        asked_spark=analyst is not None and analyst.was_asked,
        notes=tuple(_notes(analyst, models, full_refresh=request.full_refresh)),
        files=dict(_files(project.root, models)),
    )


def _files(root: Path, models: tuple[ModelPlan, ...]) -> Iterator[tuple[TableName, str]]:
    """For each source that is not loaded, the one file of the project that is called like it."""
    for source in {name for model in models for name in model.waits_for}:
        named = f"{escape(source.table)}.*"
        found = [
            path
            for path in (*root.glob(named), *root.glob(f"*/{named}"))
            if path.suffix in _LOADABLE
        ]
        if len(found) == 1:
            yield source, found[0].relative_to(root).as_posix()


def modified_models(graph: Graph, last: TableMap[LastBuilt]) -> list[TableName]:
    """What `state:modified` means: files that are not those of their last commit."""
    return [
        node.name
        for node in graph.nodes
        if (built := last.get(node.name)) is None or built.fingerprint != node.model.fingerprint
    ]


def last_built(settings: Settings, project: Project) -> TableMap[LastBuilt]:
    """Of every model its last commit, as the store of runs knows it."""
    if _is_missing(settings.state.uri):
        return TableMap()
    with wiring.open_state(settings) as store:
        return last_built_in(store, project)


def last_built_in(store: Store, project: Project) -> TableMap[LastBuilt]:
    """The same of a store that is open."""
    found = store.runs.last_success(project.catalog, project.environment.name)
    latest = store.runs.last(project.catalog, project.environment.name)
    # An ephemeral model commits nothing: it is as it was in the last run that had no trouble with it.
    skipped = (run for run in latest.values() if run.record.status == "skipped")
    return TableMap(_built((*skipped, *found.values())))


def _built(runs: Collection[ModelRun]) -> Iterator[tuple[TableName, LastBuilt]]:
    for run in runs:
        record, name = run.record, TableName.parse(run.record.model)
        if name is not None:
            columns = read_record(record.columns)
            yield name, LastBuilt(record.fingerprint, columns, end_in(record.interval))


def _is_missing(uri: str | None) -> bool:
    """Whether a file would have to be made."""
    if uri is None or not uri.startswith(_SQLITE):
        return False
    return not Path(uri.removeprefix(_SQLITE).partition("?")[0]).exists()


@contextmanager
def _catalog(settings: Settings) -> Iterator[IcebergCatalog | None]:
    """None for an embedded lake that nobody has made yet."""
    file = wiring.profile_of(settings).database_file
    if file is not None and not file.exists():
        yield None
        return
    with wiring.open_catalog(settings) as catalog:
        yield catalog


class _Tables:
    """What the catalog says, each thing once: a graph may be built more than once."""

    def __init__(self, catalog: IcebergCatalog | None) -> None:
        self._catalog = catalog
        self._described: dict[tuple[str, str], KnownTable | None] = {}
        self._standing: dict[tuple[str, str], Standing] = {}

    def __call__(self, names: Collection[TableName]) -> list[KnownTable]:
        if self._catalog is None:
            return []
        from lakeport.app.project.tables import CatalogTables  # noqa: PLC0415  loads Arrow

        unknown = [name for name in names if name.folded not in self._described]
        if unknown:
            if not self._catalog.engines().is_service:
                # A database is listed once, and answers from that as long as nobody commits.
                self._catalog.version()
            found = {table.name.folded: table for table in CatalogTables(self._catalog)(unknown)}
            self._described |= {name.folded: found.get(name.folded) for name in unknown}
        held = (self._described[name.folded] for name in names)
        return [table for table in held if table is not None]

    def nearest(self, name: TableName) -> TableName | None:
        if self._catalog is None:
            return None
        from lakeport.app.project.tables import CatalogTables  # noqa: PLC0415  loads Arrow

        return CatalogTables(self._catalog).nearest(name)

    def targets(self) -> Targets:
        if self._catalog is None:
            return lambda _: None
        from lakeport.catalog.definition import Definition  # noqa: PLC0415  loads Arrow
        from lakeport.pipeline.growth import arrow_schema  # noqa: PLC0415  loads Arrow
        from lakeport.pipeline.target.head import read_head  # noqa: PLC0415  loads Arrow
        from lakeport.pipeline.target.tables import Tables  # noqa: PLC0415  loads Arrow

        tables, engines = Tables(self._catalog), self._catalog.engines()

        def standing(name: TableName) -> Standing | None:
            known = self._described.get(name.folded)
            if known is None:
                return None
            if known.is_view:
                raise PreconditionError(
                    f"{quoted(str(known.name))} is a view in the catalog, and the model makes a table",
                    hint='drop the view, or set materialized = "view"',
                )
            if name.folded not in self._standing:
                # All of a definition is a matter of milliseconds, which most tables need not take.
                found = engines.load(engines.find(known.name))
                head = read_head(found.name, found.metadata, Definition(arrow_schema(())))
                self._standing[name.folded] = Standing(
                    head.name, head.columns, head.commits, partial(_whole, tables, head.name)
                )
            return self._standing[name.folded]

        return standing


def _whole(tables: Tables, name: TableName) -> Head:
    head = tables.head(name)
    if head is None:
        raise ConflictError(
            f"table {quoted(str(name))} was dropped meanwhile", hint="plan it again"
        )
    return head


def _builder(
    project: Project, tables: _Tables, *, full_refresh: bool
) -> Callable[[Mapping[TableName, Declared]], Graph]:
    is_incremental = (lambda _: False) if full_refresh else None
    return lambda seen: build_graph(
        project, tables, is_incremental, seen=seen, nearest_table=tables.nearest
    )


@contextmanager
def _analyst(
    settings: Settings, catalog: IcebergCatalog | None, spark: Callable[[], Spark] | None
) -> Iterator[SparkAnalyst]:
    """Of a Spark that is started at the first question."""
    from lakeport.pipeline.planning.analysis import SparkAnalyst  # noqa: PLC0415  late, as Spark is

    with ExitStack() as stack:

        def open_console() -> Console:
            from lakeport.pipeline.console import Console  # noqa: PLC0415  with Spark

            lake = catalog or stack.enter_context(wiring.open_catalog(settings))
            opened = wiring.open_pipeline(settings, lake, None, start=spark)
            pipeline = stack.enter_context(opened)
            return Console(pipeline.spark(), pipeline.session())

        yield SparkAnalyst(open_console, settings.catalog.name)


def _notes(
    analyst: SparkAnalyst | None, models: tuple[ModelPlan, ...], *, full_refresh: bool
) -> Iterator[str]:
    if analyst is not None and analyst.missing is not None:
        yield f"some types are known only when it runs: {analyst.missing.message}"
    emptied = [each for each in models if each.strategy == "full" and not each.creates]
    if full_refresh and emptied:
        tables = "1 table" if len(emptied) == 1 else f"{len(emptied):,} tables"
        yield f"--full-refresh replaces all rows of {tables}; their columns stay"
