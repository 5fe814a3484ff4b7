"""`server.data_uris`: which tables clients may read from storage themselves."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lakeport.access.glob import matches, normal
from lakeport.airport.scans import Lends
from lakeport.core.errors import ConfigurationError, InvalidRequestError
from lakeport.core.names import TableName

EVERY = ("read_parquet", "iceberg_scan")


def lending(patterns: Sequence[str], functions: Collection[str] = EVERY) -> Lends:
    """Patterns are those of grants."""
    try:
        globs = [normal(pattern) for pattern in patterns]
    except InvalidRequestError as error:
        raise ConfigurationError(f"`server.data_uris`: {error.message}", hint=error.hint) from error

    def lends(name: TableName) -> Collection[str]:
        return functions if any(matches(glob, str(name)) for glob in globs) else ()

    return lends
