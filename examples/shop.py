"""`make demo`: a folder of models becomes a lake that grows, and is served.

Every line after a `$` is a real run of the command line in a new project, on the embedded default: a SQLite
catalog and a warehouse folder under `.lakeport/`, and a Spark that is started for the run.
"""

from __future__ import annotations

import difflib
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from examples.telling import note, say

LAKEPORT = str(Path(sys.executable).parent / "lakeport")

NEW_CUSTOMERS = """\
customer_id,name,email,country,signed_up_at
7,Greta Holm,greta@lake.example,se,2024-03-02 08:00:00
"""
# `country` goes, `region` comes.
BEFORE = "  upper(country) AS country,\n"
AFTER = "  if(upper(country) IN ('SG', 'NG'), 'overseas', 'europe') AS region,\n"

WRITTEN_BACK = '{"customer_id": 8, "name": "Hugo Brandt", "country": "AT"}\n'


def main() -> None:
    print("Lakeport: a folder of models becomes a lake that grows, and is served")
    with tempfile.TemporaryDirectory() as folder:
        shop = Path(folder) / "shop"
        say("begin", "an example project and its raw data")
        run("init shop --example shop", Path(folder), shown=False)
        for table in ("customers", "products", "orders", "order_items"):
            run(f"load raw.{table} data/{table}.csv", shop)

        say("plan", "what would happen, before anything does")
        run("plan", shop)
        say("run", "models in the order of their lineage, each one commit")
        run("run", shop)

        say("change", "a model loses one column and gains another; a customer is new")
        change(shop / "models" / "staging" / "customers.sql")
        (shop / "data" / "new.csv").write_text(NEW_CUSTOMERS)
        run("load raw.customers data/new.csv", shop)
        say("plan", "what that does to the table, and who is affected")
        run("plan --select state:modified+", shop)
        run("run", shop)

        say("look", "nothing is lost; the new row is padded with NULL")
        columns = "customer_id,name,country,region"
        run(f"read staging.customers --columns {columns} --where 'customer_id > 4'", shop)
        say("trace", "where a column comes from")
        run("lineage models --catalog --column marts.daily_revenue.revenue", shop)

        say("serve", "the lake over Arrow Flight, to DuckDB and everybody else")
        with served(shop) as server:
            there = f"--server {server}"
            asked = f"read marts.customer_value --columns customer_id,country,orders {there}"
            run(f"{asked} --where 'customer_id > 4'")
            run(f"{asked} --where 'customer_id > 4' --at 'version 1'")
            say("write", "a row back, over the same port")
            (shop / "data" / "back.json").write_text(WRITTEN_BACK)
            run(f"load staging.customers data/back.json {there}", shop)
            run(f"history staging.customers {there}")
    print("\nEvery version above can still be read, by any engine that reads Iceberg.")


def change(path: Path) -> None:
    old = path.read_text()
    new = old.replace(BEFORE, AFTER)
    path.write_text(new)
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=1, lineterm="")
    for line in list(lines)[3:]:
        note(line)
    print()


@contextmanager
def served(project: Path) -> Iterator[str]:
    """The address of a server that is ready."""
    ports = ("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0")
    print("$ lakeport serve", flush=True)
    command = [LAKEPORT, "serve", "--project", str(project), *ports, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        try:
            assert server.stdout is not None  # noqa: S101  it was asked for
            address: str = json.loads(server.stdout.readline())["grpc"]
            print(f"ATTACH 'lake' AS lake (TYPE AIRPORT, LOCATION '{address}');\n")
            yield address
        finally:
            server.terminate()


def run(command: str, folder: Path | None = None, *, shown: bool = True) -> None:
    print(f"$ lakeport {command}", flush=True)
    words = [LAKEPORT, *shlex.split(command)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if shown or done.returncode:
        print(done.stdout)
    if done.returncode:
        sys.exit(done.stderr)


if __name__ == "__main__":
    main()
