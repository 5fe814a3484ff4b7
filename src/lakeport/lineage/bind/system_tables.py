"""Which tables a database has before anybody creates one: catalogs, statistics, DUAL.

Nobody imports them and nobody should be warned about them. Their columns stay unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakeport.lineage.names import Name

# Namespaces that hold nothing but the engine's own relations.
_ANYWHERE = frozenset({"information_schema"})
_POSTGRES = frozenset({"pg_catalog", "pg_toast", "svv", "stl"})
_SCHEMAS: dict[str, frozenset[str]] = {
    "postgres": _POSTGRES,
    "materialize": _POSTGRES | {"mz_catalog", "mz_internal"},
    "risingwave": _POSTGRES | {"rw_catalog"},
    "redshift": _POSTGRES,
    "duckdb": _POSTGRES,
    "mysql": frozenset({"mysql", "performance_schema", "sys"}),
    "tsql": frozenset({"sys", "msdb"}),
    "fabric": frozenset({"sys"}),
    "oracle": frozenset({"sys"}),
    "snowflake": frozenset({"account_usage", "organization_usage"}),
    "clickhouse": frozenset({"system"}),
    "trino": frozenset({"system"}),
    "databricks": frozenset({"system"}),
    "spark": frozenset({"system"}),
    "teradata": frozenset({"dbc"}),
    "exasol": frozenset({"sys"}),
}
# Relations that answer to their bare name.
_PREFIXES: dict[str, tuple[str, ...]] = {
    "postgres": ("pg_",),
    "materialize": ("pg_", "mz_"),
    "risingwave": ("pg_", "rw_"),
    "redshift": ("pg_", "svv_", "svl_", "svcs_", "stl_", "stv_", "sys_"),
    "duckdb": ("pg_", "sqlite_", "duckdb_"),
    "sqlite": ("sqlite_", "pragma_"),
    "oracle": ("all_", "dba_", "user_", "v$", "gv$"),
    "exasol": ("exa_",),
}
_DUAL = frozenset({"oracle", "mysql", "snowflake", "exasol", "doris", "starrocks", "generic"})


def is_system_table(name: Name, dialect: str) -> bool:
    """Whether the engine itself brings this relation."""
    *namespaces, table = (part.lower() for part in name)
    if not _ANYWHERE.isdisjoint(namespaces) or not _SCHEMAS.get(dialect, _ANYWHERE).isdisjoint(
        namespaces
    ):
        return True
    if table == "dual":
        return dialect in _DUAL
    return table.startswith(_PREFIXES.get(dialect, ())) if dialect in _PREFIXES else False
