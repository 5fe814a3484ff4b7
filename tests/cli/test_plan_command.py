"""`lakeport plan` as a person reads it and as a program does; tables are real, Spark is not asked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.pipeline.planning.workshop import Workshop

ORDERS = "SELECT id, amount, coupon FROM raw.orders"


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    made = Workshop.in_folder(
        tmp_path,
        '[pipeline.defaults]\nstrategy = "append"\n',
        staging__orders=ORDERS,
        staging__people="SELECT 1 AS id",
        marts__revenue="SELECT id, amount AS total, coupon FROM staging.orders",
    )
    made.table("raw.orders", id="bigint", amount="int", coupon="string", note="string")
    made.carry_out()
    return made


@pytest.mark.usefixtures("shop")
def test_what_does_not_change_is_one_line_each(lakeport: Run) -> None:
    done = lakeport("plan", "--no-spark")
    assert done.out.splitlines() == [
        "1  staging.orders  append  unchanged",
        "1  staging.people  append  unchanged",
        "2  marts.revenue   append  unchanged",
        "",
        "3 models, nothing changes",
    ]
    assert (done.code, done.err) == (0, "")
    assert lakeport("plan", "--no-spark", "--check").code == 0


def test_what_changes_is_told_with_whom_it_reaches(shop: Workshop, lakeport: Run) -> None:
    shop.model(
        "staging.orders", "SELECT id, CAST(amount AS BIGINT) AS amount, note FROM raw.orders"
    )
    done = lakeport("plan", "--no-spark")
    assert done.out == (
        "1  staging.orders  append  changed: its query changed\n"
        "     models/staging/orders.sql · rows added\n"
        "     ~ amount  int → bigint\n"
        "     ∅ coupon  string, NULL in new rows: the model no longer has it\n"
        "     + note    string\n"
        "     → marts.revenue.coupon  from coupon, which will be NULL for new rows\n"
        "     → marts.revenue.total   from amount, which gets wider\n"
        "\n"
        "1  staging.people  append  unchanged\n"
        "2  marts.revenue   append  changed: `staging.orders` changes before it\n"
        "     models/marts/revenue.sql · rows added\n"
        "     ~ total  int → bigint\n"
        "     ? column `coupon` is made of `staging.orders.coupon`, which will be NULL for new rows:"
        " the model `staging.orders` no longer has it\n"
        "\n"
        "2 of 3 models change, 1 column added, 1 padded, 2 widened, 2 downstream columns affected,"
        " nothing is dropped\n"
    )
    assert done.code == 0
    assert lakeport("plan", "--no-spark", "--check").code == 1


def test_what_is_refused_comes_with_remedies_and_the_answer_no(
    shop: Workshop, lakeport: Run
) -> None:
    shop.model("staging.orders", ORDERS.replace("amount", "'much' AS amount"))
    done = lakeport("plan", "--no-spark")
    assert done.code == 1
    assert "! amount  refused: column `amount` is int, the model gives string" in done.out
    assert "remedy: cast `amount` to INT in the model" in done.out
    assert "2  marts.revenue   append  blocked by staging.orders" in done.out
    assert done.out.endswith("\n3 models: 1 downstream column affected, 1 refused, 1 blocked\n")


def test_json_is_whole_and_versioned(shop: Workshop, lakeport: Run) -> None:
    shop.model("staging.orders", "SELECT id, amount, note FROM raw.orders")
    done = lakeport("plan", "--no-spark", "--json", "--select", "staging.orders")
    found = json.loads(done.out)
    assert found["version"] == 1
    assert found["summary"]["added"] == 1
    (model,) = found["models"]
    assert model["model"] == "staging.orders"
    assert model["strategy"] == "append"
    assert model["schema"] == {
        "added": [{"name": "note", "type": "string"}],
        "padded": [{"name": "coupon", "type": "string", "new": True}],
        "widened": [],
        "relaxed": [],
        "refused": [],
    }
    assert model["downstream"] == [
        {
            "model": "marts.revenue",
            "column": "coupon",
            "cause": "coupon",
            "effect": "null",
            "through": ["staging.orders.coupon"],
            "approximate": False,
        }
    ]
    (statement,) = model["sql"]
    assert statement.startswith("INSERT INTO `lake`.`staging`.`orders` (")


def test_rows_that_a_change_decides_about_are_a_line_for_each_model(
    shop: Workshop, lakeport: Run
) -> None:
    shop.model("marts.used", "SELECT id FROM orders WHERE coupon = 'x' AND amount > 1 ORDER BY id")
    shop.model("marts.code", "SETTINGS = {'depends_on': ['staging.orders']}", ending="py")
    with (shop.root / "models/marts/code.py").open("a") as file:
        file.write("\n\ndef model(context):\n    return context.table('staging.orders')\n")
    shop.carry_out()
    shop.model("staging.orders", "SELECT id FROM raw.orders")
    done = lakeport("plan", "--no-spark", "-s", "staging.orders")
    reached = done.out.splitlines()[4:]
    assert reached[-1].endswith(
        "2 downstream columns affected, rows of 2 downstream models, nothing is dropped"
    )
    assert reached[:-1] == [
        "     → marts.revenue.total          from amount, which will be NULL for new rows",
        "     → marts.revenue.coupon         from coupon, which will be NULL for new rows",
        "     → marts.code (code)            may read amount, coupon, which will be NULL for new rows",
        "     → rows of marts.used (filter)  by amount, coupon, which will be NULL for new rows",
        "",
    ]
    (model,) = json.loads(lakeport("plan", "--no-spark", "--json", "-s", "staging.orders").out)[
        "models"
    ]
    assert model["downstream_rows"][-1] == {
        "model": "marts.used",
        "cause": "coupon",
        "effect": "null",
        "uses": ["filter"],
        "through": ["staging.orders.coupon"],
        "approximate": False,
    }


def test_a_full_refresh_says_what_goes_with_the_rows(shop: Workshop, lakeport: Run) -> None:
    shop.model("staging.orders", "SELECT id, amount FROM raw.orders")
    shop.carry_out()
    assert "keeps 1 column no longer in the model: coupon" in lakeport("plan", "--no-spark").out
    done = lakeport("plan", "--no-spark", "--full-refresh")
    assert done.out == (
        "1  staging.orders  full  unchanged; keeps 1 column no longer in the model: coupon\n"
        "     models/staging/orders.sql · all rows replaced\n"
        "     ∅ coupon  string, as before\n"
        "     ? the values of column `coupon` go with the rows: the model has none to put there\n"
        "\n"
        "1  staging.people  full  unchanged\n"
        "2  marts.revenue   full  unchanged\n"
        "\n"
        "note: --full-refresh replaces all rows of 3 tables; their columns stay\n"
        "3 models, nothing changes\n"
    )


@pytest.mark.usefixtures("shop")
def test_sql_is_shown_when_it_is_asked_for(lakeport: Run) -> None:
    done = lakeport("plan", "--no-spark", "--sql", "-s", "staging.people")
    assert "     -- the query\n     SELECT 1 AS id\n     -- then\n     INSERT INTO" in done.out


def test_a_wrong_project_is_told_with_file_line_and_caret(shop: Workshop, lakeport: Run) -> None:
    shop.model("marts.revenue", "SELECT id\nFROM staging.ordrs")
    done = lakeport("plan", "--no-spark")
    assert done.code == 2
    assert "models/marts/revenue.sql:2:6: there is no table `staging.ordrs`" in done.err
    assert "FROM staging.ordrs\n       ^" in done.err
    assert "did you mean `staging.orders`?" in done.err


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--select", "ordrs"), "orders"),
        (("--from", "yesterday"), "--from 2026-03-01"),
        (("--from", "2026-02-01", "--to", "2026-01-01"), "--from comes before --to"),
        (("--env", "dev"), "[pipeline.environments.dev]"),
    ],
)
def test_wrong_use_says_what_to_do(lakeport: Run, arguments: tuple[str, ...], said: str) -> None:
    done = lakeport("plan", "--no-spark", *arguments)
    assert done.code in {1, 2}
    assert said in done.err


def test_a_plan_without_spark_loads_none_of_it(shop: Workshop) -> None:
    code = (
        "import sys; from lakeport.cli.main import run\n"
        f"code = run(['plan', '--no-spark', '--project', {str(shop.root)!r}])\n"
        "assert 'pyspark' not in sys.modules and 'rich.progress' not in sys.modules\n"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("3 models, nothing changes\n")
