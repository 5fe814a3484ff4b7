"""Types that lineage is certain of are those that Spark gives: of a plan without Spark nothing else is sure."""

from __future__ import annotations

from lakeport.pipeline.growth.spark_words import text_of
from tests.spark.planning.agreement import plan_of
from tests.spark.running.folder import Folder

SOURCE = """SELECT CAST(1 AS TINYINT) AS b, CAST(1 AS SMALLINT) AS s, 1 AS i, 1L AS l, CAST(1 AS FLOAT) AS f,
  1D AS d, 1.25 AS m, CAST(1 AS DECIMAL(12,2)) AS n, 'x' AS t, true AS o, DATE '2026-01-01' AS day,
  TIMESTAMP '2026-01-01 00:00:00' AS at, array(1, 2) AS list, map('k', 1) AS dict,
  named_struct('a', 1, 'b', 'x') AS struct"""
EXPRESSIONS = (
    *(
        "b + s",
        "i + l",
        "i / l",
        "i * m",
        "m + n",
        "m * n",
        "m / n",
        "n % 3",
        "i + d",
        "-n",
        "f * i",
    ),
    *("sum(i)", "sum(n)", "sum(d)", "avg(i)", "avg(n)", "count(*)", "min(at)", "max(day)"),
    *("count(DISTINCT t)", "collect_list(i)", "first(t)", "stddev(i)", "approx_count_distinct(t)"),
    *("any_value(struct)", "max_by(t, i)", "bool_or(o)", "percentile_approx(i, 0.5)"),
)
ROWS = (
    *("CASE WHEN o THEN i ELSE l END", "CASE WHEN o THEN n ELSE 1 END", "coalesce(i, n)"),
    *("coalesce(NULL, t)", "nullif(i, 1)", "if(o, f, d)", "greatest(i, l)", "t || 'y'"),
    *("upper(t)", "length(t)", "substr(t, 1, 1)", "split(t, ',')", "concat_ws('-', t, t)"),
    *("day + 1", "at - INTERVAL 1 DAY", "datediff(day, day)", "date_trunc('day', at)", "year(day)"),
    *("CAST(at AS DATE)", "to_date(t)", "date_add(day, 1)", "unix_timestamp(at)", "at - at"),
    *("list[0]", "dict['k']", "struct.b", "size(list)", "explode(list)", "array(i, l)"),
    *(
        "round(n)",
        "round(n, 1)",
        "round(d)",
        "floor(n)",
        "ceil(d)",
        "abs(i)",
        "sqrt(i)",
        "pow(i, 2)",
    ),
    *("i = 1", "o AND i > 1", "t IN ('a')", "t LIKE 'a%'", "i BETWEEN 1 AND 2", "t IS NULL"),
    *("row_number() OVER (ORDER BY i)", "sum(n) OVER (PARTITION BY t)", "lag(m) OVER (ORDER BY i)"),
    *("hash(t)", "md5(t)", "uuid()", "rand()", "current_date()", "current_timestamp()"),
    *("1e3", "12345678901", "0.5", "'a'", "X'1F'", "NULL", "INTERVAL 1 DAY", "DATE '2026-01-01'"),
    *(
        "CAST(t AS INT)",
        "CAST(i AS DECIMAL(9,2))",
        "t::double",
        "try_cast(t AS DATE)",
        "struct(i, t)",
    ),
)


def test_what_is_certain_without_spark_is_what_spark_says(folder: Folder) -> None:
    folder.model("raw.source", SOURCE)
    for name, expressions in (("grouped", EXPRESSIONS), ("rows", ROWS)):
        items = ",\n  ".join(f"{text} AS c{at}" for at, text in enumerate(expressions))
        folder.model(f"types.{name}", f"SELECT {items}\nFROM raw.source")
    folder.run("raw.source")
    sure = {str(each.model): each.columns or () for each in plan_of(folder, spark=False)}
    truth = {str(each.model): each for each in plan_of(folder)}
    wrong, known = [], 0
    for name, expressions in (("grouped", EXPRESSIONS), ("rows", ROWS)):
        told = truth[f"types.{name}"]
        assert told.obstacles == ()
        assert told.known in {"spark", "lineage"}
        for text, ours, theirs in zip(
            expressions, sure[f"types.{name}"], told.columns or (), strict=True
        ):
            if ours.type is None or theirs.type is None:
                continue
            known += 1
            if text_of(ours.type) != text_of(theirs.type):
                wrong.append((text, text_of(ours.type), text_of(theirs.type)))
    assert wrong == []
    assert known > 80
