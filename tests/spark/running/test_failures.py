"""What goes wrong in one model is told with its file and line, and stops nobody who does not need it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lakeport.app import wiring
from lakeport.app.project.request import RunRequest
from lakeport.app.project.run import run_project
from lakeport.pipeline.project import ProjectError
from lakeport.pipeline.session import Spark
from tests.spark.running.folder import Folder, of, statuses

GOOD = "SELECT 1 AS id"


def message(folder: Folder, name: str) -> str:
    result = folder.run()
    model = of(result, name)
    assert model.status == "failed", model
    assert model.error is not None
    return str(model.error)


def test_a_model_that_fails_blocks_its_descendants_only(folder: Folder) -> None:
    folder.model("t.good", GOOD)
    folder.model("t.bad", "SELECT id,\n       id / 0 AS nothing\nFROM t.good")
    folder.model("t.eph", "SELECT * FROM t.bad", materialized="ephemeral")
    folder.model("t.below", "SELECT * FROM t.eph")
    folder.model("t.beside", "SELECT * FROM t.good")
    result = folder.run()
    assert result.status == "failed"
    assert statuses(result) == {
        "t.good": "succeeded",
        "t.bad": "failed",
        "t.beside": "succeeded",
        "t.eph": "skipped",
        "t.below": "blocked",
    }
    assert str(of(result, "t.below").blocked_by) == "t.bad"
    error = of(result, "t.bad").error
    assert error is not None
    assert "DIVIDE_BY_ZERO" in error.message
    # What is left is done by going on; what was done is not done again.
    folder.model("t.bad", "SELECT id, 1 AS nothing FROM t.good")
    again = folder.run(retry=True)
    assert again.run_id == result.run_id
    assert statuses(again) == {
        "t.good": "recovered",
        "t.bad": "succeeded",
        "t.beside": "recovered",
        "t.eph": "skipped",
        "t.below": "succeeded",
    }
    assert folder.runs("t.good") == [result.run_id]


def test_what_spark_has_against_a_query_is_told_with_its_line(folder: Folder) -> None:
    folder.python("t.frame", "def model(context):\n    return context.spark.range(1)\n")
    folder.model(
        "t.bad", "/* lakeport\nstrategy = 'full'\n*/\nSELECT id,\n  idd + 1 AS x\nFROM t.frame"
    )
    told = message(folder, "t.bad")
    assert told.startswith("models/t/bad.sql:5:3: there is no column `idd`\n  idd + 1 AS x\n  ^")
    assert "did you mean `id`?" in told


BAD_MODELS = {
    """
def helper():
    raise ValueError('no luck')

def model(context):
    return helper()
""": "models/t/m.py:5: ValueError: no luck\n    raise ValueError('no luck')\n  called by models/t/m.py:8",
    "def model(context):\n    return 5\n": "models/t/m.py: `model` returned a value of type int",
    "def model(context):\n    pass\n": "models/t/m.py: `model` returned nothing",
    "def model(context):\n    return 'SELECT 1'\n": "`model` returned a text (return `context.sql(text)`",
    "def model(context):\n    raise SystemExit(3)\n": "models/t/m.py:4: SystemExit: 3",
    "import nothing_like_it\n\ndef model(context): ...\n": "models/t/m.py:3: ModuleNotFoundError",
    "def model(context):\n    return context.table('t.other')\n": (
        "models/t/m.py reads `t.other`, which its `depends_on` does not name"
    ),
    """
def model(context):
    context.spark.sql('ALTER TABLE t.good DROP COLUMN note')
    return context.table('t.good')
""": "models/t/m.py:5: ",
    """
import pyarrow as pa

def model(context):
    yield pa.record_batch({'id': [1]})
    raise KeyError('later')
