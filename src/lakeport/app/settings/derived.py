"""Values that follow from others, and the rules that hold between settings.

Mostly the catalog: what kind it is, and where the embedded one lives. Places end up absolute, because
two processes with different working folders must mean the same lake.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakeport.app.settings.layers import Source
from lakeport.app.settings.values import expanded
from lakeport.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakeport.app.settings.sections import Catalog, Tls

HOME = ".lakeport"

_TYPE, _URI, _WAREHOUSE = ("catalog", "type"), ("catalog", "uri"), ("catalog", "warehouse")
_CACHE = ("pipeline", "cache")
_STATE = ("state", "uri")

_TYPE_BY_SCHEME = {
    "http": "rest",
    "https": "rest",
    "thrift": "hive",
    "sqlite": "sql",
    "postgresql": "sql",
}
_TYPES_WITH_URI = ("sql", "rest", "hive")


def complete(values: dict[tuple[str, ...], Any], sources: dict[str, Source], root: Path) -> None:
    """Fill in what was left to be derived."""
    if values[_TYPE] is None:
        uri = values[_URI]
        values[_TYPE] = "embedded" if uri is None else _type_of(uri, sources["catalog.uri"])
        if uri is not None:
            sources["catalog.type"] = Source("derived", "catalog.uri")
    if values[_TYPE] == "embedded":
        if values[_URI] is None:
            values[_URI] = f"sqlite:///{root / HOME / 'catalog.db'}"
        if values[_WAREHOUSE] is None:
            values[_WAREHOUSE] = _location(root / HOME / "warehouse")
    values[_URI] = _anchored_database(values[_URI], root)
    try:
        values[_WAREHOUSE] = _anchored_folder(values[_WAREHOUSE], values[_TYPE], root)
    except ValueError as error:
        raise ConfigurationError(f"{sources['catalog.warehouse']}: {error}") from error
    if values[_STATE] is None:
        values[_STATE] = f"sqlite:///{root / HOME / 'state.db'}"
    values[_STATE] = _anchored_database(values[_STATE], root)
    if values[_CACHE] is None:
        values[_CACHE] = _user_cache() or root / HOME / "cache"


def _user_cache() -> Path | None:
    try:
        return expanded("~/.cache/lakeport")
    except ValueError:  # a container's user often has no home
        return None


def check(catalog: Catalog, tls: Tls, sources: Mapping[str, Source]) -> None:
    """Rules between settings."""
    if catalog.type in _TYPES_WITH_URI and not catalog.uri:
        raise ConfigurationError(
            f"{sources['catalog.type']}: a catalog of type `{catalog.type}` needs `catalog.uri`",
            hint="leave `catalog.type` out for the embedded catalog",
        )
    if catalog.type == "embedded" and catalog.uri and not catalog.uri.startswith("sqlite:"):
        raise ConfigurationError(
            f"{sources['catalog.uri']}: the embedded catalog is a SQLite file",
            hint="leave `catalog.type` out: it is told from `catalog.uri`",
        )
    for present, missing in (("cert", "key"), ("key", "cert"), ("client_ca", "cert")):
        if getattr(tls, present) is not None and getattr(tls, missing) is None:
            raise ConfigurationError(
                f"{sources[f'server.tls.{present}']}: `server.tls.{present}` needs `server.tls.{missing}` too"
            )


def _type_of(uri: str, source: Source) -> str:
    scheme = uri.partition(":")[0].partition("+")[0].lower()
    found = _TYPE_BY_SCHEME.get(scheme)
    if found is None:
        raise ConfigurationError(
            f"{source}: the kind of catalog cannot be told from `catalog.uri`",
            hint=f"set `catalog.type`, or use one of: {', '.join(sorted(_TYPE_BY_SCHEME))}",
        )
    return found


def _anchored_database(uri: str | None, root: Path) -> str | None:
    """A relative SQLite path means the project's folder; SQLAlchemy would take the working folder."""
    prefix = "sqlite:///"
    if uri is None or not uri.startswith(prefix):
        return uri
    path = uri.removeprefix(prefix)
    is_special = path in {"", ":memory:"} or path.startswith("file:")
    return uri if is_special else prefix + str(root / path)


def _anchored_folder(warehouse: str | None, kind: str, root: Path) -> str | None:
    """A plain folder becomes a file URI: locations always carry a scheme. A REST catalog's is a name."""
    if warehouse is None or kind == "rest" or "://" in warehouse or warehouse.startswith("file:"):
        return warehouse
    return _location((root / expanded(warehouse)).resolve())


def _location(folder: Path) -> str:
    """As Iceberg's engines write it: nothing is escaped, for none of them unescapes."""
    return f"file://{folder}"
