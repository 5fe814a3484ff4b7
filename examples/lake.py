"""The first part of `make demo`: files become Iceberg tables that are read, grown and travelled.

Every line after a `$` is a real run of the command line in a new project, on the embedded default: a
SQLite catalog and a warehouse folder under `.lakeport/`.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

LAKEPORT = Path(sys.executable).parent / "lakeport"

LATE_ORDERS = """\
order_id,customer_id,status,ordered_at
1010,2,paid,2024-03-01 08:30:00
1011,6,paid,2024-03-01 09:15:00
"""


def main() -> None:
    print("Lakeport: a lake from files\n")
    with tempfile.TemporaryDirectory() as folder:
        shop = Path(folder) / "shop"
        run("init shop --example shop", Path(folder), shown=False)
        for table in ("customers", "products", "order_items", "orders"):
            run(f"load raw.{table} data/{table}.csv", shop)
        run("""read raw.orders --where "status = 'paid'" """.strip(), shop)
        (shop / "data" / "late.csv").write_text(LATE_ORDERS)
        run("load raw.orders data/late.csv", shop)
        run("read raw.orders --columns order_id,status --where 'order_id > 1008'", shop)
        run(
            "read raw.orders --columns order_id,status --where 'order_id > 1008' --at 'version 1'",
            shop,
        )
        run("lineage models --catalog --column daily_revenue.revenue", shop)


def run(command: str, folder: Path, *, shown: bool = True) -> None:
    print(f"$ lakeport {command}", flush=True)
    done = subprocess.run(
        [LAKEPORT, *shlex.split(command)], cwd=folder, check=True, capture_output=True, text=True
    )
    if shown:
        print(done.stdout)


if __name__ == "__main__":
    main()
