"""DuckDB as a test speaks to it: a fresh database, in which a door of ours can be attached as `lake`."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from tests.engines.apart import Apart
from tests.engines.plain import Row, in_order, rows_of


@dataclass(frozen=True)
class Duck:
    engine: Apart
    number: int

    def attach(self, url: str, token: str | None = None) -> Duck:
        """With a token if there is one. Names without a namespace are in `lake.shop`."""
        if token is None:
            way = "AUTHORIZATION_TYPE 'none'"
        else:
            self.sql(f"CREATE SECRET key (TYPE iceberg, TOKEN '{token}')")
            way = "SECRET key"
        self.sql(f"ATTACH 'lake' AS lake (TYPE iceberg, ENDPOINT '{url}', {way})")
        self.sql("USE lake.shop")
        return self

    def sql(self, text: str) -> pa.Table:
        answer = self.engine.ask("sql", self.number, text)
        if not isinstance(answer, pa.Table):
            raise TypeError(f"expected rows, got {answer!r}")
        return answer

    def rows(self, what: str, columns: str = "*") -> list[Row]:
        return in_order(rows_of(self.sql(f"SELECT {columns} FROM {what}")))


def open_database(engine: Apart) -> Duck:
    return Duck(engine, engine.ask("open"))
