"""Values that follow from others, and the rules that hold between settings.

Mostly the catalogs: what kind they are, and where embedded ones live. Places end up absolute, because
two processes with different working folders must mean the same lake.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakeport.app.settings.layers import Source
from lakeport.app.settings.values import expanded
from lakeport.core.errors import ConfigurationError
from lakeport.core.names import quoted, twins

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lakeport.app.settings.sections import Catalog, Tls

HOME = ".lakeport"

_FIRST = ("catalog",)
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


def complete(
    values: dict[tuple[str, ...], Any],
    sources: dict[str, Source],
    root: Path,
    catalogs: Iterable[tuple[str, ...]],
) -> None:
    """Fill in what was left to be derived; `catalogs` are the sections that describe one."""
    for section in catalogs:
        _complete_catalog(values, sources, root, section)
    if values[_STATE] is None:
        values[_STATE] = f"sqlite:///{root / HOME / 'state.db'}"
    values[_STATE] = _anchored_database(values[_STATE], root)
    if values[_CACHE] is None:
        values[_CACHE] = _user_cache() or root / HOME / "cache"


def _complete_catalog(
    values: dict[tuple[str, ...], Any],
    sources: dict[str, Source],
    root: Path,
    section: tuple[str, ...],
) -> None:
    name = ".".join(section)
    kind, uri, warehouse = ((*section, key) for key in ("type", "uri", "warehouse"))
    if values[kind] is None:
        values[kind] = "embedded"
        if values[uri] is not None:
            values[kind] = _type_of(values[uri], name, sources[f"{name}.uri"])
            sources[f"{name}.type"] = Source("derived", f"{name}.uri")
    if values[kind] == "embedded":
        folder = root / HOME if section == _FIRST else root.joinpath(HOME, *section)
        values[uri] = values[uri] or f"sqlite:///{folder / 'catalog.db'}"
        values[warehouse] = values[warehouse] or _location(folder / "warehouse")
    values[uri] = _anchored_database(values[uri], root)
    try:
        values[warehouse] = _anchored_folder(values[warehouse], values[kind], root)
    except ValueError as error:
        raise ConfigurationError(f"{sources[f'{name}.warehouse']}: {error}") from error


def _user_cache() -> Path | None:
    try:
        return expanded("~/.cache/lakeport")
    except ValueError:  # a container's user often has no home
        return None


def check_catalog(catalog: Catalog, section: str, sources: Mapping[str, Source]) -> None:
    if catalog.type in _TYPES_WITH_URI and not catalog.uri:
        raise ConfigurationError(
            f"{sources[f'{section}.type']}: a catalog of type `{catalog.type}` needs `{section}.uri`",
            hint=f"leave `{section}.type` out for the embedded catalog",
        )
    if catalog.type == "embedded" and catalog.uri and not catalog.uri.startswith("sqlite:"):
        raise ConfigurationError(
            f"{sources[f'{section}.uri']}: the embedded catalog is a SQLite file",
            hint=f"leave `{section}.type` out: it is told from `{section}.uri`",
        )


def check_names(catalogs: Iterable[Catalog]) -> None:
    """A dash counts as `_`, for the names of environment variables know no other."""
    pair = twins(catalog.name.replace("-", "_") for catalog in catalogs)
    if pair is not None:
        raise ConfigurationError(
            f"two catalogs are called {quoted(pair[1])}",
            hint="the first one is called `lake` unless `catalog.name` says otherwise; rename one",
        )


def check_tls(tls: Tls, sources: Mapping[str, Source]) -> None:
    for present, missing in (("cert", "key"), ("key", "cert"), ("client_ca", "cert")):
        if getattr(tls, present) is not None and getattr(tls, missing) is None:
            raise ConfigurationError(
                f"{sources[f'server.tls.{present}']}: `server.tls.{present}` needs `server.tls.{missing}` too"
            )


def _type_of(uri: str, section: str, source: Source) -> str:
    scheme = uri.partition(":")[0].partition("+")[0].lower()
    found = _TYPE_BY_SCHEME.get(scheme)
    if found is None:
        raise ConfigurationError(
            f"{source}: the kind of catalog cannot be told from `{section}.uri`",
            hint=f"set `{section}.type`, or use one of: {', '.join(sorted(_TYPE_BY_SCHEME))}",
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
