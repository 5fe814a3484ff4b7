"""Random workloads in which much is told again, and in which what is known of the names is out to deceive.

A program says a few things of many tables. Most tables are alike, each of the others differs in one
fact; between the statements the session changes, and tables come, go and grow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.lineage.golden_file import ANALYSIS_TIME

if TYPE_CHECKING:
    import random

DIALECTS = (
    *("spark", "databricks", "hive", "postgres", "redshift", "snowflake", "bigquery"),
    *("duckdb", "mysql", "trino", "clickhouse", "sqlite", "generic"),
)
_PLAIN = [f"t_{number}" for number in range(40)]
# In another case; called like a column, an alias, a CTE, a function, a namespace; names with a meaning.
_ODD = [
    *("T_1", "T_2", "Tt_3", "id_1", "x_1", "a_1", "top_1", "f_1", "db_1", "s_1", "cat_1", "y_1"),
    *("branch_1", "Branch_2", "tag_1", "data_files", "Data_Files", "global_temp", "hive_metastore"),
    *("pg_stat1", "user_1", "all_t1", "sqlite_x1", "sys_1", "_u1", "col1", "column1", "f0_", "c1"),
    *("events_20240101", "events_20240102", "file_name", "file_row_number", "k_1", "q_1", "ord_55"),
    *("INFORMATION_SCHEMA", "account_usage", "dual_1", "row_1", "grouping__id", "ord_6x", "key_1"),
]
# What is told again of other tables.
_TEMPLATES = [
    "CREATE TABLE {a} AS SELECT id_1, x_1 + 1 AS y_1 FROM {b}",
    "CREATE TABLE {a} AS SELECT * FROM {b} WHERE id_1 > 5",
    "CREATE TABLE IF NOT EXISTS {a} AS SELECT * FROM {b}",
    "CREATE OR REPLACE VIEW {a} AS SELECT {b}.id_1, max({b}.x_1) AS m_1 FROM {b} GROUP BY {b}.id_1",
    "CREATE TEMPORARY VIEW {a} AS SELECT id_1 AS k_1, x_1 FROM {b} JOIN {c} USING (id_1)",
    "CREATE TEMPORARY TABLE {a} AS SELECT * FROM {b}",
    "INSERT INTO {a} SELECT * FROM {b}",
    "INSERT INTO {a} SELECT id_1, x_1 FROM {b} UNION ALL SELECT id_1, 'z' FROM {c}",
    "SELECT a_1.id_1, {b}.x_1 FROM {a} AS a_1, {b} WHERE a_1.id_1 = {b}.id_1",
    "SELECT {a}.id_1 + 1, upper({a}.x_1), count(*) FROM {a} GROUP BY 1, 2",
    "SELECT {a}.* FROM {a} LEFT JOIN {b} ON {a}.id_1 = {b}.id_1 AND {b}.x_1 <> '{{}} %s' WHERE {a}.x_1 > 1",
    "SELECT p_1.id_1, q_1.id_1 FROM {a} p_1 JOIN {a} q_1 ON p_1.id_1 = q_1.x_1",
    "WITH top_1 AS (SELECT id_1 FROM {a}) SELECT * FROM top_1 JOIN {b} ON top_1.id_1 = {b}.id_1",
    "WITH w_1 AS (SELECT * FROM {a}), v_1 AS (SELECT id_1 FROM w_1) SELECT v_1.id_1 FROM v_1, {b}",
    "SELECT d_1.id_1 FROM (SELECT {a}.id_1 FROM {a}) AS d_1",
    "SELECT * FROM {a} UNION ALL SELECT * FROM {b}",
    "SELECT id_1, (SELECT max(x_1) FROM {b}) AS m_1 FROM {a} WHERE EXISTS (SELECT 1 FROM {c} WHERE {c}.id_1 = {a}.id_1)",
    "SELECT id_1, (SELECT max({b}.x_1 + {a}.x_1) FROM {b}) FROM {a}",
    "SELECT {a}.id_1.f_1, nosuch_1 FROM {a}",
    "SELECT x_1, sum(id_1) OVER (PARTITION BY {a}.x_1 ORDER BY {a}.id_1) FROM {a} QUALIFY 1 = 1",
    "SELECT id_1 AS x_1, count(x_1) FROM {a} GROUP BY id_1 HAVING count({a}.x_1) > 1 ORDER BY {a}.id_1",
    "SELECT f_1({a}.id_1), f_1(x_1) AS r_1 FROM {a}",
    "DROP TABLE IF EXISTS {a}",
    "DROP VIEW {a}",
    "UPDATE {a} SET x_1 = upper(x_1) WHERE id_1 IN (SELECT id_1 FROM {b})",
    "DELETE FROM {a} WHERE {a}.id_1 IN (SELECT {b}.id_1 FROM {b})",
    "MERGE INTO {a} AS d_1 USING {b} AS s_9 ON d_1.id_1 = s_9.id_1 WHEN NOT MATCHED THEN INSERT (id_1) VALUES (s_9.id_1)",
    "MERGE INTO {a} USING {b} ON {a}.id_1 = {b}.id_1 WHEN MATCHED THEN UPDATE SET x_1 = {b}.x_1",
    "TRUNCATE TABLE {a}",
    "CREATE TABLE {a} LIKE {b}",
    "SELECT q_1.z FROM {a} LATERAL VIEW explode(x_1) q_1 AS z",
    "SELECT {a}.id_1, u_9 FROM {a}, UNNEST({a}.x_1) AS u_9",
    "SELECT v_9.column1, {a}.id_1 FROM {a}, (VALUES (1), (2)) AS v_9",
    "SELECT * FROM {a} PIVOT (max(x_1) FOR id_1 IN (1, 2))",
    "SELECT db_1.{a}.id_1 FROM db_1.{a}",
    "SELECT * FROM {a}, {b}, {c}",
]
# What mostly is not: where a name stands once more, or a table is asked for by another name.
_BOUND = [
    'SELECT x_1 FROM "{a}" JOIN {b} USING (id_1)',
    'SELECT "{a}".id_1, {a}.x_1 FROM "{a}"',
    "SELECT DISTINCT `{a}`.id_1 FROM `{a}`",
    "CREATE VIEW {a} (k_1, y_1) AS SELECT id_1, x_1 FROM {b}",
    "SELECT {a}.id_1 FROM (SELECT id_1 FROM {a}) AS d_1",
    "SELECT ord_5.id_1 FROM {a}",
    "SELECT ord_5.id_1 FROM {a}, {b} AS orders_5",
    "SELECT {a}.id_1 FROM {a} AS z_1",
    "SELECT {a} FROM {a}",
    "SELECT id_1 || '{a}' AS s_9 FROM {a}",
    "SELECT id_1 + /* {a} */ 1 AS s_9 FROM {a}",
    "INSERT INTO {a} SELECT {b}.id_1, {b}.x_1 FROM {b} /* of {b} */",
    "INSERT INTO {a} (id_1) SELECT id_1 FROM {b} WHERE x_1 = 't_1'",
    "FROM {a} INSERT INTO {b} SELECT id_1 INSERT INTO {c} SELECT x_1",
    "SELECT * FROM {a} JOIN {a} ON 1 = 1",
]
_SETTINGS = [
    "USE db_1",
    "USE t_1",
    "USE SCHEMA s_1",
    "SET search_path = s_1, public",
    "SET spark.sql.caseSensitive=true",
    "SET spark.sql.timestampType=TIMESTAMP_NTZ",
    "CREATE FUNCTION f_1(n_1 INT) RETURNS STRING RETURN 'a'",
]
_CHANGES = [
    "CREATE TABLE {a} (id_1 INT, x_1 STRING)",
    "CREATE TABLE {a} (id_1 INT, x_1 STRING, t_2 INT)",
    "CREATE TABLE {a} (id_1 BIGINT PRIMARY KEY, x_1 STRING REFERENCES t_3 (id_1))",
    "CREATE TABLE {a} (id_1 INT, x_1 STRUCT<t_4: INT>)",
    "CREATE TEMPORARY VIEW {a} AS SELECT 1 AS id_1, 2 AS x_1",
    "CREATE VIEW {a} AS SELECT * FROM {b}",
    "EXPLAIN CREATE VIEW {a} AS SELECT id_1 FROM {b}",
    "ALTER TABLE {a} ADD COLUMN w_1 INT",
    "ALTER TABLE {a} DROP COLUMN x_1",
    "ALTER TABLE {a} RENAME TO {b}",
    "ALTER TABLE {a} RENAME COLUMN x_1 TO t_5",
    "COMMENT ON TABLE {a} IS 'like t_6'",
    "DROP TABLE {a}",
    "DROP TABLE IF EXISTS {a}",
    "DISCARD TEMP",
    "SELECT id_1, y_1 FROM {a}",
    "SELECT 1 FROM",
    "INSERT INTO {a} (w_1) SELECT w_1 FROM {b}",
]
_SPACES = ("db_1.", "s_1.", "t_1.", "S_1.", "cat_1.db_1.", "{}.", "cat_1.{}.")


def _name(chance: random.Random, pool: list[str], space: str, calm: float) -> str:
    if chance.random() < 0.1 * (1 - calm):
        space = chance.choice(("", *_SPACES))
    return space.replace("{}", chance.choice(pool)) + chance.choice(pool)


def _sql(chance: random.Random, pool: list[str], calm: float) -> list[str]:
    kinds = [
        (
            chance.choice(_BOUND if chance.random() < 0.12 else _TEMPLATES),
            chance.choice(("", "", "", "", *_SPACES)),
        )
        for _ in range(chance.choice((1, 1, 2)))
    ]
    disturbance = 0.1 * (1 - calm)
    found: list[str] = []
    for _ in range(chance.randint(80, 140)):
        template, space = chance.choice(kinds)
        if chance.random() < disturbance:
            changes = _CHANGES if chance.random() < 0.85 else _SETTINGS
            template, space = chance.choice(changes), ""
        names = [_name(chance, pool, space, calm) for _ in range(3)]
        if chance.random() < 0.9 and len(set(names)) < 3:
            names = chance.sample(pool, 3)
        found.append(template.format(a=names[0], b=names[1], c=names[2]))
    return found


def _columns(chance: random.Random, calm: float) -> list[dict[str, Any]]:
    """Mostly the same two, else they differ in one fact."""
    columns: list[dict[str, Any]] = [
        {"name": "id_1", "dataType": "INT"},
        {"name": "x_1", "dataType": "STRING"},
    ]
    if chance.random() < 0.6 + 0.38 * calm:
        return columns
    changes: list[dict[str, Any]] = [
        {"dataType": "BIGINT"},
        {"name": "X_1"},
        {"name": chance.choice(_PLAIN)},
        {"isPrimaryKey": True},
        {"foreignKey": {"table": chance.choice(_PLAIN), "column": "id_1"}},
        {"tags": [{"name": "pii", "source": "user"}]},
    ]
    columns[1].update(chance.choice(changes))
    if chance.random() < 0.3:
        columns.append({"name": chance.choice(("y_1", "w_1", "t_7"))})
    return columns


def _defaults(chance: random.Random) -> dict[str, Any]:
    """Where names are looked up, and how they are folded."""
    schema: dict[str, Any] = {}
    if chance.random() < 0.3:
        schema["defaultSchema"] = chance.choice(("db_1", "s_1", "t_1"))
    if chance.random() < 0.15:
        schema["defaultCatalog"] = chance.choice(("cat_1", "t_2"))
    if chance.random() < 0.1:
        schema["searchPath"] = [{"schema": "s_1"}, {"catalog": "cat_1", "schema": "db_1"}]
    if chance.random() < 0.15:
        schema["caseSensitivity"] = chance.choice(("lower", "upper", "exact"))
    return schema


_HOMES: list[dict[str, Any]] = [
    {},
    {"schema": "db_1"},
    {"schema": "db_1"},
    {"schema": "s_1"},
    {"catalog": "cat_1", "schema": "db_1"},
    {"catalog": "cat_1", "schema": "db_1"},
]


def _schema(chance: random.Random, pool: list[str], calm: float) -> dict[str, Any]:
    tables: list[dict[str, Any]] = []
    everywhere = chance.random() < 0.6 + 0.4 * calm
    for name in pool:
        if not everywhere and chance.random() < 0.5:
            continue
        table: dict[str, Any] = {"name": name, "columns": _columns(chance, calm)}
        if chance.random() < 0.2 * (1 - calm):
            table.update(
                chance.choice(
                    (
                        {"name": name.upper()},
                        {"schema": "db_1"},
                        {"schema": "s_1"},
                        {"catalog": "cat_1", "schema": "db_1"},
                        {"columnsComplete": False},
                        {"columns": []},
                        {"kind": "view"},
                        {"temporary": True},
                    )
                )
            )
        tables.append(table)
    schema: dict[str, Any] = {"tables": tables, "allowImplied": chance.random() < 0.85}
    if chance.random() < 0.2:
        # One name, known in this namespace or that, or in none.
        schema.update(defaultCatalog="cat_1", defaultSchema="db_1")
        for table in tables:
            table.update(chance.choice(_HOMES))
    schema.update(_defaults(chance))
    if chance.random() < 0.1:
        schema["views"] = [{"name": "v_1", "sql": f"SELECT * FROM {chance.choice(pool)}"}]
    return schema


def any_options(chance: random.Random) -> dict[str, Any]:
    """All options of a request, most of them as they mostly are."""

    def maybe(share: float) -> bool:
        return chance.random() < share

    options: dict[str, Any] = {
        "analysisTime": ANALYSIS_TIME,
        "enableColumnLineage": not maybe(0.1),
        "includeIndirect": maybe(0.4),
        "hideCtes": maybe(0.2),
        "collapseTemporary": maybe(0.2),
        "includeSchemaHistory": maybe(0.3),
        "schemaMergeMode": "column" if maybe(0.25) else "table",
        "resolvedSchemaScope": "all" if maybe(0.3) else "used",
        "unknownTablePolicy": chance.choice((*["never"] * 7, "auto", "auto", "always")),
        "fieldStyle": "flowscope" if maybe(0.1) else "seed",
        "statementOrder": "dependency" if maybe(0.1) else "sequential",
    }
    if maybe(0.25):
        codes = (
            *("INFERRED_SCHEMA", "UNKNOWN_TABLE", "UNRESOLVED_REFERENCE", "SCHEMA_CONFLICT"),
            *("DROPPED_TABLE_REFERENCE", "FORWARD_REFERENCE", "APPROXIMATE_LINEAGE"),
        )
        levels = ("off", "off", "error", "info")
        options["severityOverrides"] = {
            code: chance.choice(levels) for code in chance.sample(codes, chance.randint(1, 5))
        }
    if maybe(0.1):
        options["collapsePattern"] = "t_.*"
    if maybe(0.05):
        options["maxExpressionDepth"] = 20
    return options


def program(chance: random.Random) -> dict[str, Any]:
    """One request."""
    # How much tables are alike and the session stays as it is.
    calm = chance.choice((0.0, 0.6, 0.9, 1.0, 1.0, 1.0))
    pool = chance.sample(_PLAIN, chance.randint(8, len(_PLAIN)))
    pool += chance.sample(_ODD, chance.choice((0, 0, 2, 5)))
    sql = _sql(chance, pool, calm)
    request: dict[str, Any] = {
        "sql": ";\n".join(sql),
        "dialect": chance.choice(DIALECTS),
        "options": any_options(chance),
    }
    if chance.random() < 0.2:
        half = len(sql) // 2
        request["files"] = [
            {"name": "one.sql", "content": ";\n".join(sql[:half])},
            {"name": "two.sql", "content": ";\n".join(sql[half:])},
        ]
        request["sql"] = ";\n".join(chance.sample(sql, 5)) if chance.random() < 0.5 else ""
    if chance.random() < 0.03:
        request["sql"] = f"SELECT 'é' AS é;\n{request['sql']}"
        request["encoding"] = chance.choice(
            ("utf8", "utf16", "codepoint", "codepoint", "codepoint")
        )
    if chance.random() < 0.5:
        request["schema"] = _schema(chance, pool, calm)
    if chance.random() < 0.05:
        request["tagHints"] = [
            {"table": pool[0], "column": "*", "tags": [{"name": "pii", "source": "user"}]}
        ]
    if chance.random() < 0.02:
        request["templateConfig"] = {"mode": "jinja"}
    return request
