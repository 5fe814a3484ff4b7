"""Schemas that only grow, on real tables: the contract's scenarios and the rules of docs/concepts/growth.md."""

from __future__ import annotations

import pytest

from lakeport import PreconditionError
from lakeport.pipeline.writing import Planned
from tests.spark.ground import Ground


def test_end_to_end_schema_evolution(ground: Ground) -> None:
    ground.write("SELECT 1 AS a, 2 AS b, 3 AS c")
    ground.write("SELECT 10 AS a, 20 AS b, 40 AS d")
    assert ground.columns() == ["a", "b", "c", "d"]
    assert ground.rows() == [(1, 2, 3, None), (10, 20, None, 40)]


def test_multiple_evolution_cycles(ground: Ground) -> None:
    for query in ("SELECT 1 AS a, 1 AS b", "SELECT 2 AS a, 2 AS c", "SELECT 3 AS a, 3 AS d"):
        ground.write(query, unique_key="a")
    assert ground.columns() == ["a", "b", "c", "d"]
    assert ground.rows() == [(1, 1, None, None), (2, None, 2, None), (3, None, None, 3)]
    assert len(ground.data_snapshots()) == 3
    assert len(ground.history()) == 5


def test_what_was_grown_is_in_the_result(ground: Ground) -> None:
    ground.write("SELECT 1 AS a, 1 AS b")
    made = ground.write("SELECT 2L AS A, 'x' AS c")
    assert made.growth is not None
    assert made.growth.as_dict() == {
        "added": [{"name": "c", "type": "string"}],
        "padded": [{"name": "b", "type": "int"}],
        "widened": [{"name": "a", "from": "int", "to": "bigint"}],
        "relaxed": [],
        "refused": [],
    }
    assert ground.types() == {"a": "int64", "b": "int32", "c": "string"}


def test_a_column_that_reappears_is_the_one_that_was_kept(ground: Ground) -> None:
    ground.write("SELECT 1 AS k, 'old' AS note")
    ground.write("SELECT 2 AS k")
    ground.write("SELECT 3 AS k, 'again' AS note")
    assert ground.columns() == ["k", "note"]
    assert ground.rows() == [(1, "old"), (2, None), (3, "again")]
    with pytest.raises(PreconditionError, match="column `note` is string, the model gives int"):
        ground.write("SELECT 4 AS k, 5 AS note")


def test_another_spelling_is_the_same_column(ground: Ground) -> None:
    ground.write("SELECT 1 AS CustomerID, 'a' AS `Straße`")
    ground.write("SELECT 2 AS customerid, 'b' AS `STRASSE`")
    assert ground.columns() == ["CustomerID", "Straße"]
    assert ground.rows() == [(1, "a"), (2, "b")]
    assert len(ground.history()) == 2


def test_two_columns_that_fold_to_one_are_named(ground: Ground) -> None:
    with pytest.raises(PreconditionError, match="`Name` and `NAME`"):
        ground.write("SELECT 1 AS Name, 2 AS NAME")
    assert "shop.t" not in ground.lake.tables()


def test_nested_fields_are_added_widened_and_padded(ground: Ground) -> None:
    ground.write(
        """SELECT 1 AS k, named_struct('x', 1, 'y', 'a') AS s,
                  array(named_struct('p', 1)) AS l, map('m', named_struct('q', 1)) AS m"""
    )
    ground.write(
        """SELECT 2 AS k, named_struct('z', DATE '2026-01-01', 'X', 2L) AS s,
                  array(named_struct('r', 'new', 'p', 5L)) AS l,
                  map('m', named_struct('t', true)) AS m"""
    )
    one, two = ground.records()
    assert one["s"] == {"x": 1, "y": "a", "z": None}
    assert {key: two["s"][key] for key in ("x", "y")} == {"x": 2, "y": None}
    assert str(two["s"]["z"]) == "2026-01-01"
    assert two["l"] == [{"p": 5, "r": "new"}]
    assert one["m"] == [("m", {"q": 1, "t": None})]
    assert two["m"] == [("m", {"q": None, "t": True})]
    assert ground.types()["s"] == "struct<x: int64, y: string, z: date32[day]>"


