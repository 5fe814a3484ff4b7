"""What a write will do to a table's schema, as plain data that `plan` prints and `run` carries out.

A plan is a list of findings. None of them can drop, rename, reorder or narrow anything: there is no
class for it. A plan with a refusal changes nothing and projects nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from lakeport.core.errors import PreconditionError
from lakeport.core.names import TableName, quoted
from lakeport.pipeline.growth.conversion import Projected
from lakeport.pipeline.growth.model import Schema, Type
from lakeport.pipeline.growth.spark_words import text_of

Path: TypeAlias = tuple[str, ...]
"""A column and what is inside it: fields by name, `element`, `key` and `value` as in Iceberg."""


@dataclass(frozen=True, slots=True)
class Added:
    """A new optional column at the end, or a new field at the end of its struct."""

    path: Path
    type: Type

    def as_dict(self) -> dict[str, object]:
        return {"name": dotted(self.path), "type": text_of(self.type)}


@dataclass(frozen=True, slots=True)
class Padded:
    """The table keeps it, the query has no values for it: NULL in every new row."""

    path: Path
    type: Type

    def as_dict(self) -> dict[str, object]:
        return {"name": dotted(self.path), "type": text_of(self.type)}


@dataclass(frozen=True, slots=True)
class Widened:
    path: Path
    before: Type
    after: Type

    def as_dict(self) -> dict[str, object]:
        return {
            "name": dotted(self.path),
            "from": text_of(self.before),
            "to": text_of(self.after),
        }


@dataclass(frozen=True, slots=True)
class Relaxed:
    """NOT NULL no longer."""

    path: Path

    def as_dict(self) -> dict[str, object]:
        return {"name": dotted(self.path)}


@dataclass(frozen=True, slots=True)
class Refused:
    """`code` is stable: collision, removed_required, type_change, unmappable_type, unsafe_name,
    unwritable_type.
    """

    path: Path
    code: str
    reason: str
    remedies: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        return {
            "name": dotted(self.path),
            "code": self.code,
            "reason": self.reason,
            "remedies": list(self.remedies),
        }


@dataclass(frozen=True, slots=True)
class Unmapped:
    """A type that Iceberg lacks, stored as text: worth a warning, no change of its own."""

    path: Path
    text: str

    def __str__(self) -> str:
        return f"column {quoted(dotted(self.path))} has the type {self.text}, stored as string"


Finding: TypeAlias = Added | Padded | Widened | Relaxed | Refused | Unmapped
F = TypeVar("F", Added, Padded, Widened, Relaxed, Refused, Unmapped)


@dataclass(frozen=True, slots=True)
class Plan:
    """`after` is the table's schema once the plan is applied: computed, never read again."""

    before: Schema
    after: Schema
    projection: tuple[Projected, ...]
    findings: tuple[Finding, ...]

    @property
    def added(self) -> tuple[Added, ...]:
        return self._all(Added)

    @property
    def padded(self) -> tuple[Padded, ...]:
        return self._all(Padded)

    @property
    def widened(self) -> tuple[Widened, ...]:
        return self._all(Widened)

    @property
    def relaxed(self) -> tuple[Relaxed, ...]:
        return self._all(Relaxed)

    @property
    def refused(self) -> tuple[Refused, ...]:
        return self._all(Refused)

    @property
    def unmapped(self) -> tuple[Unmapped, ...]:
        return self._all(Unmapped)

    @property
    def changes_schema(self) -> bool:
        return self.before != self.after

    def require(self, table: TableName) -> None:
        """Raise what stands in the way, all of it, before anything is touched."""
        if not self.refused:
            return
        reasons = "; ".join(refusal.reason for refusal in self.refused)
        remedies = dict.fromkeys(remedy for refusal in self.refused for remedy in refusal.remedies)
        raise PreconditionError(
            f"table {quoted(str(table))} cannot take these rows: {reasons}",
            hint=", or ".join(remedies),
            details={"columns": ", ".join(dotted(refusal.path) for refusal in self.refused)},
        )

    def as_dict(self) -> dict[str, object]:
        """The `schema` part of `plan --json`."""
        return {
            "added": [found.as_dict() for found in self.added],
            "padded": [found.as_dict() for found in self.padded],
            "widened": [found.as_dict() for found in self.widened],
            "relaxed": [found.as_dict() for found in self.relaxed],
            "refused": [found.as_dict() for found in self.refused],
        }

    def _all(self, kind: type[F]) -> tuple[F, ...]:
        return tuple(found for found in self.findings if isinstance(found, kind))


def dotted(path: Path) -> str:
    return ".".join(path)
