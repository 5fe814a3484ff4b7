"""Questions about rows before anybody sees them."""

from __future__ import annotations

import pytest

from lakeport.pipeline.running.events import ModelReached
from lakeport.pipeline.writing import Point
from tests.spark.running.folder import Folder, of, statuses

ROWS = "SELECT * FROM VALUES (1, 'a', 5), (2, 'b', 6), (2, 'x', NULL) AS t (id, kind, n)"
AUDITS = [
    {"not_null": ["id"]},
    {"not_null": "n", "severity": "warn"},
    {"unique": "id", "severity": "warn"},
    {"accepted_values": "kind", "values": ["a", "b"], "severity": "warn"},
    {"accepted_values": "id", "values": [1, 2]},
    {"relationships": "id", "to": "t.parents", "field": "id", "severity": "warn"},
    {"row_count": {"min": 1, "max": 2}, "severity": "warn"},
    {"row_count": {"min": 3}},
    {
        "sql": "SELECT * FROM this_rows WHERE n > :least",
        "name": "small",
        "severity": "warn",
        "store_failures": True,
    },
]


def test_all_audits_are_asked_at_once_and_told_with_their_rows(folder: Folder) -> None:
    folder.toml("[pipeline.parameters]\nleast = 5\n")
    folder.model("t.parents", "SELECT 1 AS id", strategy="full")
    folder.model("t.rows", ROWS, strategy="full", audits=AUDITS)
    result = folder.run()
    assert result.status == "succeeded", [model.error for model in result.models]
    model = of(result, "t.rows")
    assert [audit.failures for audit in model.audits] == [0, 1, 1, 1, 0, 2, 1, 0, 1]
    warned = "\n".join(model.warnings)
    assert "1 of 3 rows have a NULL in `n`" in warned
    assert "    id = 2" in warned
    assert "1 of 3 rows have another value in `kind`" in warned
    assert "2 of 3 rows have a `id` that is not in `t.parents`" in warned
    assert "there are 3 rows, and there should be 1 to 2" in warned
    assert "models/t/rows.sql:3: audit `small`: its query returned 1 row" in warned
    stored = {audit.name: audit.stored for audit in model.audits if audit.stored is not None}
    assert str(stored["small"]) == "lakeport_audits.t__rows__small"
    assert folder.rows("lakeport_audits.t__rows__small") == [(2, "b", 6)]
    with folder.lake() as lake:
        kept = {name for name in lake.tables() if name.startswith("lakeport_audits.")}
    assert kept == {"lakeport_audits.t__rows__small"}  # warnings are stored where that is asked for


@pytest.mark.parametrize("publish", ["direct", "branch", "run-atomic"])
def test_an_audit_that_fails_publishes_nothing(folder: Folder, publish: str) -> None:
    folder.model("t.a", "SELECT 1 AS id", unique_key=["id"], audits=[{"unique": "id"}])
    folder.model("t.b", "SELECT * FROM t.a", strategy="full")
    assert folder.run(publish=publish).status == "succeeded"
    folder.model(
        "t.a",
        "SELECT * FROM VALUES (2, 'new'), (2, 'newer') AS t (id, note)",
        unique_key=["id"],
        audits=[{"unique": "id"}],
    )
    result = folder.run(publish=publish)
    assert statuses(result) == {"t.a": "failed", "t.b": "blocked"}
    error = of(result, "t.a").error
    assert error is not None
    assert error.code == "audit_failed"
    assert "1 of 2 rows repeat `id`" in error.message or "1 of 3 rows repeat `id`" in error.message
    assert "`lakeport read lakeport_audits.t__a__" in (error.hint or "")
    assert [row[0] for row in folder.rows("t.a")] == [1]
    assert folder.refs("t.a") == {"main"}
    # On a branch the whole table was asked, after it had grown.
    assert folder.columns("t.a") == (["id"] if publish == "direct" else ["id", "note"])


def test_an_audit_that_cannot_be_asked_is_named_and_the_others_are_answered(
    folder: Folder,
) -> None:
    audits = [
        {"not_null": "idd"},
        {"sql": "SELECT nothing FROM this_rows", "name": "broken", "severity": "warn"},
        {"not_null": "id", "name": "fine"},
    ]
    folder.model("t.a", "SELECT 1 AS id", audits=audits)
    result = folder.run()
    model = of(result, "t.a")
    by_name = {audit.name: audit for audit in model.audits}
    assert by_name["fine"].passed
    assert "cannot be asked" in by_name["broken"].message
    assert model.error is not None
    assert "did you mean `id`?" in model.error.message
    with folder.lake() as lake:
        assert "t.a" not in lake.tables()


def test_a_view_is_audited_before_it_is_made(folder: Folder) -> None:
    folder.model("t.a", "SELECT 1 AS id", strategy="full")
    folder.model(
        "t.v", "SELECT * FROM t.a", materialized="view", audits=[{"row_count": {"min": 2}}]
    )
    result = folder.run()
    assert statuses(result) == {"t.a": "succeeded", "t.v": "failed"}
    with folder.lake() as lake:
        assert lake.catalog.namespace("t").views().names() == []  # type: ignore[attr-defined]
    points = [e.progress.point for e in folder.events if isinstance(e, ModelReached)]
    assert Point.AUDITED in points
