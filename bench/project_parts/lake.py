"""The generated project on a lake of ours in which every model has been built and nothing changed since.

Tables are made by the catalog as a run's plan says, with a row each, and the store of runs gets the records
of that run: all but Spark, which a plan is not about.
"""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow as pa

from bench.project_parts.generate import SOURCE_COLUMNS, sources, write_project
from lakeport.app import wiring
from lakeport.app.project.load import load_graph, load_project
from lakeport.app.project.plan import plan_project
from lakeport.app.project.request import PlanRequest
from lakeport.app.settings import Settings, load
from lakeport.catalog.definition import Definition
from lakeport.catalog.statements import insert_rows
from lakeport.core.names import TableName
from lakeport.pipeline.growth import Schema, arrow_schema
from lakeport.pipeline.growth.model import Field
from lakeport.pipeline.growth.spark_words import type_from_text
from lakeport.pipeline.planning.known import Futures
from lakeport.pipeline.planning.staged import record_of
from lakeport.pipeline.planning.whole import ProjectPlan
from lakeport.pipeline.target import Tables
from lakeport.state.owners import Owner
from lakeport.state.run_records import ModelRecord, RunRecord

_RUN = "bench"


def write_lakeport(folder: Path, count: int) -> None:
    write_project(folder, count)
    settings = load(project=folder, variables={}, folder=folder)
    columns = tuple(Field(name, type_from_text(text)) for name, text in SOURCE_COLUMNS.items())
    with wiring.open_catalog(settings) as catalog:
        for name in sources(count):
            _make(Tables(catalog), TableName("raw", name), columns)
    plan = plan_project(settings, PlanRequest(spark=False, with_sql=False))
    with wiring.open_catalog(settings) as catalog:
        for each in plan:
            if each.growth is None or each.unknown:
                raise AssertionError(f"the columns of {each.model} are not known")
            _make(Tables(catalog), each.table, each.growth.after)
    _remember(settings, plan)


def _make(tables: Tables, name: TableName, columns: Schema) -> None:
    tables.create(name, Definition(arrow_schema(columns)))
    row = pa.RecordBatch.from_pylist([{}], schema=arrow_schema(columns))
    insert_rows(tables.table(name), row)


def _remember(settings: Settings, plan: ProjectPlan) -> None:
    project = load_project(settings)
    with wiring.open_catalog(settings) as catalog, wiring.open_state(settings) as store:
        graph = load_graph(project, catalog)
        futures = Futures(graph)
        now = time.time_ns()
        store.runs.begin(RunRecord(owner=Owner.here(_RUN), catalog=project.catalog, started_ns=now))
        records = []
        for each in plan:
            node = graph.node(each.model)
            columns = tuple(Field(c.name, c.type) for c in each.columns or () if c.type is not None)
            reads = {name: mark or "" for name, mark in futures.marks(node).items()}
            records.append(
                ModelRecord(
                    model=str(each.model),
                    table=each.table,
                    status="succeeded",
                    fingerprint=node.model.fingerprint,
                    columns=record_of(columns, reads),
                )
            )
        store.runs.models_of_run(_RUN, records)
        store.runs.end(_RUN, "succeeded", now)
