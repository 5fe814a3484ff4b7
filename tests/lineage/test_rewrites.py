"""Rewriting a query without changing its meaning leaves its lineage unchanged.

The queries are the oracle's: generated, with full schemas. What is compared is what a user reads:
output names in order, and the table columns behind each.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest
from sqlglot import exp, parse_one, tokenize

from lakeport.lineage import analyze
from tests.lineage.golden_facts import workload_facts
from tests.lineage.oracle.claims import claims_about
from tests.lineage.oracle.generate import make_scenario
from tests.lineage.oracle.world import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable

SHORT = 12
LONG = 20


def _commented(sql: str) -> str:
    """A comment after every token, and between the words of keywords such as GROUP BY."""
    tokens = tokenize(sql, read="duckdb")
    texts = [sql[token.start : token.end + 1] for token in tokens]
    return "".join(
        f"{text.replace(' ', ' /* , */ ') if text.replace(' ', '').isalpha() else text} /* ; */ "
        for text in texts
    )


def _upper_cased(sql: str) -> str:
    return sql.upper()


def _other_aliases(sql: str) -> str:
    return re.sub(r"\bq(\d+)\b", r"alias_of_\1", sql)


def _wrapped_in_a_cte(sql: str) -> str:
    return f"WITH outermost AS ({sql}) SELECT * FROM outermost"


def _wrapped_in_a_derived_table(sql: str) -> str:
    return f"SELECT * FROM ({sql}) AS outermost"


def _qualified_tables(sql: str) -> str:
    return re.sub(r"\b(FROM|JOIN) (t\d)\b", r"\1 main.\2", sql)


def _quoted(sql: str) -> str:
    tree = parse_one(sql, read="duckdb")
    for identifier in tree.find_all(exp.Identifier):
        identifier.set("quoted", True)  # noqa: FBT003  sqlglot's own signature
    return tree.sql(dialect="duckdb")


def _pretty(sql: str) -> str:
    return parse_one(sql, read="duckdb").sql(dialect="duckdb", pretty=True)


def _unused_cte_first(sql: str) -> str:
    extra = "unused_one AS (SELECT 1 AS nothing)"
    if sql.startswith("WITH "):
        return f"WITH {extra}, {sql.removeprefix('WITH ')}"
    return f"WITH {extra} {sql}"


def _reordered_ctes(sql: str) -> str:
    """Swap the CTEs when neither reads the other."""
    tree = parse_one(sql, read="duckdb")
    with_clause = tree.args.get("with_")
    if with_clause is None or len(with_clause.expressions) < 2:
        return sql
    first, second = with_clause.expressions[:2]
    if any(table.name == first.alias for table in second.find_all(exp.Table)):
        return sql
    with_clause.set("expressions", [second, first, *with_clause.expressions[2:]])
    return tree.sql(dialect="duckdb")


REWRITES = [
    _commented,
    _upper_cased,
    _other_aliases,
    _wrapped_in_a_cte,
    _wrapped_in_a_derived_table,
    _qualified_tables,
    _quoted,
    _pretty,
    _unused_cte_first,
    _reordered_ctes,
]


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.__name__.strip("_"))
@pytest.mark.parametrize("seed", range(SHORT))
def test_lineage_survives(seed: int, rewrite: Callable[[str], str]) -> None:
    _compare(seed, rewrite)


@pytest.mark.long
@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.__name__.strip("_"))
@pytest.mark.parametrize("seed", range(SHORT, SHORT + LONG))
def test_lineage_survives_at_length(seed: int, rewrite: Callable[[str], str]) -> None:
    _compare(seed, rewrite)


def _compare(seed: int, rewrite: Callable[[str], str]) -> None:
    scenario = make_scenario(f"{seed}.0")
    before = _read(scenario)
    after = _read(replace(scenario, sql=rewrite(scenario.sql)))
    assert after == before, rewrite(scenario.sql)


def _read(scenario: Scenario) -> tuple[list[str], list[list[str]]]:
    claims = claims_about(scenario)
    names = [name.casefold() for name in claims.names]
    return names, [sorted(sources) for sources in claims.direct]


@pytest.mark.parametrize("seed", range(SHORT))
def test_temporary_tables_are_as_good_as_ctes(seed: int) -> None:
    _compare_script(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(SHORT, SHORT + LONG))
def test_temporary_tables_are_as_good_as_ctes_at_length(seed: int) -> None:
    _compare_script(seed)


def _compare_script(seed: int) -> None:
    """A script with a temporary table for each CTE, collapsed, says what the one statement says."""
    scenario = make_scenario(f"{seed}.0")
    tree = parse_one(scenario.sql, read="duckdb")
    with_clause = tree.args.get("with_")
    ctes = with_clause.expressions if with_clause else []
    tree.set("with_", None)
    script = [f"CREATE TEMP TABLE {cte.alias} AS {cte.this.sql('duckdb')}" for cte in ctes]
    script.append(f"CREATE TABLE result AS {tree.sql('duckdb')}")
    whole = _sources_of_result(scenario, f"CREATE TABLE result AS {scenario.sql}")
    assert _sources_of_result(scenario, ";\n".join(script)) == whole, scenario.sql


def _sources_of_result(scenario: Scenario, sql: str) -> dict[str, set[str]]:
    tables = [
        {"name": table.name, "columns": [{"name": column.name} for column in table.columns]}
        for table in scenario.tables
    ]
    request = {
        "sql": sql,
        "dialect": "duckdb",
        "schema": {"tables": tables},
        "options": {"collapseTemporary": True, "hideCtes": True},
    }
    facts = workload_facts(msgspec.to_builtins(analyze(request))["globalLineage"])
    return {
        facts.name(column): {name for name in facts.origins(column) if "." in name}
        for column in facts.columns()
        if facts.name(column).startswith("result.")
    }
