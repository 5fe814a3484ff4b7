"""Which settings make sense together: one table of reasons, used for mistakes and for defaults alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lakeport.core.names import quoted, twins
from lakeport.pipeline.project.model import Materialized, Model
from lakeport.pipeline.project.problems import Place, Problem

_STORED = frozenset({"incremental", "table"})
_KEYED = frozenset({"delete_insert", "merge"})
_OF_TABLES = frozenset(
    {
        "strategy",
        "unique_key",
        "null_keys",
        "partitioned_by",
        "time_column",
        "range",
        "lookback",
        "on_type_change",
        "on_removed_required",
        "on_unmappable_type",
        "write_mode",
        "publish",
        "properties",
    }
)


_ADDING = frozenset({"strategy", "unique_key", "time_column", "range", "lookback"})
# A query that asks where the last run ended means to add to what is there.
_ASKS_WHERE_IT_WAS = re.compile(r":start\b|\bis_incremental\b|\bcontext\.start\b")


def usual_materialization(given: Mapping[str, Any], body: str) -> Materialized:
    """Of a model that does not say. A plain query is all there is to its table, so that it can be run
    again and again; whatever tells new rows from old ones makes it incremental.
    """
    if _ADDING & given.keys() or _ASKS_WHERE_IT_WAS.search(body):
        return "incremental"
    return "table"


def chosen_strategy(given: Mapping[str, Any]) -> str:
    """What a stored model does, said or not."""
    if given.get("materialized") == "table":
        return "full"
    return given.get("strategy") or ("delete_insert" if given.get("unique_key") else "append")


def lacks_meaning(setting: str, given: Mapping[str, Any]) -> str | None:
    """Why a setting says nothing beside the others, or None."""
    materialized = given.get("materialized", "incremental")
    if setting in _OF_TABLES and materialized not in _STORED:
        where = "is stored nowhere" if materialized == "ephemeral" else "stores no rows"
        return f"a model that is {quoted(materialized)} {where}"
    if setting == "audits" and materialized == "ephemeral":
        return "a model that is `ephemeral` publishes no rows to audit"
    if setting == "strategy" and materialized == "table" and given["strategy"] != "full":
        return "a model that is `table` replaces all of its rows"
    strategy = chosen_strategy(given)
    if setting == "unique_key" and strategy not in _KEYED:
        return f"{quoted(strategy)} does not look at keys"
    if setting == "null_keys" and strategy not in _KEYED:
        return f"{quoted(strategy)} does not look at keys"
    if setting in {"time_column", "range"} and strategy != "time_range":
        return f"{quoted(strategy)} writes whatever the query gives"
    if setting == "lookback" and materialized == "table":
        return "a model that is `table` begins anew each time"
    return None


_REMEDY = {
    "audits": "audit the models that read it",
    "strategy": 'leave it out, or set materialized = "incremental"',
    "unique_key": 'leave it out, or set strategy = "delete_insert"',
    "null_keys": "leave it out, or name a unique_key",
    "time_column": 'leave it out, or set strategy = "time_range"',
    "range": 'leave it out, or set strategy = "time_range"',
}


def contradictions(
    own: Mapping[str, Any],
    given: Mapping[str, Any],
    language: str,
    place: Callable[[str], Place],
) -> Iterator[Problem]:
    for setting in own:
        reason = lacks_meaning(setting, given)
        if reason is not None:
            hint = (
                _REMEDY.get(setting, "leave it out")
                if given.get("materialized", "incremental") in _STORED
                else "leave it out"
            )
            message = f"{quoted(setting)} says nothing here: {reason}"
            yield Problem("contradiction", message, hint, place(setting))
    strategy = chosen_strategy(given)
    materialized = given.get("materialized", "incremental")
    if materialized in _STORED:
        yield from _needs(strategy, given, place)
    elif language == "python":
        yield Problem(
            "python-materialized",
            f"a Python model cannot be {quoted(materialized)}",
            'write it in SQL, or set materialized = "table"',
            place("materialized"),
        )
    for setting in ("unique_key", "partitioned_by"):
        same = twins(own.get(setting, ()))
        if same is not None:
            yield Problem(
                "repeated-name",
                f"{quoted(setting)} names {quoted(same[0])} twice",
                "name each column once",
                place(setting),
            )


def _needs(
    strategy: str, given: Mapping[str, Any], place: Callable[[str], Place]
) -> Iterator[Problem]:
    if strategy in _KEYED and not given.get("unique_key"):
        yield Problem(
            "missing-setting",
            f"{quoted(strategy)} needs a `unique_key`",
            'name the columns that tell rows apart: unique_key = ["id"]',
            place("strategy"),
        )
    if strategy == "time_range" and not given.get("time_column"):
        yield Problem(
            "missing-setting",
            "`time_range` needs a `time_column`",
            'name the column that rows are replaced by: time_column = "placed_at"',
            place("strategy"),
        )


def strategy_of(model: Model) -> str:
    """The strategy that writes a stored model."""
    settings = model.settings
    return chosen_strategy(
        {
            "materialized": settings.materialized,
            "strategy": settings.strategy,
            "unique_key": settings.unique_key,
        }
    )
