"""What a dbt manifest tells: compiled SQL by file, and where models and sources are stored.

Its texts come from dbt itself and are preferred to our own rendering.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from lakeport.lineage.templating.relation import Relation
from lakeport.lineage.templating.rendering import DbtModel, Reference


@dataclass(frozen=True, slots=True)
class Manifest:
    """The parts of a manifest that rendering needs."""

    models: Mapping[str, DbtModel] = field(default_factory=dict)
    sources: Mapping[tuple[str, str], Relation] = field(default_factory=dict)
    compiled: Mapping[str, tuple[str, DbtModel]] = field(default_factory=dict)

    def of_file(self, name: str) -> tuple[str, DbtModel] | None:
        """The compiled SQL of a file, whichever folder both paths begin in."""
        path = _path(name)
        found = self.compiled.get(path)
        if found is not None:
            return found
        tails = (entry for known, entry in self.compiled.items() if path.endswith(f"/{known}"))
        return next(tails, None)


def read_manifest(raw: Mapping[str, Any], dialect: str) -> Manifest:
    """Nodes that are not as a manifest has them are passed over."""
    models: dict[str, DbtModel] = {}
    compiled: dict[str, tuple[str, DbtModel]] = {}
    for node in _entries(raw, "nodes"):
        if node.get("resource_type") not in {"model", "snapshot", "seed"} or not _text(
            node, "name"
        ):
            continue
        model = _model(node)
        models[model.name] = model
        sql = _text(node, "compiled_code") or _text(node, "compiled_sql")
        path = _text(node, "original_file_path") or _text(node, "path")
        if sql and path:
            compiled[_path(path)] = sql, model
    sources = {
        (str(node.get("source_name")), str(node.get("name"))): Relation(
            _text(node, "identifier") or str(node.get("name")),
            _text(node, "schema"),
            _text(node, "database"),
            dialect,
        )
        for node in _entries(raw, "sources")
    }
    return Manifest(models, sources, compiled)


def _entries(raw: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    entries = raw.get(key)
    for entry in entries.values() if isinstance(entries, Mapping) else ():
        if isinstance(entry, Mapping):
            yield entry


def _model(node: Mapping[str, Any]) -> DbtModel:
    config = node.get("config")
    options: Mapping[str, Any] = config if isinstance(config, Mapping) else {}
    name = str(node["name"])
    tags = node.get("tags")
    return DbtModel(
        name=name,
        alias=_text(node, "alias") or name,
        schema=_text(node, "schema"),
        database=_text(node, "database"),
        materialized=str(options.get("materialized") or "view"),
        refs=tuple(_references(node.get("refs"))),
        sources=tuple(_source_names(node.get("sources"))),
        tags=tuple(map(str, tags)) if isinstance(tags, list) else (),
        config=options,
    )


def _references(raw: object) -> Iterator[Reference]:
    """Old manifests list names, newer ones mappings."""
    for entry in raw if isinstance(raw, list) else ():
        if isinstance(entry, Mapping) and entry.get("name"):
            version = entry.get("version")
            yield Reference(
                str(entry["name"]),
                _text(entry, "package"),
                None if version is None else str(version),
            )
        elif isinstance(entry, list) and entry:
            yield Reference(str(entry[-1]), str(entry[0]) if len(entry) > 1 else None)


def _source_names(raw: object) -> Iterator[tuple[str, str]]:
    for entry in raw if isinstance(raw, list) else ():
        if isinstance(entry, list) and len(entry) == 2:
            yield str(entry[0]), str(entry[1])


def _text(node: Mapping[str, Any], key: str) -> str | None:
    value = node.get(key)
    return value if isinstance(value, str) and value else None


def _path(name: str) -> str:
    return str(PurePosixPath(name.replace("\\", "/")))
