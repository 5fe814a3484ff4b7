"""Audits in a model's settings: `{ not_null = ["id"] }`, `{ unique = "id", severity = "warn" }`, …

The word that says what is asked is a key, so that an audit reads as a sentence; what it takes beside that
is in `KINDS`, which the reference shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, get_args

from lakeport.core.names import nearest, quoted
from lakeport.pipeline.project.model import Audit, AuditKind, Severity
from lakeport.pipeline.project.problems import Place, Problem


@dataclass(frozen=True, slots=True)
class Kind:
    """`takes` are the further keys, `needs` those that must be there."""

    about: str
    example: str
    takes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


KINDS: Mapping[AuditKind, Kind] = {
    "not_null": Kind("None of these columns is NULL.", '{ not_null = ["id", "name"] }'),
    "unique": Kind("No two rows agree in all of these columns.", '{ unique = ["region", "day"] }'),
    "accepted_values": Kind(
        "The column holds nothing but these values; NULL is accepted.",
        '{ accepted_values = "status", values = ["open", "paid"] }',
        ("values",),
        ("values",),
    ),
    "relationships": Kind(
        "Each value of the column is one of `field` in the table `to`; NULL is accepted.",
        '{ relationships = "customer_id", to = "shop.customers", field = "id" }',
        ("to", "field"),
        ("to",),
    ),
    "row_count": Kind("So many rows are there.", "{ row_count = { min = 1, max = 1000000 } }"),
    "sql": Kind(
        "The query returns no rows. It reads what is audited as `this_rows`.",
        '{ sql = "SELECT * FROM this_rows WHERE amount < 0", name = "no_debts" }',
    ),
}
COMMON = ("name", "severity", "store_failures")
_ONE_COLUMN = frozenset({"relationships"})
_NAME = re.compile(r"[A-Za-z0-9_]{1,80}")
_UNSAFE = re.compile(r"[^A-Za-z0-9_]+")


class _Wrong(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def read_audits(
    value: Any, lines: Callable[[str], list[int]], place: Place
) -> tuple[tuple[Audit, ...], list[Problem]]:
    if not isinstance(value, list | tuple):
        hint = f"write a list: audits = [{KINDS['not_null'].example}]"
        return (), [Problem("audit", "`audits` is no list", hint, place)]
    audits: list[Audit] = []
    problems: list[Problem] = []
    taken: dict[str, int] = {}
    for item, line in zip(value, lines("audits"), strict=False):
        try:
            audit = _audit(item, line)
            if audit.name.casefold() in taken:
                audit = _other_name(audit, item, taken)
        except _Wrong as wrong:
            here = Place(place.path, line)
            problems.append(Problem("audit", wrong.message, wrong.hint, here))
            continue
        taken[audit.name.casefold()] = line
        audits.append(audit)
    return tuple(audits), problems


def _other_name(audit: Audit, item: Mapping[str, Any], taken: Mapping[str, int]) -> Audit:
    if "name" in item:
        where = taken[audit.name.casefold()]
        raise _Wrong(
            f"two audits are called {quoted(audit.name)}", f"the other one is on line {where}"
        )
    number = next(n for n in range(2, 10_000) if f"{audit.name}_{n}".casefold() not in taken)
    facts = {name: getattr(audit, name) for name in Audit.__slots__}
    return Audit(**{**facts, "name": f"{audit.name}_{number}"})


def _audit(item: Any, line: int) -> Audit:
    if not isinstance(item, dict):
        raise _Wrong("an audit is no table", f"write {KINDS['not_null'].example}")
    kind = _kind(item)
    known = KINDS[kind]
    allowed = (kind, *known.takes, *COMMON)
    unknown = next((key for key in item if key not in allowed), None)
    if unknown is not None:
        close = nearest(unknown, allowed)
        hint = f"did you mean {quoted(close)}? " if close else ""
        raise _Wrong(
            f"{quoted(kind)} takes no {quoted(unknown)}", f"{hint}for example {known.example}"
        )
    missing = next((key for key in known.needs if key not in item), None)
    if missing is not None:
        raise _Wrong(f"{quoted(kind)} lacks {quoted(missing)}", f"for example {known.example}")
    severity = item.get("severity", "error")
    if severity not in get_args(Severity):
        raise _Wrong(f"the severity of an audit cannot be {severity!r}", "it is error or warn")
    store = item.get("store_failures", severity == "error")
    if not isinstance(store, bool):
        raise _Wrong("`store_failures` is true or false", "leave it out for true")
    facts = _facts(kind, item)
    name = item.get("name") or _derived(kind, facts)
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise _Wrong(
            f"an audit cannot be called {name!r}", "use letters without accents, digits and _"
        )
    return Audit(kind=kind, name=name, line=line, severity=severity, store_failures=store, **facts)


def _kind(item: Mapping[str, Any]) -> AuditKind:
    named = [kind for kind in KINDS if kind in item]
    if len(named) == 1:
        return named[0]
    if named:
        both = " and ".join(quoted(kind) for kind in named[:2])
        raise _Wrong(f"an audit asks {both} at once", "write two audits")
    first = next(iter(item), "")
    close = nearest(str(first), KINDS)
    hint = f"did you mean {quoted(close)}? " if close else ""
    raise _Wrong(
        f"an audit asks nothing that is known: {quoted(str(first))}",
        f"{hint}it asks one of {', '.join(KINDS)}",
    )


def _facts(kind: AuditKind, item: Mapping[str, Any]) -> dict[str, Any]:
    value = item[kind]
    if kind == "sql":
        if not isinstance(value, str) or not value.strip():
            raise _Wrong("`sql` is no query", f"for example {KINDS[kind].example}")
        return {"sql": value}
    if kind == "row_count":
        return _bounds(value)
    columns = (value,) if isinstance(value, str) else value
    if (
        not isinstance(columns, list | tuple)
        or not columns
        or not all(isinstance(column, str) and column for column in columns)
        or (kind in _ONE_COLUMN and len(columns) > 1)
    ):
        raise _Wrong(f"{quoted(kind)} names no column", f"for example {KINDS[kind].example}")
    facts: dict[str, Any] = {"columns": tuple(columns)}
    if kind == "accepted_values":
        facts["values"] = _values(item["values"])
    if kind == "relationships":
        to, field = item["to"], item.get("field", columns[0])
        if not isinstance(to, str) or not to or not isinstance(field, str) or not field:
            raise _Wrong("`relationships` names no table", f"for example {KINDS[kind].example}")
        facts |= {"to": to, "field": field}
    return facts


def _values(values: Any) -> tuple[Any, ...]:
    plain = str | int | float | bool | date
    if not isinstance(values, list) or not values or not all(isinstance(v, plain) for v in values):
        raise _Wrong(
            "`values` is no list of values", f"for example {KINDS['accepted_values'].example}"
        )
    return tuple(values)


def _bounds(value: Any) -> dict[str, Any]:
    known = {"min", "max"}
    if (
        not isinstance(value, dict)
        or not value
        or not value.keys() <= known
        or not all(type(bound) is int and bound >= 0 for bound in value.values())
    ):
        raise _Wrong("`row_count` has no bounds", f"for example {KINDS['row_count'].example}")
    if value.get("min", 0) > value.get("max", value.get("min", 0)):
        raise _Wrong("`row_count` accepts no number of rows", "max is not below min")
    return dict(value)


def _derived(kind: AuditKind, facts: Mapping[str, Any]) -> str:
    words = "_".join((kind, *facts.get("columns", ())))
    return _UNSAFE.sub("_", words).strip("_")[:80]
