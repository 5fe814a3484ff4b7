"""What a model is that does not say: a plain query can be run again and again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from lakeport.pipeline.planning.interval import BEGINNING, Asked, interval_of
from lakeport.pipeline.project import strategy_of
from tests.pipeline.projects import name_of, project

QUERY = "SELECT 1 AS id"


@pytest.mark.parametrize(
    ("text", "materialized", "strategy"),
    [
        (QUERY, "table", "full"),
        (f'/* lakeport\ntags = ["x"]\n*/ {QUERY}', "table", "full"),
        (f'/* lakeport\nunique_key = "id"\n*/ {QUERY}', "incremental", "delete_insert"),
        (f'/* lakeport\nstrategy = "append"\n*/ {QUERY}', "incremental", "append"),
        (f"{QUERY} FROM raw.t WHERE at >= :start", "incremental", "append"),
        (f"{QUERY} {{% if is_incremental() %}} WHERE true {{% endif %}}", "incremental", "append"),
        (f'/* lakeport\nmaterialized = "incremental"\n*/ {QUERY}', "incremental", "append"),
    ],
)
def test_what_tells_new_rows_from_old_makes_it_incremental(
    tmp_path: Path, text: str, materialized: str, strategy: str
) -> None:
    model = project(tmp_path, {"models/a/b.sql": text}).models[name_of("a.b")]
    assert (model.settings.materialized, strategy_of(model)) == (materialized, strategy)


def test_all_rows_are_asked_for_where_all_rows_are_replaced(tmp_path: Path) -> None:
    text = f'/* lakeport\nmaterialized = "table"\n*/ {QUERY} FROM raw.t WHERE at >= :start'
    model = project(tmp_path, {"models/a/b.sql": text}).models[name_of("a.b")]
    last = datetime(2026, 1, 1, tzinfo=UTC)
    asked = Asked(datetime(2026, 2, 1, tzinfo=UTC))
    assert interval_of(model.settings, asked, last).start == BEGINNING
