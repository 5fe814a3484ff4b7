"""A project's folder, run on the tests' one JVM, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lakeport.app.lake.lake import Lake
from lakeport.app.lake.open import open_lake
from lakeport.app.project.request import RunRequest
from lakeport.app.project.run import run_project
from lakeport.app.settings import Settings, load
from lakeport.catalog.history import RUN_ID
from lakeport.core.names import TableName
from lakeport.pipeline.running.events import Event
from lakeport.pipeline.running.result import ModelResult, RunResult
from lakeport.pipeline.session import Spark
from lakeport.pipeline.writing import Observer
from tests.engines.plain import Row, in_order, rows_of
from tests.spark.ground import Lent


@dataclass
class Folder:
    """Files are named by their table: `staging.orders` is models/staging/orders.sql."""

    root: Path
    jvm: Spark
    events: list[Event] = field(default_factory=list)

    def settings(self) -> Settings:
        return load(folder=self.root, variables={})

    def toml(self, text: str) -> None:
        (self.root / "lakeport.toml").write_text(text)

    def model(self, name: str, query: str, **settings: Any) -> None:
        namespace, table = name.split(".")
        lines = [f"{key} = {toml(value)}" for key, value in settings.items()]
        head = "\n".join(["/* lakeport", *lines, "*/\n"]) if lines else ""
        self._file(f"{namespace}/{table}.sql", head + query)
        (self.root / f"models/{namespace}/{table}.py").unlink(missing_ok=True)

    def python(self, name: str, code: str, **settings: Any) -> None:
        namespace, table = name.split(".")
        self._file(f"{namespace}/{table}.py", f"SETTINGS = {settings!r}\n\n{code}")

    def _file(self, path: str, text: str) -> None:
        file = self.root / "models" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run(
        self,
        *select: str,
        observe: Observer | None = None,
        listen: Callable[[Event], None] | None = None,
        **request: Any,
    ) -> RunResult:
        self.events.clear()

        def hear(event: Event) -> None:
            self.events.append(event)
            if listen is not None:
                listen(event)

        return run_project(
            self.settings(),
            RunRequest(select=select, **request),
            hear,
            observe=observe,
            spark=lambda: Lent(self.jvm),
        )

    def lake(self) -> Lake:
        return open_lake(self.root)

    def rows(self, table: str) -> list[Row]:
        with self.lake() as lake, lake.table(table).scan() as found:
            return in_order(rows_of(found.read_all()))

    def columns(self, table: str) -> list[str]:
        with self.lake() as lake:
            return lake.table(table).schema.names

    def load(self, table: str, rows: list[dict[str, Any]]) -> None:
        """Rows of a source, made if it is not there."""
        import pyarrow as pa  # noqa: PLC0415  tests that load nothing need it not

        data = pa.Table.from_pylist(rows)
        with self.lake() as lake:
            lake.create_table(table, data.schema, on_conflict="ignore").append(data)

    def runs(self, table: str) -> list[str]:
        """The ids that main's snapshots carry, oldest first."""
        with self.lake() as lake:
            handle = lake.table(table)
            known = {each.snapshot_id: each for each in handle.history()}
            at, found = handle.port.state().snapshot_id, []
            while at is not None:
                found.append(known[at].summary.get(RUN_ID))
                at = known[at].parent_id
        return [run for run in reversed(found) if run is not None]

    def refs(self, table: str) -> set[str]:
        with self.lake() as lake:
            return {ref.name for ref in lake.table(table).refs()}


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def of(result: RunResult, name: str) -> ModelResult:
    return next(model for model in result.models if str(model.model) == name)


def statuses(result: RunResult) -> dict[str, str]:
    return {str(model.model): model.status for model in result.models}


def named(text: str) -> TableName:
    name = TableName.parse(text)
    assert name is not None
    return name
