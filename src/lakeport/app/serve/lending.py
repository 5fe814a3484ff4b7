"""`server.data_uris`: which tables clients may read from storage themselves."""

from __future__ import annotations

from collections.abc import Sequence

from lakeport.access.glob import matches, normal
from lakeport.airport.scans import Lends
from lakeport.core.errors import ConfigurationError, InvalidRequestError
from lakeport.core.names import TableName


def lending(patterns: Sequence[str]) -> Lends:
    """Patterns are those of grants."""
    try:
        globs = [normal(pattern) for pattern in patterns]
    except InvalidRequestError as error:
        raise ConfigurationError(f"`server.data_uris`: {error.message}", hint=error.hint) from error

    def lends(name: TableName) -> bool:
        return any(matches(glob, str(name)) for glob in globs)

    return lends
