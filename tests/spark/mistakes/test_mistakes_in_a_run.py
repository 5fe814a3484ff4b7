"""Mistakes that only Spark or the rows can show, all in one project: one run tells each with its file, its
line and what to do, says nothing that is not the author's business, and loses nothing.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeport.cli.output.run import show_run
from lakeport.cli.output.text import Page
from lakeport.pipeline.session import Spark
from tests.spark.running.folder import Folder

PROGRAM = str(Path(sys.executable).with_name("lakeport"))
INTERNAL = re.compile(
    r"Traceback|Py4J|py4j|at org\.apache|site-packages|SQLSTATE|Malformed request|lakeport_model_|\.java:"
)
GOOD = "SELECT 1 AS id, 'x' AS name, DATE'2026-01-01' AS day"
RETYPED = "SELECT 1 AS id, 5 AS amount"
AUDITED = "SELECT 1 AS id, 'ok' AS name"

SQL: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "t.column": (
        "-- a note\nSELECT\n  nme\nFROM t.good",
        {"materialized": "table"},
        "models/t/column.sql:6:3: there is no column `nme`\n  nme\n  ^",
        "did you mean `name`",
    ),
    "t.template": (
        "SELECT {{ 'nme' }} AS x FROM t.good",
        {},
        "models/t/template.sql:1: there is no column `nme`\n  SELECT {{ 'nme' }} AS x FROM t.good",
        "did you mean `name`",
    ),
    "t.routine": (
        "SELECT\n  uper(name) AS n FROM t.good",
        {},
        "models/t/routine.sql:2:3: Spark cannot run the query: [UNRESOLVED_ROUTINE]",
        "spark.log",
    ),
    "t.divides": (
        "SELECT id / 0 AS x FROM t.good",
        {},
        "models/t/divides.sql:1:8: Spark cannot run the query: [DIVIDE_BY_ZERO]",
        "spark.log",
    ),
    "t.rendered": (
        "{% set n = 0 %}\nSELECT\n  id,\n  id / {{ n }} AS x\nFROM t.good",
        {},
        "models/t/rendered.sql:4: Spark cannot run the query: [DIVIDE_BY_ZERO]",
        "spark.log",
    ),
    "t.through": (
        "SELECT *\nFROM t.hidden",
        {},
        "models/t/hidden.sql:5:3: Spark cannot run the query: [DIVIDE_BY_ZERO]",
        "spark.log",
    ),
    "t.seen": (
        "SELECT\n  id,\n  nme\nFROM t.good",
        {"materialized": "view", "description": "It's\nlong"},
        "models/t/seen.sql:7:3: there is no column `nme`\n  nme\n  ^",
        "did you mean `name`",
    ),
    "t.retyped": (
        "SELECT id, 'much' AS amount FROM t.good",
        {"materialized": "incremental"},
        "models/t/retyped.sql: table `t.retyped` cannot take these rows: column `amount` is int",
        'cast `amount` to INT in the model, or set on_type_change = "cast"',
    ),
    "t.required": (
        "SELECT id FROM t.good",
        {"materialized": "incremental"},
        "models/t/required.sql: table `t.required` cannot take these rows: column `code` is NOT NULL",
        'on_removed_required = "relax"',
    ),
    "t.audited": (
        "SELECT id, CAST(NULL AS STRING) AS name FROM t.good",
        {"unique_key": ["id"], "audits": [{"not_null": "name"}]},
        "models/t/audited.sql:3: audit `not_null_name`: 1 of 1 rows have a NULL in `name`",
        "nothing was published",
    ),
    "t.no_audit": (
        "SELECT id, name FROM t.good",
        {"audits": [{"not_null": "nam"}]},
        "models/t/no_audit.sql:2: audit `not_null_nam`: it cannot be asked: the model has no column",
        "nothing was published",
    ),
    "t.bad_audit": (
        "SELECT id, name FROM t.good",
        {"audits": [{"sql": "SELECT nam FROM this_rows"}]},
        "audit `sql`: it cannot be asked: there is no column `nam`; did you mean `name`",
        "nothing was published",
    ),
    "t.unloaded": (
        "SELECT *\nFROM raw.unloaded",
        {},
        "models/t/unloaded.sql:2:6: the source `raw.unloaded` is not in the lake",
        "`lakeport load raw.unloaded FILE`",
    ),
    "t.no_key": (
        "SELECT id FROM t.good",
        {"unique_key": "idd"},
        "models/t/no_key.sql:2: for its unique_key the model has no column `idd`",
        "did you mean `id`?",
    ),
    "t.keys": (
        "SELECT id FROM t.good UNION ALL SELECT id FROM t.good",
        {"strategy": "merge", "unique_key": "id"},
        "models/t/keys.sql: several rows have the same `id`: 1",
        "make the key unique in the model",
    ),
    "t.twins": (
        "SELECT 1 AS a, 2 AS A",
        {},
        "models/t/twins.sql: table `t.twins` cannot take these rows: the model has `a` and `A`",
        "rename one of them",
    ),
    "t.reserved": (
        "SELECT 1 AS `_file`",
        {},
        "models/t/reserved.sql: table `t.reserved` cannot take these rows: a column cannot be called",
        "another name",
    ),
}

PYTHON: dict[str, tuple[str, str, str]] = {
    "p.raises": (
        "def helper(x):\n    return {}[x]\n\ndef model(context):\n    return helper('key')\n",
        "models/p/raises.py:4: KeyError: 'key'\n    return {}[x]\n  called by models/p/raises.py:7",
        "correct the model `p.raises`",
    ),
    "p.returns": (
        "def model(context):\n    return 5\n",
        "models/p/returns.py: `model` returned a value of type int",
        "return a data frame of Spark",
    ),
    "p.batches": (
        (
            "import pyarrow as pa\n\ndef model(context):\n"
            "    yield pa.record_batch({'id': [1]})\n    yield pa.record_batch({'other': [2]})\n"
        ),
        "models/p/batches.py: `model` gave batches of different columns: first (id int64), then",
        "the same names and types",
    ),
    "p.drops": (
        (
            "def model(context):\n"
            "    context.spark.sql('ALTER TABLE t.good DROP COLUMN name')\n"
            "    return context.table('t.good')\n"
        ),
        "models/p/drops.py:4: column `name` would be dropped (a run lets tables grow and takes nothing",
        "correct the model `p.drops`",
    ),
    "p.renames": (
        (
            "def model(context):\n"
            "    context.spark.sql('ALTER TABLE t.good RENAME COLUMN name TO nom')\n"
        ),
        "models/p/renames.py:4: column `name` would be renamed to `nom`",
        "correct the model `p.renames`",
    ),
    "p.column": (
        "def model(context):\n    return context.table('t.good').select('nme')\n",
        "models/p/column.py:4: there is no column `nme`\n    return context.table",
        "did you mean `name`",
    ),
    "p.sql": (
        "def model(context):\n    return context.sql('SELECT id FRM t.good')\n",
        "models/p/sql.py:4: this is not one query",
        "write one SELECT",
    ),
    "p.undeclared": (
        "def model(context):\n    return context.table('t.gud')\n",
        "models/p/undeclared.py reads `t.gud`, which its `depends_on` does not name",
        "did you mean `t.good`?",
    ),
    "p.late": (
        (
            "from pyspark.sql.functions import udf\n\ndef late(x):\n    import shared.words\n\n"
            "def model(context):\n"
            "    return context.table('t.good').select(udf(late)('id').alias('x'))\n"
        ),
        "models/p/late.py: Spark cannot run the query: late.py:6: ModuleNotFoundError: No module",
        "at the top of the file",
    ),
    "p.worker": (
        (
            "from pyspark.sql.functions import udf\n\ndef boom(x):\n    raise ValueError('no luck')\n\n"
            "def model(context):\n"
            "    return context.table('t.good').select(udf(boom)('id').alias('x'))\n"
        ),
        "models/p/worker.py: Spark cannot run the query: worker.py:6: ValueError: no luck",
        "spark.log",
    ),
}

HIDDEN = "SELECT\n  id / 0 AS x\nFROM t.good"

# Not a mistake: functions of a model's own file run in Spark's workers.
WORKS = (
    "from dataclasses import dataclass\n\nfrom pyspark.sql.functions import udf\n\n"
    "@dataclass\nclass Pair:\n    x: int\n\ndef twice(x):\n    return Pair(x * 2).x\n\n"
    "def model(context):\n"
    "    return context.table('t.good').select(udf(twice, 'int')('id').alias('x'))\n"
)

# Nor are those of modules beside the models, imported in whichever way.
SHARED = {
    "shared/__init__.py": "",
    "shared/words.py": "from shared.more import ENDS\n\ndef loud(x):\n    return x.upper() + ENDS\n",
    "shared/more.py": "ENDS = '!'\n\ndef far(x):\n    return x + '?'\n",
    "alone.py": "class Twice:\n    def of(self, x):\n        return x + x\n",
}
SHARES = (
    "import shared.words\nfrom alone import Twice\nfrom pyspark.sql.functions import udf\n\n"
    "def told(x):\n    return shared.words.loud(Twice().of(x))\n\n"
    "def model(context):\n    from shared.more import far\n\n"
    "    return context.table('t.good').select(\n"
    "        udf(told)('name').alias('a'), udf(far)('name').alias('b'))\n"
)


def lakeport(folder: Folder, *arguments: str) -> subprocess.CompletedProcess[str]:
    """From elsewhere: Spark's workers find what lies in the folder that they were started in."""
    command = [PROGRAM, *arguments, "--project", str(folder.root)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder.root.parent
    )


