"""What an engine sends about views."""

from __future__ import annotations

from typing import Any


def schema(*names: str, schema_id: int = 0) -> dict[str, Any]:
    return {
        "type": "struct",
        "schema-id": schema_id,
        "fields": [
            {"id": number, "name": name, "required": False, "type": "long"}
            for number, name in enumerate(names, 1)
        ],
    }


def version(number: int, sql: str, *, dialect: str = "spark", schema_id: int = 0) -> dict[str, Any]:
    return {
        "version-id": number,
        "schema-id": schema_id,
        "timestamp-ms": 1_700_000_000_000 + number,
        "summary": {"engine-name": "spark"},
        "representations": [{"type": "sql", "sql": sql, "dialect": dialect}],
        "default-namespace": ["shop"],
    }


def creation(name: str = "v", sql: str = "SELECT 1 AS a", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "schema": schema("a"),
        "view-version": version(1, sql),
        "properties": {"comment": "Ones."},
        **more,
    }


def replacement(sql: str, *names: str, dialect: str = "spark") -> list[dict[str, Any]]:
    """As Java's client sends CREATE OR REPLACE VIEW."""
    return [
        {"action": "add-schema", "schema": schema(*names)},
        {
            "action": "add-view-version",
            "view-version": version(1, sql, dialect=dialect, schema_id=-1),
        },
        {"action": "set-current-view-version", "view-version-id": -1},
    ]
