"""What of a definition stands on a column or on a field inside it.

CHECK, UNIQUE, PRIMARY KEY, partition and sort terms depend on columns; a DEFAULT is a constant and
depends on nothing. A drop is refused while something stands on it, or takes it along with CASCADE; a
rename is carried into all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import pyarrow as pa

from lakeport.catalog.changes import Path
from lakeport.catalog.definition import Check, Constraint, Definition, PrimaryKey, Unique
from lakeport.catalog.evolution.layout import parse_term
from lakeport.catalog.expressions import column_names, parse_expression, rename_column
from lakeport.catalog.expressions.fields import rename_field
from lakeport.core.errors import InvalidRequestError, NotFoundError, PreconditionError
from lakeport.core.names import fold, quoted


@dataclass(frozen=True, slots=True)
class Dependents:
    constraints: tuple[Constraint, ...] = ()
    partitioned_by: tuple[str, ...] = ()
    sorted_by: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.constraints or self.partitioned_by or self.sorted_by)

    def __str__(self) -> str:
        return ", ".join(
            (
                *(named(constraint) for constraint in self.constraints),
                *(f"partition field {quoted(term)}" for term in self.partitioned_by),
                *(f"sort field {quoted(term)}" for term in self.sorted_by),
            )
        )


def named(constraint: Constraint) -> str:
    """How messages show a constraint."""
    match constraint:
        case PrimaryKey():
            return f"PRIMARY KEY ({', '.join(constraint.columns)})"
        case Unique():
            return f"UNIQUE {quoted(constraint.name)} ({', '.join(constraint.columns)})"
        case Check():
            return f"CHECK {quoted(constraint.name)} {constraint.expression}"


def reads(constraint: Constraint, column: str) -> bool:
    return fold(column) in _read_by(constraint)


@lru_cache(maxsize=1024)
def _read_by(constraint: Constraint) -> frozenset[str]:
    try:
        names = (
            column_names(constraint.expression)
            if isinstance(constraint, Check)
            else constraint.columns
        )
    except InvalidRequestError:
        return frozenset()  # nobody can read it: it stays as it is, and refuses writes
    return frozenset(fold(name) for name in names)


def of_column(definition: Definition, name: str) -> Dependents:
    return Dependents(
        tuple(c for c in definition.constraints if reads(c, name)),
        *_terms_on(definition, (name,)),
    )


def of_field(definition: Definition, path: Path, after: pa.Schema) -> Dependents:
    """What stands on a field: a CHECK does if it cannot be evaluated over the schema `after`."""
    broken = tuple(
        check for check in definition.checks if reads(check, path[0]) and not _works(check, after)
    )
    return Dependents(broken, *_terms_on(definition, path))


def dropped(definition: Definition, dependents: Dependents) -> Definition:
    return replace(
        definition,
        constraints=tuple(c for c in definition.constraints if c not in dependents.constraints),
        partitioned_by=_without(definition.partitioned_by, dependents.partitioned_by),
        sorted_by=_without(definition.sorted_by, dependents.sorted_by),
    )


def renamed(definition: Definition, path: Path, to: str) -> Definition:
    """The definition, its schema aside, after what is at `path` is called `to`."""
    return replace(
        definition,
        constraints=tuple(_renamed(c, path, to) for c in definition.constraints),
        partitioned_by=_renamed_terms(definition.partitioned_by, definition.schema, path, to),
        sorted_by=_renamed_terms(definition.sorted_by, definition.schema, path, to),
    )


def check_still_evaluated(definition: Definition, column: str) -> None:
    """Refuse a change after which a CHECK or a term on the column would have no meaning any more."""
    for kind, terms in (("partition", definition.partitioned_by), ("sort", definition.sorted_by)):
        for term in terms:
            if not _has_source(term, definition.schema):
                raise PreconditionError(
                    f"{kind} field {quoted(term)} would lose what it is worked out from",
                    hint=f"it reads a field inside {quoted(column)}, which has to stay",
                )
    for check in definition.checks:
        if reads(check, column) and not _works(check, definition.schema):
            raise PreconditionError(
                f"{named(check)} could not be evaluated any more",
                hint="drop the constraint first and add it again in its new form",
            )


def _has_source(term: str, schema: pa.Schema) -> bool:
    try:
        parse_term(term, schema)
    except NotFoundError:
        return False
    except InvalidRequestError:
        return True  # a transform of another engine, which is not for us to read
    return True


def _works(check: Check, schema: pa.Schema) -> bool:
    try:
        parse_expression(check.expression, schema)
    except (InvalidRequestError, NotFoundError):
        return False
    return True


def _renamed(constraint: Constraint, path: Path, to: str) -> Constraint:
    if isinstance(constraint, Check):
        if not reads(constraint, path[0]):
            return constraint
        text = constraint.expression
        changed = (
            rename_column(text, path[0], to) if len(path) == 1 else rename_field(text, path, to)
        )
        return replace(constraint, expression=changed)
    if len(path) > 1:
        return constraint
    old = fold(path[0])
    columns = tuple(to if fold(name) == old else name for name in constraint.columns)
    return replace(constraint, columns=columns)


def _terms_on(definition: Definition, path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    schema = definition.schema
    partition = (t for t in definition.partitioned_by if parse_term(t, schema).mentions(path))
    sort = (t for t in definition.sorted_by if parse_term(t, schema).mentions(path))
    return tuple(partition), tuple(sort)


def _renamed_terms(
    terms: tuple[str, ...], schema: pa.Schema, path: Path, to: str
) -> tuple[str, ...]:
    return tuple(str(parse_term(term, schema).renamed(path, to)) for term in terms)


def _without(terms: tuple[str, ...], gone: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(term for term in terms if term not in gone)