""": "models/t/m.py:8: KeyError: 'later'",
    "def model(context):\n    yield {'id': 1}\n": "`model` gave a dict where a record batch was expected",
}


def test_models_in_python_that_go_wrong(folder: Folder) -> None:
    folder.model("t.good", "SELECT 1 AS id, 'x' AS note", strategy="full")
    for number, code in enumerate(BAD_MODELS):
        folder.python(f"t.m{number}", code, depends_on=["t.good"])
    result = folder.run()
    for number, expected in enumerate(BAD_MODELS.values()):
        model = of(result, f"t.m{number}")
        assert model.status == "failed", expected
        told = str(model.error).replace(f"/m{number}.py", "/m.py")
        assert expected in told
        assert "lakeport/pipeline" not in told
    assert folder.rows("t.good") == [(1, "x")]
    with folder.lake() as lake:
        assert lake.tables("t") == ["t.good"]


def test_what_python_may_return(folder: Folder) -> None:
    forms = {
        "table": "return pa.table({'id': [1, 2]})",
        "reader": "return pa.table({'id': [1, 2]}).to_reader()",
        "batches": "return iter(pa.table({'id': [1, 2]}).to_batches())",
        "spark": "return context.spark.range(1, 3)",
        "this": "return context.sql('SELECT id FROM VALUES (1L), (2L) AS v (id) WHERE id >= :least')",
    }
    folder.toml("[pipeline.parameters]\nleast = 1\n")
    for name, line in forms.items():
        folder.python(f"t.{name}", f"import pyarrow as pa\n\ndef model(context):\n    {line}\n")
    result = folder.run()
    assert result.status == "succeeded", [model.error for model in result.models]
    for name in forms:
        assert folder.rows(f"t.{name}") == [(1,), (2,)]


def test_a_view_where_a_table_is_and_the_other_way_round(folder: Folder) -> None:
    folder.model("t.a", GOOD)
    folder.model("t.b", "SELECT * FROM t.a", materialized="view")
    assert folder.run().status == "succeeded"
    folder.model("t.a", GOOD, materialized="view")
    folder.model("t.b", "SELECT 1 AS id")
    result = folder.run()
    assert "is a table, and the model builds a view" in str(of(result, "t.a").error)
    assert "is a view, and the model builds a table" in str(of(result, "t.b").error)


def test_a_source_that_is_not_there_is_told_without_asking_spark(folder: Folder) -> None:
    (folder.root / "sources.toml").write_text('[raw.orders]\ndescription = "x"\n')
    folder.model("t.a", "SELECT * FROM raw.orders")
    told = message(folder, "t.a")
    assert told.startswith("models/t/a.sql:1:15: the source `raw.orders` is not in the lake")
    assert "`lakeport load raw.orders FILE`" in told


def never() -> Spark:
    raise AssertionError("Spark was started")


def test_problems_of_the_project_are_told_before_spark_is_started(folder: Folder) -> None:
    folder.model("t.a", "SELECT * FROM t.b")
    folder.model("t.b", "SELECT * FROM t.a")
    folder.model("t.c", "SELECT * FROM no.where")
    with pytest.raises(ProjectError) as wrong:
        run_project(folder.settings(), RunRequest(), spark=never)
    assert {problem.place.path for problem in wrong.value.problems} >= {"models/t/c.sql"}


def test_where_nothing_is_to_do_spark_is_not_started(folder: Folder) -> None:
    folder.model("t.a", GOOD)
    first = folder.run("state:modified")
    assert statuses(first) == {"t.a": "succeeded"}
    modified = RunRequest(select=("state:modified",))
    assert run_project(folder.settings(), modified, spark=never).models == ()
    # Nor to find out that all of a run was done before it was killed.
    whole = folder.run()
    killed(folder, whole.run_id)
    again = run_project(folder.settings(), RunRequest(), spark=never)
    assert again.run_id == whole.run_id
    assert again.notes[0].startswith(f"goes on with run {whole.run_id} of 20")
    assert statuses(again) == {"t.a": "recovered"}
    killed(folder, whole.run_id)
    retried = folder.run(retry=True)
    assert retried.run_id == whole.run_id
    killed(folder, whole.run_id)
    assert folder.run(new=True).run_id != whole.run_id
    with wiring.open_state(folder.settings()) as store:
        assert store.runs.interrupted("lake")[0].error == "it was killed"
    last = folder.run()
    assert last.run_id != whole.run_id  # it was settled, and is history
    # A project that was changed since is not gone on with, unless somebody insists.
    killed(folder, last.run_id)
    folder.model("t.a", "SELECT 2 AS id")
    insisted = folder.run(retry=True)
    assert insisted.run_id == last.run_id
    assert "run it again without --retry" in of(insisted, "t.a").warnings[0]
    killed(folder, last.run_id)
    anew = folder.run()
    assert anew.run_id != last.run_id
    assert folder.rows("t.a") == [(2,)]


def killed(folder: Folder, run_id: str) -> None:
    """A run as the store has it when its process was killed before it could say anything."""
    with wiring.open_state(folder.settings()) as store:
        run = store.runs.get(run_id)
        assert run is not None
        store.runs.end(run_id, "failed", run.started_ns)
        store.runs.resume(run_id, replace(run.owner, process="another"))
