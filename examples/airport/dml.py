"""A table of one's own that clients change: an object with `insert`, `update` and `delete`.

ATTACH 'demo' AS "demo" (TYPE airport, LOCATION 'grpc://127.0.0.1:PORT');
inserted 2, updated 1, deleted 1
{1: 'wash up', 3: 'SING'}
no: task 1 is there already
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import lakeport
from lakeport.airport import Catalog, Server


class Tasks:
    """Tasks in a dictionary. The column `id` serves as the row id that UPDATE and DELETE go by."""

    schema = pa.schema([("id", pa.int64())]).append(pa.field("task", pa.string()))
    row_id = "id"

    def __init__(self) -> None:
        self.tasks: dict[int, str] = {1: "wash up"}

    def scan(self) -> list[dict[str, Any]]:
        return [{"id": key, "task": task} for key, task in self.tasks.items()]

    def insert(self, rows: pa.Table) -> None:
        """All of them or none: whoever raises has changed nothing."""
        added = {row["id"]: row["task"] for row in rows.to_pylist()}
        for taken in added.keys() & self.tasks.keys():
            raise lakeport.AlreadyExistsError(f"task {taken} is there already")
        self.tasks |= added

    def update(self, row_ids: Any, rows: pa.Table) -> None:
        for key, row in zip(row_ids.to_pylist(), rows.to_pylist(), strict=True):
            self.tasks[key] = row["task"]

    def delete(self, row_ids: Any) -> None:
        for key in row_ids.to_pylist():
            del self.tasks[key]


def main() -> None:
    tasks, demo = Tasks(), Catalog("demo")
    demo.schema("home").table("tasks", tasks)
    with Server(demo) as server, lakeport.connect(server.location) as lake:
        print(server.attach_statements()[-1])
        table = lake.table("home.tasks")
        added = table.append([{"id": 2, "task": "cook"}, {"id": 3, "task": "sing"}])
        changed = table.update({"task": "upper(task)"}, where="task = 'sing'")
        gone = table.delete(where="id = 2")
        print(f"inserted {added.rows}, updated {changed.rows}, deleted {gone.rows}")
        print(tasks.tasks)
        try:
            table.append([{"id": 1, "task": "again"}])
        except lakeport.LakeportError as error:
            print("no:", error.message)


if __name__ == "__main__":
    main()
