"""Rows that were expected beside those that came: which are missing, which are too many, which differ.

Only the columns that the test names are compared. Order means nothing unless the test says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lakeport.core.names import NameMap, fold, nearest, quoted
from lakeport.pipeline.growth.model import Schema, Type
from lakeport.pipeline.testing.model import Changed, Difference, Row
from lakeport.pipeline.testing.values import WrongValueError, as_type, same, settled, shown

_MOST = 50


class UnknownColumnError(Exception):
    """A column that is expected, and that the model does not make."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class _Misfit:
    """An expected value that its column can never hold; it is equal to nothing."""

    value: object
    why: str


def compare(
    expected: Sequence[Row], schema: Schema, rows: Sequence[Mapping[str, object]], *, ordered: bool
) -> Difference:
    """`rows` are those of the model, by the names of its columns."""
    types = NameMap((field.name, field.type) for field in schema)
    names = _named(expected, schema)
    wanted = [tuple(_cell(row, name, types[name]) for name in names) for row in expected]
    got = [tuple(settled(row[name]) for name in names) for row in rows]
    if ordered and len(wanted) == len(got):
        return _in_order(names, wanted, got)
    missing, unexpected = _unmatched(wanted, got)
    changed = _paired(names, missing, unexpected)
    return Difference(
        names,
        tuple(_shown(row) for row in missing[:_MOST]),
        tuple(_shown(row) for row in unexpected[:_MOST]),
        tuple(changed[:_MOST]),
    )


def _named(expected: Sequence[Row], schema: Schema) -> tuple[str, ...]:
    """The columns that the test names, in the order of the model; all of them if it expects no row."""
    known = [field.name for field in schema]
    folded = {fold(name) for row in expected for name in row}
    if not expected:
        return tuple(known)
    for row in expected:
        for name in row:
            if fold(name) not in {fold(each) for each in known}:
                close = nearest(name, known)
                hint = f"did you mean {quoted(close)}? " if close else ""
                raise UnknownColumnError(
                    f"the model has no column {quoted(name)}", f"{hint}it has: {', '.join(known)}"
                )
    return tuple(name for name in known if fold(name) in folded)


def _cell(row: Row, name: str, type_: Type) -> object:
    value = next((item for key, item in row.items() if fold(key) == fold(name)), None)
    try:
        return as_type(value, type_)
    except WrongValueError as error:
        return _Misfit(value, str(error))


def _in_order(
    names: tuple[str, ...], wanted: list[tuple[object, ...]], got: list[tuple[object, ...]]
) -> Difference:
    changed = [
        _changed(names, one, other)
        for one, other in zip(wanted, got, strict=True)
        if not same(one, other)
    ]
    if changed and not any(_unmatched(wanted, got)):
        return Difference(names, misplaced=True, unexpected=tuple(map(_shown, got[:_MOST])))
    return Difference(names, changed=tuple(changed[:_MOST]))


def _unmatched(
    wanted: list[tuple[object, ...]], got: list[tuple[object, ...]]
) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """What is left of both when equal rows are taken away in pairs."""
    left: dict[str, list[tuple[object, ...]]] = {}
    for row in got:
        left.setdefault(_key(row), []).append(row)
    missing: list[tuple[object, ...]] = []
    for row in wanted:
        alike = left.get(_key(row), [])
        at = next((index for index, other in enumerate(alike) if same(row, other)), None)
        if at is None:
            missing.append(row)
        else:
            alike.pop(at)
    unexpected = [row for rows in left.values() for row in rows]
    for row in list(missing):  # real numbers that are close stand under other keys
        other = next((other for other in unexpected if same(row, other)), None)
        if other is not None:
            missing.remove(row)
            unexpected.remove(other)
    return missing, unexpected


def _key(row: tuple[object, ...]) -> str:
    return repr(row)


def _paired(
    names: tuple[str, ...], missing: list[tuple[object, ...]], unexpected: list[tuple[object, ...]]
) -> list[Changed]:
    """Rows that agree in at least one cell, the most alike first, taken out of both lists."""
    alike = sorted(
        (
            (-sum(map(same, one, other)), i, j)
            for i, one in enumerate(missing[:_MOST])
            for j, other in enumerate(unexpected[:_MOST])
        ),
    )
    pairs: dict[int, int] = {}
    for score, i, j in alike:
        if score < 0 and i not in pairs and j not in pairs.values():
            pairs[i] = j
    changed = [_changed(names, missing[i], unexpected[j]) for i, j in sorted(pairs.items())]
    for i in sorted(pairs, reverse=True):
        missing.pop(i)
    for j in sorted(pairs.values(), reverse=True):
        unexpected.pop(j)
    return changed


def _changed(names: tuple[str, ...], one: tuple[object, ...], other: tuple[object, ...]) -> Changed:
    differing = tuple(name for name, a, b in zip(names, one, other, strict=True) if not same(a, b))
    return Changed(_shown(one), _shown(other), differing)


def _shown(row: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(
        f"{shown(cell.value)} ({cell.why})" if isinstance(cell, _Misfit) else shown(cell)
        for cell in row
    )
