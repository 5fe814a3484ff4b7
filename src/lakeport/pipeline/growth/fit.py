"""A query's columns meet the table's: the types that hold both, and how values get into them.

Recursive and the same at every depth, since a table is the outermost struct. A mismatch inside a list
or a map has no name of its own: it is a `Conflict` that travels up to the nearest field, where the
model's policy decides; what was found on the way there goes with it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lakeport.core.names import NameMap
from lakeport.pipeline.growth import model, refusals
from lakeport.pipeline.growth.casting import castable
from lakeport.pipeline.growth.columns import diff
from lakeport.pipeline.growth.conversion import (
    KEEP,
    Cast,
    Conversion,
    Projected,
    over_elements,
    over_entries,
    rebuilt,
)
from lakeport.pipeline.growth.model import (
    Field,
    Foreign,
    ListOf,
    MapOf,
    Schema,
    StructOf,
    Type,
    shown,
)
from lakeport.pipeline.growth.plan import (
    Added,
    Finding,
    Padded,
    Path,
    Refused,
    Relaxed,
    Unmapped,
    Widened,
)
from lakeport.pipeline.growth.policy import Policy
from lakeport.pipeline.growth.storing import side_name, stored, unmapped, why_not_new
from lakeport.pipeline.growth.widening import holds, promoted


@dataclass(frozen=True, slots=True)
class Fit:
    """`type` is the table's, grown where it has to be."""

    type: Type
    conversion: Conversion
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two types that do not meet, and the refusal if nobody above knows better."""

    refusal: Refused


@dataclass(frozen=True, slots=True)
class _Incoming:
    """A source field, under the name it goes by in the table: its own, or that of a side column.

    `fit` is how it meets the table's field of that name, if there is one.
    """

    name: str
    source: Field
    fit: Fit | Conflict | None


@dataclass(frozen=True, slots=True)
class _Grown:
    """A field of the table afterwards, and where its values come from."""

    field: Field
    projected: Projected
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Fields:
    """A struct's fields or a table's columns afterwards: the old ones in order, then the new ones."""

    fields: Schema
    projection: tuple[Projected, ...]
    findings: tuple[Finding, ...]


def fit_fields(path: Path, target: Schema, source: Schema, policy: Policy) -> Fields:
    """What cannot be is among the findings."""
    difference = diff([field.name for field in target], [field.name for field in source])
    if difference.collisions:
        refused = tuple(refusals.collision(path, pair) for pair in difference.collisions)
        return Fields(target, (), refused)
    held, taken = _named(target), _named(source)
    incoming = [_incoming(path, held, taken, field, policy) for field in source]
    given = NameMap((one.name, one) for one in incoming)
    grown = (
        *(_held(path, field, given.get(field.name), policy) for field in target),
        *(_new(path, one, policy) for one in incoming if one.fit is None),
    )
    return Fields(
        tuple(one.field for one in grown),
        tuple(one.projected for one in grown),
        tuple(finding for one in grown for finding in one.findings),
    )


def _named(fields: Schema) -> NameMap[Field]:
    return NameMap((field.name, field) for field in fields)


def _incoming(
    path: Path, held: NameMap[Field], taken: NameMap[Field], field: Field, policy: Policy
) -> _Incoming:
    found = _met(path, held, field.name, field, policy)
    if not isinstance(found.fit, Conflict) or policy.on_type_change != "side_column":
        return found
    side = side_name(field)
    if side in taken:
        return replace(found, fit=Conflict(refusals.side_taken((*path, field.name), side)))
    return _met(path, held, side, field, policy)


def _met(path: Path, held: NameMap[Field], name: str, field: Field, policy: Policy) -> _Incoming:
    other = held.get(name)
    met = None if other is None else fit((*path, other.name), other.type, field.type, policy)
    return _Incoming(name, field, met)


def _held(path: Path, field: Field, incoming: _Incoming | None, policy: Policy) -> _Grown:
    here = (*path, field.name)
    if incoming is None or incoming.fit is None or incoming.source.type == model.VOID:
        return _padded(here, field, policy)
    if isinstance(incoming.fit, Conflict):
        return _untouched(field, (incoming.fit.refusal,))
    met = incoming.fit
    projected = Projected(field.name, met.type, incoming.source.name, met.conversion)
    return _Grown(replace(field, type=met.type), projected, met.findings)


def _padded(path: Path, field: Field, policy: Policy) -> _Grown:
    """The query has no values for it; a column of bare NULLs is as good as none."""
    padded = Padded(path, field.type)
    if not field.required:
        return _untouched(field, (padded,))
    if policy.on_removed_required == "relax":
        return _untouched(replace(field, required=False), (Relaxed(path), padded))
    return _untouched(field, (refusals.removed_required(path),))


def _untouched(field: Field, findings: tuple[Finding, ...]) -> _Grown:
    return _Grown(field, Projected(field.name, field.type, None), findings)


def _new(path: Path, incoming: _Incoming, policy: Policy) -> _Grown:
    here, given = (*path, incoming.name), incoming.source.type
    field = Field(incoming.name, stored(given))
    met = fit(here, field.type, given, policy)
    if isinstance(met, Conflict):
        return _untouched(field, (met.refusal,))
    refused = tuple(why_not_new(here, given))
    if refused:
        return _untouched(field, refused)
    projected = Projected(field.name, field.type, incoming.source.name, met.conversion)
    return _Grown(field, projected, (Added(here, field.type), *unmapped(here, given, policy)))


def fit(path: Path, held: Type, given: Type, policy: Policy) -> Fit | Conflict:
    """How values of the type `given` get into a column of the type `held`."""
    match held, given:
        case StructOf(), StructOf():
            return _fit_struct(path, held, given, policy)
        case ListOf(), ListOf():
            inner = fit((*path, "element"), held.element, given.element, policy)
            if isinstance(inner, Conflict):
                return inner
            grown = replace(held, element=inner.type)
            return Fit(grown, over_elements(inner.conversion), inner.findings)
        case MapOf(), MapOf():
            return _fit_map(path, held, given, policy)
        case _:
            return _fit_plain(path, held, given, policy)


def _fit_struct(path: Path, held: StructOf, given: StructOf, policy: Policy) -> Fit:
    grown = fit_fields(path, held.fields, given.fields, policy)
    names = tuple(field.name for field in given.fields)
    return Fit(StructOf(grown.fields), rebuilt(grown.projection, names), grown.findings)


def _fit_map(path: Path, held: MapOf, given: MapOf, policy: Policy) -> Fit | Conflict:
    if given.key == model.VOID:
        return Fit(held, Cast(held))  # it can only be empty
    keys = (*path, "key")
    # What was written is looked up by its key for ever: its type may not change by anything.
    key = fit(keys, held.key, given.key, replace(policy, on_type_change="fail"))
    if isinstance(key, Conflict) or key.type != held.key or not _changes_nothing(key.findings):
        return Conflict(refusals.map_keys(keys, held.key, given.key))
    value = fit((*path, "value"), held.value, given.value, policy)
    if isinstance(value, Conflict):
        return value
    return Fit(
        replace(held, value=value.type),
        over_entries(key.conversion, value.conversion),
        (*key.findings, *value.findings),
    )


def _changes_nothing(findings: tuple[Finding, ...]) -> bool:
    """Text for a type that Iceberg lacks is a warning or a refusal of its own."""
    return all(
        isinstance(found, Unmapped)
        or (isinstance(found, Refused) and found.code == "unmappable_type")
        for found in findings
    )


def _fit_plain(path: Path, held: Type, given: Type, policy: Policy) -> Fit | Conflict:
    if isinstance(given, Foreign) and given != model.VOID and held == model.STRING:
        return Fit(held, Cast(held), tuple(unmapped(path, given, policy)))
    if holds(held, given):
        return Fit(held, KEEP if shown(held) == given else Cast(held))
    wider = promoted(held, given)
    if wider is not None and policy.on_type_change == "widen":
        widened = Widened(path, held, wider)
        return Fit(wider, KEEP if wider == given else Cast(wider), (widened,))
    if policy.on_type_change == "cast" and castable(held, given):
        return Fit(held, Cast(held))
    return Conflict(refusals.type_change(path, held, given, promotable=wider is not None))