def test_padding_is_typed(ground: Ground) -> None:
    ground.write(
        """SELECT 1 AS k, DATE '2026-01-01' AS d, 1.5BD AS n, X'00' AS b, 2D AS f, true AS t,
                  TIMESTAMP '2026-01-01 00:00:00' AS i, array(1) AS l, map('a', 1) AS m"""
    )
    made = ground.write("SELECT 2 AS k", unique_key="k")
    assert "CAST(NULL AS DECIMAL(2, 1)) AS `n`" in made.sql[0]
    assert "CAST(NULL AS TIMESTAMP_LTZ) AS `i`" in made.sql[0]
    _, padded = ground.records()
    assert padded == {"k": 2} | dict.fromkeys("dnbftilm")


def test_a_removed_required_column_is_refused_before_anything_is_written(ground: Ground) -> None:
    session = ground.lake.spark()
    session.sql("CREATE TABLE shop.t (k INT NOT NULL, must STRING NOT NULL) USING iceberg")
    ground.write("SELECT 1 AS k, 'a' AS must")
    points: list[str] = []
    with pytest.raises(PreconditionError, match="`must`") as caught:
        ground.write("SELECT 2 AS k, 1 AS new", observe=lambda seen: points.append(seen.point))
    assert "on_removed_required" in str(caught.value.hint)
    assert points == []
    assert ground.columns() == ["k", "must"]
    assert len(ground.history()) == 1
    ground.write("SELECT 2 AS k", on_removed_required="relax")
    assert ground.rows() == [(1, "a"), (2, None)]


def test_types_without_a_mapping_become_text_with_a_warning(
    ground: Ground, caplog: pytest.LogCaptureFixture
) -> None:
    query = "SELECT 1 AS k, INTERVAL '1' DAY AS i, NULL AS n"
    made = ground.write(query)
    assert ground.types() == {"k": "int32", "i": "string", "n": "string"}
    assert ground.rows() == [(1, "INTERVAL '1' DAY", None)]
    assert made.warnings[0] == "column `i` has the type interval day, stored as string"
    logged = [record for record in caplog.records if record.message == "growth.stored_as_string"]
    assert {record.__dict__["column"] for record in logged} == {"i", "n"}
    with pytest.raises(PreconditionError, match="`i`"):
        ground.write(query, into="other", on_unmappable_type="fail")
    assert "shop.other" not in ground.lake.tables()


def test_other_types_go_by_the_models_wish(ground: Ground) -> None:
    ground.write("SELECT 1 AS k, 5 AS v")
    ground.write("SELECT 2 AS k, '6' AS v", on_type_change="cast")
    ground.write("SELECT 3 AS k, 'seven' AS v", on_type_change="side_column")
    assert ground.columns() == ["k", "v", "v__string"]
    assert ground.rows() == [(1, 5, None), (2, 6, None), (3, None, "seven")]


def test_a_dry_run_is_the_plan_as_data(ground: Ground) -> None:
    ground.write("SELECT 1 AS k, 'a' AS v")
    planned = ground.lake.write("SELECT 1L AS k, 2 AS w", "shop.t", dry_run=True, unique_key="k")
    assert isinstance(planned, Planned)
    told = planned.as_dict()
    assert (told["model"], told["strategy"], told["creates"]) == ("shop.t", "delete_insert", False)
    assert told["schema"] == {
        "added": [{"name": "w", "type": "int"}],
        "padded": [{"name": "v", "type": "string"}],
        "widened": [{"name": "k", "from": "int", "to": "bigint"}],
        "relaxed": [],
        "refused": [],
    }
    assert planned.sql[0].startswith("MERGE INTO `lake`.`shop`.`t`")
    refused = ground.lake.write("SELECT 'x' AS k", into="shop.t", dry_run=True)
    assert [found.code for found in refused.growth.refused] == ["type_change"]
    assert refused.sql == ()
    assert ground.lake.write("SELECT 1 AS k", into="shop.new", dry_run=True).creates
    assert ground.lake.tables() == ["shop.t"]
    assert len(ground.history()) == 1
    assert ground.columns() == ["k", "v"]
