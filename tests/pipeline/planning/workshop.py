"""A project in a folder, a real lake beside it, and runs whose schemas are done without Spark.

`carry_out` does to the tables what the plan says, and remembers it as a run does: tables are made and grown
by the catalog, the store of runs gets its records. Rows are not what plans are about.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakeport.app import wiring
from lakeport.app.project.load import load_project
from lakeport.app.project.plan import plan_project
from lakeport.app.project.request import PlanRequest
from lakeport.app.settings import Settings, load
from lakeport.catalog.changes import Growth
from lakeport.catalog.definition import Constraint, Definition
from lakeport.core.names import TableName
from lakeport.pipeline.graph.build import build_graph
from lakeport.pipeline.growth import Schema, arrow_schema, changes
from lakeport.pipeline.growth.model import Field
from lakeport.pipeline.growth.spark_words import type_from_text
from lakeport.pipeline.planning.known import read_marks
from lakeport.pipeline.planning.model import ModelPlan
from lakeport.pipeline.planning.staged import record_of, schema_mark
from lakeport.pipeline.planning.whole import ProjectPlan
from lakeport.pipeline.target import Tables
from lakeport.state.owners import Owner
from lakeport.state.run_records import ModelRecord, RunRecord


@dataclass(frozen=True, slots=True)
class Workshop:
    root: Path

    @classmethod
    def in_folder(cls, root: Path, toml: str = "", **models: str) -> Workshop:
        """Models as `namespace__name="SELECT …"`."""
        (root / "lakeport.toml").write_text(toml)
        shop = cls(root)
        for name, text in models.items():
            shop.model(name.replace("__", "."), text)
        return shop

    def model(self, name: str, text: str, *, ending: str = "sql") -> None:
        namespace, table = name.split(".")
        file = self.root / "models" / namespace / f"{table}.{ending}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    @property
    def settings(self) -> Settings:
        return load(project=self.root, variables={"HOME": str(self.root)}, folder=self.root)

    # -- the lake --------------------------------------------------------------------------------

    def table(
        self, name: str, /, *rules: Constraint, required: tuple[str, ...] = (), **columns: str
    ) -> None:
        with wiring.open_catalog(self.settings) as catalog:
            fields = tuple(
                Field(column, type_from_text(type_), required=column in required)
                for column, type_ in columns.items()
            )
            Tables(catalog).create(_name(name), Definition(arrow_schema(fields), rules))

    def alter(self, name: str, *growth: Growth) -> None:
        with wiring.open_catalog(self.settings) as catalog:
            Tables(catalog).grow(_name(name), growth)

    def columns(self, name: str) -> Schema:
        with wiring.open_catalog(self.settings) as catalog:
            return Tables(catalog).columns(_name(name))

    # -- plans and runs --------------------------------------------------------------------------

    def plan(self, *select: str, **wanted: Any) -> ProjectPlan:
        return plan_project(self.settings, PlanRequest(select=select, **{"spark": False, **wanted}))

    def of(self, name: str, *select: str, **wanted: Any) -> ModelPlan:
        return next(each for each in self.plan(*select, **wanted) if str(each.model) == name)

    def carry_out(self, *select: str, **wanted: Any) -> ProjectPlan:
        plan = self.plan(*select, **wanted)
        assert not plan.is_refused, [each.obstacles for each in plan]
        with wiring.open_catalog(self.settings) as catalog:
            tables = Tables(catalog)
            for each in plan.models:
                if each.growth is None:
                    continue
                if each.creates:
                    tables.create(each.table, Definition(arrow_schema(each.growth.after)))
                elif each.growth.changes_schema:
                    tables.grow(each.table, changes(each.growth))
        self._remember(plan)
        return plan

    def _remember(self, plan: ProjectPlan) -> None:
        run_id = uuid.uuid4().hex
        project = load_project(self.settings, plan.environment)
        with (
            wiring.open_catalog(self.settings) as catalog,
            wiring.open_state(self.settings) as store,
        ):
            from lakeport.app.project.tables import CatalogTables  # noqa: PLC0415  once only

            graph = build_graph(project, CatalogTables(catalog))
            store.runs.begin(
                RunRecord(
                    owner=Owner.here(run_id),
                    catalog=plan.catalog,
                    started_ns=time.time_ns(),
                    environment=plan.environment,
                )
            )

            def mark(name: TableName) -> str | None:
                table = project.environment.table(name) if name in project.models else name
                known = graph.catalog.get(table)
                return None if known is None else schema_mark(known.columns)

            for each in plan.models:
                node = graph.node(each.model)
                typed = [Field(c.name, c.type) for c in each.columns or () if c.type is not None]
                marks = read_marks(graph, node, mark)
                reads = {key: value for key, value in marks.items() if value is not None}
                store.runs.model(
                    run_id,
                    ModelRecord(
                        model=str(each.model),
                        table=each.table,
                        status="skipped" if each.materialized == "ephemeral" else "succeeded",
                        fingerprint=node.model.fingerprint,
                        columns=record_of(tuple(typed), reads),
                    ),
                )
            store.runs.end(run_id, "succeeded", time.time_ns())


def _name(text: str) -> TableName:
    name = TableName.parse(text)
    assert name is not None
    return name
