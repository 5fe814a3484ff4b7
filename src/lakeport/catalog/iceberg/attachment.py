"""How other engines attach to an Iceberg catalog over REST: one description, rendered for each of them.

Like `profile.py` it loads no library. Whatever an engine calls the catalog, the warehouse is its name here:
that is how the door knows which of its catalogs is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PLACEHOLDER = "TOKEN"
"""Where a person puts a token of theirs."""

_SPARK_CATALOG = "org.apache.iceberg.spark.SparkCatalog"
_SPARK_EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"


@dataclass(frozen=True, slots=True)
class Attachment:
    """`token` is None where none is needed. `warehouse` is what the service behind `uri` calls it."""

    name: str
    uri: str
    warehouse: str
    token: str | None = None

    def for_pyiceberg(self) -> dict[str, str]:
        """Properties for `pyiceberg.catalog.load_catalog(name, **properties)`."""
        return {"type": "rest", "uri": self.uri, "warehouse": self.warehouse, **self._token()}

    def for_spark(self) -> dict[str, str]:
        """Settings of a session. Without a cache of its own it sees what others commit at once."""
        catalog = f"spark.sql.catalog.{self.name}"
        own = {
            "type": "rest",
            "uri": self.uri,
            "warehouse": self.warehouse,
            **self._token(),
            "cache-enabled": "false",
            "rest-metrics-reporting-enabled": "false",
        }
        return {
            "spark.sql.extensions": _SPARK_EXTENSIONS,
            catalog: _SPARK_CATALOG,
            **{f"{catalog}.{key}": value for key, value in own.items()},
        }

    def for_duckdb(self) -> tuple[str, ...]:
        """Statements, in order."""
        place = f"TYPE iceberg, ENDPOINT {literal(self.uri)}"
        attach = f"ATTACH {literal(self.warehouse)} AS {identifier(self.name)}"
        load = "INSTALL iceberg; LOAD iceberg;"
        if self.token is None:
            return load, f"{attach} ({place}, AUTHORIZATION_TYPE 'none');"
        secret = identifier(f"{self.name}_rest")
        return (
            load,
            f"CREATE SECRET {secret} (TYPE iceberg, TOKEN {literal(self.token)});",
            f"{attach} ({place}, SECRET {secret});",
        )

    def for_trino(self) -> dict[str, str]:
        """Properties of `etc/catalog/NAME.properties`."""
        rest = "iceberg.rest-catalog"
        security: Mapping[str, str] = {}
        if self.token is not None:
            security = {f"{rest}.security": "OAUTH2", f"{rest}.oauth2.token": self.token}
        return {
            "connector.name": "iceberg",
            "iceberg.catalog.type": "rest",
            f"{rest}.uri": self.uri,
            f"{rest}.warehouse": self.warehouse,
            **security,
        }

    def _token(self) -> dict[str, str]:
        return {} if self.token is None else {"token": self.token}


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A name in SQL, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'
