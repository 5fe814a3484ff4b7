"""How other engines attach to an Iceberg catalog over REST: one description, rendered for each of them.

Like `profile.py` it loads no library. At our own door the warehouse is the catalog's name: that is how it
knows which of its catalogs is meant. A catalog that is a REST service itself is attached to directly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lakeport.catalog.iceberg.java_words import signing_for_java, storage_for_java
from lakeport.catalog.iceberg.profile import Profile

PLACEHOLDER = "TOKEN"
"""Where a person puts a token of theirs."""

_SPARK_CATALOG = "org.apache.iceberg.spark.SparkCatalog"
_SPARK_EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"

# Properties of a REST client that all implementations know by the same names.
_CREDENTIAL, _SCOPE, _SERVER = "credential", "scope", "oauth2-server-uri"
_COMMON = {"token", _CREDENTIAL, _SCOPE, _SERVER}
_COMMON_PREFIXES = ("rest.", "header.")


@dataclass(frozen=True, slots=True)
class Attachment:
    """`proof` are the properties by which a client is recognised; empty where everybody is let in.

    `storage` is how Iceberg's Java library reaches the files, where a catalog's settings say so: its
    clients open them themselves.
    """

    name: str
    uri: str
    warehouse: str
    proof: Mapping[str, str] = field(default_factory=dict, repr=False)
    storage: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def to_door(
        cls,
        catalog: str,
        uri: str,
        token: str | None = None,
        files: Mapping[str, str] | None = None,
    ) -> Attachment:
        """To one of the catalogs behind our own door; `files` are its properties."""
        proof = {} if token is None else {"token": token}
        return cls(catalog, uri, catalog, proof, storage_for_java(files or {}))

    @classmethod
    def to_service(cls, profile: Profile) -> Attachment:
        """To a catalog that is a REST service, past us."""
        proof = {
            key: value
            for key, value in profile.properties.items()
            if key in _COMMON or key.startswith(_COMMON_PREFIXES)
        }
        storage = {
            **storage_for_java(profile.properties),
            **signing_for_java(profile.properties),
        }
        return cls(profile.name, profile.uri or "", profile.warehouse or "", proof, storage)

    def for_pyiceberg(self) -> dict[str, str]:
        """Properties for `pyiceberg.catalog.load_catalog(name, **properties)`."""
        return {"type": "rest", **self._place(), **self.proof}

    def for_spark(self) -> dict[str, str]:
        """Settings of a session. Without a cache of its own it sees what others commit at once."""
        catalog = f"spark.sql.catalog.{self.name}"
        own = {
            **self.for_pyiceberg(),
            **self.storage,
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
        load = "INSTALL iceberg; LOAD iceberg;"
        secret = identifier(f"{self.name}_rest")
        how = f"SECRET {secret}" if self.proof else "AUTHORIZATION_TYPE 'none'"
        attach = (
            f"ATTACH {literal(self.warehouse)} AS {identifier(self.name)} "
            f"(TYPE iceberg, ENDPOINT {literal(self.uri)}, {how});"
        )
        if not self.proof:
            return load, attach
        given = ", ".join(f"{key} {literal(value)}" for key, value in self._duckdb_proof())
        return load, f"CREATE SECRET {secret} (TYPE iceberg, {given});", attach

    def for_trino(self) -> dict[str, str]:
        """Properties of `etc/catalog/NAME.properties`."""
        rest = "iceberg.rest-catalog"
        words = {
            "token": "token",
            _CREDENTIAL: "credential",
            _SCOPE: "scope",
            _SERVER: "server-uri",
        }
        security = {
            f"{rest}.oauth2.{word}": self.proof[key]
            for key, word in words.items()
            if key in self.proof
        }
        return {
            "connector.name": "iceberg",
            "iceberg.catalog.type": "rest",
            **{f"{rest}.{key}": value for key, value in self._place().items()},
            **({f"{rest}.security": "OAUTH2"} if security else {}),
            **security,
        }

    def _place(self) -> dict[str, str]:
        place = {"uri": self.uri, "warehouse": self.warehouse}
        return {key: value for key, value in place.items() if value}

    def _duckdb_proof(self) -> list[tuple[str, str]]:
        proof = self.proof
        if _CREDENTIAL not in proof:
            return [("TOKEN", proof.get("token", ""))]
        client, _, secret = proof[_CREDENTIAL].rpartition(":")
        given = {"OAUTH2_SCOPE": proof.get(_SCOPE), "OAUTH2_SERVER_URI": proof.get(_SERVER)}
        return [
            ("CLIENT_ID", client),
            ("CLIENT_SECRET", secret),
            *((key, value) for key, value in given.items() if value),
        ]


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A name in SQL, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'
