"""Spark as a test speaks to it: a fresh session whose catalog `lake` is a REST door of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.engines.apart import Apart
from tests.engines.plain import Row, in_order

_CATALOG = "spark.sql.catalog.lake"


@dataclass(frozen=True)
class Spark:
    """A session of its own in the one JVM. Names without a namespace are in `lake.shop`."""

    engine: Apart
    number: int

    def sql(self, text: str) -> list[Row]:
        """The rows of a statement, as they came."""
        _, rows = self.engine.ask("sql", self.number, text)
        return list(rows)

    def run(self, *statements: str) -> None:
        for statement in statements:
            self.sql(statement)

    def rows(self, what: str, columns: str = "*") -> list[Row]:
        return in_order(self.sql(f"SELECT {columns} FROM {what}"))

    def call(self, procedure: str) -> dict[str, Any]:
        """One of Iceberg's procedures, which answer with one row; its values by name."""
        names, rows = self.engine.ask("sql", self.number, f"CALL lake.system.{procedure}")
        (row,) = rows
        return dict(zip(names, row, strict=True))

    def configure(self, key: str, value: str) -> None:
        self.engine.ask("configure", self.number, key, value)


def open_session(engine: Apart, url: str, **more: str) -> Spark:
    """`more` are properties of the catalog, with underlines for hyphens."""
    properties = {
        "type": "rest",
        "uri": url,
        "cache-enabled": "false",
        "rest-metrics-reporting-enabled": "false",
        **{key.replace("_", "-"): value for key, value in more.items()},
    }
    settings = {f"{_CATALOG}.{key}": value for key, value in properties.items()}
    settings[_CATALOG] = "org.apache.iceberg.spark.SparkCatalog"
    session = Spark(engine, engine.ask("open", settings))
    session.run("CREATE NAMESPACE IF NOT EXISTS lake.shop", "USE lake.shop")
    return session
