"""Others that do the same work, each measured in its own way but on the same texts in the same run.

sqlglot runs in this process. sqllineage and FlowScope (`flowscope`) get throw-away environments in a cache folder
outside the repository; where they cannot be installed, the reason is the result.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.lineage import lineage
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from bench.lineage_parts import retail

DIALECT = "spark"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "lakeport-bench"
SQLLINEAGE = "sqllineage==1.5.9"
# sqllineage needs about 300 ms for a query: a sample tells enough.
SAMPLE = 8
_INSTALL_SECONDS = 300
_SQLLINEAGE_PROGRAM = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
from sqllineage.core.metadata.dummy import DummyMetaDataProvider
from sqllineage.runner import LineageRunner

given = json.load(sys.stdin)
provider = DummyMetaDataProvider({f"<default>.{k}": v for k, v in given["tables"].items()})
def seconds(statements):
    start = time.process_time()
    for sql in statements:
        LineageRunner(sql, dialect="sparksql", metadata_provider=provider).get_column_lineage()
    return time.process_time() - start
print(json.dumps({"queries": seconds(given["queries"]), "workload": seconds(given["workload"])}))
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU seconds for all queries and for the whole workload, or why there are none."""

    queries: float = 0.0
    workload: float = 0.0
    skipped: str | None = None


def parse_all(statements: list[str]) -> None:
    for sql in statements:
        sqlglot.parse_one(sql, read=DIALECT)


def parse_and_look(statements: list[str]) -> int:
    """Parse, then visit every node once: by a table of classes, on a stack, doing nothing."""
    rules: dict[type, int] = {}
    seen = 0
    for sql in statements:
        stack: list[Any] = [sqlglot.parse_one(sql, read=DIALECT)]
        while stack:
            node = stack.pop()
            seen += rules.setdefault(node.__class__, 1)
            for value in node.args.values():
                if value.__class__ is list:
                    stack += [item for item in value if isinstance(item, sqlglot.Expr)]
                elif isinstance(value, sqlglot.Expr):
                    stack.append(value)
    return seen


def mapping_schema() -> MappingSchema:
    columns: dict[str, object] = {
        name: {column: retail.column_type(column) for column in names}
        for name, names in retail.tables().items()
    }
    return MappingSchema(columns, dialect=DIALECT)


def lineage_of_all(statements: list[str], schema: MappingSchema) -> None:
    """Parse, qualify and trace every output column, the fastest way sqlglot offers."""
    for sql in statements:
        tree = sqlglot.parse_one(sql, read=DIALECT)
        query = tree if isinstance(tree, sqlglot.exp.Query) else tree.find(sqlglot.exp.Query)
        if query is None:
            continue
        try:
            qualified = qualify(
                query, schema=schema, dialect=DIALECT, validate_qualify_columns=False
            )
            lineage(None, qualified, schema, dialect=DIALECT, copy=False, trim_selects=False)
        except SqlglotError:
            continue  # it raises on some inputs; what it did until then is counted


def sqllineage(queries: list[str], statements: list[str]) -> Measured:
    """A sample, scaled to the whole."""
    folder = CACHE / "sqllineage"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        reason = failed([sys.executable, "-m", "venv", str(folder)]) or failed(
            [str(python), "-m", "pip", "install", "--quiet", SQLLINEAGE]
        )
        if reason:
            return Measured(skipped=f"pip could not install it: {reason}")
        (folder / "ready").touch()
    step = len(queries) // SAMPLE
    sample = {
        "queries": queries[::step],
        "workload": statements[: SAMPLE * 5],
        "tables": retail.tables(),
    }
    found = _answered([str(python), "-c", _SQLLINEAGE_PROGRAM], sample)
    if isinstance(found, str):
        return Measured(skipped=found)
    return Measured(
        found["queries"] * len(queries) / len(sample["queries"]),
        found["workload"] * len(statements) / len(sample["workload"]),
    )


def _answered(command: list[str], payload: dict[str, Any]) -> Any:
    """What a program says as JSON in its last line, or why it says nothing."""
    done = subprocess.run(
        command,
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        check=False,
        timeout=_INSTALL_SECONDS,
    )
    if done.returncode:
        return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "it failed"
    return json.loads(done.stdout.strip().splitlines()[-1])


def failed(command: list[str]) -> str | None:
    """Run a set-up step; why it failed, or None."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_INSTALL_SECONDS
        )
    except subprocess.TimeoutExpired:
        return "it took too long"
    lines = (done.stderr or done.stdout).strip().splitlines()
    return (lines[-1] if lines else "no reason given") if done.returncode else None