@pytest.mark.timeout(500)
def test_one_run_tells_every_mistake_and_loses_nothing(folder: Folder, jvm: Spark) -> None:
    del jvm  # so that there is one on this machine
    folder.toml("[pipeline]\narchive = false\n[pipeline.spark]\nmaster = 'local[2]'\n")
    (folder.root / "sources.toml").write_text("[raw.unloaded.columns]\nid = 'int'\n")
    with folder.lake() as lake:
        schema = pa.schema(
            [pa.field("id", pa.int32()), pa.field("code", pa.int32(), nullable=False)]
        )
        lake.create_table("t.required", schema).append(pa.table({"id": [7], "code": [8]}, schema))
    folder.model("t.good", GOOD, materialized="table")
    folder.model("t.retyped", RETYPED, materialized="incremental")
    folder.model("t.audited", AUDITED, unique_key=["id"])
    assert folder.run().status == "succeeded"
    for name, (query, settings, *_) in SQL.items():
        folder.model(name, query, **settings)
    for name, (code, *_) in PYTHON.items():
        folder.python(name, code, depends_on=["t.good"])
    folder.model("t.hidden", HIDDEN, materialized="ephemeral")
    folder.python("p.works", WORKS, depends_on=["t.good"])
    folder.python("p.shares", SHARES, depends_on=["t.good"])
    for path, text in SHARED.items():
        (folder.root / path).parent.mkdir(exist_ok=True)
        (folder.root / path).write_text(text)
    folder.model("t.below", "SELECT * FROM t.audited")
    done = lakeport(folder, "run", "--json")
    assert done.returncode == 1
    told = {each["model"]: each for each in json.loads(done.stdout)["models"]}
    expected = {name: each[-2:] for name, each in (SQL | PYTHON).items()}
    for name, (message, hint) in expected.items():
        assert told[name]["status"] == "failed", told[name]
        error = told[name]["error"]
        assert message in error["message"], error
        assert hint in error["hint"], error
        assert INTERNAL.search(f"{error['message']}\n{error['hint']}") is None, error
    rest = {name: each["status"] for name, each in told.items() if name not in expected}
    assert rest == {
        "t.good": "succeeded",
        "t.hidden": "skipped",
        "p.works": "succeeded",
        "p.shares": "succeeded",
        "t.below": "blocked",
    }, told["p.shares"]
    assert folder.rows("p.works") == [(2,)]
    assert folder.rows("p.shares") == [("XX!", "x?")]
    # What was there before is as it was.
    assert folder.rows("t.retyped") == [(1, 5)]
    assert folder.rows("t.required") == [(7, 8)]
    assert folder.rows("t.audited") == [(1, "ok")]
    assert folder.columns("t.good") == ["id", "name", "day"]
    # People are told the same.
    for_people = lakeport(folder, "run", "--retry", "--select", "t.column")
    assert for_people.returncode == 2
    assert "--retry goes on with the last run" in for_people.stderr
    for_people = lakeport(folder, "run", "-s", "t.column", "p.drops")
    assert for_people.returncode == 2
    page = io.StringIO()
    show_run(folder.run("t.column p.drops"), Page(page))
    for name in ("t.column", "p.drops"):
        assert f"error: {name}: {expected[name][0]}" in page.getvalue()
        assert expected[name][1] in page.getvalue()
    assert INTERNAL.search(page.getvalue()) is None
